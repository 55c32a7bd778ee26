//! Access flags as words.

use braid_classfile::AccessFlags;

/// What the flags stand on; the same bit has different names.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Place {
    Class,
    Field,
    Method,
}

const CLASS: [(u16, &str); 11] = [
    (0x0001, "public"),
    (0x0002, "private"),
    (0x0004, "protected"),
    (0x0008, "static"),
    (0x0010, "final"),
    (0x0020, "super"),
    (0x0200, "interface"),
    (0x0400, "abstract"),
    (0x1000, "synthetic"),
    (0x2000, "annotation"),
    (0x4000, "enum"),
];
const FIELD: [(u16, &str); 9] = [
    (0x0001, "public"),
    (0x0002, "private"),
    (0x0004, "protected"),
    (0x0008, "static"),
    (0x0010, "final"),
    (0x0040, "volatile"),
    (0x0080, "transient"),
    (0x1000, "synthetic"),
    (0x4000, "enum"),
];
const METHOD: [(u16, &str); 12] = [
    (0x0001, "public"),
    (0x0002, "private"),
    (0x0004, "protected"),
    (0x0008, "static"),
    (0x0010, "final"),
    (0x0020, "synchronized"),
    (0x0040, "bridge"),
    (0x0080, "varargs"),
    (0x0100, "native"),
    (0x0400, "abstract"),
    (0x0800, "strict"),
    (0x1000, "synthetic"),
];

fn names(place: Place) -> &'static [(u16, &'static str)] {
    match place {
        Place::Class => &CLASS,
        Place::Field => &FIELD,
        Place::Method => &METHOD,
    }
}

/// The flags as words, each followed by a space; bits without a name as a number.
pub(crate) fn to_words(flags: AccessFlags, place: Place) -> String {
    let mut rest = flags.0;
    let mut words = String::new();
    for (bit, name) in names(place) {
        if rest & bit != 0 {
            rest &= !bit;
            words.push_str(name);
            words.push(' ');
        }
    }
    if rest != 0 {
        words.push_str(&format!("{rest:#06x} "));
    }
    words
}

/// The flags that words name; `Err` with the word that is none.
pub(crate) fn from_words(words: &[String], place: Place) -> Result<AccessFlags, String> {
    let mut flags = 0;
    for word in words {
        let named = names(place)
            .iter()
            .find(|(_, name)| name == word)
            .map(|(bit, _)| *bit);
        let number = || u16::from_str_radix(word.strip_prefix("0x")?, 16).ok();
        flags |= named
            .or_else(number)
            .ok_or_else(|| format!("{word:?} is no flag"))?;
    }
    Ok(AccessFlags(flags))
}
