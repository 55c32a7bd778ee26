//! File headers: names as diffs write them, and git's extended header.

use super::Name;

/// A name from a `---` or `+++` line.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Side {
    /// `/dev/null`: the file does not exist on this side.
    Null,
    Path(String),
    /// A path dated to the epoch, as GNU diff -N does with files that do not exist. A real file may
    /// bear that date, so it means that only if this side of the hunk is empty.
    Epoch(String),
    /// Not UTF-8 or badly quoted.
    Bad(&'static str),
}

/// Reads what follows `--- ` or `+++ `: a path, perhaps quoted, perhaps with a time stamp.
pub(super) fn side(rest: &[u8]) -> Side {
    let rest = rest.trim_ascii_end();
    if rest.first() == Some(&b'"') {
        return match unquote(rest) {
            Some((path, _)) => path_side(&path),
            None => Side::Bad("the quoted path is not closed or has a bad escape"),
        };
    }
    let (path, stamp) = match memchr::memchr(b'\t', rest) {
        Some(tab) => (&rest[..tab], &rest[tab + 1..]),
        None => split_stamp(rest),
    };
    match path_side(path) {
        Side::Path(path)
            if stamp.starts_with(b"1970-01-01 ") || stamp.starts_with(b"1969-12-31 ") =>
        {
            Side::Epoch(path)
        }
        other => other,
    }
}

fn path_side(path: &[u8]) -> Side {
    match path.trim_ascii() {
        b"/dev/null" => Side::Null,
        b"" => Side::Bad("the path is empty"),
        path => match std::str::from_utf8(path) {
            Ok(path) => Side::Path(path.to_owned()),
            Err(_) => Side::Bad("the path is not valid UTF-8"),
        },
    }
}

/// Splits `path 2024-01-31 10:00:00…`, whose tab became spaces.
fn split_stamp(rest: &[u8]) -> (&[u8], &[u8]) {
    let digits = |range: &[u8]| range.iter().all(u8::is_ascii_digit);
    for at in memchr::memchr_iter(b' ', rest) {
        let stamp = &rest[at + 1..];
        if stamp.len() >= 16
            && digits(&stamp[..4])
            && stamp[4] == b'-'
            && digits(&stamp[5..7])
            && stamp[7] == b'-'
            && digits(&stamp[8..10])
            && stamp[10] == b' '
            && stamp[13] == b':'
        {
            return (&rest[..at], stamp);
        }
    }
    (rest, b"")
}

/// Decodes a C-style quoted string at the start of `text`; returns what follows it.
pub(super) fn unquote(text: &[u8]) -> Option<(Vec<u8>, &[u8])> {
    let mut out = Vec::new();
    let mut rest = text.strip_prefix(b"\"")?;
    loop {
        let (&byte, after) = rest.split_first()?;
        rest = after;
        match byte {
            b'"' => return Some((out, rest)),
            b'\\' => {
                let (&escape, after) = rest.split_first()?;
                rest = after;
                out.push(match escape {
                    b'a' => 7,
                    b'b' => 8,
                    b't' => b'\t',
                    b'n' => b'\n',
                    b'v' => 11,
                    b'f' => 12,
                    b'r' => b'\r',
                    b'"' | b'\\' => escape,
                    b'0'..=b'3' => {
                        let octal = |byte: &u8| (b'0'..=b'7').contains(byte);
                        let digits = rest.get(..2).filter(|two| two.iter().all(octal))?;
                        rest = &rest[2..];
                        (escape - b'0') * 64 + (digits[0] - b'0') * 8 + (digits[1] - b'0')
                    }
                    _ => return None,
                });
            }
            _ => out.push(byte),
        }
    }
}

/// The two names of a `diff --git` line, if it can be split in only one sensible way.
pub(super) fn git_names(rest: &[u8]) -> Option<(String, String)> {
    let rest = rest.trim_ascii_end();
    let (old, new) = if rest.first() == Some(&b'"') {
        let (old, after) = unquote(rest)?;
        (old, unquote_or_plain(after.trim_ascii_start())?)
    } else if rest.last() == Some(&b'"') {
        let at = memchr::memmem::find(rest, b" \"")?;
        (rest[..at].to_vec(), unquote(&rest[at + 1..])?.0)
    } else {
        // Both names are the same after their prefixes, so the blank is about in the middle.
        let same = |at: &usize| without_first(&rest[..*at]) == without_first(&rest[at + 1..]);
        let at = memchr::memchr_iter(b' ', rest).find(same)?;
        (rest[..at].to_vec(), rest[at + 1..].to_vec())
    };
    Some((String::from_utf8(old).ok()?, String::from_utf8(new).ok()?))
}

fn unquote_or_plain(text: &[u8]) -> Option<Vec<u8>> {
    match text.first() {
        Some(b'"') => Some(unquote(text)?.0),
        _ => Some(text.to_vec()),
    }
}

/// The name without `a/`, or the name itself if it has no such prefix.
fn without_first(name: &[u8]) -> &[u8] {
    match name {
        [_, b'/', rest @ ..] => rest,
        _ => name,
    }
}

/// Decides which prefixes are no part of the paths.
///
/// git writes `a/` and `b/`, or with `diff.mnemonicPrefix` one of `c/ i/ w/ o/ 1/ 2/`; other
/// tools write the plain path or two folders. A pair counts as prefixed if both have a prefix of
/// that kind and the same rest, or if one is absent and the other has `a/` or `b/`.
pub(super) fn names(old: Option<String>, new: Option<String>) -> (Option<Name>, Option<Name>) {
    let is_prefix = |name: &str| {
        matches!(
            name.as_bytes(),
            [
                b'a' | b'b' | b'c' | b'i' | b'w' | b'o' | b'1' | b'2',
                b'/',
                _,
                ..
            ]
        )
    };
    let is_ab = |name: &str| name.len() > 2 && (name.starts_with("a/") || name.starts_with("b/"));
    let prefixed = match (&old, &new) {
        (Some(old), Some(new)) => {
            is_prefix(old)
                && is_prefix(new)
                && (old.as_bytes()[0] != new.as_bytes()[0] || is_ab(old))
                && (old[2..] == new[2..] || (old.starts_with("a/") && new.starts_with("b/")))
        }
        (Some(name), None) | (None, Some(name)) => is_ab(name),
        (None, None) => false,
    };
    let prefix = if prefixed { 2 } else { 0 };
    let name = |text: String| Name { text, prefix };
    (old.map(name), new.map(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn path(text: &str) -> Side {
        Side::Path(text.to_owned())
    }

    #[test]
    fn names_are_read_with_stamps_quotes_and_spaces() {
        assert_eq!(side(b"a/A.java"), path("a/A.java"));
        assert_eq!(
            side(b"a/A.java\t2024-01-31 10:00:00.0 +0100"),
            path("a/A.java")
        );
        assert_eq!(
            side(b"a/A.java 2024-01-31 10:00:00.0 +0100"),
            path("a/A.java")
        );
        assert_eq!(side(b"a/with space.java\t"), path("a/with space.java"));
        assert_eq!(side(b"A.java\t(revision 12)"), path("A.java"));
        assert_eq!(side(b"\"a/\\303\\244\\t.java\""), path("a/\u{e4}\t.java"));
        assert_eq!(side(b"/dev/null\r"), Side::Null);
        let epoch = b"A.java\t1970-01-01 00:00:00.000000000 +0000";
        assert_eq!(side(epoch), Side::Epoch("A.java".to_owned()));
        assert!(matches!(side(b"\"a/x"), Side::Bad(_)));
        assert!(matches!(side(b"a/\xff"), Side::Bad(_)));
    }

    #[test]
    fn git_lines_are_split_even_with_spaces() {
        let split = |line: &str| git_names(line.as_bytes());
        let pair = |a: &str, b: &str| Some((a.to_owned(), b.to_owned()));
        assert_eq!(split("a/x y b/x y"), pair("a/x y", "b/x y"));
        assert_eq!(split("x x"), pair("x", "x"));
        assert_eq!(
            split("\"a/\\303\\244\" \"b/\\303\\244\""),
            pair("a/\u{e4}", "b/\u{e4}")
        );
        assert_eq!(split("nonsense"), None);
    }

    #[test]
    fn prefixes_are_recognised_only_in_pairs() {
        let strip = |old: Option<&str>, new: Option<&str>| {
            let (old, new) = names(old.map(str::to_owned), new.map(str::to_owned));
            new.or(old).map(|name| name.stripped().to_owned()).unwrap()
        };
        assert_eq!(strip(Some("a/x/A"), Some("b/x/A")), "x/A");
        assert_eq!(strip(Some("i/x/A"), Some("w/x/A")), "x/A");
        assert_eq!(strip(Some("x/A"), Some("x/A")), "x/A");
        assert_eq!(strip(Some("w/A"), Some("w/A")), "w/A");
        assert_eq!(strip(None, Some("b/x/A")), "x/A");
        assert_eq!(strip(Some("src/A"), None), "src/A");
    }
}
