//! Reading patches from files, folders and standard input.

use std::path::PathBuf;

use crate::{Patch, PatchReadError};

/// Where patches are read from.
#[derive(Clone, Debug)]
pub enum Input {
    /// A file or folder.
    Path(PathBuf),
    /// Standard input.
    Stdin,
    /// Bytes at hand, under the name of the file they would have.
    Bytes {
        /// The name, whose extension is only a hint.
        name: String,
        /// The content.
        data: Vec<u8>,
    },
}

/// How patches are read.
#[derive(Clone, Debug)]
pub struct ReadOptions {
    /// The project's root: tells where in a folder of patched files the project's tree begins.
    pub project: Option<PathBuf>,
    /// Refuse single patches larger than this.
    pub max_patch_bytes: usize,
}

impl Default for ReadOptions {
    fn default() -> Self {
        Self {
            project: None,
            max_patch_bytes: 512 << 20,
        }
    }
}

/// The patches of `inputs`, one at a time.
pub fn read(inputs: &[Input], options: &ReadOptions) -> Patches {
    Patches {
        _inputs: inputs.to_vec(),
        _options: options.clone(),
    }
}

/// Iterator over patches; see [`read`].
#[derive(Debug)]
pub struct Patches {
    _inputs: Vec<Input>,
    _options: ReadOptions,
}

impl Iterator for Patches {
    type Item = Result<Patch, PatchReadError>;

    fn next(&mut self) -> Option<Self::Item> {
        None
    }
}
