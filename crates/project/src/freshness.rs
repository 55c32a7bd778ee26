//! Whether compiled classes are as new as the sources they were made from.
//!
//! Build tools compare modification times, file by file, and miss sources that were replaced by
//! older ones, classes whose source is gone, and classes of one module that were compiled against
//! another module's past. The rule here is coarser and misses none of these: no class of a module
//! may be older than anything that it could have been compiled from. Changed folders count as
//! changed sources, because deleting or renaming a file leaves no other trace.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crate::model::Module;
use crate::snapshot::{changed_ns, modified_ns};

/// A class file that is older than a source it may depend on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct StaleClass {
    /// The class file.
    pub(crate) class: PathBuf,
    /// The newer source file or folder.
    pub(crate) source: PathBuf,
    /// When that changed, in nanoseconds since 1970.
    pub(crate) source_ns: i128,
}

#[derive(Debug, Clone)]
struct Dated {
    path: PathBuf,
    at_ns: i128,
}

/// Which class of a module is compared with its sources.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Compare {
    /// The oldest one, so all: for tools that compile modules as a whole.
    Every,
    /// The newest one: for tools that compile single classes again and go by content.
    Newest,
}

/// The first stale class of each module that has one. `build_files` go into every class.
pub(crate) fn stale_classes(
    modules: &[Module],
    build_files: &[PathBuf],
    compare: Compare,
) -> Vec<StaleClass> {
    let build = newest_entry(build_files);
    let newest_of = |roots: &dyn Fn(&Module) -> &[PathBuf]| -> BTreeMap<&str, Dated> {
        let dated = |m| newest_source(m, roots(m)).map(|dated| (m.name.as_str(), dated));
        modules.iter().filter_map(dated).collect()
    };
    let main = newest_of(&|m| &m.source_roots);
    let test = newest_of(&|m| &m.test_roots);
    let newest = Newest {
        build,
        main,
        test,
        compare,
    };
    modules
        .iter()
        .filter_map(|module| newest.stale_in(module, modules))
        .collect()
}

/// What changed last: of the build files, and of each module's sources and test sources.
struct Newest<'a> {
    build: Option<Dated>,
    main: BTreeMap<&'a str, Dated>,
    test: BTreeMap<&'a str, Dated>,
    compare: Compare,
}

impl Newest<'_> {
    fn stale_in(&self, module: &Module, modules: &[Module]) -> Option<StaleClass> {
        let own = module.name.as_str();
        let needed = |other: &&Module| module.depends_on.contains(&other.name);
        let of_dependencies = modules.iter().filter(needed).flat_map(|dependency| {
            let name = dependency.name.as_str();
            let tests = module.test_classpath.contains(&dependency.test_classes);
            [self.main.get(name), self.test.get(name).filter(|_| tests)]
                .into_iter()
                .flatten()
        });
        let upstream: Vec<&Dated> = of_dependencies
            .chain(self.main.get(own))
            .chain(&self.build)
            .collect();
        let newest_of = |more: Option<&Dated>| {
            upstream
                .iter()
                .copied()
                .chain(more)
                .max_by_key(|dated| dated.at_ns)
                .cloned()
        };
        let check = |classes: &Path, resources: &[PathBuf], newest: Option<Dated>| {
            let (oldest, newest) = (self.class_to_compare(classes, resources)?, newest?);
            (oldest.at_ns < newest.at_ns).then_some(StaleClass {
                class: oldest.path,
                source: newest.path,
                source_ns: newest.at_ns,
            })
        };
        check(&module.classes, &module.resource_roots, newest_of(None)).or_else(|| {
            let newest = newest_of(self.test.get(own));
            check(&module.test_classes, &module.test_resource_roots, newest)
        })
    }

    fn class_to_compare(&self, classes: &Path, resources: &[PathBuf]) -> Option<Dated> {
        let dated = own_classes(classes, resources);
        match self.compare {
            Compare::Every => dated.min_by_key(|dated| dated.at_ns),
            Compare::Newest => dated.max_by_key(|dated| dated.at_ns),
        }
    }
}

/// The source file or folder that changed last. Generated sources are outputs, not sources.
fn newest_source(module: &Module, roots: &[PathBuf]) -> Option<Dated> {
    let sources = roots.iter().filter(|root| !module.is_generated(root));
    newest_entry(sources)
}

fn newest_entry<'a>(roots: impl IntoIterator<Item = &'a PathBuf>) -> Option<Dated> {
    let entries = roots.into_iter().flat_map(walkdir::WalkDir::new);
    let dated = entries.flatten().filter_map(|entry| {
        let metadata = entry.metadata().ok()?;
        let at_ns = if metadata.is_dir() {
            modified_ns(&metadata)
        } else {
            changed_ns(&metadata)
        };
        Some(Dated {
            path: entry.into_path(),
            at_ns,
        })
    });
    dated.max_by_key(|dated| dated.at_ns)
}

/// The class files below a folder, without those that are mere copies of resources.
fn own_classes(classes: &Path, resources: &[PathBuf]) -> impl Iterator<Item = Dated> {
    let is_class = |path: &Path| path.extension().is_some_and(|e| e == "class");
    let copied = move |path: &Path| {
        let relative = path.strip_prefix(classes);
        relative.is_ok_and(|relative| resources.iter().any(|root| root.join(relative).exists()))
    };
    let entries = walkdir::WalkDir::new(classes).into_iter().flatten();
    let own = entries.filter(move |entry| is_class(entry.path()) && !copied(entry.path()));
    own.filter_map(|entry| {
        let at_ns = modified_ns(&entry.metadata().ok()?);
        Some(Dated {
            path: entry.into_path(),
            at_ns,
        })
    })
}

#[cfg(test)]
mod tests {
    use std::fs::{self, File};
    use std::time::{Duration, SystemTime};

    use super::*;

    struct Fixture {
        dir: tempfile::TempDir,
    }

    impl Fixture {
        fn new() -> Self {
            Self {
                dir: tempfile::tempdir().unwrap(),
            }
        }

        /// Writes a file and makes it (if it is a class) look as old as asked.
        fn file(&self, name: &str, age_s: i64) -> PathBuf {
            let path = self.dir.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(&path, name).unwrap();
            let now = SystemTime::now();
            let seconds = Duration::from_secs(age_s.unsigned_abs());
            let at = if age_s < 0 {
                now + seconds
            } else {
                now - seconds
            };
            File::open(&path).unwrap().set_modified(at).unwrap();
            path
        }

        fn module(&self, name: &str, depends_on: &[&str]) -> Module {
            let dir = self.dir.path().join(name);
            Module {
                name: name.into(),
                source_roots: vec![dir.join("src")],
                resource_roots: vec![dir.join("res")],
                build_dir: dir.join("out"),
                classes: dir.join("out/classes"),
                test_classes: dir.join("out/test-classes"),
                depends_on: depends_on.iter().map(|&d| d.into()).collect(),
                dir,
                ..Module::default()
            }
        }
    }

    #[test]
    fn classes_newer_than_all_sources_are_fresh() {
        let fixture = Fixture::new();
        fixture.file("a/src/A.java", 0);
        fixture.file("a/out/classes/A.class", -5);
        assert_eq!(
            stale_classes(&[fixture.module("a", &[])], &[], Compare::Every),
            []
        );
    }

    #[test]
    fn a_source_that_only_looks_old_makes_its_class_stale() {
        let fixture = Fixture::new();
        let class = fixture.file("a/out/classes/A.class", 5);
        fixture.file("a/src/A.java", 1000);
        let stale = stale_classes(&[fixture.module("a", &[])], &[], Compare::Every);
        assert_eq!(stale.iter().map(|s| &s.class).collect::<Vec<_>>(), [&class]);
    }

    #[test]
    fn a_class_older_than_a_module_it_depends_on_is_stale() {
        let fixture = Fixture::new();
        let source = fixture.file("a/src/A.java", 0);
        fixture.file("a/out/classes/A.class", -5);
        let class = fixture.file("b/out/classes/B.class", 5);
        let modules = [fixture.module("a", &[]), fixture.module("b", &["a"])];
        let stale = stale_classes(&modules, &[], Compare::Every);
        let found: Vec<_> = stale.into_iter().map(|s| (s.class, s.source)).collect();
        assert_eq!(found, [(class, source)]);
    }

    #[test]
    fn class_files_copied_from_resources_do_not_count() {
        let fixture = Fixture::new();
        fixture.file("a/res/X.class", 0);
        fixture.file("a/out/classes/X.class", 500);
        fixture.file("a/src/A.java", 0);
        assert_eq!(
            stale_classes(&[fixture.module("a", &[])], &[], Compare::Every),
            []
        );
    }
}
