//! The distinct virtual calls of a program as nodes of a graph, behind its methods, and what each of them may run.

use std::collections::{HashMap, HashSet};

use rayon::prelude::*;

use crate::{Body, ClassId, Invoke, Lambda, MethodId, World};

/// The method that a call names, and the class or interface it is made on.
pub(crate) type VirtualCall = (MethodId, ClassId);

/// The virtual calls, numbered. Nodes below `methods` are methods, then come the calls.
pub(crate) struct VirtualCalls {
    methods: u32,
    numbers: HashMap<VirtualCall, u32>,
    pub(crate) list: Vec<VirtualCall>,
}

impl VirtualCalls {
    pub(crate) fn new(world: &World) -> VirtualCalls {
        VirtualCalls {
            methods: world.method_count() as u32,
            numbers: HashMap::new(),
            list: Vec::new(),
        }
    }

    /// All virtual calls of all bodies. (What lambdas run is among what their makers invoke.)
    pub(crate) fn of_bodies(world: &World, bodies: &[Body]) -> VirtualCalls {
        let mut calls = VirtualCalls::new(world);
        for invoke in bodies.iter().flat_map(|b| &b.invokes) {
            calls.number(*invoke);
        }
        calls
    }

    /// The number of a virtual call, a new one if it has none.
    pub(crate) fn number(&mut self, invoke: Invoke) -> Option<u32> {
        let Invoke::Virtual { resolved, owner } = invoke else {
            return None;
        };
        let next = self.list.len() as u32;
        let number = *self.numbers.entry((resolved, owner)).or_insert(next);
        if number == next {
            self.list.push((resolved, owner));
        }
        Some(number)
    }

    /// The node of the call with a number.
    pub(crate) fn node(&self, number: usize) -> u32 {
        self.methods + number as u32
    }

    /// The node that an invocation leads to; `None` if it is not in the world.
    pub(crate) fn node_of(&self, invoke: Invoke) -> Option<u32> {
        match invoke {
            Invoke::Exact(method) => Some(method.0),
            Invoke::Virtual { resolved, owner } => {
                let number = self.numbers.get(&(resolved, owner))?;
                Some(self.methods + number)
            }
            Invoke::Unknown => None,
        }
    }

    /// For each call what it may run by class-hierarchy analysis, ascending.
    pub(crate) fn targets(&self, world: &World, lambdas: &Implementors) -> Vec<Vec<Target>> {
        let below = Below::new(world, self.list.iter().map(|call| call.1));
        (self.list.par_iter())
            .map(|&call| {
                let mut all = below.implementations(world, call);
                all.extend(self.on_lambdas(world, call, lambdas));
                all.sort_unstable();
                all.dedup();
                all
            })
            .collect()
    }

    /// What a call may run on lambdas: themselves if it names an abstract method, as only that is theirs, or a default
    /// method of their interface.
    pub(crate) fn on_lambdas(
        &self,
        world: &World,
        call: VirtualCall,
        lambdas: &Implementors,
    ) -> Vec<Target> {
        let (resolved, owner) = call;
        let mut all = Vec::new();
        if !world.is_interface(owner) {
            return all;
        }
        let is_abstract = world.access(resolved).is_abstract();
        for (&interface, runs) in lambdas.iter().filter(|(i, _)| world.is_subtype(**i, owner)) {
            if is_abstract {
                let nodes = runs.iter().filter_map(|&run| self.node_of(run));
                all.extend(nodes.map(|node| Target { node, lambda: true }));
            }
            all.extend(default_of(world, resolved, interface).map(Target::method));
        }
        all
    }
}

/// What may run at a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Target {
    pub(crate) node: u32,
    /// Whether it runs as a lambda, so that its parameters are not those of the call.
    pub(crate) lambda: bool,
}

impl Target {
    fn method(method: MethodId) -> Target {
        Target {
            node: method.0,
            lambda: false,
        }
    }
}

/// The concrete classes below each owner of a call.
struct Below(HashMap<ClassId, Vec<ClassId>>);

impl Below {
    fn new(world: &World, owners: impl Iterator<Item = ClassId>) -> Below {
        let owners: HashSet<ClassId> = owners.collect();
        let concrete = |&c: &ClassId| world.is_concrete(c);
        let below = |c: ClassId| (c, world.below(c).into_iter().filter(concrete).collect());
        Below(owners.into_par_iter().map(below).collect())
    }

    fn implementations(&self, world: &World, (resolved, owner): VirtualCall) -> Vec<Target> {
        (self.0[&owner].iter())
            .filter_map(|&class| world.select(class, resolved))
            .filter(|&m| !world.access(m).is_abstract())
            .map(Target::method)
            .collect()
    }
}

/// What lambdas run, by the interface they implement.
pub(crate) type Implementors = HashMap<ClassId, Vec<Invoke>>;

pub(crate) fn implementors<'l>(lambdas: impl IntoIterator<Item = &'l Lambda>) -> Implementors {
    let mut map = Implementors::new();
    for lambda in lambdas {
        map.entry(lambda.interface).or_default().push(lambda.runs);
    }
    for runs in map.values_mut() {
        runs.sort_unstable();
        runs.dedup();
    }
    map
}

/// The default method that a call runs on a lambda of `interface`, if it can be made on one.
pub(crate) fn default_on(
    world: &World,
    (resolved, owner): VirtualCall,
    interface: ClassId,
) -> Option<MethodId> {
    let found = || default_of(world, resolved, interface);
    world.is_subtype(interface, owner).then(found).flatten()
}

/// What a lambda's interface has for a method, which may be an abstract one above it.
fn default_of(world: &World, resolved: MethodId, interface: ClassId) -> Option<MethodId> {
    world
        .resolve(interface, world.selector_of(resolved))
        .filter(|&m| !world.access(m).is_abstract())
}
