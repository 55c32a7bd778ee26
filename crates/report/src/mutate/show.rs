//! One mutant in full.

use std::io::{self, Write};
use std::time::Duration;

use braid_engine::mutate::{How, MutantResult, MutateInfo};
use braid_engine::text;

use crate::mutate::place;
use crate::style::Style;

/// Writes everything that is known of a mutant; `diff` is its change of the source, or why there is none.
pub fn show(
    info: &MutateInfo,
    result: &MutantResult,
    diff: &str,
    style: &Style,
    out: &mut dyn Write,
) -> io::Result<()> {
    writeln!(
        out,
        "{}: {}",
        style.bold(&result.id),
        style.status(result.status)
    )?;
    writeln!(
        out,
        "{} in {}.{}",
        result.description, result.class, result.method
    )?;
    writeln!(out)?;
    writeln!(out, "at         {}", place(result))?;
    writeln!(out, "operator   {}", result.operator)?;
    if !result.reason.is_empty() {
        writeln!(out, "why        {}", result.reason)?;
    }
    let why = match result.decided.why.as_str() {
        "" => String::new(),
        why => format!(" ({why})"),
    };
    let how = match result.decided.how {
        How::Coverage => "by what the tests reach",
        How::Warm => "in a warm JVM, woven into one program with the others",
        How::Fresh => "in a fresh JVM",
        How::Same => "by another mutant with the same code",
    };
    writeln!(out, "decided    {how}{why}")?;
    let elapsed = text::duration(Duration::from_micros(result.elapsed_us));
    writeln!(
        out,
        "tests      {} reach it, {} run in {elapsed}",
        result.covered_by.len(),
        result.tests_run
    )?;
    if result.spared > 0 {
        writeln!(
            out,
            "           {} not run: in them nobody gets another value there than from the original",
            result.spared
        )?;
    }
    let name = |number: &u32| {
        info.tests
            .get(*number as usize)
            .map_or("?", |test| &test.name)
    };
    let groups = [
        ("killed by ", &result.killed_by),
        ("endless in", &result.timeout_by),
        ("memory in ", &result.error_by),
    ];
    for (label, tests) in groups {
        for test in tests {
            writeln!(out, "{label} {}", name(test))?;
        }
    }
    if !result.status.is_detected() {
        const SHOWN: usize = 10;
        for test in result.covered_by.iter().take(SHOWN) {
            writeln!(out, "reached by {}", name(test))?;
        }
        if result.covered_by.len() > SHOWN {
            writeln!(
                out,
                "           and {} more",
                result.covered_by.len() - SHOWN
            )?;
        }
    }
    writeln!(out, "\n{}", diff.trim_end())
}
