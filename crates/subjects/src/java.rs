//! The JDK's programs, run for a test.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;

/// What a program prints.
///
/// # Panics
///
/// If it cannot be started, or ends with anything but success.
pub fn run(command: &mut Command) -> String {
    let output = command.output().expect("it runs");
    let out = String::from_utf8_lossy(&output.stdout).into_owned();
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{command:?}\n{out}\n{error}");
    out
}

/// A class path of these folders and jars.
pub fn class_path(entries: &[PathBuf]) -> OsString {
    std::env::join_paths(entries).expect("no entry of a class path has its separator in its name")
}

/// Compiles Java files with all debug information by the compiler of `jdk`.
///
/// # Panics
///
/// If they do not compile.
pub fn javac(jdk: &Path, entries: &[PathBuf], to: &Path, sources: &[PathBuf]) {
    std::fs::create_dir_all(to).expect("a folder for classes");
    run(Command::new(jdk.join("bin/javac"))
        .args(["-J-Xmx256m", "-J-XX:TieredStopAtLevel=1", "-g", "-nowarn"])
        .arg("-cp")
        .arg(class_path(entries))
        .arg("-d")
        .arg(to)
        .args(sources));
}

/// The classes below a folder, by their binary names (`a/b/C`).
pub fn classes_in(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let files = crate::files(folder, "class").into_iter();
    files
        .map(|path| {
            let name = path.strip_prefix(folder).expect("inside");
            let name = name.with_extension("").display().to_string();
            (name, std::fs::read(path).expect("readable"))
        })
        .collect()
}
