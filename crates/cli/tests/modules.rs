//! Maven projects of several modules: what a change of one means for the others.

mod common;

use common::Project;
use serde_json::{Value, json};

const PARENT: &str = r#"<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>t</groupId><artifactId>parent</artifactId><version>1</version><packaging>pom</packaging>
  <modules><module>lib</module><module>app</module><module>other</module></modules>
  <properties>
    <maven.compiler.source>8</maven.compiler.source><maven.compiler.target>8</maven.compiler.target>
    <project.build.sourceEncoding>UTF-8</project.build.sourceEncoding>
  </properties>
  <dependencies>
    <dependency><groupId>junit</groupId><artifactId>junit</artifactId><version>4.13.2</version><scope>test</scope></dependency>
  </dependencies>
</project>
"#;

fn pom(name: &str, depends_on: Option<&str>) -> String {
    let dependency = depends_on.map_or(String::new(), |module| {
        format!(
            "<dependencies><dependency><groupId>t</groupId><artifactId>{module}</artifactId>\
             <version>1</version></dependency></dependencies>"
        )
    });
    format!(
        "<project xmlns=\"http://maven.apache.org/POM/4.0.0\"><modelVersion>4.0.0</modelVersion>\
         <parent><groupId>t</groupId><artifactId>parent</artifactId><version>1</version></parent>\
         <artifactId>{name}</artifactId>{dependency}</project>"
    )
}

fn test(class: &str, body: &str) -> String {
    let package = class.split('.').next().unwrap();
    let name = class.split('.').next_back().unwrap();
    format!(
        "package {package}; public class {name} {{ @org.junit.Test public void works() {{ {body} }} }}"
    )
}

/// `app` depends on `lib`; `other` on nothing. The failing test is in `app`, the bug in `lib`.
fn project() -> Project {
    let project = Project::empty();
    let write = |name: &str, text: &str| project.write(name, text.as_bytes());
    write("pom.xml", PARENT);
    write("lib/pom.xml", &pom("lib", None));
    write("app/pom.xml", &pom("app", Some("lib")));
    write("other/pom.xml", &pom("other", None));
    write(
        "lib/src/main/java/lib/Lib.java",
        "package lib; public class Lib {\n  public static int answer() { return 41; }\n  public static int one() { return 1; }\n}\n",
    );
    write(
        "app/src/main/java/app/App.java",
        "package app; public class App { public static int ask() { return lib.Lib.answer(); } }",
    );
    write(
        "other/src/main/java/other/Other.java",
        "package other; public class Other {}",
    );
    let check = |what: &str| format!("org.junit.Assert.assertEquals({what});");
    write(
        "lib/src/test/java/lib/LibTest.java",
        &test("lib.LibTest", &check("1, Lib.one()")),
    );
    write(
        "app/src/test/java/app/AppTest.java",
        &test("app.AppTest", &check("42, App.ask()")),
    );
    write(
        "other/src/test/java/other/OtherTest.java",
        &test("other.OtherTest", ""),
    );
    project
}

fn edit(id: &str, path: &str, pairs: &[(&str, &str)]) -> Value {
    let edits: Vec<Value> = pairs
        .iter()
        .map(|(search, replace)| json!({"path": path, "search": search, "replace": replace}))
        .collect();
    json!({"id": id, "search_replace": edits})
}

#[test]
fn a_change_reaches_the_modules_that_depend_on_it_and_no_others() {
    let project = project();
    let lib = "lib/src/main/java/lib/Lib.java";
    let patches = [
        edit("fix", lib, &[("41", "42")]),
        edit(
            "breaks-lib",
            lib,
            &[("41", "42"), ("return 1;", "return 2;")],
        ),
        // app does not compile any more: the return type has changed
        edit(
            "breaks-app",
            lib,
            &[(
                "int answer() { return 41; }",
                "String answer() { return \"\"; }",
            )],
        ),
        // app has to be compiled again to call it
        edit(
            "widens",
            lib,
            &[(
                "int answer() { return 41; }",
                "short answer() { return 42; }",
            )],
        ),
        edit(
            "in-app",
            "app/src/main/java/app/App.java",
            &[("lib.Lib.answer()", "lib.Lib.answer() + 1")],
        ),
        edit(
            "build",
            "lib/pom.xml",
            &[(
                "<artifactId>lib</artifactId>",
                "<artifactId>lib</artifactId><name>x</name>",
            )],
        ),
    ];
    project.write_patches("p.jsonl", &patches);
    let ran = project
        .braid(&["validate", "p.jsonl", "--without", "coverage"])
        .expect(0);
    let kind = |id: &str| {
        project.verdict(1, id)["verdict"]
            .as_str()
            .unwrap()
            .to_owned()
    };
    assert_eq!(kind("fix"), "plausible", "{}", ran.stderr);
    assert_eq!(
        project.verdict(1, "fix")["tests"]["run"],
        2,
        "lib and app, not other"
    );
    assert_eq!(kind("breaks-lib"), "test_fail");
    let broken = project.verdict(1, "breaks-app");
    assert_eq!(broken["verdict"], "compile_error", "{broken:#}");
    assert_eq!(
        broken["evidence"]["diagnostics"][0]["file"],
        "app/src/main/java/app/App.java"
    );
    assert_eq!(
        kind("widens"),
        "plausible",
        "{:#}",
        project.verdict(1, "widens")
    );
    assert_eq!(kind("in-app"), "plausible");
    assert_eq!(project.verdict(1, "in-app")["tests"]["run"], 1, "only app");
    assert_eq!(kind("build"), "unsupported");
}

fn git(project: &Project, args: &[&str]) {
    let mut command = std::process::Command::new("git");
    command.args(["-c", "user.name=t", "-c", "user.email=t@t"]);
    let output = command.args(args).current_dir(project.root()).output();
    assert!(output.unwrap().status.success(), "git {args:?}");
}

#[test]
fn mutants_on_changed_lines_are_killed_by_tests_of_other_modules() {
    let project = project();
    project.write(".gitignore", b"target/\n.braid/\n");
    git(&project, &["init", "-q"]);
    git(&project, &["add", "."]);
    git(&project, &["commit", "-q", "-m", "before"]);
    let path = "lib/src/main/java/lib/Lib.java";
    let before = std::fs::read_to_string(project.path(path)).unwrap();
    project.write(path, before.replace("41", "42").as_bytes());
    let args = ["mutate", "--operators", "default,inline-constants"];
    let since = [&args[..], &["--since", "HEAD", "--max-survived", "0"]].concat();
    project.braid(&since).expect(0);
    let verdicts = project.verdicts(1);
    assert!(!verdicts.is_empty());
    for verdict in &verdicts {
        assert_eq!(
            (&verdict["file"], &verdict["line"]),
            (&json!(path), &json!(2))
        );
        assert_eq!(verdict["status"], "killed", "{verdict:#}");
        let reason = verdict["reason"].as_str().unwrap();
        assert!(reason.starts_with("AppTest#works"), "{reason}");
    }
    // the same by a diff, and everything without
    let diff = std::process::Command::new("git")
        .args(["diff", "HEAD"])
        .current_dir(project.root())
        .output();
    project.write("change.diff", &diff.unwrap().stdout);
    let list = |more: &[&str]| {
        let args = [&args[..], &["--list", "--quiet"], more].concat();
        project.braid(&args).expect(0).stdout
    };
    assert_eq!(
        list(&["--in-diff", "change.diff"]),
        list(&["--since", "HEAD"])
    );
    assert_eq!(list(&["--since", "HEAD"]).lines().count(), verdicts.len());
    let all = list(&[]);
    assert!(
        all.contains("lib/Lib.one()") && all.contains("app/App.ask()"),
        "{all}"
    );
    git(&project, &["commit", "-q", "-a", "-m", "after"]);
    assert_eq!(list(&["--since", "HEAD"]), "");
    let unknown = [&args[..], &["--list", "--since", "no-such-revision"]].concat();
    let refused = project.braid(&unknown).expect(1);
    assert!(
        refused.stderr.contains("no-such-revision"),
        "{}",
        refused.stderr
    );
}
