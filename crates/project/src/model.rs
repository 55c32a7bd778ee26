//! What Braid knows of a project: plain data, the same for every build tool.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::config::Config;
use crate::error::ProjectError;
use crate::filter::TestFilter;
use crate::jdk::Jdk;

/// A project that was found, built and read.
#[derive(Debug, Clone)]
pub struct Project {
    /// The root folder, absolute.
    pub root: PathBuf,
    /// What builds it.
    pub kind: ProjectKind,
    /// The tool that built it, with its version.
    pub build_tool: String,
    /// The JDK that compiles it, and runs its tests where no other is named.
    pub jdk: Jdk,
    /// The JVMs that its modules name for their tests, by the folders they are named by.
    pub javas: BTreeMap<PathBuf, Jdk>,
    /// Its modules, dependencies before dependents.
    pub modules: Vec<Module>,
    /// `braid.toml` with the chosen profile laid over it.
    pub config: Config,
    /// What the user should know, though it stopped nothing.
    pub warnings: Vec<String>,
}

/// What builds a project.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ProjectKind {
    /// A `pom.xml`.
    Maven,
    /// A `build.gradle` or `settings.gradle`, in either language.
    Gradle,
    /// Folders and jars in the usual places, or named in `braid.toml`.
    Plain,
    /// Folders and jars named on the command line.
    Explicit,
}

impl fmt::Display for ProjectKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            ProjectKind::Maven => "Maven",
            ProjectKind::Gradle => "Gradle",
            ProjectKind::Plain => "plain",
            ProjectKind::Explicit => "explicit",
        })
    }
}

/// One module: sources and tests that are compiled and run together. All paths are absolute.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Module {
    /// Unique within the project: the artifact id, the Gradle path, or the folder's name.
    pub name: String,
    /// The module's folder.
    pub dir: PathBuf,
    /// Where its sources are, generated ones too; existing folders only.
    pub source_roots: Vec<PathBuf>,
    /// Where its test sources are; existing folders only.
    pub test_roots: Vec<PathBuf>,
    /// Where its resources are.
    pub resource_roots: Vec<PathBuf>,
    /// Where its test resources are.
    pub test_resource_roots: Vec<PathBuf>,
    /// The folder that the build tool writes into; generated sources are below it.
    pub build_dir: PathBuf,
    /// The folder of its compiled classes and resources.
    pub classes: PathBuf,
    /// The folder of its compiled test classes and test resources.
    pub test_classes: PathBuf,
    /// The class path that its sources compile against, in order, without [`classes`](Self::classes).
    pub compile_classpath: Vec<PathBuf>,
    /// The class path that its tests compile against and run on, in order, with the outputs of this
    /// module and of the modules it depends on.
    pub test_classpath: Vec<PathBuf>,
    /// The modules of the project that are on its test class path, by name.
    pub depends_on: Vec<String>,
    /// The encoding of its sources.
    pub encoding: String,
    /// The compiler's options for its sources: `--release`, `-source`, `-parameters` and the like;
    /// no class path, no output folder, no encoding, no `-proc`.
    pub javac_args: Vec<String>,
    /// The same for its test sources.
    pub test_javac_args: Vec<String>,
    /// Whether compiling its sources runs annotation processors.
    pub annotation_processors: bool,
    /// The processor path, if it is not the class path.
    pub processor_path: Vec<PathBuf>,
    /// Sources that the build leaves out, as patterns relative to a source root.
    pub source_excludes: Vec<String>,
    /// Which classes its build tool would run as tests.
    pub tests: TestFilter,
    /// Whether the build tool would run no tests here, and why.
    pub tests_skipped: Option<String>,
    /// The home folder of the JVM that runs its tests, if it is another than that of the compiler.
    pub java: Option<PathBuf>,
    /// The options of the JVM that runs its tests.
    pub jvm_args: Vec<String>,
    /// The system properties of its tests.
    pub system_properties: BTreeMap<String, String>,
    /// The environment variables that its tests get beside the inherited ones.
    pub env: BTreeMap<String, String>,
    /// Inherited environment variables that its tests do not get.
    pub env_removed: Vec<String>,
    /// The folder its tests run in.
    pub test_cwd: PathBuf,
}

impl Module {
    /// The names of the compiled top-level and nested classes (`a.b.C$D`) that the test filter
    /// accepts, sorted. Whether they hold tests is for the test framework to say.
    pub fn test_class_names(&self) -> Vec<String> {
        let mut names = BTreeSet::new();
        for entry in walkdir::WalkDir::new(&self.test_classes).follow_links(true) {
            let Ok(entry) = entry else { continue };
            if let Some(name) = class_name(&self.test_classes, entry.path())
                && entry.file_type().is_file()
                && self.tests.accepts_class(&name)
            {
                names.insert(name);
            }
        }
        names.into_iter().collect()
    }

    /// Whether this root holds sources that the build itself generates.
    pub fn is_generated(&self, root: &Path) -> bool {
        self.build_dir.is_absolute() && root.starts_with(&self.build_dir)
    }

    /// Whether this file belongs to the module's test sources or test resources.
    pub fn is_test_path(&self, file: &Path) -> bool {
        self.test_roots
            .iter()
            .chain(&self.test_resource_roots)
            .any(|root| file.starts_with(root))
    }

    /// Whether this file belongs to the module's sources or resources.
    pub fn is_source_path(&self, file: &Path) -> bool {
        self.source_roots
            .iter()
            .chain(&self.resource_roots)
            .any(|root| file.starts_with(root))
    }
}

impl Project {
    /// The folder for all that Braid keeps beside the project.
    pub fn braid_dir(&self) -> PathBuf {
        self.root.join(".braid")
    }

    /// The JVM that runs the tests of a module.
    pub fn java_of(&self, module: &Module) -> &Jdk {
        let named = module.java.as_ref().and_then(|home| self.javas.get(home));
        named.unwrap_or(&self.jdk)
    }

    /// Refuses a project in which no compiled class can be a test, and says what to do.
    pub fn require_tests(&self) -> Result<(), ProjectError> {
        let mut reasons = Vec::new();
        for module in &self.modules {
            let name = &module.name;
            match &module.tests_skipped {
                Some(why) => reasons.push(format!("{name}: {why}")),
                None if !module.test_class_names().is_empty() => return Ok(()),
                None if module.test_roots.is_empty() => {
                    reasons.push(format!(
                        "{name} has no test sources; name them with --tests"
                    ));
                }
                None => reasons.push(format!(
                    "no class in {} matches {:?}; change `tests.include` in braid.toml",
                    module.test_classes.display(),
                    module.tests.include
                )),
            }
        }
        Err(ProjectError::NoTests(reasons.join("\n  ")))
    }

    /// The module with this name.
    pub fn module(&self, name: &str) -> Option<&Module> {
        self.modules.iter().find(|module| module.name == name)
    }

    /// The module whose roots hold this file, or else the innermost one whose folder does.
    pub fn module_of(&self, file: &Path) -> Option<&Module> {
        let owner = self
            .modules
            .iter()
            .find(|m| m.is_source_path(file) || m.is_test_path(file));
        owner.or_else(|| {
            let holding = self.modules.iter().filter(|m| file.starts_with(&m.dir));
            holding.max_by_key(|m| m.dir.components().count())
        })
    }

    /// The modules that see changes of the module `name`: itself and those that depend on it.
    pub fn dependents(&self, name: &str) -> Vec<&Module> {
        let sees = |m: &&Module| m.name == name || m.depends_on.iter().any(|d| d == name);
        self.modules.iter().filter(sees).collect()
    }
}

/// The name of the class in `file`, if it is a class file below `root`.
fn class_name(root: &Path, file: &Path) -> Option<String> {
    let relative = file.strip_prefix(root).ok()?.to_str()?;
    let name = relative.strip_suffix(".class")?;
    let plain = !name.ends_with("module-info") && !name.ends_with("package-info");
    (plain && !name.starts_with("META-INF")).then(|| name.replace(['/', '\\'], "."))
}
