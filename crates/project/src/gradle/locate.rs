//! Finding the root of a Gradle build from any folder inside it.

use std::path::{Path, PathBuf};

use crate::locate::bounded_ancestors;

const SETTINGS: [&str; 2] = ["settings.gradle", "settings.gradle.kts"];
const BUILD: [&str; 2] = ["build.gradle", "build.gradle.kts"];

/// The nearest folder with a settings file, or else the nearest one with a build file.
pub(crate) fn root_of(dir: &Path) -> Option<PathBuf> {
    let has = |dir: &Path, names: &[&str]| names.iter().any(|name| dir.join(name).is_file());
    let nearest = |names: &[&str]| bounded_ancestors(dir).find(|dir| has(dir, names));
    nearest(&SETTINGS)
        .or_else(|| nearest(&BUILD))
        .map(Path::to_owned)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn the_settings_file_marks_the_root() {
        let temp = tempfile::tempdir().unwrap();
        let (top, sub) = (temp.path().to_owned(), temp.path().join("sub"));
        fs::create_dir_all(sub.join("src")).unwrap();
        fs::write(sub.join("build.gradle.kts"), "").unwrap();
        assert_eq!(root_of(&sub.join("src")), Some(sub.clone()));
        fs::write(top.join("settings.gradle"), "").unwrap();
        assert_eq!(root_of(&sub.join("src")), Some(top));
    }
}
