//! The JDK that compiles and runs the project, and other JVMs that run its tests.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::error::ProjectError;

/// The oldest version that Braid runs on.
pub(crate) const OLDEST: u32 = 11;

/// A JDK on this machine.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Jdk {
    /// Its home folder.
    pub home: PathBuf,
    /// Its feature version: 8, 11, 17 and so on.
    pub version: u32,
    /// Its whole version, for instance `17.0.15`.
    pub full_version: String,
    /// Who made it, if it says so.
    pub vendor: Option<String>,
    /// Whether it can compile, or is only a JRE.
    pub has_compiler: bool,
    /// How it was found, for instance `JAVA_HOME`.
    pub found_by: String,
}

impl Jdk {
    /// The JDK or JRE in this folder, whatever its version; why not, if there is none.
    pub fn at(home: &Path, found_by: &str) -> Result<Self, String> {
        let shown = home.display();
        if !home.is_dir() {
            return Err(format!("{shown} is no folder"));
        }
        // On macOS the folder that people name holds the home folder.
        let inner = home.join("Contents/Home");
        let home = if inner.is_dir() {
            inner
        } else {
            home.to_owned()
        };
        let home = fs::canonicalize(&home).unwrap_or(home);
        if !tool(&home, "java").is_file() {
            return Err(format!("{shown} has no bin/java"));
        }
        let release = fs::read_to_string(home.join("release")).unwrap_or_default();
        let properties = release_properties(&release);
        let Some(full_version) = properties
            .get("JAVA_VERSION")
            .cloned()
            .or_else(|| ask(&home))
        else {
            return Err(format!(
                "{shown}: version unknown, its `release` file does not say it"
            ));
        };
        let Some(version) = feature_version(&full_version) else {
            return Err(format!("{shown}: cannot read the version {full_version:?}"));
        };
        Ok(Self {
            has_compiler: has_compiler(&home, properties.get("MODULES").map(String::as_str)),
            version,
            full_version,
            vendor: properties.get("IMPLEMENTOR").cloned(),
            home,
            found_by: found_by.to_owned(),
        })
    }

    /// Why Braid cannot use this JDK, if it cannot.
    pub fn unusable(&self) -> Option<String> {
        let home = self.home.display();
        let no_compiler = || format!("{home} is a JRE without the compiler (javac)");
        self.too_old()
            .or_else(|| (!self.has_compiler).then(no_compiler))
    }

    fn too_old(&self) -> Option<String> {
        let home = self.home.display();
        (self.version < OLDEST).then(|| {
            format!(
                "{home} is Java {}; Braid runs on Java {OLDEST} or later (a project for Java 8 is \
                 compiled with --release 8)",
                self.full_version
            )
        })
    }

    /// The `java` launcher.
    pub fn java(&self) -> PathBuf {
        tool(&self.home, "java")
    }

    /// The `javac` launcher.
    pub fn javac(&self) -> PathBuf {
        tool(&self.home, "javac")
    }
}

fn tool(home: &Path, name: &str) -> PathBuf {
    home.join("bin")
        .join(format!("{name}{}", std::env::consts::EXE_SUFFIX))
}

/// A JRE of Java 8 has no `javac`; a later image without the launcher may lack the module only.
fn has_compiler(home: &Path, modules: Option<&str>) -> bool {
    let in_image = modules.is_none_or(|m| m.split_whitespace().any(|m| m == "jdk.compiler"));
    tool(home, "javac").is_file() && in_image
}

/// The `KEY="value"` lines of a `release` file.
fn release_properties(text: &str) -> BTreeMap<String, String> {
    let pair = |line: &str| {
        let (key, value) = line.split_once('=')?;
        Some((
            key.trim().to_owned(),
            value.trim().trim_matches('"').to_owned(),
        ))
    };
    text.lines().filter_map(pair).collect()
}

/// The version that `java -version` prints, for the few JDKs without a `release` file.
fn ask(home: &Path) -> Option<String> {
    let spawn = braid_process::Spawn::new(tool(home, "java")).arg("-version");
    let finished = spawn.run(std::time::Duration::from_secs(20)).ok()?;
    let text = finished.stderr.text();
    Some(text.split('"').nth(1)?.to_owned())
}

/// `1.8.0_392` is 8, `17.0.15` is 17, `25-ea` is 25.
fn feature_version(text: &str) -> Option<u32> {
    let mut numbers = text
        .split(|c: char| !c.is_ascii_digit())
        .map(str::parse::<u32>);
    match numbers.next()?.ok()? {
        1 => numbers.next()?.ok(),
        version => Some(version),
    }
}

/// Where JDKs are looked for besides what the user names.
#[derive(Debug, Clone, Default)]
pub(crate) struct Places {
    java_home: Option<PathBuf>,
    path: Vec<PathBuf>,
    folders: Vec<PathBuf>,
}

impl Places {
    /// The environment and the usual folders of this machine.
    pub(crate) fn of_this_machine() -> Self {
        let path = std::env::var_os("PATH").unwrap_or_default();
        let mut folders: Vec<PathBuf> = [
            "/usr/lib/jvm",
            "/usr/java",
            "/opt/java",
            "/Library/Java/JavaVirtualMachines",
        ]
        .map(Into::into)
        .into();
        if let Some(home) = std::env::home_dir() {
            folders.push(home.join(".sdkman/candidates/java"));
            folders.push(home.join(".jdks"));
        }
        Self {
            java_home: std::env::var_os("JAVA_HOME")
                .filter(|v| !v.is_empty())
                .map(Into::into),
            path: std::env::split_paths(&path).collect(),
            folders,
        }
    }

    /// Every JDK and JRE, the preferred one first, and what was wrong with the places that should
    /// have held one.
    pub(crate) fn search(&self) -> (Vec<Jdk>, Vec<String>) {
        let (mut jdks, mut problems) = (Vec::new(), Vec::new());
        if let Some(home) = &self.java_home {
            match Jdk::at(home, "JAVA_HOME") {
                Ok(jdk) => jdks.push(jdk),
                Err(problem) => problems.push(format!("JAVA_HOME: {problem}")),
            }
        }
        let launchers =
            ["javac", "java"].map(|name| format!("{name}{}", std::env::consts::EXE_SUFFIX));
        for launcher in launchers {
            let file = self
                .path
                .iter()
                .map(|dir| dir.join(&launcher))
                .find(|file| file.is_file());
            let home = file.and_then(home_of_launcher);
            jdks.extend(home.and_then(|home| Jdk::at(&home, "PATH").ok()));
        }
        jdks.extend(self.in_folders());
        let mut seen = std::collections::BTreeSet::new();
        jdks.retain(|jdk| seen.insert(jdk.home.clone()));
        (jdks, problems)
    }

    /// The JDKs in the usual folders, the newest first.
    fn in_folders(&self) -> Vec<Jdk> {
        let entries = self
            .folders
            .iter()
            .filter_map(|folder| fs::read_dir(folder).ok())
            .flatten();
        let homes = entries.flatten().map(|entry| entry.path());
        let mut jdks: Vec<Jdk> = homes
            .filter_map(|home| Jdk::at(&home, &format!("{}", home.parent()?.display())).ok())
            .collect();
        jdks.sort_by(|a, b| b.version.cmp(&a.version).then_with(|| a.home.cmp(&b.home)));
        jdks
    }
}

/// `HOME/bin/java` or `HOME/jre/bin/java`.
pub(crate) fn home_of_launcher(launcher: PathBuf) -> Option<PathBuf> {
    let launcher = fs::canonicalize(&launcher).unwrap_or(launcher);
    let home = launcher.parent()?.parent()?;
    let whole = home.parent().filter(|_| home.ends_with("jre"));
    Some(
        whole
            .filter(|dir| tool(dir, "java").is_file())
            .unwrap_or(home)
            .to_owned(),
    )
}

/// The JDK to use: `named` (with the name of where it was named) if there is one, otherwise the
/// first usable one of `places`.
pub(crate) fn choose(named: Option<(&Path, &str)>, places: &Places) -> Result<Jdk, ProjectError> {
    if let Some((home, by)) = named {
        let jdk = Jdk::at(home, by).map_err(|e| ProjectError::NoJdk(format!("{by}: {e}")))?;
        return match jdk.unusable() {
            None => Ok(jdk),
            Some(reason) => Err(ProjectError::NoJdk(format!("{by}: {reason}"))),
        };
    }
    let (jdks, mut problems) = places.search();
    for jdk in jdks {
        match jdk.unusable() {
            None => return Ok(jdk),
            Some(reason) => problems.push(reason),
        }
    }
    Err(ProjectError::NoJdk(no_jdk(&problems)))
}

/// The JVM in this folder, for tests: it needs no compiler.
pub(crate) fn for_tests(home: &Path, by: &str) -> Result<Jdk, ProjectError> {
    let error = |reason| ProjectError::NoJdk(format!("{by}: {reason}"));
    let jdk = Jdk::at(home, by).map_err(error)?;
    match jdk.too_old() {
        None => Ok(jdk),
        Some(reason) => Err(error(reason)),
    }
}

fn no_jdk(problems: &[String]) -> String {
    let mut text = format!(
        "no JDK {OLDEST} or later found: looked at --jdk, braid.toml, JAVA_HOME, PATH and the usual \
         folders; install one ({}) or name one with --jdk",
        install_command()
    );
    for problem in problems {
        text.push_str("\n  ");
        text.push_str(problem);
    }
    text
}

/// The command that installs a JDK on this system.
pub(crate) fn install_command() -> &'static str {
    if cfg!(target_os = "macos") {
        "`brew install openjdk`"
    } else if Path::new("/etc/debian_version").exists() {
        "`sudo apt install default-jdk`"
    } else if Path::new("/etc/fedora-release").exists() {
        "`sudo dnf install java-latest-openjdk-devel`"
    } else {
        "for instance from adoptium.net"
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn image(dir: &Path, name: &str, release: &str, tools: &[&str]) -> PathBuf {
        let home = dir.join(name);
        fs::create_dir_all(home.join("bin")).unwrap();
        fs::write(home.join("release"), release).unwrap();
        for tool in tools {
            fs::write(home.join("bin").join(tool), "").unwrap();
        }
        fs::canonicalize(home).unwrap()
    }

    #[test]
    fn versions_of_all_schemes_are_read() {
        let read = ["1.8.0_392", "11", "17.0.15", "25-ea", "x"].map(feature_version);
        assert_eq!(read, [Some(8), Some(11), Some(17), Some(25), None]);
    }

    #[test]
    fn the_release_file_says_version_vendor_and_modules() {
        let dir = tempfile::tempdir().unwrap();
        let release = "IMPLEMENTOR=\"Some One\"\nJAVA_VERSION=\"21.0.2\"\nMODULES=\"java.base\"\n";
        let home = image(dir.path(), "j", release, &["java", "javac"]);
        let jdk = Jdk::at(&home, "--jdk").unwrap();
        assert_eq!((jdk.version, jdk.vendor.as_deref()), (21, Some("Some One")));
        assert!(jdk.unusable().unwrap().contains("without the compiler"));
    }

    #[test]
    fn java_8_and_jres_are_refused_with_the_reason() {
        let dir = tempfile::tempdir().unwrap();
        let eight = image(
            dir.path(),
            "8",
            "JAVA_VERSION=\"1.8.0_392\"",
            &["java", "javac"],
        );
        let jre = image(dir.path(), "jre", "JAVA_VERSION=\"17.0.1\"", &["java"]);
        let error = |home: &Path| {
            choose(Some((home, "--jdk")), &Places::default())
                .unwrap_err()
                .to_string()
        };
        let run = |home: &Path| for_tests(home, "--java").map_err(|error| error.to_string());
        assert_eq!(run(&jre).unwrap().version, 17);
        assert!(run(&eight).unwrap_err().contains("--java: "));
        assert!(error(&eight).contains("is Java 1.8.0_392; Braid runs on Java 11 or later"));
        assert!(error(&jre).contains("JRE without the compiler"));
        assert!(error(&dir.path().join("none")).contains("is no folder"));
    }

    #[test]
    fn java_home_wins_over_path_and_folders_but_must_be_usable() {
        let dir = tempfile::tempdir().unwrap();
        let tools = ["java", "javac"];
        let home = image(dir.path(), "home", "JAVA_VERSION=\"11.0.1\"", &tools);
        let on_path = image(dir.path(), "path", "JAVA_VERSION=\"17\"", &tools);
        let newer = image(&dir.path().join("jvm"), "n", "JAVA_VERSION=\"25\"", &tools);
        let mut places = Places {
            java_home: Some(home.clone()),
            path: vec![on_path.join("bin")],
            folders: vec![dir.path().join("jvm")],
        };
        let chosen = |places: &Places| choose(None, places).unwrap().home;
        assert_eq!(chosen(&places), home);
        places.java_home = Some(dir.path().join("gone"));
        assert_eq!(chosen(&places), on_path);
        places.path.clear();
        assert_eq!(chosen(&places), newer);
        places.folders.clear();
        let error = choose(None, &places).unwrap_err().to_string();
        assert!(error.contains("no JDK 11 or later found") && error.contains("JAVA_HOME"));
    }
}
