//! A method that leaves no room for a switch moves into a companion, and its alternatives run as patched.

mod common;

use std::borrow::Cow;
use std::sync::Arc;

use braid_classfile::{ClassFile, ClassTable};
use braid_weave::{Change, ClassChange, Passes, Variant, World, instrument, weave_program};
use common::*;

/// So many instructions of three bytes that only a few more bytes fit into the method.
const STEPS: usize = 21_840;

/// A class whose method adds one in each of many steps, and `last` in the last.
fn class(last: usize) -> Vec<u8> {
    let steps = "    iinc 0 1\n".repeat(STEPS - 1);
    let text = format!(
        "version 61
class public super Large extends java/lang/Object

method public static value (I)I
{steps}    iinc 0 {last}
    iload 0
    ireturn

method public static main ([Ljava/lang/String;)V
    getstatic java/lang/System out Ljava/io/PrintStream;
    bipush 7
    invokestatic Large value (I)I
    invokevirtual java/io/PrintStream println (I)V
    return
"
    );
    braid_classfile_text::assemble(&text, &ClassTable::new()).unwrap()
}

#[test]
fn a_method_near_the_limit_runs_as_patched() {
    let original = class(1);
    let variants: Vec<Variant> = (1..=40)
        .map(|number| Variant {
            number,
            classes: vec![(
                "Large".to_owned(),
                ClassChange::Change(Change::Class(Arc::from(class(number as usize + 1)))),
            )],
        })
        .collect();
    let find = |name: &str| (name == "Large").then(|| Cow::from(original.as_slice()));
    let program = weave_program(&find, &variants).unwrap();
    assert!(program.unsupported.is_empty(), "{:?}", program.unsupported);
    let woven = program.classes["Large"].bytes.clone().unwrap();
    let parsed = ClassFile::parse(&woven).unwrap();
    let value = parsed.method("value", "(I)I").unwrap().code().unwrap();
    assert!(value.unwrap().bytes.len() < 2000, "the original moved out");
    let mut world = World::new();
    world.add(&woven).unwrap();
    let passes = Passes {
        fuel: true,
        reset: Some(&world),
        coverage: None,
    };
    let ready = instrument(&woven, &passes).unwrap().bytes.unwrap_or(woven);
    let folder = write_classes([("Large", ready.as_slice())]);
    let found = run_warm(&[folder], "Large", &[0, 1, 40, 41]).concat();
    let expected = [0, 1, 40, 0].map(|more| format!("{}\n", 7 + STEPS + more));
    assert_eq!(found, expected.concat());
}
