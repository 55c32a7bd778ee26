//! Switches whose cases and default are exchanged.

use braid_classfile::Label;

use crate::operator::{Edit, Example, Operator, Proposals, Propose, Site};

pub(crate) static OPERATOR: Operator = Operator {
    id: "switch",
    pit: &["EXPERIMENTAL_SWITCH"],
    summary: "makes the first case the default, and the default every other case",
    example: Example {
        before: "static int f(int a) { switch (a) { case 1: return 5; default: return 6; } }",
        after: "static int f(int a) { switch (a) { default: return 5; case 1: return 6; } }",
    },
    propose: Propose::Insn(propose),
};

fn propose(site: &Site<'_>, out: &mut Proposals) {
    let Some((index, switch)) = site.switch() else {
        return;
    };
    let old: Label = switch.default;
    let Some(first) = switch.targets().find(|label| *label != old) else {
        return;
    };
    let mut new = switch.clone();
    for target in new.targets_mut() {
        *target = if *target == old { first } else { old };
    }
    let description = "exchanged the default of a switch with its cases";
    out.edit(site.at, Edit::Switch(index, new), "", description);
}
