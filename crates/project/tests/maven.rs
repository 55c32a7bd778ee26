//! Maven projects, through the real Maven. The calls are few, because each takes seconds.

mod support;

use std::fs;
use std::path::Path;

use braid_project::{
    Module, ProjectError, ProjectKind, ProjectOptions, Severity, discover, doctor,
};
use support::{Tree, discover_recorded, has, tick};

const PARENT: &str = r#"<project>
  <modelVersion>4.0.0</modelVersion>
  <groupId>it</groupId><artifactId>parent</artifactId><version>1</version>
  <packaging>pom</packaging>
  <modules><module>app</module><module>core</module></modules>
  <properties>
    <project.build.sourceEncoding>ISO-8859-1</project.build.sourceEncoding>
    <maven.compiler.source>11</maven.compiler.source>
    <maven.compiler.target>11</maven.compiler.target>
    <argLine>-Xmx200m</argLine>
  </properties>
  <dependencies><dependency>
    <groupId>junit</groupId><artifactId>junit</artifactId><version>4.13.2</version><scope>test</scope>
  </dependency></dependencies>
</project>"#;

const CORE: &str = r#"<project>
  <modelVersion>4.0.0</modelVersion>
  <parent><groupId>it</groupId><artifactId>parent</artifactId><version>1</version></parent>
  <artifactId>core</artifactId>
  <build><plugins><plugin>
    <artifactId>maven-compiler-plugin</artifactId><version>3.11.0</version>
    <configuration>
      <release>11</release><parameters>true</parameters>
      <compilerArgs><arg>-Xlint:all</arg><arg>-Akey=value</arg></compilerArgs>
      <annotationProcessorPaths><path>
        <groupId>org.projectlombok</groupId><artifactId>lombok</artifactId><version>1.18.36</version>
      </path></annotationProcessorPaths>
    </configuration>
  </plugin></plugins></build>
</project>"#;

const APP: &str = r#"<project>
  <modelVersion>4.0.0</modelVersion>
  <parent><groupId>it</groupId><artifactId>parent</artifactId><version>1</version></parent>
  <artifactId>app</artifactId>
  <dependencies>
    <dependency><groupId>it</groupId><artifactId>core</artifactId><version>1</version></dependency>
    <dependency><groupId>it</groupId><artifactId>core</artifactId><version>1</version>
      <type>test-jar</type><scope>test</scope></dependency>
  </dependencies>
  <build><plugins><plugin>
    <artifactId>maven-surefire-plugin</artifactId>
    <configuration>
      <skipTests>false</skipTests>
      <includes><include>**/*Check.java, **/*Spec.java</include></includes>
      <excludes><exclude>**/Slow*.java</exclude></excludes>
      <argLine>@{argLine} -Duser.language=de</argLine>
      <systemPropertyVariables><out.dir>${project.build.directory}</out.dir></systemPropertyVariables>
      <environmentVariables><MODE>test</MODE></environmentVariables>
      <groups>it.Fast</groups>
      <workingDirectory>${project.build.directory}</workingDirectory>
      <additionalClasspathElements><e>${basedir}/extra</e></additionalClasspathElements>
      <classpathDependencyExcludes><e>org.hamcrest:hamcrest-core</e></classpathDependencyExcludes>
    </configuration>
  </plugin></plugins></build>
</project>"#;

/// A wrapper that counts its calls.
const WRAPPER: &str = "echo call >> \"$(dirname \"$0\")/.braid/calls\"\nexec mvn \"$@\"\n";

/// Maven's own JVM starts quickest like this.
const QUICK_JVM: &str = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC -Xmx300m\n";

fn two_modules() -> Tree {
    Tree::new()
        .file("pom.xml", PARENT)
        .file("mvnw", WRAPPER)
        .file(".mvn/jvm.config", QUICK_JVM)
        .file("core/pom.xml", CORE)
        .file("core/src/main/java/it/Core.java", b"package it; public class Core { public static final String S = \"\xe4\"; }")
        .file("core/src/test/java/it/CoreTest.java", "package it; public class CoreTest { @org.junit.Test public void t() {} }")
        .file("app/pom.xml", APP)
        .file("app/src/main/java/it/App.java", "package it; public class App { String s = Core.S; }")
        .file("app/src/test/java/it/AppCheck.java", "package it; public class AppCheck extends CoreTest { @org.junit.Test public void u() { throw new Error(); } }")
        .file("app/src/test/java/it/SlowCheck.java", "package it; public class SlowCheck { }")
}

fn calls(tree: &Tree) -> usize {
    fs::read_to_string(tree.path(".braid/calls"))
        .unwrap_or_default()
        .lines()
        .count()
}

fn ends_with(classpath: &[std::path::PathBuf], name: &str) -> bool {
    classpath
        .iter()
        .any(|entry| entry.to_string_lossy().ends_with(name))
}

fn contains(file: &Path, text: &str) -> bool {
    String::from_utf8_lossy(&fs::read(file).unwrap()).contains(text)
}

#[test]
fn modules_are_built_once_described_wholly_and_never_stale() {
    if !has("mvn") {
        return;
    }
    let tree = two_modules();
    let project = discover(&tree.path("app/src/main"), &ProjectOptions::default()).unwrap();
    assert_eq!(
        (project.root.clone(), project.kind),
        (tree.root(), ProjectKind::Maven)
    );
    assert_eq!(calls(&tree), 1);
    let names: Vec<&str> = project.modules.iter().map(|m| m.name.as_str()).collect();
    assert_eq!(names, ["core", "app"]);
    core_is_as_its_pom_says(&project.modules[0], &tree);
    app_is_as_its_pom_says(&project.modules[1], &tree);

    second_time_starts_no_maven(&tree);
    doctor_knows_tool_and_frameworks(&tree);
    source_with_an_old_date_is_compiled_everywhere(&tree);
    deleted_source_leaves_no_class(&tree);
}

fn core_is_as_its_pom_says(core: &Module, tree: &Tree) {
    assert_eq!(core.encoding, "ISO-8859-1");
    assert_eq!(
        core.javac_args,
        ["--release", "11", "-parameters", "-Akey=value"]
    );
    assert!(core.annotation_processors);
    assert!(
        ends_with(&core.processor_path, "lombok-1.18.36.jar"),
        "{:?}",
        core.processor_path
    );
    assert_eq!(core.processor_path.len(), 1, "{:?}", core.processor_path);
    assert_eq!(core.test_class_names(), ["it.CoreTest"]);
    assert_eq!(core.jvm_args, ["-ea", "-Xmx200m"]);
    assert_eq!(core.test_cwd, tree.path("core"));
    assert!(
        contains(&core.classes.join("it/Core.class"), "ä"),
        "read as Latin-1"
    );
}

fn app_is_as_its_pom_says(app: &Module, tree: &Tree) {
    assert_eq!(app.depends_on, ["core"]);
    assert_eq!(app.test_class_names(), ["it.AppCheck"]);
    assert_eq!(app.tests.groups.as_deref(), Some("it.Fast"));
    assert_eq!(app.tests_skipped, None);
    assert_eq!(app.jvm_args, ["-ea", "-Xmx200m", "-Duser.language=de"]);
    assert_eq!(
        app.system_properties["out.dir"],
        tree.path("app/target").display().to_string()
    );
    assert_eq!(app.env["MODE"], "test");
    assert_eq!(app.test_cwd, tree.path("app/target"));
    assert_eq!(app.javac_args, ["-source", "11", "-target", "11"]);
    let outputs = [
        "app/target/test-classes",
        "app/target/classes",
        "core/target/classes",
        "core/target/test-classes",
    ];
    assert_eq!(app.test_classpath[..4], outputs.map(|name| tree.path(name)));
    assert!(ends_with(&app.test_classpath, "junit-4.13.2.jar"));
    assert!(
        !ends_with(&app.test_classpath, "hamcrest-core-1.3.jar"),
        "is excluded"
    );
    assert_eq!(app.test_classpath.last(), Some(&tree.path("app/extra")));
    assert_eq!(app.compile_classpath, [tree.path("core/target/classes")]);
}

fn doctor_knows_tool_and_frameworks(tree: &Tree) {
    let findings = doctor(&tree.root(), &ProjectOptions::default());
    let good = |subject: &str, text: &str| {
        let mut matching = findings.iter().filter(|f| f.subject == subject);
        matching.any(|f| f.severity == Severity::Good && f.message.contains(text))
    };
    assert!(
        good("build tool", "Maven 3") || good("build tool", "Maven 4"),
        "{findings:#?}"
    );
    assert!(good("module core", "JUnit 4 4.13.2"), "{findings:#?}");
    assert!(
        good("module app", "1 source files, 2 test files, 1 test classes"),
        "{findings:#?}"
    );
}

fn second_time_starts_no_maven(tree: &Tree) {
    let before = calls(tree);
    let start = std::time::Instant::now();
    let (project, said) = discover_recorded(&tree.root());
    assert_eq!(project.unwrap().modules.len(), 2);
    assert_eq!((calls(tree), said.len()), (before, 0));
    assert!(start.elapsed().as_secs() < 3, "{:?}", start.elapsed());
}

/// Maven itself goes by dates and would miss this. The other module has a copy of the constant.
fn source_with_an_old_date_is_compiled_everywhere(tree: &Tree) {
    tick();
    let source = "package it; public class Core { public static final String S = \"older\"; }";
    let path = tree.write("core/src/main/java/it/Core.java", source);
    let old = std::time::SystemTime::now() - std::time::Duration::from_secs(100_000);
    fs::File::open(&path).unwrap().set_modified(old).unwrap();
    let (project, said) = discover_recorded(&tree.root());
    let warnings = project.unwrap().warnings;
    assert!(
        warnings.iter().any(|w| w.contains("repeated from scratch")),
        "{warnings:?} {said:?}"
    );
    let again = discover(&tree.root(), &ProjectOptions::default());
    let again = again.unwrap().warnings;
    assert!(
        !again.iter().any(|w| w.contains("repeated from scratch")),
        "{again:?}"
    );
    assert!(contains(
        &tree.path("core/target/classes/it/Core.class"),
        "older"
    ));
    assert!(contains(
        &tree.path("app/target/classes/it/App.class"),
        "older"
    ));
}

fn deleted_source_leaves_no_class(tree: &Tree) {
    tick();
    fs::remove_file(tree.path("app/src/test/java/it/AppCheck.java")).unwrap();
    let error =
        discover(&tree.root(), &ProjectOptions::default()).map(|p| p.modules[1].test_class_names());
    assert_eq!(error.unwrap(), Vec::<String>::new());
    assert!(
        !tree
            .path("app/target/test-classes/it/AppCheck.class")
            .exists()
    );
}

const SINGLE: &str = r#"<project>
  <modelVersion>4.0.0</modelVersion>
  <groupId>it</groupId><artifactId>single</artifactId><version>1</version>
  <properties>
    <maven.compiler.source>11</maven.compiler.source>
    <maven.compiler.target>11</maven.compiler.target>
    <skipTests>true</skipTests>
  </properties>
</project>"#;

/// The wrapper does not start here, so the installed Maven is used in its place.
#[test]
fn a_project_that_does_not_compile_shows_the_compilers_errors() {
    if !has("mvn") {
        return;
    }
    let tree = Tree::new()
        .file("pom.xml", SINGLE)
        .file("mvnw", "echo cannot download; exit 1\n")
        .file(".mvn/jvm.config", QUICK_JVM)
        .file("src/main/java/A.java", "class A {\n  Strin s;\n}\n");
    let (result, said) = discover_recorded(&tree.root());
    let error = result.unwrap_err();
    assert!(
        said.iter()
            .any(|line| line.contains("using the installed Maven")),
        "{said:?}"
    );
    let ProjectError::DoesNotCompile { diagnostics, log } = &error else {
        panic!("{error}")
    };
    assert_eq!(diagnostics.len(), 1, "{diagnostics:?}");
    assert_eq!(
        (diagnostics[0].file.clone(), diagnostics[0].line),
        (tree.path("src/main/java/A.java"), 2)
    );
    assert!(
        diagnostics[0].message.contains("cannot find symbol"),
        "{error}"
    );
    assert!(log.as_ref().unwrap().starts_with(tree.path(".braid")));

    tree.write("src/main/java/A.java", "class A {}");
    let project = discover(&tree.root(), &ProjectOptions::default()).unwrap();
    let error = project.require_tests().unwrap_err().to_string();
    assert!(error.contains("the POM says skipTests=true"), "{error}");
}

#[test]
fn a_broken_pom_is_reported_with_what_maven_says() {
    if !has("mvn") {
        return;
    }
    let tree = Tree::new().file("pom.xml", "<project><modelVersion>4.0.0</modelVersion>");
    let error = discover(&tree.root(), &ProjectOptions::default()).unwrap_err();
    assert!(
        matches!(error, ProjectError::BrokenBuildFile { .. }),
        "{error:?}"
    );
    assert!(
        error.to_string().contains("pom.xml") && error.to_string().contains("@1:44"),
        "{error}"
    );
}

#[test]
fn a_build_command_that_is_missing_or_no_maven_is_an_error() {
    let tree = Tree::new().file("pom.xml", SINGLE);
    tree.write("braid.toml", "[build]\ncommand = [\"/no/such/mvn\"]\n");
    let error = discover(&tree.root(), &ProjectOptions::default())
        .unwrap_err()
        .to_string();
    assert_eq!(error, "program /no/such/mvn not found");
    tree.write("braid.toml", "[build]\ncommand = [\"true\"]\n");
    let findings = doctor(&tree.root(), &ProjectOptions::default());
    let last = findings.last().unwrap();
    assert_eq!(last.severity, Severity::Problem);
    assert!(
        last.message
            .contains("cannot read the model that Maven wrote"),
        "{}",
        last.message
    );
    tree.write(
        "braid.toml",
        "[build]\ncommand = [\"sleep\", \"60\", \"#\"]\ntimeout-s = 1\n",
    );
    let error = discover(&tree.root(), &ProjectOptions::default()).unwrap_err();
    assert!(
        matches!(
            error,
            ProjectError::BuildTimeout { .. } | ProjectError::BuildFailed { .. }
        ),
        "{error}"
    );
}

/// This test runs itself in an environment without Maven.
#[test]
fn a_machine_without_maven_is_told_how_to_install_it() {
    if std::env::var_os("BRAID_TEST_WITHOUT_MAVEN").is_some() {
        let tree = Tree::new().file(".git/HEAD", "").file("pom.xml", SINGLE);
        let error = discover(&tree.root(), &ProjectOptions::default()).unwrap_err();
        assert!(matches!(error, ProjectError::NoBuildTool { .. }), "{error}");
        let text = error.to_string();
        assert!(text.starts_with("Maven not found: install it"), "{text}");
        return;
    }
    let status = std::process::Command::new(std::env::current_exe().unwrap())
        .args([
            "--exact",
            "a_machine_without_maven_is_told_how_to_install_it",
        ])
        .env("BRAID_TEST_WITHOUT_MAVEN", "1")
        .env("PATH", "/nonexistent")
        .env("JAVA_HOME", java_home())
        .env_remove("MAVEN_HOME")
        .env_remove("M2_HOME")
        .status()
        .unwrap();
    assert!(status.success());
}

/// The JDK that a plain project would get here.
fn java_home() -> std::path::PathBuf {
    let tree = Tree::new().file("src/A.java", "class A {}");
    discover(&tree.root(), &ProjectOptions::default())
        .unwrap()
        .jdk
        .home
}

#[test]
fn the_jvm_of_a_toolchain_runs_the_tests() {
    let pom = "<project>
      <modelVersion>4.0.0</modelVersion>
      <groupId>it</groupId><artifactId>chained</artifactId><version>1</version>
      <build><plugins><plugin>
        <groupId>org.apache.maven.plugins</groupId>
        <artifactId>maven-toolchains-plugin</artifactId><version>3.1.0</version>
        <executions><execution><goals><goal>toolchain</goal></goals></execution></executions>
        <configuration><toolchains><jdk><version>99</version></jdk></toolchains></configuration>
      </plugin></plugins></build>
    </project>";
    let other = Tree::new().file("src/main/java/A.java", "class A {}");
    let other = discover(&other.root(), &ProjectOptions::default()).unwrap();
    let jdk = other.jdk.home;
    let toolchains = format!(
        "<toolchains><toolchain><type>jdk</type><provides><version>99</version></provides>
         <configuration><jdkHome>{}</jdkHome></configuration></toolchain></toolchains>",
        jdk.display()
    );
    let tree = Tree::new()
        .file("pom.xml", pom)
        .file("toolchains.xml", &toolchains)
        .file(
            "braid.toml",
            "[build]\nargs = [\"-t\", \"toolchains.xml\"]\n",
        );
    let project = discover(&tree.root(), &ProjectOptions::default()).unwrap();
    let module = &project.modules[0];
    assert_eq!(module.java.as_deref(), Some(jdk.as_path()));
    assert_eq!(project.java_of(module).home, jdk);
    let opts = ProjectOptions {
        java: Some("gone".into()),
        ..ProjectOptions::default()
    };
    let error = discover(&tree.root(), &opts).unwrap_err().to_string();
    assert!(error.contains("--java"), "{error}");
}
