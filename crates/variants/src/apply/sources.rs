//! Whole source files, put where the project has them.

use std::collections::BTreeSet;

use super::text::{line_ending, with_line_ending};
use super::work::Work;
use crate::diff::Eol;
use crate::java::package_of;
use crate::{ApplyError, ApplyNote, RelPath, SourceFile};

/// Writes every file: at its own path if the project has that, else over the file of the same
/// package and name, else (a new file) beside its package.
pub(crate) fn apply(work: &mut Work<'_>, files: &[SourceFile]) -> Result<(), ApplyError> {
    let mut new = Vec::new();
    // What the known files add before their path below the patch's folder.
    let mut roots = BTreeSet::new();
    for file in files {
        match existing(work, file)? {
            Some(path) => {
                if let Some(root) = path.as_str().strip_suffix(file.path.as_str()) {
                    roots.insert(root.to_owned());
                }
                work.note_path(&file.path, &path);
                work.write(path, file.content.clone());
            }
            None => new.push(file),
        }
    }
    for file in new {
        let path = new_place(work, file, &roots)?;
        work.note_path(&file.path, &path);
        work.write(path, file.content.clone());
    }
    Ok(())
}

/// The file of the project that `file` is a version of.
fn existing(work: &Work<'_>, file: &SourceFile) -> Result<Option<RelPath>, ApplyError> {
    if work.read(&file.path)?.is_some() {
        return Ok(Some(file.path.clone()));
    }
    if !file.path.is_java() {
        return Ok(None);
    }
    let index = work.tree().java_files().map_err(ApplyError::List)?;
    let suffix = package_path(file);
    let mut found = index.ending(&suffix);
    if found.len() > 1 {
        // The longest common tail decides, if it does: `core/src/…` against `web/src/…`.
        let longest = found.iter().map(|path| common_tail(path, &file.path)).max();
        found.retain(|path| Some(common_tail(path, &file.path)) == longest);
    }
    match found[..] {
        [] => Ok(None),
        [path] => Ok(Some(path.clone())),
        ref several => Err(ApplyError::AmbiguousFile {
            name: suffix,
            candidates: several.iter().map(ToString::to_string).collect(),
        }),
    }
}

/// `com/x/A.java` by the package that the file declares.
fn package_path(file: &SourceFile) -> String {
    let package = package_of(&file.content).replace('.', "/");
    let name = file.path.file_name();
    if package.is_empty() {
        name.to_owned()
    } else {
        format!("{package}/{name}")
    }
}

fn common_tail(a: &RelPath, b: &RelPath) -> usize {
    let (a, b) = (a.as_str().rsplit('/'), b.as_str().rsplit('/'));
    a.zip(b).take_while(|(a, b)| a == b).count()
}

/// Where a file goes that the project does not have.
fn new_place(
    work: &Work<'_>,
    file: &SourceFile,
    roots: &BTreeSet<String>,
) -> Result<RelPath, ApplyError> {
    let path = file.path.as_str();
    let suffix = package_path(file);
    let index = work.tree().java_files().map_err(ApplyError::List)?;
    if let Some(root) = path.strip_suffix(suffix.as_str())
        && !root.is_empty()
        && index
            .files()
            .iter()
            .any(|known| known.as_str().starts_with(root))
    {
        return Ok(file.path.clone());
    }
    let mut places = BTreeSet::new();
    for root in roots {
        places.insert(format!("{root}{path}"));
    }
    if places.is_empty() && file.path.is_java() {
        let package = suffix.rsplit_once('/').map_or("", |(package, _)| package);
        for known in index.files() {
            let folder = known.parent();
            if !package.is_empty()
                && (folder == package || folder.ends_with(&format!("/{package}")))
            {
                places.insert(format!("{folder}/{}", file.path.file_name()));
            }
        }
    }
    let mut places = places.into_iter();
    match (places.next(), places.next()) {
        (Some(place), None) => super::work::safe(&place),
        _ => Err(ApplyError::Missing {
            path: path.to_owned(),
            hint: "; to add a file, give it its full path below the patch's folder".to_owned(),
        }),
    }
}

/// A whole file given as text, in the encoding and with the line endings of the file it replaces.
pub(crate) fn converted(
    work: &mut Work<'_>,
    path: &RelPath,
    old: Option<&[u8]>,
    content: &[u8],
) -> Result<Vec<u8>, ApplyError> {
    let old = old.unwrap_or(b"");
    let content = work.encoded(path, old, content)?;
    let crlf = |text: &[u8]| memchr::memmem::find(text, b"\r\n").is_some();
    if line_ending(old) == Eol::CrLf && !crlf(&content) && content.contains(&b'\n') {
        work.note(ApplyNote::LineEndings { path: path.clone() });
        return Ok(with_line_ending(&content, Eol::CrLf));
    }
    Ok(content)
}
