//! Classes and methods that are junk as a whole, and what javac adds to constructors, enums and
//! records.

use braid_classfile::{Attribute, ClassFile, Insn, Member, Op};

use super::{Marks, each, offset};
use crate::body::{Body, annotation_names};
use crate::model::Reason;
use crate::options::Filters;

/// Why nothing of a class is mutated.
pub(crate) fn class_reason(class: &ClassFile<'_>, filters: &Filters) -> Option<Reason> {
    if filters.compiler && class.access().is_synthetic() {
        return Some(Reason::Compiler("a class of its own"));
    }
    annotated(annotation_names(class.attributes()), filters)
}

/// Why nothing of a method is mutated.
pub(crate) fn method_reason(
    body: &Body<'_>,
    method: Member<'_>,
    filters: &Filters,
) -> Option<Reason> {
    if filters.compiler
        && let Some(what) = compiler_method(body)
    {
        return Some(Reason::Compiler(what));
    }
    annotated(annotation_names(method.attributes()), filters)
}

fn annotated(mut names: impl Iterator<Item = String>, filters: &Filters) -> Option<Reason> {
    names.find_map(|name| {
        let simple = name.rsplit(['/', '$']).next().unwrap_or(&name);
        let matches = |pattern: &String| match pattern.strip_prefix('*') {
            Some(part) => simple.contains(part),
            None => simple == pattern,
        };
        let found = filters.annotations.iter().any(matches);
        found.then(|| Reason::Annotated(simple.to_owned()))
    })
}

/// What javac made a method for, if nobody wrote it.
fn compiler_method(body: &Body<'_>) -> Option<&'static str> {
    let (name, access) = (body.name.as_str(), body.access);
    // Lambda bodies are synthetic methods with code that somebody wrote.
    if access.is_bridge() {
        return Some("a bridge method");
    }
    if access.is_synthetic() && !name.starts_with("lambda$") {
        return Some("a method of its own");
    }
    let is_enum = body.class.access().is_enum();
    let values = name == "values" && body.descriptor.starts_with("()[L");
    let value_of = name == "valueOf" && body.descriptor.starts_with("(Ljava/lang/String;)L");
    if is_enum && body.access.is_static() && (values || value_of) {
        return Some("a member of every enum");
    }
    is_record(body.class).then(|| record_method(body)).flatten()
}

fn is_record(class: &ClassFile<'_>) -> bool {
    class
        .super_name()
        .is_some_and(|name| name == "java/lang/Record")
}

/// Names and descriptors of a record's components.
fn components(class: &ClassFile<'_>) -> Vec<(String, String)> {
    match class.attribute("Record") {
        Ok(Some(Attribute::Record(components))) => components
            .iter()
            .map(|c| (c.name.to_string(), c.descriptor.to_string()))
            .collect(),
        _ => Vec::new(),
    }
}

fn is_canonical(body: &Body<'_>, components: &[(String, String)]) -> bool {
    let types: String = components.iter().map(|(_, ty)| ty.as_str()).collect();
    body.name == "<init>" && body.descriptor == format!("({types})V")
}

fn record_method(body: &Body<'_>) -> Option<&'static str> {
    let components = components(body.class);
    let insns: Vec<Insn> = each(body).map(|(_, insn)| insn).collect();
    let object_method = matches!(body.name.as_str(), "toString" | "hashCode" | "equals")
        && insns
            .iter()
            .any(|insn| matches!(insn, Insn::InvokeDynamic(_)))
        && insns.len() <= 4;
    let getter = |(name, ty): &(String, String)| {
        body.name == *name && body.descriptor == format!("(){ty}") && insns.len() == 3
    };
    // `super()` takes two instructions, each field three, and one returns.
    let plain = is_canonical(body, &components) && insns.len() == 3 + 3 * components.len();
    (object_method || components.iter().any(getter) || plain).then_some("a member of a record")
}

/// Marks what javac adds to bodies that somebody wrote.
pub(super) fn mark(body: &Body<'_>, marks: &mut Marks) {
    let components = match is_record(body.class) {
        true => components(body.class),
        false => Vec::new(),
    };
    let canonical = !components.is_empty() && is_canonical(body, &components);
    for (at, insn) in each(body) {
        if let Insn::Field(Op::Putfield, _) = insn
            && let Some(field) = body.field(insn)
        {
            let name = field.name.to_str_lossy();
            if name.starts_with("this$") || name.starts_with("val$") {
                marks.compiler([at], "a captured variable");
            } else if canonical && components.iter().any(|(component, _)| *component == name) {
                marks.compiler([at], "a field of a record");
                marks.compiler(body.previous(at), "a field of a record");
            }
        }
        if body.name == "<clinit>" && body.class.access().is_enum() {
            enum_constant(body, at, marks);
        }
    }
}

/// `new E, dup, name, ordinal, …, <init>, putstatic`, and the array of all constants.
fn enum_constant(body: &Body<'_>, at: usize, marks: &mut Marks) -> Option<()> {
    const WHAT: &str = "an enum constant";
    match body.insn(at) {
        Insn::Class(Op::New, _) => {
            let (name, ordinal) = (offset(body, at, 2)?, offset(body, at, 3)?);
            if matches!(body.insn(name), Insn::Const(..)) {
                marks.compiler([ordinal], WHAT);
            }
        }
        Insn::Field(Op::Putstatic, _) => {
            let field = body.field(body.insn(at))?;
            let made = body.previous(at)?;
            let own = field.descriptor.as_bytes() == format!("L{};", body.class.name()).as_bytes();
            if own || field.name == "$VALUES" {
                marks.compiler([made], WHAT);
            }
        }
        _ => {}
    }
    Some(())
}
