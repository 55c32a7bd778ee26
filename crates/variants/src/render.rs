//! What a patch really changed, as a git-style diff.

use std::collections::{BTreeMap, HashMap};
use std::fmt::Write;

use imara_diff::{Algorithm, Diff, InternedInput, Token};

use crate::apply::text::FileLines;
use crate::diff::Eol;
use crate::{FileState, RelPath};

/// Lines of context around a change.
const CONTEXT: u32 = 3;

/// The diff from `originals` to `files`, and a line for each class.
pub(crate) fn render(
    files: &BTreeMap<RelPath, FileState>,
    originals: &BTreeMap<RelPath, Option<Vec<u8>>>,
    classes: &BTreeMap<String, Vec<u8>>,
) -> String {
    let mut out = String::new();
    for (path, state) in files {
        let old = originals.get(path).and_then(Option::as_deref);
        let new = match state {
            FileState::Write(content) => Some(content.as_slice()),
            FileState::Delete => None,
        };
        file(&mut out, path, old, new);
    }
    for (name, bytes) in classes {
        let hash = blake3::hash(bytes).to_hex();
        // Writing to a string cannot fail.
        let _ = writeln!(
            out,
            "class file {name} ({} bytes, blake3 {})",
            bytes.len(),
            &hash[..16]
        );
    }
    out
}

fn file(out: &mut String, path: &RelPath, old: Option<&[u8]>, new: Option<&[u8]>) {
    let _ = writeln!(out, "diff --git a/{path} b/{path}");
    if old.is_none() {
        out.push_str("new file mode 100644\n");
    }
    if new.is_none() {
        out.push_str("deleted file mode 100644\n");
    }
    let (before, after) = (old.unwrap_or(b""), new.unwrap_or(b""));
    if before == after {
        return;
    }
    let _ = match old {
        Some(_) => writeln!(out, "--- a/{path}"),
        None => writeln!(out, "--- /dev/null"),
    };
    let _ = match new {
        Some(_) => writeln!(out, "+++ b/{path}"),
        None => writeln!(out, "+++ /dev/null"),
    };
    hunks(out, before, after);
}

/// One change: the lines removed and those added.
type Change = imara_diff::Hunk;

fn hunks(out: &mut String, before: &[u8], after: &[u8]) {
    let (old, new) = (FileLines::new(before), FileLines::new(after));
    let mut group: Vec<Change> = Vec::new();
    for change in changes(before, after) {
        if let Some(last) = group.last()
            && change.before.start > last.before.end + 2 * CONTEXT
        {
            print(out, &old, &new, &group);
            group.clear();
        }
        group.push(change);
    }
    if !group.is_empty() {
        print(out, &old, &new, &group);
    }
}

/// What differs, in order.
fn changes(before: &[u8], after: &[u8]) -> Vec<Change> {
    let input = InternedInput::new(before, after);
    if is_slow(&input.before, &input.after) || is_slow(&input.after, &input.before) {
        return vec![middle(&input.before, &input.after)];
    }
    // The histogram algorithm takes quadratic time on large files with many changes.
    let mut diff = Diff::compute(Algorithm::Myers, &input);
    diff.postprocess_lines(&input);
    diff.hunks().collect()
}

/// Whether the diff library would take long: it looks at every line between two that are neither
/// frequent nor missing in the other file, once for each of them.
fn is_slow(file: &[Token], other: &[Token]) -> bool {
    const MOST: u64 = 1_000_000_000;
    let mut counts = HashMap::new();
    for token in other {
        *counts.entry(*token).or_insert(0usize) += 1;
    }
    let frequent = file.len().isqrt().min(1024);
    let (mut run, mut cost) = (0u64, 0u64);
    for token in file {
        let count = counts.get(token).copied().unwrap_or(0);
        run = if count == 0 || count >= frequent {
            run + 1
        } else {
            0
        };
        cost += run;
    }
    cost > MOST
}

/// Everything between the first and the last difference.
fn middle(before: &[Token], after: &[Token]) -> Change {
    let same = |pair: &(&Token, &Token)| pair.0 == pair.1;
    let start = before.iter().zip(after).take_while(same).count();
    let rest = before[start..]
        .iter()
        .rev()
        .zip(after[start..].iter().rev());
    let end = rest.take_while(same).count();
    let range = |len: usize| start as u32..(len - end) as u32;
    Change {
        before: range(before.len()),
        after: range(after.len()),
    }
}

/// Prints changes that are close together as one hunk.
fn print(out: &mut String, old: &FileLines<'_>, new: &FileLines<'_>, group: &[Change]) {
    let (first, last) = (&group[0], &group[group.len() - 1]);
    let lead = CONTEXT.min(first.before.start);
    let trail = CONTEXT.min(old.len() as u32 - last.before.end);
    let before = first.before.start - lead..last.before.end + trail;
    let after = first.after.start - lead..last.after.end + trail;
    let range = |range: &std::ops::Range<u32>| {
        let len = range.end - range.start;
        let start = if len == 0 {
            range.start
        } else {
            range.start + 1
        };
        if len == 1 {
            start.to_string()
        } else {
            format!("{start},{len}")
        }
    };
    let _ = writeln!(out, "@@ -{} +{} @@", range(&before), range(&after));
    let mut at = before.start;
    for change in group {
        lines(out, ' ', old, at..change.before.start);
        lines(out, '-', old, change.before.clone());
        lines(out, '+', new, change.after.clone());
        at = change.before.end;
    }
    lines(out, ' ', old, at..before.end);
}

fn lines(out: &mut String, prefix: char, file: &FileLines<'_>, range: std::ops::Range<u32>) {
    for at in range {
        let (content, eol) = file.get(at as usize);
        out.push(prefix);
        push_text(out, content);
        out.push_str(match eol {
            Eol::Lf => "\n",
            Eol::CrLf => "\r\n",
            Eol::None => "\n\\ No newline at end of file\n",
        });
    }
}

/// Appends UTF-8 as it is, anything else as Latin-1.
fn push_text(out: &mut String, bytes: &[u8]) {
    match std::str::from_utf8(bytes) {
        Ok(text) => out.push_str(text),
        Err(_) => out.extend(bytes.iter().map(|&byte| char::from(byte))),
    }
}
