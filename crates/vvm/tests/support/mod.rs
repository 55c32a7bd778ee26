//! What the tests share: a JDK, compiled fixtures, HotSpot as the oracle.
#![allow(dead_code)] // each test uses its part

pub(crate) mod forms;
pub(crate) mod generate;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The JDK whose class library the VM runs and whose `java` is the oracle.
pub(crate) fn jdk() -> PathBuf {
    if let Some(home) = std::env::var_os("JAVA_HOME") {
        return home.into();
    }
    let which = Command::new("sh")
        .args(["-c", "readlink -f \"$(command -v javac)\""])
        .output();
    let path = which
        .map(|out| String::from_utf8_lossy(&out.stdout).trim().to_owned())
        .unwrap_or_default();
    let home = Path::new(&path)
        .parent()
        .and_then(Path::parent)
        .expect("a JDK on the PATH or in JAVA_HOME");
    home.to_path_buf()
}

/// The Javas whose class libraries the VM is checked with, each against its own HotSpot: the default JDK first, then
/// what else of the supported versions is there.
pub(crate) fn homes() -> Vec<PathBuf> {
    let version = |home: &PathBuf| braid_vvm::source::jdk_version(home);
    let mut homes = vec![jdk()];
    let others = braid_subjects::runtimes().into_values();
    for home in others.chain(braid_subjects::jdks()) {
        let supported = version(&home)
            .is_some_and(|v| (braid_vvm::OLDEST_JDK..=braid_vvm::NEWEST_JDK).contains(&v));
        if supported && homes.iter().all(|known| version(known) != version(&home)) {
            homes.push(home);
        }
    }
    if homes.iter().all(|home| version(home) != Some(21)) {
        eprintln!(
            "skipped with the class library of Java 21: ./check fetches it, or BRAID_RUNTIMES names it"
        );
    }
    homes
}

/// Compiles sources into a folder.
pub(crate) fn javac(sources: &[PathBuf], target: &Path) {
    let mut command = Command::new(jdk().join("bin/javac"));
    command
        .args(["-nowarn", "-g", "-encoding", "UTF-8", "-d"])
        .arg(target)
        .args(sources);
    let output = command.output().expect("javac runs");
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
}

/// The folder of fixtures.
pub(crate) fn fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures")
}

/// Runs a class on the HotSpot of a Java and returns its standard output.
pub(crate) fn hotspot(home: &Path, classpath: &Path, main: &str, args: &[&str]) -> String {
    let output = Command::new(home.join("bin/java"))
        .args(["-Xmx512m", "-XX:TieredStopAtLevel=1", "-cp"])
        .arg(classpath)
        .arg(main)
        .args(args)
        .env("LC_ALL", "C.UTF-8")
        .output()
        .expect("java runs");
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// How test methods ended, by name.
pub(crate) type Verdicts = BTreeMap<String, &'static str>;

/// A method with several results fails if one fails, and passes if one passes.
pub(crate) fn add(verdicts: &mut Verdicts, name: &str, verdict: &'static str) {
    let rank = |verdict: &str| match verdict {
        "skipped" => 0,
        "passed" => 1,
        "failed" => 2,
        _ => 3,
    };
    let old = verdicts.entry(name.to_owned()).or_insert(verdict);
    if rank(verdict) > rank(old) {
        *old = verdict;
    }
}
