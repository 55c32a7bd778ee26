//! Puts the example project into the binary, so that `braid demo` works wherever the binary is.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs, io};

/// What a build or a run leaves behind in the example.
const LEFT_OUT: [&str; 3] = ["target", ".braid", ".git"];

fn main() -> io::Result<()> {
    let manifest = env::var_os("CARGO_MANIFEST_DIR")
        .map(PathBuf::from)
        .unwrap_or_default();
    let example = manifest.join("../../example");
    println!("cargo::rerun-if-changed=build.rs");
    let mut files = Vec::new();
    collect(&example, &mut files)?;
    files.sort();
    let mut code = String::from("[\n");
    for file in &files {
        println!("cargo::rerun-if-changed={}", file.display());
        let name = file
            .strip_prefix(&example)
            .unwrap_or(file)
            .to_string_lossy()
            .replace('\\', "/");
        let path = file.canonicalize()?;
        writeln!(
            code,
            "({name:?}, include_bytes!({:?}) as &[u8]),",
            path.display().to_string()
        )
        .map_err(io::Error::other)?;
    }
    code.push_str("]\n");
    let out = env::var_os("OUT_DIR")
        .map(PathBuf::from)
        .unwrap_or_default();
    fs::write(out.join("example.rs"), code)
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) -> io::Result<()> {
    println!("cargo::rerun-if-changed={}", folder.display());
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        if LEFT_OUT.iter().any(|name| entry.file_name() == *name) {
            continue;
        }
        if entry.file_type()?.is_dir() {
            collect(&entry.path(), files)?;
        } else {
            files.push(entry.path());
        }
    }
    Ok(())
}
