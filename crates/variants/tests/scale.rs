//! Size: many patches, large patches, and inputs made to be slow.

mod support;

use std::fmt::Write as _;
use std::fs;
use std::io::Write as _;
use std::time::{Duration, Instant};

use braid_variants::{ApplyError, Input, MemTree, ReadOptions, apply, read};
use support::{one, text};

/// A bound far above what is needed, far below what a quadratic way would take.
const LONG: Duration = Duration::from_secs(30);

#[test]
fn a_hundred_thousand_patches_stream() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("many.jsonl");
    let mut out = std::io::BufWriter::new(fs::File::create(&file).unwrap());
    for number in 0..100_000 {
        writeln!(
            out,
            r#"{{"id": "p{}", "diff": "--- a/F\n+++ b/F\n@@ -1 +1 @@\n-a\n+{number}\n"}}"#,
            number % 99_999
        )
        .unwrap();
    }
    drop(out);
    let start = Instant::now();
    let mut last = None;
    let mut count = 0;
    for patch in read(&[Input::Path(file)], &ReadOptions::default()) {
        last = Some(patch.unwrap());
        count += 1;
    }
    assert_eq!(count, 100_000);
    assert_eq!(last.unwrap().id.0, "p0-2");
    assert!(start.elapsed() < LONG, "{:?}", start.elapsed());
}

#[test]
fn an_array_is_read_before_it_ends() {
    // The first patch comes although the input is broken much later.
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

/// A file of `lines` lines and a diff that changes every fourth of them, each in a hunk of its own;
/// the diff is for a file that lacks the first `missing` lines.
fn large(lines: usize, missing: usize, pad: &str) -> (String, String, String) {
    let (mut old, mut new) = (String::new(), String::new());
    let mut diff = String::from("--- a/F\n+++ b/F\n");
    for line in 0..lines {
        writeln!(old, "line {line} {pad}").unwrap();
        if line % 4 == 1 && line > missing {
            let at = line - missing;
            write!(diff, "@@ -{at},3 +{at},3 @@\n line {} {pad}\n-line {line} {pad}\n+changed {line}\n line {} {pad}\n", line - 1, line + 1).unwrap();
            writeln!(new, "changed {line}").unwrap();
        } else {
            writeln!(new, "line {line} {pad}").unwrap();
        }
    }
    (old, new, diff)
}

#[test]
fn a_diff_of_fifty_megabytes_is_applied_in_linear_time() {
    let (old, new, diff) = large(800_000, 0, &"x".repeat(70));
    assert!(diff.len() > 50_000_000, "{}", diff.len());
    let start = Instant::now();
    let tree = MemTree::new([("F", old)]).unwrap();
    let applied = apply(&one("p.diff", diff), &tree).unwrap();
    assert!(text(&applied, "F") == new);
    assert!(start.elapsed() < LONG, "{:?}", start.elapsed());
}

#[test]
fn many_hunks_with_an_offset_are_found_quickly() {
    let (old, new, diff) = large(100_000, 1000, "");
    let start = Instant::now();
    let tree = MemTree::new([("F", old)]).unwrap();
    let applied = apply(&one("p.diff", diff), &tree).unwrap();
    assert!(text(&applied, "F") == new);
    assert!(start.elapsed() < LONG, "{:?}", start.elapsed());
}

#[test]
fn a_repetitive_file_cannot_hold_up_the_search() {
    // Every line fits everywhere but the last of each hunk, which fits nowhere.
    let old = "same\n".repeat(100_000);
    let mut diff = String::from("--- a/F\n+++ b/F\n");
    for hunk in 0..2000 {
        let at = hunk * 20 + 1;
        write!(
            diff,
            "@@ -{at},9 +{at},9 @@\n{}-same\n+other\n{}",
            " same\n".repeat(4),
            " same\n".repeat(4)
        )
        .unwrap();
    }
    write!(
        diff,
        "@@ -90000,9 +90000,9 @@\n{}-same\n+other\n{} last\n",
        " same\n".repeat(4),
        " same\n".repeat(3)
    )
    .unwrap();
    let start = Instant::now();
    let tree = MemTree::new([("F", old)]).unwrap();
    let error = apply(&one("p.diff", diff), &tree).unwrap_err();
    assert!(
        matches!(
            error,
            ApplyError::Hunk { .. }
                | ApplyError::TooRepetitive { .. }
                | ApplyError::AmbiguousHunk { .. }
        ),
        "{error}"
    );
    assert!(start.elapsed() < LONG, "{:?}", start.elapsed());
}

#[test]
fn a_hunk_of_many_equal_lines_cannot_hold_up_the_search() {
    let old = "same\n".repeat(60_000);
    let context = " same\n".repeat(20_000);
    let diff = format!("--- a/F\n+++ b/F\n@@ -1,20001 +1,20001 @@\n{context}-other\n+x\n");
    let start = Instant::now();
    let tree = MemTree::new([("F", old)]).unwrap();
    apply(&one("p.diff", diff), &tree).unwrap_err();
    assert!(start.elapsed() < LONG, "{:?}", start.elapsed());
}

#[test]
fn fifty_megabytes_of_garbage_are_refused_quickly() {
    let start = Instant::now();
    for garbage in [
        "lorem ipsum dolor\n",
        "@@\n",
        "+\n",
        "--- a\n",
        "{",
        "```\n",
        "a",
    ] {
        let data = garbage.repeat(50_000_000 / garbage.len() / 4);
        for patch in support::read_bytes("p.diff", data) {
            assert!(patch.is_err(), "{garbage}");
        }
    }
    assert!(start.elapsed() < LONG * 3, "{:?}", start.elapsed());
}
