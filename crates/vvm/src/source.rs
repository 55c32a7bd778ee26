//! Where classes and resources come from.

use crate::error::{Result, VmError};
use braid_classpath::ClassPath;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A provider of class files and resources.
pub trait ClassSource {
    /// The bytes of a class named `a/b/C`, and whether the JDK (rather than the class path) has it.
    fn class(&self, name: &str) -> Option<(Arc<[u8]>, bool)>;
    /// A resource of the class path or the JDK.
    fn resource(&self, name: &str) -> Option<Arc<[u8]>>;
}

/// Class files in directories: for tests and for an unpacked JDK.
pub struct Directories {
    /// Roots of the JDK's classes.
    pub boot: Vec<PathBuf>,
    /// Roots of the program's classes.
    pub app: Vec<PathBuf>,
}

impl ClassSource for Directories {
    fn class(&self, name: &str) -> Option<(Arc<[u8]>, bool)> {
        let read = |roots: &[PathBuf]| {
            roots
                .iter()
                .find_map(|root| std::fs::read(root.join(format!("{name}.class"))).ok())
        };
        if let Some(bytes) = read(&self.boot) {
            return Some((bytes.into(), true));
        }
        read(&self.app).map(|bytes| (bytes.into(), false))
    }

    fn resource(&self, name: &str) -> Option<Arc<[u8]>> {
        self.app
            .iter()
            .chain(&self.boot)
            .find_map(|root| std::fs::read(root.join(name)).ok())
            .map(Arc::from)
    }
}

/// A JDK and a class path, as a JVM would be given them.
pub struct JdkAndPath {
    jdk: ClassPath,
    path: ClassPath,
    folders: Vec<PathBuf>,
}

impl JdkAndPath {
    /// Opens the JDK's image and the entries of the class path.
    pub fn open(jdk_home: &Path, java_version: u32, entries: &[PathBuf]) -> Result<JdkAndPath> {
        let failed = |error: braid_classpath::Error| VmError::ClassPath(error.to_string());
        let mut jdk = ClassPath::new();
        jdk.add_jdk(jdk_home).map_err(failed)?;
        let mut path = ClassPath::for_java(java_version);
        for entry in entries {
            path.add(entry).map_err(failed)?;
        }
        let folders = entries
            .iter()
            .filter(|entry| entry.is_dir())
            .cloned()
            .collect();
        Ok(JdkAndPath { jdk, path, folders })
    }

    /// The classes of the class path (not of the JDK) by name.
    pub fn program_classes(&self) -> Result<Vec<String>> {
        let mut names = Vec::new();
        for entry in self.path.entries() {
            names.extend(
                entry
                    .class_names()
                    .map_err(|error| VmError::ClassPath(error.to_string()))?,
            );
        }
        Ok(names)
    }
}

impl ClassSource for JdkAndPath {
    fn class(&self, name: &str) -> Option<(Arc<[u8]>, bool)> {
        if let Ok(Some(bytes)) = self.jdk.find(name) {
            return Some((bytes.into(), true));
        }
        match self.path.find(name) {
            Ok(Some(bytes)) => Some((bytes.into(), false)),
            _ => None,
        }
    }

    fn resource(&self, name: &str) -> Option<Arc<[u8]>> {
        self.folders
            .iter()
            .find_map(|root| std::fs::read(root.join(name)).ok())
            .map(Arc::from)
    }
}

/// The major version of the JDK at a path, from its `release` file.
pub fn jdk_version(home: &Path) -> Option<u32> {
    let text = std::fs::read_to_string(home.join("release")).ok()?;
    let line = text
        .lines()
        .find_map(|line| line.strip_prefix("JAVA_VERSION=\""))?;
    let number: String = line.chars().take_while(char::is_ascii_digit).collect();
    number.parse().ok()
}
