//! Which test frameworks a class path offers.

use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use regex::Regex;
use serde::Serialize;

use crate::jars;

/// A test framework on a class path.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct TestFramework {
    /// `JUnit 3`, `JUnit 4`, `JUnit Jupiter`, `JUnit Platform launcher` or `TestNG`.
    pub name: &'static str,
    /// Its version, if the jar says it.
    pub version: Option<String>,
    /// The jar or folder it was found in.
    pub jar: PathBuf,
}

/// A class that only this framework has.
const MARKS: [(&str, &str); 6] = [
    ("JUnit Jupiter", "org/junit/jupiter/api/Test.class"),
    (
        "JUnit Platform launcher",
        "org/junit/platform/launcher/Launcher.class",
    ),
    (
        "JUnit Vintage",
        "org/junit/vintage/engine/VintageTestEngine.class",
    ),
    ("JUnit 4", "org/junit/Test.class"),
    ("JUnit 3", "junit/framework/TestCase.class"),
    ("TestNG", "org/testng/annotations/Test.class"),
];

/// The test frameworks on a class path, in its order.
///
/// A jar that has JUnit 4 also has JUnit 3's classes; it counts as JUnit 4 only.
pub fn test_frameworks(classpath: &[PathBuf]) -> Vec<TestFramework> {
    let mut found: Vec<TestFramework> = Vec::new();
    for entry in classpath {
        let mark = MARKS
            .into_iter()
            .find(|(_, class)| jars::has_entry(entry, class));
        if let Some((name, _)) = mark
            && !found.iter().any(|framework| framework.name == name)
        {
            found.push(TestFramework {
                name,
                version: version(entry),
                jar: entry.clone(),
            });
        }
    }
    found
}

static IN_NAME: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"-(\d[\w.+-]*)\.jar$").expect("is valid"));

fn version(jar: &Path) -> Option<String> {
    let name = jar.file_name()?.to_str()?;
    let in_name = IN_NAME.captures(name).map(|parts| parts[1].to_owned());
    in_name
        .or_else(|| jars::manifest_value(jar, "Implementation-Version"))
        .or_else(|| jars::manifest_value(jar, "Bundle-Version"))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn frameworks_are_told_by_their_classes() {
        let dir = tempfile::tempdir().unwrap();
        let folder = |name: &str, classes: &[&str]| {
            for class in classes {
                let file = dir.path().join(name).join(class);
                fs::create_dir_all(file.parent().unwrap()).unwrap();
                fs::write(file, "").unwrap();
            }
            dir.path().join(name)
        };
        let classpath = [
            folder(
                "junit-4.13.jar",
                &["junit/framework/TestCase.class", "org/junit/Test.class"],
            ),
            folder("junit3", &["junit/framework/TestCase.class"]),
            folder("other", &["x/Y.class"]),
        ];
        let found = test_frameworks(&classpath);
        let names: Vec<_> = found
            .iter()
            .map(|f| (f.name, f.version.as_deref()))
            .collect();
        assert_eq!(names, [("JUnit 4", Some("4.13")), ("JUnit 3", None)]);
    }
}
