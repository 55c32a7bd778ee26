//! Strings as class files hold them: modified UTF-8, which may contain unpaired surrogates.

use std::borrow::Cow;
use std::fmt;

/// A string in modified UTF-8, borrowed from a class file.
///
/// Differs from UTF-8 in two ways: the character 0 takes two bytes, and characters beyond the
/// basic plane are two three-byte surrogates, which need not be paired. Nearly every name is
/// plain UTF-8 all the same, and [`JStr::as_str`] gives it without copying.
///
/// Comparison, order and hash are those of the bytes.
///
/// ```
/// use braid_classfile::JStr;
/// let name = JStr::from("java/lang/Object");
/// assert_eq!(name, "java/lang/Object");
/// assert_eq!(name.as_str(), Some("java/lang/Object"));
/// // An unpaired high surrogate is kept; it has no UTF-8 form.
/// let odd = JStr::new(&[0xed, 0xa0, 0x80]);
/// assert_eq!(odd.as_str(), None);
/// assert_eq!(odd.to_utf16(), vec![0xd800]);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct JStr<'a>(&'a [u8]);

impl<'a> JStr<'a> {
    /// Takes bytes as modified UTF-8, unchecked: malformed parts read as U+FFFD.
    pub const fn new(bytes: &'a [u8]) -> Self {
        JStr(bytes)
    }

    /// The bytes as they stand in the class file.
    pub const fn as_bytes(self) -> &'a [u8] {
        self.0
    }

    /// The text, if modified UTF-8 and UTF-8 agree on it (no character 0, none beyond U+FFFF).
    pub fn as_str(self) -> Option<&'a str> {
        std::str::from_utf8(self.0).ok()
    }

    /// The text; unpaired surrogates and malformed bytes become U+FFFD.
    pub fn to_str_lossy(self) -> Cow<'a, str> {
        match self.as_str() {
            Some(text) => Cow::Borrowed(text),
            None => Cow::Owned(String::from_utf16_lossy(&self.to_utf16())),
        }
    }

    /// The UTF-16 code units a JVM would make of it (malformed bytes become U+FFFD).
    pub fn to_utf16(self) -> Vec<u16> {
        let mut units = Vec::with_capacity(self.0.len());
        let mut rest = self.0;
        while let Some((unit, len)) = decode_unit(rest) {
            units.push(unit);
            rest = &rest[len..];
        }
        units
    }

    /// True if there are no bytes.
    pub const fn is_empty(self) -> bool {
        self.0.is_empty()
    }

    /// Number of bytes.
    pub const fn len(self) -> usize {
        self.0.len()
    }

    /// True if every byte sequence is well formed modified UTF-8.
    pub fn is_well_formed(self) -> bool {
        let mut rest = self.0;
        while let Some((unit, len)) = decode_unit(rest) {
            if unit == REPLACEMENT && rest[..len] != [0xef, 0xbf, 0xbd] {
                return false;
            }
            rest = &rest[len..];
        }
        true
    }
}

const REPLACEMENT: u16 = 0xfffd;

/// The first code unit and how many bytes it takes; `None` at the end.
fn decode_unit(bytes: &[u8]) -> Option<(u16, usize)> {
    let first = *bytes.first()?;
    let tail = |i: usize| {
        bytes
            .get(i)
            .filter(|b| **b & 0xc0 == 0x80)
            .map(|b| u16::from(b & 0x3f))
    };
    let decoded = match first {
        0x01..=0x7f => Some((u16::from(first), 1)),
        0xc0..=0xdf => tail(1).map(|low| ((u16::from(first & 0x1f) << 6) | low, 2)),
        0xe0..=0xef => tail(1).and_then(|mid| {
            tail(2).map(|low| ((u16::from(first & 0x0f) << 12) | (mid << 6) | low, 3))
        }),
        _ => None,
    };
    Some(decoded.unwrap_or((REPLACEMENT, 1)))
}

/// The modified UTF-8 form of a Rust string.
///
/// ```
/// assert_eq!(braid_classfile::encode_modified_utf8("a\0").as_ref(), b"a\xc0\x80");
/// ```
pub fn encode_modified_utf8(text: &str) -> Cow<'_, [u8]> {
    if !text.bytes().any(|b| b == 0 || b >= 0xf0) {
        return Cow::Borrowed(text.as_bytes());
    }
    Cow::Owned(encode_utf16(text.encode_utf16()))
}

/// The modified UTF-8 form of UTF-16 code units, paired or not.
pub fn encode_utf16(units: impl IntoIterator<Item = u16>) -> Vec<u8> {
    let mut out = Vec::new();
    for unit in units {
        match unit {
            0x01..=0x7f => out.push(unit as u8),
            0 | 0x80..=0x7ff => {
                out.extend([0xc0 | (unit >> 6) as u8, 0x80 | (unit & 0x3f) as u8]);
            }
            _ => out.extend([
                0xe0 | (unit >> 12) as u8,
                0x80 | (unit >> 6 & 0x3f) as u8,
                0x80 | (unit & 0x3f) as u8,
            ]),
        }
    }
    out
}

impl<'a> From<&'a str> for JStr<'a> {
    /// Takes the text as it is. Use [`encode_modified_utf8`] for text that may hold the
    /// character 0 or characters beyond U+FFFF.
    fn from(text: &'a str) -> Self {
        JStr(text.as_bytes())
    }
}

impl PartialEq<str> for JStr<'_> {
    fn eq(&self, other: &str) -> bool {
        self.0 == other.as_bytes()
    }
}

impl PartialEq<&str> for JStr<'_> {
    fn eq(&self, other: &&str) -> bool {
        self.0 == other.as_bytes()
    }
}

impl fmt::Display for JStr<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.to_str_lossy())
    }
}

impl fmt::Debug for JStr<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.to_str_lossy(), f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn surrogates_survive_the_round_trip_paired_or_not() {
        for units in [
            vec![0xd800],
            vec![0xdc00, 0xd800],
            vec![0, 0x7f, 0x80, 0x7ff, 0x800, 0xffff],
        ] {
            let bytes = encode_utf16(units.iter().copied());
            assert_eq!(JStr::new(&bytes).to_utf16(), units);
            assert!(JStr::new(&bytes).is_well_formed());
        }
        assert_eq!(JStr::new(&encode_modified_utf8("😀")).to_str_lossy(), "😀");
        assert_eq!(encode_modified_utf8("😀").len(), 6);
    }

    #[test]
    fn malformed_bytes_read_as_replacement_and_never_panic() {
        assert_eq!(JStr::new(&[0xe0, 0x80]).to_str_lossy(), "\u{fffd}\u{fffd}");
        assert!(!JStr::new(&[0xff]).is_well_formed());
        assert!(JStr::new("\u{fffd}".as_bytes()).is_well_formed());
        assert!(!JStr::new(&[0]).is_well_formed());
    }
}
