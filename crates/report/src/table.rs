//! The table for people, and the words at the end of a run.

use std::io::{self, Write};
use std::time::Duration;

use braid_engine::{
    EngineError, RunOverview, RunState, Source, Summary, Tally, Verdict, VerdictKind, text,
};
use unicode_width::UnicodeWidthStr;

use crate::Run;
use crate::style::{Style, fit, pad};

/// The widest a column of patch names gets.
const MAX_ID: usize = 40;
/// The longest verdict's name.
const VERDICT: usize = 13;
/// A duration's column.
const TIME: usize = 8;

pub(crate) fn write(run: &Run<'_>, style: &Style, out: &mut dyn Write) -> Result<(), EngineError> {
    let mut id_width = "patch".len();
    run.each(|verdict| {
        id_width = id_width.max(verdict.id.width().min(MAX_ID));
        Ok(())
    })?;
    let head = format!(
        "{:VERDICT$}  {}  {:>TIME$}  why",
        "verdict",
        pad("patch", id_width),
        "time"
    );
    let write = |error| EngineError::Output(error);
    writeln!(out, "{}", style.bold(&head)).map_err(write)?;
    run.each(|verdict| row(verdict, id_width, style, out))?;
    writeln!(out).map_err(write)?;
    closing(run.summary, style, out).map_err(write)
}

fn row(verdict: &Verdict, id_width: usize, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    let kind = style.verdict(verdict.verdict, VERDICT);
    let id = pad(&fit(&verdict.id, id_width), id_width);
    let time = match verdict.decided.source {
        Source::Run => text::duration(Duration::from_millis(verdict.timings.total_ms)),
        Source::Store => "stored".to_owned(),
        Source::Duplicate => "same".to_owned(),
    };
    let mut why = verdict.summary.clone();
    if let Some(first) = &verdict.decided.same_as {
        why = format!("as {first}: {why}");
    }
    let used = VERDICT + id_width + TIME + 6;
    let why = match style.width {
        Some(width) => fit(&why, width.saturating_sub(used).max(20)),
        None => why,
    };
    writeln!(
        out,
        "{kind}  {id}  {}  {why}",
        style.dim(&format!("{time:>TIME$}"))
    )
}

/// What is to be said at the end of a run: counts, where the results are, how to go on.
pub fn closing(summary: &Summary, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    let baseline = &summary.baseline;
    let failing = baseline.failing.len() as u64;
    let mut line = format!(
        "unpatched program: {} ({}), {failing} failing",
        text::count(baseline.units, "test method"),
        text::count(baseline.passed + baseline.skipped + failing, "result"),
    );
    if !baseline.flaky.is_empty() {
        line += &format!(", {} flaky", baseline.flaky.len());
    }
    writeln!(out, "{line}")?;
    writeln!(
        out,
        "{}: {}",
        text::count(summary.total, "patch"),
        counts(&summary.tally, style)
    )?;
    let mut extra = Vec::new();
    if summary.tally.from_store > 0 {
        extra.push(format!(
            "{} answered from the store",
            summary.tally.from_store
        ));
    }
    if summary.tally.duplicates > 0 {
        extra.push(format!(
            "{} the same as another patch",
            summary.tally.duplicates
        ));
    }
    if summary.elapsed_ms > 0 {
        extra.push(text::duration(Duration::from_millis(summary.elapsed_ms)));
    }
    if !extra.is_empty() {
        writeln!(out, "{}", extra.join(", "))?;
    }
    if summary.state != RunState::Complete {
        let left = summary.total.saturating_sub(summary.tally.total());
        let line = format!(
            "stopped early: {left} not judged; go on with --resume {}",
            summary.run
        );
        writeln!(out, "{}", style.warning(&line))?;
    }
    writeln!(out, "run {} in {}", summary.run, summary.dir.display())
}

fn counts(tally: &Tally, style: &Style) -> String {
    let parts: Vec<String> = VerdictKind::ALL
        .into_iter()
        .filter(|kind| tally.of(*kind) > 0)
        .map(|kind| format!("{} {}", tally.of(kind), style.verdict(kind, 0)))
        .collect();
    if parts.is_empty() {
        "no verdicts".to_owned()
    } else {
        parts.join(", ")
    }
}

/// A list of runs.
pub fn runs(overviews: &[RunOverview], style: &Style, out: &mut dyn Write) -> io::Result<()> {
    writeln!(
        out,
        "{}",
        style.bold(&format!(
            "{:>4}  {:16}  {:11}  verdicts",
            "run", "started (UTC)", "state"
        ))
    )?;
    for overview in overviews {
        let state = state_name(overview.state);
        let started = utc(overview.info.started_unix_s);
        let number = overview.number;
        let counts = counts(&overview.tally, style);
        writeln!(
            out,
            "{number:>4}  {started}  {state:11}  {counts} of {}",
            overview.info.total
        )?;
    }
    Ok(())
}

/// How a run stands, in a word.
pub(crate) fn state_name(state: RunState) -> &'static str {
    match state {
        RunState::Running => "running",
        RunState::Complete => "complete",
        RunState::Interrupted => "interrupted",
    }
}

/// `2026-01-31 12:34` for seconds since 1970.
pub(crate) fn utc(seconds: u64) -> String {
    let (days, rest) = (seconds / 86_400, seconds % 86_400);
    let (year, month, day) = civil(days as i64);
    format!(
        "{year:04}-{month:02}-{day:02} {:02}:{:02}",
        rest / 3_600,
        rest % 3_600 / 60
    )
}

/// The date of a day since 1970-01-01, by the proleptic Gregorian calendar: years are counted from
/// March, so that the leap day comes last.
fn civil(days: i64) -> (i64, i64, i64) {
    let shifted = days + 719_468; // days since 0000-03-01
    let era = shifted.div_euclid(146_097);
    let day_of_era = shifted.rem_euclid(146_097);
    let year_of_era =
        (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month_from_march = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month_from_march + 2) / 5 + 1;
    let month = if month_from_march < 10 {
        month_from_march + 3
    } else {
        month_from_march - 9
    };
    let year = year_of_era + era * 400 + i64::from(month <= 2);
    (year, month, day)
}

#[cfg(test)]
mod tests {
    use super::utc;

    #[test]
    fn dates_are_right_around_leap_days() {
        assert_eq!(utc(0), "1970-01-01 00:00");
        assert_eq!(utc(951_782_399), "2000-02-28 23:59");
        assert_eq!(utc(951_782_400), "2000-02-29 00:00");
        assert_eq!(utc(1_767_225_599), "2025-12-31 23:59");
    }
}
