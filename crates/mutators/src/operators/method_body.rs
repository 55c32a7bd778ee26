//! Whole method bodies removed, as Descartes does (extreme mutation).

use braid_classfile::{FieldType, Insn, Op, PrimitiveType};

use crate::body::Body;
use crate::kind::Kind;
use crate::operator::{Edit, Example, Operator, Proposals, Propose, Step};
use crate::returns::{boolean_value, empty_value};

pub(crate) static OPERATOR: Operator = Operator {
    id: "method-body",
    pit: &[],
    summary: "replaces a method's body by nothing or by the return of a constant",
    example: Example {
        before: "static int f(int a) { return a * a + 1; }",
        after: "static int f(int a) { return 0; }",
    },
    propose: Propose::Method(propose),
};

fn propose(body: &Body<'_>, out: &mut Proposals) {
    let Some(first) = body.real_from(0).filter(|_| !body.name.starts_with('<')) else {
        return;
    };
    let Some(ty) = body.return_type() else {
        let edit = Edit::Body(vec![Op::Return.into()]);
        out.edit(first, edit, "", "removed the body of the method");
        return;
    };
    let kind = Kind::of(ty);
    for (mut steps, text) in values(ty) {
        steps.push(kind.variant_of(Op::Ireturn).into());
        let description = format!("replaced the body of the method by return {text}");
        out.edit(first, Edit::Body(steps), text, description);
    }
}

/// What a method of this type returns instead.
fn values(ty: FieldType<'_>) -> Vec<(Vec<Step>, &'static str)> {
    match ty {
        FieldType::Boolean => vec![(vec![Step::Int(1)], "true"), (vec![Step::Int(0)], "false")],
        FieldType::Long => vec![(vec![Step::Long(0)], "0L"), (vec![Step::Long(1)], "1L")],
        FieldType::Float => vec![
            (vec![Step::Float(0.0)], "0f"),
            (vec![Step::Float(1.0)], "1f"),
        ],
        FieldType::Double => vec![
            (vec![Step::Double(0.0)], "0d"),
            (vec![Step::Double(1.0)], "1d"),
        ],
        FieldType::Array(descriptor) => match array(&descriptor.to_str_lossy()) {
            Some(make) => vec![
                (null(), "null"),
                (vec![Step::Int(0), make], "an empty array"),
            ],
            None => vec![(null(), "null")],
        },
        FieldType::Object(name) if name == "java/lang/String" => vec![
            (vec![Step::Text("")], "\"\""),
            (vec![Step::Text("A")], "\"A\""),
        ],
        FieldType::Object(_) => {
            let booleans = [true, false]
                .into_iter()
                .filter_map(|b| boolean_value(ty, b));
            let others = empty_value(ty).into_iter().chain(booleans);
            let nothing = (null(), "null");
            others.map(|v| (v.steps, v.text)).chain([nothing]).collect()
        }
        _ => vec![(vec![Step::Int(0)], "0"), (vec![Step::Int(1)], "1")],
    }
}

fn null() -> Vec<Step> {
    vec![Step::Null]
}

/// The instruction that makes an array of this descriptor.
fn array(descriptor: &str) -> Option<Step> {
    let element = descriptor.strip_prefix('[')?;
    let primitive = match element {
        "Z" => PrimitiveType::Boolean,
        "C" => PrimitiveType::Char,
        "F" => PrimitiveType::Float,
        "D" => PrimitiveType::Double,
        "B" => PrimitiveType::Byte,
        "S" => PrimitiveType::Short,
        "I" => PrimitiveType::Int,
        "J" => PrimitiveType::Long,
        _ => {
            let class = element.strip_prefix('L').and_then(|e| e.strip_suffix(';'));
            return Some(Step::NewArray(class.unwrap_or(element).to_owned()));
        }
    };
    Some(Step::Insn(Insn::NewArray(primitive)))
}
