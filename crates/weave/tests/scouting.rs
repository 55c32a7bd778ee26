//! What looking at variants says of a run must hold: where it says that a variant makes no difference, the patched program
//! does the same.

mod common;
#[path = "common/generated.rs"]
mod generated;

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use braid_classfile::{AccessFlags, ClassFile, Editor};
use braid_classpath::JdkImage;
use braid_subjects::{classes_in, run};
use braid_weave::{
    Change, ClassChange, MethodKey, Passes, Question, Scouting, World, instrument, scouting, weave,
};
use common::*;

type Classes = BTreeMap<String, Vec<u8>>;

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

struct Fixture {
    original: Classes,
    /// The classes of each variant, by number.
    variants: BTreeMap<u32, Classes>,
}

fn fixture(text: &str) -> Fixture {
    let marks = text.split("//@").skip(1);
    let numbers = marks.filter_map(|mark| mark.split_whitespace().next()?.parse::<u32>().ok());
    let mut numbers: Vec<u32> = numbers.collect();
    numbers.push(0);
    let folder = new_folder();
    let set = |number: &u32| {
        let source = folder.join(format!("src{number}"));
        std::fs::create_dir_all(&source).unwrap();
        std::fs::write(source.join("Subject.java"), patched(text, *number)).unwrap();
        (source, folder.join(format!("out{number}")))
    };
    let sets: Vec<(PathBuf, PathBuf)> = numbers.iter().map(set).collect();
    compile_all(&sets);
    let read = |(number, (_, out)): (&u32, &(PathBuf, PathBuf))| (*number, classes_in(out));
    let mut variants: BTreeMap<u32, Classes> = numbers.iter().zip(&sets).map(read).collect();
    let original = variants.remove(&0).unwrap();
    Fixture { original, variants }
}

impl Fixture {
    /// What a variant does, as classes or as copies of methods.
    fn changes(&self, number: u32, copies: bool) -> Vec<(String, ClassChange)> {
        let mut all = Vec::new();
        for (name, bytes) in &self.variants[&number] {
            let original = &self.original[name];
            if original == bytes {
                continue;
            }
            let change = match copies {
                true => as_copy(original, bytes),
                false => None,
            };
            let change = change.unwrap_or_else(|| Change::Class(Arc::from(bytes.as_slice())));
            all.push((name.clone(), ClassChange::Change(change)));
        }
        all
    }

    fn scouting(&self, copies: bool) -> Scouting {
        let image = JdkImage::open(&braid_subjects::jdk()).unwrap();
        let changes: Vec<_> = self
            .variants
            .keys()
            .map(|n| (*n, self.changes(*n, copies)))
            .collect();
        let question =
            |(number, classes): &'_ (u32, Vec<(String, ClassChange)>)| (*number, classes.clone());
        let owned: Vec<_> = changes.iter().map(question).collect();
        let questions: Vec<Question<'_>> = owned
            .iter()
            .map(|(number, classes)| Question {
                number: *number,
                classes,
            })
            .collect();
        let find = |name: &str| {
            self.original
                .get(name)
                .map(|bytes| Cow::from(bytes.as_slice()))
        };
        let class = |name: &str| {
            let own = self.original.get(name).cloned();
            own.or_else(|| image.find(name).ok().flatten())
        };
        let names: BTreeSet<String> = self.original.keys().cloned().collect();
        scouting(&find, &class, &names, &questions).unwrap()
    }
}

/// The class with one method under another name, as a copy of it.
fn as_copy(original: &[u8], patched: &[u8]) -> Option<Change> {
    let change = Change::Class(Arc::from(patched));
    let alternative = braid_weave::Alternative { variant: 1, change };
    let woven = weave(original, &[alternative]).unwrap();
    let [site] = &woven.sites[..] else {
        return None;
    };
    let MethodKey { name, descriptor } = &site.method;
    let class = ClassFile::parse(patched).unwrap();
    let is_it = |m: braid_classfile::Member<'_>| {
        m.name() == name.as_str() && m.descriptor() == descriptor.as_str()
    };
    let position = class.methods().position(is_it)?;
    if name.starts_with('<') {
        return None;
    }
    let mut editor = Editor::new(&class);
    editor.rename_method(position, "copy$of$it").unwrap();
    let access = AccessFlags(class.method_at(position)?.access().0 & 8).with(AccessFlags::PRIVATE);
    editor.set_method_access(position, access).unwrap();
    Some(Change::Copy {
        class: Arc::from(editor.finish().unwrap()),
        method: site.method.clone(),
        copy: "copy$of$it".to_owned(),
    })
}

/// Writes classes as they run in a warm JVM.
fn instrumented(classes: &Classes) -> PathBuf {
    let mut world = World::new();
    for bytes in classes.values() {
        world.add(bytes).unwrap();
    }
    let passes = Passes {
        fuel: true,
        reset: Some(&world),
        ..Passes::default()
    };
    let out = classes.iter().map(|(name, bytes)| {
        let out = instrument(bytes, &passes).unwrap().bytes;
        (name.clone(), out.unwrap_or_else(|| bytes.clone()))
    });
    let out: Classes = out.collect();
    write_classes(
        out.iter()
            .map(|(name, bytes)| (name.as_str(), bytes.as_slice())),
    )
}

/// What is counted of a variant in all calls.
struct Count {
    passed: u32,
    /// Passed without a difference.
    blind: u32,
    /// Would be seen.
    right: u32,
    spoiled: u32,
}

fn counts(
    fixture: &Fixture,
    scouting: &Scouting,
    write: &dyn Fn(&Classes) -> PathBuf,
) -> BTreeMap<u32, Count> {
    let mut classes = fixture.original.clone();
    classes.extend(scouting.classes.clone());
    let mut command = java(&[]);
    // what such messages say of operands depends on where they come from
    command.arg("-XX:+IgnoreUnrecognizedVMOptions");
    command.arg("-XX:-ShowCodeDetailsInExceptionMessages");
    command.arg("Scouted").arg("Subject");
    command.args([write(&classes), write(&fixture.original)]);
    command.arg(scouting.spoiled.to_string());
    for number in &scouting.asked {
        let folder = write(&fixture.variants[number]);
        command.arg(format!("{number}={}", Path::display(&folder)));
    }
    let out = run(&mut command);
    let mut counts = BTreeMap::new();
    let mut wrong = String::new();
    for line in out.lines() {
        let numbers = line.strip_prefix("count ").map(|rest| rest.split(' '));
        let Some(numbers) = numbers else {
            wrong.push_str(line);
            wrong.push('\n');
            continue;
        };
        let numbers: Vec<u32> = numbers.map(|number| number.parse().unwrap()).collect();
        let count = Count {
            passed: numbers[1],
            blind: numbers[2],
            right: numbers[3],
            spoiled: numbers[4],
        };
        counts.insert(numbers[0], count);
    }
    assert!(wrong.is_empty(), "{wrong}");
    counts
}

#[test]
fn what_makes_no_difference_does_the_same() {
    let text = std::fs::read_to_string(fixtures("scout").join("Subject.java")).unwrap();
    let fixture = fixture(&text);
    let plain = |classes: &Classes| {
        write_classes(
            classes
                .iter()
                .map(|(name, bytes)| (name.as_str(), bytes.as_slice())),
        )
    };
    for copies in [false, true] {
        let scouting = fixture.scouting(copies);
        let expected = fixture.variants.keys().filter(|number| **number < 500);
        let expected: BTreeSet<u32> = expected.copied().collect();
        let missing: Vec<&u32> = expected.difference(&scouting.asked).collect();
        let added: Vec<&u32> = scouting.asked.difference(&expected).collect();
        let write: &dyn Fn(&Classes) -> PathBuf = if copies { &instrumented } else { &plain };
        let counts = counts(&fixture, &scouting, write);
        let mut odd = Vec::new();
        for (number, count) in &counts {
            let Count {
                passed,
                blind,
                right,
                spoiled,
            } = count;
            println!("{number}: {passed} passed, {blind} blind, {right} right, {spoiled} spoiled");
            if (*number < 400) != (*blind > 0) {
                odd.push(*number);
            }
        }
        assert!(
            missing.is_empty() && added.is_empty() && odd.is_empty(),
            "not asked: {missing:?}, asked: {added:?}, not as expected: {odd:?}"
        );
    }
}

#[test]
fn patches_by_chance_do_the_same_where_they_make_no_difference() {
    let seeds = match std::env::var("BRAID_SWEEP").as_deref() {
        Ok("full") => 0..40,
        Ok(_) => 0..5,
        Err(_) => 0..2,
    };
    for seed in seeds {
        let text = generated::Generated::text(seed);
        let fixture = fixture(&text);
        let scouting = fixture.scouting(seed % 2 == 1);
        let counts = counts(&fixture, &scouting, &instrumented);
        let some = |of: fn(&Count) -> u32| counts.values().filter(|count| of(count) > 0).count();
        let (all, asked) = (fixture.variants.len(), scouting.asked.len());
        let (blind, right) = (some(|count| count.blind), some(|count| count.right));
        println!("seed {seed}: {all} patches, {asked} asked, {blind} blind, {right} right");
        assert!(3 * asked > all && 5 * blind > asked && 8 * right > asked);
    }
}
