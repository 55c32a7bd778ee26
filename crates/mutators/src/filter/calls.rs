//! Calls that log, calls that Kotlin and javac put in.

use braid_classfile::{Insn, MemberRef, Op};

use super::{Marks, calls, each, loaded};
use crate::body::Body;
use crate::model::Reason;
use crate::options::Filters;

/// Packages of loggers.
const LOGGERS: [&str; 9] = [
    "java/util/logging/",
    "java/lang/System$Logger",
    "org/slf4j/",
    "org/apache/log4j/",
    "org/apache/logging/log4j/",
    "org/apache/commons/logging/",
    "ch/qos/logback/",
    "org/jboss/logging/",
    "com/google/common/flogger/",
];

/// Marks logging calls with the computation of their arguments and with the condition that asks
/// whether the logger is on, and null checks of Kotlin.
pub(super) fn mark(body: &Body<'_>, filters: &Filters, marks: &mut Marks) {
    for (at, insn) in each(body) {
        let Some(callee) = body.callee(insn) else {
            continue;
        };
        let reason = if filters.logging && is_logger(callee) {
            Reason::Logging
        } else if filters.kotlin && callee.owner == "kotlin/jvm/internal/Intrinsics" {
            Reason::Kotlin
        } else {
            continue;
        };
        marks.range(body.before[at].start as usize..at + 1, &reason);
        if let Some(next) = body.next(at)
            && matches!(body.insn(next), Insn::Jump(Op::Ifeq | Op::Ifne, _))
        {
            marks.set(next, &reason);
        }
    }
}

fn is_logger(callee: MemberRef<'_>) -> bool {
    let owner = callee.owner.as_bytes();
    LOGGERS
        .iter()
        .any(|prefix| owner.starts_with(prefix.as_bytes()))
}

/// Marks what javac calls by itself: boxing, string concatenation by builders, null checks.
pub(super) fn mark_compiler(body: &Body<'_>, marks: &mut Marks) {
    for (at, insn) in each(body) {
        if matches!(insn, Insn::InvokeDynamic(_)) {
            captured(body, at, marks);
        }
        let Some(callee) = body.callee(insn) else {
            continue;
        };
        if is_boxing(callee) {
            marks.compiler([at], "boxing");
        } else if callee.name == "$closeResource" {
            marks.compiler([at], "try with resources");
        } else if is_null_check(body, at, callee) {
            marks.compiler([at], "a null check");
        } else if calls(
            body,
            at,
            "java/lang/StringBuilder",
            "toString",
            "()Ljava/lang/String;",
        ) {
            concatenation(body, at, marks);
        }
    }
}

/// The variables that a lambda captures are loaded before it is made. String concatenation loads
/// variables that somebody wrote there.
fn captured(body: &Body<'_>, at: usize, marks: &mut Marks) {
    let Insn::InvokeDynamic(index) = body.insn(at) else {
        return;
    };
    let makes_lambda = body.pool.dynamic(index).is_ok_and(|dynamic| {
        let text = dynamic.descriptor.as_bytes();
        !dynamic.name.as_bytes().starts_with(b"makeConcat") && text.ends_with(b";")
    });
    let start = body.before[at].start as usize;
    let loads =
        |position: usize| !body.insn(position).is_real() || loaded(body, position).is_some();
    if makes_lambda && (start..at).all(loads) {
        marks.compiler(start..at, "a captured variable");
    }
}

/// `Integer.valueOf(int)` or `intValue()`, and so on.
fn is_boxing(callee: MemberRef<'_>) -> bool {
    const BOXES: [(&str, &str, &str); 8] = [
        ("Boolean", "Z", "booleanValue"),
        ("Byte", "B", "byteValue"),
        ("Character", "C", "charValue"),
        ("Short", "S", "shortValue"),
        ("Integer", "I", "intValue"),
        ("Long", "J", "longValue"),
        ("Float", "F", "floatValue"),
        ("Double", "D", "doubleValue"),
    ];
    let Some(class) = callee
        .owner
        .as_str()
        .and_then(|o| o.strip_prefix("java/lang/"))
    else {
        return false;
    };
    BOXES.iter().any(|(name, letter, unbox)| {
        class == *name
            && (callee.name == *unbox
                || callee.name == "valueOf"
                    && callee.descriptor.as_bytes().get(1) == letter.as_bytes().first())
    })
}

/// The null check before a method reference or the creation of an inner object: the result of
/// `getClass` or `requireNonNull` on a copied reference is dropped.
fn is_null_check(body: &Body<'_>, at: usize, callee: MemberRef<'_>) -> bool {
    let near = |position: Option<usize>, op: Op| {
        position.map(|position| body.insn(position)) == Some(Insn::Plain(op))
    };
    let check = callee.name == "getClass" && callee.descriptor == "()Ljava/lang/Class;"
        || callee.owner == "java/util/Objects" && callee.name == "requireNonNull";
    check && near(body.next(at), Op::Pop) && near(body.previous(at), Op::Dup)
}

/// A builder made, filled and read in one expression is how javac wrote `+` before Java 9.
fn concatenation(body: &Body<'_>, at: usize, marks: &mut Marks) {
    let start = body.before[at].start as usize;
    if !matches!(body.insn(start), Insn::Class(Op::New, _)) {
        return;
    }
    let of_builder = |position: &usize| {
        let callee = body.callee(body.insn(*position));
        callee.is_some_and(|callee| callee.owner == "java/lang/StringBuilder")
    };
    marks.compiler((start..=at).filter(of_builder), "string concatenation");
}
