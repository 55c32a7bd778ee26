//! The read layer on a class that javac makes here, and on broken copies of it.

mod common;

use braid_classfile::{Attribute, ClassFile, Constant, Op, Operand, OwnedClass};
use common::fixture;

#[test]
fn members_and_instructions_of_a_compiled_class_are_read() {
    let bytes = fixture("Shapes");
    let class = ClassFile::parse(&bytes).unwrap();
    assert_eq!(class.name(), "Shapes");
    assert_eq!(class.super_name().unwrap(), "java/lang/Object");
    let method = class.method("choose", "(Ljava/lang/Object;I)I").unwrap();
    let code = method.code().unwrap().unwrap();
    let ops: Vec<_> = code.instructions().map(|i| i.unwrap()).collect();
    assert!(
        ops.iter()
            .any(|i| matches!(i.operand, Operand::TableSwitch(s) if s.len() == 4))
    );
    assert!(
        ops.iter()
            .any(|i| matches!(i.operand, Operand::LookupSwitch(s) if s.len() == 2))
    );
    assert!(ops.iter().all(|i| i.op != Op::Wide));
    assert!(!code.line_numbers().unwrap().is_empty());
    assert!(!code.stack_map_table().unwrap().unwrap().is_empty());
}

#[test]
fn every_attribute_of_the_fixtures_reads() {
    let mut seen = std::collections::BTreeSet::new();
    for bytes in common::fixtures() {
        let class = OwnedClass::parse(bytes).unwrap();
        let class = class.view();
        let lists = std::iter::once(class.attributes())
            .chain(class.fields().map(|f| f.attributes()))
            .chain(class.methods().map(|m| m.attributes()));
        for attributes in lists.collect::<Vec<_>>() {
            for raw in attributes.iter() {
                seen.insert(raw.name.to_string());
                match raw.parse().unwrap() {
                    Attribute::Unknown(raw) => panic!("{} is not typed", raw.name),
                    Attribute::Code(code) => {
                        for raw in code.attributes.iter() {
                            seen.insert(raw.name.to_string());
                            assert!(!matches!(raw.parse().unwrap(), Attribute::Unknown(_)));
                        }
                    }
                    _ => {}
                }
            }
        }
        for index in class.pool().indices() {
            class.pool().get(index).unwrap();
        }
    }
    for name in [
        "Record",
        "PermittedSubclasses",
        "NestHost",
        "NestMembers",
        "BootstrapMethods",
        "RuntimeVisibleTypeAnnotations",
        "RuntimeVisibleParameterAnnotations",
        "AnnotationDefault",
        "InnerClasses",
        "EnclosingMethod",
        "Signature",
        "MethodParameters",
        "Exceptions",
        "ConstantValue",
        "LocalVariableTypeTable",
        "Deprecated",
        "RuntimeInvisibleAnnotations",
    ] {
        assert!(seen.contains(name), "fixtures lack {name}");
    }
}

#[test]
fn unpaired_surrogates_in_constants_are_kept() {
    let bytes = fixture("Shapes");
    let class = ClassFile::parse(&bytes).unwrap();
    let pool = class.pool();
    let odd = pool.indices().find_map(|i| match pool.get(i).unwrap() {
        Constant::String(text) if text.as_str().is_none() => Some(text.to_utf16()),
        _ => None,
    });
    assert_eq!(odd, Some(vec![0xd800, u16::from(b'x'), 0]));
}

#[test]
fn every_truncation_is_an_error_with_an_offset_inside() {
    let bytes = fixture("Shapes");
    for len in 0..bytes.len() {
        let error = ClassFile::parse(&bytes[..len]).unwrap_err();
        assert!(error.offset <= len, "{error}");
    }
}
