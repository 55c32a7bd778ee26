//! Where a project is and what builds it, by looking at files only.

use std::fmt;
use std::path::{Path, PathBuf};

use crate::config::{CONFIG_FILE, KindChoice, LoadedConfig, load};
use crate::error::ProjectError;
use crate::gradle;
use crate::layout::{self, Layout};
use crate::maven;
use crate::model::ProjectKind;
use crate::options::ProjectOptions;

/// A project that was found but not looked into yet.
#[derive(Debug)]
pub(crate) struct Located {
    pub(crate) root: PathBuf,
    pub(crate) kind: ProjectKind,
    pub(crate) config: LoadedConfig,
    /// The folders and jars of a project without a build tool.
    pub(crate) layout: Option<Layout>,
    pub(crate) warnings: Vec<String>,
}

impl fmt::Display for Located {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let what = match self.kind {
            ProjectKind::Maven => "a Maven project",
            ProjectKind::Gradle => "a Gradle project",
            ProjectKind::Plain => "a source tree without a build tool",
            ProjectKind::Explicit => "folders named on the command line",
        };
        write!(f, "{what} in {}", self.root.display())
    }
}

/// Finds the project that `dir` is in.
pub(crate) fn locate(dir: &Path, opts: &ProjectOptions) -> Result<Located, ProjectError> {
    let dir = std::fs::canonicalize(dir)
        .ok()
        .filter(|dir| dir.is_dir())
        .ok_or_else(|| ProjectError::NoFolder(dir.to_owned()))?;
    let file = config_file(&dir, opts);
    let config = load(file.as_deref(), opts.profile.as_deref())?;
    if opts.is_explicit() {
        let layout = layout::explicit(&dir, opts)?;
        let root = layout::common_root(&dir, &layout);
        let kind = ProjectKind::Explicit;
        return Ok(Located {
            root,
            kind,
            config,
            layout: Some(layout),
            warnings: Vec::new(),
        });
    }
    let maven = || maven::root_of(&dir).map(|root| (root, ProjectKind::Maven));
    let gradle = || gradle::root_of(&dir).map(|root| (root, ProjectKind::Gradle));
    let mut warnings = Vec::new();
    let built = match config.config.project.kind {
        Some(KindChoice::Maven) => maven(),
        Some(KindChoice::Gradle) => gradle(),
        Some(KindChoice::Plain) => None,
        None => either(maven(), gradle(), &mut warnings),
    };
    match (built, config.config.project.kind) {
        (Some((root, kind)), _) => Ok(Located {
            root,
            kind,
            config,
            layout: None,
            warnings,
        }),
        (None, Some(kind @ (KindChoice::Maven | KindChoice::Gradle))) => {
            let kind = if kind == KindChoice::Maven {
                "pom.xml"
            } else {
                "Gradle build file"
            };
            let message = format!("project.kind asks for it, but there is no {kind}");
            Err(config.error(message).into())
        }
        _ => plain(&dir, config, warnings),
    }
}

fn plain(dir: &Path, config: LoadedConfig, warnings: Vec<String>) -> Result<Located, ProjectError> {
    let kind = ProjectKind::Plain;
    let settings = &config.config.project;
    if settings.sources.is_some() || settings.test_sources.is_some() {
        let root = config.base(dir).to_owned();
        let layout = layout::configured(&root, settings);
        return Ok(Located {
            root,
            kind,
            layout: Some(layout),
            config,
            warnings,
        });
    }
    // folders' names alone are a weak sign: outside of a git repository they count for what is inside them
    let in_git = dir.ancestors().any(|dir| dir.join(".git").exists());
    let holds = |layout: &Layout| {
        let mut roots = layout.sources.iter().chain(&layout.tests);
        roots.any(|root| dir.starts_with(root))
    };
    let found = bounded_ancestors(dir)
        .filter_map(|above| Some((above, layout::detect(above)?)))
        .find(|(above, layout)| in_git || *above == dir || holds(layout));
    let (root, mut layout) = found.ok_or_else(|| ProjectError::NoProject(dir.to_owned()))?;
    layout.configure(config.base(root), settings);
    Ok(Located {
        root: root.to_owned(),
        kind,
        layout: Some(layout),
        config,
        warnings,
    })
}

/// The nearer of the two; Maven if both are at the same place.
fn either(
    maven: Option<(PathBuf, ProjectKind)>,
    gradle: Option<(PathBuf, ProjectKind)>,
    warnings: &mut Vec<String>,
) -> Option<(PathBuf, ProjectKind)> {
    let (Some(maven), Some(gradle)) = (&maven, &gradle) else {
        return maven.or(gradle);
    };
    if maven.0 == gradle.0 {
        warnings.push(
            "both Maven and Gradle build this project: using Maven; set project.kind in \
             braid.toml to choose"
                .to_owned(),
        );
    }
    let depth = |found: &(PathBuf, ProjectKind)| found.0.components().count();
    Some(if depth(gradle) > depth(maven) {
        gradle.clone()
    } else {
        maven.clone()
    })
}

/// The folder and those above it, up to the root of the git repository if it is in one.
pub(crate) fn bounded_ancestors(dir: &Path) -> impl Iterator<Item = &Path> {
    let last = dir.ancestors().position(|dir| dir.join(".git").exists());
    dir.ancestors()
        .take(last.map_or(usize::MAX, |last| last + 1))
}

fn config_file(dir: &Path, opts: &ProjectOptions) -> Option<PathBuf> {
    if let Some(file) = &opts.config {
        return Some(dir.join(file));
    }
    bounded_ancestors(dir)
        .map(|dir| dir.join(CONFIG_FILE))
        .find(|file| file.is_file())
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn a_tree_above_the_folder_counts_only_inside_a_repository() {
        let temp = tempfile::tempdir().unwrap();
        let package = temp.path().join("src/main/java/p");
        fs::create_dir_all(&package).unwrap();
        fs::write(package.join("A.java"), "package p; class A {}").unwrap();
        let inside = temp.path().join("docs");
        fs::create_dir(&inside).unwrap();
        let found = || locate(&inside, &ProjectOptions::default());
        assert!(matches!(found(), Err(ProjectError::NoProject(_))));
        let root = fs::canonicalize(temp.path()).unwrap();
        let from_package = locate(&package, &ProjectOptions::default()).unwrap();
        assert_eq!(from_package.root, root);
        fs::create_dir(temp.path().join(".git")).unwrap();
        assert_eq!(found().unwrap().root, root);
    }
}
