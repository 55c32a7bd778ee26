//! The folder that a run works in: copies of the project, and what JVMs read and write.
//!
//! It is in memory where there is plenty of that. A run makes and removes thousands of small files, and a file system on
//! a disk may take longer for them than the tests take.

use std::fs::{self, File};
use std::path::{Path, PathBuf};

use braid_project::Project;
use walkdir::WalkDir;

use crate::{EngineError, Settings};

/// Larger projects are copied to disk.
const LARGEST: u64 = 128 << 20;
/// Beginnings of the names of our folders.
const PREFIX: &str = "braid-";

/// A folder of one run, removed with it. What a run left behind that was ended by force is removed by the next.
pub(crate) struct Scratch {
    dir: PathBuf,
    /// Locked as long as the run lasts.
    lock: (PathBuf, File),
}

impl Scratch {
    /// A new folder: where the project says, in memory, or in Braid's folder.
    pub(crate) fn open(project: &Project, settings: &Settings) -> Result<Self, EngineError> {
        let chosen = project.config.run.work_dir.as_ref();
        let parent = match chosen.map(|dir| project.root.join(dir)) {
            Some(dir) if same(&dir, &project.root) => {
                return Err(EngineError::Input(
                    "[run] work-dir in braid.toml is the project itself; name a folder in it or elsewhere"
                        .to_owned(),
                ));
            }
            Some(dir) => dir,
            None => {
                in_memory(project, settings).unwrap_or_else(|| project.braid_dir().join("work"))
            }
        };
        fs::create_dir_all(&parent).map_err(EngineError::io("create", &parent))?;
        remove_left_behind(&parent);
        let process = std::process::id();
        let names = (0..).map(|number| format!("{PREFIX}{process}-{number}"));
        for name in names {
            let lock = parent.join(format!("{name}.lock"));
            let file = match File::create_new(&lock) {
                Ok(file) => file,
                Err(e) if e.kind() == std::io::ErrorKind::AlreadyExists => continue,
                Err(e) => return Err(EngineError::io("create", &lock)(e)),
            };
            // file systems without locks have no other use for it either
            let _ = file.lock();
            let dir = parent.join(&name);
            fs::create_dir(&dir).map_err(EngineError::io("create", &dir))?;
            return Ok(Self {
                dir,
                lock: (lock, file),
            });
        }
        unreachable!("numbers do not end")
    }

    pub(crate) fn dir(&self) -> &PathBuf {
        &self.dir
    }

    /// The folder in the project that holds those of all runs, if it does; it is no part of the program.
    pub(crate) fn inside(&self, project: &Project) -> Option<PathBuf> {
        let parent = self.dir.parent()?;
        let inside = parent.strip_prefix(&project.root).ok()?;
        (!inside.as_os_str().is_empty()).then(|| parent.to_owned())
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let entries = fs::read_dir(&self.dir).into_iter().flatten().flatten();
        std::thread::scope(|scope| {
            for entry in entries {
                scope.spawn(move || fs::remove_dir_all(entry.path()));
            }
        });
        // what cannot be removed now is removed by the next run
        if fs::remove_dir_all(&self.dir).is_ok() {
            let _ = fs::remove_file(&self.lock.0);
        }
    }
}

fn same(a: &Path, b: &Path) -> bool {
    matches!((a.canonicalize(), b.canonicalize()), (Ok(a), Ok(b)) if a == b)
}

/// Removes folders of runs that are no more: their locks are free.
fn remove_left_behind(parent: &Path) {
    for entry in fs::read_dir(parent).into_iter().flatten().flatten() {
        let lock = entry.path();
        let name = entry.file_name();
        let ours = name.to_str().is_some_and(|name| name.starts_with(PREFIX));
        if !ours || lock.extension().is_none_or(|ending| ending != "lock") {
            continue;
        }
        let free = File::open(&lock).is_ok_and(|file| file.try_lock().is_ok());
        let dir = lock.with_extension("");
        if free && (!dir.exists() || fs::remove_dir_all(&dir).is_ok()) {
            let _ = fs::remove_file(&lock);
        }
    }
}

/// A folder that is in memory, if that has room for this project several times and for the JVMs.
#[cfg(target_os = "linux")]
fn in_memory(project: &Project, settings: &Settings) -> Option<PathBuf> {
    use rustix::fs::{StatVfsMountFlags, statvfs};
    const SLACK: u64 = 1 << 30;
    let place = Path::new("/dev/shm");
    let device = statvfs(place).ok()?;
    let writable = rustix::fs::access(place, rustix::fs::Access::WRITE_OK).is_ok();
    if !writable || device.f_flag.contains(StatVfsMountFlags::NOEXEC) {
        return None;
    }
    let slots = settings.jobs as u64 + 2;
    let copies = slots * size(project)?;
    let room = device.f_bavail.saturating_mul(device.f_frsize);
    let heaps = slots * (settings.heap_mb << 20);
    (room > SLACK + 2 * copies && available()? > SLACK + 2 * copies + heaps)
        .then(|| place.to_owned())
}

#[cfg(not(target_os = "linux"))]
fn in_memory(_: &Project, _: &Settings) -> Option<PathBuf> {
    None
}

/// How large the files are that will be copied; none if that is a lot.
#[cfg(target_os = "linux")]
fn size(project: &Project) -> Option<u64> {
    let skipped = |name: &std::ffi::OsStr| name == ".git" || name == ".braid";
    let files = WalkDir::new(&project.root)
        .into_iter()
        .filter_entry(|entry| !skipped(entry.file_name()));
    let mut sum = 0;
    for entry in files.flatten() {
        sum += entry.metadata().map_or(0, |metadata| metadata.len());
        if sum > LARGEST {
            return None;
        }
    }
    Some(sum)
}

/// The memory that this process and those it starts may still take, in bytes.
#[cfg(target_os = "linux")]
fn available() -> Option<u64> {
    let number = |file: &str| fs::read_to_string(file).ok()?.trim().parse::<u64>().ok();
    let all = fs::read_to_string("/proc/meminfo").ok()?;
    let line = all
        .lines()
        .find_map(|line| line.strip_prefix("MemAvailable:"))?;
    let kib: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    // containers have limits of their own, in one of two ways
    let groups = [
        ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory.current"),
        (
            "/sys/fs/cgroup/memory/memory.limit_in_bytes",
            "/sys/fs/cgroup/memory/memory.usage_in_bytes",
        ),
    ];
    let limits = groups
        .into_iter()
        .filter_map(|(limit, used)| Some(number(limit)?.saturating_sub(number(used)?)));
    Some(limits.fold(kib << 10, u64::min))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_dead_run_left_behind_is_removed_and_what_a_living_one_uses_is_not() {
        let parent = tempfile::tempdir().unwrap();
        let place = |name: &str| parent.path().join(name);
        for name in ["braid-1-0", "braid-2-0", "other"] {
            fs::create_dir(place(name)).unwrap();
            fs::write(place(name).join("file"), "").unwrap();
            fs::write(place(&format!("{name}.lock")), "").unwrap();
        }
        let living = File::open(place("braid-2-0.lock")).unwrap();
        living.lock().unwrap();
        remove_left_behind(parent.path());
        let left = |name: &str| place(name).exists();
        assert!(!left("braid-1-0") && !left("braid-1-0.lock"));
        assert!(left("braid-2-0/file") && left("braid-2-0.lock"));
        assert!(left("other/file") && left("other.lock"));
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn there_is_some_memory() {
        assert!(available().unwrap() > 1 << 20);
    }
}
