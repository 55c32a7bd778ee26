//! Sandboxes that only look at what was touched; their slow twin lists everything.

use std::fs::{self, File, Permissions};
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use fastrand::Rng;

use super::*;
use crate::SnapshotOptions;

const FILES: [&str; 7] = [
    "a.txt",
    "b.txt",
    "one/c.txt",
    "one/two/d.txt",
    "one/two/e.txt",
    "three/f.txt",
    "closed/g.txt",
];
/// Further names at which something is or may come to be.
const NAMES: [&str; 12] = [
    "one",
    "one/two",
    "three",
    "closed",
    "empty",
    "link",
    "new",
    "one/new",
    "one/two/new",
    "one/new/deep",
    "one/new/deep/new",
    "three/new",
];

/// A snapshot with some of everything.
fn snapshot(place: &Path) -> Arc<Snapshot> {
    let project = place.join("project");
    for folder in ["one/two", "three", "closed", "empty"] {
        fs::create_dir_all(project.join(folder)).unwrap();
    }
    for file in FILES {
        fs::write(project.join(file), format!("content of {file}")).unwrap();
    }
    symlink("a.txt", project.join("link")).unwrap();
    fs::set_permissions(project.join("closed"), Permissions::from_mode(0o555)).unwrap();
    let options = SnapshotOptions::default();
    let snapshot = Snapshot::take(&project, &place.join("snapshot"), &options).unwrap();
    fs::set_permissions(project.join("closed"), Permissions::from_mode(0o755)).unwrap();
    Arc::new(snapshot)
}

/// A sandbox that has been restored once, and watches its files.
fn with_watched(check: impl FnOnce(&Path, &mut Sandbox)) {
    let place = tempfile::tempdir().unwrap();
    let mut sandbox = Sandbox::create(&snapshot(place.path()), &place.path().join("s")).unwrap();
    assert_eq!(sandbox.restore().unwrap(), Restored::default());
    let root = sandbox.root().to_owned();
    let before = picture(&root);
    check(&root, &mut sandbox);
    assert_eq!(picture(&root), before);
}

fn changed(changed: usize) -> Restored {
    Restored {
        changed,
        ..Restored::default()
    }
}

/// Everything below a folder: content, times, permissions, targets of links.
fn picture(root: &Path) -> Vec<(PathBuf, String)> {
    let describe = |(inside, entry): (&Path, &Entry)| {
        let path = root.join(inside);
        let what = match entry {
            Entry::File(_) => {
                let metadata = path.metadata().unwrap();
                let (mode, time) = (metadata.mode(), metadata.modified().unwrap());
                let content = fs::read_to_string(&path).unwrap();
                format!("{mode:o} {time:?} {content}")
            }
            other => format!("{other:?}"),
        };
        (inside.to_owned(), what)
    };
    let listing = tree::list(root, &|_| false).unwrap();
    listing.iter().map(describe).collect()
}

/// Something that a test may do to the files.
#[derive(Debug)]
struct Deed {
    kind: u8,
    at: &'static str,
    other: &'static str,
    len: usize,
    mode: u32,
}

impl Deed {
    fn any(random: &mut Rng) -> Self {
        let mut name = || {
            // Mostly files, else everything is listed each time.
            let names = if random.u8(..3) > 0 {
                &FILES[..]
            } else {
                &NAMES[..]
            };
            names[random.usize(..names.len())]
        };
        Self {
            at: name(),
            other: name(),
            kind: random.u8(..19),
            len: random.usize(50..1000),
            mode: [0o600, 0o644, 0o755, 0o500, 0o000][random.usize(..5)],
        }
    }

    /// Much of it cannot be done, as there is no such file or as it is of another kind.
    fn try_on(&self, sandbox: &mut Sandbox) -> io::Result<()> {
        let (at, other) = (sandbox.root.join(self.at), sandbox.root.join(self.other));
        let bytes = vec![b'x'; self.len];
        let append = || File::options().append(true).open(&at);
        match self.kind {
            0 | 1 => fs::write(at, bytes),
            2 => io::Write::write_all(&mut append()?, &bytes),
            3 => append().map(drop),
            4 => append()?.set_len(self.len as u64 / 50),
            5 => append()?.set_modified(std::time::UNIX_EPOCH),
            6 => fs::set_permissions(at, Permissions::from_mode(self.mode)),
            7 => fs::remove_file(at),
            8 => fs::remove_dir_all(at),
            9 | 10 => fs::rename(at, other),
            11 => symlink(other, at),
            12 => fs::create_dir_all(at),
            13 => {
                tree::remove(&at).map_err(io::Error::other)?;
                fs::create_dir(at)
            }
            14 => {
                tree::remove(&at).map_err(io::Error::other)?;
                fs::write(at, bytes)
            }
            15 => fs::hard_link(at, other),
            16 => {
                fs::hard_link(&at, &other)?;
                fs::write(&other, bytes)?;
                fs::remove_file(other)
            }
            17 => {
                fs::create_dir(&other)?;
                fs::hard_link(&at, other.join("x"))?;
                fs::write(other.join("x"), bytes)?;
                fs::remove_dir_all(other)
            }
            _ => {
                let written = sandbox.write(Path::new(self.at), &bytes);
                written.map_err(io::Error::other)
            }
        }
    }
}

#[test]
fn looking_at_what_was_touched_finds_what_a_listing_finds() {
    for seed in 0..4 {
        let place = tempfile::tempdir().unwrap();
        let snapshot = snapshot(place.path());
        let [mut watched, mut listed] =
            ["w", "l"].map(|name| Sandbox::create(&snapshot, &place.path().join(name)).unwrap());
        listed.watch = TreeWatch::impossible();
        let pictures = [picture(&watched.root), picture(&listed.root)];
        let mut random = Rng::with_seed(seed);
        let mut quick = 0;
        for round in 0..250 {
            let count = random.usize(1..5);
            let deeds: Vec<Deed> = (0..count).map(|_| Deed::any(&mut random)).collect();
            for deed in &deeds {
                let (a, b) = (deed.try_on(&mut watched), deed.try_on(&mut listed));
                assert_eq!(
                    a.is_ok(),
                    b.is_ok(),
                    "seed {seed}, round {round}: {deeds:?}"
                );
            }
            let restored = [&mut watched, &mut listed].map(|s| s.restore().unwrap());
            assert_eq!(
                restored[0], restored[1],
                "seed {seed}, round {round}: {deeds:?}"
            );
            let now = [picture(&watched.root), picture(&listed.root)];
            assert_eq!(now, pictures, "seed {seed}, round {round}: {deeds:?}");

            quick += usize::from(watched.quick_restores > 0);
            assert_eq!(listed.quick_restores, 0);
        }
        assert!((25..225).contains(&quick), "{quick} of 250 were quick");
    }
}

#[test]
fn touched_files_do_not_make_a_restore_list_the_tree() {
    with_watched(|root, sandbox| {
        sandbox.write(Path::new("one/c.txt"), b"patched").unwrap();
        fs::write(root.join("three/new.txt"), "new").unwrap();
        fs::remove_file(root.join("b.txt")).unwrap();
        let all = Restored {
            changed: 1,
            deleted: 1,
            created: 1,
        };
        assert_eq!(sandbox.restore().unwrap(), all);
        assert_eq!(sandbox.restore().unwrap(), Restored::default());
        assert_eq!(sandbox.quick_restores, 2);
    });
}

#[test]
fn a_folder_that_was_made_again_is_watched() {
    with_watched(|root, sandbox| {
        let folder = root.join("one/two");
        fs::remove_dir_all(&folder).unwrap();
        fs::create_dir(&folder).unwrap();
        assert_eq!(sandbox.restore().unwrap().deleted, 2);
        // Now by the restore itself, which cannot watch it from the start.
        fs::remove_dir_all(&folder).unwrap();
        assert_eq!(sandbox.restore().unwrap().deleted, 3);
        for quick_restores in 0..3 {
            fs::write(folder.join("d.txt"), "written").unwrap();
            assert_eq!(sandbox.restore().unwrap(), changed(1));
            assert_eq!(sandbox.quick_restores, quick_restores);
        }
    });
}

#[test]
fn what_is_not_noticed_is_brought_back_by_a_listing() {
    with_watched(|root, sandbox| {
        let outside = root.with_file_name("outside");
        fs::hard_link(root.join("b.txt"), &outside).unwrap();
        fs::write(&outside, "by another name").unwrap();
        for _ in 0..MOST_QUICK_RESTORES {
            assert_eq!(sandbox.restore().unwrap(), Restored::default());
        }
        assert_eq!(sandbox.restore().unwrap(), changed(1));
        assert_eq!(sandbox.quick_restores, 0);
    });
}

#[test]
fn a_file_that_could_be_written_is_replaced_once_even_if_it_was_not() {
    with_watched(|root, sandbox| {
        let file = root.join("b.txt");
        let inode = || file.metadata().unwrap().ino();
        let before = inode();
        let open = File::options().append(true).open(&file).unwrap();
        assert_eq!(sandbox.restore().unwrap(), Restored::default());
        assert_eq!(inode(), before, "opening a file is no touch");
        // Held, so that its number is not given to another file.
        let _held = File::open(&file).unwrap();
        drop(open);
        assert_eq!(sandbox.restore().unwrap(), Restored::default());
        let after = inode();
        assert_ne!(after, before);
        assert_eq!(sandbox.restore().unwrap(), Restored::default());
        assert_eq!(inode(), after, "what a restore does itself is no touch");
        assert_eq!(sandbox.quick_restores, 3);
    });
}

#[test]
fn a_change_during_a_restore_is_seen_by_the_next() {
    with_watched(|root, sandbox| {
        sandbox.watch.touched();
        fs::write(root.join("a.txt"), "by another process").unwrap();
        fs::write(root.join("b.txt"), "that it had just replaced").unwrap();
        fs::create_dir(root.join("new")).unwrap();
        sandbox.watch.settle(&[PathBuf::from("b.txt")]);
        let restored = sandbox.restore().unwrap();
        assert_eq!((restored.changed, restored.created), (2, 1));
        assert_eq!(sandbox.quick_restores, 0, "there was a new folder");
    });
}

#[test]
fn a_folder_that_was_made_again_during_a_restore_is_watched() {
    with_watched(|root, sandbox| {
        let folder = root.join("three");
        sandbox.watch.touched();
        fs::remove_dir_all(&folder).unwrap();
        fs::create_dir(&folder).unwrap();
        sandbox.watch.settle(&[]);
        assert_eq!(sandbox.restore().unwrap().deleted, 1);
        fs::write(folder.join("f.txt"), "written").unwrap();
        assert_eq!(sandbox.restore().unwrap(), changed(1));
        assert_eq!(sandbox.quick_restores, 1);
    });
}

#[test]
fn more_changes_than_the_system_keeps_in_mind_are_undone() {
    with_watched(|root, sandbox| {
        let open = |name| File::options().append(true).open(root.join(name)).unwrap();
        let mut files = [open("a.txt"), open("b.txt")];
        // Twice as many as a queue usually holds; the same one twice in a row would be one.
        for turn in 0..1 << 15 {
            io::Write::write_all(&mut files[turn % 2], b"x").unwrap();
        }
        fs::write(root.join("one/c.txt"), "not told of").unwrap();
        assert_eq!(sandbox.restore().unwrap(), changed(3));
    });
}

#[test]
fn a_restore_after_a_failed_one_lists_everything() {
    with_watched(|root, sandbox| {
        fs::write(root.join("a.txt"), "touched").unwrap();
        sandbox.watch.touched();
        assert_eq!(sandbox.restore().unwrap(), changed(1));
        assert_eq!(sandbox.quick_restores, 0);
    });
}
