//! The call graph against calls that really happened: every method of a library and of its tests notes at its start
//! who called it, the tests run, and no recorded call may be missing from the static graph.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use braid_analysis::{CallGraph, ClassId, MethodId, World};
use braid_classfile::{ClassFile, Code, Editor, Frames, Insn, Op, OwnedClass, Result};
use braid_classpath::{ClassPath, Jar, JdkImage};

const LIBRARY: &[&str] = &[
    "commons-cli:commons-cli:1.5.0",
    "commons-cli:commons-cli:1.5.0:tests",
];
const CONSOLE: &[&str] = &[
    "org.junit.platform:junit-platform-console-standalone:1.9.3",
    "junit:junit:4.13.2",
    "org.hamcrest:hamcrest:2.2",
];

/// A class whose methods call the recorder first.
fn recording(bytes: &[u8]) -> Result<Vec<u8>> {
    let class = ClassFile::parse(bytes)?;
    let mut editor = Editor::new(&class);
    let enter = editor.pool_mut().method("braid/Recorder", "enter", "()V")?;
    let mut code = Code::default();
    for method in 0..class.methods().len() {
        if editor.read_code(method, &mut code)? {
            code.insert(0, [Insn::Invoke(Op::Invokestatic, enter)]);
            editor.write_code(method, &mut code, Frames::Keep)?;
        }
    }
    editor.finish()
}

fn write_recording(jars: &[PathBuf], to: &Path) {
    for jar in jars {
        let jar = Jar::open(jar).expect("a jar");
        for name in jar.class_names() {
            let bytes = jar.find(&name).expect("readable").expect("listed");
            let file = to.join(format!("{name}.class"));
            std::fs::create_dir_all(file.parent().expect("a folder")).expect("made");
            std::fs::write(file, recording(&bytes).expect(&name)).expect("written");
        }
    }
}

/// Runs the tests on the recording classes; the calls as (caller, callee) names.
fn recorded_calls(jars: &[PathBuf]) -> Vec<(String, String)> {
    let folder = tempfile::tempdir().expect("a folder");
    let classes = folder.path().join("classes");
    write_recording(jars, &classes);
    let jdk = braid_subjects::jdk();
    let source = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/Recorder.java");
    let javac = Command::new(jdk.join("bin/javac"))
        .arg("-d")
        .arg(&classes)
        .arg(source)
        .status();
    assert!(javac.expect("javac runs").success());
    let edges = folder.path().join("edges");
    let mut path = classes.clone().into_os_string();
    for jar in braid_subjects::maven(CONSOLE).iter().chain(jars) {
        path.push(":");
        path.push(jar);
    }
    let output = Command::new(jdk.join("bin/java"))
        .args(["-Xmx512m", "-Xverify:all", "-XX:TieredStopAtLevel=1"])
        .arg(format!("-Dbraid.edges={}", edges.display()))
        .arg("-cp")
        .arg(path)
        .args([
            "org.junit.platform.console.ConsoleLauncher",
            "--disable-banner",
            "--details=summary",
        ])
        .arg("--scan-classpath")
        .arg(&classes)
        .output()
        .expect("java runs");
    let text = std::fs::read_to_string(&edges)
        .unwrap_or_else(|_| panic!("no record: {}", String::from_utf8_lossy(&output.stderr)));
    let pair = |line: &str| {
        line.split_once(' ')
            .map(|(a, b)| (a.to_string(), b.to_string()))
    };
    text.lines().filter_map(pair).collect()
}

fn missing(
    graph: &CallGraph,
    names: &HashMap<String, MethodId>,
    calls: &[(String, String)],
) -> (usize, Vec<String>) {
    let mut checked = 0;
    let mut missing = Vec::new();
    for (caller, callee) in calls {
        // Reflection calls what it is told to; the graph says of it that it leads outside.
        if caller.starts_with("jdk/internal/reflect/") || caller.starts_with("java/lang/reflect/") {
            continue;
        }
        let (Some(from), Some(to)) = (names.get(caller), names.get(callee)) else {
            continue;
        };
        checked += 1;
        if !graph.callees(*from).contains(to) {
            missing.push(format!("{caller} -> {callee}"));
        }
    }
    (checked, missing)
}

/// The library, its tests, what runs them, and the JDK: its java.base, or all of it with `BRAID_SWEEP=full`.
fn world(jars: &[PathBuf]) -> World {
    let mut path = ClassPath::for_java(17);
    let jdk = braid_subjects::jdk();
    if std::env::var("BRAID_SWEEP").as_deref() == Ok("full") {
        path.add_jdk(&jdk).expect("a JDK");
    }
    for jar in jars.iter().chain(&braid_subjects::maven(CONSOLE)) {
        path.add(jar).expect("a jar");
    }
    let classes = path.map(|_, bytes| OwnedClass::parse(bytes).expect("a valid class"));
    let mut classes = classes.expect("all classes");
    if std::env::var("BRAID_SWEEP").as_deref() != Ok("full") {
        let image = JdkImage::open(&jdk).expect("a JDK image");
        let base = (image.classes())
            .filter(|(_, resource)| image.module(resource) == "java.base")
            .map(|(_, resource)| image.read(&resource).expect("a readable class"));
        classes.extend(base.map(|bytes| OwnedClass::parse(bytes).expect("a valid class")));
    }
    World::new(classes)
}

#[test]
fn no_call_that_happened_is_missing_from_the_graph() {
    let jars = braid_subjects::maven(LIBRARY);
    let calls = recorded_calls(&jars);
    let world = world(&jars);
    let names = (0..world.method_count() as u32)
        .map(MethodId)
        .map(|m| (world.method_name(m), m))
        .collect();

    let (checked, missed) = missing(&CallGraph::of_hierarchy(&world), &names, &calls);
    assert!(checked > 500, "only {checked} calls compared");
    assert!(
        missed.is_empty(),
        "class hierarchy misses:\n{}",
        missed.join("\n")
    );

    // What JUnit finds and makes by reflection: every method and class of the library's tests.
    let tests: Vec<ClassId> = (Jar::open(&jars[1]).expect("the tests").class_names().iter())
        .filter_map(|name| world.class(name.as_str()))
        .collect();
    let roots: Vec<MethodId> = tests.iter().flat_map(|&c| world.methods_of(c)).collect();
    let graph = CallGraph::of_types(&world, &roots, &tests);
    let own: Vec<_> = calls
        .iter()
        .filter(|(caller, _)| !caller.starts_with("org/junit/"))
        .cloned()
        .collect();
    let (_, missed) = missing(&graph, &names, &own);
    assert!(
        missed.is_empty(),
        "rapid types miss:\n{}",
        missed.join("\n")
    );
}
