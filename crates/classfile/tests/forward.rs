//! Insertion without a hierarchy: a branch before every instruction, its frames simulated forward
//! from the frames the compiler wrote, verified by HotSpot.

mod common;

use braid_classfile::{ClassFile, Code, Editor, ErrorKind, Frames, Insn, Op, Result};
use common::stress::counter_class;
use common::{Sweep, hotspot, jar_classes, libraries, sweep};
use rayon::prelude::*;

/// `if (Counter.n != 0) { nop; }` before every instruction.
fn insert_branches(bytes: &[u8]) -> Result<Vec<u8>> {
    let class = ClassFile::parse(bytes)?;
    let mut editor = Editor::new(&class);
    let field = editor.pool_mut().field("braid/Counter", "n", "I")?;
    let mut code = Code::default();
    for method in 0..class.methods().len() {
        if !editor.read_code(method, &mut code)? {
            continue;
        }
        let old = std::mem::take(&mut code.insns);
        for insn in old {
            if insn.is_real() {
                let next = code.new_label();
                code.insns.extend([
                    Insn::Field(Op::Getstatic, field),
                    Insn::Jump(Op::Ifeq, next),
                    Insn::Plain(Op::Nop),
                    Insn::Label(next),
                ]);
            }
            code.insns.push(insn);
        }
        match editor.write_code(method, &mut code, Frames::Forward) {
            Err(error) if matches!(error.kind, ErrorKind::CodeSize { .. }) => {}
            other => other?,
        }
    }
    editor.finish()
}

#[test]
fn branches_before_every_instruction_verify_without_a_hierarchy() {
    let jars = libraries();
    let jars = match sweep() {
        Sweep::Full => &jars[..],
        _ => &jars[..1],
    };
    let folder = tempfile::tempdir().unwrap();
    for jar in jars {
        let classes = jar_classes(jar);
        let to = folder.path().join("classes");
        let _ = std::fs::remove_dir_all(&to);
        std::fs::create_dir_all(to.join("braid")).unwrap();
        std::fs::write(
            to.join("braid/Counter.class"),
            counter_class("braid/Counter"),
        )
        .unwrap();
        classes.par_iter().for_each(|(name, bytes)| {
            let edited = insert_branches(bytes).unwrap_or_else(|e| panic!("{name}: {e}"));
            let path = to.join(format!("{name}.class"));
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, edited).unwrap();
        });
        let names: Vec<String> = classes.into_iter().map(|(name, _)| name).collect();
        let before = hotspot::link_all(folder.path(), &names, &[], std::slice::from_ref(jar));
        let after = hotspot::link_all(folder.path(), &names, &[], &[to]);
        let worse: Vec<_> = after
            .iter()
            .filter(|(name, _)| !before.contains_key(*name))
            .collect();
        println!("{}: {} classes", jar.display(), names.len());
        assert!(
            worse.is_empty(),
            "{}: {:#?}",
            worse.len(),
            &worse[..worse.len().min(5)]
        );
    }
}
