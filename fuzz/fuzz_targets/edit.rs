//! Reads, edits and writes a class in every mode; what is written must be readable. Run with
//! `cargo +nightly fuzz run edit CORPUS`, where the corpus is a folder of class files.

#![no_main]

use braid_classfile::{ClassFile, ClassTable, Code, Editor, Frames, Importer, Insn, Op};
use libfuzzer_sys::fuzz_target;

fn edit(code: &mut Code) {
    code.shift_locals(1, 1);
    code.rewrite(|insn, out| {
        if insn.is_real() {
            out.extend([Insn::Plain(Op::Nop), Insn::Plain(Op::Nop)]);
        }
        out.push(insn);
    });
    let len = code.insns.len();
    code.remove(len / 2..len / 2 + usize::from(len > 4));
}

fuzz_target!(|bytes: &[u8]| {
    let Ok(class) = ClassFile::parse(bytes) else {
        return;
    };
    assert_eq!(Editor::new(&class).finish().as_deref(), Ok(bytes));
    let table = ClassTable::new().lenient();
    let mut code = Code::default();
    for frames in [Frames::Keep, Frames::Maxs, Frames::Forward, Frames::Recompute(&table)] {
        let mut editor = Editor::new(&class);
        for method in 0..class.methods().len() {
            if let Ok(true) = editor.read_code(method, &mut code) {
                edit(&mut code);
                let _ = editor.write_code(method, &mut code, frames);
            }
        }
        if let Ok(written) = editor.finish() {
            ClassFile::parse(&written).expect("what we write can be read");
        }
    }
    let (mut from, mut to) = (Editor::new(&class), Editor::new(&class));
    if let Ok(mut importer) = Importer::new(&class) {
        for method in 0..class.methods().len() {
            if let Ok(true) = from.read_code(method, &mut code) {
                let _ = importer.code(&mut to, &mut code);
            }
        }
    }
});
