//! Fixtures compiled once for each test process.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

/// The folder with the compiled fixtures.
pub fn compiled() -> &'static Path {
    static FOLDER: OnceLock<(tempfile::TempDir, PathBuf)> = OnceLock::new();
    &FOLDER
        .get_or_init(|| {
            let folder = tempfile::tempdir().expect("a temporary folder");
            let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures");
            let output = Command::new("javac")
                .args([
                    "-g",
                    "-parameters",
                    "-nowarn",
                    "-Xlint:none",
                    "-J-Xmx256m",
                    "-d",
                ])
                .arg(folder.path())
                .arg(fixtures.join("Shapes.java"))
                .output()
                .expect("javac runs");
            assert!(
                output.status.success(),
                "{}",
                String::from_utf8_lossy(&output.stderr)
            );
            let path = folder.path().to_path_buf();
            (folder, path)
        })
        .1
}

/// The bytes of a compiled fixture class.
pub fn fixture(name: &str) -> Vec<u8> {
    std::fs::read(compiled().join(format!("{name}.class"))).expect("the fixture was compiled")
}

/// The bytes of every compiled fixture class.
#[allow(dead_code)]
pub fn fixtures() -> Vec<Vec<u8>> {
    let mut paths: Vec<_> = std::fs::read_dir(compiled())
        .expect("the folder is there")
        .map(|entry| entry.expect("readable").path())
        .collect();
    paths.sort();
    paths
        .iter()
        .map(|path| std::fs::read(path).expect("readable"))
        .collect()
}
