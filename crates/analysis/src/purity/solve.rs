//! All summaries, callees before callers, each component of mutual callers until nothing changes.

use rayon::prelude::*;

use super::simulate::{Context, Simulation};
use super::summary::{Cause, Summary};
use super::table::Table;
use super::targets::Nodes;
use crate::{Graph, MethodId, World};

/// The summaries of all methods, then of all virtual calls.
pub(super) fn solve(world: &World) -> Vec<Summary> {
    let nodes = Nodes::new(world);
    let table = Table::new();
    let known: Vec<Option<Summary>> = (0..world.method_count() as u32)
        .into_par_iter()
        .map(|m| given(world, &table, MethodId(m)))
        .collect();
    let mut solver = Solver {
        world,
        nodes: &nodes,
        known: &known,
        summaries: vec![Summary::default(); nodes.graph.len()],
    };
    for level in levels(&nodes.graph) {
        solver.level(level);
    }
    solver.summaries
}

/// What is known of a method without its code.
fn given(world: &World, table: &Table, method: MethodId) -> Option<Summary> {
    let access = world.access(method);
    if access.is_abstract() {
        return Some(Summary::global(Cause::Nothing));
    }
    table.find(&world.method_name(method), access.is_native())
}

/// Components by their distance from those that call nothing: each level needs only levels before it.
fn levels(graph: &Graph) -> Vec<Vec<Vec<u32>>> {
    let components = graph.components();
    let mut level_of = vec![0usize; graph.len()];
    let mut levels: Vec<Vec<Vec<u32>>> = Vec::new();
    for component in components {
        let below = component.iter().flat_map(|&n| graph.successors(n));
        // Members of the component itself still have level 0 here.
        let level = below.map(|&n| level_of[n as usize] + 1).max().unwrap_or(0);
        for &node in &component {
            level_of[node as usize] = level;
        }
        if levels.len() <= level {
            levels.resize(level + 1, Vec::new());
        }
        levels[level].push(component);
    }
    levels
}

struct Solver<'w> {
    world: &'w World,
    nodes: &'w Nodes,
    known: &'w [Option<Summary>],
    summaries: Vec<Summary>,
}

impl Solver<'_> {
    fn level(&mut self, level: Vec<Vec<u32>>) {
        let (single, cyclic): (Vec<_>, Vec<_>) = level.into_iter().partition(|component| {
            let node = component[0];
            component.len() == 1 && !self.nodes.graph.successors(node).contains(&node)
        });
        let done: Vec<(u32, Summary)> = (single.par_iter())
            .map(|component| (component[0], self.node(component[0])))
            .collect();
        for (node, summary) in done {
            self.summaries[node as usize] = summary;
        }
        for component in cyclic {
            self.component(&component);
        }
    }

    /// A component from below: everything is pure until shown otherwise. In rounds, each in parallel, over what a
    /// change of the last round may concern.
    fn component(&mut self, component: &[u32]) {
        let mut inside = std::collections::HashMap::new();
        for (i, &node) in component.iter().enumerate() {
            inside.insert(node, i as u32);
        }
        let edges = component.iter().enumerate().flat_map(|(i, &node)| {
            let inside = &inside;
            let callees = self.nodes.graph.successors(node).iter();
            callees.filter_map(move |n| Some((*inside.get(n)?, i as u32)))
        });
        let callers = Graph::new(component.len(), edges);
        let mut work: Vec<u32> = (0..component.len() as u32).collect();
        while !work.is_empty() {
            let changed: Vec<(u32, Summary)> = (work.par_iter())
                .map(|&i| (i, self.grown(component[i as usize])))
                .filter(|(i, new)| *new != self.summaries[component[*i as usize] as usize])
                .collect();
            let mut next = vec![false; component.len()];
            for (i, summary) in changed {
                self.summaries[component[i as usize] as usize] = summary;
                for &caller in callers.successors(i) {
                    let node = component[caller as usize] as usize;
                    next[caller as usize] = self.summaries[node].global.is_none();
                }
            }
            work = (0..component.len() as u32)
                .filter(|&i| next[i as usize])
                .collect();
        }
    }

    /// A node's new summary, which keeps the causes first found, so that chains of causes have no cycle.
    fn grown(&self, node: u32) -> Summary {
        let old = &self.summaries[node as usize];
        let mut new = self.node(node);
        if new.global.is_some() {
            return new;
        }
        new.mutation = old.mutation.or(new.mutation);
        new.first_use = old.first_use.or(new.first_use);
        new
    }

    fn node(&self, node: u32) -> Summary {
        let methods = self.world.method_count();
        if (node as usize) < methods {
            let context = Context {
                world: self.world,
                nodes: self.nodes,
                summaries: &self.summaries,
            };
            return self.known[node as usize]
                .unwrap_or_else(|| Simulation::run(&context, MethodId(node)));
        }
        let targets = &self.nodes.targets[node as usize - methods];
        if targets.is_empty() {
            return Summary::global(Cause::Nothing);
        }
        let mut all = Summary::default();
        for target in targets {
            let summary = &self.summaries[target.node as usize];
            if target.lambda {
                all.join(target.node, &summary.as_lambda());
            } else {
                all.join(target.node, summary);
            }
            if all.global.is_some() {
                return Summary::global(self.step(target.node, summary.global));
            }
        }
        all
    }

    /// A cause that names a method: a lambda may stand for another virtual call.
    fn step(&self, target: u32, own: Option<Cause>) -> Cause {
        match own {
            Some(cause) if target as usize >= self.world.method_count() => cause,
            _ => Cause::Call(target),
        }
    }
}
