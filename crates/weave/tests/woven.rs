//! Woven programs in real JVMs: with a variant active, they print what the patched program prints.

mod common;

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use braid_classfile::{AccessFlags, ClassFile, Editor};
use braid_subjects::classes_in;
use braid_weave::{
    Alternative, Change, ClassChange, Passes, ProbeMap, State, Variant, World, WovenProgram,
    instrument, plain, weave, weave_program,
};
use common::*;

/// The text of a fixture as a variant has it: lines may end in `//@N code`.
fn patched(text: &str, variant: u32) -> String {
    let mut out = String::new();
    for line in text.lines() {
        let mut parts = line.split("//@");
        let original = parts.next().unwrap_or("");
        let replaced = parts.find_map(|part| {
            let (number, code) = part.split_once(' ').unwrap_or((part, ""));
            (number.trim().parse() == Ok(variant)).then_some(code)
        });
        out.push_str(replaced.unwrap_or(original));
        out.push('\n');
    }
    out
}

/// The numbers of the variants in a fixture.
fn variants_of(text: &str) -> Vec<u32> {
    let marks = text.split("//@").skip(1);
    let mut numbers: Vec<u32> = marks
        .filter_map(|mark| mark.split_whitespace().next()?.parse().ok())
        .collect();
    numbers.sort_unstable();
    numbers.dedup();
    numbers
}

struct Fixture {
    name: String,
    text: String,
    /// Variant numbers, 0 first.
    numbers: Vec<u32>,
    folders: Vec<PathBuf>,
}

fn fixture(name: &str) -> Fixture {
    let text = std::fs::read_to_string(fixtures("variants").join(format!("{name}.java"))).unwrap();
    let mut numbers = vec![0];
    numbers.extend(variants_of(&text));
    let folder = new_folder();
    let mut sets = Vec::new();
    for number in &numbers {
        let source = folder.join(format!("src{number}"));
        std::fs::create_dir_all(&source).unwrap();
        std::fs::write(source.join(format!("{name}.java")), patched(&text, *number)).unwrap();
        sets.push((source, folder.join(format!("out{number}"))));
    }
    compile_all(&sets);
    Fixture {
        name: name.to_owned(),
        text,
        numbers,
        folders: sets.into_iter().map(|(_, to)| to).collect(),
    }
}

/// How the parts of a variant are given.
#[derive(Clone, Copy, PartialEq)]
enum Road {
    /// As the class files of the patched program.
    Classes,
    /// As an extra method of another class file, where one method of one class differs.
    Copies,
}

/// The class with one method under another name, as a copy of it.
fn as_copy(original: &[u8], patched: &[u8]) -> Option<Change> {
    let woven = weave(
        original,
        &[Alternative {
            variant: 1,
            change: Change::Class(Arc::from(patched)),
        }],
    );
    let [site] = &woven.unwrap().sites[..] else {
        return None;
    };
    let method = site.method.clone();
    let class = ClassFile::parse(patched).unwrap();
    let position = class.methods().position(|m| {
        m.name() == method.name.as_str() && m.descriptor() == method.descriptor.as_str()
    })?;
    if method.name.starts_with('<') || class.access().is_interface() {
        return None;
    }
    let mut editor = Editor::new(&class);
    editor.rename_method(position, "copy$of$it").unwrap();
    let access = AccessFlags(class.method_at(position)?.access().0 & 8).with(AccessFlags::PRIVATE);
    editor.set_method_access(position, access).unwrap();
    Some(Change::Copy {
        class: Arc::from(editor.finish().unwrap()),
        method,
        copy: "copy$of$it".to_owned(),
    })
}

impl Fixture {
    fn weave(&self, road: Road) -> (WovenProgram, BTreeMap<String, Vec<u8>>) {
        let originals = classes_in(&self.folders[0]);
        let variants: Vec<Variant> = self.numbers[1..]
            .iter()
            .zip(&self.folders[1..])
            .map(|(number, folder)| {
                let classes = classes_in(folder);
                let gone = originals.keys().filter(|name| !classes.contains_key(*name));
                let gone: Vec<_> = gone.map(|n| (n.clone(), ClassChange::Remove)).collect();
                let change = |(name, bytes): (String, Vec<u8>)| {
                    let copy = match originals.get(&name) {
                        Some(original) if road == Road::Copies => as_copy(original, &bytes),
                        _ => None,
                    };
                    let change = copy.unwrap_or_else(|| Change::Class(Arc::from(bytes)));
                    (name, ClassChange::Change(change))
                };
                let classes = classes.into_iter().map(change);
                Variant {
                    number: *number,
                    classes: classes.chain(gone).collect(),
                }
            })
            .collect();
        let find = |name: &str| originals.get(name).map(|bytes| Cow::from(bytes.as_slice()));
        let program = weave_program(&find, &variants).unwrap();
        let mut classes = originals.clone();
        for (name, woven) in &program.classes {
            if let Some(bytes) = &woven.bytes {
                classes.insert(name.clone(), bytes.clone());
            }
        }
        for (name, added) in &program.added {
            classes.insert(name.clone(), added.bytes.to_vec());
        }
        (program, classes)
    }

    /// Weaves, instruments and runs every variant that could be woven, and compares with the
    /// patched program run plainly.
    fn check(&self, road: Road) -> WovenProgram {
        let (program, classes) = self.weave(road);
        let mut world = World::new();
        let mut probes = ProbeMap::new();
        classes.values().for_each(|bytes| world.add(bytes).unwrap());
        classes_in(&self.folders[0]).values().for_each(|bytes| {
            probes.add(bytes).unwrap();
        });
        for (name, woven) in &program.classes {
            if !woven.needs_reset.is_empty() {
                assert_eq!(world.state(name), Some(State::Resettable), "{name}");
            }
        }
        let instrumented: BTreeMap<&str, Vec<u8>> = classes
            .iter()
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
        let folder = write_classes(instrumented.iter().map(|(n, b)| (*n, b.as_slice())));
        let kept: Vec<usize> = (0..self.numbers.len())
            .filter(|i| !program.unsupported.contains_key(&self.numbers[*i]))
            .collect();
        let plain: Vec<_> = kept
            .iter()
            .map(|i| (self.folders[*i].clone(), self.name.clone()))
            .collect();
        let expected = run_plainly(&plain);
        let numbers: Vec<u32> = kept.iter().map(|i| self.numbers[*i]).collect();
        let found = run_warm(&[folder], &self.name, &numbers);
        for ((number, expected), found) in numbers.iter().zip(&expected).zip(&found) {
            assert_eq!(expected, found, "{} with variant {number}", self.name);
        }
        assert_eq!(expected.len(), found.len());
        program
    }
}

impl Fixture {
    /// Puts copies of methods into their classes without weaving, where the program has the same classes as before, and
    /// compares with the patched program.
    fn check_plain(&self) {
        let originals = classes_in(&self.folders[0]);
        let mut copied = 0;
        let mut program_of = |folder: &PathBuf| {
            let mut classes = classes_in(folder);
            let adds = !classes.keys().eq(originals.keys());
            for (name, bytes) in classes.iter_mut().filter(|_| !adds) {
                let original = originals.get(name);
                let copy =
                    original.and_then(|original| Some((original, as_copy(original, bytes)?)));
                if let Some((original, change)) = copy {
                    *bytes = plain(original, &[&change]).unwrap().expect("a copy");
                    copied += 1;
                }
            }
            write_classes(classes.iter().map(|(n, b)| (n.as_str(), b.as_slice())))
        };
        let named = |folder: PathBuf| (folder, self.name.clone());
        let found: Vec<_> = self.folders.iter().map(|f| named(program_of(f))).collect();
        let expected: Vec<_> = self.folders.iter().cloned().map(named).collect();
        assert_eq!(run_plainly(&expected), run_plainly(&found));
        assert!(copied > 5, "{copied}");
    }
}

#[test]
fn changed_control_flow_runs_as_patched() {
    let fixture = fixture("Control");
    fixture.check_plain();
    fixture.check(Road::Copies);
    let program = fixture.check(Road::Classes);
    assert_eq!(program.unsupported, BTreeMap::new());
    let sites = &program.classes["Control"].sites;
    let chain = sites.iter().find(|s| s.method.name == "chain").unwrap();
    // Variant 17 is the original, 18 and 26 are the same.
    let numbers: BTreeMap<u32, u32> = chain.alternatives.iter().copied().collect();
    assert!(!numbers.contains_key(&17));
    assert_eq!(numbers[&18], numbers[&26]);
    assert_ne!(numbers[&18], numbers[&19]);
}

#[test]
fn changed_lambdas_and_nested_classes_run_as_patched() {
    let fixture = fixture("Lambdas");
    fixture.check_plain();
    fixture.check(Road::Copies);
    let program = fixture.check(Road::Classes);
    assert_eq!(program.unsupported, BTreeMap::new());
}

#[test]
fn changed_constructors_records_enums_initialisers_and_monitors_run_as_patched() {
    let program = fixture("Objects").check(Road::Classes);
    assert_eq!(program.unsupported, BTreeMap::new());
}

#[test]
fn what_cannot_be_woven_is_refused_with_its_reason() {
    let fixture = fixture("Refused");
    let program = fixture.check(Road::Classes);
    let expected: BTreeMap<u32, String> = fixture
        .text
        .lines()
        .filter_map(|line| line.split_once("//!"))
        .map(|(_, rest)| rest.split_once(' ').unwrap())
        .map(|(number, reason)| (number.parse().unwrap(), reason.to_owned()))
        .collect();
    assert_eq!(expected.len(), program.unsupported.len());
    for (number, reason) in &program.unsupported {
        assert!(reason.ends_with(&expected[number]), "{number}: {reason}");
    }
}
