//! Jars by Maven coordinates.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::Command;

/// The plug-in that copies artifacts, pinned so that the result does not depend on the day.
const COPY: &str = "org.apache.maven.plugins:maven-dependency-plugin:3.6.1:copy";

/// The jars of `coordinates` (`group:artifact:version[:classifier]`), in the same order, without
/// their dependencies. Fetched once by `mvn dependency:copy` and kept in `target/subjects`.
///
/// # Panics
///
/// If Maven is missing or cannot get a jar.
pub fn maven(coordinates: &[&str]) -> Vec<PathBuf> {
    let dir = folder();
    let jars: Vec<PathBuf> = coordinates.iter().map(|c| dir.join(file_name(c))).collect();
    if jars.iter().all(|jar| jar.is_file()) {
        return jars;
    }
    fs::create_dir_all(&dir).unwrap_or_else(|e| panic!("cannot create {}: {e}", dir.display()));
    let lock = File::create(dir.join(".lock")).expect("the folder was just created");
    lock.lock().expect("file locks work on the build folder");
    // Another process may have got them while we waited for the lock.
    let mut missing: Vec<&str> = coordinates.to_vec();
    missing.retain(|coordinate| !dir.join(file_name(coordinate)).is_file());
    if !missing.is_empty() {
        fetch(&missing, &dir);
    }
    jars
}

/// `target/subjects` of the workspace, whatever the target folder of this build is.
fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/subjects")
}

/// The group is part of the name: artifact ids alone are not unique.
fn file_name(coordinate: &str) -> String {
    format!("{}.jar", coordinate.replace(':', "_"))
}

/// Gets jars in one run of Maven: starting it takes longer than fetching.
fn fetch(coordinates: &[&str], dir: &Path) {
    let incoming = dir.join(".incoming");
    fs::create_dir_all(&incoming).expect("the folder around it exists");
    fs::write(incoming.join("pom.xml"), pom(coordinates)).expect("the folder was just created");
    let output = Command::new("mvn")
        .args(["-q", "-B", COPY, "-Dmdep.overWriteReleases=true"])
        .current_dir(&incoming)
        .output()
        .unwrap_or_else(|e| panic!("this test needs Maven to get {coordinates:?}: {e}"));
    let log = String::from_utf8_lossy(&output.stdout);
    assert!(
        output.status.success(),
        "mvn cannot get {coordinates:?}:\n{log}"
    );
    for name in coordinates.iter().map(|coordinate| file_name(coordinate)) {
        fs::rename(incoming.join(&name), dir.join(&name)).expect("Maven has copied it");
    }
    // Nothing depends on it being gone.
    let _ = fs::remove_dir_all(&incoming);
}

/// A project that does nothing but ask for the jars.
fn pom(coordinates: &[&str]) -> String {
    let items: String = coordinates
        .iter()
        .map(|coordinate| item(coordinate))
        .collect();
    format!(
        "<project><modelVersion>4.0.0</modelVersion><groupId>braid</groupId>\
         <artifactId>subjects</artifactId><version>1</version><packaging>pom</packaging><build>\
         <plugins><plugin><groupId>org.apache.maven.plugins</groupId>\
         <artifactId>maven-dependency-plugin</artifactId><configuration>\
         <outputDirectory>${{project.basedir}}</outputDirectory><artifactItems>{items}\
         </artifactItems></configuration></plugin></plugins></build></project>"
    )
}

fn item(coordinate: &str) -> String {
    let parts: Vec<&str> = coordinate.split(':').collect();
    let (group, artifact, version, classifier) = match parts[..] {
        [group, artifact, version] => (group, artifact, version, ""),
        [group, artifact, version, classifier] => (group, artifact, version, classifier),
        _ => panic!("{coordinate} is not group:artifact:version[:classifier]"),
    };
    format!(
        "<artifactItem><groupId>{group}</groupId><artifactId>{artifact}</artifactId>\
         <version>{version}</version><classifier>{classifier}</classifier>\
         <destFileName>{}</destFileName></artifactItem>",
        file_name(coordinate)
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn jars_come_in_the_order_asked_for() {
        let jars = maven(&["org.hamcrest:hamcrest-core:1.3", "junit:junit:4.13.2"]);
        assert!(jars[0].ends_with("org.hamcrest_hamcrest-core_1.3.jar"));
        assert!(
            jars.iter()
                .all(|jar| fs::metadata(jar).unwrap().len() > 1000)
        );
    }

    #[test]
    fn classifiers_are_part_of_the_name() {
        assert_eq!(file_name("g:a:1:sources"), "g_a_1_sources.jar");
    }
}
