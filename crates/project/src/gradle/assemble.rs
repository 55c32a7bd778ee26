//! From what the init script wrote down to modules.

use std::path::{Path, PathBuf};

use super::model::{CompileTask, GradleModel, GradleProject, TestTask};
use crate::filter::{NESTED, TestFilter};
use crate::jars;
use crate::jdk::home_of_launcher;
use crate::model::Module;
use crate::reading::Reading;
use crate::words::without_checkers;

/// The modules, dependencies before dependents.
pub(super) fn reading(model: &GradleModel, root: &Path) -> Reading {
    let mut modules: Vec<Module> = model
        .projects
        .iter()
        .map(|project| module(project, model))
        .collect();
    // A class path holds what the modules on it depend on in their turn, so a dependency always
    // has fewer dependencies than its dependent.
    modules.sort_by_key(|module| module.depends_on.len());
    let shared = [
        "settings.gradle",
        "settings.gradle.kts",
        "build.gradle",
        "build.gradle.kts",
        "gradle.properties",
        "gradle",
        "buildSrc/src",
        "buildSrc/build.gradle",
        "buildSrc/build.gradle.kts",
    ];
    let shared = shared.into_iter().map(|name| root.join(name));
    let own = model
        .projects
        .iter()
        .map(|project| project.build_file.clone());
    let mut build_files: Vec<PathBuf> = shared.chain(own).filter(|path| path.exists()).collect();
    build_files.sort();
    build_files.dedup();
    let warnings = model.projects.iter().filter_map(both_filters).collect();
    let tool = format!("Gradle {}", model.gradle);
    Reading {
        modules,
        build_files,
        warnings,
        tool,
    }
}

fn module(project: &GradleProject, model: &GradleModel) -> Module {
    let tests = project.tests.as_ref();
    let compile = project.compile.as_ref();
    let classes = compile.map_or_else(|| project.build_dir.join("classes"), |c| c.output.clone());
    let test_classes = project.test_compile.as_ref().map(|c| c.output.clone());
    let test_classes = test_classes.or_else(|| tests?.classes_dirs.first().cloned());
    let test_path = tests.map_or(&[][..], |tests| &tests.classpath);
    let compile_path = compile.map_or(&[][..], |compile| &compile.classpath);
    let no_tests = || Some("Gradle has no enabled `test` task here".to_owned());
    Module {
        name: module_name(project),
        dir: project.dir.clone(),
        source_roots: existing(&project.sources),
        test_roots: existing(&project.test_sources),
        resource_roots: existing(&project.resources),
        test_resource_roots: existing(&project.test_resources),
        test_classes: test_classes.unwrap_or_else(|| project.build_dir.join("test-classes")),
        build_dir: project.build_dir.clone(),
        classes,
        compile_classpath: with_outputs(compile_path, model, project),
        test_classpath: with_outputs(test_path, model, project),
        depends_on: dependencies(test_path, model, project),
        encoding: compile
            .and_then(|c| c.encoding.clone())
            .unwrap_or_else(|| "UTF-8".to_owned()),
        javac_args: compile.map(javac_args).unwrap_or_default(),
        test_javac_args: project
            .test_compile
            .as_ref()
            .map(javac_args)
            .unwrap_or_default(),
        annotation_processors: compile.is_some_and(runs_processors),
        processor_path: compile
            .map(|c| c.processor_path.clone())
            .unwrap_or_default(),
        source_excludes: compile.map(|c| c.excludes.clone()).unwrap_or_default(),
        tests: tests.map(filter).unwrap_or_default(),
        tests_skipped: if tests.is_some_and(|tests| tests.enabled) {
            None
        } else {
            no_tests()
        },
        java: tests.and_then(java),
        jvm_args: tests.map(jvm_args).unwrap_or_default(),
        system_properties: tests
            .map(|t| t.system_properties.clone())
            .unwrap_or_default(),
        env: tests.into_iter().flat_map(set_variables).collect(),
        env_removed: tests
            .map(|t| t.environment_removed.clone())
            .unwrap_or_default(),
        test_cwd: tests.map_or_else(|| project.dir.clone(), |t| t.working_dir.clone()),
    }
}

/// The path within the build, as in `:lib:core`; the plain name for the root.
fn module_name(project: &GradleProject) -> String {
    if project.path == ":" {
        project.name.clone()
    } else {
        project.path.clone()
    }
}

fn existing(roots: &[PathBuf]) -> Vec<PathBuf> {
    roots.iter().filter(|root| root.is_dir()).cloned().collect()
}

/// The class path with each project's jar replaced by what goes into it.
fn with_outputs(classpath: &[PathBuf], model: &GradleModel, own: &GradleProject) -> Vec<PathBuf> {
    let mut entries = Vec::new();
    for entry in classpath {
        let owner = model
            .projects
            .iter()
            .find(|p| p.archive.as_ref() == Some(entry));
        match owner.filter(|owner| owner.path != own.path) {
            Some(owner) => entries.extend(owner.outputs.iter().cloned()),
            None => entries.push(entry.clone()),
        }
    }
    entries
}

fn dependencies(classpath: &[PathBuf], model: &GradleModel, own: &GradleProject) -> Vec<String> {
    let on_path = |project: &&GradleProject| {
        let is = |entry: &PathBuf| {
            project.archive.as_ref() == Some(entry) || project.outputs.contains(entry)
        };
        project.path != own.path && classpath.iter().any(is)
    };
    model
        .projects
        .iter()
        .filter(on_path)
        .map(module_name)
        .collect()
}

fn javac_args(task: &CompileTask) -> Vec<String> {
    let mut args = Vec::new();
    let own_release = task.args.iter().any(|arg| arg == "--release");
    if let Some(release) = &task.release {
        args.extend(["--release".to_owned(), release.clone()]);
    } else if !own_release {
        let levels = [("-source", &task.source), ("-target", &task.target)];
        for (option, level) in levels {
            args.extend(
                level
                    .iter()
                    .flat_map(|level| [option.to_owned(), level.clone()]),
            );
        }
    }
    let own = task
        .args
        .iter()
        .filter(|arg| !arg.starts_with("-proc:"))
        .cloned();
    args.extend(without_checkers(own.collect()));
    args
}

fn runs_processors(task: &CompileTask) -> bool {
    let off = task.args.iter().any(|arg| arg == "-proc:none");
    !off && jars::any_has_processor(&task.processor_path)
}

/// Gradle's own JVM is named like any other.
fn java(tests: &TestTask) -> Option<PathBuf> {
    let launcher = tests.java.clone().filter(|path| path.is_absolute())?;
    home_of_launcher(launcher)
}

/// Gradle always adds these, though the JVM would choose the same or better.
fn jvm_args(tests: &TestTask) -> Vec<String> {
    let own = |arg: &&String| {
        !["-Dfile.encoding=", "-Duser."]
            .iter()
            .any(|p| arg.starts_with(p))
    };
    tests.jvm_args.iter().filter(own).cloned().collect()
}

fn set_variables(tests: &TestTask) -> impl Iterator<Item = (String, String)> {
    tests
        .environment
        .iter()
        .filter_map(|(name, value)| Some((name.clone(), value.clone()?)))
}

fn filter(tests: &TestTask) -> TestFilter {
    let by_name = |patterns: &[String]| -> Vec<String> {
        patterns
            .iter()
            .map(|pattern| name_pattern(pattern))
            .collect()
    };
    let include = match tests.filter_includes.is_empty() {
        true => tests.includes.clone(),
        false => by_name(&tests.filter_includes),
    };
    let mut exclude = tests.excludes.clone();
    exclude.extend(by_name(&tests.filter_excludes));
    exclude.push(NESTED.to_owned());
    let groups = |groups: &[String]| (!groups.is_empty()).then(|| groups.join(","));
    TestFilter {
        include,
        exclude,
        groups: groups(&tests.groups),
        excluded_groups: groups(&tests.excluded_groups),
    }
}

/// A name with stars, which may end with a method: `com.x.*Test`, `FooTest.bar`.
fn name_pattern(pattern: &str) -> String {
    let regex = |name: &str| {
        let parts: Vec<String> = name.split('*').map(regex::escape).collect();
        parts.join(".*")
    };
    let simple = pattern.starts_with(|c: char| c.is_uppercase());
    let prefix = if simple { r"(?:.*\.)?" } else { "" };
    let class = pattern
        .rsplit_once('.')
        .map(|(class, _)| class)
        .filter(|class| !class.is_empty());
    match class {
        Some(class) => format!("%regex[{prefix}(?:{}|{})]", regex(pattern), regex(class)),
        None => format!("%regex[{prefix}{}]", regex(pattern)),
    }
}

fn both_filters(project: &GradleProject) -> Option<String> {
    let tests = project.tests.as_ref()?;
    let both = !tests.includes.is_empty() && !tests.filter_includes.is_empty();
    let name = module_name(project);
    both.then(|| format!("{name}: of the test task's includes only the `filter` is honoured"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn name_patterns_match_classes_and_classes_of_methods() {
        let accepts = |pattern: &str, class: &str| {
            let include = vec![name_pattern(pattern)];
            TestFilter {
                include,
                ..TestFilter::default()
            }
            .accepts_class(class)
        };
        assert!(accepts("com.x.*Test", "com.x.FooTest"));
        assert!(accepts("com.x.FooTest.bar*", "com.x.FooTest"));
        assert!(accepts("FooTest", "com.x.FooTest"));
        assert!(accepts("*FooTest", "com.x.FooTest"));
        assert!(!accepts("com.x.BarTest", "com.x.FooTest"));
        assert!(!accepts("com.x.*Test", "com.y.FooTest"));
    }
}
