//! Broken bytes are errors, never panics: truncations and random changes of real classes, read
//! to the last attribute, edited and written.

mod common;

use braid_classfile::{
    Attribute, Attributes, ClassFile, ClassTable, Code, Editor, Frames, Importer,
};
use common::{Sweep, fixtures, sweep};

/// A small generator of random numbers, the same in every run.
struct Random(u64);

impl Random {
    fn next(&mut self, below: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % below.max(1) as u64) as usize
    }
}

fn read(attributes: Attributes<'_>) {
    for raw in attributes.iter() {
        match raw.parse() {
            Ok(Attribute::Code(code)) => {
                code.instructions().for_each(|i| {
                    let _ = i.map(|i| i.operand.targets());
                });
                read(code.attributes);
            }
            Ok(Attribute::StackMapTable(table)) => table.deltas().for_each(drop),
            Ok(Attribute::Record(list)) => list.iter().for_each(|c| read(c.attributes)),
            _ => {}
        }
    }
}

/// Everything this crate can do with a class.
fn exercise(bytes: &[u8]) {
    let Ok(class) = ClassFile::parse(bytes) else {
        return;
    };
    class.pool().indices().for_each(|index| {
        let _ = class.pool().get(index);
    });
    read(class.attributes());
    class
        .fields()
        .chain(class.methods())
        .for_each(|member| read(member.attributes()));
    let table = ClassTable::new().lenient();
    for frames in [
        Frames::Keep,
        Frames::Maxs,
        Frames::Forward,
        Frames::Recompute(&table),
    ] {
        let mut editor = Editor::new(&class);
        let mut code = Code::default();
        for method in 0..class.methods().len() {
            if let Ok(true) = editor.read_code(method, &mut code) {
                code.shift_locals(1, 1);
                let _ = editor.write_code(method, &mut code, frames);
            }
        }
        if let Ok(written) = editor.finish() {
            ClassFile::parse(&written).expect("what we write can be read");
        }
    }
    import(&class);
}

fn import(class: &ClassFile<'_>) {
    let mut from = Editor::new(class);
    let mut to = Editor::new(class);
    let Ok(mut importer) = Importer::new(class) else {
        return;
    };
    let mut code = Code::default();
    for method in 0..class.methods().len() {
        if let Ok(true) = from.read_code(method, &mut code) {
            let _ = importer.code(&mut to, &mut code);
        }
    }
}

#[test]
fn truncated_classes_never_panic() {
    for bytes in fixtures() {
        for len in (0..bytes.len()).step_by(7) {
            exercise(&bytes[..len]);
        }
    }
}

#[test]
fn changed_classes_never_panic() {
    let mut random = Random(0x5eed);
    let rounds = match sweep() {
        Sweep::Small => 400,
        Sweep::Bounded => 4_000,
        Sweep::Full => 20_000,
    };
    for bytes in fixtures() {
        for _ in 0..rounds {
            let mut broken = bytes.clone();
            for _ in 0..1 + random.next(4) {
                let at = random.next(broken.len());
                broken[at] = match random.next(4) {
                    0 => 0,
                    1 => 0xff,
                    2 => broken[at].wrapping_add(1),
                    _ => random.next(256) as u8,
                };
            }
            exercise(&broken);
        }
    }
}
