//! JDKs and jars that tests need: found on the machine, or fetched by Maven coordinates.
//!
//! For tests only. Jars are kept in `target/subjects` and shared between test processes. Panics
//! with an explanation where a test could not go on anyway.

mod java;
mod jdks;
mod maven;

pub use java::{class_path, classes_in, javac, run};
pub use jdks::{jdk, jdks, runtimes, version_of};
pub use maven::maven;

use std::path::{Path, PathBuf};

/// JUnit 3.8.2 alone.
pub fn junit3() -> Vec<PathBuf> {
    maven(&["junit:junit:3.8.2"])
}

/// JUnit 4.13.2 and Hamcrest.
pub fn junit4() -> Vec<PathBuf> {
    maven(&["junit:junit:4.13.2", "org.hamcrest:hamcrest-core:1.3"])
}

/// JUnit Jupiter 5.11 with its engine and parameterised tests, without a launcher: what the test
/// class path of a Maven project usually has.
pub fn junit5() -> Vec<PathBuf> {
    jupiter("5.11.4", "1.11.4")
}

/// Jupiter of `jupiter` on the JUnit Platform of `platform`, without a launcher.
pub fn jupiter(jupiter: &str, platform: &str) -> Vec<PathBuf> {
    let group = "org.junit.jupiter:junit-jupiter";
    let mut coordinates = vec![
        format!("{group}-api:{jupiter}"),
        format!("{group}-params:{jupiter}"),
        format!("{group}-engine:{jupiter}"),
        format!("org.junit.platform:junit-platform-commons:{platform}"),
        format!("org.junit.platform:junit-platform-engine:{platform}"),
        "org.opentest4j:opentest4j:1.3.0".to_owned(),
        "org.apiguardian:apiguardian-api:1.1.2".to_owned(),
    ];
    if jupiter.starts_with('6') {
        coordinates.push("org.jspecify:jspecify:1.0.0".to_owned());
    }
    let coordinates: Vec<&str> = coordinates.iter().map(String::as_str).collect();
    maven(&coordinates)
}

/// TestNG 7.5.1 (the last for Java 8) with what it needs.
pub fn testng() -> Vec<PathBuf> {
    maven(&[
        "org.testng:testng:7.5.1",
        "com.beust:jcommander:1.78",
        "org.slf4j:slf4j-api:1.7.36",
        "org.webjars:jquery:3.6.1",
    ])
}

/// All files below a folder whose names end so, sorted.
pub fn files(folder: &Path, extension: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            found.extend(files(&path, extension));
        } else if path.extension().is_some_and(|e| e == extension) {
            found.push(path);
        }
    }
    found.sort();
    found
}
