//! Builds what runs inside other JVMs: the Java parts as jars, and the native agent.

mod agent;
mod java;

use std::path::{Path, PathBuf};
use std::process::exit;

type Result<T> = std::result::Result<T, String>;

fn main() {
    if let Err(message) = build() {
        eprintln!("{message}");
        exit(1);
    }
}

fn build() -> Result<()> {
    println!("cargo::rerun-if-changed=build");
    // asked when it runs: a build directory may outlive the folder it was first used from
    let root = directory("CARGO_MANIFEST_DIR")?.join("../..");
    let out = directory("OUT_DIR")?;
    java::build(&root.join("java"), &out)?;
    agent::build(&root, &out)
}

fn directory(variable: &str) -> Result<PathBuf> {
    let value = std::env::var_os(variable).ok_or_else(|| format!("{variable} is not set"))?;
    Ok(PathBuf::from(value))
}

fn failure(what: &str, path: &Path, cause: &dyn std::fmt::Display) -> String {
    format!("cannot {what} {}: {cause}", path.display())
}
