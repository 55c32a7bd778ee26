//! `braid validate`.

use std::fs::File;
use std::io::{self, BufWriter, Write};

use braid_engine::{
    EngineError, History, RunReport, Stop, Summary, ValidateRequest, Work, validate as judge,
};
use braid_report::{Format, Lines, Mode, Style};

use crate::args::{OutputArgs, ValidateArgs};
use crate::exit::{self, Exit};
use crate::signals;

pub(crate) fn validate(args: &ValidateArgs) -> Result<Exit, EngineError> {
    let work = match args.resume {
        Some(number) => Work::Resume(number),
        None => Work::Start(args.select.patches(&args.patches)),
    };
    let request = ValidateRequest {
        project: args.project.request(),
        work,
        options: args.run.options(&args.select),
        no_cache: args.run.no_cache,
        stop: Stop::default(),
    };
    run(&request, &args.output).map(|summary| exit::of_summary(&summary))
}

/// Runs a request with progress, and writes the report.
pub(crate) fn run(request: &ValidateRequest, output: &OutputArgs) -> Result<Summary, EngineError> {
    signals::watch(&request.stop);
    let format = Format::from(output.format);
    let stream = format == Format::Jsonl && output.output.is_none();
    let mode = if output.quiet {
        Mode::Quiet
    } else {
        Mode::Normal
    };
    let mut progress = Lines::new(mode, stream);
    let outcome = judge(request, &mut progress);
    drop(progress);
    let summary = outcome.inspect_err(hint)?;
    if stream {
        if !output.quiet {
            let style = Style::of(&io::stderr());
            braid_report::closing(&summary, &style, &mut io::stderr())
                .map_err(EngineError::Output)?;
        }
        return Ok(summary);
    }
    let history = History::at_run(&summary.dir);
    write(&history.report(summary.run)?, output)?;
    Ok(summary)
}

/// What a user can do after a run broke off.
pub(crate) fn hint(error: &EngineError) {
    if let EngineError::Store(_) | EngineError::Exec(_) | EngineError::Io { .. } = error {
        eprintln!("what was judged before is kept; once this is mended, go on with --resume");
    }
}

/// Writes a report to where it was asked for.
pub(crate) fn write(report: &RunReport, output: &OutputArgs) -> Result<(), EngineError> {
    let format = Format::from(output.format);
    match &output.output {
        None => {
            let stdout = io::stdout();
            let style = Style::of(&stdout);
            let mut out = BufWriter::new(stdout.lock());
            braid_report::write(format, report, &style, &mut out)
        }
        Some(path) => {
            let failed = |source| EngineError::Io {
                what: "write",
                path: path.clone(),
                source,
            };
            let mut out = BufWriter::new(File::create(path).map_err(failed)?);
            braid_report::write(format, report, &Style::PLAIN, &mut out)?;
            out.flush().map_err(failed)
        }
    }
}
