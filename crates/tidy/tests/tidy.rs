//! Checks that hold for the whole repository, so that the map in ARCHITECTURE.md cannot rot.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::{Path, PathBuf},
};

/// Which of our crates each crate may use. A crate that is not listed here does not belong to the project;
/// an edge that is not listed points the wrong way, or deserves a sentence in ARCHITECTURE.md first.
const MAY_USE: &[(&str, &[&str])] = &[
    ("cond", &[]),
    ("classfile", &[]),
    ("classfile-text", &["classfile"]),
    ("classpath", &["classfile"]),
    ("analysis", &["classfile", "classpath"]),
    ("variants", &[]),
    ("mutators", &["classfile", "analysis", "variants"]),
    ("weave", &["classfile", "analysis", "variants"]),
    ("protocol", &[]),
    ("payload", &[]),
    ("process", &[]),
    ("jvmti", &[]),
    ("agent", &["jvmti", "weave", "protocol", "classfile"]),
    ("project", &["process"]),
    ("compile", &["process", "payload", "protocol", "classfile"]),
    ("exec", &["process", "payload", "protocol"]),
    ("vvm", &["cond", "classfile", "classpath"]),
    ("store", &[]),
    (
        "engine",
        &[
            "variants",
            "mutators",
            "weave",
            "project",
            "compile",
            "exec",
            "store",
            "payload",
            "protocol",
            "classfile",
            "classpath",
            "analysis",
            "cond",
            "vvm",
            "process",
        ],
    ),
    ("report", &["engine"]),
    ("cli", &["engine", "report"]),
    // Tools of the development, used by no crate of the product.
    ("subjects", &["process"]),
    ("patchgen", &[]),
    ("tidy", &[]),
];

/// The only crates whose sources may contain `unsafe`.
const MAY_BE_UNSAFE: &[&str] = &["jvmti"];

const LONGEST_FILE: usize = 1000;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../..")
        .canonicalize()
        .expect("the repository exists")
}

fn crates() -> BTreeMap<String, PathBuf> {
    let folders = fs::read_dir(root().join("crates")).expect("crates/ exists");
    folders
        .map(|entry| entry.expect("crates/ can be listed").path())
        .map(|path| {
            (
                path.file_name()
                    .expect("a name")
                    .to_string_lossy()
                    .into_owned(),
                path,
            )
        })
        .collect()
}

fn files(folder: &Path, extension: &str) -> Vec<PathBuf> {
    walkdir::WalkDir::new(folder)
        .into_iter()
        .filter_entry(|e| e.file_name() != "target" && e.file_name() != ".work")
        .map(|entry| entry.expect("the tree can be listed").into_path())
        .filter(|path| path.extension().is_some_and(|e| e == extension))
        .collect()
}

fn fail_with(problems: Vec<String>) {
    assert!(problems.is_empty(), "\n{}\n", problems.join("\n"));
}

#[test]
fn dependencies_between_crates_point_upward_only() {
    let allowed: BTreeMap<_, _> = MAY_USE.iter().copied().collect();
    let mut problems = Vec::new();
    for (name, folder) in crates() {
        let Some(may_use) = allowed.get(name.as_str()) else {
            problems.push(format!("crates/{name} is not in the table of crates/tidy"));
            continue;
        };
        let text = fs::read_to_string(folder.join("Cargo.toml")).expect("a manifest");
        let manifest: toml::Table = text.parse().expect("a valid manifest");
        let Some(dependencies) = manifest.get("dependencies").and_then(|d| d.as_table()) else {
            continue;
        };
        for used in dependencies
            .keys()
            .filter_map(|key| key.strip_prefix("braid-"))
        {
            if !may_use.contains(&used) {
                problems.push(format!("crates/{name} must not use crates/{used}"));
            }
        }
    }
    fail_with(problems);
}

#[test]
fn every_module_says_what_it_is_for() {
    let mut problems = Vec::new();
    for (_, folder) in crates() {
        for file in files(&folder, "rs") {
            let text = fs::read_to_string(&file).expect("sources are UTF-8");
            let first = text
                .lines()
                .find(|l| !l.trim().is_empty() && !l.starts_with("#!"))
                .unwrap_or("");
            if !first.starts_with("//!") {
                problems.push(format!("{} has no module documentation", file.display()));
            }
        }
    }
    fail_with(problems);
}

#[test]
fn no_source_file_is_too_long_to_read() {
    let mut problems = Vec::new();
    let sources = files(&root().join("crates"), "rs")
        .into_iter()
        .chain(files(&root().join("java"), "java"));
    for file in sources {
        let lines = fs::read_to_string(&file)
            .expect("sources are UTF-8")
            .lines()
            .count();
        if lines > LONGEST_FILE {
            problems.push(format!(
                "{}: {lines} lines, at most {LONGEST_FILE}",
                file.display()
            ));
        }
    }
    fail_with(problems);
}

#[test]
fn unsafe_code_lives_where_it_is_allowed() {
    let mut problems = Vec::new();
    for (name, folder) in crates() {
        if MAY_BE_UNSAFE.contains(&name.as_str()) || name == "tidy" {
            continue;
        }
        for file in files(&folder, "rs") {
            let text = fs::read_to_string(&file).expect("sources are UTF-8");
            let hit = text.lines().position(|line| {
                let code = line.split("//").next().unwrap_or("");
                code.contains("unsafe {")
                    || code.contains("unsafe fn")
                    || code.contains("unsafe impl")
            });
            problems
                .extend(hit.map(|line| format!("{}:{}: unsafe code", file.display(), line + 1)));
        }
    }
    fail_with(problems);
}

#[test]
fn every_path_named_in_the_architecture_exists() {
    let root = root();
    let text = fs::read_to_string(root.join("ARCHITECTURE.md")).expect("ARCHITECTURE.md");
    let known_roots = ["crates/", "java/", "bench/", "docs/", "example/", "fuzz/"];
    let mut problems = Vec::new();
    for quoted in text.split('`').skip(1).step_by(2) {
        if known_roots.iter().any(|start| quoted.starts_with(start)) && !root.join(quoted).exists()
        {
            problems.push(format!(
                "ARCHITECTURE.md names `{quoted}`, which does not exist"
            ));
        }
    }
    let lines = text.lines().count();
    if lines > 400 {
        problems.push(format!("ARCHITECTURE.md has {lines} lines, at most 400"));
    }
    fail_with(problems);
}

#[test]
fn every_crate_stands_on_the_map() {
    let text = fs::read_to_string(root().join("ARCHITECTURE.md")).expect("ARCHITECTURE.md");
    let named: BTreeSet<_> = text.split('`').skip(1).step_by(2).collect();
    let missing = crates()
        .into_keys()
        .filter(|name| !named.contains(format!("crates/{name}").as_str()));
    fail_with(
        missing
            .map(|name| format!("ARCHITECTURE.md does not name `crates/{name}`"))
            .collect(),
    );
}
