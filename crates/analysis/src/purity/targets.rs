//! Calls as nodes: what each virtual call may run, with lambdas told apart, as their parameters are not the call's.

use std::collections::{HashMap, HashSet};

use braid_classfile::{JStr, MemberRef};
use rayon::prelude::*;

use crate::{Body, ClassId, Graph, Invoke, Lambda, MethodId, World};

type VirtualCall = (MethodId, ClassId);

/// What may run at a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Target {
    pub node: u32,
    pub lambda: bool,
}

/// Methods, then virtual calls; and who runs whom.
pub(super) struct Nodes {
    numbers: HashMap<VirtualCall, u32>,
    /// For each virtual call, in the order of the nodes.
    pub targets: Vec<Vec<Target>>,
    pub graph: Graph,
    /// For each class, the initialisers that its first use may run.
    initialisers: Vec<Vec<MethodId>>,
}

impl Nodes {
    pub(super) fn new(world: &World) -> Nodes {
        let bodies: Vec<Body> = (0..world.method_count() as u32)
            .into_par_iter()
            .map(|m| Body::read(world, MethodId(m)).unwrap_or_default())
            .collect();
        let methods = bodies.len() as u32;
        let (numbers, calls) = number(&bodies, methods);
        let lambdas = by_interface(&bodies);
        let owners: HashSet<ClassId> = calls.iter().map(|c| c.1).collect();
        let below: HashMap<ClassId, Vec<ClassId>> = (owners.into_par_iter())
            .map(|c| (c, concrete_below(world, c)))
            .collect();
        let targets: Vec<Vec<Target>> = (calls.par_iter())
            .map(|&call| targets(world, call, &below[&call.1], &lambdas, &numbers))
            .collect();
        let from_methods = bodies.iter().enumerate().flat_map(|(m, body)| {
            let numbers = &numbers;
            (body.invokes.iter()).filter_map(move |i| Some((m as u32, node_of(numbers, i)?)))
        });
        let from_calls = targets
            .iter()
            .enumerate()
            .flat_map(|(n, all)| all.iter().map(move |t| (methods + n as u32, t.node)));
        let graph = Graph::new(calls.len() + bodies.len(), from_methods.chain(from_calls));
        Nodes {
            numbers,
            targets,
            graph,
            initialisers: initialisers(world),
        }
    }

    /// The node that an instruction with a method reference runs, or `None` if it is not in the world.
    pub(super) fn of_reference(
        &self,
        world: &World,
        member: MemberRef<'_>,
        exact: bool,
    ) -> Option<u32> {
        let name = if member.owner.as_bytes().starts_with(b"[") {
            JStr::from("java/lang/Object")
        } else {
            member.owner
        };
        let owner = world.class(name)?;
        let selector = world.selector(member.name, member.descriptor)?;
        let resolved = world.resolve(owner, selector)?;
        if exact || world.access(resolved).is_private() {
            return Some(resolved.0);
        }
        self.numbers.get(&(resolved, owner)).copied()
    }

    pub(super) fn initialisers(&self, class: ClassId) -> &[MethodId] {
        &self.initialisers[class.0 as usize]
    }
}

fn node_of(numbers: &HashMap<VirtualCall, u32>, invoke: &Invoke) -> Option<u32> {
    match *invoke {
        Invoke::Exact(method) => Some(method.0),
        Invoke::Virtual { resolved, owner } => numbers.get(&(resolved, owner)).copied(),
        Invoke::Unknown => None,
    }
}

fn number(bodies: &[Body], methods: u32) -> (HashMap<VirtualCall, u32>, Vec<VirtualCall>) {
    let mut numbers = HashMap::new();
    let mut list = Vec::new();
    for invoke in bodies.iter().flat_map(|b| &b.invokes) {
        if let Invoke::Virtual { resolved, owner } = *invoke {
            numbers.entry((resolved, owner)).or_insert_with(|| {
                list.push((resolved, owner));
                methods + list.len() as u32 - 1
            });
        }
    }
    (numbers, list)
}

/// What lambdas run, by the interface they implement. (What they run is also among the invokes of their makers.)
fn by_interface(bodies: &[Body]) -> HashMap<ClassId, Vec<Invoke>> {
    let mut map: HashMap<ClassId, Vec<Invoke>> = HashMap::new();
    for Lambda { interface, runs } in bodies.iter().flat_map(|b| b.lambdas.iter().copied()) {
        map.entry(interface).or_default().push(runs);
    }
    for runs in map.values_mut() {
        runs.sort_unstable();
        runs.dedup();
    }
    map
}

fn concrete_below(world: &World, class: ClassId) -> Vec<ClassId> {
    let mut below = world.below(class);
    below.retain(|&c| world.is_concrete(c));
    below
}

fn targets(
    world: &World,
    (resolved, owner): VirtualCall,
    below: &[ClassId],
    lambdas: &HashMap<ClassId, Vec<Invoke>>,
    numbers: &HashMap<VirtualCall, u32>,
) -> Vec<Target> {
    let is_abstract = world.access(resolved).is_abstract();
    let plain = |m: MethodId| Target {
        node: m.0,
        lambda: false,
    };
    let mut all: Vec<Target> = (below.iter())
        .filter_map(|&class| world.select(class, resolved))
        .filter(|&m| !world.access(m).is_abstract())
        .map(plain)
        .collect();
    if world.is_interface(owner) {
        for (&interface, runs) in lambdas.iter().filter(|(i, _)| world.is_subtype(**i, owner)) {
            if is_abstract {
                let found = runs.iter().filter_map(|r| node_of(numbers, r));
                all.extend(found.map(|node| Target { node, lambda: true }));
            }
            // The default method of a lambda's interface, which may also implement an abstract one above it.
            let default = world.resolve(interface, world.selector_of(resolved));
            all.extend(
                default
                    .filter(|&m| !world.access(m).is_abstract())
                    .map(plain),
            );
        }
    }
    all.sort_unstable();
    all.dedup();
    all
}

fn initialisers(world: &World) -> Vec<Vec<MethodId>> {
    let Some(selector) = world.selector("<clinit>".into(), "()V".into()) else {
        return vec![Vec::new(); world.class_count()];
    };
    let of = |class: u32| {
        let above = world.above(ClassId(class)).into_iter();
        above.filter_map(|c| world.declared(c, selector)).collect()
    };
    (0..world.class_count() as u32)
        .into_par_iter()
        .map(of)
        .collect()
}
