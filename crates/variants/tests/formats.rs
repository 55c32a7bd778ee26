//! The same change in every format: the fixtures in `tests/fixtures/patches`.

mod support;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use braid_variants::{
    Change, DirTree, Format, Input, Patch, ReadOptions, apply, content_hash, read,
};
use support::class_file;

fn fixtures(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/fixtures")
        .join(name)
}

fn read_folder(folder: &Path, project: Option<PathBuf>) -> BTreeMap<String, Patch> {
    let options = ReadOptions {
        project,
        ..ReadOptions::default()
    };
    read(&[Input::Path(folder.to_owned())], &options)
        .map(|patch| patch.unwrap_or_else(|error| panic!("{error}")))
        .map(|patch| (patch.id.0.clone(), patch))
        .collect()
}

#[test]
fn the_same_change_in_every_format_gives_the_same_diff() {
    let project = fixtures("project");
    let tree = DirTree::new(&project).unwrap();
    let expected: String = fs::read_to_string(fixtures("patches/git.diff"))
        .unwrap()
        .lines()
        .filter(|line| !line.starts_with("index "))
        .map(|line| {
            format!(
                "{}\n",
                if line.starts_with("@@") {
                    line.rsplit_once("@@").unwrap().0.to_owned() + "@@"
                } else {
                    line.to_owned()
                }
            )
        })
        .collect();
    let patches = read_folder(&fixtures("patches"), Some(project));
    let formats: BTreeMap<&str, Format> = patches
        .iter()
        .map(|(id, patch)| (id.as_str(), patch.origin.format))
        .collect();
    let expected_formats = BTreeMap::from([
        ("Counter", Format::Sources),
        ("answer", Format::UnifiedDiff),
        ("diff", Format::Json),
        ("edits", Format::Json),
        ("example__counter-1", Format::SweBench),
        ("example__counter-2", Format::SweBench),
        ("expressapr#1", Format::ExpressApr),
        ("expressapr#2", Format::ExpressApr),
        ("files", Format::Json),
        ("git", Format::GitDiff),
        ("mail", Format::Mail),
        ("method", Format::Json),
        ("search_replace", Format::Json),
        ("tree", Format::Sources),
        ("unified", Format::UnifiedDiff),
    ]);
    assert_eq!(formats, expected_formats);
    for (id, patch) in &patches {
        let applied = apply(patch, &tree).unwrap_or_else(|error| panic!("{id}: {error}"));
        if id == "expressapr#2" {
            assert!(
                applied.diff.contains("+        count += 2;"),
                "{}",
                applied.diff
            );
        } else {
            assert_eq!(applied.diff, expected, "{id}");
        }
    }
}

#[test]
fn formats_that_name_failing_tests_pass_them_on() {
    let patches = read_folder(&fixtures("patches"), None);
    assert_eq!(
        patches["method"].failing,
        ["com.example.CounterTest#counts"]
    );
    assert_eq!(
        patches["example__counter-1"].failing,
        ["com.example.CounterTest#counts"]
    );
    assert!(patches["git"].failing.is_empty());
}

#[test]
fn hashes_tell_changes_apart_and_ignore_ids() {
    let patches = read_folder(&fixtures("patches"), None);
    let hash = |id: &str| content_hash(&patches[id]);
    assert_eq!(hash("git"), hash("diff"));
    assert_eq!(hash("git"), hash("example__counter-1"));
    assert_ne!(hash("expressapr#1"), hash("expressapr#2"));
    assert_ne!(hash("git"), hash("unified"));
    assert_ne!(hash("files"), hash("edits"));
}

#[test]
fn a_pool_of_class_files_is_one_patch_a_folder() {
    let dir = tempfile::tempdir().unwrap();
    for (path, name) in [
        ("0/com/x/A.class", "com/x/A"),
        ("0/com/x/A$1.class", "com/x/A$1"),
        ("1/com/x/A.class", "com/x/A"),
        ("10/com/x/A.class", "com/x/A"),
        ("flat/B.class", "com/x/B"),
    ] {
        let file = dir.path().join(path);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, class_file(name)).unwrap();
    }
    let patches = read_folder(dir.path(), None);
    assert_eq!(patches.keys().collect::<Vec<_>>(), ["0", "1", "10", "flat"]);
    let Change::Classes(classes) = &patches["0"].change else {
        panic!()
    };
    assert_eq!(classes.keys().collect::<Vec<_>>(), ["com/x/A", "com/x/A$1"]);
    let applied = apply(&patches["flat"], &DirTree::new(dir.path()).unwrap()).unwrap();
    assert!(applied.files.is_empty() && applied.classes.contains_key("com/x/B"));
    assert!(
        applied.diff.starts_with("class file com/x/B ("),
        "{}",
        applied.diff
    );
    // One patch's folder by itself.
    let one = read_folder(&dir.path().join("0"), None);
    assert_eq!(one.keys().collect::<Vec<_>>(), ["0"]);
}

#[test]
fn folders_of_sources_are_found_in_every_layout() {
    let dir = tempfile::tempdir().unwrap();
    let new = "package com.example;\nclass New {}\n";
    let counter = "package com.example;\nclass Counter {}\n";
    let put = |path: &str, content: &str| {
        let file = dir.path().join("pool").join(path);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, content).unwrap();
    };
    // From the project's root, from a source root, flat; each also adds a file.
    put("root/src/main/java/com/example/Counter.java", counter);
    put("root/src/main/java/com/example/New.java", new);
    put("source/com/example/Counter.java", counter);
    put("source/com/example/New.java", new);
    put("flat/Counter.java", counter);
    put("flat/New.java", new);
    let project = fixtures("project");
    let tree = DirTree::new(&project).unwrap();
    for project in [Some(project), None] {
        let patches = read_folder(&dir.path().join("pool"), project);
        assert_eq!(
            patches.keys().collect::<Vec<_>>(),
            ["flat", "root", "source"]
        );
        for (id, patch) in &patches {
            let applied = apply(patch, &tree).unwrap_or_else(|error| panic!("{id}: {error}"));
            let files: Vec<_> = applied.files.keys().map(|path| path.as_str()).collect();
            let expected = [
                "src/main/java/com/example/Counter.java",
                "src/main/java/com/example/New.java",
            ];
            assert_eq!(files, expected, "{id}");
        }
    }
}

#[test]
fn mails_are_separate_patches_unless_numbered() {
    let mail = fs::read_to_string(fixtures("patches/mail.mbox")).unwrap();
    let ids = |text: String| -> Vec<String> {
        support::read_bytes("m.mbox", text)
            .into_iter()
            .map(|patch| patch.unwrap().id.0)
            .collect()
    };
    assert_eq!(ids(format!("{mail}{mail}{mail}")), ["m#1", "m#2", "m#3"]);
    let first = mail.replace("[PATCH]", "[PATCH 1/2]");
    let second = mail.replace("[PATCH]", "[PATCH 2/2]");
    assert_eq!(ids(format!("{first}{second}{mail}")), ["m#1", "m#2"]);
    // A series is applied in order: the second mail undoes the first.
    let back = second.replace(
        "-        count--;\n+        count++;",
        "-        count++;\n+        count--;",
    );
    let back = back.replace(
        "-            if (name.charAt(0) == first) {\n+            if (!name.isEmpty() && name.charAt(0) == first) {",
        "-            if (!name.isEmpty() && name.charAt(0) == first) {\n+            if (name.charAt(0) == first) {",
    );
    let patch = support::one("m.mbox", format!("{first}{back}"));
    let applied = apply(&patch, &DirTree::new(&fixtures("project")).unwrap()).unwrap();
    assert_eq!(support::notes(&applied), "the patch changes nothing\n");
}
