//! Finds class files by name: the JDK's `lib/modules` image, jars, folders and the class path
//! they form together.
//!
//! Only bytes come out of here; nothing is parsed and nothing is executed. Names are internal
//! names (`java/lang/Object`).
//!
//! ```no_run
//! use braid_classpath::ClassPath;
//! # fn main() -> Result<(), braid_classpath::Error> {
//! let mut path = ClassPath::new();
//! path.add_jdk("/opt/jdk-17".as_ref())?;
//! path.add("lib/guava.jar".as_ref())?;
//! let object = path.find("java/lang/Object")?.expect("every JDK has it");
//! path.for_each(|name, bytes| println!("{name}: {} bytes", bytes.len()))?;
//! # Ok(()) }
//! ```

mod dir;
mod jar;
mod jdk;
mod jimage;
mod path;
mod strings;

pub use dir::Dir;
pub use jar::Jar;
pub use jdk::jdk_entries;
pub use jimage::{JdkImage, Resource};
pub use path::{ClassPath, Entry};

use std::path::{Path, PathBuf};

/// A class source that cannot be read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A file or folder cannot be read.
    #[error("cannot read {path}: {source}")]
    Io {
        /// Which.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// A jar is broken.
    #[error("cannot read the jar {path}: {message}")]
    Jar {
        /// Which.
        path: PathBuf,
        /// What is wrong.
        message: String,
    },
    /// A JDK image is broken or of an unknown kind.
    #[error("cannot read the JDK image {path}: {message}")]
    Image {
        /// Which.
        path: PathBuf,
        /// What is wrong.
        message: String,
    },
    /// A folder is not a JDK.
    #[error("{0} is not a JDK: it has neither lib/modules nor an rt.jar")]
    NotAJdk(PathBuf),
}

impl Error {
    fn io(path: &Path) -> impl FnOnce(std::io::Error) -> Error {
        let path = path.to_path_buf();
        move |source| Error::Io { path, source }
    }
}

/// Result of this crate.
pub type Result<T, E = Error> = std::result::Result<T, E>;
