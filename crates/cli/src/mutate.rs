//! `braid mutate`, and what looks at its runs: `apply`, `merge`, and its part of `show` and `report`.

mod args;

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;

use braid_engine::mutate::{self as engine, MutateReport, MutateSummary, Status, Thresholds};
use braid_engine::{EngineError, History, RunState};
use braid_report::mutate::{self as report, MutateFormat};
use braid_report::{Lines, Mode, Style};

use crate::exit::Exit;
use crate::signals;
pub(crate) use args::{ApplyArgs, MergeArgs, MutateArgs, MutateFormatName};

pub(crate) fn mutate(args: &MutateArgs) -> Result<Exit, EngineError> {
    let stdout = io::stdout();
    let style = Style::of(&stdout);
    if args.list_operators {
        let written = report::list_operators(&style, &mut stdout.lock());
        return written.map_err(EngineError::Output).map(|()| Exit::Found);
    }
    let request = args.request();
    let mode = if args.output.quiet {
        Mode::Quiet
    } else {
        Mode::Normal
    };
    let mut progress = Lines::new(mode, false);
    if args.list || args.explain {
        let listing = engine::list(&request, &mut progress)?;
        drop(progress);
        let mut out = BufWriter::new(stdout.lock());
        let written = match args.explain {
            true => report::explain(&listing.not_made, &style, &mut out),
            false => {
                let json = args.output.format == MutateFormatName::Jsonl;
                report::list(&listing, json, &mut out)
            }
        };
        let written = written.and_then(|()| out.flush());
        return written.map_err(EngineError::Output).map(|()| Exit::Found);
    }
    signals::watch(&request.stop);
    let outcome = engine::mutate(&request, &mut progress);
    drop(progress);
    let summary = outcome.inspect_err(crate::validate::hint)?;
    let history = History::at_run(&summary.dir);
    let done = history.mutate_report(summary.run)?;
    keep(&done, &summary.dir)?;
    write(
        &done,
        args.output.format.into(),
        args.output.output.as_deref(),
    )?;
    if args.output.explain_time {
        report::explain_time(&done, &style, &mut stdout.lock())?;
    }
    let page = summary.dir.join("report.html");
    if !args.output.quiet && args.output.format == MutateFormatName::Summary {
        println!("report: {}", page.display());
    }
    if args.output.open
        && let Err(error) = open::that_detached(&page)
    {
        let page = page.display();
        eprintln!("braid: no browser could be started ({error}); the report is in {page}");
    }
    Ok(exit_of(&summary, args.output.thresholds(&done)))
}

fn exit_of(summary: &MutateSummary, thresholds: Thresholds) -> Exit {
    if summary.state != RunState::Complete {
        return Exit::Interrupted;
    }
    let (score, survived) = (summary.tally.score(), summary.tally.of(Status::Survived));
    let low = thresholds.min_score.filter(|least| score < *least);
    let many = thresholds.max_survived.filter(|most| survived > *most);
    if let Some(least) = low {
        let score = report::percent(score);
        eprintln!("braid: the score of {score} is below {least}%");
    }
    if let Some(most) = many {
        eprintln!("braid: {survived} mutants survived; at most {most} may");
    }
    if low.is_some() || many.is_some() {
        Exit::NonePlausible
    } else {
        Exit::Found
    }
}

/// Writes the reports that every run has in its folder.
fn keep(done: &MutateReport, dir: &Path) -> Result<(), EngineError> {
    write(done, MutateFormat::Html, Some(&dir.join("report.html")))?;
    write(done, MutateFormat::Json, Some(&dir.join("report.json")))
}

/// Writes a report to where it was asked for.
fn write(
    done: &MutateReport,
    format: MutateFormat,
    output: Option<&Path>,
) -> Result<(), EngineError> {
    let Some(path) = output else {
        let stdout = io::stdout();
        let style = Style::of(&stdout);
        let mut out = BufWriter::new(stdout.lock());
        return report::write_mutants(format, done, &style, &mut out);
    };
    let failed = |source| EngineError::Io {
        what: "write",
        path: path.to_owned(),
        source,
    };
    let mut out = BufWriter::new(File::create(path).map_err(failed)?);
    report::write_mutants(format, done, &Style::PLAIN, &mut out)
}

/// The mutant of a run, for `braid show`.
pub(crate) fn show(history: &History, run: u32, id: &str, json: bool) -> Result<Exit, EngineError> {
    let (info, mutant) = history.mutant(run, id)?;
    let diff = match engine::diff(&info.root, &mutant) {
        Ok(diff) => diff,
        Err(error) => error.to_string(),
    };
    let stdout = io::stdout();
    let style = Style::of(&stdout);
    let mut out = stdout.lock();
    let written = match json {
        true => serde_json::to_writer(&mut out, &mutant)
            .map_err(io::Error::from)
            .and_then(|()| writeln!(out)),
        false => report::show(&info, &mutant, &diff, &style, &mut out),
    };
    written.map_err(EngineError::Output).map(|()| Exit::Found)
}

/// The report of a run over mutants again, for `braid report`.
pub(crate) fn report(
    history: &History,
    run: u32,
    format: MutateFormatName,
    output: Option<&Path>,
) -> Result<Exit, EngineError> {
    write(&history.mutate_report(run)?, format.into(), output)?;
    Ok(Exit::Found)
}

pub(crate) fn apply(args: &ApplyArgs) -> Result<Exit, EngineError> {
    let history = History::find(&args.dir.project)?;
    let (info, mutant) = history.mutant(history.number(args.run)?, &args.id)?;
    let diff = match args.dry_run {
        true => engine::diff(&info.root, &mutant)?,
        false => engine::apply(&info.root, &mutant)?,
    };
    write!(io::stdout(), "{diff}").map_err(EngineError::Output)?;
    Ok(Exit::Found)
}

pub(crate) fn merge(args: &MergeArgs) -> Result<Exit, EngineError> {
    let history = History::find(&args.dir.project)?;
    let (run, warnings) = engine::merge(&history, &args.parts)?;
    for warning in &warnings {
        eprintln!("warning: {warning}");
    }
    let done = history.mutate_report(run)?;
    keep(&done, &done.summary.dir)?;
    write(
        &done,
        args.output.format.into(),
        args.output.output.as_deref(),
    )?;
    Ok(exit_of(&done.summary, args.output.thresholds(&done)))
}
