//! Shared by the tests: Java fixtures compiled once, JVMs run with woven classes.
#![allow(dead_code)]

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use braid_classpath::Jar;
use braid_subjects::{class_path, run};

/// Files of this test process that its JVMs use.
pub(crate) struct Bench {
    folder: tempfile::TempDir,
    pub(crate) runtime: PathBuf,
    tools: PathBuf,
}

/// The folder with the compiled runtime and tools.
pub(crate) fn bench() -> &'static Bench {
    static BENCH: OnceLock<Bench> = OnceLock::new();
    BENCH.get_or_init(|| {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let runtime = folder.path().join("runtime");
        let tools = folder.path().join("tools");
        javac(&[], &runtime, &java_files(&fixtures("runtime")));
        let class_path = std::slice::from_ref(&runtime);
        javac(class_path, &tools, &java_files(&fixtures("tools")));
        Bench {
            folder,
            runtime,
            tools,
        }
    })
}

pub(crate) fn fixtures(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/java")
        .join(name)
}

pub(crate) fn java_files(folder: &Path) -> Vec<PathBuf> {
    braid_subjects::files(folder, "java")
}

/// Compiles Java files.
pub(crate) fn javac(entries: &[PathBuf], to: &Path, sources: &[PathBuf]) {
    braid_subjects::javac(&braid_subjects::jdk(), entries, to, sources);
}

/// A JVM with verification of everything and the runtime on its boot class path.
pub(crate) fn java(entries: &[PathBuf]) -> Command {
    let bench = bench();
    let mut all = vec![bench.tools.clone()];
    all.extend_from_slice(entries);
    let mut command = Command::new(braid_subjects::jdk().join("bin/java"));
    command
        .args([
            "-Xmx600m",
            "-Xverify:all",
            "-XX:TieredStopAtLevel=1",
            "-Xshare:auto",
        ])
        .args(["--add-opens", "java.base/java.lang=ALL-UNNAMED"])
        .arg(format!("-Xbootclasspath/a:{}", bench.runtime.display()))
        .arg("-cp")
        .arg(class_path(&all));
    command
}

/// Runs one of the tools over a list of lines.
fn tool(mode: &str, lines: &[String], class_path: &[PathBuf]) -> (String, PathBuf) {
    let folder = tempfile::tempdir_in(bench().folder.path()).expect("a folder");
    let folder = folder.keep();
    let (list, result) = (folder.join("list"), folder.join("result"));
    std::fs::write(&list, lines.join("\n")).expect("a list");
    let out = run(java(class_path)
        .arg("Tool")
        .arg(mode)
        .arg(&list)
        .arg(&result));
    (out, result)
}

/// Compiles many sets of sources in one JVM: each a folder of sources and where classes go.
pub(crate) fn compile_all(sets: &[(PathBuf, PathBuf)]) {
    let lines: Vec<String> = sets
        .iter()
        .map(|(from, to)| {
            std::fs::create_dir_all(to).expect("a folder");
            let sources: Vec<String> = java_files(from)
                .iter()
                .map(|path| path.display().to_string())
                .collect();
            format!("-g\t-nowarn\t-d\t{}\t{}", to.display(), sources.join("\t"))
        })
        .collect();
    tool("compile", &lines, &[]);
}

/// What each program prints: pairs of class folder and main class, each in a loader of its own.
pub(crate) fn run_plainly(programs: &[(PathBuf, String)]) -> Vec<String> {
    let lines: Vec<String> = programs
        .iter()
        .map(|(folder, main)| format!("{}\t{main}", folder.display()))
        .collect();
    sections(&tool("plain", &lines, &[]).0)
}

/// What a program prints in one JVM with each of some variants active, one after the other.
pub(crate) fn run_warm(classes: &[PathBuf], main: &str, variants: &[u32]) -> Vec<String> {
    let variants = variants.iter().map(u32::to_string);
    sections(&run(java(classes).arg("Warm").arg(main).args(variants)))
}

/// Runs every endless method of a class until its fuel is used up; one line for each.
pub(crate) fn run_fuel(classes: &[PathBuf], main: &str) -> String {
    run(java(classes).args(["Warm", "fuel", main]))
}

/// Compares a woven class with the patched ones, method by method.
pub(crate) fn run_compare(class: &str, woven: &Path, library: &Path, patched: &Path) -> String {
    let paths = [woven, library, patched];
    run(java(&[]).arg("Compare").arg(class).args(paths))
}

/// The parts of an output behind lines that start with `== `.
fn sections(output: &str) -> Vec<String> {
    let mut parts: Vec<String> = Vec::new();
    for line in output.lines() {
        if line.starts_with("== ") {
            parts.push(String::new());
        } else if let Some(part) = parts.last_mut() {
            part.push_str(line);
            part.push('\n');
        }
    }
    parts
}

/// The classes that cannot be linked, and why.
pub(crate) fn link_all(names: &[String], class_path: &[PathBuf]) -> BTreeMap<String, String> {
    let (_, result) = tool("link", names, class_path);
    std::fs::read_to_string(result)
        .expect("a result")
        .lines()
        .filter_map(|line| line.split_once('\t'))
        .map(|(name, why)| (name.to_owned(), why.to_owned()))
        .collect()
}

/// The classes of a jar by name.
pub(crate) fn jar_classes(jar: &Path) -> BTreeMap<String, Vec<u8>> {
    let jar = Jar::open_for(jar, 17).unwrap();
    jar.class_names()
        .into_iter()
        .filter(|name| !name.ends_with("module-info"))
        .map(|name| (name.clone(), jar.find(&name).unwrap().unwrap()))
        .collect()
}

/// Writes classes into a new folder.
pub(crate) fn write_classes<'c>(classes: impl IntoIterator<Item = (&'c str, &'c [u8])>) -> PathBuf {
    let folder = tempfile::tempdir_in(bench().folder.path()).expect("a folder");
    let folder = folder.keep();
    for (name, bytes) in classes {
        let path = folder.join(format!("{name}.class"));
        std::fs::create_dir_all(path.parent().expect("a parent")).expect("a folder");
        std::fs::write(path, bytes).expect("a class");
    }
    folder
}

/// A new folder of this test process.
pub(crate) fn new_folder() -> PathBuf {
    tempfile::tempdir_in(bench().folder.path())
        .expect("a folder")
        .keep()
}
