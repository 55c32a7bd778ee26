//! Calling Gradle.

use std::fs;
use std::path::{Path, PathBuf};

use braid_process::{Finished, Spawn, find_program};

use super::assemble;
use super::model::{FORMAT, GradleModel};
use crate::error::ProjectError;
use crate::locate::bounded_ancestors;
use crate::plain::javac_diagnostics;
use crate::reading::{BuildTool, Context, Mode, Reading};
use crate::snapshot::hash_file;

/// The init script, see `java/gradle`.
static INIT_SCRIPT: &str = include_str!("../../java/gradle/braid.init.gradle");

/// The build tool of projects with Gradle build files.
#[derive(Debug)]
pub(crate) struct Gradle;

impl BuildTool for Gradle {
    fn identity(&self, context: &Context<'_>) -> Vec<String> {
        let script = blake3::hash(INIT_SCRIPT.as_bytes()).to_hex().to_string();
        let mut identity = vec!["gradle".to_owned(), script];
        for word in launcher(context).unwrap_or_default() {
            let hash = fs::canonicalize(&word)
                .ok()
                .and_then(|file| hash_file(&file).ok());
            identity.push(format!("{word} {}", hash.unwrap_or_default()));
        }
        identity.push(format!(
            "{:?} {:?}",
            context.config.build.args, context.config.build.goals
        ));
        for name in ["GRADLE_OPTS", "GRADLE_USER_HOME", "JAVA_OPTS"] {
            identity.push(format!("{name}={:?}", std::env::var_os(name)));
        }
        let properties = std::env::home_dir().map(|home| home.join(".gradle/gradle.properties"));
        identity.push(
            properties
                .and_then(|file| hash_file(&file).ok())
                .unwrap_or_default(),
        );
        identity
    }

    fn goes_by_content(&self) -> bool {
        true
    }

    fn build(&self, context: &Context<'_>, mode: Mode) -> Result<Reading, ProjectError> {
        let launcher = launcher(context)?;
        let script = context
            .state
            .tool("braid-init", "gradle", INIT_SCRIPT.as_bytes())?;
        let model = context
            .state
            .cache()
            .join(format!("gradle-{}.json", std::process::id()));
        let finished = call(context, mode, &launcher, &script, &model)?;
        let text = format!("{}{}", finished.stdout.text(), finished.stderr.text());
        let written = fs::read(&model);
        let _ = fs::remove_file(&model);
        let log = context.state.write("build.log", text.as_bytes()).ok();
        if !finished.success() {
            return Err(explain(&finished, &text, log));
        }
        let bad = |reason: String| ProjectError::BadModel {
            tool: "Gradle",
            reason,
        };
        let written = written.map_err(|e| bad(format!("it wrote none: {e}")))?;
        let model: GradleModel =
            serde_json::from_slice(&written).map_err(|e| bad(e.to_string()))?;
        if model.format != FORMAT {
            return Err(bad(format!("format {} instead of {FORMAT}", model.format)));
        }
        Ok(assemble::reading(&model, context.root))
    }
}

/// The words that start Gradle: from `braid.toml`, the wrapper, or the installed one.
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
    let wrappers = bounded_ancestors(context.root).map(|dir| dir.join("gradlew"));
    if let Some(wrapper) = wrappers
        .into_iter()
        .find(|file| file.is_file() && !cfg!(windows))
    {
        // Through the shell: checkouts lose the executable bit.
        return Ok(vec!["sh".to_owned(), wrapper.display().to_string()]);
    }
    let name = if cfg!(windows) {
        "gradle.bat"
    } else {
        "gradle"
    };
    let installed = find_program(name).map(|file| vec![file.display().to_string()]);
    installed.ok_or_else(|| ProjectError::NoBuildTool {
        tool: "Gradle",
        advice: "install it from gradle.org, or add the Gradle wrapper (gradlew) to the project"
            .to_owned(),
    })
}

fn call(
    context: &Context<'_>,
    mode: Mode,
    launcher: &[String],
    script: &Path,
    model: &Path,
) -> Result<Finished, ProjectError> {
    let mut spawn = Spawn::new(&launcher[0]).args(&launcher[1..]);
    spawn = spawn
        .args(["--no-daemon", "--console=plain", "--init-script"])
        .arg(script);
    spawn = spawn.arg(format!("-Dbraid.model={}", model.display()));
    // The task looks into all projects when it runs, which these three would forbid.
    spawn = spawn.args([
        "-Dorg.gradle.configuration-cache=false",
        "-Dorg.gradle.unsafe.configuration-cache=false",
        "-Dorg.gradle.configureondemand=false",
    ]);
    match mode {
        Mode::Incremental => {}
        Mode::Clean => spawn = spawn.arg("--rerun-tasks"),
        Mode::ModelOnly => spawn = spawn.arg("-Dbraid.build=false"),
    }
    if context.offline() {
        spawn = spawn.arg("--offline");
    }
    let build = &context.config.build;
    spawn = spawn
        .args(build.args.iter().flatten())
        .args(build.goals.iter().flatten());
    spawn = spawn
        .arg(":braidModel")
        .cwd(context.root)
        .env("JAVA_HOME", &context.jdk.home);
    context
        .opts
        .say(&format!("building: {}", launcher.join(" ")));
    let finished = spawn.cap(8 * 1024 * 1024).run(context.timeout())?;
    if finished.timed_out {
        let seconds = context.timeout().as_secs();
        return Err(ProjectError::BuildTimeout {
            tool: "Gradle",
            seconds,
        });
    }
    Ok(finished)
}

/// How many lines of a failed build are shown.
const SHOWN_LINES: usize = 25;

fn explain(finished: &Finished, text: &str, log: Option<PathBuf>) -> ProjectError {
    let diagnostics = javac_diagnostics(text);
    if !diagnostics.is_empty() {
        return ProjectError::DoesNotCompile { diagnostics, log };
    }
    let start = text
        .find("* What went wrong:")
        .or_else(|| text.find("FAILURE:"));
    let reason = start.map_or(text, |start| &text[start..]);
    let reason = reason.split("\n* Try:").next().unwrap_or(reason);
    let lines = reason
        .lines()
        .map(str::trim_end)
        .filter(|line| !line.is_empty());
    let lines: Vec<String> = lines
        .take(SHOWN_LINES)
        .map(|line| format!("  {line}"))
        .collect();
    let message = lines.join("\n");
    let unreadable = [
        "Could not compile",
        "A problem occurred evaluating",
        "Could not open",
    ];
    if unreadable.iter().any(|sign| reason.contains(sign)) {
        return ProjectError::BrokenBuildFile {
            tool: "Gradle",
            message,
        };
    }
    ProjectError::BuildFailed {
        tool: "Gradle",
        status: finished.status.to_string(),
        message,
        log,
    }
}
