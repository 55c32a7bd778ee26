//! One run's folder, while it is being written.

use std::fs::{self, File, OpenOptions};
use std::io::{Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::lines::{read_line_at, read_lines};
use crate::names::file_stem;
use crate::{RunState, StoreError};

/// At most this long can pass between a verdict's write and its way to the disk's platter.
const SYNC_EVERY: Duration = Duration::from_millis(250);

/// A run folder open for writing; locked against other processes until dropped.
///
/// Every line goes to the operating system before [`Run::append`] returns, so killing this process loses at
/// most the line being written. Lines are synced to the disk at most a quarter of a second later (with the next
/// append, or at the end), which bounds what a power failure can take.
#[derive(Debug)]
pub struct Run {
    number: u32,
    dir: PathBuf,
    lines: File,
    end: u64,
    synced: Instant,
    _lock: File,
}

impl Run {
    pub(crate) fn open(number: u32, dir: PathBuf) -> Result<Self, StoreError> {
        let lock = lock(number, &dir)?;
        for sub in ["logs", "diffs"] {
            let path = dir.join(sub);
            fs::create_dir_all(&path).map_err(|e| StoreError::io("create", &path, e))?;
        }
        let path = dir.join(VERDICTS);
        let end = read_lines(&path, |_, _: serde::de::IgnoredAny| ())?;
        let lines = OpenOptions::new()
            .create(true)
            .truncate(false)
            .read(true)
            .write(true)
            .open(&path)
            .map_err(|e| StoreError::io("open", &path, e))?;
        let length = lines
            .metadata()
            .map_err(|e| StoreError::io("read", &path, e))?
            .len();
        if length > end {
            lines
                .set_len(end)
                .map_err(|e| StoreError::io("truncate", &path, e))?;
        }
        Ok(Self {
            number,
            dir,
            lines,
            end,
            synced: Instant::now(),
            _lock: lock,
        })
    }

    /// The run's number.
    pub fn number(&self) -> u32 {
        self.number
    }

    /// The run's folder.
    pub fn dir(&self) -> &Path {
        &self.dir
    }

    /// The file of verdicts.
    pub fn verdicts_path(&self) -> PathBuf {
        self.dir.join(VERDICTS)
    }

    /// Appends a value as one line; returns the line's offset. After an error the file ends with the
    /// last whole line.
    pub fn append<T: Serialize>(&mut self, value: &T) -> Result<u64, StoreError> {
        let path = self.dir.join(VERDICTS);
        let mut line = serde_json::to_vec(value).map_err(|source| StoreError::Format {
            path: path.clone(),
            source,
        })?;
        line.push(b'\n');
        let write = self
            .lines
            .seek(SeekFrom::Start(self.end))
            .and_then(|_| self.lines.write_all(&line));
        if let Err(error) = write {
            let _ = self.lines.set_len(self.end);
            return Err(StoreError::io("write", &path, error));
        }
        let offset = self.end;
        self.end += line.len() as u64;
        if self.synced.elapsed() >= SYNC_EVERY {
            self.sync()?;
        }
        Ok(offset)
    }

    /// Reads back the value whose line starts at `offset`.
    pub fn read_at<T: DeserializeOwned>(&mut self, offset: u64) -> Result<T, StoreError> {
        let path = self.dir.join(VERDICTS);
        read_line_at(&mut self.lines, &path, offset)
    }

    /// Sends every line to the disk.
    pub fn sync(&mut self) -> Result<(), StoreError> {
        self.synced = Instant::now();
        let path = self.dir.join(VERDICTS);
        self.lines
            .sync_data()
            .map_err(|e| StoreError::io("write", &path, e))
    }

    /// Writes the log of one patch.
    pub fn write_log(&self, id: &str, text: &str) -> Result<(), StoreError> {
        write_whole(
            &self.dir.join("logs").join(file_stem(id) + ".log"),
            text.as_bytes(),
        )
    }

    /// Writes the diff of one patch.
    pub fn write_diff(&self, id: &str, text: &str) -> Result<(), StoreError> {
        write_whole(
            &self.dir.join("diffs").join(file_stem(id) + ".diff"),
            text.as_bytes(),
        )
    }

    /// Writes `run.json` as a whole: a reader sees the old text or the new one.
    pub fn write_info<T: Serialize>(&self, info: &T) -> Result<(), StoreError> {
        write_json(&self.dir.join(INFO), info)
    }

    /// Writes down how the run ended, and sends everything to the disk.
    pub fn finish(&mut self, state: RunState) -> Result<(), StoreError> {
        self.sync()?;
        write_json(&self.dir.join(STATE), &state)
    }
}

pub(crate) const VERDICTS: &str = "verdicts.jsonl";
pub(crate) const INFO: &str = "run.json";
pub(crate) const STATE: &str = "state.json";
const LOCK: &str = "lock";

fn lock(number: u32, dir: &Path) -> Result<File, StoreError> {
    let path = dir.join(LOCK);
    let file = File::create(&path).map_err(|e| StoreError::io("create", &path, e))?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(fs::TryLockError::WouldBlock) => Err(StoreError::Busy { number }),
        // a file system without locks: two writers are the user's to avoid
        Err(fs::TryLockError::Error(_)) => Ok(file),
    }
}

/// Whether another process is writing the run in `dir`.
pub(crate) fn is_locked(dir: &Path) -> bool {
    File::open(dir.join(LOCK))
        .is_ok_and(|file| matches!(file.try_lock_shared(), Err(fs::TryLockError::WouldBlock)))
}

pub(crate) fn write_json<T: Serialize>(path: &Path, value: &T) -> Result<(), StoreError> {
    let mut text = serde_json::to_vec_pretty(value).map_err(|source| StoreError::Format {
        path: path.to_path_buf(),
        source,
    })?;
    text.push(b'\n');
    write_whole(path, &text)
}

/// Writes a file of which this process is the only writer: beside the target, then renames, so that no reader
/// sees half a file.
pub(crate) fn write_whole(path: &Path, bytes: &[u8]) -> Result<(), StoreError> {
    write_beside(path, bytes, ".tmp")
}

/// The same for a file that other processes may write at the same time.
pub(crate) fn write_shared(path: &Path, bytes: &[u8]) -> Result<(), StoreError> {
    static COUNT: AtomicU32 = AtomicU32::new(0);
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    write_beside(path, bytes, &format!(".{}-{count}.tmp", std::process::id()))
}

fn write_beside(path: &Path, bytes: &[u8], suffix: &str) -> Result<(), StoreError> {
    let mut beside = path.as_os_str().to_owned();
    beside.push(suffix);
    let beside = PathBuf::from(beside);
    let write = || {
        fs::write(&beside, bytes)?;
        fs::rename(&beside, path)
    };
    write().map_err(|error| {
        let _ = fs::remove_file(&beside);
        StoreError::io("write", path, error)
    })
}
