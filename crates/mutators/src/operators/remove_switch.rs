//! Cases of switches, left out.

use braid_classfile::{Cases, Switch};

use crate::operator::{Edit, Example, Operator, Proposals, Propose, Site};

pub(crate) static OPERATOR: Operator = Operator {
    id: "remove-switch",
    pit: &[
        "EXPERIMENTAL_REMOVE_SWITCH",
        "EXPERIMENTAL_REMOVE_SWITCH_MUTATOR",
    ],
    summary: "sends one case of a switch to its default",
    example: Example {
        before: "static int f(int a) { switch (a) { case 1: return 5; case 2: return 6; case 3: return 7; case 4: return 8; default: return 0; } }",
        after: "static int f(int a) { switch (a) { case 1: return 5; case 2: return 6; case 4: return 8; default: return 0; } }",
    },
    propose: Propose::Insn(propose),
};

fn propose(site: &Site<'_>, out: &mut Proposals) {
    let Some((index, switch)) = site.switch() else {
        return;
    };
    for position in 0..switch.targets().count() - 1 {
        let mut new = switch.clone();
        let default = new.default;
        let Some(target) = new.targets_mut().nth(position + 1) else {
            continue;
        };
        if *target == default {
            continue;
        }
        *target = default;
        let key = key(switch, position);
        let description = format!("removed case {key}");
        out.edit(
            site.at,
            Edit::Switch(index, new),
            format!("case{key}"),
            description,
        );
    }
}

fn key(switch: &Switch, position: usize) -> i32 {
    match &switch.cases {
        Cases::Table { low, .. } => low.wrapping_add(position as i32),
        Cases::Lookup(pairs) => pairs.get(position).map_or(0, |(key, _)| *key),
    }
}
