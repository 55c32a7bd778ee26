//! What a caller is told while it waits.

use std::path::Path;

use crate::mutate::MutantResult;
use crate::{BaselineReport, Verdict};

/// Something that happened.
#[derive(Debug)]
pub enum Event<'a> {
    /// A new step begins; a few words.
    Step(&'a str),
    /// More about the current step: one line, soon replaced by another.
    Detail(&'a str),
    /// Something the user should know that stops nothing.
    Warning(&'a str),
    /// The baseline is known.
    Baseline(&'a BaselineReport),
    /// Judging begins.
    Started {
        /// The run's number.
        run: u32,
        /// The run's folder.
        dir: &'a Path,
        /// How many patches there are in all.
        total: u64,
        /// How many have a verdict already, from before a resume.
        done: u64,
    },
    /// A patch has its verdict.
    Judged {
        /// The verdict.
        verdict: &'a Verdict,
        /// How many have one now.
        done: u64,
        /// How many there are in all.
        total: u64,
    },
    /// Running mutants begins.
    Mutants {
        /// The run's number.
        run: u32,
        /// How many mutants there are in all.
        total: u64,
        /// How many were run already, before a resume.
        done: u64,
    },
    /// A mutant is decided.
    Mutant {
        /// What came of it.
        result: &'a MutantResult,
        /// How many are decided now.
        done: u64,
        /// How many there are in all.
        total: u64,
    },
}

/// Receives events. Called from several threads, one at a time.
pub trait Progress: Send {
    /// Takes note of an event. Must be quick.
    fn event(&mut self, event: &Event<'_>);
}

/// Takes note of nothing.
pub struct Silent;

impl Progress for Silent {
    fn event(&mut self, _event: &Event<'_>) {}
}
