//! The end of a run, for people: what no test notices, and the score.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::time::Duration;

use braid_engine::mutate::{MutantResult, MutantTally, MutateReport, MutateSummary, Status};
use braid_engine::{RunState, text};

use crate::mutate::{Mutants, place};
use crate::style::{Style, fit};
use crate::table::{state_name, utc};

/// So many mutants are named.
const SHOWN: usize = 25;

pub(crate) fn write(mutants: &Mutants<'_>, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    let unnoticed = mutants.unnoticed();
    if !unnoticed.is_empty() {
        writeln!(out, "{}", style.bold("What no test notices"))?;
    }
    for result in unnoticed.iter().take(SHOWN) {
        row(result, style, out)?;
    }
    if unnoticed.len() > SHOWN {
        let more = unnoticed.len() - SHOWN;
        writeln!(out, "… and {more} more: see the report")?;
    }
    if !unnoticed.is_empty() {
        writeln!(out)?;
    }
    classes(mutants, style, out)?;
    summary(&mutants.report.summary, style, out)
}

fn row(result: &MutantResult, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    let why = match result.status {
        Status::NotCovered => "no test reaches it".to_owned(),
        _ => match result.covered_by.len() as u64 {
            1 => "1 test passes".to_owned(),
            tests => format!("{tests} tests pass"),
        },
    };
    let width = style.width.unwrap_or(usize::MAX);
    let line = format!("{}  {}", place(result), result.description);
    writeln!(out, "{}", fit(&line, width))?;
    if let Some(place) = &result.place
        && let Some(replacement) = &place.replacement
    {
        let one = |text: &str| fit(&text::one_line(text), width.saturating_sub(6).max(20));
        writeln!(
            out,
            "    {}",
            style.paint("31", &format!("- {}", one(&place.original)))
        )?;
        writeln!(
            out,
            "    {}",
            style.paint("32", &format!("+ {}", one(replacement)))
        )?;
    }
    let line = format!("    {}: {why}; {}", result.operator, result.id);
    writeln!(out, "{}", style.dim(&fit(&line, width)))
}

/// The classes with the lowest scores.
fn classes(mutants: &Mutants<'_>, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    const WORST: usize = 10;
    let mut classes: BTreeMap<&str, MutantTally> = BTreeMap::new();
    for result in mutants.results {
        let outer = result.class.split('$').next().unwrap_or(&result.class);
        classes.entry(outer).or_default().add(result);
    }
    let mut worst: Vec<(&str, MutantTally)> = classes.into_iter().collect();
    worst.retain(|(_, tally)| tally.detected() < tally.total());
    worst.sort_by(|(_, a), (_, b)| {
        let missed = |tally: &MutantTally| tally.total() - tally.detected();
        missed(b).cmp(&missed(a))
    });
    if worst.is_empty() {
        return Ok(());
    }
    let head = format!(
        "{:>7}  {:>9}  {:>11}  class",
        "score", "survived", "not covered"
    );
    writeln!(out, "{}", style.bold(&head))?;
    for (class, tally) in worst.iter().take(WORST) {
        writeln!(
            out,
            "{:>7}  {:>9}  {:>11}  {class}",
            percent(tally.score()),
            tally.of(Status::Survived),
            tally.of(Status::NotCovered)
        )?;
    }
    writeln!(out)
}

/// A list of runs over mutants.
pub fn runs(reports: &[MutateReport], style: &Style, out: &mut dyn Write) -> io::Result<()> {
    if reports.is_empty() {
        return Ok(());
    }
    let head = format!(
        "{:>4}  {:16}  {:11}  mutants",
        "run", "started (UTC)", "state"
    );
    writeln!(out, "{}", style.bold(&head))?;
    for report in reports {
        let summary = &report.summary;
        let (number, total) = (summary.run, summary.total);
        let started = utc(report.info.started_unix_s);
        let state = state_name(summary.state);
        let counts = counts(&summary.tally, style);
        writeln!(
            out,
            "{number:>4}  {started}  {state:11}  {counts} of {total}"
        )?;
    }
    Ok(())
}

fn counts(tally: &MutantTally, style: &Style) -> String {
    let counts: Vec<String> = Status::ALL
        .into_iter()
        .filter(|status| tally.of(*status) > 0)
        .map(|status| format!("{} {}", tally.of(status), style.status(status)))
        .collect();
    match counts.is_empty() {
        true => "none".to_owned(),
        false => counts.join(", "),
    }
}

/// A share, rounded down: 100.0% is all of it.
pub fn percent(value: f64) -> String {
    format!("{:.1}%", (value * 10.0).floor() / 10.0)
}

/// Counts, score, where the results are.
pub fn summary(summary: &MutateSummary, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    let tally = &summary.tally;
    let total = text::count(summary.total, "mutant");
    writeln!(out, "{total}: {}", counts(tally, style))?;
    let score = format!("mutation score {}", percent(tally.score()));
    writeln!(
        out,
        "{} ({} of what tests reach); {} run by {} in {}",
        style.bold(&score),
        percent(tally.strength()),
        text::count(tally.test_runs, "test"),
        text::count(summary.baseline.units, "test method"),
        text::duration(Duration::from_millis(summary.elapsed_ms)),
    )?;
    if summary.state != RunState::Complete {
        let left = summary.total.saturating_sub(tally.total());
        let line = format!(
            "stopped early: {left} not run; go on with --resume {}",
            summary.run
        );
        writeln!(out, "{}", style.warning(&line))?;
    }
    writeln!(out, "run {} in {}", summary.run, summary.dir.display())
}
