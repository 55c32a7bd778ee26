//! Methods and constructors to replace.

use std::ops::Range;

use super::text::{line_ending, with_line_ending};
use super::work::Work;
use crate::java::{Signature, TypeDecl, Unit, normal_class_name};
use crate::{ApplyError, MethodSource, RelPath};

/// Replaces each method, in order, in the result of those before it.
pub(crate) fn apply(work: &mut Work<'_>, methods: &[MethodSource]) -> Result<(), ApplyError> {
    for method in methods {
        replace(work, method)?;
    }
    Ok(())
}

fn replace(work: &mut Work<'_>, method: &MethodSource) -> Result<(), ApplyError> {
    let (path, content, decl) = find_class(work, &method.class)?;
    let range = find_method(&decl, method)?;
    let source = work.encoded(&path, &content, method.source.trim().as_bytes())?;
    if source.is_empty() || source.starts_with(b"{") {
        let what = "`method.source` must be the full text of the method with its header";
        return Err(ApplyError::Range {
            path,
            what: what.to_owned(),
        });
    }
    let mut out = content[..range.start].to_vec();
    out.extend(with_line_ending(&source, line_ending(&content)));
    out.extend_from_slice(&content[range.end..]);
    work.write(path, out);
    Ok(())
}

/// The bytes that the new text replaces: the method, and its documentation comment if the new
/// text brings its own.
fn find_method(decl: &TypeDecl, wanted: &MethodSource) -> Result<Range<usize>, ApplyError> {
    let (class, signature) = (wanted.class.clone(), wanted.signature.clone());
    let found = Signature::parse(&wanted.signature).find(decl);
    match found[..] {
        [method] => {
            let own_comment = wanted.source.trim_start().starts_with("/*");
            let start = match &method.comment {
                Some(comment) if own_comment => comment.start,
                _ => method.range.start,
            };
            Ok(start..method.range.end)
        }
        [] => {
            let candidates = decl
                .methods
                .iter()
                .map(|method| method.to_string())
                .collect();
            Err(ApplyError::NoMethod {
                class,
                signature,
                candidates,
            })
        }
        ref several => {
            let candidates = several.iter().map(|method| method.to_string()).collect();
            Err(ApplyError::AmbiguousMethod {
                class,
                signature,
                candidates,
            })
        }
    }
}

/// The file that declares `class`, its content and the declaration.
fn find_class(work: &Work<'_>, class: &str) -> Result<(RelPath, Vec<u8>, TypeDecl), ApplyError> {
    let name = normal_class_name(class);
    let index = work.tree().java_files().map_err(ApplyError::List)?;
    let mut files: Vec<RelPath> = Vec::new();
    // Any component may be the top-level class, and so name the file.
    let parts: Vec<&str> = name.split('.').collect();
    for top in (0..parts.len()).rev() {
        let suffix = format!("{}.java", parts[..=top].join("/"));
        files.extend(index.ending(&suffix).into_iter().cloned());
    }
    files.sort_unstable();
    files.dedup();
    let mut found = declared_in(work, &files, &name)?;
    if found.is_empty() {
        found = declared_in(work, index.files(), &name)?;
    }
    match found.len() {
        0 => Err(no_class(class, &index)),
        1 => Ok(found.remove(0)),
        _ => Err(ApplyError::AmbiguousFile {
            name: class.to_owned(),
            candidates: found.iter().map(|(path, ..)| path.to_string()).collect(),
        }),
    }
}

/// The files among `files` that declare the class `name`.
fn declared_in(
    work: &Work<'_>,
    files: &[RelPath],
    name: &str,
) -> Result<Vec<(RelPath, Vec<u8>, TypeDecl)>, ApplyError> {
    let simple = name.rsplit('.').next().unwrap_or(name);
    let mut out = Vec::new();
    for path in files {
        let Some(content) = work.read(path)? else {
            continue;
        };
        if memchr::memmem::find(&content, simple.as_bytes()).is_none() {
            continue;
        }
        if let Some(decl) = Unit::parse(&content).into_type(name) {
            out.push((path.clone(), content, decl));
        }
    }
    Ok(out)
}

fn no_class(class: &str, index: &crate::JavaIndex) -> ApplyError {
    let name = normal_class_name(class);
    let near = name
        .split('.')
        .rev()
        .find_map(|part| index.named(&format!("{part}.java")).first());
    let hint = match near {
        Some(path) => format!(" ({path} has no such class)"),
        None => String::new(),
    };
    ApplyError::NoClass {
        class: class.to_owned(),
        hint,
    }
}
