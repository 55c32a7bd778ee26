//! Looking into jars on a class path, without unpacking them.

use std::fs::File;
use std::io::{BufReader, Read};
use std::path::{Path, PathBuf};

const PROCESSOR_SERVICE: &str = "META-INF/services/javax.annotation.processing.Processor";

/// Whether an entry of the class path offers an annotation processor.
pub(crate) fn any_has_processor(classpath: &[PathBuf]) -> bool {
    classpath
        .iter()
        .any(|entry| has_entry(entry, PROCESSOR_SERVICE))
}

/// Whether a jar or folder has a file of this name.
pub(crate) fn has_entry(jar_or_dir: &Path, name: &str) -> bool {
    if jar_or_dir.is_dir() {
        return jar_or_dir.join(name).is_file();
    }
    open(jar_or_dir).is_some_and(|jar| jar.index_for_name(name).is_some())
}

/// The value of a line in the manifest of a jar.
pub(crate) fn manifest_value(jar: &Path, key: &str) -> Option<String> {
    let mut text = String::new();
    let mut jar = open(jar)?;
    let entry = jar.by_name("META-INF/MANIFEST.MF").ok()?;
    entry.take(64 * 1024).read_to_string(&mut text).ok()?;
    let line = text
        .lines()
        .find_map(|line| line.strip_prefix(key)?.strip_prefix(':'))?;
    Some(line.trim().to_owned())
}

fn open(jar: &Path) -> Option<zip::ZipArchive<BufReader<File>>> {
    zip::ZipArchive::new(BufReader::new(File::open(jar).ok()?)).ok()
}
