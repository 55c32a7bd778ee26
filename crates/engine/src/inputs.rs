//! Where patches come from: files, folders, and standard input kept for a later resume.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use braid_variants::{Input, Patches, ReadOptions, read};

use crate::{EngineError, PatchRequest};

/// The name that standard input has in a run folder.
const STDIN_NAME: &str = "stdin";

/// Patches' inputs, all of which can be read more than once.
pub(crate) struct Inputs {
    /// The request, in which standard input is replaced by the file that keeps it.
    pub request: PatchRequest,
    spooled: Option<PathBuf>,
}

impl Inputs {
    /// Checks that everything is there, and keeps standard input in a file below `spool`.
    pub(crate) fn open(request: &PatchRequest, spool: &Path) -> Result<Self, EngineError> {
        if request.inputs.is_empty() {
            return Err(EngineError::Input(
                "no patches were given: name files or folders, or `-` for standard input"
                    .to_owned(),
            ));
        }
        let mut request = request.clone();
        let mut spooled = None;
        for input in &mut request.inputs {
            if input == Path::new("-") {
                let file = match &spooled {
                    Some(file) => PathBuf::clone(file),
                    None => keep_stdin(spool)?,
                };
                *input = file.clone();
                spooled = Some(file);
            } else if !input.exists() {
                let why = format!("no such file or folder: {}", input.display());
                return Err(EngineError::Input(why));
            } else {
                *input = std::path::absolute(&*input).map_err(EngineError::io("find", input))?;
            }
        }
        Ok(Self { request, spooled })
    }

    /// Inputs of an earlier run.
    pub(crate) fn reopen(request: &PatchRequest) -> Result<Self, EngineError> {
        if let Some(gone) = request.inputs.iter().find(|input| !input.exists()) {
            return Err(EngineError::Input(format!("{} is gone", gone.display())));
        }
        Ok(Self {
            request: request.clone(),
            spooled: None,
        })
    }

    /// Moves what was kept of standard input into a run's folder.
    pub(crate) fn move_to(&mut self, run_dir: &Path) -> Result<(), EngineError> {
        let Some(from) = self.spooled.take() else {
            return Ok(());
        };
        let to = run_dir.join(STDIN_NAME);
        fs::rename(&from, &to).map_err(EngineError::io("write", &to))?;
        if let Some(folder) = from.parent() {
            let _ = fs::remove_dir(folder);
        }
        for input in self
            .request
            .inputs
            .iter_mut()
            .filter(|input| **input == from)
        {
            *input = to.clone();
        }
        Ok(())
    }

    /// The patches, from the start.
    pub(crate) fn patches(&self, project_root: &Path) -> Patches {
        let inputs: Vec<Input> = self
            .request
            .inputs
            .iter()
            .cloned()
            .map(Input::Path)
            .collect();
        let project = Some(project_root.to_owned());
        read(
            &inputs,
            &ReadOptions {
                project,
                ..ReadOptions::default()
            },
        )
    }

    /// Inputs that lie inside the project and are no part of the program.
    pub(crate) fn inside(&self, project_root: &Path) -> Vec<PathBuf> {
        let real = |path: &PathBuf| fs::canonicalize(path).unwrap_or_else(|_| path.clone());
        let root = real(&project_root.to_owned());
        let below = self.request.inputs.iter().map(real).filter_map(|input| {
            let inside = input.strip_prefix(&root).ok()?;
            (!inside.as_os_str().is_empty()).then(|| project_root.join(inside))
        });
        below.collect()
    }
}

impl Drop for Inputs {
    fn drop(&mut self) {
        if let Some(file) = &self.spooled {
            let _ = fs::remove_file(file);
            let _ = file.parent().map(fs::remove_dir);
        }
    }
}

fn keep_stdin(spool: &Path) -> Result<PathBuf, EngineError> {
    let folder = spool.join(format!("stdin-{}", std::process::id()));
    fs::create_dir_all(&folder).map_err(EngineError::io("create", &folder))?;
    let path = folder.join(STDIN_NAME);
    let mut file = File::create(&path).map_err(EngineError::io("create", &path))?;
    io::copy(&mut io::stdin().lock(), &mut file).map_err(EngineError::io("write", &path))?;
    Ok(path)
}
