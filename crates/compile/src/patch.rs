//! Compiling a patch of one module: no more files than needed, with the verdict of compiling all.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use crate::abi::{self, Scope};
use crate::{
    Changes, Classes, CompileError, Diagnostic, Javac, Module, Outcome, Processing, Request, Setup,
    Source, abi_equal,
};

/// How much of a module was compiled for a patch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Recompiled {
    /// The patch has no effect on this module's sources.
    Nothing,
    /// The changed files; nothing else could notice.
    Changed,
    /// Every source, because other files could notice: what depends on the module must be compiled
    /// again too, its tests and the modules downstream (see [`compile_all`]).
    All,
}

/// The class files of a patched module, as far as they may differ from the unpatched ones.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PatchCompiled {
    /// New and changed classes, and possibly some that came out as they were.
    pub classes: Classes,
    /// Classes of the unpatched module that the patched one does not have.
    pub removed: BTreeSet<String>,
    /// How much was compiled.
    pub recompiled: Recompiled,
    /// Warnings and notes.
    pub remarks: Vec<Diagnostic>,
}

/// What compiling a patch gave.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PatchOutcome {
    /// The patch compiles.
    Compiled(PatchCompiled),
    /// It does not; only errors, at least one.
    Errors(Vec<Diagnostic>),
}

/// Compiles what a patch changes in a module: the changed files against the unpatched classes, or
/// every source if other files could notice the change.
///
/// The verdict is that of compiling all sources from nothing. Changes of files that are no sources
/// of the module are ignored.
pub fn compile_patch(
    javac: &mut dyn Javac,
    module: &Module,
    changes: &Changes,
) -> Result<PatchOutcome, CompileError> {
    let changes = relevant(module, changes)?;
    if changes.written.is_empty() && changes.deleted.is_empty() {
        return Ok(PatchOutcome::Compiled(PatchCompiled {
            classes: Classes::new(),
            removed: BTreeSet::new(),
            recompiled: Recompiled::Nothing,
            remarks: Vec::new(),
        }));
    }
    if needs_all(module, &changes) {
        return compile_all(javac, module, &changes);
    }
    let response = javac.compile(&changed_files(module, &changes))?;
    match response.outcome {
        Outcome::Errors(errors) if response.parse_failed || response.bodies_only => {
            Ok(PatchOutcome::Errors(errors))
        }
        Outcome::Errors(_) => compile_all(javac, module, &changes),
        Outcome::Compiled(classes) => {
            let Some(removed) = unnoticed(module, &changes, &classes)? else {
                return compile_all(javac, module, &changes);
            };
            let recompiled = Recompiled::Changed;
            let remarks = response.remarks;
            Ok(PatchOutcome::Compiled(PatchCompiled {
                classes,
                removed,
                recompiled,
                remarks,
            }))
        }
    }
}

/// Compiles every source of a module from nothing, with these changes (which may be none).
///
/// This is also what dependants need after [`Recompiled::All`]: their sources are the same, their
/// class path has changed.
pub fn compile_all(
    javac: &mut dyn Javac,
    module: &Module,
    changes: &Changes,
) -> Result<PatchOutcome, CompileError> {
    let mut sources = BTreeMap::new();
    for root in &module.source_roots {
        for path in files_below(root, "java")? {
            sources.insert(path, None);
        }
    }
    for (path, bytes) in relevant(module, changes)?.written {
        sources.insert(path, Some(bytes));
    }
    let sources: Vec<Source> = sources
        .into_iter()
        .filter(|(path, _)| !changes.deleted.contains(path) && is_source(module, path))
        .map(|(path, content)| Source { path, content })
        .collect();
    let before = class_names(&module.classes)?;
    if sources.is_empty() {
        return Ok(PatchOutcome::Compiled(PatchCompiled {
            classes: Classes::new(),
            removed: before,
            recompiled: Recompiled::All,
            remarks: Vec::new(),
        }));
    }
    let response = javac.compile(&Request {
        setup: module.setup.clone(),
        sources,
    })?;
    Ok(match response.outcome {
        Outcome::Errors(errors) => PatchOutcome::Errors(errors),
        Outcome::Compiled(classes) => PatchOutcome::Compiled(PatchCompiled {
            removed: before
                .into_iter()
                .filter(|name| !classes.contains_key(name))
                .collect(),
            classes,
            recompiled: Recompiled::All,
            remarks: response.remarks,
        }),
    })
}

/// The changes of this module's sources that change something.
fn relevant(module: &Module, changes: &Changes) -> Result<Changes, CompileError> {
    let mut kept = Changes::default();
    for (path, bytes) in &changes.written {
        let same = || Ok(path.is_file() && read(path)? == *bytes);
        if is_source(module, path) && !same()? {
            kept.written.insert(path.clone(), bytes.clone());
        }
    }
    let gone = changes.deleted.iter();
    let gone = gone.filter(|path| is_source(module, path) && path.is_file());
    kept.deleted.extend(gone.cloned());
    Ok(kept)
}

/// Whether a file is compiled with the module. Module declarations are not: everything is compiled
/// in the unnamed module, as tests run on the class path.
pub(crate) fn is_source(module: &Module, path: &Path) -> bool {
    path.extension().is_some_and(|found| found == "java")
        && path
            .file_name()
            .is_some_and(|name| name != "module-info.java")
        && module
            .source_roots
            .iter()
            .any(|root| path.starts_with(root))
        && !module.left_out.contains(path)
}

/// Whether only compiling everything can tell: files that come or go, processors that may look at
/// any file, files whose effect no class file shows.
fn needs_all(module: &Module, changes: &Changes) -> bool {
    !changes.deleted.is_empty()
        || module.setup.processing != Processing::None
        || changes.written.keys().any(|path| {
            !path.is_file()
                || path
                    .file_name()
                    .is_some_and(|name| name == "package-info.java")
        })
}

/// The module's setup with its unpatched classes in front of the class path.
pub(crate) fn beside_originals(module: &Module) -> Setup {
    let mut class_path = vec![module.classes.clone()];
    class_path.extend_from_slice(&module.setup.class_path);
    Setup {
        class_path,
        ..module.setup.clone()
    }
}

fn changed_files(module: &Module, changes: &Changes) -> Request {
    let sources = changes.written.iter();
    Request {
        setup: beside_originals(module),
        sources: sources
            .map(|(path, bytes)| Source {
                path: path.clone(),
                content: Some(bytes.clone()),
            })
            .collect(),
    }
}

/// The classes that the changed files do not give any more, if no other file could notice what
/// they give now; none if one could.
fn unnoticed(
    module: &Module,
    changes: &Changes,
    classes: &Classes,
) -> Result<Option<BTreeSet<String>>, CompileError> {
    let Some(before) = classes_before(module, changes)? else {
        return Ok(None);
    };
    let mut removed = BTreeSet::new();
    for (name, old) in &before {
        match classes.get(name) {
            Some(_) if is_local(&before, name) && is_local(classes, name) => {}
            Some(new) if abi_equal(old, new) => {}
            None if is_local(&before, name) => {
                removed.insert(name.clone());
            }
            _ => return Ok(None),
        }
    }
    let fresh = classes.keys().filter(|name| !before.contains_key(*name));
    let visible = fresh.into_iter().any(|name| !is_local(classes, name));
    Ok((!visible).then_some(removed))
}

/// Whether a class is local or stands in a local one.
fn is_local(classes: &Classes, name: &str) -> bool {
    match classes.get(name).map(|bytes| abi::scope(bytes)) {
        Some(Scope::Local) => true,
        Some(Scope::Member(outer)) if outer != name => is_local(classes, &outer),
        _ => false,
    }
}

/// The unpatched classes that came from the changed files; none if they cannot be told apart.
fn classes_before(module: &Module, changes: &Changes) -> Result<Option<Classes>, CompileError> {
    let mut found = Classes::new();
    for path in changes.written.keys() {
        let root = module
            .source_roots
            .iter()
            .find_map(|root| path.strip_prefix(root).ok());
        let package = root.and_then(Path::parent).unwrap_or(Path::new(""));
        let folder = module.classes.join(package);
        if !folder.is_dir() {
            return Ok(None);
        }
        for entry in fs::read_dir(&folder).map_err(|source| failure(&folder, source))? {
            let file = entry.map_err(|source| failure(&folder, source))?.path();
            if file
                .extension()
                .is_none_or(|extension| extension != "class")
            {
                continue;
            }
            let bytes = read(&file)?;
            let Some(source) = abi::source_file(&bytes) else {
                return Ok(None);
            };
            if path.file_name().is_some_and(|name| name == source.as_str())
                && let Some(name) = class_name(&module.classes, &file)
            {
                found.insert(name, bytes);
            }
        }
    }
    Ok(Some(found))
}

/// The binary names of the classes below a folder.
fn class_names(folder: &Path) -> Result<BTreeSet<String>, CompileError> {
    let files = files_below(folder, "class")?;
    Ok(files
        .iter()
        .filter_map(|file| class_name(folder, file))
        .collect())
}

/// The binary name of the class in a file below a folder of classes.
fn class_name(folder: &Path, file: &Path) -> Option<String> {
    let inside = file.strip_prefix(folder).ok()?.with_extension("");
    let parts: Option<Vec<&str>> = inside.iter().map(|part| part.to_str()).collect();
    Some(parts?.join("/"))
}

/// Every file with this extension below a folder, sorted; none if there is no such folder.
fn files_below(folder: &Path, extension: &str) -> Result<Vec<PathBuf>, CompileError> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        if !folder.is_dir() {
            continue;
        }
        for entry in fs::read_dir(&folder).map_err(|source| failure(&folder, source))? {
            let path = entry.map_err(|source| failure(&folder, source))?.path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|found| found == extension) {
                found.push(path);
            }
        }
    }
    found.sort();
    Ok(found)
}

pub(crate) fn read(path: &Path) -> Result<Vec<u8>, CompileError> {
    fs::read(path).map_err(|source| failure(path, source))
}

fn failure(path: &Path, source: std::io::Error) -> CompileError {
    CompileError::Read {
        path: path.to_owned(),
        source,
    }
}
