//! Facts in a file, under the hash of the classes they are about.
//!
//! The layout, all numbers little-endian: magic and version; the hash of table and classes; the hash of the rest; the
//! number of methods, the lengths of names and texts; the ends of the names; the records; names; texts.

use std::io::Write;
use std::path::Path;

use rayon::prelude::*;

use super::facts::{Purity, Reason, Record};

const MAGIC: &[u8; 16] = b"braid purity 001";
const HEAD: usize = 16 + 32 + 32;
const RECORD: usize = 8;

/// The hash of everything that the facts depend on.
pub(super) fn key(classes: &[Vec<u8>]) -> [u8; 32] {
    let parts: Vec<[u8; 32]> = (classes.par_iter())
        .map(|bytes| blake3::hash(bytes).into())
        .collect();
    let mut all = blake3::Hasher::new();
    all.update(MAGIC)
        .update(blake3::hash(include_bytes!("natives.txt")).as_bytes());
    for part in &parts {
        all.update(part);
    }
    all.finalize().into()
}

/// The facts in a file, if it is whole, of this version, and about these classes.
pub(super) fn read(file: &Path, key: [u8; 32]) -> Option<Purity> {
    let bytes = std::fs::read(file).ok()?;
    if bytes.len() < HEAD || bytes[..16] != MAGIC[..] || bytes[16..48] != key {
        return None;
    }
    let body = &bytes[HEAD..];
    if bytes[48..HEAD] != blake3::hash(body).as_bytes()[..] {
        return None;
    }
    let (counts, rest) = body.split_at_checked(12)?;
    let [methods, names, texts] = numbers(counts)[..] else {
        return None;
    };
    let (ends, rest) = rest.split_at_checked(methods as usize * 4)?;
    let (records, rest) = rest.split_at_checked(methods as usize * RECORD * 4)?;
    let (names, texts_bytes) = rest.split_at_checked(names as usize)?;
    if texts_bytes.len() != texts as usize {
        return None;
    }
    let purity = Purity {
        names: String::from_utf8(names.to_vec()).ok()?,
        ends: numbers(ends),
        records: numbers(records).chunks_exact(RECORD).map(record).collect(),
        texts: String::from_utf8(texts_bytes.to_vec()).ok()?,
    };
    is_sound(&purity).then_some(purity)
}

/// Whether all that is looked up by number is there.
fn is_sound(purity: &Purity) -> bool {
    let within = |end: &u32| purity.names.is_char_boundary(*end as usize);
    let known = |reason: Reason| reason.next == u32::MAX || (reason.next as usize) < purity.len();
    purity.ends.is_sorted()
        && purity.ends.iter().all(within)
        && (purity.records.iter()).all(|r| known(r.reason) && known(r.first_use))
}

/// Writes the facts beside the file first, so that nobody reads half of them.
pub(super) fn write(file: &Path, key: [u8; 32], purity: &Purity) -> std::io::Result<()> {
    let mut body = Vec::new();
    let lengths = [purity.len(), purity.names.len(), purity.texts.len()];
    put(&mut body, lengths.map(|n| n as u32));
    put(&mut body, purity.ends.iter().copied());
    for r in &purity.records {
        put(&mut body, [r.flags, r.mutated]);
        for reason in [r.reason, r.first_use] {
            put(&mut body, [reason.next, reason.text.0, reason.text.1]);
        }
    }
    body.extend_from_slice(purity.names.as_bytes());
    body.extend_from_slice(purity.texts.as_bytes());
    let mut part = file.as_os_str().to_owned();
    part.push(format!(".{}.part", std::process::id()));
    let mut out = std::fs::File::create(&part)?;
    out.write_all(MAGIC)?;
    out.write_all(&key)?;
    out.write_all(blake3::hash(&body).as_bytes())?;
    out.write_all(&body)?;
    std::fs::rename(&part, file)
}

fn put(to: &mut Vec<u8>, numbers: impl IntoIterator<Item = u32>) {
    to.extend(numbers.into_iter().flat_map(u32::to_le_bytes));
}

fn numbers(bytes: &[u8]) -> Vec<u32> {
    (bytes.chunks_exact(4))
        .map(|b| u32::from_le_bytes(b.try_into().expect("chunks of four")))
        .collect()
}

fn record(numbers: &[u32]) -> Record {
    let reason = |at: usize| Reason {
        next: numbers[at],
        text: (numbers[at + 1], numbers[at + 2]),
    };
    Record {
        flags: numbers[0],
        mutated: numbers[1],
        reason: reason(2),
        first_use: reason(5),
    }
}
