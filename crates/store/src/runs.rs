//! The folder of all runs: numbers, the latest, states.

use std::fs;
use std::path::{Path, PathBuf};

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::names::file_stem;
use crate::run::{INFO, Run, STATE, VERDICTS, is_locked, write_shared};
use crate::{LineIndex, StoreError};

const LATEST: &str = "latest";

/// How a run stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RunState {
    /// Being written right now.
    Running,
    /// Every patch has its verdict.
    Complete,
    /// Stopped before the end, by the user or a crash: can be resumed.
    Interrupted,
}

/// `.braid/runs`: the folders of all runs of one project.
#[derive(Clone, Debug)]
pub struct Runs {
    dir: PathBuf,
}

impl Runs {
    /// The runs below a project's `.braid` folder. Writes nothing.
    pub fn new(braid_dir: &Path) -> Self {
        Self {
            dir: braid_dir.join("runs"),
        }
    }

    /// Starts a run under the next free number and makes it the latest. Two processes never get the same number.
    pub fn create<T: Serialize>(&self, info: &T) -> Result<Run, StoreError> {
        fs::create_dir_all(&self.dir).map_err(|e| StoreError::io("create", &self.dir, e))?;
        self.keep_out_of_git()?;
        let mut number = self.list()?.last().copied().unwrap_or(0) + 1;
        let dir = loop {
            let dir = self.path(number);
            match fs::create_dir(&dir) {
                Ok(()) => break dir,
                Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => number += 1,
                Err(error) => return Err(StoreError::io("create", &dir, error)),
            }
        };
        let run = Run::open(number, dir)?;
        run.write_info(info)?;
        write_shared(&self.dir.join(LATEST), format!("{number}\n").as_bytes())?;
        Ok(run)
    }

    /// A `.gitignore` in `.braid`, so that nobody commits runs by accident.
    fn keep_out_of_git(&self) -> Result<(), StoreError> {
        let Some(braid_dir) = self.dir.parent() else {
            return Ok(());
        };
        let path = braid_dir.join(".gitignore");
        if path.exists() {
            Ok(())
        } else {
            write_shared(&path, b"*\n")
        }
    }

    /// Opens an existing run to write more into it. A torn last line is cut off.
    pub fn resume(&self, number: u32) -> Result<Run, StoreError> {
        let dir = self.existing(number)?;
        let run = Run::open(number, dir)?;
        let state = run.dir().join(STATE);
        match fs::remove_file(&state) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                Err(StoreError::io("remove", &state, error))
            }
            _ => Ok(run),
        }
    }

    /// The numbers of all runs, in increasing order.
    pub fn list(&self) -> Result<Vec<u32>, StoreError> {
        let entries = match fs::read_dir(&self.dir) {
            Ok(entries) => entries,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
            Err(error) => return Err(StoreError::io("read", &self.dir, error)),
        };
        let mut numbers: Vec<u32> = entries
            .filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok())
            .collect();
        numbers.sort_unstable();
        Ok(numbers)
    }

    /// The run started last.
    pub fn latest(&self) -> Result<u32, StoreError> {
        let pointed = fs::read_to_string(self.dir.join(LATEST))
            .ok()
            .and_then(|text| text.trim().parse().ok())
            .filter(|number| self.path(*number).is_dir());
        match pointed {
            Some(number) => Ok(number),
            None => self
                .list()?
                .last()
                .copied()
                .ok_or_else(|| StoreError::NoRuns {
                    runs: self.dir.clone(),
                }),
        }
    }

    /// What `run.json` of a run holds.
    pub fn info<T: DeserializeOwned>(&self, number: u32) -> Result<T, StoreError> {
        let path = self.existing(number)?.join(INFO);
        let bytes = fs::read(&path).map_err(|e| StoreError::io("read", &path, e))?;
        serde_json::from_slice(&bytes).map_err(|source| StoreError::Format { path, source })
    }

    /// How a run stands: a run without an end that nobody is writing was interrupted.
    pub fn state(&self, number: u32) -> Result<RunState, StoreError> {
        let dir = self.existing(number)?;
        let written = fs::read(dir.join(STATE)).ok();
        if let Some(state) = written.and_then(|bytes| serde_json::from_slice(&bytes).ok()) {
            return Ok(state);
        }
        Ok(if is_locked(&dir) {
            RunState::Running
        } else {
            RunState::Interrupted
        })
    }

    /// The verdicts of a run, ordered by `order`.
    pub fn verdicts<T: DeserializeOwned>(
        &self,
        number: u32,
        order: impl FnMut(&T) -> u64,
    ) -> Result<LineIndex, StoreError> {
        LineIndex::build(&self.existing(number)?.join(VERDICTS), order)
    }

    /// The log of one patch, where there is one.
    pub fn log(&self, number: u32, id: &str) -> Option<String> {
        self.read_text(number, "logs", &(file_stem(id) + ".log"))
    }

    /// The diff of one patch, where there is one.
    pub fn diff(&self, number: u32, id: &str) -> Option<String> {
        self.read_text(number, "diffs", &(file_stem(id) + ".diff"))
    }

    fn read_text(&self, number: u32, folder: &str, name: &str) -> Option<String> {
        let bytes = fs::read(self.path(number).join(folder).join(name)).ok()?;
        Some(String::from_utf8_lossy(&bytes).into_owned())
    }

    /// The folder of a run, whether or not it exists.
    pub fn path(&self, number: u32) -> PathBuf {
        self.dir.join(number.to_string())
    }

    fn existing(&self, number: u32) -> Result<PathBuf, StoreError> {
        let dir = self.path(number);
        if dir.is_dir() {
            Ok(dir)
        } else {
            Err(StoreError::NoSuchRun {
                number,
                runs: self.dir.clone(),
            })
        }
    }
}
