//! Calls replaced by the default value of their result.

use crate::calls::{describe, removed_call};
use crate::operator::{Example, Operator, Proposals, Propose, Site};

pub(crate) static OPERATOR: Operator = Operator {
    id: "non-void-calls",
    pit: &["NON_VOID_METHOD_CALLS"],
    summary: "replaces a call by the default value of what it returns",
    example: Example {
        before: "static int f(String a) { return a.length(); }",
        after: "static int f(String a) { return 0; }",
    },
    propose: Propose::Insn(propose),
};

fn propose(site: &Site<'_>, out: &mut Proposals) {
    let Some(callee) = site.body.callee(site.insn) else {
        return;
    };
    if let Some((mut steps, Some(kind))) = removed_call(site.insn, callee) {
        steps.push(kind.zero());
        let description = format!(
            "replaced call of {} by {}",
            describe(callee),
            kind.zero_text()
        );
        out.replace(site, steps, "", description);
    }
}
