//! Shared by the tests: fixtures compiled once for each test process, real classes, the stress
//! edit, HotSpot.
#![allow(dead_code)]

pub(crate) mod hotspot;
pub(crate) mod stress;

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use braid_classfile::{ClassFile, ClassTable};
use braid_classpath::{ClassPath, Jar, JdkImage};

/// The folder with the compiled fixtures.
fn compiled() -> &'static Path {
    static FOLDER: OnceLock<(tempfile::TempDir, PathBuf)> = OnceLock::new();
    &FOLDER
        .get_or_init(|| {
            let folder = tempfile::tempdir().expect("a temporary folder");
            let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures");
            let output = Command::new(braid_subjects::jdk().join("bin/javac"))
                .args([
                    "-g",
                    "-parameters",
                    "-nowarn",
                    "-Xlint:none",
                    "-J-Xmx256m",
                    "-d",
                ])
                .arg(folder.path())
                .arg(fixtures.join("Shapes.java"))
                .output()
                .expect("javac runs");
            assert!(
                output.status.success(),
                "{}",
                String::from_utf8_lossy(&output.stderr)
            );
            let path = folder.path().to_path_buf();
            (folder, path)
        })
        .1
}

/// The bytes of a compiled fixture class.
pub(crate) fn fixture(name: &str) -> Vec<u8> {
    std::fs::read(compiled().join(format!("{name}.class"))).expect("the fixture was compiled")
}

/// The bytes of every compiled fixture class.
pub(crate) fn fixtures() -> Vec<Vec<u8>> {
    let mut paths: Vec<_> = std::fs::read_dir(compiled())
        .expect("the folder is there")
        .map(|entry| entry.expect("readable").path())
        .collect();
    paths.sort();
    paths
        .iter()
        .map(|path| std::fs::read(path).expect("readable"))
        .collect()
}

/// How much to look at.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Sweep {
    /// Enough to see that it works.
    Small,
    /// As much as a check before a change has time for: `BRAID_SWEEP=1`.
    Bounded,
    /// Everything: `BRAID_SWEEP=full`.
    Full,
}

/// How much to look at, as `BRAID_SWEEP` says.
pub(crate) fn sweep() -> Sweep {
    match std::env::var("BRAID_SWEEP").as_deref() {
        Err(_) | Ok("" | "0") => Sweep::Small,
        Ok("full") => Sweep::Full,
        Ok(_) => Sweep::Bounded,
    }
}

/// Popular libraries from Maven Central, compiled by many compilers and versions of them.
pub(crate) const LIBRARIES: [&str; 20] = [
    "org.apache.commons:commons-lang3:3.14.0",
    "com.google.guava:guava:33.0.0-jre",
    "org.springframework:spring-core:6.1.3",
    "com.google.code.gson:gson:2.10.1",
    "com.fasterxml.jackson.core:jackson-databind:2.16.1",
    "org.slf4j:slf4j-api:2.0.11",
    "ch.qos.logback:logback-core:1.4.14",
    "junit:junit:4.13.2",
    "org.mockito:mockito-core:5.10.0",
    "net.bytebuddy:byte-buddy:1.14.11",
    "org.apache.commons:commons-math3:3.6.1",
    "org.apache.commons:commons-collections4:4.4",
    "commons-io:commons-io:2.15.1",
    "joda-time:joda-time:2.12.7",
    "org.jetbrains.kotlin:kotlin-stdlib:1.9.22",
    "org.scala-lang:scala-library:2.13.12",
    "org.codehaus.groovy:groovy:3.0.20",
    "org.ow2.asm:asm:9.6",
    "commons-collections:commons-collections:3.2.2",
    "org.bouncycastle:bcprov-jdk15on:1.70",
];

/// The libraries' jars: all of them in a sweep, the first few otherwise.
pub(crate) fn libraries() -> Vec<PathBuf> {
    let count = match sweep() {
        Sweep::Small => 4,
        _ => LIBRARIES.len(),
    };
    braid_subjects::maven(&LIBRARIES[..count])
}

/// The classes of a jar with their names, as Java 17 sees them.
pub(crate) fn jar_classes(jar: &Path) -> Vec<(String, Vec<u8>)> {
    let jar = Jar::open_for(jar, 17).expect("a jar");
    let names = jar
        .class_names()
        .into_iter()
        .filter(|name| !name.ends_with("module-info"));
    names
        .map(|name| {
            (
                name.clone(),
                jar.find(&name).expect("readable").expect("there"),
            )
        })
        .collect()
}

/// Module, name and bytes of JDK classes: every tenth of java.base, all of java.base, or all.
pub(crate) fn jdk_classes(jdk: &Path, sweep: Sweep) -> Vec<(String, String, Vec<u8>)> {
    let image = JdkImage::open(jdk).expect("an image");
    let mut classes: Vec<_> = image.classes().collect();
    classes.sort_by(|a, b| a.0.cmp(&b.0));
    if sweep < Sweep::Full {
        classes.retain(|(_, resource)| image.module(resource) == "java.base");
    }
    if sweep < Sweep::Bounded {
        classes = classes.into_iter().step_by(10).collect();
    }
    let read = |(name, resource)| {
        let bytes = image.read(&resource).expect("readable");
        (image.module(&resource), name, bytes)
    };
    classes.into_iter().map(read).collect()
}

/// The hierarchy of the JDK and some jars. Unknown classes extend `Object`.
pub(crate) fn hierarchy(jars: &[PathBuf]) -> ClassTable {
    let mut path = ClassPath::for_java(17);
    path.add_jdk(&braid_subjects::jdk()).expect("a JDK");
    jars.iter().for_each(|jar| path.add(jar).expect("a jar"));
    let parsed = path.map(|_, bytes| {
        let mut table = ClassTable::new();
        table.add_class(&ClassFile::parse(&bytes).expect("a class"));
        table
    });
    let mut all = ClassTable::new().lenient();
    parsed
        .expect("readable")
        .into_iter()
        .for_each(|table| all.extend(table));
    all
}
