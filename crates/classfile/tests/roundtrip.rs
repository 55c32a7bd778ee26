//! Every class of every JDK here and of popular jars: parsed to the last attribute, written back
//! byte for byte; and through the code model, which must lose nothing either.

mod common;

use braid_classfile::{Attribute, Attributes, ClassFile, Code, Editor, Frames, Result};
use common::{Sweep, jar_classes, jdk_classes, libraries, sweep};
use rayon::prelude::*;

/// Reads every attribute, code included; returns how many were not typed.
fn read_attributes(attributes: Attributes<'_>) -> Result<usize> {
    let mut unknown = 0;
    for raw in attributes.iter() {
        match raw.parse()? {
            Attribute::Unknown(_) => unknown += 1,
            Attribute::Code(code) => {
                for instruction in code.instructions() {
                    instruction?;
                }
                unknown += read_attributes(code.attributes)?;
            }
            Attribute::StackMapTable(table) => {
                for delta in table.deltas() {
                    delta?;
                }
            }
            Attribute::Record(components) => {
                for component in components {
                    unknown += read_attributes(component.attributes)?;
                }
            }
            _ => {}
        }
    }
    Ok(unknown)
}

fn read_everything(class: &ClassFile<'_>) -> Result<usize> {
    for index in class.pool().indices() {
        class.pool().get(index)?;
    }
    let mut unknown = read_attributes(class.attributes())?;
    for member in class.fields().chain(class.methods()) {
        unknown += read_attributes(member.attributes())?;
    }
    Ok(unknown)
}

/// Every method to the code model and back.
fn through_the_model(class: &ClassFile<'_>) -> Result<Vec<u8>> {
    let mut editor = Editor::new(class);
    let mut code = Code::default();
    for method in 0..class.methods().len() {
        if editor.read_code(method, &mut code)? {
            editor.write_code(method, &mut code, Frames::Keep)?;
        }
    }
    editor.finish()
}

/// True if both classes have the same code models (their encodings may differ).
fn same_models(a: &ClassFile<'_>, b: &ClassFile<'_>) -> Result<bool> {
    let (mut first, mut second) = (Editor::new(a), Editor::new(b));
    let (mut x, mut y) = (Code::default(), Code::default());
    for method in 0..a.methods().len() {
        let (has, had) = (
            first.read_code(method, &mut x)?,
            second.read_code(method, &mut y)?,
        );
        if has != had || (has && x != y) {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Whether the class is identical through the model, and its number of untyped attributes.
fn check_class(name: &str, bytes: &[u8]) -> Result<(usize, usize)> {
    let class = ClassFile::parse(bytes)?;
    let unknown = read_everything(&class)?;
    assert_eq!(Editor::new(&class).finish()?, *bytes, "{name}");
    let written = through_the_model(&class)?;
    let same = written == *bytes;
    assert!(
        same || same_models(&class, &ClassFile::parse(&written)?)?,
        "{name}"
    );
    Ok((usize::from(same), unknown))
}

fn check(what: &str, classes: &[(String, Vec<u8>)]) {
    let counts: Vec<(usize, usize)> = classes
        .par_iter()
        .map(|(name, bytes)| {
            check_class(name, bytes).unwrap_or_else(|error| panic!("{name}: {error}"))
        })
        .collect();
    let identical: usize = counts.iter().map(|(same, _)| same).sum();
    let unknown: usize = counts.iter().map(|(_, unknown)| unknown).sum();
    println!(
        "{what}: {} classes, {identical} identical through the model, {unknown} attributes unknown",
        classes.len()
    );
}

#[test]
fn jdk_classes_are_written_byte_for_byte() {
    // Fast enough to look at all in every sweep.
    let sweep = match sweep() {
        Sweep::Small => Sweep::Small,
        _ => Sweep::Full,
    };
    for jdk in braid_subjects::jdks() {
        if !jdk.join("lib/modules").is_file() {
            continue;
        }
        let classes: Vec<_> = jdk_classes(&jdk, sweep)
            .into_iter()
            .map(|(_, name, bytes)| (name, bytes))
            .collect();
        check(&jdk.display().to_string(), &classes);
    }
}

#[test]
fn library_classes_are_written_byte_for_byte() {
    for jar in libraries() {
        check(
            &jar.file_name().unwrap().to_string_lossy(),
            &jar_classes(&jar),
        );
    }
}
