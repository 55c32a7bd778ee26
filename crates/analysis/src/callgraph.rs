//! Call graphs over a closed world, library and JDK included, so that call-backs from library code need no rule
//! of their own.
//!
//! Class-hierarchy analysis (Dean, Grove, Chambers 1995) lets a virtual call reach what any class below its
//! owner has; rapid type analysis (Bacon, Sweeney 1996) only what classes have of which reachable code makes
//! objects. Both know lambdas as objects of their interface. What natives and reflection call is not seen: a
//! method that leads there is marked [`CallGraph::leads_outside`].

use std::collections::{BTreeSet, HashMap, HashSet};

use rayon::prelude::*;

use crate::calls::{Body, Invoke, Lambda};
use crate::virtual_calls::{Target, VirtualCalls, default_on, implementors};
use crate::{ClassId, Graph, MethodId, World};

/// Who may call whom.
#[derive(Debug)]
pub struct CallGraph {
    /// Methods, then one node for each distinct virtual call.
    graph: Graph,
    methods: u32,
    outside: Vec<bool>,
    reached: Vec<bool>,
}

impl CallGraph {
    /// The graph of all methods by class-hierarchy analysis.
    pub fn of_hierarchy(world: &World) -> CallGraph {
        let bodies = bodies(world);
        let calls = VirtualCalls::of_bodies(world, &bodies);
        let lambdas = implementors(bodies.iter().flat_map(|b| &b.lambdas));
        let targets = calls.targets(world, &lambdas);
        let reached = vec![true; world.method_count()];
        build(&bodies, &calls, edges(&calls, &targets), reached)
    }

    /// The graph of what `roots` reach, by rapid type analysis. Objects of the classes in `made` exist from
    /// the start (what a test framework makes by reflection).
    pub fn of_types(world: &World, roots: &[MethodId], made: &[ClassId]) -> CallGraph {
        let bodies = bodies(world);
        let mut rapid = Rapid::new(world, &bodies);
        for &class in made {
            rapid.make(class);
        }
        for &root in roots {
            rapid.reach(root);
        }
        rapid.run();
        let lambdas = implementors(&rapid.lambdas);
        let on_lambdas: Vec<Vec<Target>> = (rapid.calls.list.par_iter())
            .map(|&call| rapid.calls.on_lambdas(world, call, &lambdas))
            .collect();
        let mut all = edges(&rapid.calls, &on_lambdas);
        for (number, targets) in rapid.targets.iter().enumerate() {
            all.extend(targets.iter().map(|m| (rapid.calls.node(number), m.0)));
        }
        build(&bodies, &rapid.calls, all, rapid.reached)
    }

    /// The methods that a method may call, ascending.
    pub fn callees(&self, method: MethodId) -> Vec<MethodId> {
        let mut all = BTreeSet::new();
        for &node in self.graph.successors(method.0) {
            if node < self.methods {
                all.insert(MethodId(node));
            } else {
                let through = self.through(node);
                all.extend(through);
            }
        }
        all.into_iter().collect()
    }

    /// The methods behind a virtual call; a lambda may stand for a virtual call itself.
    fn through(&self, call: u32) -> Vec<MethodId> {
        let mut seen = HashSet::from([call]);
        let mut work = vec![call];
        let mut found = Vec::new();
        while let Some(node) = work.pop() {
            for &next in self.graph.successors(node) {
                if next < self.methods {
                    found.push(MethodId(next));
                } else if seen.insert(next) {
                    work.push(next);
                }
            }
        }
        found
    }

    /// Whether a method runs something that is not in the world: it is native, or names what cannot be found.
    pub fn leads_outside(&self, method: MethodId) -> bool {
        self.outside[method.0 as usize]
    }

    /// Whether the roots reach a method (all methods, for class-hierarchy analysis).
    pub fn reaches(&self, method: MethodId) -> bool {
        self.reached[method.0 as usize]
    }

    /// The graph itself: nodes below [`World::method_count`] are methods, the others stand for virtual calls.
    pub fn graph(&self) -> &Graph {
        &self.graph
    }
}

fn bodies(world: &World) -> Vec<Body> {
    let unreadable = || Body {
        native: true,
        ..Body::default()
    };
    (0..world.method_count() as u32)
        .into_par_iter()
        .map(|m| Body::read(world, MethodId(m)).unwrap_or_else(|_| unreadable()))
        .collect()
}

/// From the nodes of calls to what they may run.
fn edges(calls: &VirtualCalls, targets: &[Vec<Target>]) -> Vec<(u32, u32)> {
    let of_call = |(number, targets): (usize, &Vec<Target>)| {
        let from = calls.node(number);
        targets.iter().map(|t| (from, t.node)).collect::<Vec<_>>()
    };
    targets.iter().enumerate().flat_map(of_call).collect()
}

fn build(
    bodies: &[Body],
    calls: &VirtualCalls,
    mut edges: Vec<(u32, u32)>,
    reached: Vec<bool>,
) -> CallGraph {
    for (method, body) in bodies.iter().enumerate().filter(|(m, _)| reached[*m]) {
        let invokes = body.invokes.iter().filter_map(|i| calls.node_of(*i));
        edges.extend(invokes.map(|to| (method as u32, to)));
    }
    edges.sort_unstable();
    edges.dedup();
    let outside = |body: &Body| body.native || body.invokes.contains(&Invoke::Unknown);
    CallGraph {
        graph: Graph::new(bodies.len() + calls.list.len(), edges),
        methods: bodies.len() as u32,
        outside: bodies.iter().map(outside).collect(),
        reached,
    }
}

/// Rapid type analysis: grows the sets of reached methods and of classes with objects until nothing is new.
struct Rapid<'w> {
    world: &'w World,
    bodies: &'w [Body],
    reached: Vec<bool>,
    made: HashSet<ClassId>,
    calls: VirtualCalls,
    targets: Vec<Vec<MethodId>>,
    lambdas: Vec<Lambda>,
    /// Reached virtual calls by owner, for classes that come later.
    waiting: HashMap<ClassId, Vec<u32>>,
    work: Vec<MethodId>,
}

impl<'w> Rapid<'w> {
    fn new(world: &'w World, bodies: &'w [Body]) -> Self {
        Rapid {
            world,
            bodies,
            reached: vec![false; bodies.len()],
            made: HashSet::new(),
            calls: VirtualCalls::new(world),
            targets: Vec::new(),
            lambdas: Vec::new(),
            waiting: HashMap::new(),
            work: Vec::new(),
        }
    }

    fn run(&mut self) {
        while let Some(method) = self.work.pop() {
            let body = &self.bodies[method.0 as usize];
            for &class in &body.creates {
                self.make(class);
            }
            for &lambda in &body.lambdas {
                self.lambdas.push(lambda);
                self.invoke(lambda.runs);
                self.defaults_of(lambda.interface);
            }
            for &invoke in &body.invokes {
                self.invoke(invoke);
            }
        }
    }

    fn reach(&mut self, method: MethodId) {
        if !std::mem::replace(&mut self.reached[method.0 as usize], true) {
            self.work.push(method);
        }
    }

    fn invoke(&mut self, invoke: Invoke) {
        match invoke {
            Invoke::Exact(method) => self.reach(method),
            Invoke::Unknown => {}
            Invoke::Virtual { resolved, owner } => {
                let number = self
                    .calls
                    .number(invoke)
                    .expect("a virtual call has a number");
                if (number as usize) < self.targets.len() {
                    return;
                }
                self.targets.push(Vec::new());
                self.waiting.entry(owner).or_default().push(number);
                let made: Vec<ClassId> = self.made.iter().copied().collect();
                for class in made
                    .into_iter()
                    .filter(|&c| self.world.is_subtype(c, owner))
                {
                    self.aim(number, self.world.select(class, resolved));
                }
                for lambda in self.lambdas.clone() {
                    self.aim(
                        number,
                        default_on(self.world, (resolved, owner), lambda.interface),
                    );
                }
            }
        }
    }

    /// Objects of a class exist now.
    fn make(&mut self, class: ClassId) {
        if !self.made.insert(class) {
            return;
        }
        for above in self.world.above(class) {
            for number in self.waiting.get(&above).cloned().unwrap_or_default() {
                let resolved = self.calls.list[number as usize].0;
                self.aim(number, self.world.select(class, resolved));
            }
        }
    }

    /// A lambda of an interface exists now: calls of default methods above it may run on it.
    fn defaults_of(&mut self, interface: ClassId) {
        for above in self.world.above(interface) {
            for number in self.waiting.get(&above).cloned().unwrap_or_default() {
                let call = self.calls.list[number as usize];
                self.aim(number, default_on(self.world, call, interface));
            }
        }
    }

    fn aim(&mut self, number: u32, target: Option<MethodId>) {
        let Some(target) = target.filter(|&m| !self.world.access(m).is_abstract()) else {
            return;
        };
        let targets = &mut self.targets[number as usize];
        if let Err(place) = targets.binary_search(&target) {
            targets.insert(place, target);
            self.reach(target);
        }
    }
}
