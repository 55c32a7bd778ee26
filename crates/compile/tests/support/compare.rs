//! Compares what bulk gives for a patch with what compiling it alone gives.

use std::collections::HashMap;
use std::fs;

use braid_compile::{BatchOutcome, Batched, Classes, Module, PatchCompiled, PatchOutcome};

use super::{bytecode, links};

/// Panics unless both are the same to whoever uses them.
pub(crate) fn same(name: &str, module: &Module, batched: &Batched, alone: &PatchOutcome) {
    match (&batched.outcome, alone) {
        (BatchOutcome::Errors(batched), PatchOutcome::Errors(alone)) => {
            assert_eq!(batched, alone, "{name}");
        }
        (BatchOutcome::Classes(batched), PatchOutcome::Compiled(alone)) => {
            assert_eq!(batched.classes, alone.classes, "{name}");
            assert_eq!(batched.removed, alone.removed, "{name}");
            assert_eq!(batched.recompiled, alone.recompiled, "{name}");
        }
        (BatchOutcome::Copies(copies), PatchOutcome::Compiled(alone)) => {
            assert!(!copies.is_empty(), "{name}");
            for copy in copies {
                let bulk = bytecode::print(&copy.bulk, &copy.class, &copy.copy, &copy.descriptor);
                let plain =
                    bytecode::print(&alone.classes, &copy.class, &copy.method, &copy.descriptor);
                assert_eq!(bulk.replace(&copy.copy, &copy.method), plain, "{name}");
                links::check(name, module, copy);
            }
            no_other_change(name, module, copies, alone);
        }
        (batched, alone) => panic!("{name}: {batched:?}\nbut alone {alone:?}"),
    }
}

/// Checks that the patch compiled alone changes nothing but the copied methods.
fn no_other_change(
    name: &str,
    module: &Module,
    copies: &[braid_compile::MethodCopy],
    alone: &PatchCompiled,
) {
    use braid_classfile::ClassFile;
    let read = |class: &String| fs::read(module.classes.join(format!("{class}.class"))).ok();
    let before: Classes = alone
        .classes
        .keys()
        .filter_map(|c| Some((c.clone(), read(c)?)))
        .collect();
    for (class, new) in alone
        .classes
        .iter()
        .filter(|(class, _)| before.contains_key(*class))
    {
        if bytecode::is_numbered(class) {
            continue;
        }
        let (file, then) = (ClassFile::parse(new), ClassFile::parse(&before[class]));
        let (file, then) = (file.unwrap(), then.unwrap());
        assert_eq!(members(&file), members(&then), "{name}: {class} has others");
        let mut old = HashMap::new();
        for method in then.methods() {
            old.insert((method.name(), method.descriptor()), method);
        }
        for member in file.methods() {
            let before_it = old.get(&(member.name(), member.descriptor()));
            let (method, descriptor) = (
                member.name().to_str_lossy().into_owned(),
                member.descriptor().to_str_lossy(),
            );
            let copied = copies
                .iter()
                .any(|c| c.class == *class && c.method == method && c.descriptor == descriptor);
            let same = before_it.is_some_and(|old| bytecode::surely_same(member, *old));
            if copied || same || method.starts_with("lambda$") {
                continue;
            }
            let lines = |text: String| -> Vec<String> {
                let cut = |line: &str| line.split_once('\t').map_or(line, |(_, l)| l).to_owned();
                text.lines().map(cut).collect()
            };
            let now = lines(bytecode::print(&alone.classes, class, &method, &descriptor));
            let then = lines(bytecode::print(&before, class, &method, &descriptor));
            assert_eq!(now, then, "{name}: {class}.{method} changed too");
        }
    }
}

/// Flags, names and descriptors of all members, but for lambdas, whose names have numbers.
fn members(file: &braid_classfile::ClassFile<'_>) -> Vec<String> {
    let print = |member: braid_classfile::Member<'_>| {
        let (flags, name) = (member.access(), member.name());
        format!("{flags:?} {name}{}", member.descriptor())
    };
    let all = file.fields().map(print).chain(file.methods().map(print));
    let mut all: Vec<String> = all.filter(|member| !member.contains(" lambda$")).collect();
    all.sort();
    all
}

/// Panics unless both compile or both have the same errors.
pub(crate) fn same_verdict(name: &str, batched: &Batched, alone: &PatchOutcome) {
    match (&batched.outcome, alone) {
        (BatchOutcome::Errors(batched), PatchOutcome::Errors(alone)) => {
            assert_eq!(batched, alone, "{name}");
        }
        (BatchOutcome::Errors(errors), _) => panic!("{name}: {errors:?}"),
        (_, PatchOutcome::Errors(errors)) => panic!("{name} alone: {errors:?}"),
        _ => {}
    }
}
