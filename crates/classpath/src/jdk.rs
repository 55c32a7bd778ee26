//! Where a JDK keeps its classes, old and new.

use std::path::{Path, PathBuf};

use crate::{Entry, Error, Jar, JdkImage, Result};

/// The class sources of the JDK at `home`: its image, or the jars of Java 8 and before.
pub fn jdk_entries(home: &Path) -> Result<Vec<Entry>> {
    if home.join("lib").join("modules").is_file() {
        return Ok(vec![Entry::Image(JdkImage::open(home)?)]);
    }
    let folders = [home.join("jre").join("lib"), home.join("lib")];
    let jars = |folder: &PathBuf| -> Vec<PathBuf> {
        let names = [
            "resources.jar",
            "rt.jar",
            "jsse.jar",
            "jce.jar",
            "charsets.jar",
        ];
        names
            .iter()
            .map(|name| folder.join(name))
            .filter(|path| path.is_file())
            .collect()
    };
    let folder = folders
        .iter()
        .find(|folder| folder.join("rt.jar").is_file());
    let folder = folder.ok_or_else(|| Error::NotAJdk(home.to_path_buf()))?;
    jars(folder)
        .iter()
        .map(|path| Ok(Entry::Jar(Jar::open_for(path, 8)?)))
        .collect()
}
