//! Commands that look at things: `doctor`, `init`, `show`, `report`, `runs`.

use std::fs;
use std::io::{self, Write};

use braid_engine::project::{self, Severity};
use braid_engine::{EngineError, History};
use braid_report::Style;

use crate::args::{InitArgs, OutputArgs, ProjectArgs, ProjectDir, ReportArgs, ShowArgs};
use crate::exit::Exit;
use crate::{mutate, validate};

pub(crate) fn doctor(args: &ProjectArgs) -> Result<Exit, EngineError> {
    let request = args.request();
    let findings = project::doctor(&request.dir, &request.options());
    let mut out = io::stdout().lock();
    let mut worst = Severity::Good;
    for finding in &findings {
        worst = worst.max(finding.severity);
        let mark = match finding.severity {
            Severity::Good => "ok     ",
            Severity::Warning => "warning",
            Severity::Problem => "PROBLEM",
        };
        let line = format!("{mark}  {}: {}", finding.subject, finding.message);
        writeln!(out, "{line}").map_err(EngineError::Output)?;
        if let Some(advice) = &finding.advice {
            writeln!(out, "         {advice}").map_err(EngineError::Output)?;
        }
    }
    Ok(if worst == Severity::Problem {
        Exit::Project
    } else {
        Exit::Found
    })
}

pub(crate) fn init(args: &InitArgs) -> Result<Exit, EngineError> {
    if args.schema {
        let schema = serde_json::to_string_pretty(&project::schema())
            .map_err(|error| EngineError::Output(error.into()))?;
        writeln!(io::stdout(), "{schema}").map_err(EngineError::Output)?;
        return Ok(Exit::Found);
    }
    let dir = &args.dir.project;
    if !dir.is_dir() {
        return Err(EngineError::Input(format!("no folder {}", dir.display())));
    }
    let path = dir.join("braid.toml");
    if path.exists() && !args.force {
        let why = format!(
            "{} exists already; overwrite it with --force",
            path.display()
        );
        return Err(EngineError::Input(why));
    }
    let failed = |source| EngineError::Io {
        what: "write",
        path: path.clone(),
        source,
    };
    fs::write(&path, project::init(dir)).map_err(failed)?;
    writeln!(io::stdout(), "wrote {}", path.display()).map_err(EngineError::Output)?;
    Ok(Exit::Found)
}

pub(crate) fn show(args: &ShowArgs) -> Result<Exit, EngineError> {
    let history = History::find(&args.dir.project)?;
    let number = history.number(args.run)?;
    if history.is_mutate(number) {
        return mutate::show(&history, number, &args.id, args.json);
    }
    let shown = history.show(number, &args.id)?;
    let stdout = io::stdout();
    let style = Style::of(&stdout);
    let mut out = stdout.lock();
    let written = if args.json {
        writeln!(out, "{}", braid_report::jsonl_line(&shown.verdict))
    } else {
        braid_report::show(&shown, &style, &mut out)
    };
    written.map_err(EngineError::Output)?;
    Ok(Exit::Found)
}

pub(crate) fn report(args: &ReportArgs) -> Result<Exit, EngineError> {
    let history = History::find(&args.dir.project)?;
    let number = history.number(args.run)?;
    if history.is_mutate(number) {
        let format = args.format.of_mutants();
        return mutate::report(&history, number, format, args.output.as_deref());
    }
    let Some(format) = args.format.of_patches() else {
        let why = format!("run {number} is over patches, which have no report of that form");
        return Err(EngineError::Input(why));
    };
    let output = OutputArgs {
        format,
        output: args.output.clone(),
        quiet: false,
    };
    validate::write(&history.report(number)?, &output)?;
    Ok(Exit::Found)
}

pub(crate) fn runs(args: &ProjectDir) -> Result<Exit, EngineError> {
    let history = History::find(&args.project)?;
    let overviews = history.list()?;
    let stdout = io::stdout();
    let style = Style::of(&stdout);
    let mutants = history.mutate_list()?;
    let mut out = stdout.lock();
    let written = match overviews.is_empty() && !mutants.is_empty() {
        true => Ok(()),
        false => braid_report::runs(&overviews, &style, &mut out),
    };
    written
        .and_then(|()| braid_report::mutate::runs(&mutants, &style, &mut out))
        .map_err(EngineError::Output)?;
    Ok(Exit::Found)
}
