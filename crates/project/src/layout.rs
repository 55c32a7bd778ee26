//! The folders and jars of a project that has no build tool.

use std::path::{Path, PathBuf};

use crate::config::ProjectConfig;
use crate::error::ProjectError;
use crate::options::ProjectOptions;

/// Where everything is. All paths are absolute.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Layout {
    pub(crate) sources: Vec<PathBuf>,
    pub(crate) tests: Vec<PathBuf>,
    pub(crate) resources: Vec<PathBuf>,
    pub(crate) test_resources: Vec<PathBuf>,
    pub(crate) classpath: Vec<PathBuf>,
    pub(crate) test_classpath: Vec<PathBuf>,
}

/// Pairs of folders for sources and tests, the most telling first.
const PAIRS: [(&str, &str); 6] = [
    ("src/main/java", "src/test/java"),
    ("src/java", "src/test"),
    ("src", "test"),
    ("src", "tests"),
    ("source", "test"),
    ("java", "test"),
];

/// The layout of a tree in one of the usual forms.
pub(crate) fn detect(root: &Path) -> Option<Layout> {
    let present = |name: &str| root.join(name).is_dir() && has_java(&root.join(name));
    let both = PAIRS
        .into_iter()
        .find(|(source, tests)| present(source) && present(tests));
    let (source, tests) = both.or_else(|| {
        PAIRS
            .into_iter()
            .take(3)
            .find(|(source, tests)| present(source) || (present(tests) && tests.starts_with("src")))
    })?;
    let existing = |names: &[&str]| -> Vec<PathBuf> {
        names
            .iter()
            .map(|name| root.join(name))
            .filter(|dir| dir.is_dir())
            .collect()
    };
    let standard = source == "src/main/java";
    Some(Layout {
        sources: existing(&[source]),
        tests: existing(&[tests]),
        resources: existing(if standard {
            &["src/main/resources"]
        } else {
            &["resources", "res"]
        }),
        test_resources: existing(if standard {
            &["src/test/resources"]
        } else {
            &["test-resources"]
        }),
        classpath: jars_below(&existing(&["lib", "libs"])),
        test_classpath: jars_below(&existing(&["test-lib", "testlib"])),
    })
}

/// The layout that the command line names.
pub(crate) fn explicit(dir: &Path, opts: &ProjectOptions) -> Result<Layout, ProjectError> {
    let roots = |roots: &[PathBuf]| -> Result<Vec<PathBuf>, ProjectError> {
        let absolute = roots.iter().map(|root| dir.join(root));
        let checked = absolute.map(|root| {
            let canonical = std::fs::canonicalize(&root)
                .ok()
                .filter(|root| root.is_dir());
            canonical.ok_or(ProjectError::NoFolder(root))
        });
        checked.collect()
    };
    Ok(Layout {
        sources: roots(&opts.sources)?,
        tests: roots(&opts.tests)?,
        classpath: expand(dir, &opts.classpath),
        ..Layout::default()
    })
}

/// The layout that `braid.toml` names.
pub(crate) fn configured(base: &Path, settings: &ProjectConfig) -> Layout {
    let mut layout = Layout {
        classpath: jars_below(&[base.join("lib")]),
        ..Layout::default()
    };
    layout.configure(base, settings);
    layout
}

impl Layout {
    /// Replaces what `braid.toml` names.
    pub(crate) fn configure(&mut self, base: &Path, settings: &ProjectConfig) {
        let roots = |roots: &Vec<PathBuf>| -> Vec<PathBuf> {
            roots.iter().map(|root| normal(&base.join(root))).collect()
        };
        let pairs = [
            (&mut self.sources, &settings.sources),
            (&mut self.tests, &settings.test_sources),
            (&mut self.resources, &settings.resources),
            (&mut self.test_resources, &settings.test_resources),
        ];
        for (own, configured) in pairs {
            if let Some(configured) = configured {
                *own = roots(configured);
            }
        }
        if let Some(classpath) = &settings.classpath {
            self.classpath = expand(base, classpath);
        }
        if let Some(classpath) = &settings.test_classpath {
            self.test_classpath = expand(base, classpath);
        }
    }
}

/// The folder itself, or the innermost one that also holds every root.
pub(crate) fn common_root(dir: &Path, layout: &Layout) -> PathBuf {
    let holds = |dir: &&Path| {
        layout
            .sources
            .iter()
            .chain(&layout.tests)
            .all(|r| r.starts_with(dir))
    };
    dir.ancestors().find(holds).unwrap_or(dir).to_owned()
}

/// Class path entries with `dir/*` and `dir/*.jar` written out, and lists with the system's
/// separator split.
pub(crate) fn expand(base: &Path, entries: &[PathBuf]) -> Vec<PathBuf> {
    let mut expanded = Vec::new();
    for entry in entries
        .iter()
        .flat_map(|entry| std::env::split_paths(entry).collect::<Vec<_>>())
    {
        let entry = base.join(entry);
        let last = entry
            .file_name()
            .and_then(|name| name.to_str())
            .unwrap_or("");
        match last {
            "*" | "*.jar" => expanded.extend(jars_in(&normal(entry.parent().unwrap_or(base)))),
            _ => expanded.push(normal(&entry)),
        }
    }
    expanded
}

fn normal(path: &Path) -> PathBuf {
    std::fs::canonicalize(path).unwrap_or_else(|_| path.to_owned())
}

fn is_jar(path: &Path) -> bool {
    let name = path
        .file_name()
        .and_then(|name| name.to_str())
        .unwrap_or("");
    name.ends_with(".jar") && !name.ends_with("-sources.jar") && !name.ends_with("-javadoc.jar")
}

fn jars_in(dir: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(dir).into_iter().flatten().flatten();
    let mut jars: Vec<PathBuf> = entries
        .map(|e| e.path())
        .filter(|path| is_jar(path))
        .collect();
    jars.sort();
    jars
}

fn jars_below(dirs: &[PathBuf]) -> Vec<PathBuf> {
    let entries = dirs
        .iter()
        .flat_map(|dir| walkdir::WalkDir::new(dir).sort_by_file_name());
    entries
        .flatten()
        .map(walkdir::DirEntry::into_path)
        .filter(|path| is_jar(path))
        .collect()
}

/// Whether there is a Java source somewhere below.
pub(crate) fn has_java(dir: &Path) -> bool {
    java_files(&[dir.to_owned()]).next().is_some()
}

/// The Java sources below some roots, in a stable order.
pub(crate) fn java_files(roots: &[PathBuf]) -> impl Iterator<Item = PathBuf> {
    let walks = roots.iter().flat_map(|r| {
        walkdir::WalkDir::new(r)
            .follow_links(true)
            .sort_by_file_name()
    });
    let files = walks.flatten().map(walkdir::DirEntry::into_path);
    files.filter(|file| file.extension().is_some_and(|e| e == "java") && file.is_file())
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn tree(files: &[&str]) -> tempfile::TempDir {
        let dir = tempfile::tempdir().unwrap();
        for file in files {
            let path = dir.path().join(file);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, "").unwrap();
        }
        dir
    }

    fn check(files: &[&str], expected: Option<(&str, &[&str])>) {
        let dir = tree(files);
        let found = detect(dir.path()).map(|layout| (layout.sources, layout.tests));
        let absolute = |names: &[&str]| names.iter().map(|n| dir.path().join(n)).collect();
        let expected = expected.map(|(source, tests)| (absolute(&[source]), absolute(tests)));
        assert_eq!(found, expected, "{files:?}");
    }

    #[test]
    fn the_usual_trees_are_recognised() {
        check(
            &["src/main/java/A.java", "src/test/java/T.java"],
            Some(("src/main/java", &["src/test/java"])),
        );
        check(&["src/main/java/A.java"], Some(("src/main/java", &[])));
        check(&["src/A.java", "test/T.java"], Some(("src", &["test"])));
        check(&["src/A.java", "tests/T.java"], Some(("src", &["tests"])));
        check(
            &["src/java/A.java", "src/test/T.java"],
            Some(("src/java", &["src/test"])),
        );
        check(&["src/A.java"], Some(("src", &[])));
        check(&["src/readme.txt", "lib/x.jar"], None);
    }

    #[test]
    fn jars_are_found_without_sources_and_javadoc() {
        let dir = tree(&[
            "src/A.java",
            "lib/a.jar",
            "lib/x/b.jar",
            "lib/a-sources.jar",
        ]);
        let layout = detect(dir.path()).unwrap();
        assert_eq!(
            layout.classpath,
            ["lib/a.jar", "lib/x/b.jar"].map(|n| dir.path().join(n))
        );
        let root = fs::canonicalize(dir.path()).unwrap();
        let expanded = expand(&root, &["lib/*.jar".into(), "lib/x/*:src".into()]);
        assert_eq!(
            expanded,
            ["lib/a.jar", "lib/x/b.jar", "src"].map(|n| root.join(n))
        );
    }
}
