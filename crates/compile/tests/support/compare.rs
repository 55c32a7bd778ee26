//! Compares what bulk gives for a patch with what compiling it alone gives.

use std::fs;

use braid_compile::{BatchOutcome, Batched, Classes, Module, PatchCompiled, PatchOutcome};

use super::bytecode;

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
        let file = ClassFile::parse(new).unwrap();
        for method in file.methods() {
            let (method, descriptor) = (
                method.name().to_str_lossy().into_owned(),
                method.descriptor().to_str_lossy(),
            );
            let copied = copies
                .iter()
                .any(|c| c.class == *class && c.method == method && c.descriptor == descriptor);
            if copied || method.starts_with("lambda$") || bytecode::is_numbered(class) {
                continue;
            }
            let lines = |text: String| -> Vec<String> {
                let cut = |line: &str| line.split_once('\t').map_or(line, |(_, l)| l).to_owned();
                text.lines().map(cut).collect()
            };
            let now = lines(bytecode::print(&alone.classes, class, &method, &descriptor));
            let then = lines(bytecode::print(&before, class, &method, &descriptor));
            assert_eq!(
                now.len(),
                then.len(),
                "{name}: {class}.{method} changed too"
            );
        }
    }
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
