//! What a patched file and its original have in common, so that only the difference is sent.

/// Common bytes at both ends, cut to whole lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Common {
    /// At the beginning.
    pub(crate) before: usize,
    /// At the end.
    pub(crate) after: usize,
}

/// Compares two files in a charset in which a line feed is one byte that stands for nothing else.
pub(crate) fn common_lines(old: &[u8], new: &[u8]) -> Common {
    let shorter = old.len().min(new.len());
    let before = common_prefix(old, new);
    let before = new[..before]
        .iter()
        .rposition(|byte| *byte == b'\n')
        .map_or(0, |at| at + 1);
    let limit = shorter - before;
    let after = common_suffix(&old[old.len() - limit..], &new[new.len() - limit..]);
    let starts_line = |text: &[u8]| {
        let start = text.len() - after;
        start == 0 || text[start - 1] == b'\n'
    };
    let after = if starts_line(old) && starts_line(new) {
        after
    } else {
        let tail = &new[new.len() - after..];
        let end = tail.iter().position(|byte| *byte == b'\n');
        end.map_or(0, |at| after - at - 1)
    };
    Common { before, after }
}

/// Whether [`common_lines`] may be used, and a position in bytes be turned into one in characters.
pub(crate) fn is_simple(encoding: &str) -> bool {
    let name = encoding.to_ascii_uppercase();
    let single = ["ISO-8859-", "ISO8859_", "WINDOWS-125", "CP125"];
    ["", "UTF-8", "UTF8", "US-ASCII", "ASCII", "LATIN1"].contains(&name.as_str())
        || single.iter().any(|prefix| name.starts_with(prefix))
}

const BLOCK: usize = 256;

fn common_prefix(old: &[u8], new: &[u8]) -> usize {
    let blocks = old.chunks_exact(BLOCK).zip(new.chunks_exact(BLOCK));
    let same = blocks.take_while(|(old, new)| old == new).count() * BLOCK;
    let rest = old[same..].iter().zip(&new[same..]);
    same + rest.take_while(|(old, new)| old == new).count()
}

fn common_suffix(old: &[u8], new: &[u8]) -> usize {
    let blocks = old.rchunks_exact(BLOCK).zip(new.rchunks_exact(BLOCK));
    let same = blocks.take_while(|(old, new)| old == new).count() * BLOCK;
    let rest = old[..old.len() - same]
        .iter()
        .rev()
        .zip(new[..new.len() - same].iter().rev());
    same + rest.take_while(|(old, new)| old == new).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(old: &str, new: &str, between: &str) {
        let Common { before, after } = common_lines(old.as_bytes(), new.as_bytes());
        assert_eq!(&new[before..new.len() - after], between);
        assert_eq!(old[..before], new[..before]);
        assert_eq!(old[old.len() - after..], new[new.len() - after..]);
        assert!(before + after <= old.len().min(new.len()));
    }

    #[test]
    fn the_difference_is_whole_lines() {
        check("a\nb\nc\n", "a\nbb\nc\n", "bb\n");
        check("a\nb\nc\n", "a\nb\nb\nc\n", "b\n");
        check("a\nb\nb\nc\n", "a\nb\nc\n", "");
        check("a\nb\nc", "a\nb\nd", "d");
        check("", "x\n", "x\n");
        check("x\n", "", "");
        check("same\n", "same\n", "");
    }

    #[test]
    fn long_common_parts_are_found() {
        let lines = |from: usize, to: usize| (from..to).map(|n| format!("line {n}\n")).collect();
        let (head, tail): (String, String) = (lines(0, 500), lines(500, 1000));
        check(
            &format!("{head}old\n{tail}"),
            &format!("{head}new\n{tail}"),
            "new\n",
        );
    }
}
