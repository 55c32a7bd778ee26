//! The plans that instrumenting follows: worlds and probes; and input that is no class.

use std::borrow::Cow;
use std::sync::Arc;

use braid_classfile::ClassTable;
use braid_weave::{
    Alternative, Change, ClassChange, Passes, ProbeMap, State, Variant, World, instrument, weave,
    weave_program,
};

fn class(text: &str) -> Vec<u8> {
    braid_classfile_text::assemble(text, &ClassTable::new().lenient()).expect("a class")
}

fn counter(version: u32) -> Vec<u8> {
    class(&format!(
        "version {version}
class public super Counter extends java/lang/Object

field static count I

method public static next ()I
    getstatic Counter count I
    iconst_1
    iadd
    dup
    putstatic Counter count I
    ireturn

method public static other ()V
    return
"
    ))
}

#[test]
fn a_world_survives_encoding() {
    let mut world = World::new();
    world.add(&counter(61)).unwrap();
    let old_interface = "version 49
class public interface abstract Old extends java/lang/Object

field public static final X Ljava/lang/Object;

method static <clinit> ()V
    invokestatic java/lang/System lineSeparator ()Ljava/lang/String;
    putstatic Old X Ljava/lang/Object;
    return
";
    world.add(&class(old_interface)).unwrap();
    let again = World::decode(&world.encode()).unwrap();
    assert_eq!(again.len(), 2);
    assert_eq!(again.state("Counter"), Some(State::Resettable));
    assert!(matches!(again.state("Old"), Some(State::Not(_))));
    assert_eq!(again.state("Missing"), None);
    assert_eq!(world.not_resettable().len(), 1);
    assert_eq!(again.encode(), world.encode());
    let encoded = world.encode();
    for length in 0..encoded.len() {
        assert!(World::decode(&encoded[..length]).is_err());
    }
}

#[test]
fn probes_are_dense_and_found_again() {
    let mut probes = ProbeMap::new();
    let first = probes.add(&counter(61)).unwrap();
    assert_eq!((first.first, first.count), (0, 2));
    assert_eq!(probes.add(&counter(61)).unwrap(), first);
    let other = "version 61\nclass public super Other extends java/lang/Object\n\nmethod static f ()V\n    return\n";
    assert_eq!(probes.add(&class(other)).unwrap().first, 2);
    assert_eq!(probes.len(), 3);
    assert_eq!(probes.probe("Counter", "other", "()V"), Some(1));
    assert_eq!(probes.method(1), Some(("Counter", "other", "()V")));
    assert_eq!(probes.method(2), Some(("Other", "f", "()V")));
    assert_eq!(probes.method(3), None);
}

#[test]
fn blocks_have_probes_behind_those_of_the_methods() {
    let text = "version 61
class public super Way extends java/lang/Object

method static way (I)I
    iload 0
    ifeq L0
    iconst_1
    ireturn
  L0:
  frame locals int stack
    iconst_2
    ireturn

method static other ()V
    return
";
    let bytes = class(text);
    let mut probes = ProbeMap::with_blocks();
    let base = probes.add(&bytes).unwrap();
    assert_eq!((base.first, base.count, base.blocks), (0, 2, Some(2)));
    assert_eq!(probes.len(), 4);
    let block = |insn| probes.block("Way", "way", "(I)I", insn);
    let blocks: Vec<_> = (0..6).map(block).collect();
    assert_eq!(blocks, [0, 0, 2, 2, 3, 3].map(Some));
    assert_eq!(probes.block("Way", "other", "()V", 0), Some(1));
    let passes = Passes {
        coverage: Some(base),
        ..Passes::default()
    };
    let out = instrument(&bytes, &passes).unwrap().bytes.unwrap();
    let text = braid_classfile_text::print(&out).unwrap();
    assert_eq!(text.matches("Braid hit (I)V").count(), 4, "{text}");
}

#[test]
fn what_is_no_class_is_refused() {
    let bytes = counter(61);
    for length in 0..bytes.len() {
        assert!(instrument(&bytes[..length], &Passes::default()).is_err());
        let broken = Alternative {
            variant: 7,
            change: Change::Class(Arc::from(&bytes[..length])),
        };
        let woven = weave(&bytes, &[broken]).unwrap();
        assert_eq!(woven.unsupported.len(), 1);
        assert_eq!(woven.bytes, None);
    }
}

#[test]
fn one_broken_variant_does_not_spoil_the_others() {
    let bytes = counter(61);
    let text = braid_classfile_text::print(&bytes).unwrap();
    let patched = class(&text.replace("iconst_1", "iconst_2"));
    let variant = |number: u32, bytes: &[u8]| Variant {
        number,
        classes: vec![(
            "Counter".to_owned(),
            ClassChange::Change(Change::Class(Arc::from(bytes))),
        )],
    };
    let find = |name: &str| (name == "Counter").then(|| Cow::from(bytes.as_slice()));
    let variants = [
        variant(1, &patched),
        variant(2, &patched[..60]),
        variant(3, &bytes),
    ];
    let program = weave_program(&find, &variants).unwrap();
    let unsupported: Vec<u32> = program.unsupported.keys().copied().collect();
    assert_eq!(unsupported, [2]);
    let sites = &program.classes["Counter"].sites;
    assert_eq!(sites.len(), 1);
    assert_eq!(sites[0].alternatives, vec![(1, 0)]);
}
