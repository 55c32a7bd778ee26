//! Diffs inside Markdown, as language models answer.

use super::parse::looks_like_diff;

/// The fenced blocks that hold diffs, joined, with everything else blanked so that line numbers
/// stay those of the input. `None` if no fenced block looks like a diff.
///
/// A fence is a line of three or more backticks or tildes at the very start of the line: in a diff
/// of a Markdown file the fences have a prefix and are not taken for one.
pub(crate) fn unfence(text: &[u8]) -> Option<Vec<u8>> {
    if memchr::memmem::find(text, b"```").is_none() && memchr::memmem::find(text, b"~~~").is_none()
    {
        return None;
    }
    let mut out = Vec::with_capacity(text.len());
    let mut block: Option<(usize, usize)> = None;
    let mut found = false;
    let mut at = 0;
    while at < text.len() {
        let end = memchr::memchr(b'\n', &text[at..]).map_or(text.len(), |len| at + len + 1);
        let line = text[at..end].trim_ascii_end();
        let fence = fence_len(line);
        match block {
            None if fence >= 3 => {
                out.push(b'\n');
                block = Some((end, fence));
            }
            None => out.push(b'\n'),
            Some((start, opening)) if fence >= opening && line.len() == fence => {
                found |= keep(&text[start..at], &mut out);
                out.push(b'\n');
                block = None;
            }
            Some(_) => {}
        }
        at = end;
    }
    if let Some((start, _)) = block {
        // An answer cut off before its closing fence: its diff is taken as far as it goes, and the hunk
        // parser decides whether it is complete.
        found |= keep(&text[start..], &mut out);
    }
    found.then_some(out)
}

/// Length of the run of backticks or tildes that `line` starts with.
fn fence_len(line: &[u8]) -> usize {
    match line.first() {
        Some(&mark @ (b'`' | b'~')) => line.iter().take_while(|&&byte| byte == mark).count(),
        _ => 0,
    }
}

/// Appends the block if it looks like a diff, else as many empty lines.
fn keep(block: &[u8], out: &mut Vec<u8>) -> bool {
    let is_diff = looks_like_diff(block);
    if is_diff {
        out.extend_from_slice(block);
    } else {
        out.extend(memchr::memchr_iter(b'\n', block).map(|_| b'\n'));
    }
    is_diff
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_fenced_diffs_are_kept_at_their_lines() {
        let text = "Here:\n```java\nint x;\n```\nand\n```diff\n--- a/A\n+++ b/A\n@@ -1 +1 @@\n-a\n+b\n```\nbye\n";
        let out = String::from_utf8(unfence(text.as_bytes()).unwrap()).unwrap();
        assert_eq!(
            out,
            "\n\n\n\n\n\n--- a/A\n+++ b/A\n@@ -1 +1 @@\n-a\n+b\n\n\n"
        );
    }

    #[test]
    fn text_without_fenced_diffs_is_left_alone() {
        assert!(unfence(b"--- a\n+++ b\n@@ -1 +1 @@\n-```\n+x\n").is_none());
        assert!(unfence(b"```\nprose\n```\n").is_none());
    }
}
