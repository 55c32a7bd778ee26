//! Mutants of real libraries have the status that they have alone in a fresh JVM. Runs when `BRAID_SWEEP` is set: a few
//! mutants of each library; `BRAID_SWEEP=full` takes 1,200 of each.

mod common;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use common::statuses_in;

/// A library and the tests that are run on it: some of `commons-csv` are long.
const LIBRARIES: [(&str, &[&str]); 2] = [
    ("commons-cli", &[]),
    (
        "commons-csv",
        &[
            "--only-tests",
            "CSVFormat*,CSVParser*,CSVRecord*,Lexer*,Ext*,Token*",
        ],
    ),
];

fn root() -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    root.canonicalize().unwrap()
}

fn subject(name: &str) -> PathBuf {
    let dir = Path::new(env!("CARGO_TARGET_TMPDIR"))
        .join("mutate-sweep")
        .join(name);
    let made = Command::new(root().join("bench/subject"))
        .arg(name)
        .arg(&dir)
        .status();
    assert!(made.unwrap().success());
    dir
}

fn run(dir: &Path, args: &[&str], strategy: &str) -> BTreeMap<String, String> {
    let mut command = Command::new(env!("CARGO_BIN_EXE_braid"));
    command.args([
        "mutate",
        "--quiet",
        "--format",
        "jsonl",
        "--strategy",
        strategy,
    ]);
    let output = command.args(args).arg("-C").arg(dir).output().unwrap();
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{error}");
    statuses_in(&String::from_utf8_lossy(&output.stdout))
}

#[test]
fn mutants_of_libraries_end_as_they_do_alone() {
    let sample = match std::env::var("BRAID_SWEEP").as_deref() {
        Err(_) => return,
        Ok("full") => "1200",
        Ok(_) => "12",
    };
    for (name, tests) in LIBRARIES {
        let dir = subject(name);
        let args = [&["--operators", "strong", "--sample", sample], tests].concat();
        let woven = run(&dir, &args, "woven");
        let plain = run(&dir, &args, "plain");
        common::compare_statuses(&woven, &plain);
        println!("{name}: {} mutants", woven.len());
    }
}
