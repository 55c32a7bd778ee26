//! Hostile bytes: whatever comes in, nothing panics and nothing leaves the project.

mod support;

use std::fs;
use std::path::Path;

use braid_variants::{ApplyOptions, MemTree, apply_with, content_hash};
use fastrand::Rng;
use support::read_bytes;

/// Files that the seeds talk about.
fn tree() -> MemTree {
    let counter =
        fs::read(fixtures().join("project/src/main/java/com/example/Counter.java")).unwrap();
    MemTree::new([
        ("src/main/java/com/example/Counter.java", counter),
        ("F", b"a\nb\n\xe4\n\nc".to_vec()),
        ("Empty.java", Vec::new()),
    ])
    .unwrap()
}

fn fixtures() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures"))
}

/// Well-formed inputs to start from.
fn seeds() -> Vec<(String, Vec<u8>)> {
    let mut seeds: Vec<(String, Vec<u8>)> = fs::read_dir(fixtures().join("patches"))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.is_file())
        .map(|path| {
            (
                path.file_name().unwrap().to_str().unwrap().to_owned(),
                fs::read(path).unwrap(),
            )
        })
        .collect();
    seeds.sort();
    seeds.push(("x.class".to_owned(), support::class_file("com/x/A")));
    seeds.push(("x.diff".to_owned(), b"diff --git a/F b/G\nrename from F\nrename to G\n--- a/F\n+++ b/G\n@@ -1,5 +1,4 @@\n a\n-b\n+B\n\n-c\n\\ No newline at end of file\n".to_vec()));
    seeds
}

/// Pieces that matter to one of the parsers.
const PIECES: [&[u8]; 28] = [
    b"--- ",
    b"+++ ",
    b"@@ -",
    b"@@",
    b"@@ -0,0 +1 @@\n",
    b"@@ -18446744073709551615,9 +1 @@\n",
    b"\n",
    b"\r\n",
    b"\\ No newline at end of file\n",
    b"diff --git a/F b/F\n",
    b"rename from ",
    b"/dev/null",
    b"../",
    b"\0",
    b"\xff\xfe",
    b"```\n",
    b"From 0123456789012345678901234567890123456789 Mon\n",
    b"{",
    b"}",
    b"[",
    b"\"",
    b"\\",
    b"new file mode 120000\n",
    b"-- \n2.1\n",
    b"\xe4",
    b"999999999999",
    b",",
    b" ",
];

fn mutate(rng: &mut Rng, data: &mut Vec<u8>, other: &[u8]) {
    let at = rng.usize(..=data.len());
    let to = (at + rng.usize(..60)).min(data.len());
    match rng.u8(..7) {
        0 => data.truncate(at),
        1 => drop(data.drain(at..to)),
        2 => drop(data.splice(at..at, PIECES[rng.usize(..PIECES.len())].iter().copied())),
        3 => drop(data.splice(at..to, PIECES[rng.usize(..PIECES.len())].iter().copied())),
        4 if at < data.len() => data[at] = rng.u8(..),
        5 => {
            let copy = data[at..to].to_vec();
            let back = rng.usize(..=data.len());
            drop(data.splice(back..back, copy));
        }
        _ => {
            let from = rng.usize(..=other.len());
            let to = (from + rng.usize(..200)).min(other.len());
            drop(data.splice(at..at, other[from..to].iter().copied()));
        }
    }
}

/// Reads and applies; a panic fails the test. What was applied must still be readable as a diff.
fn survive(name: &str, data: &[u8], tree: &MemTree) -> usize {
    let mut applied_count = 0;
    for patch in read_bytes(name, data) {
        match patch {
            Ok(patch) => {
                content_hash(&patch);
                let options = ApplyOptions {
                    encoding: Some("ISO-8859-1".to_owned()),
                    ..Default::default()
                };
                match apply_with(&patch, tree, &options) {
                    Ok(applied) => {
                        applied_count += 1;
                        for note in &applied.notes {
                            assert!(!note.to_string().is_empty());
                        }
                    }
                    Err(error) => assert!(!error.to_string().is_empty()),
                }
            }
            Err(error) => assert!(!error.to_string().is_empty()),
        }
    }
    applied_count
}

#[test]
fn mutated_inputs_never_panic() {
    let tree = tree();
    let seeds = seeds();
    let mut rng = Rng::with_seed(42);
    let rounds = if std::env::var_os("BRAID_SWEEP").is_some() {
        40_000
    } else {
        8_000
    };
    let mut applied = 0;
    for _ in 0..rounds {
        let (name, seed) = &seeds[rng.usize(..seeds.len())];
        let other = &seeds[rng.usize(..seeds.len())].1;
        let mut data = seed.clone();
        for _ in 0..rng.usize(1..5) {
            mutate(&mut rng, &mut data, other);
        }
        let name = if rng.u8(..4) == 0 { "stdin" } else { name };
        applied += survive(name, &data, &tree);
    }
    // Mutations that spoil everything would test little.
    assert!(applied > rounds / 20, "{applied}");
}

#[test]
fn random_bytes_never_panic() {
    let tree = tree();
    let mut rng = Rng::with_seed(43);
    for _ in 0..3_000 {
        let pieces = rng.usize(..40);
        let mut data = Vec::new();
        for _ in 0..pieces {
            if rng.bool() {
                data.extend_from_slice(PIECES[rng.usize(..PIECES.len())]);
            } else {
                data.extend((0..rng.usize(..8)).map(|_| rng.u8(..)));
            }
        }
        let names = [
            "p.diff", "p.json", "p.jsonl", "p.mbox", "P.java", "p.class", "p", "p.md",
        ];
        survive(names[rng.usize(..names.len())], &data, &tree);
    }
}

#[test]
fn every_prefix_of_every_fixture_is_survived() {
    let tree = tree();
    for (name, seed) in seeds() {
        let step = (seed.len() / 400).max(1);
        for len in (0..seed.len()).step_by(step) {
            survive(&name, &seed[..len], &tree);
        }
    }
}

#[test]
fn deep_nesting_is_survived() {
    let tree = tree();
    let depth = 200_000;
    for (name, data) in [
        ("p.json", "[".repeat(depth)),
        ("p.json", "{\"a\":".repeat(depth)),
        (
            "P.java",
            format!("class A {{ int f() {{ return {}1; }} }}", "(".repeat(depth)),
        ),
        ("P.java", "class A { ".repeat(20_000)),
        (
            "p.diff",
            format!("--- {}\n+++ x\n@@ -1 +1 @@\n-a\n+b\n", "a/".repeat(depth)),
        ),
    ] {
        survive(name, data.as_bytes(), &tree);
    }
}
