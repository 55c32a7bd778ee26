//! Projects without a build tool: Braid compiles them itself, below `.braid/build`.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use braid_process::{Spawn, argfile};
use regex::Regex;

use crate::error::{BuildDiagnostic, ProjectError};
use crate::filter::TestFilter;
use crate::jars;
use crate::layout::{Layout, java_files};
use crate::model::Module;
use crate::reading::{BuildTool, Context, Mode, Reading};

/// Compiles a layout of folders and jars with javac, always everything.
#[derive(Debug)]
pub(crate) struct Plain<'a> {
    pub(crate) layout: &'a Layout,
    pub(crate) build_file: Option<PathBuf>,
}

impl BuildTool for Plain<'_> {
    fn identity(&self, context: &Context<'_>) -> Vec<String> {
        let project = &context.config.project;
        let compiler = format!(
            "{:?} {:?} {:?}",
            project.encoding, project.javac_args, project.annotation_processors
        );
        vec!["plain".to_owned(), format!("{:?}", self.layout), compiler]
    }

    fn build(&self, context: &Context<'_>, mode: Mode) -> Result<Reading, ProjectError> {
        let mut warnings = Vec::new();
        let module = self.module(context, &mut warnings);
        if mode != Mode::ModelOnly {
            compile(context, &module)?;
        }
        let build_files = self.build_file.iter().cloned().collect();
        let tool = format!("javac {}", context.jdk.full_version);
        Ok(Reading {
            modules: vec![module],
            build_files,
            warnings,
            tool,
        })
    }
}

impl Plain<'_> {
    fn module(&self, context: &Context<'_>, warnings: &mut Vec<String>) -> Module {
        let layout = self.layout;
        let project = &context.config.project;
        let build_dir = context.state.build();
        let (classes, test_classes) = (build_dir.join("classes"), build_dir.join("test-classes"));
        let mut test_classpath = vec![test_classes.clone(), classes.clone()];
        test_classpath.extend(
            layout
                .classpath
                .iter()
                .chain(&layout.test_classpath)
                .cloned(),
        );
        let encoding = project
            .encoding
            .clone()
            .unwrap_or_else(|| self.guess_encoding(warnings));
        let processors = project.annotation_processors.unwrap_or_else(|| {
            context.jdk.version < 23 && jars::any_has_processor(&layout.classpath)
        });
        let javac_args = project.javac_args.clone().unwrap_or_default();
        let name = context
            .root
            .file_name()
            .map(|name| name.to_string_lossy().into_owned());
        Module {
            name: name.unwrap_or_else(|| "main".to_owned()),
            dir: context.root.to_owned(),
            source_roots: layout.sources.clone(),
            test_roots: layout.tests.clone(),
            resource_roots: layout.resources.clone(),
            test_resource_roots: layout.test_resources.clone(),
            build_dir,
            classes,
            test_classes,
            compile_classpath: layout.classpath.clone(),
            test_classpath,
            encoding,
            test_javac_args: javac_args.clone(),
            javac_args,
            annotation_processors: processors,
            tests: TestFilter::every_class(),
            jvm_args: vec!["-ea".to_owned()],
            test_cwd: context.root.to_owned(),
            ..Module::default()
        }
    }

    /// UTF-8 unless a source is none; then Latin-1, which every file is.
    fn guess_encoding(&self, warnings: &mut Vec<String>) -> String {
        let roots = [self.layout.sources.as_slice(), self.layout.tests.as_slice()].concat();
        let foreign = java_files(&roots)
            .find(|file| fs::read(file).is_ok_and(|bytes| std::str::from_utf8(&bytes).is_err()));
        match foreign {
            None => "UTF-8".to_owned(),
            Some(file) => {
                warnings.push(format!(
                    "{} is not UTF-8: all sources are read as ISO-8859-1; set project.encoding in \
                     braid.toml if that is wrong",
                    file.display()
                ));
                "ISO-8859-1".to_owned()
            }
        }
    }
}

fn compile(context: &Context<'_>, module: &Module) -> Result<(), ProjectError> {
    context.opts.say("compiling with javac");
    if module.build_dir.exists() {
        fs::remove_dir_all(&module.build_dir)
            .map_err(ProjectError::io("remove", &module.build_dir))?;
    }
    let main = Part {
        roots: &module.source_roots,
        resources: &module.resource_roots,
        out: &module.classes,
        classpath: &module.compile_classpath,
    };
    let test = Part {
        roots: &module.test_roots,
        resources: &module.test_resource_roots,
        out: &module.test_classes,
        classpath: &module.test_classpath,
    };
    for part in [main, test] {
        part.compile(context, module)?;
        part.copy_resources()?;
    }
    Ok(())
}

/// One set of sources that goes into one folder.
struct Part<'a> {
    roots: &'a [PathBuf],
    resources: &'a [PathBuf],
    out: &'a Path,
    classpath: &'a [PathBuf],
}

impl Part<'_> {
    fn compile(&self, context: &Context<'_>, module: &Module) -> Result<(), ProjectError> {
        fs::create_dir_all(self.out).map_err(ProjectError::io("create", self.out))?;
        let files: Vec<String> = java_files(self.roots)
            .map(|file| file.display().to_string())
            .collect();
        if files.is_empty() {
            return Ok(());
        }
        let classpath = std::env::join_paths(self.classpath).unwrap_or_default();
        let mut args = vec!["-g", "-nowarn", "-encoding", &module.encoding];
        let (out, classpath) = (self.out.display().to_string(), classpath.to_string_lossy());
        args.extend(["-d", &out, "-cp", &classpath]);
        if !module.annotation_processors {
            args.push("-proc:none");
        }
        args.extend(module.javac_args.iter().map(String::as_str));
        args.extend(files.iter().map(String::as_str));
        let list = context
            .state
            .write("javac.args", argfile::text(args).as_bytes())?;
        let finished = Spawn::new(context.jdk.javac())
            .args([
                "-J-Xmx1g",
                "-J-XX:+UseSerialGC",
                "-J-XX:TieredStopAtLevel=1",
            ])
            .arg(format!("@{}", list.display()))
            .cwd(context.root)
            .run(context.timeout())?;
        if finished.success() {
            return Ok(());
        }
        if finished.timed_out {
            let seconds = context.timeout().as_secs();
            return Err(ProjectError::BuildTimeout {
                tool: "javac",
                seconds,
            });
        }
        let text = finished.stderr.text();
        let log = context.state.write("build.log", text.as_bytes()).ok();
        let diagnostics = javac_diagnostics(&text);
        if diagnostics.is_empty() {
            let (status, message) = (finished.status.to_string(), text.trim().to_owned());
            return Err(ProjectError::BuildFailed {
                tool: "javac",
                status,
                message,
                log,
            });
        }
        Err(ProjectError::DoesNotCompile { diagnostics, log })
    }

    /// Copies what is no source beside the classes: from the resource roots, or from the source
    /// roots if there are none.
    fn copy_resources(&self) -> Result<(), ProjectError> {
        let from = if self.resources.is_empty() {
            self.roots
        } else {
            self.resources
        };
        for root in from {
            for entry in walkdir::WalkDir::new(root)
                .follow_links(true)
                .into_iter()
                .flatten()
            {
                let is_source = entry.path().extension().is_some_and(|e| e == "java");
                if !entry.file_type().is_file() || is_source {
                    continue;
                }
                let relative = entry.path().strip_prefix(root).unwrap_or(entry.path());
                let target = self.out.join(relative);
                let parent = target.parent().unwrap_or(self.out);
                fs::create_dir_all(parent).map_err(ProjectError::io("create", parent))?;
                fs::copy(entry.path(), &target).map_err(ProjectError::io("write", &target))?;
            }
        }
        Ok(())
    }
}

static POSITION: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"^(.+\.java):(\d+): error: (.*)$").expect("is valid"));

/// The errors in what javac printed.
pub(crate) fn javac_diagnostics(output: &str) -> Vec<BuildDiagnostic> {
    let mut found: Vec<BuildDiagnostic> = Vec::new();
    for line in output.lines() {
        if let Some(parts) = POSITION.captures(line) {
            found.push(BuildDiagnostic {
                file: PathBuf::from(&parts[1]),
                line: parts[2].parse().unwrap_or(0),
                column: None,
                message: parts[3].to_owned(),
            });
        } else if let Some(last) = found.last_mut() {
            let detail = line.trim();
            if detail.starts_with("symbol:") || detail.starts_with("location:") {
                last.message.push_str(&format!("\n    {detail}"));
            }
        }
    }
    found
}
