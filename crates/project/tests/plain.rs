//! Projects without a build tool, compiled by Braid itself.

mod support;

use std::fs;
use std::path::PathBuf;

use braid_project::{
    Finding, ProjectError, ProjectKind, ProjectOptions, Severity, discover, doctor,
};
use support::{Tree, discover_recorded, tick};

/// A zip archive without entries.
const EMPTY_JAR: &[u8] = b"PK\x05\x06\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0";

fn standard() -> Tree {
    Tree::new()
        .file(
            "src/main/java/a/Box.java",
            "package a; public class Box { int v = 1; }",
        )
        .file("src/main/resources/a/words.txt", "words")
        .file(
            "src/test/java/a/BoxTest.java",
            "package a; public class BoxTest { Box b; class In {} }",
        )
        .file("src/test/resources/data.txt", "data")
        .file("lib/x.jar", EMPTY_JAR)
}

#[test]
fn a_standard_tree_is_found_compiled_and_described() {
    let tree = standard();
    let before = tree.contents();
    let (project, said) = discover_recorded(&tree.path("src/main/java/a"));
    let project = project.unwrap();
    assert_eq!(
        (project.root.clone(), project.kind),
        (tree.root(), ProjectKind::Plain)
    );
    assert_eq!(said, ["compiling with javac"]);
    let module = &project.modules[0];
    assert_eq!(module.test_class_names(), ["a.BoxTest"]);
    for name in [
        "classes/a/Box.class",
        "classes/a/words.txt",
        "test-classes/data.txt",
    ] {
        assert!(module.build_dir.join(name).is_file(), "{name}");
    }
    assert_eq!(module.test_classpath.last(), Some(&tree.path("lib/x.jar")));
    assert_eq!(module.encoding, "UTF-8");
    project.require_tests().unwrap();
    assert_eq!(tree.contents(), before, "only .braid may be written to");
    assert_eq!(tree.read(".braid/.gitignore"), b"*\n");
}

#[test]
fn nothing_is_compiled_again_until_something_changes_and_then_everything_is() {
    let tree = standard();
    let class = tree.path(".braid/build/classes/a/Box.class");
    let discover_said = || {
        let (project, said) = discover_recorded(&tree.root());
        project.unwrap();
        said.len()
    };
    assert_eq!(discover_said(), 1);
    let first = fs::metadata(&class).unwrap().modified().unwrap();
    assert_eq!(discover_said(), 0);
    assert_eq!(fs::metadata(&class).unwrap().modified().unwrap(), first);

    // The same size and the same modification time, but other content.
    let source = tree.path("src/main/java/a/Box.java");
    let modified = fs::metadata(&source).unwrap().modified().unwrap();
    tick();
    tree.write(
        "src/main/java/a/Box.java",
        "package a; public class Box { int w = 1; }",
    );
    fs::File::open(&source)
        .unwrap()
        .set_modified(modified)
        .unwrap();
    assert_eq!(discover_said(), 1);
    assert!(String::from_utf8_lossy(&fs::read(&class).unwrap()).contains('w'));

    // A class file that somebody else wrote.
    fs::write(&class, "rubbish").unwrap();
    assert_eq!(discover_said(), 1);
    assert!(
        fs::read(&class)
            .unwrap()
            .starts_with(&[0xca, 0xfe, 0xba, 0xbe])
    );

    // A source that is gone takes its class with it; a new jar changes the class path.
    tree.write("src/main/java/a/More.java", "package a; class More {}");
    assert_eq!(discover_said(), 1);
    fs::remove_file(tree.path("src/main/java/a/More.java")).unwrap();
    tree.write("lib/y.jar", EMPTY_JAR);
    assert_eq!(discover_said(), 1);
    assert!(!tree.path(".braid/build/classes/a/More.class").exists());
    assert_eq!(discover_said(), 0);
}

#[test]
fn latin_1_sources_are_noticed_and_kept_right() {
    let source = b"class A { String s = \"\xe4\xf6\xfc\"; }";
    let tree = Tree::new()
        .file("src/A.java", source)
        .file("test/T.java", "class T {}");
    let project = discover(&tree.root(), &ProjectOptions::default()).unwrap();
    assert_eq!(project.modules[0].encoding, "ISO-8859-1");
    assert!(
        project.warnings[0].contains("A.java is not UTF-8"),
        "{:?}",
        project.warnings
    );
    let class = tree.read(".braid/build/classes/A.class");
    assert!(String::from_utf8_lossy(&class).contains("äöü"));
}

#[test]
fn errors_of_the_compiler_come_with_file_and_line() {
    let tree = Tree::new().file("src/A.java", "class A {\n  int x = y;\n}\n");
    let error = discover(&tree.root(), &ProjectOptions::default()).unwrap_err();
    let ProjectError::DoesNotCompile { diagnostics, .. } = &error else {
        panic!("{error}")
    };
    assert_eq!(diagnostics[0].file, tree.path("src/A.java"));
    assert_eq!(diagnostics[0].line, 2);
    assert!(diagnostics[0].message.starts_with("cannot find symbol"));
    assert!(error.to_string().contains("A.java:2: cannot find symbol"));
}

#[test]
fn explicit_folders_need_no_known_layout() {
    let tree = Tree::new()
        .file("code/A.java", "public class A {}")
        .file("checks/T.java", "class T extends A {}")
        .file("jars/j.jar", EMPTY_JAR)
        .file("here/x", "");
    let opts = ProjectOptions {
        sources: vec!["../code".into()],
        tests: vec!["../checks".into()],
        classpath: vec!["../jars/*.jar".into()],
        ..ProjectOptions::default()
    };
    let project = discover(&tree.path("here"), &opts).unwrap();
    assert_eq!(
        (project.kind, project.root.clone()),
        (ProjectKind::Explicit, tree.root())
    );
    let module = &project.modules[0];
    assert_eq!(module.source_roots, [tree.path("code")]);
    assert_eq!(module.test_class_names(), ["T"]);
    assert_eq!(module.compile_classpath, [tree.path("jars/j.jar")]);

    let missing = ProjectOptions {
        sources: vec!["no".into()],
        ..ProjectOptions::default()
    };
    let error = discover(&tree.root(), &missing).unwrap_err().to_string();
    assert!(error.starts_with("no folder"), "{error}");
}

#[test]
fn braid_toml_describes_any_tree_and_profiles_change_it() {
    let tree = Tree::new()
        .file("app/A.java", "public class A {}")
        .file("app-tests/T.java", "class T extends A {}")
        .file(
            "braid.toml",
            "[project]\nsources = [\"app\"]\ntest-sources = [\"app-tests\"]\n\
             javac-args = [\"--release\", \"11\"]\n[tests]\nenv = { A = \"1\" }\n\
             [profile.ci.tests]\njvm-args = [\"-Xss1m\"]\n",
        );
    let opts = ProjectOptions {
        profile: Some("ci".into()),
        ..ProjectOptions::default()
    };
    let project = discover(&tree.path("app"), &opts).unwrap();
    let module = &project.modules[0];
    assert_eq!(module.jvm_args, ["-Xss1m"]);
    assert_eq!(module.env["A"], "1");
    assert_eq!(module.javac_args, ["--release", "11"]);
    let class = tree.read(".braid/build/classes/A.class");
    assert_eq!(class[7], 55, "compiled for Java 11");
}

#[test]
fn a_folder_without_a_project_is_an_error_that_says_what_to_do() {
    let tree = Tree::new().file(".git/HEAD", "").file("docs/x.txt", "");
    let error = discover(&tree.path("docs"), &ProjectOptions::default())
        .unwrap_err()
        .to_string();
    assert!(
        error.contains("no Java project in") && error.contains("--source"),
        "{error}"
    );
    let error = discover(&tree.path("none"), &ProjectOptions::default()).unwrap_err();
    assert!(matches!(error, ProjectError::NoFolder(_)));
}

#[test]
fn no_build_uses_what_is_there_and_refuses_what_is_stale() {
    let tree = standard();
    let no_build = ProjectOptions {
        no_build: true,
        ..ProjectOptions::default()
    };
    let error = discover(&tree.root(), &no_build).unwrap_err().to_string();
    assert!(
        error.contains("stale") && error.contains("has none"),
        "{error}"
    );
    discover(&tree.root(), &ProjectOptions::default()).unwrap();
    discover(&tree.root(), &no_build).unwrap();
    tick();
    tree.write(
        "src/main/java/a/Box.java",
        "package a; public class Box { }",
    );
    let error = discover(&tree.root(), &no_build).unwrap_err().to_string();
    assert!(error.contains("Box.class is older than"), "{error}");
}

#[test]
fn a_project_without_tests_is_found_but_says_so() {
    let tree = Tree::new().file("src/main/java/A.java", "class A {}");
    let project = discover(&tree.root(), &ProjectOptions::default()).unwrap();
    let error = project.require_tests().unwrap_err().to_string();
    assert!(
        error.contains("has no test sources; name them with --tests"),
        "{error}"
    );
}

#[test]
fn the_doctor_lists_everything_and_finds_what_is_missing() {
    let tree = standard();
    let findings = doctor(&tree.root(), &ProjectOptions::default());
    let find = |subject: &str| -> Vec<&Finding> {
        findings.iter().filter(|f| f.subject == subject).collect()
    };
    for subject in [
        "JDK",
        "project",
        "build tool",
        "modules",
        "processors",
        "configuration",
    ] {
        assert!(
            find(subject).iter().any(|f| f.severity == Severity::Good),
            "{subject}: {findings:#?}"
        );
    }
    let name = tree
        .root()
        .file_name()
        .unwrap()
        .to_string_lossy()
        .into_owned();
    let module = find(&format!("module {name}"));
    assert!(
        module[0]
            .message
            .starts_with("1 source files, 1 test files, 1 test classes")
    );
    assert_eq!(module[1].severity, Severity::Problem);
    assert_eq!(
        module[1].message,
        "no JUnit or TestNG on the test class path"
    );
    assert!(module[1].advice.is_some());

    let bad = ProjectOptions {
        jdk: Some(PathBuf::from("/no/jdk")),
        ..ProjectOptions::default()
    };
    let findings = doctor(&tree.root(), &bad);
    let jdk = findings.iter().find(|f| f.subject == "JDK").unwrap();
    assert_eq!(
        (jdk.severity, jdk.message.as_str()),
        (Severity::Problem, "--jdk: /no/jdk is no folder")
    );
}
