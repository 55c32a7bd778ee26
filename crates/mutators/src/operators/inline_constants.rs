//! Constants replaced by a neighbour, as PIT does.

use crate::constants::{Number, constant_at, replace};
use crate::operator::{Example, Operator, Proposals, Propose, Site};

pub(crate) static OPERATOR: Operator = Operator {
    id: "inline-constants",
    pit: &["INLINE_CONSTS"],
    summary: "replaces a number by its successor (1 by 0; fractions by 1 or 2) and a boolean by its opposite",
    example: Example {
        before: "static int f(int a) { return a + 5; }",
        after: "static int f(int a) { return a + 6; }",
    },
    propose: Propose::Insn(propose),
};

fn propose(site: &Site<'_>, out: &mut Proposals) {
    let Some((old, boolean)) = constant_at(site) else {
        return;
    };
    if let (Number::Int(value), true) = (old, boolean) {
        let description = format!("replaced {} by {}", value != 0, value == 0);
        let steps = [Number::Int(i32::from(value == 0)).step()];
        out.replace(site, steps, "", description);
        return;
    }
    let new = match old {
        Number::Int(1) => Number::Int(0),
        Number::Int(127) => Number::Int(-128),
        Number::Int(32767) => Number::Int(-32768),
        Number::Int(value) => Number::Int(value.wrapping_add(1)),
        Number::Long(value) => Number::Long(value.wrapping_add(1)),
        Number::Float(value) => Number::Float(if value == 1.0 { 2.0 } else { 1.0 }),
        Number::Double(value) => Number::Double(if value == 1.0 { 2.0 } else { 1.0 }),
    };
    replace(site, old, new, "", out);
}
