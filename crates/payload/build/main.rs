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
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let out = PathBuf::from(std::env::var_os("OUT_DIR").ok_or("OUT_DIR is not set")?);
    java::build(&root.join("java"), &out)?;
    agent::build(&root, &out)
}

fn failure(what: &str, path: &Path, cause: &dyn std::fmt::Display) -> String {
    format!("cannot {what} {}: {cause}", path.display())
}
