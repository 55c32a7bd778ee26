//! A request to compile whole files, as frames.

use crate::wire::{Reader, Writer};
use crate::{CompileError, Kind, Outcome, Processing, Request, Response, Setup};

/// The request's number on the wire.
const COMPILE: u8 = 1;

/// The answers' first byte.
const GOOD: u8 = 1;
const GIVEN_UP: u8 = 2;

/// A frame; a guarded request may be given up, which [`read`] tells by none.
pub(crate) fn write(request: &Request, guarded: bool) -> Result<Writer, CompileError> {
    let mut out = Writer::default();
    out.byte(COMPILE);
    out.flag(guarded);
    write_setup(&request.setup, &mut out)?;
    out.number(request.sources.len());
    for source in &request.sources {
        out.path(&source.path)?;
        out.flag(source.content.is_some());
        if let Some(content) = &source.content {
            out.blob(content);
        }
    }
    Ok(out)
}

pub(crate) fn write_setup(setup: &Setup, out: &mut Writer) -> Result<(), CompileError> {
    out.paths(&setup.class_path)?;
    out.text(if setup.encoding.is_empty() {
        "UTF-8"
    } else {
        &setup.encoding
    });
    out.texts(&setup.javac_args);
    let (how, path) = match &setup.processing {
        Processing::None => (0, &[][..]),
        Processing::ClassPath => (1, &[][..]),
        Processing::Path(path) => (2, &path[..]),
    };
    out.byte(how);
    out.paths(path)
}

pub(crate) fn read(answer: &mut Reader) -> Result<Option<Response>, CompileError> {
    let good = match answer.byte()? {
        GIVEN_UP => return Ok(None),
        told => told == GOOD,
    };
    let messages = answer.list(Reader::diagnostic)?;
    let classes = answer.list(|answer| Ok((answer.text()?, answer.blob()?)))?;
    let parse_failed = answer.flag()?;
    let bodies_only = answer.flag()?;
    let (errors, remarks) = messages.into_iter().partition(|m| m.kind == Kind::Error);
    let outcome = if good {
        Outcome::Compiled(classes.into_iter().collect())
    } else {
        Outcome::Errors(errors)
    };
    Ok(Some(Response {
        outcome,
        remarks,
        parse_failed,
        bodies_only,
    }))
}
