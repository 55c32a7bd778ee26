//! What was left out and why, where the time went, what there is to mutate.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::time::Duration;

use braid_engine::mutate::{
    Listing, MutantResult, MutateReport, NotMade, operator_sets, operators,
};
use braid_engine::{EngineError, text};

use crate::mutate::place;
use crate::style::Style;

/// Writes what was left out: counts by reason, then each.
pub fn explain(not_made: &[NotMade], style: &Style, out: &mut dyn Write) -> io::Result<()> {
    let mut reasons: BTreeMap<&str, u64> = BTreeMap::new();
    for one in not_made {
        *reasons.entry(&one.reason).or_default() += 1;
    }
    let mut reasons: Vec<(&str, u64)> = reasons.into_iter().collect();
    reasons.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    let head = format!("Left out: {}", text::count(not_made.len() as u64, "mutant"));
    writeln!(out, "{}", style.bold(&head))?;
    for (reason, count) in reasons.iter().take(20) {
        writeln!(out, "{count:>7}  {reason}")?;
    }
    if reasons.len() > 20 {
        writeln!(out, "         and {} other reasons", reasons.len() - 20)?;
    }
    writeln!(out)?;
    for one in not_made {
        let place = match (&one.file, one.line) {
            (Some(file), Some(line)) => format!("{file}:{line}"),
            (Some(file), None) => file.clone(),
            (None, _) => one.class.clone(),
        };
        let what = [one.operator.as_str(), one.description.as_str()];
        let what: Vec<&str> = what.into_iter().filter(|text| !text.is_empty()).collect();
        let method = match one.method.as_str() {
            "" => &one.class,
            method => method,
        };
        writeln!(
            out,
            "{place}  {method}  {}: {}",
            what.join(", "),
            one.reason
        )?;
    }
    Ok(())
}

/// Writes where the time of a run went: by phase, test and mutant.
pub fn explain_time(
    report: &MutateReport,
    style: &Style,
    out: &mut dyn Write,
) -> Result<(), EngineError> {
    let mut slowest: Vec<MutantResult> = Vec::new();
    report.for_each(|result| {
        slowest.push(result);
        slowest.sort_by_key(|result| std::cmp::Reverse(result.elapsed_us));
        slowest.truncate(TOP);
        Ok(())
    })?;
    times(report, &slowest, style, out).map_err(EngineError::Output)
}

const TOP: usize = 10;

fn times(
    report: &MutateReport,
    slowest: &[MutantResult],
    style: &Style,
    out: &mut dyn Write,
) -> io::Result<()> {
    let us = |us: u64| text::duration(Duration::from_micros(us));
    writeln!(out, "{}", style.bold("Where the time went"))?;
    for phase in &report.summary.phases {
        writeln!(out, "{:>12}  {}", us(phase.ms * 1_000), phase.name)?;
    }
    writeln!(
        out,
        "{}",
        style.bold("Tests that took most, on all mutants together")
    )?;
    let mut tests: Vec<(u64, usize)> = report.test_us.iter().copied().zip(0..).collect();
    tests.sort_unstable_by(|a, b| b.cmp(a));
    for (time, number) in tests.iter().take(TOP).filter(|(time, _)| *time > 0) {
        let name = report
            .info
            .tests
            .get(*number)
            .map_or("?", |test| &test.name);
        writeln!(out, "{:>12}  {name}", us(*time))?;
    }
    writeln!(out, "{}", style.bold("Mutants that took most"))?;
    for result in slowest {
        let what = format!("{} {}", place(result), result.description);
        let time = us(result.elapsed_us);
        writeln!(out, "{time:>12}  {}: {what}", result.status)?;
    }
    let fresh: Vec<String> = report
        .info
        .tests
        .iter()
        .filter_map(|test| Some(format!("{}: {}", test.name, test.trouble.as_ref()?)))
        .collect();
    if !fresh.is_empty() {
        let head = format!("Tests that need fresh JVMs: {}", fresh.len());
        writeln!(out, "{}", style.bold(&head))?;
        for line in fresh.iter().take(TOP) {
            writeln!(out, "  {line}")?;
        }
    }
    Ok(())
}

/// Writes the mutants that there are to run.
pub fn list(listing: &Listing, json: bool, out: &mut dyn Write) -> io::Result<()> {
    for mutant in &listing.mutants {
        if json {
            serde_json::to_writer(&mut *out, mutant)?;
            writeln!(out)?;
            continue;
        }
        let file = mutant.file.as_deref().unwrap_or(&mutant.class);
        let line = mutant.line.unwrap_or(0);
        writeln!(
            out,
            "{file}:{line}  {}  {}  {}",
            mutant.operator, mutant.description, mutant.id
        )?;
    }
    Ok(())
}

/// Writes the operators and the sets of them.
pub fn list_operators(style: &Style, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "{}", style.bold("Sets"))?;
    for (name, summary) in operator_sets() {
        writeln!(out, "  {name:34} {summary}")?;
    }
    writeln!(out, "{}", style.bold("Operators"))?;
    for operator in operators() {
        writeln!(out, "  {:34} {}", operator.id, operator.summary)?;
        if !operator.pit.is_empty() {
            let names = format!("  {:34} PIT: {}", "", operator.pit.join(", "));
            writeln!(out, "{}", style.dim(&names))?;
        }
    }
    Ok(())
}
