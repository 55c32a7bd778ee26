//! Reads whatever can be read of a class. Run with `cargo +nightly fuzz run parse CORPUS`, where
//! the corpus is a folder of class files.

#![no_main]

use braid_classfile::{Attribute, Attributes, ClassFile};
use libfuzzer_sys::fuzz_target;

fn read(attributes: Attributes<'_>) {
    for raw in attributes.iter() {
        match raw.parse() {
            Ok(Attribute::Code(code)) => {
                code.instructions().for_each(|instruction| {
                    let _ = instruction.map(|instruction| instruction.operand.targets());
                });
                let _ = (code.line_numbers(), code.local_variables());
                read(code.attributes);
            }
            Ok(Attribute::StackMapTable(table)) => {
                table.frames(Vec::new()).for_each(drop);
            }
            Ok(Attribute::Record(list)) => list.iter().for_each(|part| read(part.attributes)),
            _ => {}
        }
    }
}

fuzz_target!(|bytes: &[u8]| {
    let Ok(class) = ClassFile::parse(bytes) else {
        return;
    };
    let _ = (class.name(), class.super_name(), class.interfaces().count());
    for index in 0..=class.pool().count() {
        let _ = class.pool().get(index);
    }
    read(class.attributes());
    for member in class.fields().chain(class.methods()) {
        let _ = (member.name().to_utf16(), member.descriptor().to_str_lossy());
        read(member.attributes());
    }
});
