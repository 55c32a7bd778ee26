//! What a verdict depends on apart from the patch, as one hash.

use std::path::{Path, PathBuf};

use braid_payload::Payload;
use braid_project::{Module, Project};
use braid_store::{Key, KeyBuilder, hash_file};
use walkdir::{DirEntry, WalkDir};

use crate::{EngineError, Settings};

/// Environment variables that programs behave by, though nobody configures them for a project.
const ENVIRONMENT: [&str; 6] = [
    "LANG",
    "LC_ALL",
    "TZ",
    "JAVA_TOOL_OPTIONS",
    "_JAVA_OPTIONS",
    "CLASSPATH",
];

/// The hash of the unpatched program: every file of the project (except version control, Braid's own and what
/// else the build leaves behind), class files, jars, the JDK, how tests are run, and Braid itself.
pub(crate) fn project(
    project: &Project,
    payload: &Payload,
    left_out: &[PathBuf],
) -> Result<Key, EngineError> {
    let mut key = KeyBuilder::new("project");
    key.part("braid", env!("CARGO_PKG_VERSION"));
    let own = [&payload.runner, &payload.compiler, &payload.runtime];
    for jar in own.into_iter().chain(&payload.agent) {
        key.part(
            "payload",
            hash_file(jar).map_err(EngineError::io("read", jar))?,
        );
    }
    key.value("jdk", &(&project.jdk.full_version, &project.jdk.vendor));
    for java in project.javas.values() {
        key.value("java", &(&java.full_version, &java.vendor));
    }
    for name in ENVIRONMENT {
        key.part(
            name,
            std::env::var_os(name)
                .unwrap_or_default()
                .as_encoded_bytes(),
        );
    }
    let relative = |module: &Module| {
        let json = serde_json::to_string(module).unwrap_or_default();
        json.replace(&*project.root.to_string_lossy(), "")
    };
    for module in &project.modules {
        key.part("module", relative(module));
    }
    add_tree(&mut key, &project.root, &|entry| {
        is_input(project, left_out, entry.path())
    })?;
    for path in outside_inputs(project) {
        if path.is_dir() {
            add_tree(&mut key, &path, &|_| true)?;
        } else if path.is_file() {
            add_file(&mut key, &path, &path)?;
        }
    }
    Ok(key.finish())
}

/// The key of a project's baseline under these settings.
pub(crate) fn baseline(project: &Key, settings: &Settings) -> Key {
    let mut key = KeyBuilder::new("baseline");
    key.part("project", project.bytes());
    key.value("settings", &(settings.heap_mb, &settings.only_tests));
    key.finish()
}

/// The key of a verdict: the program, the patch's effect, the tests and the limits. How many workers there are
/// does not matter.
pub(crate) fn verdict(project: &Key, settings: &Settings, effect: &Key, failing: &[String]) -> Key {
    let mut key = KeyBuilder::new("verdict");
    key.part("project", project.bytes());
    let settings = Settings {
        jobs: 0,
        ..settings.clone()
    };
    key.value("settings", &settings);
    key.part("effect", effect.bytes());
    key.value("failing", &failing);
    key.finish()
}

/// Whether a file below the project's root can influence a test.
fn is_input(project: &Project, left_out: &[PathBuf], path: &Path) -> bool {
    let Ok(relative) = path.strip_prefix(&project.root) else {
        return true;
    };
    let first = relative.iter().next().and_then(|part| part.to_str());
    if matches!(
        first,
        Some(".git" | ".braid" | ".hg" | ".svn" | ".idea" | ".vscode")
    ) {
        return false;
    }
    if left_out.iter().any(|input| path.starts_with(input)) {
        return false;
    }
    // of a build folder (`target`, `build`) only what is compiled and generated counts
    let in_build_folder = project
        .modules
        .iter()
        .filter_map(build_folder)
        .any(|build| path != build && path.starts_with(&build));
    !in_build_folder
        || project.modules.iter().any(|module| {
            let mut outputs = vec![&module.classes, &module.test_classes];
            outputs.extend(module.source_roots.iter().chain(&module.test_roots));
            outputs
                .iter()
                .any(|output| path.starts_with(output) || output.starts_with(path))
        })
}

/// The folder for everything that a module's build writes, if it is the usual one.
fn build_folder(module: &Module) -> Option<PathBuf> {
    ["target", "build"]
        .iter()
        .map(|name| module.dir.join(name))
        .find(|folder| module.classes.starts_with(folder))
}

/// Class path entries and outputs outside the project's root, or in its `.braid`.
fn outside_inputs(project: &Project) -> Vec<PathBuf> {
    let braid_dir = project.braid_dir();
    let mut paths: Vec<PathBuf> = Vec::new();
    for module in &project.modules {
        let class_paths = module
            .compile_classpath
            .iter()
            .chain(&module.test_classpath);
        let all = class_paths.chain([&module.classes, &module.test_classes]);
        let outside =
            all.filter(|path| !path.starts_with(&project.root) || path.starts_with(&braid_dir));
        paths.extend(outside.cloned());
    }
    paths.sort();
    paths.dedup();
    paths
}

fn add_tree(
    key: &mut KeyBuilder,
    root: &Path,
    counts: &dyn Fn(&DirEntry) -> bool,
) -> Result<(), EngineError> {
    let walk = WalkDir::new(root).follow_links(false).sort_by_file_name();
    for entry in walk
        .into_iter()
        .filter_entry(|entry| entry.depth() == 0 || counts(entry))
    {
        let entry = entry.map_err(|error| {
            let path = error.path().unwrap_or(root).to_owned();
            EngineError::io("read", &path)(error.into())
        })?;
        let name = entry.path().strip_prefix(root).unwrap_or(entry.path());
        if entry.file_type().is_file() {
            add_file(key, name, entry.path())?;
        } else if entry.path_is_symlink() {
            let target = std::fs::read_link(entry.path()).unwrap_or_default();
            key.part("link", name.as_os_str().as_encoded_bytes());
            key.part("to", target.as_os_str().as_encoded_bytes());
        }
    }
    Ok(())
}

fn add_file(key: &mut KeyBuilder, name: &Path, path: &Path) -> Result<(), EngineError> {
    let hash = hash_file(path).map_err(EngineError::io("read", path))?;
    key.part("file", name.as_os_str().as_encoded_bytes())
        .part("content", hash);
    Ok(())
}
