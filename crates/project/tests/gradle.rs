//! Gradle projects: through the real Gradle where there is one, and through a stand-in that keeps
//! the init script's contract (it writes the model file that it was told to write), so that the
//! reading of the model is tested on every machine.

mod support;

use std::fs;

use braid_project::{ProjectError, ProjectKind, ProjectOptions, discover};
use support::{Tree, discover_recorded, has, tick};

/// A stand-in for Gradle: checks how it is called and writes the prepared model.
const STAND_IN: &str = r#"#!/bin/sh
cd "$(dirname "$0")" || exit 1
echo "$@" >> .braid/calls
for arg; do case "$arg" in -Dbraid.model=*) model="${arg#-Dbraid.model=}";; esac; done
case "$*" in *--init-script*:braidModel) ;; *) exit 9;; esac
mkdir -p core/build/classes app/build/classes app/build/test
sed "s|ROOT|$PWD|g" model.json > "$model"
"#;

const MODEL: &str = r#"{"format":1,"gradle":"8.5","projects":[
 {"path":":app","name":"app","dir":"ROOT/app","buildDir":"ROOT/app/build","buildFile":"ROOT/app/build.gradle",
  "archive":"ROOT/app/build/libs/app.jar","sources":["ROOT/app/src/main/java","ROOT/none"],"resources":[],
  "testSources":["ROOT/app/src/test/java"],"testResources":[],"outputs":["ROOT/app/build/classes"],
  "compile":{"output":"ROOT/app/build/classes","classpath":["ROOT/core/build/libs/core.jar"],"encoding":"UTF-16",
    "args":["-parameters","-Werror","-proc:none"],"release":"17","source":"17","target":"17","processorPath":[],"excludes":[]},
  "testCompile":{"output":"ROOT/app/build/test","classpath":[],"encoding":null,"args":[],"release":null,
    "source":"11","target":"11","processorPath":[],"excludes":[]},
  "tests":{"name":"test","enabled":true,"classpath":["ROOT/app/build/test","ROOT/app/build/classes","ROOT/core/build/libs/core.jar","/x/junit.jar"],
    "classesDirs":["ROOT/app/build/test"],"includes":[],"excludes":["**/Slow*"],"filterIncludes":["app.*Test"],"filterExcludes":[],
    "groups":["fast","quick"],"excludedGroups":[],"jvmArgs":["-Xmx1g","-Dfile.encoding=UTF-8","-ea"],
    "systemProperties":{"a":"b"},"environment":{"E":"f","G":null},"environmentRemoved":["HOSTNAME"],"workingDir":"ROOT/app"}},
 {"path":":core","name":"core","dir":"ROOT/core","buildDir":"ROOT/core/build","buildFile":"ROOT/core/build.gradle",
  "archive":"ROOT/core/build/libs/core.jar","sources":["ROOT/core/src/main/java"],"resources":[],"testSources":[],"testResources":[],
  "outputs":["ROOT/core/build/classes","ROOT/core/build/resources"],
  "compile":{"output":"ROOT/core/build/classes","classpath":[],"encoding":null,"args":[],"release":null,"source":"11","target":"11","processorPath":[],"excludes":[]},
  "testCompile":null,"tests":null}]}"#;

#[test]
fn the_model_of_the_init_script_becomes_modules() {
    let tree = Tree::new()
        .file("settings.gradle", "include 'app', 'core'")
        .file("gradlew", STAND_IN)
        .file("model.json", MODEL)
        .file("core/src/main/java/C.java", "")
        .file("app/src/main/java/A.java", "")
        .file("app/src/test/java/T.java", "");
    let project = discover(&tree.path("app/src"), &ProjectOptions::default()).unwrap();
    assert_eq!(
        (project.root.clone(), project.kind),
        (tree.root(), ProjectKind::Gradle)
    );
    let [core, app] = &project.modules[..] else {
        panic!("{:?}", project.modules)
    };
    assert_eq!((core.name.as_str(), app.name.as_str()), (":core", ":app"));
    assert!(core.tests_skipped.is_some() && app.tests_skipped.is_none());
    assert_eq!(app.depends_on, [":core"]);
    assert_eq!(app.source_roots, [tree.path("app/src/main/java")]);
    assert_eq!(app.javac_args, ["--release", "17", "-parameters"]);
    assert_eq!(app.test_javac_args, ["-source", "11", "-target", "11"]);
    assert_eq!(app.encoding, "UTF-16");
    let outputs = ["core/build/classes", "core/build/resources"].map(|name| tree.path(name));
    assert_eq!(app.compile_classpath, outputs);
    assert_eq!(app.test_classpath[2..4], outputs);
    assert_eq!(app.jvm_args, ["-Xmx1g", "-ea"]);
    assert_eq!(app.env.len(), 1);
    assert_eq!(app.env_removed, ["HOSTNAME"]);
    assert_eq!(app.tests.groups.as_deref(), Some("fast,quick"));
    assert!(app.tests.accepts_class("app.FooTest") && !app.tests.accepts_class("app.SlowTest"));

    let (again, said) = discover_recorded(&tree.root());
    assert_eq!((again.unwrap().modules.len(), said.len()), (2, 0));
    tree.write("settings.gradle", "include 'app', 'core' // changed");
    discover(&tree.root(), &ProjectOptions::default()).unwrap();
    let calls = fs::read_to_string(tree.path(".braid/calls")).unwrap();
    assert_eq!(calls.lines().count(), 2);
    assert!(
        calls.lines().nth(1).unwrap().contains("--rerun-tasks"),
        "{calls}"
    );
}

const BUILD: &str = "
allprojects { apply plugin: 'java'; sourceCompatibility = '11'; compileJava.options.encoding = 'ISO-8859-1' }
project(':app') {
  dependencies { compile project(':core') }
  test { systemProperty 'a', 'b'; environment 'E', 'f'; jvmArgs '-Xss1m'; exclude '**/Slow*'; maxHeapSize = '200m' }
}
";

/// Needs a Gradle on `PATH` that runs on this JDK; the build script is for Gradle 4 to 6, which
/// is what distributions package.
#[test]
fn a_real_gradle_builds_and_describes_two_projects() {
    if !has("gradle") {
        return;
    }
    let tree = Tree::new()
        .file("settings.gradle", "include 'app', 'core'")
        .file("build.gradle", BUILD)
        .file(
            "core/src/main/java/core/Core.java",
            b"package core; public class Core { public static final String S = \"\xe4\"; }",
        )
        .file(
            "app/src/main/java/app/App.java",
            "package app; public class App { String s = core.Core.S; }",
        )
        .file(
            "app/src/test/java/app/AppTest.java",
            "package app; class AppTest extends App {}",
        )
        .file(
            "app/src/test/java/app/SlowTest.java",
            "package app; class SlowTest {}",
        );
    let opts = ProjectOptions {
        offline: true,
        ..ProjectOptions::default()
    };
    let project = match discover(&tree.root(), &opts) {
        // A Gradle that is too old for the JDK or too new for the script cannot be tested with.
        Err(
            ProjectError::BuildFailed { message, .. }
            | ProjectError::BrokenBuildFile { message, .. },
        ) => {
            eprintln!("left out, this Gradle cannot build the fixture: {message}");
            return;
        }
        other => other.unwrap(),
    };
    let app = project.module(":app").unwrap();
    assert_eq!(app.depends_on, [":core"]);
    assert_eq!(app.test_class_names(), ["app.AppTest"]);
    assert_eq!(app.encoding, "ISO-8859-1");
    assert_eq!(app.javac_args, ["-source", "11", "-target", "11"]);
    assert_eq!(
        (app.system_properties["a"].as_str(), app.env["E"].as_str()),
        ("b", "f")
    );
    for arg in ["-Xss1m", "-Xmx200m", "-ea"] {
        assert!(
            app.jvm_args.iter().any(|a| a == arg),
            "{arg} in {:?}",
            app.jvm_args
        );
    }
    let core = project.module(":core").unwrap();
    assert!(
        app.test_classpath.contains(&core.classes),
        "{:?}",
        app.test_classpath
    );
    let has_text = |name: &str, text: &str| {
        let class = fs::read(app.classes.join(name)).unwrap();
        String::from_utf8_lossy(&class).contains(text)
    };
    assert!(has_text("app/App.class", "ä"));

    let (again, said) = discover_recorded(&tree.root());
    assert_eq!(
        (again.unwrap().modules.len(), said),
        (project.modules.len(), vec![])
    );

    tick();
    tree.write(
        "core/src/main/java/core/Core.java",
        "package core; public class Core { public static final String S = \"new\"; }",
    );
    discover(&tree.root(), &opts).unwrap();
    assert!(has_text("app/App.class", "new"));
}
