//! What runs inside other JVMs, carried in the binary: the jars and the native agent.
//!
//! [`unpack`] writes them where a JVM can load them. The file names hold a hash of the content, so
//! that several versions of Braid can share a folder and a running JVM never sees its jar change.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// The program that runs tests inside a worker JVM.
const RUNNER: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/runner.jar"));
/// The compile service.
const COMPILER: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/compiler.jar"));
/// What woven programs call.
const RUNTIME: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/runtime.jar"));

/// The agent of warm workers.
const AGENT: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/agent"));

/// Where the files are.
///
/// A part that this build was made without has a path to an empty file; see [`has_compiler`] and
/// [`has_runtime`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Payload {
    /// Runs tests inside a worker JVM; main class `braid.runner.Main`.
    pub runner: PathBuf,
    /// The compile service; see `java/compiler`.
    pub compiler: PathBuf,
    /// What woven programs call, for the boot class path.
    pub runtime: PathBuf,
    /// The native agent of warm workers, in builds that have one.
    pub agent: Option<PathBuf>,
}

/// Why the jars could not be written.
#[derive(Debug, thiserror::Error)]
#[error("cannot write {path}")]
pub struct PayloadError {
    path: String,
    source: io::Error,
}

/// Whether this build carries the compile service.
pub const fn has_compiler() -> bool {
    !COMPILER.is_empty()
}

/// Whether this build carries the runtime of woven programs.
pub const fn has_runtime() -> bool {
    !RUNTIME.is_empty()
}

/// Writes the jars into `dir`, creating it if needed; files that are there already are kept.
pub fn unpack(dir: &Path) -> Result<Payload, PayloadError> {
    fs::create_dir_all(dir).map_err(|source| error(dir, source))?;
    Ok(Payload {
        runner: put(dir, "runner", "jar", RUNNER)?,
        compiler: put(dir, "compiler", "jar", COMPILER)?,
        runtime: put(dir, "runtime", "jar", RUNTIME)?,
        agent: match AGENT {
            [] => None,
            library => Some(put(dir, "agent", std::env::consts::DLL_EXTENSION, library)?),
        },
    })
}

fn error(path: &Path, source: io::Error) -> PayloadError {
    PayloadError {
        path: path.display().to_string(),
        source,
    }
}

fn put(dir: &Path, name: &str, kind: &str, bytes: &[u8]) -> Result<PathBuf, PayloadError> {
    let path = dir.join(format!("{name}-{:016x}.{kind}", fnv1a(bytes)));
    if fs::read(&path).is_ok_and(|found| found == bytes) {
        return Ok(path);
    }
    let mut file = tempfile::NamedTempFile::new_in(dir).map_err(|e| error(dir, e))?;
    file.write_all(bytes).map_err(|e| error(file.path(), e))?;
    file.persist(&path).map_err(|e| error(&path, e.error))?;
    Ok(path)
}

/// The 64-bit FNV-1a hash: good enough to tell versions apart, since content is compared too.
fn fnv1a(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn jars_are_written_once_and_repaired_when_damaged() {
        let dir = tempfile::tempdir().unwrap();
        let first = unpack(dir.path()).unwrap();
        assert_eq!(fs::read(&first.runner).unwrap(), RUNNER);
        fs::write(&first.runner, "damaged").unwrap();
        let second = unpack(dir.path()).unwrap();
        assert_eq!(first, second);
        assert_eq!(fs::read(&second.runner).unwrap(), RUNNER);
        let left = fs::read_dir(dir.path()).unwrap().count();
        assert!(left <= 4, "temporary files are left over");
    }

    #[test]
    fn unpacking_at_the_same_time_is_safe() {
        let dir = tempfile::tempdir().unwrap();
        std::thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| unpack(dir.path()).unwrap());
            }
        });
        assert_eq!(
            fs::read(unpack(dir.path()).unwrap().runner).unwrap(),
            RUNNER
        );
    }
}
