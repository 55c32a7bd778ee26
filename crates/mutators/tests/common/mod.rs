//! Shared by the tests: Java compiled once, classes linked in a JVM that verifies everything.
#![allow(dead_code)]

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use braid_classpath::Jar;
use braid_subjects::{class_path, run};

/// Files of this test process.
pub(crate) struct Bench {
    folder: tempfile::TempDir,
    tools: PathBuf,
}

pub(crate) fn bench() -> &'static Bench {
    static BENCH: OnceLock<Bench> = OnceLock::new();
    BENCH.get_or_init(|| {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let tools = folder.path().join("tools");
        javac(&tools, &[fixture("tools/Tool.java")]);
        Bench { folder, tools }
    })
}

/// A new folder of this test process.
pub(crate) fn new_folder() -> PathBuf {
    let folder = tempfile::tempdir_in(bench().folder.path()).expect("a folder");
    folder.keep()
}

/// A file under `tests/java`.
pub(crate) fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/java")
        .join(name)
}

/// How much of something is looked at: every `usual`th, every `often`th in a sweep
/// (`BRAID_SWEEP=1`), and all of it in a full one (`BRAID_SWEEP=full`).
pub(crate) fn every(usual: usize, often: usize) -> usize {
    match std::env::var("BRAID_SWEEP").as_deref() {
        Err(_) | Ok("0") => usual,
        Ok("full") => 1,
        Ok(_) => often,
    }
}

/// Compiles Java files with all debug information.
pub(crate) fn javac(to: &Path, sources: &[PathBuf]) {
    braid_subjects::javac(&braid_subjects::jdk(), &[], to, sources);
}

/// Runs one of the tools over a list of lines; one line of result for each.
pub(crate) fn tool(mode: &str, lines: &[String], entries: &[PathBuf]) -> Vec<String> {
    let folder = new_folder();
    let (list, result) = (folder.join("list"), folder.join("result"));
    std::fs::write(&list, lines.join("\n")).expect("a list");
    let mut all = vec![bench().tools.clone()];
    all.extend_from_slice(entries);
    run(Command::new(braid_subjects::jdk().join("bin/java"))
        .args(["-Xmx600m", "-Xverify:all", "-XX:TieredStopAtLevel=1", "-cp"])
        .arg(class_path(&all))
        .arg("Tool")
        .arg(mode)
        .args([&list, &result]));
    let text = std::fs::read_to_string(result).expect("a result");
    text.lines().map(str::to_owned).collect()
}

/// Links classes, each with the others of the class path; what cannot be linked, and why.
pub(crate) fn link(classes: &[(String, Vec<u8>)], entries: &[PathBuf]) -> Vec<(String, String)> {
    let folder = new_folder();
    let lines: Vec<String> = classes
        .iter()
        .enumerate()
        .map(|(number, (name, bytes))| {
            let path = folder.join(format!("{number}.class"));
            std::fs::write(&path, bytes).expect("a class");
            format!("{name}\t{}", path.display())
        })
        .collect();
    let results = tool("link", &lines, entries);
    assert_eq!(results.len(), classes.len());
    let named = classes.iter().map(|(name, _)| name.clone()).zip(results);
    named.filter(|(_, problem)| !problem.is_empty()).collect()
}

/// The classes of a jar by name.
pub(crate) fn jar_classes(jar: &Path) -> BTreeMap<String, Vec<u8>> {
    let jar = Jar::open_for(jar, 17).expect("a jar");
    jar.class_names()
        .into_iter()
        .filter(|name| !name.ends_with("module-info"))
        .map(|name| {
            let bytes = jar.find(&name).expect("readable").expect("there");
            (name, bytes)
        })
        .collect()
}

/// The files of a jar in a folder.
pub(crate) fn unpacked(coordinates: &str) -> PathBuf {
    let (jar, folder) = (braid_subjects::maven(&[coordinates]), new_folder());
    let mut command = Command::new(braid_subjects::jdk().join("bin/jar"));
    run(command.arg("xf").arg(&jar[0]).current_dir(&folder));
    folder
}
