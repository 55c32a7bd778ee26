//! Matched-call reachability against walking every path with an explicit stack, on random small programs.

use std::collections::HashSet;

use braid_analysis::{Call, Graph, Program};

const NODES: u32 = 4;

struct Parts {
    edges: Vec<(u32, u32)>,
    exits: Vec<Vec<u32>>,
    calls: Vec<Call>,
    procedures: u32,
}

/// Procedure `p` has the nodes `4p..4p+4`, enters at its first.
fn random(rng: &mut fastrand::Rng) -> Parts {
    let procedures = rng.u32(1..4);
    let mut edges = Vec::new();
    let mut calls = Vec::new();
    let mut exits = Vec::new();
    for p in 0..procedures {
        let node = |rng: &mut fastrand::Rng| p * NODES + rng.u32(0..NODES);
        for _ in 0..rng.u32(0..4) {
            edges.push((node(rng), node(rng)));
        }
        for _ in 0..rng.u32(0..3) {
            calls.push(Call {
                from: node(rng),
                callee: rng.u32(0..procedures),
                to: node(rng),
            });
        }
        let last = p * NODES + NODES - 1;
        exits.push(if rng.bool() { vec![last] } else { vec![] });
    }
    Parts {
        edges,
        exits,
        calls,
        procedures,
    }
}

/// All nodes on paths from `start`, with the stack of calls made on the way; deeper stacks than the bound add
/// nothing, as a nest of calls that repeats a procedure can be cut short.
fn by_walking(parts: &Parts, start: u32) -> HashSet<u32> {
    let bound = 2 * parts.procedures as usize + 2;
    let mut seen: HashSet<(u32, Vec<usize>)> = HashSet::new();
    let mut work = vec![(start, Vec::new())];
    while let Some((node, stack)) = work.pop() {
        if !seen.insert((node, stack.clone())) {
            continue;
        }
        work.extend(
            parts
                .edges
                .iter()
                .filter(|e| e.0 == node)
                .map(|e| (e.1, stack.clone())),
        );
        for (i, call) in parts.calls.iter().enumerate() {
            if call.from == node && stack.len() < bound {
                let mut deeper = stack.clone();
                deeper.push(i);
                work.push((call.callee * NODES, deeper));
            }
        }
        let procedure = node / NODES;
        if parts.exits[procedure as usize].contains(&node) {
            let mut shallower = stack.clone();
            match shallower.pop() {
                Some(i) => work.push((parts.calls[i].to, shallower)),
                None => {
                    let callers = parts.calls.iter().filter(|c| c.callee == procedure);
                    work.extend(callers.map(|c| (c.to, Vec::new())));
                }
            }
        }
    }
    seen.into_iter().map(|(node, _)| node).collect()
}

#[test]
fn realisable_paths_are_those_found_by_walking_with_a_stack() {
    let mut rng = fastrand::Rng::with_seed(7);
    for _ in 0..4000 {
        let parts = random(&mut rng);
        let nodes = parts.procedures * NODES;
        let program = Program::new(
            Graph::new(nodes as usize, parts.edges.iter().copied()),
            (0..parts.procedures).map(|p| p * NODES).collect(),
            parts.exits.clone(),
            parts.calls.clone(),
        );
        let start = rng.u32(0..nodes);
        let walked = by_walking(&parts, start);
        let reached = program.reachable(&[start]);
        for node in 0..nodes {
            assert_eq!(
                reached[node as usize],
                walked.contains(&node),
                "{start} to {node}: {:?} {:?} {:?}",
                parts.edges,
                parts.calls,
                parts.exits
            );
        }
    }
}

#[test]
fn a_return_goes_back_to_its_own_call() {
    // 0: calls 2 (f), goes on at 1. 3 is f's exit. 4: calls f too, goes on at 5.
    let calls = vec![
        Call {
            from: 0,
            callee: 1,
            to: 1,
        },
        Call {
            from: 4,
            callee: 1,
            to: 5,
        },
    ];
    let program = Program::new(
        Graph::new(6, [(2, 3)]),
        vec![0, 2, 4],
        vec![vec![1], vec![3], vec![5]],
        calls,
    );
    let reached = program.reachable(&[0]);
    assert!(reached[1] && reached[3]);
    assert!(!reached[5], "f returns to 1, not to the other caller");
    assert!(
        program.reachable(&[3])[5],
        "from inside f, either caller may be waiting"
    );
}
