//! Loading and verifying classes in HotSpot.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Compiles a Java file of the fixtures folder; returns the class folder.
pub(crate) fn compile(source: &str, to: &Path) -> PathBuf {
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures");
    let output = Command::new(braid_subjects::jdk().join("bin/javac"))
        .args(["-nowarn", "-J-Xmx256m", "-d"])
        .arg(to)
        .arg(fixtures.join(source))
        .output()
        .expect("javac runs");
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    to.to_path_buf()
}

/// Links every named class with `-Xverify:all`; returns the classes that could not be linked and
/// why.
pub(crate) fn link_all(
    work: &Path,
    names: &[String],
    options: &[String],
    class_path: &[PathBuf],
) -> BTreeMap<String, String> {
    let tool = work.join("tool");
    if !tool.join("LinkAll.class").exists() {
        std::fs::create_dir_all(&tool).expect("a folder");
        compile("LinkAll.java", &tool);
    }
    let (list, result) = (work.join("names.txt"), work.join("failures.txt"));
    std::fs::write(&list, names.join("\n")).expect("a list");
    let _ = std::fs::remove_file(&result);
    let class_path = std::env::join_paths([tool].iter().chain(class_path)).expect("a class path");
    let output = Command::new(braid_subjects::jdk().join("bin/java"))
        .args(["-Xmx1g", "-Xverify:all", "-Xshare:off"])
        .args(["-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC"])
        .args(options)
        .current_dir(work)
        .arg("-cp")
        .arg(&class_path)
        .arg("LinkAll")
        .args([&list, &result])
        .output()
        .expect("java runs");
    let text = String::from_utf8_lossy(&output.stderr);
    assert!(
        output.status.success(),
        "{text}{}",
        String::from_utf8_lossy(&output.stdout)
    );
    std::fs::read_to_string(&result)
        .expect("the result")
        .lines()
        .filter_map(|line| line.split_once('\t'))
        .map(|(name, why)| (name.to_owned(), why.to_owned()))
        .collect()
}

/// The classes that the JVM loads before it runs any program.
pub(crate) fn boot_classes() -> std::collections::BTreeSet<String> {
    let output = Command::new(braid_subjects::jdk().join("bin/java"))
        .args([
            "-Xmx64m",
            "-Xshare:off",
            "-Xlog:class+load:stdout",
            "-version",
        ])
        .output()
        .expect("java runs");
    let text = String::from_utf8_lossy(&output.stdout);
    let name = |line: &str| Some(line.split_whitespace().nth(1)?.replace('.', "/"));
    text.lines().filter_map(name).collect()
}
