//! Helpers shared by the tests.
#![allow(dead_code)] // each test file uses a part

use std::path::Path;
use std::process::{Command, Output};

use braid_variants::{
    Applied, ApplyError, FileState, Input, MemTree, Patch, PatchReadError, ReadOptions, RelPath,
    apply, read,
};

/// Reads patches from bytes.
pub(crate) fn read_bytes(
    name: &str,
    data: impl Into<Vec<u8>>,
) -> Vec<Result<Patch, PatchReadError>> {
    let input = Input::Bytes {
        name: name.to_owned(),
        data: data.into(),
    };
    read(&[input], &ReadOptions::default()).collect()
}

/// Reads exactly one patch.
pub(crate) fn one(name: &str, data: impl Into<Vec<u8>>) -> Patch {
    let mut all = read_bytes(name, data);
    assert_eq!(all.len(), 1, "expected one patch");
    match all.remove(0) {
        Ok(patch) => patch,
        Err(error) => panic!("{error}"),
    }
}

/// The message for the only patch, which cannot be read.
pub(crate) fn refusal(name: &str, data: impl Into<Vec<u8>>) -> String {
    let mut all = read_bytes(name, data);
    assert_eq!(all.len(), 1, "expected one patch");
    all.remove(0).expect_err("expected a refusal").to_string()
}

/// Applies a diff to one file.
pub(crate) fn patch_file(path: &str, old: &[u8], diff: &str) -> Result<Applied, ApplyError> {
    let tree = MemTree::new([(path, old)]).unwrap();
    apply(&one("p.diff", diff), &tree)
}

/// What `path` is after the patch; `None` if deleted.
pub(crate) fn content(applied: &Applied, path: &str) -> Option<Vec<u8>> {
    match applied.files.get(&RelPath::new(path).unwrap()) {
        Some(FileState::Write(content)) => Some(content.clone()),
        Some(FileState::Delete) => None,
        None => panic!(
            "{path} is unchanged; changed are {:?}",
            applied.files.keys()
        ),
    }
}

/// What `path` is after the patch, as text.
pub(crate) fn text(applied: &Applied, path: &str) -> String {
    String::from_utf8(content(applied, path).expect("deleted")).unwrap()
}

/// The notes, one a line.
pub(crate) fn notes(applied: &Applied) -> String {
    applied
        .notes
        .iter()
        .map(|note| format!("{note}\n"))
        .collect()
}

/// Runs a tool; `None` with a printed reason if it is not installed.
pub(crate) fn tool(program: &str, args: &[&str], dir: &Path) -> Option<Output> {
    match Command::new(program)
        .args(args)
        .current_dir(dir)
        .env("LC_ALL", "C")
        .output()
    {
        Ok(output) => Some(output),
        Err(error) => {
            println!("skipped: {program} cannot be run: {error}");
            None
        }
    }
}

/// The smallest class file with that name.
pub(crate) fn class_file(name: &str) -> Vec<u8> {
    let mut out = vec![0xca, 0xfe, 0xba, 0xbe, 0, 0, 0, 52, 0, 5];
    for text in [name, "java/lang/Object"] {
        out.push(1);
        out.extend((text.len() as u16).to_be_bytes());
        out.extend(text.as_bytes());
    }
    out.extend([7, 0, 1, 7, 0, 2]);
    out.extend([0, 0x21, 0, 3, 0, 4, 0, 0, 0, 0, 0, 0, 0, 0]);
    out
}
