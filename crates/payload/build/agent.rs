//! Builds the agent's library.
//!
//! A crate cannot depend on the library of another as a file (Cargo's artifact dependencies are not
//! stable), so Cargo is called again for that one crate, with the same lock file and a target folder of
//! its own. The agent is always optimised: it sits in the way of every class that a program loads.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::{Result, failure};

/// What the outer Cargo tells its compiler and the inner one must not hear: lints, flags, wrappers.
const NOT_INHERITED: [&str; 6] = [
    "RUSTC_WORKSPACE_WRAPPER",
    "CARGO_ENCODED_RUSTFLAGS",
    "RUSTFLAGS",
    "CLIPPY_ARGS",
    "CARGO_TARGET_DIR",
    "CARGO_BUILD_TARGET",
];

/// Makes `out/agent`, the library.
pub(crate) fn build(root: &Path, out: &Path) -> Result<()> {
    let variable = |name: &str| env::var(name).map_err(|_| format!("{name} is not set"));
    let target = variable("TARGET")?;
    let folder = target_folder(out);
    let mut cargo = Command::new(variable("CARGO")?);
    cargo
        .args(["build", "--package", "braid-agent", "--release", "--locked"])
        .args(["--config", "profile.release.lto=false"])
        .args(["--config", "profile.release.debug=false"])
        .args(["--target", &target, "--manifest-path"])
        .arg(root.join("crates/agent/Cargo.toml"))
        .arg("--target-dir")
        .arg(&folder);
    for name in NOT_INHERITED {
        cargo.env_remove(name);
    }
    let output = cargo
        .output()
        .map_err(|e| format!("cannot start cargo: {e}"))?;
    if !output.status.success() {
        let stderr = String::from_utf8_lossy(&output.stderr);
        return Err(format!("cannot build the agent:\n{stderr}"));
    }
    let library = folder.join(target).join("release").join(name());
    watch(root, &library)?;
    let made = out.join("agent");
    fs::copy(&library, &made).map_err(|e| failure("copy", &library, &e))?;
    Ok(())
}

/// One folder next to those of the profiles, so that all of them share it: this folder is
/// `<target>/<profile>/build/<package>/out`.
fn target_folder(out: &Path) -> PathBuf {
    out.ancestors().nth(4).unwrap_or(out).join("agent")
}

fn name() -> String {
    match env::var("CARGO_CFG_TARGET_OS").as_deref() {
        Ok("windows") => "braid_agent.dll".to_owned(),
        Ok("macos") => "libbraid_agent.dylib".to_owned(),
        _ => "libbraid_agent.so".to_owned(),
    }
}

/// Builds again when a source of the agent or of a crate below it changes: Cargo lists them next to what
/// it made, in the form of a rule of make.
fn watch(root: &Path, library: &Path) -> Result<()> {
    let list = library.with_extension("d");
    let rule = fs::read_to_string(&list).map_err(|e| failure("read", &list, &e))?;
    let sources = rule.split_once(": ").map_or("", |(_, sources)| sources);
    // A blank in a name is escaped, which no name in this repository needs below its root.
    let root_text = root.canonicalize().map_err(|e| failure("find", root, &e))?;
    let mut watched: Vec<PathBuf> = sources.split_whitespace().map(PathBuf::from).collect();
    if watched.iter().any(|source| !source.starts_with(&root_text)) {
        watched = vec![root.join("crates")];
    }
    watched.push(root.join("Cargo.lock"));
    watched.push(root.join("crates/agent/Cargo.toml"));
    for path in watched {
        println!("cargo::rerun-if-changed={}", path.display());
    }
    Ok(())
}
