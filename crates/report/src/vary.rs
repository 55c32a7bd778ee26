//! What `vary` found: for people, and as JSON.

use std::collections::BTreeMap;
use std::io::{self, Write};

use braid_engine::vary::{
    Condition, Conditional, End, Outcome, ProgramReport, Stream, TestReport, TestsReport,
    TraceReport, VaryReport, VaryStats,
};

use crate::style::Style;

/// What may be left out of the text.
#[derive(Clone, Copy, Debug, Default)]
pub struct VaryText {
    /// Name tests that pass in every configuration.
    pub passing: bool,
    /// Figures of the run.
    pub stats: bool,
}

/// The report as one JSON object.
pub fn vary_json(report: &VaryReport, out: &mut dyn Write) -> io::Result<()> {
    let written = match report {
        VaryReport::Program(report) => serde_json::to_writer_pretty(&mut *out, report),
        VaryReport::Tests(report) => serde_json::to_writer_pretty(&mut *out, report),
    };
    written?;
    writeln!(out)
}

/// The report for people.
pub fn vary_text(
    report: &VaryReport,
    what: VaryText,
    style: &Style,
    out: &mut dyn Write,
) -> io::Result<()> {
    match report {
        VaryReport::Program(report) => program(report, what, style, out),
        VaryReport::Tests(report) => tests(report, what, style, out),
    }
}

fn head(
    options: &[String],
    (meanings, left_out, features): (&BTreeMap<String, String>, &[String], &[String]),
    configurations: &str,
    style: &Style,
    out: &mut dyn Write,
) -> io::Result<()> {
    let line = format!(
        "{}, {}",
        count(options.len(), "option"),
        if configurations == "1" {
            "1 configuration".to_owned()
        } else {
            format!("{} configurations", short_number(configurations))
        }
    );
    writeln!(out, "{}", style.bold(&line))?;
    if !options.is_empty() && options.len() <= MANY {
        writeln!(out, "{}", style.dim(&options.join(", ")))?;
    }
    for option in options {
        if let Some(meaning) = meanings.get(option) {
            writeln!(out, "{option}: {meaning}")?;
        }
    }
    for what in left_out {
        writeln!(out, "not an option: {what}")?;
    }
    if !features.is_empty() {
        writeln!(out, "only in the feature model: {}", features.join(", "))?;
    }
    writeln!(out)
}

/// Options beyond this many are not listed.
const MANY: usize = 40;

fn program(
    report: &ProgramReport,
    what: VaryText,
    style: &Style,
    out: &mut dyn Write,
) -> io::Result<()> {
    head(
        &report.options,
        (&report.meanings, &report.left_out, &report.features),
        &report.configurations,
        style,
        out,
    )?;
    for piece in &report.output {
        let stream = match piece.value.stream {
            Stream::Out => "out",
            Stream::Err => "err",
        };
        let when = when(&piece.when);
        for line in piece.value.text.lines() {
            writeln!(out, "{}  {line}", style.dim(&format!("{stream} {when}")))?;
        }
    }
    trace(&report.trace, style, out)?;
    writeln!(out)?;
    for end in &report.ends {
        let text = match &end.value {
            End::Returned => "returns".to_owned(),
            End::Exited(status) => format!("exits with {status}"),
            End::Threw(class, message) => format!("throws {}", exception(class, message)),
            End::Endless => "does not end within its fuel".to_owned(),
            End::Unknown(reason) => format!("is unknown: {reason}"),
        };
        writeln!(out, "{text}")?;
        condition(&end.when, &report.configurations, style, out)?;
    }
    stats(&report.stats, what, out)
}

fn tests(
    report: &TestsReport,
    what: VaryText,
    style: &Style,
    out: &mut dyn Write,
) -> io::Result<()> {
    head(
        &report.options,
        (&report.meanings, &report.left_out, &report.features),
        &report.configurations,
        style,
        out,
    )?;
    let mut tally = Tally::default();
    for test in &report.tests {
        tally.add(test);
        one_test(test, what, style, out)?;
    }
    for problem in &report.problems {
        let first = problem.problem.lines().next().unwrap_or_default();
        writeln!(out, "{}: its tests are unknown: {first}", problem.class)?;
    }
    tally.write(out)?;
    stats(&report.stats, what, out)
}

fn one_test(
    test: &TestReport,
    what: VaryText,
    style: &Style,
    out: &mut dyn Write,
) -> io::Result<()> {
    let fine = |o: &Conditional<Outcome>| matches!(o.value, Outcome::Passed | Outcome::Skipped(_));
    let quiet = test.outcomes.iter().all(fine) && test.trace.values.is_empty();
    if quiet && !what.passing {
        return Ok(());
    }
    writeln!(out, "{}", style.bold(&test.name))?;
    for outcome in &test.outcomes {
        let text = match &outcome.value {
            Outcome::Passed => "passes".to_owned(),
            Outcome::Failed(class, message) => format!("fails: {}", exception(class, message)),
            Outcome::Skipped(reason) => format!("is skipped: {reason}"),
            Outcome::Endless => "does not end within its fuel".to_owned(),
            Outcome::Unknown(reason) => format!("is unknown: {reason}"),
        };
        writeln!(out, "  {text}")?;
        condition(&outcome.when, &test.configurations, style, out)?;
    }
    trace(&test.trace, style, out)
}

/// The lines below an outcome: where it holds, the smallest set of options, what interacts.
fn condition(
    cond: &Condition,
    configurations: &str,
    style: &Style,
    out: &mut dyn Write,
) -> io::Result<()> {
    if cond.interacting.is_empty() {
        return writeln!(out, "    {}", style.dim("in every configuration"));
    }
    let share = format!(
        "({} of {})",
        short_number(&cond.configurations),
        short_number(configurations)
    );
    writeln!(out, "    when {} {}", cond.formula, style.dim(&share))?;
    let smallest = if cond.smallest.is_empty() {
        "all options off".to_owned()
    } else {
        cond.smallest.join(" + ")
    };
    let depends = cond.interacting.join(", ");
    let line = format!("smallest: {smallest}; depends on {depends}");
    writeln!(out, "    {}", style.dim(&line))
}

/// Stores that a text shows; the JSON report has more.
const MOST_STORES: usize = 200;

fn trace(trace: &TraceReport, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    for value in trace.values.iter().take(MOST_STORES) {
        let place = match value.value.line {
            Some(line) => format!("{}:{line}", value.value.method),
            None => value.value.method.clone(),
        };
        let text = format!("{} = {}", value.value.variable, value.value.value);
        let when = when(&value.when);
        writeln!(out, "  {}  {text}  {when}", style.dim(&place))?;
    }
    let more = trace.dropped as usize + trace.values.len().saturating_sub(MOST_STORES);
    if more > 0 {
        writeln!(out, "  … and {more} more stores")?;
    }
    Ok(())
}

fn stats(stats: &VaryStats, what: VaryText, out: &mut dyn Write) -> io::Result<()> {
    if !what.stats {
        return Ok(());
    }
    writeln!(out, "\nsteps (calls and backward jumps)  {}", stats.steps)?;
    writeln!(
        out,
        "of the longest configuration      {} at most: all together take {:.2} times that",
        stats.longest,
        stats.steps as f64 / stats.longest.max(1) as f64
    )?;
    writeln!(
        out,
        "contexts split / states merged    {} / {}",
        stats.splits, stats.merges
    )?;
    writeln!(
        out,
        "most waiting states of a frame    {}",
        stats.peak_states
    )?;
    writeln!(
        out,
        "most alternatives of a value      {}",
        stats.peak_choices
    )?;
    writeln!(
        out,
        "most nodes of diagrams            {}",
        stats.peak_nodes
    )?;
    writeln!(
        out,
        "most heap                         {} KiB",
        stats.peak_heap / 1024
    )?;
    writeln!(
        out,
        "collections                       {}",
        stats.collections
    )
}

/// How the tests went, and which options matter together.
#[derive(Default)]
struct Tally {
    total: usize,
    passing: usize,
    /// Passing in no configuration and failing in none.
    skipped: usize,
    failing: usize,
    unknown: usize,
    sets: BTreeMap<Vec<String>, usize>,
}

impl Tally {
    fn add(&mut self, test: &TestReport) {
        self.total += 1;
        let mut fails = false;
        let mut unknown = false;
        let mut passes = false;
        for outcome in &test.outcomes {
            match outcome.value {
                Outcome::Failed(..) | Outcome::Endless => {
                    fails = true;
                    if !outcome.when.interacting.is_empty() {
                        let set = outcome.when.interacting.clone();
                        *self.sets.entry(set).or_default() += 1;
                    }
                }
                Outcome::Unknown(_) => unknown = true,
                Outcome::Passed => passes = true,
                Outcome::Skipped(_) => {}
            }
        }
        self.failing += usize::from(fails);
        self.unknown += usize::from(unknown);
        self.passing += usize::from(passes && !fails && !unknown);
        self.skipped += usize::from(!passes && !fails && !unknown);
    }

    fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        write!(
            out,
            "{}: {} pass in every configuration, {} fail in some, {} unknown in some",
            count(self.total, "test"),
            self.passing,
            self.failing,
            self.unknown
        )?;
        if self.skipped > 0 {
            write!(out, ", {} skipped in all", self.skipped)?;
        }
        writeln!(out)?;
        for (set, times) in &self.sets {
            let verb = if set.len() > 1 { "interact" } else { "matters" };
            writeln!(
                out,
                "{} {verb} in {}",
                set.join(", "),
                count(*times, "failure")
            )?;
        }
        Ok(())
    }
}

fn when(cond: &Condition) -> String {
    if cond.interacting.is_empty() {
        "always".to_owned()
    } else {
        format!("when {}", cond.formula)
    }
}

fn exception(class: &str, message: &Option<String>) -> String {
    match message.as_deref().and_then(|text| text.lines().next()) {
        Some(message) => format!("{class}: {message}"),
        None => class.to_owned(),
    }
}

fn count(number: usize, what: &str) -> String {
    let plural = if number == 1 { "" } else { "s" };
    format!("{number} {what}{plural}")
}

/// Numbers of configurations get long.
fn short_number(digits: &str) -> String {
    if digits.len() <= 9 {
        return digits.to_owned();
    }
    format!("{}.{}e{}", &digits[..1], &digits[1..3], digits.len() - 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn large_numbers_of_configurations_are_shortened() {
        assert_eq!(short_number("64"), "64");
        assert_eq!(
            short_number("340282366920938463463374607431768211456"),
            "3.40e38"
        );
    }

    fn always(name: &str, configurations: &str, value: Outcome) -> TestReport {
        let when = Condition {
            formula: "true".into(),
            smallest: Vec::new(),
            interacting: Vec::new(),
            configurations: configurations.into(),
        };
        TestReport {
            name: name.into(),
            configurations: configurations.into(),
            outcomes: vec![Conditional { when, value }],
            sampled: Vec::new(),
            trace: TraceReport::default(),
        }
    }

    fn module(configurations: &str, tests: Vec<TestReport>) -> TestsReport {
        TestsReport {
            options: Vec::new(),
            meanings: BTreeMap::new(),
            left_out: Vec::new(),
            features: Vec::new(),
            configurations: configurations.into(),
            tests,
            problems: Vec::new(),
            stats: VaryStats::default(),
        }
    }

    #[test]
    fn a_test_that_is_skipped_everywhere_does_not_count_as_passing() {
        let tests = [
            always("T#a", "4", Outcome::Passed),
            always("T#b", "4", Outcome::Skipped("later".into())),
        ];
        let mut tally = Tally::default();
        tests.iter().for_each(|test| tally.add(test));
        let mut out = Vec::new();
        tally.write(&mut out).expect("written");
        assert_eq!(
            String::from_utf8(out).expect("text"),
            "2 tests: 1 pass in every configuration, 0 fail in some, 0 unknown in some, 1 skipped in all\n"
        );
    }

    #[test]
    fn of_several_modules_the_largest_space_is_named() {
        let mut all = module("4", vec![always("T#a", "4", Outcome::Passed)]);
        all.add(module("16", vec![always("U#a", "16", Outcome::Passed)]));
        all.add(module("8", vec![always("V#a", "8", Outcome::Passed)]));
        assert_eq!(all.configurations, "16");
        assert_eq!(all.tests[2].configurations, "8");
    }

    #[test]
    fn a_failing_test_shows_its_condition_the_smallest_set_and_what_interacts() {
        let when = Condition {
            formula: "a & !b".into(),
            smallest: vec!["a".into()],
            interacting: vec!["a".into(), "b".into()],
            configurations: "1".into(),
        };
        let report = VaryReport::Tests(TestsReport {
            options: vec!["a".into(), "b".into()],
            meanings: BTreeMap::from([("b".into(), "T.java:3 in f: less".into())]),
            left_out: vec!["T.java:4 in g: more: too long".into()],
            features: vec!["Root".into(), "typo".into()],
            configurations: "4".into(),
            tests: vec![TestReport {
                name: "T#t".into(),
                configurations: "4".into(),
                outcomes: vec![Conditional {
                    when,
                    value: Outcome::Failed("X".into(), Some("boom".into())),
                }],
                sampled: Vec::new(),
                trace: TraceReport::default(),
            }],
            problems: Vec::new(),
            stats: VaryStats::default(),
        });
        let mut out = Vec::new();
        vary_text(&report, VaryText::default(), &Style::PLAIN, &mut out).expect("written");
        let text = String::from_utf8(out).expect("text");
        for part in [
            "2 options, 4 configurations",
            "b: T.java:3 in f: less",
            "not an option: T.java:4 in g: more: too long",
            "only in the feature model: Root, typo",
            "T#t\n  fails: X: boom\n    when a & !b (1 of 4)",
            "smallest: a; depends on a, b",
            "1 test: 0 pass in every configuration, 1 fail in some, 0 unknown in some",
            "a, b interact in 1 failure",
        ] {
            assert!(text.contains(part), "{part} is missing in\n{text}");
        }
    }
}
