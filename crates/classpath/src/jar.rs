//! A jar of class files, multi-release ones included.

use std::collections::HashMap;
use std::io::{Cursor, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use zip::ZipArchive;

use crate::{Error, Result};

type Archive = ZipArchive<Cursor<Arc<[u8]>>>;

/// An open jar: its bytes and an index of its classes.
#[derive(Clone)]
pub struct Jar {
    path: PathBuf,
    archive: Archive,
    /// Class name to position in the archive.
    classes: Arc<HashMap<String, usize>>,
}

impl Jar {
    /// Opens a jar; of a multi-release jar the classes for the newest Java are taken.
    pub fn open(path: &Path) -> Result<Jar> {
        Jar::open_for(path, u32::MAX)
    }

    /// Opens a jar as a JVM of the given Java version would see it.
    pub fn open_for(path: &Path, java: u32) -> Result<Jar> {
        let bytes: Arc<[u8]> = std::fs::read(path).map_err(Error::io(path))?.into();
        let mut archive =
            ZipArchive::new(Cursor::new(bytes)).map_err(|e| broken(path, e.to_string()))?;
        let multi_release = java >= 9 && is_multi_release(&mut archive);
        let mut chosen: HashMap<String, (u32, usize)> = HashMap::new();
        for position in 0..archive.len() {
            let Some(Ok(entry)) = archive.name_for_index(position) else {
                continue;
            };
            let Some(file) = entry.strip_suffix(".class") else {
                continue;
            };
            let Some((version, name)) = versioned(file) else {
                continue;
            };
            if version > java || (version > 0 && !multi_release) {
                continue;
            }
            let place = chosen.entry(name.to_owned()).or_insert((version, position));
            if version >= place.0 {
                *place = (version, position);
            }
        }
        let classes = chosen
            .into_iter()
            .map(|(name, (_, position))| (name, position))
            .collect();
        Ok(Jar {
            path: path.to_path_buf(),
            archive,
            classes: Arc::new(classes),
        })
    }

    /// The jar's file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The bytes of a class.
    pub fn find(&self, name: &str) -> Result<Option<Vec<u8>>> {
        self.classes
            .get(name)
            .map(|position| self.read(*position))
            .transpose()
    }

    /// True if the jar has this class.
    pub fn contains(&self, name: &str) -> bool {
        self.classes.contains_key(name)
    }

    fn read(&self, position: usize) -> Result<Vec<u8>> {
        // Cloning shares the directory and the bytes; it gives each reader its own cursor.
        let mut archive = self.archive.clone();
        let mut file = archive
            .by_index(position)
            .map_err(|e| broken(&self.path, e.to_string()))?;
        // The size is what the jar says; a hostile one must not make us reserve gigabytes.
        let mut bytes = Vec::with_capacity(file.size().min(1 << 20) as usize);
        file.read_to_end(&mut bytes)
            .map_err(|e| broken(&self.path, e.to_string()))?;
        Ok(bytes)
    }

    /// The names of all classes, sorted.
    pub fn class_names(&self) -> Vec<String> {
        let mut names: Vec<_> = self.classes.keys().cloned().collect();
        names.sort_unstable();
        names
    }
}

impl std::fmt::Debug for Jar {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Jar").field("path", &self.path).finish()
    }
}

fn broken(path: &Path, message: String) -> Error {
    Error::Jar {
        path: path.to_path_buf(),
        message,
    }
}

/// Splits `META-INF/versions/11/a/B` into (11, `a/B`); other names have version 0. Classes
/// elsewhere under `META-INF` are on no class path.
fn versioned(file: &str) -> Option<(u32, &str)> {
    let Some(rest) = file.strip_prefix("META-INF/") else {
        return Some((0, file));
    };
    let (version, name) = rest.strip_prefix("versions/")?.split_once('/')?;
    Some((version.parse().ok().filter(|v| *v >= 9)?, name))
}

fn is_multi_release(archive: &mut Archive) -> bool {
    let mut text = String::new();
    let read = archive
        .by_name("META-INF/MANIFEST.MF")
        .is_ok_and(|file| file.take(1 << 20).read_to_string(&mut text).is_ok());
    read && text.lines().any(|line| {
        line.split_once(':').is_some_and(|(key, value)| {
            key.eq_ignore_ascii_case("Multi-Release") && value.trim().eq_ignore_ascii_case("true")
        })
    })
}

#[cfg(test)]
mod tests {
    use super::versioned;

    #[test]
    fn versions_are_read_from_the_path() {
        assert_eq!(versioned("a/B"), Some((0, "a/B")));
        assert_eq!(versioned("META-INF/versions/11/a/B"), Some((11, "a/B")));
        assert_eq!(versioned("META-INF/versions/8/a/B"), None);
        assert_eq!(versioned("META-INF/other/B"), None);
    }
}
