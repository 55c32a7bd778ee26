//! Words of a line, plain or quoted.

use braid_classfile::{JStr, encode_utf16};

use crate::{Error, Result};

/// A line cut into words.
pub(crate) struct Words {
    pub(crate) line: usize,
    words: Vec<String>,
    next: usize,
}

impl Words {
    /// Cuts a line; a comment is left out. Quoted words lose their quotes but stay escaped.
    pub(crate) fn of(line: usize, text: &str) -> Result<Words> {
        let mut words = Vec::new();
        let mut rest = text.trim_start();
        while !rest.is_empty() && !rest.starts_with('#') {
            let end = if rest.starts_with('"') {
                quoted_end(rest).ok_or_else(|| syntax(line, "a quoted word does not end"))?
            } else {
                rest.find(char::is_whitespace).unwrap_or(rest.len())
            };
            words.push(rest[..end].to_owned());
            rest = rest[end..].trim_start();
        }
        Ok(Words {
            line,
            words,
            next: 0,
        })
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.next == self.words.len()
    }

    /// The words not yet taken.
    pub(crate) fn rest(&self) -> &[String] {
        &self.words[self.next..]
    }

    pub(crate) fn peek(&self) -> Option<&str> {
        self.words.get(self.next).map(String::as_str)
    }

    /// The next word as it stands.
    pub(crate) fn word(&mut self, what: &str) -> Result<String> {
        match self.words.get(self.next) {
            Some(word) => {
                self.next += 1;
                Ok(word.clone())
            }
            None => Err(self.error(format!("{what} is missing"))),
        }
    }

    /// Takes the next word if it is this one.
    pub(crate) fn take(&mut self, word: &str) -> bool {
        let same = self.peek() == Some(word);
        self.next += usize::from(same);
        same
    }

    /// The next word as a name, in modified UTF-8.
    pub(crate) fn name(&mut self, what: &str) -> Result<Vec<u8>> {
        let word = self.word(what)?;
        unquote(&word).ok_or_else(|| self.error(format!("malformed {what} {word}")))
    }

    /// The next word as a number.
    pub(crate) fn number<T: std::str::FromStr>(&mut self, what: &str) -> Result<T> {
        let word = self.word(what)?;
        word.parse()
            .map_err(|_| self.error(format!("{what} {word:?} is no fitting number")))
    }

    /// An error unless all words were taken.
    pub(crate) fn end(&self) -> Result<()> {
        match self.peek() {
            None => Ok(()),
            Some(word) => Err(self.error(format!("{word:?} is one word too many"))),
        }
    }

    pub(crate) fn error(&self, message: impl Into<String>) -> Error {
        syntax(self.line, message)
    }
}

pub(crate) fn syntax(line: usize, message: impl Into<String>) -> Error {
    let message = message.into();
    Error::Syntax { line, message }
}

/// Bytes up to and including the closing quote.
fn quoted_end(text: &str) -> Option<usize> {
    let mut escaped = false;
    for (at, c) in text.char_indices().skip(1) {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '"' => return Some(at + 1),
            _ => {}
        }
    }
    None
}

/// A word in modified UTF-8.
pub(crate) fn unquote(word: &str) -> Option<Vec<u8>> {
    let Some(inner) = word.strip_prefix('"') else {
        return Some(encode_utf16(word.encode_utf16()));
    };
    let inner = inner.strip_suffix('"')?;
    let mut units = Vec::new();
    let mut chars = inner.chars();
    while let Some(c) = chars.next() {
        if c != '\\' {
            units.extend(c.encode_utf16(&mut [0; 2]).iter());
            continue;
        }
        units.push(match chars.next()? {
            'n' => u16::from(b'\n'),
            't' => u16::from(b'\t'),
            'r' => u16::from(b'\r'),
            'u' => {
                let digits: String = chars.by_ref().take(4).collect();
                u16::from_str_radix(&digits, 16)
                    .ok()
                    .filter(|_| digits.len() == 4)?
            }
            other => u16::try_from(u32::from(other)).ok()?,
        });
    }
    Some(encode_utf16(units))
}

/// A text in quotes.
pub(crate) fn quote(text: JStr<'_>) -> String {
    let mut out = String::from("\"");
    for decoded in char::decode_utf16(text.to_utf16()) {
        match decoded {
            Ok('"') => out.push_str("\\\""),
            Ok('\\') => out.push_str("\\\\"),
            Ok('\n') => out.push_str("\\n"),
            Ok('\t') => out.push_str("\\t"),
            Ok('\r') => out.push_str("\\r"),
            Ok(c) if c < ' ' || c == '\u{7f}' => out.push_str(&format!("\\u{:04x}", c as u32)),
            Ok(c) => out.push(c),
            Err(lone) => out.push_str(&format!("\\u{:04x}", lone.unpaired_surrogate())),
        }
    }
    out.push('"');
    out
}

/// A name as a word, in quotes only where it must be.
pub(crate) fn name(text: JStr<'_>) -> String {
    match text.as_str() {
        Some(plain)
            if !plain.is_empty()
                && !plain.starts_with(['"', '#'])
                && !plain.chars().any(|c| c.is_whitespace() || c.is_control()) =>
        {
            plain.to_owned()
        }
        _ => quote(text),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_text_survives_quoting() {
        for units in [
            vec![0xd800, 0x20, 0x22],
            vec![0, 10, 0x5c],
            vec![0xd83d, 0xde00],
        ] {
            let bytes = encode_utf16(units);
            let quoted = quote(JStr::new(&bytes));
            assert_eq!(unquote(&quoted), Some(bytes));
            assert_eq!(Words::of(1, &quoted).unwrap().rest().len(), 1);
        }
    }

    #[test]
    fn comments_end_a_line_but_not_inside_quotes() {
        let words = Words::of(1, "a \"b # c\" # d").unwrap();
        assert_eq!(words.rest(), ["a", "\"b # c\""]);
        assert!(Words::of(1, "\"open").is_err());
    }
}
