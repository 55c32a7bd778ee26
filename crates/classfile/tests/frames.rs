//! Frames computed from nothing against the frames that javac wrote.
//!
//! Wherever we have a frame javac must have one too, and each of our types must be assignable to
//! javac's under the verifier's rules. (Javac also has a few frames where nothing jumps to, after
//! conditions that are constant, and reserves slots for variables that are never used.) Ours may
//! be more precise: javac
//! writes the declared type of a variable and forgets variables that are out of scope; the data
//! flow knows what is there. That is harmless: the verifier demands that the state at a jump is
//! assignable to the frame and then goes on from the frame, so a more precise frame accepts only
//! what really arrives there (it was computed from it) and allows every later use that javac's
//! allowed, since a subtype can be used wherever its supertype can. The other way round is
//! accepted in one case only: javac says an interface and we say `Object`. The verifier treats
//! interfaces as `Object` (JVMS 4.10.1.2), so both frames admit the same uses.

mod common;

use std::collections::BTreeMap;

use braid_classfile::{
    ClassFile, ClassTable, Code, Editor, Frames, Hierarchy, JStr, Superclass, TypeKind, VType,
};
use common::{LIBRARIES, Sweep, hierarchy, jar_classes, jdk_classes, sweep};
use rayon::prelude::*;

/// A frame with names in the place of numbers.
type Named = (Vec<String>, Vec<String>);

/// The frames of a method by code position (number of real instructions before it).
fn frames(editor: &mut Editor<'_>, method: usize, code: &mut Code) -> BTreeMap<usize, Named> {
    editor.read_code(method, code).expect("readable");
    let mut real = 0;
    let mut places = vec![0; code.label_count() as usize];
    for insn in &code.insns {
        match insn {
            braid_classfile::Insn::Label(label) => places[label.0 as usize] = real,
            _ => real += 1,
        }
    }
    let name = |ty: &VType| match ty.kind() {
        TypeKind::Object(id) => editor.types().name(id).to_string(),
        TypeKind::Uninitialized(label) => format!("new {}", places[label.0 as usize]),
        other => format!("{other:?}"),
    };
    let named = |types: &[VType]| types.iter().map(name).collect::<Vec<_>>();
    let frame = |f: braid_classfile::FrameRef<'_>| {
        (
            places[f.label.0 as usize],
            (named(f.locals), named(f.stack)),
        )
    };
    code.frames.iter().map(frame).collect()
}

/// Whether a value of type `from` may be where a frame says `to`, by the verifier's rules.
fn assignable(from: &str, to: &str, table: &ClassTable) -> bool {
    if from == to || to == "Top" {
        return true;
    }
    let reference = |name: &str| {
        ![
            "Top",
            "Integer",
            "Float",
            "Long",
            "Double",
            "UninitializedThis",
        ]
        .contains(&name)
            && !name.starts_with("new ")
    };
    if !reference(from) || !reference(to) || to == "Null" {
        return false;
    }
    if from == "Null" || to == "java/lang/Object" {
        return true;
    }
    if let (Some(a), Some(b)) = (from.strip_prefix('['), to.strip_prefix('[')) {
        let inner = |text: &str| match text.strip_prefix('L') {
            Some(name) => name.trim_end_matches(';').to_owned(),
            None => text.to_owned(),
        };
        let primitive = |text: &str| text.len() == 1;
        return !primitive(a) && !primitive(b) && assignable(&inner(a), &inner(b), table);
    }
    if to.starts_with('[') {
        return false;
    }
    if table.superclass(JStr::from(to)) == Superclass::Interface {
        return true;
    }
    let mut class = JStr::from(from);
    while let Superclass::Class(parent) = table.superclass(class) {
        if parent == to {
            return true;
        }
        class = parent;
    }
    false
}

#[derive(Default, Clone, Copy, Debug)]
struct Counts {
    frames: usize,
    types: usize,
    equal: usize,
    /// Frames of javac at places that nothing jumps to.
    unneeded: usize,
}

fn compare(ours: &Named, javac: &Named, table: &ClassTable, counts: &mut Counts) -> bool {
    let top = "Top".to_owned();
    let locals = ours.0.len().max(javac.0.len());
    let pairs = (0..locals).map(|i| {
        (
            ours.0.get(i).unwrap_or(&top),
            javac.0.get(i).unwrap_or(&top),
        )
    });
    let stacks = ours.1.iter().zip(&javac.1);
    counts.frames += 1;
    ours.1.len() == javac.1.len()
        && pairs.chain(stacks).all(|(ours, javac)| {
            counts.types += 1;
            counts.equal += usize::from(ours == javac);
            assignable(ours, javac, table)
        })
}

fn check_class(name: &str, bytes: &[u8], table: &ClassTable) -> Counts {
    let mut counts = Counts::default();
    let class = ClassFile::parse(bytes).expect("a class");
    if class.major_version() < 50 {
        return counts;
    }
    let mut editor = Editor::new(&class);
    let mut code = Code::default();
    for method in 0..class.methods().len() {
        if editor.read_code(method, &mut code).expect("readable") {
            editor
                .write_code(method, &mut code, Frames::Recompute(table))
                .unwrap_or_else(|error| panic!("{name}: {error}"));
        }
    }
    let written = editor.finish().expect("written");
    let again = ClassFile::parse(&written).expect("our own class");
    let (mut old, mut new) = (Editor::new(&class), Editor::new(&again));
    for (method, member) in class.methods().enumerate() {
        if member.code().expect("readable").is_none() {
            continue;
        }
        let javac = frames(&mut old, method, &mut code);
        let depth = (code.max_stack, code.max_locals);
        let ours = frames(&mut new, method, &mut code);
        let what = || format!("{member:?}\nours  {ours:#?}\njavac {javac:#?}");
        assert_eq!(depth.0, code.max_stack, "{}", what());
        assert!(depth.1 >= code.max_locals, "{}", what());
        assert!(
            ours.keys().all(|place| javac.contains_key(place)),
            "{}",
            what()
        );
        counts.unneeded += javac.len() - ours.len();
        for (place, frame) in &ours {
            let same = compare(frame, &javac[place], table, &mut counts);
            assert!(same, "at {place} of {}", what());
        }
    }
    counts
}

fn check(what: &str, classes: &[(String, Vec<u8>)], table: &ClassTable) {
    let sum = |a: Counts, b: Counts| Counts {
        frames: a.frames + b.frames,
        types: a.types + b.types,
        equal: a.equal + b.equal,
        unneeded: a.unneeded + b.unneeded,
    };
    let counts = classes
        .par_iter()
        .map(|(name, bytes)| check_class(name, bytes, table))
        .reduce(Counts::default, sum);
    println!("{what}: {counts:?}");
    assert!(
        counts.equal * 100 >= counts.types * 85,
        "{what}: {counts:?}"
    );
}

#[test]
fn frames_of_jdk_classes_are_those_of_javac() {
    let table = hierarchy(&[]);
    let classes: Vec<_> = jdk_classes(&braid_subjects::jdk(), sweep())
        .into_iter()
        .map(|(_, name, bytes)| (name, bytes))
        .collect();
    check("JDK", &classes, &table);
}

#[test]
fn frames_of_libraries_are_those_of_javac() {
    // Compiled by javac alone, and complete: a missing interface would pass for a class.
    let mut coordinates = vec![LIBRARIES[0]];
    if sweep() > Sweep::Small {
        let others = ["guava:guava", "gson:gson", "commons-io"];
        let is_other = |library: &&str| others.iter().any(|name| library.contains(name));
        coordinates.extend(LIBRARIES.iter().copied().filter(is_other));
    }
    let jars = braid_subjects::maven(&coordinates);
    let table = hierarchy(&jars);
    for jar in &jars {
        let name = jar.file_name().expect("a name").to_string_lossy();
        check(&name, &jar_classes(jar), &table);
    }
}
