//! Runs over mutants, read back from their folders; several merged into one.

use std::fs;
use std::path::{Path, PathBuf};

use braid_store::{LineIndex, RunState, Runs, StoreError};
use serde::{Deserialize, Serialize};

use super::model::{MutantResult, MutantTally, MutateSummary, NotMade, Phase};
use super::request::{MutateInfo, Selection, Shard};
use crate::history::{History, SUMMARY_FILE};
use crate::setup::write_json;
use crate::{BaselineReport, EngineError};

/// What was left out, in a run folder.
pub(crate) const NOT_MADE_FILE: &str = "not-made.json";

/// The part of a summary that results do not tell: what `summary.json` holds.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Kept {
    /// The original program.
    pub baseline: BaselineReport,
    /// How long the run took.
    pub elapsed_ms: u64,
    /// Where that time went.
    #[serde(default)]
    pub phases: Vec<Phase>,
    /// How long each test took on mutants in all.
    #[serde(default)]
    pub test_us: Vec<u64>,
}

pub(crate) fn write_kept(summary: &MutateSummary, test_us: Vec<u64>) -> Result<(), EngineError> {
    let kept = Kept {
        baseline: summary.baseline.clone(),
        elapsed_ms: summary.elapsed_ms,
        phases: summary.phases.clone(),
        test_us,
    };
    write_json(&summary.dir.join(SUMMARY_FILE), &kept)
}

/// Everything about one run over mutants. Results are read from its folder one at a time.
pub struct MutateReport {
    /// What it was asked to do.
    pub info: MutateInfo,
    /// What came of it.
    pub summary: MutateSummary,
    /// What was left out, and why.
    pub not_made: Vec<NotMade>,
    /// How long each test took on mutants in all.
    pub test_us: Vec<u64>,
    index: LineIndex,
}

impl MutateReport {
    /// Calls `each` with every result, in the order of the mutants.
    pub fn for_each(
        &self,
        each: impl FnMut(MutantResult) -> Result<(), EngineError>,
    ) -> Result<(), EngineError> {
        self.index.for_each(each)
    }
}

/// So many mutants are named where several fit.
const SHOWN: usize = 20;

/// A mutant among several.
fn line(result: &MutantResult) -> String {
    let line = result
        .line
        .map_or(String::new(), |line| format!("line {line}: "));
    format!(
        "  {}  ({line}{}, {})",
        result.id, result.description, result.status
    )
}

/// Whether a mutant is at a place: `Foo.java:12`, or with folders.
fn is_at(result: &MutantResult, place: &str) -> bool {
    let (Some(file), Some(line)) = (&result.file, result.line) else {
        return false;
    };
    let own = format!("/{file}:{line}");
    own.ends_with(&format!("/{place}"))
}

impl History {
    /// Whether a run was over mutants.
    pub fn is_mutate(&self, number: u32) -> bool {
        self.mutate_info(number).is_ok()
    }

    pub(crate) fn mutate_info(&self, number: u32) -> Result<MutateInfo, EngineError> {
        let mut info: MutateInfo = self.runs().info(number)?;
        settle(&mut info, self.braid_dir());
        Ok(info)
    }

    /// All runs over mutants, oldest first.
    pub fn mutate_list(&self) -> Result<Vec<MutateReport>, EngineError> {
        let numbers = self.runs().list()?.into_iter();
        let ours = numbers.filter(|number| self.is_mutate(*number));
        ours.map(|number| self.mutate_report(number)).collect()
    }

    /// Everything about one run over mutants.
    pub fn mutate_report(&self, number: u32) -> Result<MutateReport, EngineError> {
        read(self.runs(), number)
    }

    /// One mutant of a run. `id` may be a part of an id, or a place such as `Foo.java:12`, if only one fits.
    pub fn mutant(&self, number: u32, id: &str) -> Result<(MutateInfo, MutantResult), EngineError> {
        let report = self.mutate_report(number)?;
        let mut fitting: Vec<MutantResult> = Vec::new();
        report.for_each(|result| {
            if result.id == id {
                fitting.insert(0, result);
            } else if result.id.contains(id) || is_at(&result, id) {
                fitting.push(result);
            }
            Ok(())
        })?;
        let exact = fitting.first().is_some_and(|result| result.id == id);
        if fitting.len() > 1 && !exact {
            let lines: Vec<String> = fitting.iter().take(SHOWN).map(line).collect();
            let more = match fitting.len() - lines.len() {
                0 => String::new(),
                more => format!("\n  and {more} more"),
            };
            return Err(EngineError::Input(format!(
                "`{id}` fits several mutants of run {number}:\n{}{more}",
                lines.join("\n")
            )));
        }
        match fitting.into_iter().next() {
            Some(result) => Ok((report.info, result)),
            None => Err(EngineError::Input(format!(
                "run {number} has no mutant `{id}`"
            ))),
        }
    }
}

fn read(runs: &Runs, number: u32) -> Result<MutateReport, EngineError> {
    let mut info: MutateInfo = runs.info(number)?;
    let dir = runs.path(number);
    if let Some(braid_dir) = dir.ancestors().nth(2) {
        settle(&mut info, braid_dir);
    }
    let index = runs.verdicts(number, |result: &MutantResult| result.seq)?;
    let mut tally = MutantTally::default();
    index.for_each(|result: MutantResult| {
        tally.add(&result);
        Ok::<(), StoreError>(())
    })?;
    let kept: Kept = read_json(&dir.join(SUMMARY_FILE)).unwrap_or_default();
    let summary = MutateSummary {
        run: number,
        state: runs.state(number)?,
        total: info.total,
        tally,
        baseline: kept.baseline,
        elapsed_ms: kept.elapsed_ms,
        phases: kept.phases,
        dir: dir.clone(),
    };
    Ok(MutateReport {
        info,
        summary,
        not_made: read_json(&dir.join(NOT_MADE_FILE)).unwrap_or_default(),
        test_us: kept.test_us,
        index,
    })
}

/// The project is where its `.braid` is now: it may have been moved or copied, or be another machine's.
fn settle(info: &mut MutateInfo, braid_dir: &Path) {
    let absolute = std::path::absolute(braid_dir);
    if let Ok(path) = absolute
        && path.ends_with(".braid")
        && let Some(root) = path.parent()
    {
        info.root = root.to_owned();
    }
}

fn read_json<T: for<'de> Deserialize<'de>>(path: &Path) -> Option<T> {
    serde_json::from_slice(&fs::read(path).ok()?).ok()
}

/// Makes one run of the parts (`--shard`) in these run folders; gives its number and whether parts are missing.
pub fn merge(history: &History, parts: &[PathBuf]) -> Result<(u32, Vec<String>), EngineError> {
    let mut reports = Vec::new();
    for dir in parts {
        reports.push(open_part(dir)?);
    }
    let Some(first) = reports.first() else {
        return Err(EngineError::Input("there is nothing to merge".to_owned()));
    };
    let mut info = first.info.clone();
    let mut shards: Vec<Shard> = Vec::new();
    for (report, dir) in reports.iter().zip(parts) {
        if report.info.fingerprint != info.fingerprint || report.info.tests != info.tests {
            return Err(EngineError::Input(format!(
                "{} is of another program, or was run by another Braid or JDK, than {}",
                dir.display(),
                parts[0].display()
            )));
        }
        if !same_mutants(&report.info, &info) {
            return Err(EngineError::Input(format!(
                "{} was asked for other mutants than {}; parts differ in `--shard` only",
                dir.display(),
                parts[0].display()
            )));
        }
        shards.extend(report.info.selection.shard);
    }
    let warnings = missing(&shards);
    info.total = reports.iter().map(|report| report.info.total).sum();
    info.selection.shard = None;
    settle(&mut info, history.braid_dir());
    let mut run = history.runs().create(&info)?;
    let mut seq = 0;
    let mut seen = std::collections::HashSet::new();
    for report in &reports {
        report.for_each(|mut result| {
            if seen.insert(result.id.clone()) {
                result.seq = seq;
                seq += 1;
                run.append(&result)?;
            }
            Ok(())
        })?;
    }
    info.total = seq.max(info.total.min(seq));
    run.write_info(&info)?;
    write_merged(&reports, run.dir())?;
    let whole = reports
        .iter()
        .all(|r| r.summary.state == RunState::Complete);
    run.finish(if whole && warnings.is_empty() {
        RunState::Complete
    } else {
        RunState::Interrupted
    })?;
    Ok((run.number(), warnings))
}

/// Whether two runs were asked for parts of the same mutants. Where a diff is kept tells nothing of it.
fn same_mutants(one: &MutateInfo, other: &MutateInfo) -> bool {
    let asked = |info: &MutateInfo| Selection {
        shard: None,
        operators: None,
        in_diff: None,
        ..info.selection.clone()
    };
    one.operators == other.operators
        && one.selection.in_diff.is_some() == other.selection.in_diff.is_some()
        && asked(one) == asked(other)
}

fn write_merged(reports: &[MutateReport], dir: &Path) -> Result<(), EngineError> {
    let mut kept = Kept {
        baseline: reports[0].summary.baseline.clone(),
        test_us: vec![0; reports[0].test_us.len()],
        ..Kept::default()
    };
    for report in reports {
        kept.elapsed_ms += report.summary.elapsed_ms;
        for (sum, us) in kept.test_us.iter_mut().zip(&report.test_us) {
            *sum += us;
        }
    }
    write_json(&dir.join(SUMMARY_FILE), &kept)?;
    write_json(&dir.join(NOT_MADE_FILE), &reports[0].not_made)
}

/// A run folder of any project.
fn open_part(dir: &Path) -> Result<MutateReport, EngineError> {
    let wrong = || EngineError::Input(format!("{} is no folder of a run", dir.display()));
    let dir = std::path::absolute(dir).map_err(EngineError::io("find", dir))?;
    let number = dir.file_name().and_then(|name| name.to_str()?.parse().ok());
    let braid_dir = dir.parent().and_then(Path::parent).ok_or_else(wrong)?;
    read(&Runs::new(braid_dir), number.ok_or_else(wrong)?)
}

/// What to say of parts that are not there.
fn missing(shards: &[Shard]) -> Vec<String> {
    let Some(of) = shards.iter().map(|shard| shard.of).max() else {
        return Vec::new();
    };
    let there = |number: u32| shards.iter().any(|s| s.number == number && s.of == of);
    (1..=of)
        .filter(|number| !there(*number))
        .map(|number| format!("part {number}/{of} is missing"))
        .collect()
}
