//! GNU diff and patch as oracles on generated diffs.

#[path = "support/generate.rs"]
mod generate;
mod support;

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use braid_variants::{ApplyError, MemTree, apply};
use fastrand::Rng;
use generate::{Edits, bytes, file};
use support::{content, one, tool};

/// Files of one run of the tools, which handle many at once.
const FILES: usize = 250;

/// One file in all its versions.
struct Case {
    old: Vec<u8>,
    new: Vec<u8>,
    /// What the diff from old to new is applied to.
    target: Vec<u8>,
    /// The target with the same lines changed.
    truth: Vec<u8>,
}

type Cases = BTreeMap<String, Case>;

/// Random files; with `drift`, the target differs from the old file in other places.
fn cases(seed: u64, drift: bool) -> Cases {
    let mut rng = Rng::with_seed(seed);
    let mut case = || {
        let lines = rng.usize(..60);
        let base = file(&mut rng, lines);
        let edits = Edits::random(&mut rng, &base);
        let last = rng.u8(..5) > 0;
        let version = |wanted: bool, drifted: bool, last: bool| {
            bytes(&edits.carried_out(&base, wanted, drifted), "\n", last)
        };
        let new_last = drift && last || !drift && rng.bool();
        Case {
            old: version(false, false, last),
            new: version(true, false, new_last),
            target: version(false, drift, last),
            truth: version(true, drift, new_last),
        }
    };
    (0..FILES)
        .map(|number| (format!("F{number}.java"), case()))
        .collect()
}

fn write(dir: &Path, cases: &Cases, version: impl Fn(&Case) -> &[u8]) {
    fs::create_dir_all(dir).unwrap();
    for (name, case) in cases {
        fs::write(dir.join(name), version(case)).unwrap();
    }
}

/// The diff of each file that differs.
fn split(diff: &str) -> BTreeMap<String, String> {
    let mut parts: Vec<String> = Vec::new();
    for line in diff.split_inclusive('\n') {
        if line.starts_with("diff -") {
            parts.push(String::new());
        }
        if let Some(part) = parts.last_mut() {
            part.push_str(line);
        }
    }
    let name = |part: &String| {
        part.lines()
            .next()
            .unwrap()
            .rsplit('/')
            .next()
            .unwrap()
            .to_owned()
    };
    parts.into_iter().map(|part| (name(&part), part)).collect()
}

/// What the tools made of the files.
#[derive(Default, Debug)]
struct Tally {
    equal: usize,
    both_refuse: usize,
    only_we_apply: usize,
    ambiguous: usize,
    /// Those of the ambiguous that GNU patch put at a wrong place.
    ambiguous_for_gnu: usize,
    /// Refused by us, while GNU patch ignored all context.
    no_context: usize,
    /// Placed rightly by us, wrongly by GNU patch with fuzz.
    better: usize,
    misplaced: usize,
    misplaced_by_gnu: usize,
    wrong: Vec<String>,
}

/// What GNU patch did to one file.
struct Gnu {
    result: Option<Vec<u8>>,
    /// What it said.
    log: String,
}

impl Tally {
    fn add(&mut self, name: &str, diff: &str, case: &Case, gnu: &Gnu) {
        let tree = MemTree::new([(name, case.target.clone())]).unwrap();
        let ours = apply(&one("p.diff", diff), &tree);
        let truth = |result: &[u8]| result == case.truth;
        self.misplaced_by_gnu += usize::from(gnu.result.as_deref().is_some_and(|it| !truth(it)));
        match (ours, &gnu.result) {
            (Ok(applied), theirs) => {
                let unchanged = applied.files.is_empty();
                let result = if unchanged {
                    case.target.clone()
                } else {
                    content(&applied, name).unwrap()
                };
                self.misplaced += usize::from(!truth(&result));
                match theirs {
                    None => self.only_we_apply += 1,
                    Some(theirs) if *theirs == result => self.equal += 1,
                    Some(_) if gnu.log.contains(" with fuzz ") && truth(&result) => {
                        self.better += 1
                    }
                    Some(theirs) => {
                        let gnu_is_right = truth(theirs);
                        let theirs = String::from_utf8_lossy(theirs);
                        let result = String::from_utf8_lossy(&result);
                        self.wrong.push(format!(
                            "gnu is right: {gnu_is_right}, notes {:?}\n{diff}\n{}\nours:\n{result}\ntheirs:\n{theirs}",
                            applied.notes, gnu.log
                        ));
                    }
                }
            }
            (Err(_), None) => self.both_refuse += 1,
            (Err(ApplyError::AmbiguousHunk { .. }), Some(theirs)) => {
                self.ambiguous += 1;
                self.ambiguous_for_gnu += usize::from(!truth(theirs));
            }
            (Err(_), Some(_)) if gnu.log.contains(" with fuzz ") => self.no_context += 1,
            (Err(error), Some(_)) => self.wrong.push(format!("{error}\n{diff}\n{}", gnu.log)),
        }
    }
}

/// Makes diffs with GNU diff, applies them with GNU patch and ourselves, and compares.
fn compare(tally: &mut Tally, cases: &Cases, context: &str) -> Option<()> {
    let dir = tempfile::tempdir().unwrap();
    let target = dir.path().join("target");
    write(&dir.path().join("old"), cases, |case| &case.old);
    write(&dir.path().join("new"), cases, |case| &case.new);
    write(&target, cases, |case| &case.target);
    let diff = tool("diff", &["-r", context, "old", "new"], dir.path())?.stdout;
    fs::write(dir.path().join("all.diff"), &diff).unwrap();
    let output = tool(
        "patch",
        &["-p1", "-f", "-F2", "--verbose", "-i", "../all.diff"],
        &target,
    )?;
    let log = String::from_utf8_lossy(&output.stdout).into_owned();
    for (name, diff) in split(&String::from_utf8(diff).unwrap()) {
        let rejected = target.join(format!("{name}.rej")).exists();
        let result = (!rejected).then(|| fs::read(target.join(&name)).unwrap_or_default());
        let about = log
            .split("Hmm...")
            .find(|text| text.contains(&format!("old/{name}\t")));
        let gnu = Gnu {
            result,
            log: about.unwrap_or("").to_owned(),
        };
        tally.add(&name, &diff, &cases[&name], &gnu);
    }
    Some(())
}

/// How many random batches: more in a sweep.
fn batches() -> u64 {
    if std::env::var_os("BRAID_SWEEP").is_some() {
        6
    } else {
        3
    }
}

#[test]
fn exact_diffs_apply_as_with_gnu_patch() {
    let mut tally = Tally::default();
    for seed in 0..batches() {
        let cases = cases(seed, false);
        for context in ["-U3", "-U1", "-U0"] {
            if compare(&mut tally, &cases, context).is_none() {
                return;
            }
        }
    }
    let wrong = std::mem::take(&mut tally.wrong);
    println!("{} wrong, {tally:?}", wrong.len());
    assert!(wrong.is_empty(), "{}", wrong[0]);
    assert!(tally.equal > 1000);
    assert_eq!(
        tally.misplaced + tally.both_refuse + tally.ambiguous + tally.no_context,
        0
    );
}

#[test]
fn drifted_diffs_apply_as_with_gnu_patch_or_better() {
    let mut tally = Tally::default();
    for seed in 1000..1000 + 2 * batches() {
        if compare(&mut tally, &cases(seed, true), "-U3").is_none() {
            return;
        }
    }
    let wrong = std::mem::take(&mut tally.wrong);
    println!("{} wrong, {tally:?}", wrong.len());
    assert!(wrong.is_empty(), "{}", wrong[0]);
    assert!(tally.equal > 500);
    // The drift copies lines of the file, so that many hunks fit at two places.
    let applied = tally.equal + tally.better + tally.only_we_apply;
    assert!(
        (tally.ambiguous + tally.no_context) * 6 < applied,
        "{tally:?}"
    );
    assert!(tally.misplaced * 2 < tally.misplaced_by_gnu, "{tally:?}");
}
