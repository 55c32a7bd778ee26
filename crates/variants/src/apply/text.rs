//! Files as lines, and patch text in the encoding of the file it goes to.

use std::borrow::Cow;

use encoding_rs::{EncoderResult, Encoding, UTF_8, WINDOWS_1252};

use crate::diff::Eol;

/// The lines of a file.
pub(crate) struct FileLines<'a> {
    text: &'a [u8],
    /// Start of each line; one more for the end.
    starts: Vec<usize>,
}

impl<'a> FileLines<'a> {
    pub(crate) fn new(text: &'a [u8]) -> Self {
        let mut starts = vec![0];
        starts.extend(memchr::memchr_iter(b'\n', text).map(|newline| newline + 1));
        if !text.ends_with(b"\n") && !text.is_empty() {
            starts.push(text.len());
        }
        Self { text, starts }
    }

    pub(crate) fn len(&self) -> usize {
        self.starts.len() - 1
    }

    /// Line `at`, from 0, with its ending.
    pub(crate) fn full(&self, at: usize) -> &'a [u8] {
        &self.text[self.starts[at]..self.starts[at + 1]]
    }

    /// Line `at`, from 0, without its ending, and the ending.
    pub(crate) fn get(&self, at: usize) -> (&'a [u8], Eol) {
        split_eol(self.full(at))
    }

    /// Every line without its ending.
    pub(crate) fn all(&self) -> impl Iterator<Item = &'a [u8]> {
        (0..self.len()).map(|at| self.get(at).0)
    }

    /// Lines `from..to` with their endings.
    pub(crate) fn between(&self, from: usize, to: usize) -> &'a [u8] {
        &self.text[self.starts[from]..self.starts[to]]
    }

    /// Where line `at` starts; the length of the text for the line after the last.
    pub(crate) fn start(&self, at: usize) -> usize {
        self.starts[at]
    }

    /// The line, from 1, in which the byte at `offset` is.
    pub(crate) fn number_at(&self, offset: usize) -> usize {
        self.starts
            .partition_point(|&start| start <= offset)
            .clamp(1, self.len().max(1))
    }
}

/// A line without its ending, and the ending.
pub(crate) fn split_eol(line: &[u8]) -> (&[u8], Eol) {
    match line {
        [content @ .., b'\r', b'\n'] => (content, Eol::CrLf),
        [content @ .., b'\n'] => (content, Eol::Lf),
        content => (content, Eol::None),
    }
}

/// How most lines of `text` end; `\n` if there are none.
pub(crate) fn line_ending(text: &[u8]) -> Eol {
    let (mut lf, mut crlf) = (0usize, 0usize);
    for newline in memchr::memchr_iter(b'\n', text) {
        if newline > 0 && text[newline - 1] == b'\r' {
            crlf += 1;
        } else {
            lf += 1;
        }
    }
    if crlf > lf { Eol::CrLf } else { Eol::Lf }
}

/// `text` with every line ending replaced by `eol`.
pub(crate) fn with_line_ending(text: &[u8], eol: Eol) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len() + text.len() / 16);
    for line in text.split_inclusive(|&byte| byte == b'\n') {
        let (content, ending) = split_eol(line);
        out.extend_from_slice(content);
        out.extend_from_slice(if ending == Eol::None {
            b""
        } else {
            eol.bytes()
        });
    }
    out
}

/// The encoding to which patch text must be converted for a file, if it is not UTF-8 (or ASCII).
///
/// A file that is not valid UTF-8 is in the project's encoding, or in Windows-1252 where that is
/// not known. A file of ASCII alone, or a new one, is in the project's encoding, too.
pub(crate) fn encoding_of(file: &[u8], project: Option<&str>) -> Option<&'static Encoding> {
    let project = project.and_then(|label| Encoding::for_label(label.as_bytes()));
    let project = project.filter(|&encoding| encoding != UTF_8 && encoding.is_ascii_compatible());
    if file.is_ascii() {
        project
    } else if std::str::from_utf8(file).is_ok() {
        None
    } else {
        Some(project.unwrap_or(WINDOWS_1252))
    }
}

/// Converts `text`, unchanged if it is ASCII or not UTF-8 (then it is in the file's encoding
/// already). Fails with the first character that the encoding does not have.
pub(crate) fn encode<'a>(
    text: &'a [u8],
    encoding: Option<&'static Encoding>,
) -> Result<Cow<'a, [u8]>, char> {
    let Some(encoding) = encoding else {
        return Ok(Cow::Borrowed(text));
    };
    if text.is_ascii() {
        return Ok(Cow::Borrowed(text));
    }
    let Ok(mut rest) = std::str::from_utf8(text) else {
        return Ok(Cow::Borrowed(text));
    };
    let mut out = Vec::with_capacity(text.len());
    let mut encoder = encoding.new_encoder();
    let mut buffer = [0; 1024];
    loop {
        let (result, read, written) =
            encoder.encode_from_utf8_without_replacement(rest, &mut buffer, true);
        out.extend_from_slice(&buffer[..written]);
        rest = &rest[read..];
        match result {
            EncoderResult::InputEmpty => return Ok(Cow::Owned(out)),
            EncoderResult::OutputFull => {}
            // Latin-1 proper has control characters where Windows-1252 has letters or nothing.
            EncoderResult::Unmappable(c @ '\u{80}'..='\u{9f}') if encoding == WINDOWS_1252 => {
                out.push(c as u8);
            }
            EncoderResult::Unmappable(character) => return Err(character),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_keep_their_endings() {
        let lines = FileLines::new(b"a\r\nb\n\nc");
        assert_eq!(lines.len(), 4);
        assert_eq!(lines.get(0), (&b"a"[..], Eol::CrLf));
        assert_eq!(lines.get(2), (&b""[..], Eol::Lf));
        assert_eq!(lines.get(3), (&b"c"[..], Eol::None));
        assert_eq!(FileLines::new(b"").len(), 0);
        assert_eq!(lines.number_at(3), 2);
    }

    #[test]
    fn patch_text_is_converted_only_for_files_that_are_not_utf8() {
        assert_eq!(encoding_of("ä".as_bytes(), Some("ISO-8859-1")), None);
        assert_eq!(encoding_of(b"\xe4", None), Some(WINDOWS_1252));
        assert_eq!(encoding_of(b"a", Some("UTF-8")), None);
        let latin = encoding_of(b"a", Some("ISO-8859-1"));
        assert_eq!(&*encode("xä".as_bytes(), latin).unwrap(), b"x\xe4");
        assert_eq!(&*encode("\u{85}".as_bytes(), latin).unwrap(), b"\x85");
        assert_eq!(encode("日".as_bytes(), latin), Err('日'));
        assert_eq!(&*encode(b"\xe4", latin).unwrap(), b"\xe4");
        let long = "é".repeat(5000);
        assert_eq!(encode(long.as_bytes(), latin).unwrap().len(), 5000);
    }
}
