//! The name of a compiled class, read from its bytes.

/// The binary name (`a/b/C$D`) of a class file.
///
/// Walks the constant pool (JVMS §4.4) to `this_class` (§4.1) without decoding anything else.
pub(super) fn class_name(bytes: &[u8]) -> Result<String, &'static str> {
    if !bytes.starts_with(&[0xca, 0xfe, 0xba, 0xbe]) {
        return Err("it does not start with CAFEBABE");
    }
    name(bytes).ok_or("its constant pool is truncated or malformed")
}

fn name(bytes: &[u8]) -> Option<String> {
    let count = usize::from(u16_at(bytes, 8)?);
    // Where each entry's tag is; entry 0 does not exist.
    let mut entries = vec![0; count.max(1)];
    let mut at = 10;
    let mut index = 1;
    while index < count {
        entries[index] = at;
        let tag = *bytes.get(at)?;
        let len = match tag {
            1 => 3 + usize::from(u16_at(bytes, at + 1)?),
            7 | 8 | 16 | 19 | 20 => 3,
            15 => 4,
            3 | 4 | 9 | 10 | 11 | 12 | 17 | 18 => 5,
            5 | 6 => 9,
            _ => return None,
        };
        at += len;
        // Longs and doubles take two entries.
        index += if matches!(tag, 5 | 6) { 2 } else { 1 };
    }
    let this_class = entry(bytes, &entries, usize::from(u16_at(bytes, at + 2)?), 7)?;
    let utf8 = entry(
        bytes,
        &entries,
        usize::from(u16_at(bytes, this_class + 1)?),
        1,
    )?;
    let len = usize::from(u16_at(bytes, utf8 + 1)?);
    let name = bytes.get(utf8 + 3..utf8 + 3 + len)?;
    let name = std::str::from_utf8(name).ok()?;
    (!name.is_empty()).then(|| name.to_owned())
}

/// Where entry `index` is, if it has this tag.
fn entry(bytes: &[u8], entries: &[usize], index: usize, tag: u8) -> Option<usize> {
    let at = *entries.get(index).filter(|_| index > 0)?;
    (bytes.get(at) == Some(&tag)).then_some(at)
}

fn u16_at(bytes: &[u8], at: usize) -> Option<u16> {
    let pair = bytes.get(at..at + 2)?;
    Some(u16::from_be_bytes([pair[0], pair[1]]))
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// The smallest class file with that name.
    pub(crate) fn class_file(name: &str) -> Vec<u8> {
        let mut out = vec![0xca, 0xfe, 0xba, 0xbe, 0, 0, 0, 52, 0, 5];
        for text in [name, "java/lang/Object"] {
            out.push(1);
            out.extend((text.len() as u16).to_be_bytes());
            out.extend(text.as_bytes());
        }
        out.extend([7, 0, 1, 7, 0, 2]);
        out.extend([0, 0x21, 0, 3, 0, 4, 0, 0, 0, 0, 0, 0, 0, 0]);
        out
    }

    #[test]
    fn names_are_read_and_cut_files_refused() {
        let bytes = class_file("com/x/A$B");
        assert_eq!(class_name(&bytes).unwrap(), "com/x/A$B");
        for len in 0..bytes.len() - 10 {
            assert!(class_name(&bytes[..len]).is_err());
        }
    }
}
