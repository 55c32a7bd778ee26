//! PIT's `mutations.xml`, for tools that read it.

use std::io::{self, Write};

use braid_engine::mutate::{MutantResult, Status};

use crate::junit::escape;
use crate::mutate::Mutants;

pub(crate) fn write(mutants: &Mutants<'_>, out: &mut dyn Write) -> io::Result<()> {
    let partial = mutants.report.summary.tally.total() < mutants.report.summary.total;
    writeln!(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>")?;
    writeln!(out, "<mutations partial=\"{partial}\">")?;
    for result in mutants.results {
        writeln!(out, "{}", mutation(mutants, result))?;
    }
    writeln!(out, "</mutations>")
}

fn status(status: Status) -> &'static str {
    match status {
        Status::Survived => "SURVIVED",
        Status::NotCovered => "NO_COVERAGE",
        Status::Killed => "KILLED",
        Status::Timeout => "TIMED_OUT",
        Status::Error => "MEMORY_ERROR",
    }
}

fn mutation(mutants: &Mutants<'_>, result: &MutantResult) -> String {
    let mut killers: Vec<u32> = result.killed_by.clone();
    killers.extend(result.timeout_by.iter().chain(&result.error_by));
    let full = mutants.report.info.selection.full_matrix;
    let names = |numbers: &[u32]| {
        let names: Vec<&str> = numbers.iter().map(|number| mutants.test(*number)).collect();
        escape(&names.join("|"))
    };
    let tests = if full {
        let passed: Vec<u32> = result
            .covered_by
            .iter()
            .copied()
            .filter(|test| !killers.contains(test))
            .collect();
        format!(
            "<killingTests>{}</killingTests><succeedingTests>{}</succeedingTests>",
            names(&killers),
            names(&passed)
        )
    } else {
        format!("<killingTest>{}</killingTest>", names(&killers))
    };
    let file = result.file.as_deref().unwrap_or_default();
    let file = file.rsplit('/').next().unwrap_or_default();
    format!(
        "<mutation detected=\"{}\" status=\"{}\" numberOfTestsRun=\"{}\"><sourceFile>{}</sourceFile>\
         <mutatedClass>{}</mutatedClass><mutatedMethod>{}</mutatedMethod><methodDescription>{}</methodDescription>\
         <lineNumber>{}</lineNumber><mutator>{}</mutator><indexes><index>{}</index></indexes>\
         <blocks><block>{}</block></blocks>{tests}<description>{}</description></mutation>",
        result.status.is_detected(),
        status(result.status),
        result.tests_run,
        escape(file),
        escape(&result.class),
        escape(&result.method),
        escape(&result.descriptor),
        result.line.unwrap_or(0),
        escape(&result.operator),
        result.insn,
        result.block,
        escape(&result.description),
    )
}
