//! What an applied patch means for the project: which modules, sources, resources and classes it changes.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use braid_project::{Module, Project, ProjectKind};
use braid_variants::{Applied, FileState, RelPath};

/// What a patch changes, sorted by what has to be done about it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Change {
    /// By module name.
    pub modules: BTreeMap<String, ModuleChange>,
    /// The packages of changed sources and classes, with dots.
    pub packages: BTreeSet<String>,
    /// The first test file it changes.
    pub test_file: Option<String>,
}

/// What a patch changes in one module.
#[derive(Clone, Debug, Default)]
pub(crate) struct ModuleChange {
    /// Sources.
    pub main: SourceChanges,
    /// Test sources.
    pub test: SourceChanges,
    /// Files to put into, or take from, output folders as they are: resources and class files.
    pub outputs: Vec<(PathBuf, FileState)>,
}

/// Sources that a patch changes, by absolute path in the user's tree.
#[derive(Clone, Debug, Default)]
pub(crate) struct SourceChanges {
    /// Those that are new or have another content.
    pub written: BTreeSet<PathBuf>,
    /// Those that are gone.
    pub deleted: BTreeSet<PathBuf>,
}

impl SourceChanges {
    /// Whether nothing changes.
    pub(crate) fn is_empty(&self) -> bool {
        self.written.is_empty() && self.deleted.is_empty()
    }
}

/// Why Braid does not judge a patch.
pub(crate) type Refusal = String;

/// Sorts the files and classes of an applied patch.
pub(crate) fn classify(project: &Project, applied: &Applied) -> Result<Change, Refusal> {
    let mut change = Change::default();
    for (path, state) in &applied.files {
        classify_file(project, path, state, &mut change)?;
    }
    for (class, bytes) in &applied.classes {
        classify_class(project, class, bytes, applied, &mut change)?;
    }
    Ok(change)
}

fn classify_file(
    project: &Project,
    path: &RelPath,
    state: &FileState,
    change: &mut Change,
) -> Result<(), Refusal> {
    let file = path.under(&project.root);
    let module = project
        .module_of(&file)
        .or_else(|| (project.modules.len() == 1).then(|| &project.modules[0]));
    let in_root = module.is_some_and(|m| m.is_source_path(&file) || m.is_test_path(&file));
    if !in_root {
        refuse_outside_roots(project, path, &file)?;
    }
    let Some(module) = module else {
        // a file beside the modules: every test may read it
        for module in &project.modules {
            change.modules.entry(module.name.clone()).or_default();
        }
        return Ok(());
    };
    let is_test = module.is_test_path(&file) && !module.is_source_path(&file);
    if is_test && change.test_file.is_none() {
        change.test_file = Some(path.to_string());
    }
    if in_root {
        refuse_other_languages(path)?;
    }
    let entry = change.modules.entry(module.name.clone()).or_default();
    let roots = if is_test {
        &module.test_roots
    } else {
        &module.source_roots
    };
    if let Some(root) = innermost(roots, &file)
        && path.is_java()
    {
        let changes = if is_test {
            &mut entry.test
        } else {
            &mut entry.main
        };
        put(changes, &file, state);
        change.packages.insert(package_of(root, &file));
        return Ok(());
    }
    let (roots, output) = if is_test {
        (&module.test_resource_roots, &module.test_classes)
    } else {
        (&module.resource_roots, &module.classes)
    };
    if let Some(root) = innermost(roots, &file) {
        let inside = file.strip_prefix(root).unwrap_or(&file);
        let target = copy_of(path, &file, inside, module, output)?;
        entry.outputs.push((target, state.clone()));
    }
    Ok(())
}

fn put(changes: &mut SourceChanges, file: &Path, state: &FileState) {
    let files = match state {
        FileState::Write(_) => &mut changes.written,
        FileState::Delete => &mut changes.deleted,
    };
    files.insert(file.to_owned());
}

/// The deepest of `roots` that holds `file`.
fn innermost<'a>(roots: &'a [PathBuf], file: &Path) -> Option<&'a PathBuf> {
    roots
        .iter()
        .filter(|root| file.starts_with(root))
        .max_by_key(|root| root.components().count())
}

/// The package of a source file below its root, with dots.
fn package_of(root: &Path, file: &Path) -> String {
    let folder = file.strip_prefix(root).ok().and_then(Path::parent);
    let parts = folder
        .into_iter()
        .flat_map(Path::iter)
        .map(|part| part.to_string_lossy());
    parts.collect::<Vec<_>>().join(".")
}

/// Files whose change Braid cannot follow, because it reads the build once and compiles by itself.
fn refuse_outside_roots(project: &Project, path: &RelPath, file: &Path) -> Result<(), Refusal> {
    if path.as_str().split('/').next() == Some(".braid") {
        return Err(format!("{path} is one of Braid's own files"));
    }
    let is_output = |module: &Module| {
        file.starts_with(&module.classes) || file.starts_with(&module.test_classes)
    };
    if project.modules.iter().any(is_output) {
        return Err(format!(
            "{path} is written by the build; change its source instead"
        ));
    }
    if is_build_file(project.kind, path) {
        return Err(format!(
            "changes the build ({path}); Braid reads the build once, from the unpatched project"
        ));
    }
    if path.is_java() {
        return Err(format!("{path} is in no source folder of the project"));
    }
    Ok(())
}

fn is_build_file(kind: ProjectKind, path: &RelPath) -> bool {
    let name = path.file_name();
    let folder = path.as_str();
    let of_tool = match kind {
        ProjectKind::Maven => {
            name == "pom.xml" || folder.starts_with(".mvn/") || name.starts_with("mvnw")
        }
        ProjectKind::Gradle => {
            name.ends_with(".gradle")
                || name.ends_with(".gradle.kts")
                || name.starts_with("gradle")
                || folder.starts_with("gradle/")
                || folder.starts_with("buildSrc/")
                || folder.starts_with("build-logic/")
        }
        ProjectKind::Plain | ProjectKind::Explicit => name.ends_with(".jar"),
    };
    of_tool || folder == "braid.toml"
}

fn refuse_other_languages(path: &RelPath) -> Result<(), Refusal> {
    let language = match path.file_name().rsplit_once('.').map(|(_, ext)| ext) {
        Some("kt" | "kts") => "Kotlin",
        Some("groovy") => "Groovy",
        Some("scala") => "Scala",
        _ if path.file_name() == "module-info.java" => "a module declaration",
        _ => return Ok(()),
    };
    Err(format!(
        "{path} is {language}, which Braid does not compile"
    ))
}

/// Where the build copies a resource to: the output folder, or another folder of the class path (Gradle has one
/// for resources). One that it does not copy as it is (filtered, or left out) cannot be followed.
fn copy_of(
    path: &RelPath,
    source: &Path,
    inside: &Path,
    module: &Module,
    output: &Path,
) -> Result<PathBuf, Refusal> {
    let Ok(before) = std::fs::read(source) else {
        return Ok(output.join(inside));
    };
    let folders = module.test_classpath.iter().filter(|entry| entry.is_dir());
    let mut copies = std::iter::once(output).chain(folders.map(PathBuf::as_path));
    match copies.find(|folder| folder.join(inside).is_file()) {
        Some(folder) if std::fs::read(folder.join(inside)).is_ok_and(|copy| copy == before) => {
            Ok(folder.join(inside))
        }
        Some(_) => Err(format!(
            "{path} is rewritten by the build (a filtered resource)"
        )),
        None => Err(format!("{path} is a resource that the build leaves out")),
    }
}

fn classify_class(
    project: &Project,
    class: &str,
    bytes: &[u8],
    applied: &Applied,
    change: &mut Change,
) -> Result<(), Refusal> {
    let (module, output) = place_of(project, class, applied)?;
    let is_test = output == &module.test_classes;
    if is_test && change.test_file.is_none() {
        change.test_file = Some(format!("{class}.class"));
    }
    let target = output.join(format!("{class}.class"));
    let entry = change.modules.entry(module.name.clone()).or_default();
    entry
        .outputs
        .push((target, FileState::Write(bytes.to_vec())));
    let package = class.rsplit_once('/').map_or("", |(package, _)| package);
    change.packages.insert(package.replace('/', "."));
    Ok(())
}

/// The output folder that a class of a patch belongs into: where it is now, or its outer class, or else
/// where the patch's other classes are.
fn place_of<'a>(
    project: &'a Project,
    class: &str,
    applied: &Applied,
) -> Result<(&'a Module, &'a PathBuf), Refusal> {
    let holds = |output: &Path, class: &str| output.join(format!("{class}.class")).is_file();
    let find = |class: &str| {
        let outputs = project
            .modules
            .iter()
            .flat_map(|m| [(m, &m.classes), (m, &m.test_classes)]);
        outputs.into_iter().find(|(_, output)| holds(output, class))
    };
    let outer = class.split('$').next().unwrap_or(class);
    if let Some(place) = find(class).or_else(|| find(outer)) {
        return Ok(place);
    }
    if let [module] = project.modules.as_slice() {
        return Ok((module, &module.classes));
    }
    applied
        .classes
        .keys()
        .find_map(|other| find(other))
        .ok_or_else(|| format!("cannot tell which module the new class {class} belongs to"))
}

/// The modules that can see the change: those it touches and all that depend on them.
pub(crate) fn reach(project: &Project, change: &Change) -> BTreeSet<String> {
    let seen = change
        .modules
        .keys()
        .flat_map(|name| project.dependents(name));
    let mut names: BTreeSet<String> = seen.map(|module| module.name.clone()).collect();
    // `depends_on` may name direct dependencies only
    loop {
        let more: Vec<String> = project
            .modules
            .iter()
            .filter(|m| !names.contains(&m.name) && m.depends_on.iter().any(|d| names.contains(d)))
            .map(|module| module.name.clone())
            .collect();
        if more.is_empty() {
            return names;
        }
        names.extend(more);
    }
}
