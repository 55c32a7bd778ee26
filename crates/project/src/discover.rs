//! From a folder to a described project.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crate::error::ProjectError;
use crate::gradle::Gradle;
use crate::jdk::{self, Jdk, Places};
use crate::locate::{Located, locate};
use crate::maven::Maven;
use crate::model::{Module, Project, ProjectKind};
use crate::options::ProjectOptions;
use crate::overrides;
use crate::plain::Plain;
use crate::reading::{self, Context, Reading};
use crate::state::StateDir;

/// Finds the project that `dir` is in, builds it once in its own tool, and reads its model.
///
/// When nothing changed since the last time, the model comes from `.braid/cache` and no tool is
/// started.
pub fn discover(dir: &Path, opts: &ProjectOptions) -> Result<Project, ProjectError> {
    let located = locate(dir, opts)?;
    let jdk = choose_jdk(&located, dir, opts)?;
    let reading = read(&located, &jdk, opts)?;
    let mut warnings = located.warnings;
    warnings.extend(reading.warnings);
    let mut modules = reading.modules;
    overrides::apply(&mut modules, &located.config, &located.root, located.kind)?;
    let wanted = match &located.config.config.project.modules {
        Some(configured) if opts.modules.is_empty() => configured,
        _ => &opts.modules,
    };
    choose_modules(&mut modules, wanted, &located.root)?;
    let javas = choose_javas(&mut modules, dir, opts)?;
    Ok(Project {
        root: located.root,
        kind: located.kind,
        build_tool: reading.tool,
        jdk,
        javas,
        modules,
        config: located.config.config,
        warnings,
    })
}

/// The root of the project in `dir` and the JDK that compiles it, by looking at files only.
pub fn compiler_of(dir: &Path, opts: &ProjectOptions) -> Result<(PathBuf, Jdk), ProjectError> {
    let located = locate(dir, opts)?;
    let jdk = choose_jdk(&located, dir, opts)?;
    Ok((located.root, jdk))
}

/// What is found in `dir` by looking at files only, in words.
pub(crate) fn sighting(dir: &Path) -> String {
    match locate(dir, &ProjectOptions::default()) {
        Ok(located) => located.to_string(),
        Err(_) => "no project that Braid recognises; set `kind` and `sources`".to_owned(),
    }
}

/// The JDK that the command line or `braid.toml` names, or the best one of the machine.
pub(crate) fn choose_jdk(
    located: &Located,
    dir: &Path,
    opts: &ProjectOptions,
) -> Result<Jdk, ProjectError> {
    let asked = opts.jdk.as_ref().map(|home| (dir.join(home), "--jdk"));
    let configured = located.config.config.project.jdk.as_ref();
    let base = located.config.base(&located.root);
    let named =
        asked.or_else(|| configured.map(|home| (base.join(home), "project.jdk in braid.toml")));
    let named = named.as_ref().map(|(home, by)| (home.as_path(), *by));
    jdk::choose(named, &Places::of_this_machine())
}

/// Looks at the JVMs that are named for tests: by the command line for all modules, or by `braid.toml` and the build
/// tool for each.
fn choose_javas(
    modules: &mut [Module],
    dir: &Path,
    opts: &ProjectOptions,
) -> Result<BTreeMap<PathBuf, Jdk>, ProjectError> {
    let mut javas = BTreeMap::new();
    for module in modules {
        if let Some(home) = &opts.java {
            module.java = Some(dir.join(home));
        }
        if let Some(home) = &module.java {
            let by = match &opts.java {
                Some(_) => "--java".to_owned(),
                None => format!("the JVM for tests of {}", module.name),
            };
            javas.insert(home.clone(), jdk::for_tests(home, &by)?);
        }
    }
    Ok(javas)
}

fn read(located: &Located, jdk: &Jdk, opts: &ProjectOptions) -> Result<Reading, ProjectError> {
    let context = Context {
        root: &located.root,
        opts,
        config: &located.config.config,
        jdk,
        state: StateDir::create(&located.root)?,
    };
    match (located.kind, &located.layout) {
        (ProjectKind::Maven, _) => reading::read(&context, &Maven),
        (ProjectKind::Gradle, _) => reading::read(&context, &Gradle),
        (_, Some(layout)) => {
            let build_file = located.config.file.clone();
            reading::read(&context, &Plain { layout, build_file })
        }
        (_, None) => Err(ProjectError::NoProject(located.root.clone())),
    }
}

/// Keeps the modules that are asked for, by name or folder; the others stay on class paths.
fn choose_modules(
    modules: &mut Vec<Module>,
    wanted: &[String],
    root: &Path,
) -> Result<(), ProjectError> {
    let is = |module: &Module, name: &str| module.name == name || module.dir == root.join(name);
    for name in wanted {
        if !modules.iter().any(|module| is(module, name)) {
            let known: Vec<&str> = modules.iter().map(|module| module.name.as_str()).collect();
            return Err(ProjectError::NoModule {
                name: name.clone(),
                known: known.join(", "),
            });
        }
    }
    if !wanted.is_empty() {
        modules.retain(|module| wanted.iter().any(|name| is(module, name)));
    }
    Ok(())
}
