//! Reading a project through its build tool, and from the cache when nothing changed.

use std::fs;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::config::Config;
use crate::error::ProjectError;
use crate::freshness::{Compare, stale_classes};
use crate::jdk::Jdk;
use crate::model::Module;
use crate::options::ProjectOptions;
use crate::snapshot::{Difference, Snapshot};
use crate::state::StateDir;

/// Counts up whenever the cached form changes its meaning.
const FORMAT: u32 = 3;

/// What every way of reading a project needs.
#[derive(Debug)]
pub(crate) struct Context<'a> {
    pub(crate) root: &'a Path,
    pub(crate) opts: &'a ProjectOptions,
    pub(crate) config: &'a Config,
    pub(crate) jdk: &'a Jdk,
    pub(crate) state: StateDir,
}

impl Context<'_> {
    /// Whether the build tool must stay off the network.
    pub(crate) fn offline(&self) -> bool {
        self.opts.offline || self.config.build.offline.unwrap_or(false)
    }

    /// Whether building is forbidden.
    fn no_build(&self) -> bool {
        self.opts.no_build || self.config.build.skip.unwrap_or(false)
    }

    /// When to give up on the build.
    pub(crate) fn timeout(&self) -> std::time::Duration {
        let configured = self
            .config
            .build
            .timeout_s
            .map(std::time::Duration::from_secs);
        configured.unwrap_or(self.opts.build_timeout)
    }
}

/// How much of the build to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mode {
    /// What the tool thinks necessary.
    Incremental,
    /// Everything, from scratch.
    Clean,
    /// Nothing but the model.
    ModelOnly,
}

/// What a build tool said of a project.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Reading {
    /// The modules, dependencies before dependents.
    pub(crate) modules: Vec<Module>,
    /// The files that describe the build: a change of one makes everything stale.
    pub(crate) build_files: Vec<PathBuf>,
    /// What the user should know.
    pub(crate) warnings: Vec<String>,
    /// The tool that built it, with its version.
    pub(crate) tool: String,
}

/// A way to build and read a project.
pub(crate) trait BuildTool {
    /// Everything besides the project's files that the reading depends on.
    fn identity(&self, context: &Context<'_>) -> Vec<String>;

    /// Whether the tool goes by content, so that what it leaves alone is not stale.
    fn goes_by_content(&self) -> bool {
        false
    }

    /// Builds the project and reads its model.
    fn build(&self, context: &Context<'_>, mode: Mode) -> Result<Reading, ProjectError>;
}

/// A reading with the state of all files it was made from and of all that the build wrote.
#[derive(Debug, Serialize, Deserialize)]
struct Cached {
    format: u32,
    identity: Vec<String>,
    reading: Reading,
    inputs: Snapshot,
    outputs: Snapshot,
}

/// Reads the project: from the cache if no file that matters changed, otherwise by building it.
/// No class file that is older than its sources survives this.
pub(crate) fn read(context: &Context<'_>, tool: &dyn BuildTool) -> Result<Reading, ProjectError> {
    let _lock = context.state.lock()?;
    let mut identity = tool.identity(context);
    identity.push(format!(
        "{} {}",
        context.jdk.home.display(),
        context.jdk.full_version
    ));
    // a copy of the project has its own files, though its `.braid` was copied too
    identity.push(context.root.display().to_string());
    let cached = if context.opts.no_cache {
        None
    } else {
        load(context, &identity)
    };
    let mut mode = Mode::Incremental;
    if let Some(cached) = cached {
        match state_of(context, &cached)? {
            State::Same(inputs, outputs) => {
                if (&inputs, &outputs) != (&cached.inputs, &cached.outputs) {
                    save(
                        context,
                        &Cached {
                            inputs,
                            outputs,
                            ..cached_header(&cached)
                        },
                    );
                }
                return Ok(cached.reading);
            }
            State::Build(needed) => mode = needed,
        }
    }
    if context.no_build() {
        return read_without_building(context, tool);
    }
    let Built {
        mut reading,
        note,
        files,
    } = build_fresh(context, tool, mode)?;
    let Some((inputs, outputs)) = files else {
        return Ok(reading);
    };
    save(
        context,
        &Cached {
            format: FORMAT,
            identity,
            reading: reading.clone(),
            inputs,
            outputs,
        },
    );
    // who finds the model in the cache has classes that are up to date
    reading.warnings.extend(note);
    Ok(reading)
}

fn cached_header(cached: &Cached) -> Cached {
    Cached {
        format: cached.format,
        identity: cached.identity.clone(),
        reading: cached.reading.clone(),
        inputs: Snapshot::default(),
        outputs: Snapshot::default(),
    }
}

fn read_without_building(
    context: &Context<'_>,
    tool: &dyn BuildTool,
) -> Result<Reading, ProjectError> {
    let reading = tool.build(context, Mode::ModelOnly)?;
    for module in &reading.modules {
        if !module.source_roots.is_empty() && !module.classes.is_dir() {
            return Err(ProjectError::Stale(format!("{} has none", module.name)));
        }
    }
    let compare = comparison(tool);
    match stale_classes(&reading.modules, &reading.build_files, compare).first() {
        None => Ok(reading),
        Some(stale) => Err(ProjectError::Stale(format!(
            "{} is older than {}",
            stale.class.display(),
            stale.source.display()
        ))),
    }
}

/// How often a build is repeated because its sources change under it.
const ATTEMPTS: usize = 3;

/// A project that was built just now.
struct Built {
    reading: Reading,
    /// What is to be told of this build and not of the project.
    note: Option<String>,
    /// The files as they were; none if they kept changing.
    files: Option<(Snapshot, Snapshot)>,
}

/// Builds, and builds again from scratch while classes may be older than their sources: because
/// the tool left them, or because somebody changed a source meanwhile. The files' state is taken
/// before that check, so that a later change differs from it.
fn build_fresh(
    context: &Context<'_>,
    tool: &dyn BuildTool,
    first: Mode,
) -> Result<Built, ProjectError> {
    let compare = comparison(tool);
    let (mut mode, mut note) = (first, None);
    for _ in 0..ATTEMPTS {
        let started_ns = now_ns();
        let reading = tool.build(context, mode)?;
        let files = snapshots(context, &reading, None)?;
        let left_by_tool = mode == Mode::Incremental && !tool.goes_by_content();
        let stale = stale_classes(&reading.modules, &reading.build_files, compare);
        let Some(stale) = stale
            .iter()
            .find(|s| left_by_tool || s.source_ns > started_ns)
        else {
            return Ok(Built {
                reading,
                note,
                files: Some(files),
            });
        };
        let shown = |path: &Path| {
            path.strip_prefix(context.root)
                .unwrap_or(path)
                .display()
                .to_string()
        };
        let reason = format!(
            "{} is older than {}",
            shown(&stale.class),
            shown(&stale.source)
        );
        context
            .opts
            .say(&format!("{reason}: building from scratch"));
        note = Some(format!(
            "the build left stale classes ({reason}), so it was repeated from scratch"
        ));
        mode = Mode::Clean;
    }
    let mut reading = tool.build(context, mode)?;
    reading
        .warnings
        .push("sources kept changing while they were built".to_owned());
    Ok(Built {
        reading,
        note: None,
        files: None,
    })
}

fn comparison(tool: &dyn BuildTool) -> Compare {
    if tool.goes_by_content() {
        Compare::Newest
    } else {
        Compare::Every
    }
}

fn now_ns() -> i128 {
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    since.map_or(0, |since| since.as_nanos() as i128)
}

enum State {
    Same(Snapshot, Snapshot),
    Build(Mode),
}

/// Whether the files are still as they were when the reading was cached, and if not, how much
/// must be built. Only a change of sources is left to the build tool's own judgement.
fn state_of(context: &Context<'_>, cached: &Cached) -> Result<State, ProjectError> {
    let (inputs, outputs) = snapshots(context, &cached.reading, Some(cached))?;
    let input = inputs.since(&cached.inputs);
    let output = outputs.since(&cached.outputs);
    if input.is_empty() && output.is_empty() {
        return Ok(State::Same(inputs, outputs));
    }
    let clean = input.is_empty() || !only_sources_changed(&cached.reading, &input);
    Ok(State::Build(if clean {
        Mode::Clean
    } else {
        Mode::Incremental
    }))
}

fn only_sources_changed(reading: &Reading, difference: &Difference) -> bool {
    let is_source = |path: &PathBuf| {
        reading
            .modules
            .iter()
            .any(|m| m.is_source_path(path) || m.is_test_path(path))
    };
    difference.removed.is_empty() && difference.changed.iter().all(is_source)
}

/// The state of what goes into the build and of what comes out of it.
fn snapshots(
    context: &Context<'_>,
    reading: &Reading,
    known: Option<&Cached>,
) -> Result<(Snapshot, Snapshot), ProjectError> {
    let build_dirs: Vec<&Path> = reading
        .modules
        .iter()
        .map(|m| m.build_dir.as_path())
        .collect();
    let skip = |path: &Path| {
        build_dirs.contains(&path) || path.ends_with(".git") || path.ends_with(".braid")
    };
    let fail = |e| ProjectError::io("list", context.root)(e);
    let inputs = Snapshot::take(&input_roots(reading), &skip, known.map(|c| &c.inputs));
    let outputs = Snapshot::take(
        &output_roots(reading),
        &|_| false,
        known.map(|c| &c.outputs),
    );
    Ok((inputs.map_err(fail)?, outputs.map_err(fail)?))
}

fn input_roots(reading: &Reading) -> Vec<PathBuf> {
    let outputs = output_roots(reading);
    let mut roots = reading.build_files.clone();
    for module in &reading.modules {
        roots.push(module.dir.join("src"));
        let own = [
            &module.source_roots,
            &module.test_roots,
            &module.resource_roots,
            &module.test_resource_roots,
            &module.test_classpath,
            &module.compile_classpath,
            &module.processor_path,
        ];
        let is_input = |path: &&PathBuf| !module.is_generated(path) && !outputs.contains(path);
        roots.extend(own.into_iter().flatten().filter(is_input).cloned());
    }
    roots.sort();
    roots.dedup();
    roots
}

fn output_roots(reading: &Reading) -> Vec<PathBuf> {
    let mut roots = Vec::new();
    for module in &reading.modules {
        roots.extend([module.classes.clone(), module.test_classes.clone()]);
        let sources = module.source_roots.iter().chain(&module.test_roots);
        roots.extend(sources.filter(|root| module.is_generated(root)).cloned());
    }
    roots
}

const CACHE_FILE: &str = "model.json";

fn load(context: &Context<'_>, identity: &[String]) -> Option<Cached> {
    let text = fs::read(context.state.cache().join(CACHE_FILE)).ok()?;
    let cached: Cached = serde_json::from_slice(&text).ok()?;
    (cached.format == FORMAT && cached.identity == identity).then_some(cached)
}

/// A cache that cannot be written costs time on the next run and nothing else.
fn save(context: &Context<'_>, cached: &Cached) {
    if let Ok(bytes) = serde_json::to_vec(cached)
        && let Err(e) = context.state.write(CACHE_FILE, &bytes)
    {
        context.opts.say(&format!("the model is not cached: {e}"));
    }
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;
    use std::time::{Duration, SystemTime};

    use super::*;

    /// Writes one class for one source; what goes wrong depends on how often it was called.
    struct Tool<'a> {
        root: &'a Path,
        modes: RefCell<Vec<Mode>>,
        after: &'a dyn Fn(usize, &Path, &Path),
    }

    impl BuildTool for Tool<'_> {
        fn identity(&self, _: &Context<'_>) -> Vec<String> {
            vec!["test".to_owned()]
        }

        fn build(&self, _: &Context<'_>, mode: Mode) -> Result<Reading, ProjectError> {
            self.modes.borrow_mut().push(mode);
            let module = Module {
                name: "m".to_owned(),
                dir: self.root.to_owned(),
                source_roots: vec![self.root.join("src")],
                build_dir: self.root.join("out"),
                classes: self.root.join("out/classes"),
                test_classes: self.root.join("out/test-classes"),
                ..Module::default()
            };
            fs::create_dir_all(&module.classes).unwrap();
            let (source, class) = (self.root.join("src/A.java"), module.classes.join("A.class"));
            std::thread::sleep(Duration::from_millis(20));
            fs::write(&class, fs::read(&source).unwrap()).unwrap();
            std::thread::sleep(Duration::from_millis(20));
            (self.after)(self.modes.borrow().len(), &source, &class);
            Ok(Reading {
                modules: vec![module],
                ..Reading::default()
            })
        }
    }

    /// Reads the project of a tool.
    fn read_by(tool: &Tool<'_>) -> Reading {
        let root = tool.root;
        fs::create_dir_all(root.join("src")).unwrap();
        if !root.join("src/A.java").exists() {
            fs::write(root.join("src/A.java"), "A").unwrap();
        }
        let jdk = Jdk {
            home: "/jdk".into(),
            version: 17,
            full_version: "17".into(),
            vendor: None,
            has_compiler: true,
            found_by: "test".into(),
        };
        let (opts, config) = (ProjectOptions::default(), Config::default());
        let state = StateDir::create(root).unwrap();
        let context = Context {
            root,
            opts: &opts,
            config: &config,
            jdk: &jdk,
            state,
        };
        read(&context, tool).unwrap()
    }

    /// Reads a project twice with a tool after whose builds something is done to its files.
    fn check(after: &dyn Fn(usize, &Path, &Path), first: &[Mode], all: &[Mode]) -> Vec<String> {
        let dir = tempfile::tempdir().unwrap();
        let tool = Tool {
            root: dir.path(),
            modes: RefCell::default(),
            after,
        };
        let reading = read_by(&tool);
        assert_eq!(*tool.modes.borrow(), first);
        read_by(&tool);
        assert_eq!(*tool.modes.borrow(), all);
        reading.warnings
    }

    #[test]
    fn a_copied_project_is_not_the_one_that_it_was_copied_from() {
        let (first, second) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let [one, other] = [first.path(), second.path()].map(|root| Tool {
            root,
            modes: RefCell::default(),
            after: &|_, _, _| {},
        });
        read_by(&one);
        let cache = Path::new(".braid/cache").join(CACHE_FILE);
        fs::create_dir_all(second.path().join(".braid/cache")).unwrap();
        fs::copy(first.path().join(&cache), second.path().join(&cache)).unwrap();
        let reading = read_by(&other);
        assert_eq!(*other.modes.borrow(), [Mode::Incremental]);
        assert_eq!(reading.modules[0].dir, second.path());
    }

    #[test]
    fn a_good_build_is_done_once() {
        let warnings = check(&|_, _, _| {}, &[Mode::Incremental], &[Mode::Incremental]);
        assert!(warnings.is_empty(), "{warnings:?}");
    }

    #[test]
    fn a_tool_that_leaves_old_classes_is_told_to_start_from_scratch() {
        let leave_old = |call: usize, _: &Path, class: &Path| {
            if call == 1 {
                let old = SystemTime::now() - Duration::from_secs(1000);
                fs::File::open(class).unwrap().set_modified(old).unwrap();
            }
        };
        let modes = [Mode::Incremental, Mode::Clean];
        let warnings = check(&leave_old, &modes, &modes);
        assert!(
            warnings[0].contains("A.class is older than src/A.java"),
            "{warnings:?}"
        );
    }

    #[test]
    fn a_source_that_changes_during_the_build_is_built_again() {
        let change = |call: usize, source: &Path, _: &Path| {
            if call <= 2 {
                fs::write(source, format!("changed {call}")).unwrap();
            }
        };
        let modes = [Mode::Incremental, Mode::Clean, Mode::Clean];
        check(&change, &modes, &modes);
    }

    #[test]
    fn sources_that_keep_changing_are_warned_of_and_not_cached() {
        let change = |call: usize, source: &Path, _: &Path| {
            fs::write(source, format!("changed {call}")).unwrap();
        };
        let first = [Mode::Incremental, Mode::Clean, Mode::Clean, Mode::Clean];
        let warnings = check(&change, &first, &[first, first].concat());
        assert!(warnings[0].contains("kept changing"), "{warnings:?}");
    }
}
