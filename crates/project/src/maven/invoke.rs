//! Calling Maven.

use std::fs;
use std::path::{Path, PathBuf};

use braid_process::{Finished, Spawn, find_program};

use super::assemble;
use super::output;
use super::spy::{FORMAT, Session};
use crate::error::ProjectError;
use crate::reading::{BuildTool, Context, Mode, Reading};
use crate::snapshot::hash_file;

/// The helper that is put into the build, see `java/maven`.
static SPY_JAR: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/braid-maven.jar"));

/// Checks that have nothing to do with compiling and testing, and would see `.braid` as foreign
/// files or slow the build down.
const SKIPPED_CHECKS: [&str; 10] = [
    "-Drat.skip=true",
    "-Dcheckstyle.skip=true",
    "-Dpmd.skip=true",
    "-Dcpd.skip=true",
    "-Dspotbugs.skip=true",
    "-Dspotless.check.skip=true",
    "-Dlicense.skip=true",
    "-Djacoco.skip=true",
    "-Danimal.sniffer.skip=true",
    "-Dmaven.javadoc.skip=true",
];

/// For a JVM that lives for seconds: the quick compiler, the collector without threads.
const BRIEF_JVM: &str = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC";

/// The build tool of projects with a `pom.xml`.
#[derive(Debug)]
pub(crate) struct Maven;

impl BuildTool for Maven {
    fn identity(&self, context: &Context<'_>) -> Vec<String> {
        let mut identity = vec![
            "maven".to_owned(),
            blake3::hash(SPY_JAR).to_hex().to_string(),
        ];
        let launcher = launcher(context).unwrap_or_default();
        for word in &launcher {
            let file = fs::canonicalize(word).ok();
            let hash = file.as_deref().and_then(|file| hash_file(file).ok());
            identity.push(format!("{word} {file:?} {}", hash.unwrap_or_default()));
        }
        identity.push(format!(
            "{:?} {:?}",
            context.config.build.args, context.config.build.goals
        ));
        for name in [
            "MAVEN_OPTS",
            "MAVEN_ARGS",
            "MAVEN_CONFIG",
            "M2_HOME",
            "MAVEN_HOME",
        ] {
            identity.push(format!("{name}={:?}", std::env::var_os(name)));
        }
        let settings = std::env::home_dir().map(|home| home.join(".m2/settings.xml"));
        identity.push(
            settings
                .and_then(|file| hash_file(&file).ok())
                .unwrap_or_default(),
        );
        identity
    }

    fn build(&self, context: &Context<'_>, mode: Mode) -> Result<Reading, ProjectError> {
        let launcher = launcher(context)?;
        let first = Attempt::new(context, mode, launcher.clone());
        let mut result = first.run()?;
        if let Some(installed) = result.wrapper_failed(&launcher) {
            context
                .opts
                .say("the Maven wrapper does not start: using the installed Maven");
            result = Attempt {
                launcher: vec![installed],
                ..first.clone()
            }
            .run()?;
        }
        if !result.finished.success() && !first.offline && output::is_network_failure(&result.text)
        {
            context
                .opts
                .say("Maven cannot reach its repositories: trying offline");
            let offline = Attempt {
                offline: true,
                ..first.clone()
            }
            .run()?;
            result = if offline.finished.success() {
                offline
            } else {
                result
            };
        }
        if !result.finished.success() && output::misses_module(&result.text, &result.modules()) {
            context
                .opts
                .say("the modules need each other packaged: running `package`");
            result = Attempt {
                goals: vec!["package".into()],
                ..first
            }
            .run()?;
        }
        result.into_reading(context)
    }
}

/// The words that start Maven: from `braid.toml`, the wrapper, or the installed one.
fn launcher(context: &Context<'_>) -> Result<Vec<String>, ProjectError> {
    if let Some(command) = context
        .config
        .build
        .command
        .clone()
        .filter(|c| !c.is_empty())
    {
        return Ok(command);
    }
    for dir in context.root.ancestors() {
        let wrapper = dir.join("mvnw");
        if wrapper.is_file() && !cfg!(windows) {
            // Through the shell: checkouts lose the executable bit.
            return Ok(vec!["sh".to_owned(), wrapper.display().to_string()]);
        }
        if dir.join(".git").exists() {
            break;
        }
    }
    installed()
        .map(|mvn| vec![mvn])
        .ok_or_else(|| ProjectError::NoBuildTool {
            tool: "Maven",
            advice: install_advice().to_owned(),
        })
}

fn installed() -> Option<String> {
    let name = if cfg!(windows) { "mvn.cmd" } else { "mvn" };
    let home = ["MAVEN_HOME", "M2_HOME"]
        .into_iter()
        .filter_map(std::env::var_os);
    let in_home = home
        .map(|home| Path::new(&home).join("bin").join(name))
        .find(|f| f.is_file());
    find_program(name)
        .or(in_home)
        .map(|file| file.display().to_string())
}

fn install_advice() -> &'static str {
    if cfg!(target_os = "macos") {
        "install it with `brew install maven`, or add the Maven wrapper (mvnw) to the project"
    } else if Path::new("/etc/debian_version").exists() {
        "install it with `sudo apt install maven`, or add the Maven wrapper (mvnw) to the project"
    } else {
        "install it from maven.apache.org, or add the Maven wrapper (mvnw) to the project"
    }
}

/// One call of Maven.
#[derive(Clone)]
struct Attempt<'a> {
    context: &'a Context<'a>,
    mode: Mode,
    launcher: Vec<String>,
    goals: Vec<String>,
    offline: bool,
}

/// What came of it.
struct Outcome {
    finished: Finished,
    text: String,
    session: Option<Result<Session, String>>,
    log: Option<PathBuf>,
}

impl<'a> Attempt<'a> {
    fn new(context: &'a Context<'a>, mode: Mode, launcher: Vec<String>) -> Self {
        let goals = context.config.build.goals.clone();
        Self {
            context,
            mode,
            launcher,
            goals: goals.unwrap_or_else(|| vec!["test".to_owned()]),
            offline: context.offline(),
        }
    }

    fn run(&self) -> Result<Outcome, ProjectError> {
        let context = self.context;
        let spy = context.state.tool("braid-maven", "jar", SPY_JAR)?;
        let model = context
            .state
            .cache()
            .join(format!("maven-{}.json", std::process::id()));
        let mut spawn = Spawn::new(&self.launcher[0]).args(&self.launcher[1..]);
        spawn = spawn
            .args(["-B", "-Dstyle.color=never", "-DskipTests"])
            .arg(format!("-Dmaven.ext.class.path={}", spy.display()))
            .arg(format!("-Dbraid.model={}", model.display()))
            .args(SKIPPED_CHECKS);
        if self.offline {
            spawn = spawn.arg("-o");
        }
        if self.mode == Mode::ModelOnly {
            spawn = spawn.args(["-Dmaven.main.skip=true", "-Dmaven.test.skip=true"]);
        }
        spawn = spawn.args(context.config.build.args.iter().flatten());
        if self.mode == Mode::Clean {
            spawn = spawn.arg("clean");
        }
        spawn = spawn
            .args(&self.goals)
            .cwd(context.root)
            .env("JAVA_HOME", &context.jdk.home);
        let own_jvm = context.root.join(".mvn/jvm.config").exists();
        if !own_jvm && std::env::var_os("MAVEN_OPTS").is_none() {
            spawn = spawn.env("MAVEN_OPTS", BRIEF_JVM);
        }
        context.opts.say(&format!(
            "building: {} {}",
            self.launcher.join(" "),
            self.goals.join(" ")
        ));
        let finished = spawn.cap(8 * 1024 * 1024).run(context.timeout())?;
        if finished.timed_out {
            let seconds = context.timeout().as_secs();
            return Err(ProjectError::BuildTimeout {
                tool: "Maven",
                seconds,
            });
        }
        let text = format!("{}{}", finished.stdout.text(), finished.stderr.text());
        let session = fs::read(&model)
            .ok()
            .map(|bytes| serde_json::from_slice::<Session>(&bytes).map_err(|e| e.to_string()));
        let _ = fs::remove_file(&model);
        let log = context.state.write("build.log", text.as_bytes()).ok();
        Ok(Outcome {
            finished,
            text,
            session,
            log,
        })
    }
}

impl Outcome {
    /// The installed Maven, if a wrapper was called and did not get as far as starting Maven.
    fn wrapper_failed(&self, launcher: &[String]) -> Option<String> {
        let wrapper = launcher.last().is_some_and(|word| word.ends_with("mvnw"));
        let started =
            self.session.is_some() || self.text.contains("[INFO]") || self.text.contains("[ERROR]");
        if wrapper && !started && !self.finished.success() {
            installed()
        } else {
            None
        }
    }

    fn modules(&self) -> Vec<(String, String)> {
        let session = self
            .session
            .as_ref()
            .and_then(|session| session.as_ref().ok());
        let modules = session.map_or(&[][..], |session| &session.modules);
        modules
            .iter()
            .map(|m| (m.group.clone(), m.artifact.clone()))
            .collect()
    }

    fn into_reading(self, context: &Context<'_>) -> Result<Reading, ProjectError> {
        if !self.finished.success() {
            return Err(self.explain());
        }
        let bad = |reason: &str| ProjectError::BadModel {
            tool: "Maven",
            reason: reason.to_owned(),
        };
        let session = self.session.ok_or_else(|| {
            bad("it wrote none; Maven 3.3 or later is needed, and `build.command` must run Maven")
        })?;
        let session = session.map_err(|e| bad(&e))?;
        if session.format != FORMAT {
            return Err(bad(&format!(
                "format {} instead of {FORMAT}",
                session.format
            )));
        }
        Ok(assemble::reading(&session, context.root, context.jdk))
    }

    fn explain(self) -> ProjectError {
        let diagnostics = output::diagnostics(&self.text);
        if self.text.contains("COMPILATION ERROR") && !diagnostics.is_empty() {
            return ProjectError::DoesNotCompile {
                diagnostics,
                log: self.log,
            };
        }
        let message = output::complaints(&self.text);
        if output::is_broken_pom(&self.text) {
            return ProjectError::BrokenBuildFile {
                tool: "Maven",
                message,
            };
        }
        let status = self.finished.status.to_string();
        ProjectError::BuildFailed {
            tool: "Maven",
            status,
            message,
            log: self.log,
        }
    }
}
