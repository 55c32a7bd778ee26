//! Size: many patches, large patches, and inputs made to be slow.

mod support;

use std::fmt::Write as _;
use std::fs;
use std::io::Write as _;

use braid_variants::{ApplyError, Input, MemTree, ReadOptions, apply, read};
use support::{one, text};

/// Runs a job and fails if it takes long: a bound far above what is needed, far below what a
/// quadratic way would take. Counts the thread's own time, as tests share the machine.
fn quickly<T>(job: impl FnOnce() -> T) -> T {
    let start = thread_time();
    let result = job();
    let taken = thread_time() - start;
    assert!(taken < 20.0, "{taken} s");
    result
}

#[cfg(unix)]
fn thread_time() -> f64 {
    let now = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    now.tv_sec as f64 + now.tv_nsec as f64 / 1e9
}

#[cfg(not(unix))]
fn thread_time() -> f64 {
    0.0
}

#[test]
fn a_hundred_thousand_patches_stream() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("many.jsonl");
    let mut out = std::io::BufWriter::new(fs::File::create(&file).unwrap());
    for number in 0..100_000 {
        let diff = format!(r"--- a/F\n+++ b/F\n@@ -1 +1 @@\n-a\n+{number}\n");
        writeln!(out, r#"{{"id": "p{}", "diff": "{diff}"}}"#, number % 99_999).unwrap();
    }
    drop(out);
    let (count, last) = quickly(|| {
        let patches = read(&[Input::Path(file)], &ReadOptions::default());
        patches.fold((0, None), |(count, _), patch| {
            (count + 1, Some(patch.unwrap()))
        })
    });
    assert_eq!(count, 100_000);
    assert_eq!(last.unwrap().id.0, "p0-2");
}

#[test]
fn an_array_is_read_before_it_ends() {
    // The first patches come although the input is broken much later.
    let mut data = String::from("[");
    for number in 0..1000 {
        write!(
            data,
            r#"{{"id": "p{number}", "files": {{"F": "{number}"}}}},"#
        )
        .unwrap();
    }
    let all = support::read_bytes("p.json", data + "oops");
    assert_eq!(all.len(), 1001);
    assert!(all[..1000].iter().all(Result::is_ok));
    assert!(all[1000].is_err());
}

/// A file of `lines` lines, the file with every fourth of them changed, and a diff with a hunk for
/// each of those, made for a file that lacks the first `missing` lines.
fn large(lines: usize, missing: usize, pad: &str) -> (String, String, String) {
    let (mut old, mut new) = (String::new(), String::new());
    let mut diff = String::from("--- a/F\n+++ b/F\n");
    let text = |line: usize| format!("line {line} {pad}");
    for line in 0..lines {
        writeln!(old, "{}", text(line)).unwrap();
        if line % 4 == 1 && line > missing {
            let at = line - missing;
            let (before, this, after) = (text(line - 1), text(line), text(line + 1));
            write!(
                diff,
                "@@ -{at},3 +{at},3 @@\n {before}\n-{this}\n+new {line}\n {after}\n"
            )
            .unwrap();
            writeln!(new, "new {line}").unwrap();
        } else {
            writeln!(new, "{}", text(line)).unwrap();
        }
    }
    (old, new, diff)
}

#[test]
fn a_diff_of_fifty_megabytes_is_applied_in_linear_time() {
    let (old, new, diff) = large(800_000, 0, &"x".repeat(70));
    assert!(diff.len() > 50_000_000, "{}", diff.len());
    let tree = MemTree::new([("F", old)]).unwrap();
    let applied = quickly(|| apply(&one("p.diff", diff), &tree)).unwrap();
    assert!(text(&applied, "F") == new);
}

#[test]
fn many_hunks_with_an_offset_are_found_quickly() {
    let (old, new, diff) = large(100_000, 1000, "");
    let tree = MemTree::new([("F", old)]).unwrap();
    let applied = quickly(|| apply(&one("p.diff", diff), &tree)).unwrap();
    assert!(text(&applied, "F") == new);
}

#[test]
fn a_repetitive_file_cannot_hold_up_the_search() {
    // Every line of the last hunk fits everywhere but one, which fits nowhere.
    let old = "same\n".repeat(100_000);
    let same = |times| " same\n".repeat(times);
    let mut diff = String::from("--- a/F\n+++ b/F\n");
    for hunk in 0..2000 {
        let at = hunk * 20 + 1;
        write!(
            diff,
            "@@ -{at},9 +{at},9 @@\n{0}-same\n+other\n{0}",
            same(4)
        )
        .unwrap();
    }
    write!(
        diff,
        "@@ -90000,9 +90000,9 @@\n{}-same\n+other\n{} last\n",
        same(4),
        same(3)
    )
    .unwrap();
    let tree = MemTree::new([("F", old)]).unwrap();
    // With fuzz it fits where its header says.
    let applied = quickly(|| apply(&one("p.diff", diff), &tree)).unwrap();
    assert_eq!(text(&applied, "F").matches("other").count(), 2001);
}

#[test]
fn long_hunks_that_fit_nowhere_are_refused_quickly() {
    let old = "same\n".repeat(60_000) + "other\n";
    let same = " same\n".repeat(20_000);
    let other = "--- a/F\n+++ b/F\n@@ -1,20001 +1,20001 @@\n";
    for diff in [
        format!("{other}{same}-nowhere\n+x\n"),
        format!("{other}-other\n+x\n{same}"),
    ] {
        let tree = MemTree::new([("F", old.clone())]).unwrap();
        quickly(|| apply(&one("p.diff", diff), &tree)).unwrap_err();
    }
}

#[test]
fn a_hunk_that_almost_fits_everywhere_runs_into_the_limit() {
    // All but the middle line fits at every place, and that line is in the file often enough.
    let old = "same\nsame\nsame\nrare\n".repeat(20_000);
    let same = " same\n same\n same\n rare\n".repeat(4000);
    let diff = format!("--- a/F\n+++ b/F\n@@ -1,32001 +1,32001 @@\n{same}-same\n+x\n{same}");
    let tree = MemTree::new([("F", old)]).unwrap();
    let error = quickly(|| apply(&one("p.diff", diff), &tree)).unwrap_err();
    assert!(
        matches!(
            error,
            ApplyError::Hunk { .. } | ApplyError::TooRepetitive { .. }
        ),
        "{error}"
    );
}

#[test]
fn large_garbage_is_refused_quickly() {
    for garbage in [
        "lorem ipsum dolor\n",
        "@@\n",
        "+\n",
        "--- a\n",
        "{",
        "[",
        "```\n",
        "a",
    ] {
        let data = garbage.repeat(12_000_000 / garbage.len());
        for patch in quickly(|| support::read_bytes("p.diff", data)) {
            assert!(patch.is_err(), "{garbage}");
        }
    }
}
