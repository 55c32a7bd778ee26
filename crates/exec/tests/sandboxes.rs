//! Sandboxes come back to the snapshot's state whatever was done to them.
#![cfg(unix)]

use std::collections::BTreeMap;
use std::fs::{self, FileTimes, Permissions};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use braid_exec::{ExecError, Restored, Sandbox, Snapshot, SnapshotOptions};

/// A project with a bit of everything.
fn project() -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path();
    for folder in [
        "src/deep",
        ".git/objects",
        "module/.braid",
        "skipped",
        "empty",
        "closed",
    ] {
        fs::create_dir_all(root.join(folder)).unwrap();
    }
    for file in [
        "src/a.txt",
        "src/deep/b.txt",
        ".git/config",
        "module/.braid/x",
        "skipped/y",
    ] {
        fs::write(root.join(file), format!("content of {file}")).unwrap();
    }
    fs::write(root.join("tool.sh"), "#!/bin/sh").unwrap();
    fs::set_permissions(root.join("tool.sh"), Permissions::from_mode(0o755)).unwrap();
    fs::write(root.join("closed/c.txt"), "read only").unwrap();
    fs::set_permissions(root.join("closed/c.txt"), Permissions::from_mode(0o444)).unwrap();
    fs::set_permissions(root.join("closed"), Permissions::from_mode(0o555)).unwrap();
    symlink("a.txt", root.join("src/link")).unwrap();
    symlink(root.join("src/deep"), root.join("src/folder-link")).unwrap();
    symlink("/no/such/place", root.join("dangling")).unwrap();
    dir
}

fn sandbox(project: &Path, place: &Path) -> Sandbox {
    let options = SnapshotOptions {
        exclude: vec![PathBuf::from("skipped")],
    };
    let snapshot = Snapshot::take(project, &place.join("snapshot"), &options).unwrap();
    Sandbox::create(&Arc::new(snapshot), &place.join("sandbox")).unwrap()
}

/// Everything below a folder: content, permissions, targets of links.
fn picture(root: &Path) -> BTreeMap<PathBuf, String> {
    fn add(root: &Path, dir: &Path, picture: &mut BTreeMap<PathBuf, String>) {
        for entry in fs::read_dir(dir).unwrap() {
            let path = entry.unwrap().path();
            let metadata = path.symlink_metadata().unwrap();
            let mode = metadata.permissions().mode();
            let what = if metadata.is_symlink() {
                format!("-> {}", path.read_link().unwrap().display())
            } else if metadata.is_dir() {
                add(root, &path, picture);
                format!("folder {mode:o}")
            } else {
                let modified = metadata.modified().unwrap();
                format!(
                    "{mode:o} {modified:?} {}",
                    fs::read_to_string(&path).unwrap()
                )
            };
            picture.insert(path.strip_prefix(root).unwrap().to_owned(), what);
        }
    }
    let mut all = BTreeMap::new();
    add(root, root, &mut all);
    all
}

fn with_sandbox(check: impl FnOnce(&Path, &mut Sandbox)) {
    let (project, place) = (project(), tempfile::tempdir().unwrap());
    let mut sandbox = sandbox(project.path(), place.path());
    let before = picture(project.path());
    check(project.path(), &mut sandbox);
    assert_eq!(
        picture(project.path()),
        before,
        "the project itself is never touched"
    );
    fs::set_permissions(project.path().join("closed"), Permissions::from_mode(0o755)).unwrap();
}

#[test]
fn a_sandbox_is_the_project_without_what_does_not_belong() {
    with_sandbox(|project, sandbox| {
        let mut expected = picture(project);
        expected.retain(|path, _| {
            let path = path.to_str().unwrap();
            !path.contains(".git") && !path.contains(".braid") && !path.starts_with("skipped")
        });
        let target = format!("-> {}", sandbox.root().join("src/deep").display());
        expected.insert("src/folder-link".into(), target);
        assert_eq!(picture(sandbox.root()), expected);
        assert_eq!(sandbox.restore().unwrap(), Restored::default());
    });
}

#[test]
fn every_kind_of_change_is_undone() {
    with_sandbox(|_, sandbox| {
        let root = sandbox.root().to_owned();
        let before = picture(&root);
        let undone = |sandbox: &mut Sandbox, changed, deleted, created| {
            let expected = Restored {
                changed,
                deleted,
                created,
            };
            assert_eq!(sandbox.restore().unwrap(), expected);
            assert_eq!(picture(&root), before);
            assert_eq!(sandbox.restore().unwrap(), Restored::default());
        };
        // Same length, and the time set back.
        let file = root.join("src/a.txt");
        let modified = file.metadata().unwrap().modified().unwrap();
        fs::write(&file, "CONTENT of src/a.txt").unwrap();
        let times = FileTimes::new().set_modified(modified);
        fs::File::options()
            .write(true)
            .open(&file)
            .unwrap()
            .set_times(times)
            .unwrap();
        undone(sandbox, 1, 0, 0);
        // Deleted file, deleted folder with content.
        fs::remove_file(root.join("tool.sh")).unwrap();
        fs::remove_dir_all(root.join("src/deep")).unwrap();
        undone(sandbox, 0, 3, 0);
        // New things, a pipe among them.
        fs::create_dir_all(root.join("new/deeper")).unwrap();
        fs::write(root.join("new/deeper/x"), "x").unwrap();
        symlink("/", root.join("src/deep/root")).unwrap();
        let pipe = braid_process::Spawn::new("mkfifo").arg(root.join("pipe"));
        assert!(
            pipe.run(std::time::Duration::from_secs(10))
                .unwrap()
                .success()
        );
        undone(sandbox, 0, 0, 3);
        // Permissions of files and folders.
        fs::set_permissions(root.join("tool.sh"), Permissions::from_mode(0o000)).unwrap();
        fs::set_permissions(root.join("empty"), Permissions::from_mode(0o000)).unwrap();
        undone(sandbox, 2, 0, 0);
        // One kind of thing in place of another.
        fs::remove_file(root.join("src/link")).unwrap();
        fs::write(root.join("src/link"), "a file now").unwrap();
        fs::remove_file(root.join("src/a.txt")).unwrap();
        fs::create_dir(root.join("src/a.txt")).unwrap();
        fs::remove_dir_all(root.join("src/deep")).unwrap();
        symlink("/tmp", root.join("src/deep")).unwrap();
        undone(sandbox, 3, 1, 0);
    });
}

#[test]
fn files_in_closed_folders_are_brought_back() {
    with_sandbox(|_, sandbox| {
        let root = sandbox.root().to_owned();
        let before = picture(&root);
        fs::set_permissions(root.join("closed"), Permissions::from_mode(0o755)).unwrap();
        fs::remove_file(root.join("closed/c.txt")).unwrap();
        fs::set_permissions(root.join("closed"), Permissions::from_mode(0o555)).unwrap();
        sandbox.restore().unwrap();
        assert_eq!(picture(&root), before);
    });
}

#[test]
fn a_sandbox_that_was_deleted_as_a_whole_comes_back() {
    with_sandbox(|_, sandbox| {
        let root = sandbox.root().to_owned();
        let before = picture(&root);
        fs::set_permissions(root.join("closed"), Permissions::from_mode(0o755)).unwrap();
        fs::remove_dir_all(&root).unwrap();
        sandbox.restore().unwrap();
        assert_eq!(picture(&root), before);
    });
}

#[test]
fn patches_are_put_in_and_taken_out() {
    with_sandbox(|project, sandbox| {
        let root = sandbox.root().to_owned();
        let before = picture(&root);
        assert_eq!(
            sandbox.map(&project.join("src/a.txt")),
            root.join("src/a.txt")
        );
        assert_eq!(sandbox.map(project), root);
        assert_eq!(sandbox.map(Path::new("/usr/lib")), Path::new("/usr/lib"));
        sandbox.write(Path::new("src/a.txt"), b"patched").unwrap();
        sandbox
            .write(Path::new("src/link"), b"not written through")
            .unwrap();
        sandbox.write(Path::new("brand/new.txt"), b"new").unwrap();
        sandbox.remove(Path::new("tool.sh")).unwrap();
        sandbox.remove(Path::new("no/such/file")).unwrap();
        assert_eq!(fs::read(root.join("src/a.txt")).unwrap(), b"patched");
        assert!(!root.join("tool.sh").exists());
        let restored = sandbox.restore().unwrap();
        assert_eq!(
            restored,
            Restored {
                changed: 2,
                deleted: 1,
                created: 1
            }
        );
        assert_eq!(picture(&root), before);
    });
}

#[test]
fn nothing_is_written_outside() {
    with_sandbox(|_, sandbox| {
        symlink("/tmp", sandbox.root().join("out")).unwrap();
        for path in ["../x", "/tmp/x", "src/../../x", "", "out/x", "./x/.."] {
            let written = sandbox.write(Path::new(path), b"x");
            assert!(
                matches!(written, Err(ExecError::Outside { .. })),
                "{path}: {written:?}"
            );
        }
    });
}

#[test]
fn a_snapshot_inside_the_project_does_not_hold_itself() {
    let project = project();
    let place = project.path().join("work");
    let sandbox = sandbox(project.path(), &place);
    assert!(!sandbox.root().join("work/snapshot").exists());
    drop(sandbox);
    assert!(!place.join("sandbox").exists(), "dropping removes the copy");
    fs::set_permissions(project.path().join("closed"), Permissions::from_mode(0o755)).unwrap();
}
