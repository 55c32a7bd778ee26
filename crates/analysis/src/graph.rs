//! Directed graphs over dense node numbers, and the orders and components every analysis needs.

/// A directed graph with nodes `0..len`, immutable, edges in one array.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Graph {
    starts: Vec<u32>,
    targets: Vec<u32>,
}

impl Graph {
    /// A graph from its edges. Parallel edges are kept once; successors are in ascending order.
    ///
    /// # Panics
    /// If an edge names a node that is not below `nodes`.
    pub fn new(nodes: usize, edges: impl IntoIterator<Item = (u32, u32)>) -> Self {
        let mut edges: Vec<(u32, u32)> = edges.into_iter().collect();
        edges.sort_unstable();
        edges.dedup();
        let mut starts = vec![0u32; nodes + 1];
        for &(from, to) in &edges {
            assert!((to as usize) < nodes, "edge to node {to} of {nodes}");
            starts[from as usize + 1] += 1;
        }
        for node in 0..nodes {
            starts[node + 1] += starts[node];
        }
        Self {
            starts,
            targets: edges.into_iter().map(|(_, to)| to).collect(),
        }
    }

    /// How many nodes it has.
    pub fn len(&self) -> usize {
        self.starts.len() - 1
    }

    /// Whether it has no nodes.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The successors of a node, in ascending order.
    pub fn successors(&self, node: u32) -> &[u32] {
        &self.targets[self.starts[node as usize] as usize..self.starts[node as usize + 1] as usize]
    }

    /// All edges, by source.
    pub fn edges(&self) -> impl Iterator<Item = (u32, u32)> + '_ {
        (0..self.len() as u32)
            .flat_map(|from| self.successors(from).iter().map(move |&to| (from, to)))
    }

    /// The graph with every edge turned round.
    pub fn reversed(&self) -> Graph {
        Graph::new(self.len(), self.edges().map(|(from, to)| (to, from)))
    }

    /// The nodes reachable from `roots` in depth-first post-order.
    pub fn post_order(&self, roots: &[u32]) -> Vec<u32> {
        let mut seen = vec![false; self.len()];
        let mut order = Vec::new();
        let mut stack: Vec<(u32, usize)> = Vec::new();
        for &root in roots {
            if std::mem::replace(&mut seen[root as usize], true) {
                continue;
            }
            stack.push((root, 0));
            while let Some((node, next)) = stack.last_mut() {
                if let Some(&to) = self.successors(*node).get(*next) {
                    *next += 1;
                    if !std::mem::replace(&mut seen[to as usize], true) {
                        stack.push((to, 0));
                    }
                } else {
                    order.push(*node);
                    stack.pop();
                }
            }
        }
        order
    }

    /// Which nodes can be reached from `roots`, themselves included.
    pub fn reachable(&self, roots: &[u32]) -> Vec<bool> {
        let mut seen = vec![false; self.len()];
        for node in self.post_order(roots) {
            seen[node as usize] = true;
        }
        seen
    }

    /// The strongly connected components, callees before callers: every edge between two components leads from
    /// a later to an earlier one (Tarjan 1972, without recursion).
    pub fn components(&self) -> Vec<Vec<u32>> {
        let mut tarjan = Tarjan {
            graph: self,
            index: vec![u32::MAX; self.len()],
            low: vec![0; self.len()],
            on_stack: vec![false; self.len()],
            stack: Vec::new(),
            next: 0,
            components: Vec::new(),
        };
        for root in 0..self.len() as u32 {
            if tarjan.index[root as usize] == u32::MAX {
                tarjan.visit(root);
            }
        }
        tarjan.components
    }
}

struct Tarjan<'g> {
    graph: &'g Graph,
    index: Vec<u32>,
    low: Vec<u32>,
    on_stack: Vec<bool>,
    stack: Vec<u32>,
    next: u32,
    components: Vec<Vec<u32>>,
}

impl Tarjan<'_> {
    fn visit(&mut self, root: u32) {
        let mut work = vec![(root, 0usize)];
        self.enter(root);
        while let Some((node, next)) = work.last_mut() {
            let (node, at) = (*node, *next);
            *next += 1;
            if let Some(&to) = self.graph.successors(node).get(at) {
                if self.index[to as usize] == u32::MAX {
                    self.enter(to);
                    work.push((to, 0));
                } else if self.on_stack[to as usize] {
                    self.low[node as usize] = self.low[node as usize].min(self.index[to as usize]);
                }
            } else {
                work.pop();
                if let Some(&(parent, _)) = work.last() {
                    self.low[parent as usize] =
                        self.low[parent as usize].min(self.low[node as usize]);
                }
                self.leave(node);
            }
        }
    }

    fn enter(&mut self, node: u32) {
        self.index[node as usize] = self.next;
        self.low[node as usize] = self.next;
        self.next += 1;
        self.stack.push(node);
        self.on_stack[node as usize] = true;
    }

    /// Closes the component whose root is `node`, if it is one.
    fn leave(&mut self, node: u32) {
        if self.low[node as usize] != self.index[node as usize] {
            return;
        }
        let start = self
            .stack
            .iter()
            .rposition(|&n| n == node)
            .expect("a root is on the stack");
        let component = self.stack.split_off(start);
        for &member in &component {
            self.on_stack[member as usize] = false;
        }
        self.components.push(component);
    }
}
