//! Every graph algorithm against the definition, on random graphs.

use braid_analysis::{Dominators, Graph, PostDominators, loops};

fn random_graph(rng: &mut fastrand::Rng) -> Graph {
    let nodes = rng.usize(1..9);
    let edges = rng.usize(0..nodes * 3);
    let n = nodes as u32;
    Graph::new(
        nodes,
        (0..edges)
            .map(|_| (rng.u32(0..n), rng.u32(0..n)))
            .collect::<Vec<_>>(),
    )
}

/// The graph without one node's edges.
fn without(graph: &Graph, node: u32) -> Graph {
    Graph::new(
        graph.len(),
        graph.edges().filter(|&(a, b)| a != node && b != node),
    )
}

#[test]
fn a_dominator_is_a_node_whose_removal_cuts_the_root_off() {
    let mut rng = fastrand::Rng::with_seed(1);
    for _ in 0..3000 {
        let graph = random_graph(&mut rng);
        let dominators = Dominators::new(&graph, 0);
        let reached = graph.reachable(&[0]);
        for by in 0..graph.len() as u32 {
            let rest = without(&graph, by).reachable(&[0]);
            for node in 0..graph.len() as u32 {
                let both = reached[by as usize] && reached[node as usize];
                let expected = both && (by == node || by == 0 || !rest[node as usize]);
                assert_eq!(
                    dominators.dominates(by, node),
                    expected,
                    "{by} {node} {graph:?}"
                );
            }
        }
    }
}

#[test]
fn the_immediate_dominator_is_the_closest() {
    let mut rng = fastrand::Rng::with_seed(2);
    for _ in 0..3000 {
        let graph = random_graph(&mut rng);
        let dominators = Dominators::new(&graph, 0);
        for node in 1..graph.len() as u32 {
            let strict = |d: &u32| *d != node && dominators.dominates(*d, node);
            let all: Vec<u32> = (0..graph.len() as u32).filter(strict).collect();
            let closest = all
                .iter()
                .copied()
                .find(|&d| all.iter().all(|&o| dominators.dominates(o, d)));
            assert_eq!(dominators.immediate(node), closest, "{node} {graph:?}");
        }
    }
}

#[test]
fn a_post_dominator_is_a_node_whose_removal_cuts_all_exits_off() {
    let mut rng = fastrand::Rng::with_seed(3);
    for _ in 0..3000 {
        let graph = random_graph(&mut rng);
        let n = graph.len() as u32;
        let exits: Vec<u32> = (0..n).filter(|&x| graph.successors(x).is_empty()).collect();
        let post = PostDominators::new(&graph, &exits);
        let leaves = |g: &Graph, from: u32, gone: Option<u32>| {
            let seen = g.reachable(&[from]);
            exits.iter().any(|&e| seen[e as usize] && gone != Some(e))
        };
        for by in 0..n {
            let rest = without(&graph, by);
            for node in 0..n {
                let expected = leaves(&graph, node, None)
                    && leaves(&graph, by, None)
                    && (by == node || !leaves(&rest, node, Some(by)));
                assert_eq!(
                    post.post_dominates(by, node),
                    expected,
                    "{by} {node} {graph:?}"
                );
            }
        }
    }
}

#[test]
fn components_are_the_mutually_reachable_nodes_callees_first() {
    let mut rng = fastrand::Rng::with_seed(4);
    for _ in 0..3000 {
        let graph = random_graph(&mut rng);
        let components = graph.components();
        let mut place = vec![usize::MAX; graph.len()];
        for (i, component) in components.iter().enumerate() {
            for &node in component {
                place[node as usize] = i;
            }
        }
        for a in 0..graph.len() as u32 {
            let from_a = graph.reachable(&[a]);
            for b in 0..graph.len() as u32 {
                let mutual = from_a[b as usize] && graph.reachable(&[b])[a as usize];
                assert_eq!(
                    place[a as usize] == place[b as usize],
                    mutual,
                    "{a} {b} {graph:?}"
                );
                assert!(!from_a[b as usize] || place[b as usize] <= place[a as usize]);
            }
        }
    }
}

#[test]
fn every_reachable_cycle_is_in_a_loop_and_every_loop_is_a_cycle() {
    let mut rng = fastrand::Rng::with_seed(5);
    for _ in 0..3000 {
        let graph = random_graph(&mut rng);
        let dominators = Dominators::new(&graph, 0);
        let found = loops(&graph, &dominators);
        for node in (0..graph.len() as u32).filter(|&n| dominators.reaches(n)) {
            let on_cycle = graph
                .successors(node)
                .iter()
                .any(|&s| graph.reachable(&[s])[node as usize]);
            let in_loop = found.iter().any(|l| l.nodes.contains(&node));
            assert_eq!(in_loop, on_cycle, "{node} {graph:?} {found:?}");
        }
        for l in &found {
            let dominated = l.nodes.iter().all(|&n| dominators.dominates(l.head, n));
            assert!(!l.natural || dominated, "{graph:?} {l:?}");
        }
    }
}
