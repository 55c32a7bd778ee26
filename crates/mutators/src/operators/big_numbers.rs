//! Arithmetic on big integers and decimals: methods exchanged as operators are.

use braid_classfile::{Insn, Op};

use crate::operator::{Example, Operator, Proposals, Propose, Site, Step};

pub(crate) static INTEGER: Operator = Operator {
    id: "big-integer",
    pit: &["EXPERIMENTAL_BIG_INTEGER"],
    summary: "replaces a method of BigInteger by one that computes something else",
    example: Example {
        before: "static java.math.BigInteger f(java.math.BigInteger a) { return a.add(a); }",
        after: "static java.math.BigInteger f(java.math.BigInteger a) { return a.subtract(a); }",
    },
    propose: Propose::Insn(|site, out| propose(site, out, "java/math/BigInteger", INTEGERS)),
};

pub(crate) static DECIMAL: Operator = Operator {
    id: "big-decimal",
    pit: &["EXPERIMENTAL_BIG_DECIMAL"],
    summary: "replaces a method of BigDecimal by one that computes something else",
    example: Example {
        before: "static java.math.BigDecimal f(java.math.BigDecimal a) { return a.negate(); }",
        after: "static java.math.BigDecimal f(java.math.BigDecimal a) { return a.plus(); }",
    },
    propose: Propose::Insn(|site, out| propose(site, out, "java/math/BigDecimal", DECIMALS)),
};

/// Descriptor of a group of methods, and which method replaces which.
type Row = (&'static str, &'static [(&'static str, &'static str)]);

const INTEGERS: &[Row] = &[
    (
        "(Ljava/math/BigInteger;)Ljava/math/BigInteger;",
        &[
            ("add", "subtract"),
            ("subtract", "add"),
            ("multiply", "divide"),
            ("divide", "multiply"),
            ("mod", "multiply"),
            ("remainder", "multiply"),
            ("and", "or"),
            ("or", "and"),
            ("xor", "and"),
            ("andNot", "and"),
            ("max", "min"),
            ("min", "max"),
        ],
    ),
    (
        "(I)Ljava/math/BigInteger;",
        &[
            ("shiftLeft", "shiftRight"),
            ("shiftRight", "shiftLeft"),
            ("setBit", "clearBit"),
            ("clearBit", "setBit"),
            ("flipBit", "setBit"),
        ],
    ),
    (
        "()Ljava/math/BigInteger;",
        &[("not", "negate"), ("negate", "not"), ("abs", "negate")],
    ),
];

const DECIMALS: &[Row] = &[
    (
        "(Ljava/math/BigDecimal;)Ljava/math/BigDecimal;",
        &[
            ("add", "subtract"),
            ("subtract", "add"),
            ("multiply", "divide"),
            ("divide", "multiply"),
            ("remainder", "multiply"),
            ("max", "min"),
            ("min", "max"),
        ],
    ),
    (
        "()Ljava/math/BigDecimal;",
        &[("negate", "plus"), ("plus", "negate"), ("abs", "negate")],
    ),
];

fn propose(site: &Site<'_>, out: &mut Proposals, owner: &'static str, table: &'static [Row]) {
    if !matches!(site.insn, Insn::Invoke(Op::Invokevirtual, _)) {
        return;
    }
    let Some(callee) = site
        .body
        .callee(site.insn)
        .filter(|callee| callee.owner == owner)
    else {
        return;
    };
    let row = table
        .iter()
        .find(|(descriptor, _)| callee.descriptor == *descriptor);
    let Some((descriptor, pairs)) = row else {
        return;
    };
    if let Some((old, new)) = pairs.iter().find(|(old, _)| callee.name == *old) {
        let call = Step::Call(Op::Invokevirtual, owner, new, descriptor);
        out.replace(site, [call], *new, format!("replaced {old} by {new}"));
    }
}
