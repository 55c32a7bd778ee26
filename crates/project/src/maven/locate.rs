//! Finding the root of a Maven build from any folder inside it.

use std::fs;
use std::path::{Path, PathBuf};

/// The topmost folder whose `pom.xml` includes, directly or through other modules, the project
/// that `dir` is in.
pub(crate) fn root_of(dir: &Path) -> Option<PathBuf> {
    let mut root = dir
        .ancestors()
        .find(|dir| dir.join("pom.xml").is_file())?
        .to_owned();
    let above = root.clone();
    for ancestor in above.ancestors().skip(1) {
        if includes(ancestor, &root) {
            root = ancestor.to_owned();
        }
    }
    Some(root)
}

/// Whether the POM of `parent` lists `module`, among its modules or those of its profiles.
fn includes(parent: &Path, module: &Path) -> bool {
    let Ok(text) = fs::read_to_string(parent.join("pom.xml")) else {
        return false;
    };
    let Ok(document) = roxmltree::Document::parse(&text) else {
        return false;
    };
    let canonical = |path: &Path| fs::canonicalize(path).ok();
    let wanted = canonical(module);
    let listed = document
        .descendants()
        .filter(|node| {
            node.has_tag_name_ignoring_ns("module") || node.has_tag_name_ignoring_ns("subproject")
        })
        .filter_map(|node| node.text());
    listed.map(|name| parent.join(name.trim())).any(|path| {
        let dir = if path.is_file() {
            path.parent().map(Path::to_owned)
        } else {
            Some(path)
        };
        wanted.is_some() && dir.and_then(|dir| canonical(&dir)) == wanted
    })
}

trait LocalName {
    fn has_tag_name_ignoring_ns(&self, name: &str) -> bool;
}

impl LocalName for roxmltree::Node<'_, '_> {
    fn has_tag_name_ignoring_ns(&self, name: &str) -> bool {
        self.is_element() && self.tag_name().name() == name
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pom(dir: &Path, modules: &[&str]) {
        fs::create_dir_all(dir).unwrap();
        let modules: String = modules
            .iter()
            .map(|m| format!("<module>{m}</module>"))
            .collect();
        let text = format!("<project><modules>{modules}</modules></project>");
        fs::write(dir.join("pom.xml"), text).unwrap();
    }

    #[test]
    fn the_root_is_the_topmost_pom_that_includes_the_folder() {
        let temp = tempfile::tempdir().unwrap();
        let top = temp.path().join("top");
        pom(&top, &["libs", "app"]);
        pom(&top.join("libs"), &["core"]);
        pom(&top.join("libs/core"), &[]);
        pom(&top.join("sample"), &[]);
        fs::create_dir_all(top.join("libs/core/src/main")).unwrap();
        assert_eq!(root_of(&top.join("libs/core/src/main")), Some(top.clone()));
        assert_eq!(root_of(&top.join("sample")), Some(top.join("sample")));
        assert_eq!(root_of(&top), Some(top));
        assert_eq!(root_of(Path::new("/")), None);
    }
}
