//! Recognising the format by the first bytes.

use std::collections::BTreeMap;
use std::io::{BufRead, Cursor, Read};

use super::draft::{Drafts, Place};
use super::{classes, json, mail, slurp, text};
use crate::{Change, Format, ReadProblem};

/// How much is looked at.
const HEAD: usize = 64 << 10;

/// Reads bytes of any format.
pub(super) type Reader = Box<dyn BufRead>;

/// The patches of one file.
pub(super) fn drafts(place: Place, mut reader: Reader) -> Drafts {
    let mut head = Vec::with_capacity(HEAD);
    if let Err(error) = reader.by_ref().take(HEAD as u64).read_to_end(&mut head) {
        return place.fail(error.into());
    }
    let kind = kind_of(&head);
    if !place.certain && !may_be_patch(kind, &head) {
        return Box::new(std::iter::empty());
    }
    let mut whole: Reader = Box::new(Cursor::new(head.clone()).chain(reader));
    match kind {
        Kind::Empty if is_json_name(&place) || place.stem == "stdin" => {
            Box::new(std::iter::empty())
        }
        Kind::Empty => place.fail(ReadProblem::Empty),
        Kind::Json => json::drafts(place, whole, &head),
        Kind::Mail => mail::drafts(place, whole),
        Kind::Class => class(place, &mut whole),
        Kind::Utf16 => utf16(place, &mut whole),
        Kind::Text => match slurp(&mut whole, place.limit) {
            Ok(data) => text::drafts(place, data),
            Err(problem) => place.fail(problem),
        },
    }
}

fn is_json_name(place: &Place) -> bool {
    matches!(place.extension().as_str(), "json" | "jsonl" | "ndjson")
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Empty,
    Json,
    Mail,
    Class,
    Utf16,
    Text,
}

/// Whether a file that nobody called a patch is to be read at all.
fn may_be_patch(kind: Kind, head: &[u8]) -> bool {
    match kind {
        Kind::Empty | Kind::Class => false,
        Kind::Json => [
            "\"diff\"",
            "_patch\"",
            "\"search_replace\"",
            "\"context_above\"",
        ]
        .iter()
        .any(|key| memchr::memmem::find(head, key.as_bytes()).is_some()),
        Kind::Mail | Kind::Utf16 => true,
        Kind::Text => crate::diff::looks_like_diff(head),
    }
}

fn kind_of(head: &[u8]) -> Kind {
    if head.starts_with(&[0xca, 0xfe, 0xba, 0xbe]) {
        return Kind::Class;
    }
    if head.starts_with(&[0xff, 0xfe]) || head.starts_with(&[0xfe, 0xff]) {
        return Kind::Utf16;
    }
    let text = head
        .strip_prefix(b"\xef\xbb\xbf")
        .unwrap_or(head)
        .trim_ascii_start();
    match text.first() {
        None => Kind::Empty,
        Some(b'{') => Kind::Json,
        Some(b'[')
            if matches!(
                text[1..].trim_ascii_start().first(),
                Some(b'{' | b'"' | b']')
            ) =>
        {
            Kind::Json
        }
        Some(b'F') if mail::starts_mail(text) => Kind::Mail,
        Some(_) => Kind::Text,
    }
}

/// One compiled class.
fn class(place: Place, reader: &mut Reader) -> Drafts {
    let change = slurp(reader, place.limit).and_then(|bytes| {
        let name = classes::class_name(&bytes).map_err(|what| ReadProblem::Class {
            path: place.file.display().to_string(),
            what: what.to_owned(),
        })?;
        Ok(Change::Classes(BTreeMap::from([(name, bytes)])))
    });
    Box::new(std::iter::once(place.draft(1, Format::Classes, change)))
}

/// What some shells write when a diff is redirected to a file.
fn utf16(place: Place, reader: &mut Reader) -> Drafts {
    let data = match slurp(reader, place.limit) {
        Ok(data) => data,
        Err(problem) => return place.fail(problem),
    };
    let Some((encoding, _)) = encoding_rs::Encoding::for_bom(&data) else {
        return place.fail(ReadProblem::Unknown("unreadable UTF-16".to_owned()));
    };
    let (text, _, broken) = encoding.decode(&data);
    if broken {
        let what = format!("text that is not valid {}", encoding.name());
        return place.fail(ReadProblem::Unknown(what));
    }
    let text = text.into_owned().into_bytes();
    let text = text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&text).to_vec();
    match kind_of(&text) {
        Kind::Class | Kind::Utf16 => {
            place.fail(ReadProblem::Unknown("doubly encoded text".to_owned()))
        }
        _ => drafts(place, Box::new(Cursor::new(text))),
    }
}
