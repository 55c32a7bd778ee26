//! Diffs: files changed, created, deleted, renamed and copied.

use super::hunks::{created, patched};
use super::work::{Work, safe};
use crate::diff::{Diff, FileDiff, Name, Operation};
use crate::{ApplyError, ApplyNote, RelPath};

/// Carries out the parts of `diff` in order; a file may occur more than once.
pub(crate) fn apply(work: &mut Work<'_>, diff: &Diff) -> Result<(), ApplyError> {
    // Where the existing files were found tells where new ones belong.
    let mut stripped = None;
    let (existing, new): (Vec<_>, Vec<_>) =
        (0..diff.files.len()).partition(|&at| diff.files[at].operation != Operation::Create);
    let in_order = repeats(diff);
    let order: Vec<_> = if in_order {
        (0..diff.files.len()).collect()
    } else {
        [existing, new].concat()
    };
    for at in order {
        let file = &diff.files[at];
        let used = one(work, diff, file, stripped)?;
        stripped = stripped.or(used);
    }
    Ok(())
}

/// Whether some path occurs twice, so that the order of the parts matters.
fn repeats(diff: &Diff) -> bool {
    let mut names: Vec<_> = diff.paths().collect();
    names.sort_unstable();
    let pairs = diff
        .files
        .iter()
        .filter(|file| match (&file.old, &file.new) {
            (Some(old), Some(new)) => old.stripped() == new.stripped(),
            _ => false,
        });
    names.len() - pairs.count() != {
        names.dedup();
        names.len()
    }
}

/// Carries out one part. Tells how many leading folders of its name were no part of the path.
fn one(
    work: &mut Work<'_>,
    diff: &Diff,
    file: &FileDiff,
    stripped: Option<usize>,
) -> Result<Option<usize>, ApplyError> {
    let (Some(from), operation) = (file.old.as_ref().or(file.new.as_ref()), file.operation) else {
        return Ok(None);
    };
    if operation == Operation::Create {
        let path = new_path(work, file.new.as_ref().unwrap_or(from), stripped)?;
        refuse_existing(work, &path)?;
        let content = created(work, diff, file, &path)?;
        work.write(path, content);
        return Ok(None);
    }
    let found = match work.find(&from.text, from.prefix) {
        Err(error @ ApplyError::Missing { .. }) => other_name(work, file).ok_or(error)?,
        found => found?,
    };
    let path = found.path;
    let content = work.require(&path)?;
    let after = patched(work, diff, file, &path, &content)?;
    if file.mode_changed {
        work.note(ApplyNote::Mode { path: path.clone() });
    }
    match operation {
        Operation::Delete => delete(work, file, path, &after)?,
        Operation::Rename | Operation::Copy => {
            let name = file.new.as_ref().unwrap_or(from);
            let target = new_path(work, name, Some(found.stripped))?;
            if target != path {
                refuse_existing(work, &target)?;
                if operation == Operation::Rename {
                    work.delete(path);
                }
            }
            work.write(target, after);
        }
        Operation::Modify | Operation::Create => work.write(path, after),
    }
    Ok(Some(found.stripped))
}

/// `diff -u old/A.java.orig new/A.java`: the file may exist under its new name only.
fn other_name(work: &mut Work<'_>, file: &FileDiff) -> Option<super::work::Found> {
    let new = file.new.as_ref()?;
    work.find(&new.text, new.prefix).ok()
}

fn delete(
    work: &mut Work<'_>,
    file: &FileDiff,
    path: RelPath,
    after: &[u8],
) -> Result<(), ApplyError> {
    // git leaves the lines out with --irreversible-delete.
    if !after.is_empty() && !file.hunks.is_empty() {
        let what = "the diff deletes this file, but the file has more lines than the diff removes";
        return Err(ApplyError::Mismatch {
            path,
            what: what.to_owned(),
        });
    }
    work.delete(path);
    Ok(())
}

fn refuse_existing(work: &Work<'_>, path: &RelPath) -> Result<(), ApplyError> {
    match work.read(path)? {
        Some(_) => Err(ApplyError::Exists { path: path.clone() }),
        None => Ok(()),
    }
}

/// Where a file that does not exist yet goes: as many leading folders are dropped as with the
/// files that exist.
fn new_path(
    work: &mut Work<'_>,
    name: &Name,
    stripped: Option<usize>,
) -> Result<RelPath, ApplyError> {
    safe(&name.text)?;
    let plain = safe(name.stripped())?;
    let prefix = usize::from(name.prefix > 0);
    let extra = stripped.unwrap_or(prefix).saturating_sub(prefix);
    let rest = plain.as_str().splitn(extra + 1, '/').nth(extra);
    let path = safe(rest.unwrap_or(plain.as_str()))?;
    work.note_path(&plain, &path);
    Ok(path)
}
