//! Compiles the Java sources under `java/` and packs each part into a jar.
//!
//! A part whose folder does not exist is left out. A part is compiled for Java 8 and may use the
//! JRE only, plus (the runner) the runtime and the signatures in `java/stubs`; a part with a
//! `javac.args` file brings its own options. The jars are the same bytes for the same sources and
//! compiler.

use std::ffi::OsString;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::{Result, failure};

/// The parts, with what they compile against.
const PARTS: [(&str, &[&str]); 3] = [
    ("runtime", &[]),
    ("runner", &["stubs", "runtime"]),
    ("compiler", &[]),
];

/// Makes `out/<part>.jar` for each part, empty for one that there are no sources of.
pub(crate) fn build(java: &Path, out: &Path) -> Result<()> {
    println!("cargo::rerun-if-changed={}", java.display());
    println!("cargo::rerun-if-env-changed=JAVA_HOME");
    println!("cargo::rerun-if-env-changed=PATH");
    let stubs = out.join("stubs");
    if !java_files(&java.join("stubs"))?.is_empty() {
        compile(&java.join("stubs"), &stubs, &[])?;
    }
    for (part, class_path) in PARTS {
        let jar = out.join(format!("{part}.jar"));
        let sources = java.join(part);
        if !java_files(&sources)?.is_empty() {
            let classes = out.join(part);
            let class_path: Vec<PathBuf> = class_path.iter().map(|name| out.join(name)).collect();
            compile(&sources, &classes, &class_path)?;
            copy_resources(&sources.join("resources"), &classes)?;
            fs::write(&jar, pack(&classes)?).map_err(|e| failure("write", &jar, &e))?;
        } else {
            fs::write(&jar, []).map_err(|e| failure("write", &jar, &e))?;
        }
    }
    Ok(())
}

/// Compiles every source file below `sources`, those in a `test` folder left out.
fn compile(sources: &Path, classes: &Path, class_path: &[PathBuf]) -> Result<()> {
    if classes.exists() {
        fs::remove_dir_all(classes).map_err(|e| failure("empty", classes, &e))?;
    }
    fs::create_dir_all(classes).map_err(|e| failure("create", classes, &e))?;
    let mut javac = Command::new(javac());
    javac.args([
        "-g",
        "-nowarn",
        "-Xlint:-options",
        "-proc:none",
        "-encoding",
        "UTF-8",
    ]);
    javac.args(options(sources)?);
    let class_path = std::env::join_paths(class_path).map_err(|e| e.to_string())?;
    javac.arg("-cp").arg(class_path);
    javac.arg("-d").arg(classes).args(java_files(sources)?);
    let output = javac.output().map_err(|e| {
        format!(
            "Braid's Java side needs a JDK (17 or newer) to build, but {} does not start: {e}\n\
             Install one (Debian, Ubuntu: apt-get install openjdk-17-jdk-headless) or set JAVA_HOME.",
            javac.get_program().to_string_lossy()
        )
    })?;
    if !output.status.success() {
        let stderr = String::from_utf8_lossy(&output.stderr);
        return Err(format!("cannot compile {}:\n{stderr}", sources.display()));
    }
    Ok(())
}

fn javac() -> OsString {
    let name = format!("javac{}", std::env::consts::EXE_SUFFIX);
    match std::env::var_os("JAVA_HOME") {
        Some(home) if !home.is_empty() => {
            let javac = Path::new(&home).join("bin").join(&name);
            if javac.is_file() {
                javac.into()
            } else {
                name.into()
            }
        }
        _ => name.into(),
    }
}

/// The options in `javac.args`, one on each line or several separated by blanks.
fn options(sources: &Path) -> Result<Vec<String>> {
    let file = sources.join("javac.args");
    if !file.exists() {
        return Ok(vec!["--release".into(), "8".into()]);
    }
    let text = fs::read_to_string(&file).map_err(|e| failure("read", &file, &e))?;
    let lines = text
        .lines()
        .filter(|line| !line.trim_start().starts_with('#'));
    Ok(lines
        .flat_map(str::split_whitespace)
        .map(str::to_owned)
        .collect())
}

fn java_files(dir: &Path) -> Result<Vec<PathBuf>> {
    let mut found = files(dir)?;
    found.retain(|file| {
        let inside = file.strip_prefix(dir).unwrap_or(file);
        file.extension().is_some_and(|e| e == "java") && !inside.starts_with("test")
    });
    Ok(found)
}

/// Every file below `dir`, sorted; none if there is no such folder.
fn files(dir: &Path) -> Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    if !dir.is_dir() {
        return Ok(found);
    }
    for entry in fs::read_dir(dir).map_err(|e| failure("list", dir, &e))? {
        let path = entry.map_err(|e| failure("list", dir, &e))?.path();
        if path.is_dir() {
            found.extend(files(&path)?);
        } else {
            found.push(path);
        }
    }
    found.sort();
    Ok(found)
}

fn copy_resources(from: &Path, to: &Path) -> Result<()> {
    for file in files(from)? {
        let target = to.join(file.strip_prefix(from).map_err(|e| e.to_string())?);
        if let Some(parent) = target.parent() {
            fs::create_dir_all(parent).map_err(|e| failure("create", parent, &e))?;
        }
        fs::copy(&file, &target).map_err(|e| failure("copy", &file, &e))?;
    }
    Ok(())
}

/// A jar of everything below `dir`: sorted names, no times, no compression (it loads faster).
fn pack(dir: &Path) -> Result<Vec<u8>> {
    let zipped = |e: zip::result::ZipError| failure("pack", dir, &e);
    let options = zip::write::SimpleFileOptions::default()
        .compression_method(zip::CompressionMethod::Stored)
        .last_modified_time(zip::DateTime::default())
        .unix_permissions(0o644);
    let mut jar = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    for file in files(dir)? {
        let inside = file.strip_prefix(dir).map_err(|e| e.to_string())?;
        let names: Vec<_> = inside.iter().map(|part| part.to_string_lossy()).collect();
        jar.start_file(names.join("/"), options).map_err(zipped)?;
        let bytes = fs::read(&file).map_err(|e| failure("read", &file, &e))?;
        jar.write_all(&bytes)
            .map_err(|e| failure("pack", &file, &e))?;
    }
    Ok(jar.finish().map_err(zipped)?.into_inner())
}
