//! git as an oracle: the diffs and mails it writes, applied to the trees it wrote them for.

#[path = "support/generate.rs"]
mod generate;
mod support;

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Output;

use braid_variants::{DirTree, Input, MemTree, ReadOptions, apply, read};
use fastrand::Rng;
use generate::{Edits, bytes, file};
use support::{one, tool};

type Files = BTreeMap<String, Vec<u8>>;

/// Runs git without the user's settings.
fn git(dir: &Path, args: &[&str]) -> Option<Output> {
    let settings = [
        "-c",
        "user.name=a",
        "-c",
        "user.email=a@example.org",
        "-c",
        "core.autocrlf=false",
        "-c",
        "commit.gpgsign=false",
        "-c",
        "diff.renameLimit=1000",
    ];
    let output = tool("git", &[&settings[..], args].concat(), dir)?;
    assert!(
        output.status.success(),
        "git {args:?}: {}",
        String::from_utf8_lossy(&output.stderr)
    );
    Some(output)
}

/// Another version of the tree: files edited, created, deleted, renamed and copied.
fn next_version(rng: &mut Rng, files: &Files, number: usize) -> Files {
    let mut out = files.clone();
    for (name, content) in files {
        let text = String::from_utf8_lossy(content).into_owned();
        let eol = if text.contains("\r\n") { "\r\n" } else { "\n" };
        let lines: Vec<String> = text.lines().map(str::to_owned).collect();
        let edits = Edits::random(rng, &lines);
        let edited = bytes(
            &edits.carried_out(&lines, true, false),
            eol,
            rng.u8(..4) > 0,
        );
        match rng.u8(..8) {
            0 => drop(out.remove(name)),
            1 => {
                out.remove(name);
                out.insert(format!("moved {number}/{}", name.replace('/', "_")), edited);
            }
            2 => drop(out.insert(format!("copy{number}/{}", name.replace('/', "_")), edited)),
            3 => {}
            _ => drop(out.insert(name.clone(), edited)),
        }
    }
    for added in 0..rng.usize(1..4) {
        let names = [
            "src/Plain",
            "src/with space ",
            "src/Ünicode",
            "src/tab\tquote\"",
        ];
        let name = format!("{}{number}-{added}.java", names[rng.usize(..names.len())]);
        let lines = rng.usize(..40);
        let eol = if rng.u8(..4) == 0 { "\r\n" } else { "\n" };
        out.insert(name, bytes(&file(rng, lines), eol, rng.bool()));
    }
    out
}

fn write(dir: &Path, old: &Files, new: &Files) {
    for name in old.keys() {
        fs::remove_file(dir.join(name)).unwrap();
    }
    for (name, content) in new {
        let path = dir.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }
}

/// The tree after a diff, as names and contents.
fn patched(old: &Files, data: Vec<u8>) -> Files {
    let tree = MemTree::new(old.iter().map(|(name, content)| (name, content.clone()))).unwrap();
    let applied = apply(&one("p.diff", data), &tree).unwrap_or_else(|error| panic!("{error}"));
    let after = tree.with(&applied.files);
    after
        .files()
        .iter()
        .map(|(path, content)| (path.to_string(), content.clone()))
        .collect()
}

/// Paths with control characters are refused, so those of the tests have none of them.
fn is_allowed(name: &str) -> bool {
    !name.contains('\t')
}

#[test]
fn every_diff_of_git_gives_the_tree_it_came_from() {
    let mut rng = Rng::with_seed(7);
    let dir = tempfile::tempdir().unwrap();
    if git(dir.path(), &["init", "-q"]).is_none() {
        return;
    }
    let mut old = Files::new();
    for number in 0..12 {
        let mut new = next_version(&mut rng, &old, number);
        new.retain(|name, _| is_allowed(name));
        write(dir.path(), &old, &new);
        git(dir.path(), &["add", "-A"]);
        git(dir.path(), &["commit", "-qm", "next"]);
        if number > 0 {
            for options in [
                &["-M", "-C", "--find-copies-harder"][..],
                &["--no-renames", "-U1"],
                &["--no-prefix", "--no-renames"],
                &["-M", "-U0", "--src-prefix=i/", "--dst-prefix=w/"],
                &["-M", "--full-index", "--function-context"],
            ] {
                let args = [&["diff", "HEAD~1", "HEAD"], options].concat();
                let Some(output) = git(dir.path(), &args) else {
                    return;
                };
                let found = patched(&old, output.stdout);
                assert!(
                    found == new,
                    "{number} {options:?}: {:?}",
                    different(&found, &new)
                );
            }
        }
        old = new;
    }
}

/// The names that differ.
fn different(a: &Files, b: &Files) -> Vec<String> {
    a.keys()
        .chain(b.keys())
        .filter(|name| a.get(*name) != b.get(*name))
        .cloned()
        .collect()
}

#[test]
fn a_series_of_mails_gives_the_last_tree() {
    let mut rng = Rng::with_seed(8);
    let dir = tempfile::tempdir().unwrap();
    if git(dir.path(), &["init", "-q"]).is_none() {
        return;
    }
    let mut old = Files::new();
    let mut first = Files::new();
    for number in 0..5 {
        let mut new = next_version(&mut rng, &old, number);
        new.retain(|name, _| is_allowed(name));
        write(dir.path(), &old, &new);
        git(dir.path(), &["add", "-A"]);
        git(
            dir.path(),
            &["commit", "-qm", "a change\n\n- with a list\n+ of points"],
        );
        if number == 0 {
            first.clone_from(&new);
        }
        old = new;
    }
    let Some(output) = git(dir.path(), &["format-patch", "-4", "--stdout", "-M"]) else {
        return;
    };
    let found = patched(&first, output.stdout);
    assert!(found == old, "{:?}", different(&found, &old));
}

#[test]
fn links_that_lead_out_of_the_project_are_refused() {
    let dir = tempfile::tempdir().unwrap();
    let project = dir.path().join("project");
    fs::create_dir_all(&project).unwrap();
    fs::write(dir.path().join("secret"), "a\n").unwrap();
    if let Err(error) = link(dir.path(), &project.join("out")) {
        println!("skipped: no symbolic links: {error}");
        return;
    }
    link(&dir.path().join("nowhere"), &project.join("dangling")).unwrap();
    let tree = DirTree::new(&project).unwrap();
    for (diff, why) in [
        (
            "--- a/out/secret\n+++ b/out/secret\n@@ -1 +1 @@\n-a\n+b\n",
            "leads out of the project",
        ),
        (
            "--- /dev/null\n+++ b/out/new\n@@ -0,0 +1 @@\n+b\n",
            "leads out of the project",
        ),
        (
            "--- /dev/null\n+++ b/dangling\n@@ -0,0 +1 @@\n+b\n",
            "leads nowhere",
        ),
    ] {
        let error = apply(&one("p.diff", diff), &tree).unwrap_err().to_string();
        assert!(error.contains(why), "{error}");
    }
}

#[cfg(unix)]
fn link(target: &Path, link: &Path) -> std::io::Result<()> {
    std::os::unix::fs::symlink(target, link)
}

#[cfg(not(unix))]
fn link(_: &Path, _: &Path) -> std::io::Result<()> {
    Err(std::io::Error::other("not on this system"))
}

#[test]
fn a_missing_file_is_an_error_with_its_name() {
    let input = Input::Path("/no/such/file.diff".into());
    let error = read(&[input], &ReadOptions::default())
        .next()
        .unwrap()
        .unwrap_err();
    assert_eq!(error.id.0, "file");
    assert!(
        error
            .to_string()
            .starts_with("/no/such/file.diff:1: cannot be read: "),
        "{error}"
    );
}
