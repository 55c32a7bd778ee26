//! From what the helper wrote down to modules.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use super::compiler::{self, CompilerSettings};
use super::spy::{Artifact, MavenModule, Session};
use super::surefire;
use crate::jars;
use crate::jdk::{Jdk, home_of_launcher};
use crate::model::Module;
use crate::reading::Reading;

/// The modules that compile something, in build order.
pub(super) fn reading(session: &Session, root: &Path, jdk: &Jdk) -> Reading {
    let names = Names::of(&session.modules);
    let version = session.maven.as_deref().unwrap_or("of unknown version");
    let mut reading = Reading {
        tool: format!("Maven {version}"),
        ..Reading::default()
    };
    for maven in &session.modules {
        let in_tree = maven.poms.iter().filter(|pom| pom.starts_with(root));
        reading.build_files.extend(in_tree.cloned());
        if maven
            .goals("maven-compiler-plugin", "compile")
            .next()
            .is_none()
            && maven
                .goals("maven-compiler-plugin", "testCompile")
                .next()
                .is_none()
        {
            continue;
        }
        let (module, warnings) = module(maven, session, &names, jdk);
        reading.modules.push(module);
        reading.warnings.extend(warnings);
    }
    let mvn = root.join(".mvn");
    reading.build_files.extend(mvn.is_dir().then_some(mvn));
    reading.build_files.sort();
    reading.build_files.dedup();
    reading
}

/// The modules by their Maven coordinates.
struct Names<'a> {
    by_id: BTreeMap<String, (String, &'a MavenModule)>,
}

impl<'a> Names<'a> {
    /// A module is named by its artifact id, with the group if two modules share that.
    fn of(modules: &'a [MavenModule]) -> Self {
        let mut seen = BTreeSet::new();
        let twice: BTreeSet<&str> = modules
            .iter()
            .map(|m| m.artifact.as_str())
            .filter(|artifact| !seen.insert(*artifact))
            .collect();
        let name = |m: &MavenModule| match twice.contains(m.artifact.as_str()) {
            true => format!("{}:{}", m.group, m.artifact),
            false => m.artifact.clone(),
        };
        let entry = |m: &'a MavenModule| (id(&m.group, &m.artifact), (name(m), m));
        Self {
            by_id: modules.iter().map(entry).collect(),
        }
    }

    fn get(&self, group: &str, artifact: &str) -> Option<&(String, &'a MavenModule)> {
        self.by_id.get(&id(group, artifact))
    }

    /// The class path with each module of this build by its output folder, even where Maven took
    /// a jar that was packaged or installed before.
    fn with_outputs(&self, classpath: &[PathBuf], artifacts: &[Artifact]) -> Vec<PathBuf> {
        let mut replaced = BTreeMap::new();
        for artifact in artifacts {
            if let (Some((_, module)), Some(file)) = (
                self.get(&artifact.group, &artifact.artifact),
                &artifact.file,
            ) {
                let output = if artifact.is_test_jar() {
                    &module.test_classes
                } else {
                    &module.classes
                };
                replaced.insert(file.clone(), output.clone());
            }
        }
        classpath
            .iter()
            .map(|entry| replaced.get(entry).unwrap_or(entry).clone())
            .collect()
    }
}

fn id(group: &str, artifact: &str) -> String {
    format!("{group}:{artifact}")
}

fn module(
    maven: &MavenModule,
    session: &Session,
    names: &Names<'_>,
    jdk: &Jdk,
) -> (Module, Vec<String>) {
    let settings = |goal, tests| {
        let goal = maven.goals("maven-compiler-plugin", goal).next();
        goal.map(|goal| compiler::settings(&goal.configuration, tests))
            .unwrap_or_default()
    };
    let (main, test) = (settings("compile", false), settings("testCompile", true));
    let surefire = surefire::settings(maven, session.local_repository.as_deref());
    let mut warnings = surefire.warnings;
    warnings.extend(other_compiler(maven, &main));
    warnings.extend(other_jdk(maven, jdk));

    let compile = names.with_outputs(&maven.compile_classpath, &maven.compile_artifacts);
    let compile: Vec<PathBuf> = compile
        .into_iter()
        .filter(|e| *e != maven.classes)
        .collect();
    let removed = |entry: &PathBuf| surefire.classpath_removed.contains(entry);
    let kept: Vec<PathBuf> = maven
        .test_classpath
        .iter()
        .filter(|entry| !removed(entry))
        .cloned()
        .collect();
    let mut test_classpath = names.with_outputs(&kept, &maven.test_artifacts);
    test_classpath.extend(surefire.classpath_added);

    let own = names.get(&maven.group, &maven.artifact);
    let name = own.map_or_else(|| maven.artifact.clone(), |(name, _)| name.clone());
    let module = Module {
        depends_on: dependencies(maven, names, &name),
        name,
        source_roots: existing(&maven.source_roots),
        test_roots: existing(&maven.test_roots),
        resource_roots: existing(maven.resources.iter().map(|r| &r.directory)),
        test_resource_roots: existing(maven.test_resources.iter().map(|r| &r.directory)),
        build_dir: maven.build_directory.clone(),
        classes: maven.classes.clone(),
        test_classes: maven.test_classes.clone(),
        encoding: main
            .encoding
            .clone()
            .or(test.encoding)
            .unwrap_or_else(|| "UTF-8".into()),
        annotation_processors: runs_processors(&main, &compile, jdk),
        processor_path: maven.processor_path.clone(),
        compile_classpath: compile,
        test_classpath,
        javac_args: main.javac_args,
        test_javac_args: test.javac_args,
        source_excludes: main.excludes,
        tests: surefire.tests,
        tests_skipped: surefire.skipped,
        java: surefire.java,
        jvm_args: surefire.jvm_args,
        system_properties: surefire.system_properties,
        env: surefire.env,
        env_removed: surefire.env_removed,
        test_cwd: surefire
            .working_directory
            .unwrap_or_else(|| maven.dir.clone()),
        dir: maven.dir.clone(),
    };
    (module, warnings)
}

fn existing<'a>(roots: impl IntoIterator<Item = &'a PathBuf>) -> Vec<PathBuf> {
    roots
        .into_iter()
        .filter(|root| root.is_dir())
        .cloned()
        .collect()
}

fn dependencies(maven: &MavenModule, names: &Names<'_>, own: &str) -> Vec<String> {
    let mut found = Vec::new();
    for artifact in &maven.test_artifacts {
        if let Some((name, _)) = names.get(&artifact.group, &artifact.artifact)
            && name != own
            && !found.contains(name)
        {
            found.push(name.clone());
        }
    }
    found
}

/// javac runs the processors it finds on the class path, until version 23 even unasked.
fn runs_processors(settings: &CompilerSettings, classpath: &[PathBuf], jdk: &Jdk) -> bool {
    match settings.proc.as_deref() {
        Some("none") => false,
        _ if settings.processors_configured => true,
        None if jdk.version >= 23 => false,
        _ => jars::any_has_processor(classpath),
    }
}

/// A toolchain that compiles is told of only: its compiler is that of another JDK.
fn other_jdk(maven: &MavenModule, jdk: &Jdk) -> Option<String> {
    let goal = maven.goals("maven-compiler-plugin", "compile").next()?;
    let home = home_of_launcher(goal.toolchain.clone()?)?;
    let same = std::fs::canonicalize(&home).is_ok_and(|home| home == jdk.home);
    (!same).then(|| {
        format!(
            "{}: Maven compiles with the toolchain in {}, Braid with {}; --jdk names another",
            maven.artifact,
            home.display(),
            jdk.home.display()
        )
    })
}

fn other_compiler(maven: &MavenModule, settings: &CompilerSettings) -> Option<String> {
    let id = settings
        .compiler_id
        .as_deref()
        .filter(|id| !id.starts_with("javac"))?;
    Some(format!(
        "{}: Maven compiles with `{id}`, Braid with javac",
        maven.artifact
    ))
}
