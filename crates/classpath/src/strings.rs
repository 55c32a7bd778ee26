//! The `compact-cp` compression of JDK images: class files whose texts were moved to the string
//! table that all resources of the image share.

/// Constant tags that stand only in compressed class files.
const SHARED_STRING: u8 = 23;
const SHARED_DESCRIPTOR: u8 = 25;

/// Gives a class file its own texts again; `None` if it is malformed.
pub(crate) fn expand_shared_strings<'a>(
    bytes: &[u8],
    string: impl Fn(u32) -> &'a [u8],
) -> Option<Vec<u8>> {
    let mut input = Input { rest: bytes };
    let mut out = Vec::with_capacity(bytes.len() * 2);
    out.extend(input.take(10)?);
    let count = u16::from_be_bytes([out[8], out[9]]);
    let mut index = 1;
    while index < count {
        let tag = input.take(1)?[0];
        match tag {
            SHARED_STRING => push_text(&mut out, string(input.number()?))?,
            SHARED_DESCRIPTOR => {
                let text = expand_descriptor(&mut input, &string)?;
                push_text(&mut out, &text)?;
            }
            1 => {
                let len = input.take(2)?;
                let text = input.take(usize::from(u16::from_be_bytes([len[0], len[1]])))?;
                push_text(&mut out, text)?;
            }
            _ => {
                out.push(tag);
                out.extend(input.take(constant_size(tag)?)?);
            }
        }
        index += if matches!(tag, 5 | 6) { 2 } else { 1 };
    }
    out.extend(input.rest);
    Some(out)
}

/// Size of a constant without its tag.
fn constant_size(tag: u8) -> Option<usize> {
    Some(match tag {
        3 | 4 | 9..=12 | 17 | 18 => 4,
        5 | 6 => 8,
        7 | 8 | 16 | 19 | 20 => 2,
        15 => 3,
        _ => return None,
    })
}

/// A descriptor is stored without its class names; packages and simple names follow as indices.
fn expand_descriptor<'a>(
    input: &mut Input<'_>,
    string: &impl Fn(u32) -> &'a [u8],
) -> Option<Vec<u8>> {
    let shape = string(input.number()?);
    let len = input.number()?;
    if len == 0 {
        return Some(shape.to_vec());
    }
    let mut indices = Input {
        rest: input.take(len as usize)?,
    };
    let mut text = Vec::new();
    for &byte in shape {
        text.push(byte);
        if byte == b'L' {
            let package = string(indices.number()?);
            if !package.is_empty() {
                text.extend(package);
                text.push(b'/');
            }
            text.extend(string(indices.number()?));
        }
    }
    Some(text)
}

fn push_text(out: &mut Vec<u8>, text: &[u8]) -> Option<()> {
    out.push(1);
    out.extend(u16::try_from(text.len()).ok()?.to_be_bytes());
    out.extend(text);
    Some(())
}

struct Input<'a> {
    rest: &'a [u8],
}

impl<'a> Input<'a> {
    fn take(&mut self, len: usize) -> Option<&'a [u8]> {
        let (head, rest) = self.rest.split_at_checked(len)?;
        self.rest = rest;
        Some(head)
    }

    /// A number of one to four bytes: with the top bit set, two bits of length and five of value.
    fn number(&mut self) -> Option<u32> {
        let head = *self.rest.first()?;
        let (len, first) = if head & 0x80 != 0 {
            (head >> 5 & 3, head & 0x1f)
        } else {
            (4, head)
        };
        let bytes = self.take(usize::from(len).max(1))?;
        Some(
            bytes[1..]
                .iter()
                .fold(u32::from(first), |sum, byte| sum << 8 | u32::from(*byte)),
        )
    }
}
