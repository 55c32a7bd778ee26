//! Who runs whom, as purity needs it: methods and virtual calls as nodes, with lambdas told apart.

use braid_classfile::MemberRef;
use rayon::prelude::*;

use crate::calls::{initialisers, resolve};
use crate::virtual_calls::{Target, VirtualCalls, implementors};
use crate::{Body, ClassId, Graph, MethodId, World};

/// Methods, then virtual calls; and who runs whom.
pub(super) struct Nodes {
    calls: VirtualCalls,
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
        let calls = VirtualCalls::of_bodies(world, &bodies);
        let lambdas = implementors(bodies.iter().flat_map(|b| &b.lambdas));
        let targets = calls.targets(world, &lambdas);
        let from_methods = bodies.iter().enumerate().flat_map(|(m, body)| {
            let calls = &calls;
            let nodes = body.invokes.iter().filter_map(|i| calls.node_of(*i));
            nodes.map(move |node| (m as u32, node))
        });
        let from_calls = targets.iter().enumerate().flat_map(|(number, all)| {
            let from = calls.node(number);
            all.iter().map(move |target| (from, target.node))
        });
        let edges = from_methods.chain(from_calls);
        let graph = Graph::new(bodies.len() + targets.len(), edges);
        let initialisers = (0..world.class_count() as u32)
            .into_par_iter()
            .map(|class| initialisers(world, ClassId(class)))
            .collect();
        Nodes {
            calls,
            targets,
            graph,
            initialisers,
        }
    }

    /// The node that an instruction with a method reference runs, or `None` if it is not in the world.
    pub(super) fn of_reference(
        &self,
        world: &World,
        member: MemberRef<'_>,
        exact: bool,
    ) -> Option<u32> {
        self.calls.node_of(resolve(world, member, exact))
    }

    pub(super) fn initialisers(&self, class: ClassId) -> &[MethodId] {
        &self.initialisers[class.0 as usize]
    }
}
