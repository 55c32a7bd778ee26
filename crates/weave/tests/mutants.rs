//! Thousands of mutants of a real library woven at once: every class verifies, and it is fast.

mod common;

use std::borrow::Cow;
use std::sync::Arc;
use std::time::Instant;

use braid_classfile::{AccessFlags, ClassFile, Code, Editor, Frames, Insn, Op};
use braid_weave::{
    Change, ClassChange, MethodKey, Passes, ProbeMap, Variant, World, instrument, weave_program,
};
use common::*;
use rayon::prelude::*;

/// Mutants of a class: an extra method for each, in one class file.
struct Bulk {
    name: String,
    bytes: Arc<[u8]>,
    copies: Vec<(MethodKey, String)>,
}

/// What a mutant has instead of an instruction.
fn mutate(insn: Insn) -> Option<Insn> {
    Some(match insn {
        Insn::Plain(op) => Insn::Plain(match op {
            Op::Iadd => Op::Isub,
            Op::Isub => Op::Iadd,
            Op::Imul => Op::Idiv,
            Op::Ladd => Op::Lsub,
            Op::Dmul => Op::Ddiv,
            Op::Iconst0 => Op::Iconst1,
            Op::Iconst1 => Op::Iconst0,
            Op::Iand => Op::Ior,
            _ => return None,
        }),
        Insn::Jump(op, label) if op.is_conditional() => Insn::Jump(op.negated()?, label),
        Insn::Iinc(local, delta) => Insn::Iinc(local, -delta),
        _ => return None,
    })
}

fn bulk(name: &str, bytes: &[u8], most: usize) -> Option<Bulk> {
    let class = ClassFile::parse(bytes).unwrap();
    let mut editor = Editor::new(&class);
    let mut copies = Vec::new();
    let mut code = Code::default();
    for (position, method) in class.methods().enumerate() {
        if !editor.read_code(position, &mut code).unwrap()
            || method.name() == "<clinit>"
            || method.name() == "<init>"
        {
            continue;
        }
        let places: Vec<usize> = (0..code.insns.len())
            .filter(|i| mutate(code.insns[*i]).is_some())
            .collect();
        for place in places.into_iter().take(40) {
            if copies.len() == most {
                break;
            }
            let mut mutant = code.clone();
            mutant.insns[place] = mutate(code.insns[place]).unwrap();
            let copy = format!("copy${}", copies.len());
            let access = AccessFlags(method.access().0 & 8).with(AccessFlags::PRIVATE);
            let added = editor
                .add_method(access, copy.as_str(), method.descriptor())
                .unwrap();
            editor.write_code(added, &mut mutant, Frames::Keep).unwrap();
            let key = MethodKey {
                name: method.name().to_string(),
                descriptor: method.descriptor().to_string(),
            };
            copies.push((key, copy));
        }
    }
    (!copies.is_empty()).then(|| Bulk {
        name: name.to_owned(),
        bytes: editor.finish().unwrap().into(),
        copies,
    })
}

fn variants(bulks: &[Bulk]) -> Vec<Variant> {
    let mut list = Vec::new();
    for bulk in bulks {
        for (method, copy) in &bulk.copies {
            let change = Change::Copy {
                class: bulk.bytes.clone(),
                method: method.clone(),
                copy: copy.clone(),
            };
            list.push(Variant {
                number: list.len() as u32 + 1,
                classes: vec![(bulk.name.clone(), ClassChange::Change(change))],
            });
        }
    }
    list
}

#[test]
fn thousands_of_mutants_of_a_library_are_woven_and_verify() {
    let jars = braid_subjects::maven(&["org.apache.commons:commons-lang3:3.14.0"]);
    let classes = jar_classes(&jars[0]);
    let bulks: Vec<Bulk> = classes
        .iter()
        .filter_map(|(name, bytes)| bulk(name, bytes, 1500))
        .collect();
    let variants = variants(&bulks);
    let find = |name: &str| classes.get(name).map(|bytes| Cow::from(bytes.as_slice()));
    let start = Instant::now();
    let program = weave_program(&find, &variants).unwrap();
    let woven = start.elapsed();
    assert!(
        program.unsupported.is_empty(),
        "{:?}",
        program.unsupported.iter().next()
    );
    let mut all = classes.clone();
    for (name, woven) in &program.classes {
        all.extend(woven.bytes.clone().map(|bytes| (name.clone(), bytes)));
    }
    let (mut world, mut probes) = (World::new(), ProbeMap::new());
    for (name, bytes) in &all {
        world.add(bytes).unwrap();
        probes.add(&classes[name]).unwrap();
    }
    let start = Instant::now();
    let out: Vec<(&str, Vec<u8>)> = all
        .par_iter()
        .map(|(name, bytes)| {
            let passes = Passes {
                fuel: true,
                reset: Some(&world),
                coverage: probes.base(name),
            };
            let out = instrument(bytes, &passes).unwrap();
            (name.as_str(), out.bytes.unwrap_or_else(|| bytes.clone()))
        })
        .collect();
    println!(
        "{} variants of {} classes woven in {woven:?}, {} classes instrumented in {:?}",
        variants.len(),
        bulks.len(),
        all.len(),
        start.elapsed()
    );
    let folder = write_classes(out.iter().map(|(n, b)| (*n, b.as_slice())));
    let names: Vec<String> = all.keys().cloned().collect();
    let worse = link_all(&names, &[folder]);
    let before = link_all(&names, &jars);
    let worse: Vec<_> = worse
        .iter()
        .filter(|(name, _)| !before.contains_key(*name))
        .collect();
    assert!(
        worse.is_empty(),
        "{} {:#?}",
        worse.len(),
        &worse[..worse.len().min(3)]
    );
    assert!(variants.len() > 8000);
}

#[test]
fn hundreds_of_alternatives_of_one_method_are_told_apart() {
    let text = "version 61
class public super Many extends java/lang/Object

method public static value (IJ)I
    iload 0
    ireturn

method public static main ([Ljava/lang/String;)V
    getstatic java/lang/System out Ljava/io/PrintStream;
    bipush 7
    lconst_0
    invokestatic Many value (IJ)I
    invokevirtual java/io/PrintStream println (I)V
    return
";
    let bytes = braid_classfile_text::assemble(text, &braid_classfile::ClassTable::new()).unwrap();
    let class = ClassFile::parse(&bytes).unwrap();
    let mut editor = Editor::new(&class);
    let key = MethodKey {
        name: "value".to_owned(),
        descriptor: "(IJ)I".to_owned(),
    };
    let mut copies = Vec::new();
    for number in 0..900i16 {
        let copy = format!("copy${number}");
        let access = AccessFlags::PRIVATE.with(AccessFlags::STATIC);
        let added = editor.add_method(access, copy.as_str(), "(IJ)I").unwrap();
        let mut code = Code::default();
        // Every third is the same.
        let value = if number % 3 == 0 { 5000 } else { number };
        code.insns = vec![Insn::Push(value), Insn::Plain(Op::Ireturn)];
        editor.write_code(added, &mut code, Frames::Maxs).unwrap();
        copies.push((key.clone(), copy));
    }
    let bulks = [Bulk {
        name: "Many".to_owned(),
        bytes: editor.finish().unwrap().into(),
        copies,
    }];
    let mut variants = variants(&bulks);
    // Some other variant's number lies among them.
    variants.remove(449);
    let find = |name: &str| (name == "Many").then(|| Cow::from(bytes.as_slice()));
    let program = weave_program(&find, &variants).unwrap();
    let woven = program.classes["Many"].bytes.clone().unwrap();
    let folder = write_classes([("Many", woven.as_slice())]);
    let numbers = [0, 1, 2, 200, 201, 202, 450, 451, 900, 901, 5000];
    let found = run_warm(&[folder], "Many", &numbers).concat();
    let expected = [7, 5000, 1, 199, 200, 5000, 7, 5000, 899, 7, 7];
    let expected: String = expected.iter().map(|n| format!("{n}\n")).collect();
    assert_eq!(found, expected);
}

/// The class with one mutant's code in the place of the method's: the bulk class, whose constants
/// the code refers to, without its copies.
fn patched(bytes: &[u8], bulk: &Bulk, number: usize) -> Vec<u8> {
    let originals = ClassFile::parse(bytes).unwrap().methods().len();
    let class = ClassFile::parse(&bulk.bytes).unwrap();
    let (key, copy) = &bulk.copies[number];
    let position = |name: &str| {
        class
            .methods()
            .position(|m| m.name() == name && m.descriptor() == key.descriptor.as_str())
            .unwrap()
    };
    let mut editor = Editor::new(&class);
    let mut code = Code::default();
    editor.read_code(position(copy), &mut code).unwrap();
    editor
        .write_code(position(&key.name), &mut code, Frames::Keep)
        .unwrap();
    for extra in originals..class.methods().len() {
        editor.remove_method(extra).unwrap();
    }
    editor.finish().unwrap()
}

#[test]
fn mutants_of_a_library_behave_as_the_patched_class_does() {
    let jars = braid_subjects::maven(&["org.apache.commons:commons-lang3:3.14.0"]);
    let classes = jar_classes(&jars[0]);
    let sweep = std::env::var_os("BRAID_SWEEP").is_some_and(|value| value != "0");
    let every = if sweep { 1 } else { 4 };
    for (name, step) in [
        ("org/apache/commons/lang3/math/NumberUtils", 3 * every),
        ("org/apache/commons/lang3/StringUtils", 10 * every),
    ] {
        let bytes = &classes[name];
        let bulks = [bulk(name, bytes, 1500).unwrap()];
        let all = variants(&bulks);
        let find = |class: &str| (class == name).then(|| Cow::from(bytes.as_slice()));
        let program = weave_program(&find, &all).unwrap();
        let woven = program.classes[name].bytes.clone().unwrap();
        let passes = Passes {
            fuel: true,
            ..Passes::default()
        };
        let with_fuel = |bytes: &[u8]| instrument(bytes, &passes).unwrap().bytes.unwrap();
        let woven = write_classes([(name, with_fuel(&woven).as_slice())]);
        let folder = new_folder();
        for number in (0..all.len()).step_by(step) {
            let bytes = with_fuel(&patched(bytes, &bulks[0], number));
            let path = folder.join(format!("{}/{name}.class", number + 1));
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, bytes).unwrap();
        }
        let output = run_compare(&name.replace('/', "."), &woven, &jars[0], &folder);
        println!("{name}: {output}");
        assert!(output.trim().ends_with(" 0 differing"), "{output}");
    }
}
