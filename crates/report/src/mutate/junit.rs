//! JUnit XML: one test case a mutant, which passes if a test notices the mutant.

use std::io::{self, Write};

use braid_engine::mutate::{MutantResult, Status};

use crate::junit::{escape, seconds};
use crate::mutate::{Mutants, place};

pub(crate) fn write(mutants: &Mutants<'_>, out: &mut dyn Write) -> io::Result<()> {
    let summary = &mutants.report.summary;
    writeln!(
        out,
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>"
    )?;
    writeln!(
        out,
        "  <testsuite name=\"braid mutate, run {}\" tests=\"{}\" failures=\"{}\" errors=\"0\" skipped=\"{}\" time=\"{}\">",
        summary.run,
        summary.tally.total(),
        summary.tally.of(Status::Survived),
        summary.tally.of(Status::NotCovered),
        seconds(summary.elapsed_ms),
    )?;
    for result in mutants.results {
        writeln!(out, "{}", case(result))?;
    }
    writeln!(out, "  </testsuite>\n</testsuites>")
}

fn case(result: &MutantResult) -> String {
    let open = format!(
        "    <testcase classname=\"{}\" name=\"{}\" time=\"{}\"",
        escape(&result.class),
        escape(&format!("{} ({})", result.description, result.id)),
        seconds(result.elapsed_us / 1_000),
    );
    let message = escape(&format!("{}: {}", place(result), result.description));
    match result.status {
        Status::Survived => format!(
            "{open}>\n      <failure type=\"survived\" message=\"{message}\">{} tests pass</failure>\n    </testcase>",
            result.covered_by.len()
        ),
        Status::NotCovered => {
            format!(
                "{open}>\n      <skipped message=\"no test reaches it: {message}\"/>\n    </testcase>"
            )
        }
        _ => format!("{open}/>"),
    }
}
