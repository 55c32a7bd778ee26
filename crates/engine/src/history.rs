//! Earlier runs of a project: lists, reports, single verdicts.

use std::path::{Path, PathBuf};

use braid_store::{LineIndex, RunState, Runs, StoreError};

use crate::{BaselineReport, EngineError, RunInfo, Summary, Tally, Verdict};

/// The runs of one project.
pub struct History {
    runs: Runs,
    braid_dir: PathBuf,
}

/// One run in a list.
#[derive(Clone, Debug)]
pub struct RunOverview {
    /// Its number.
    pub number: u32,
    /// How it stands.
    pub state: RunState,
    /// What it was asked to do.
    pub info: RunInfo,
    /// Its verdicts.
    pub tally: Tally,
}

/// Everything about one run. Verdicts are read from its folder one at a time.
pub struct RunReport {
    /// What it was asked to do.
    pub info: RunInfo,
    /// What came of it.
    pub summary: Summary,
    index: LineIndex,
}

impl RunReport {
    /// Calls `each` with every verdict, in the order of the patches.
    pub fn for_each(
        &self,
        each: impl FnMut(Verdict) -> Result<(), EngineError>,
    ) -> Result<(), EngineError> {
        self.index.for_each(each)
    }
}

/// What `summary.json` of a run holds.
pub(crate) const SUMMARY_FILE: &str = "summary.json";

impl History {
    /// The runs of the project that `dir` is in: the nearest folder upwards that has a `.braid`.
    pub fn find(dir: &Path) -> Result<Self, EngineError> {
        let start = std::path::absolute(dir).map_err(EngineError::io("find", dir))?;
        let braid_dir = start
            .ancestors()
            .map(|folder| folder.join(".braid"))
            .find(|folder| folder.join("runs").is_dir())
            .unwrap_or_else(|| start.join(".braid"));
        Ok(Self {
            runs: Runs::new(&braid_dir),
            braid_dir,
        })
    }

    /// The runs among which the run in `run_dir` is.
    pub fn at_run(run_dir: &Path) -> Self {
        let braid_dir = run_dir.ancestors().nth(2).unwrap_or(run_dir).to_owned();
        Self {
            runs: Runs::new(&braid_dir),
            braid_dir,
        }
    }

    /// Braid's folder in the project.
    pub fn braid_dir(&self) -> &Path {
        &self.braid_dir
    }

    pub(crate) fn runs(&self) -> &Runs {
        &self.runs
    }

    /// The number given, or the latest.
    pub fn number(&self, number: Option<u32>) -> Result<u32, EngineError> {
        Ok(match number {
            Some(number) => number,
            None => self.runs.latest()?,
        })
    }

    /// All runs, oldest first. Runs whose record cannot be read are left out.
    pub fn list(&self) -> Result<Vec<RunOverview>, EngineError> {
        let mut overviews = Vec::new();
        for number in self.runs.list()? {
            let Ok(info) = self.runs.info(number) else {
                continue;
            };
            let state = self.runs.state(number)?;
            let (tally, _) = self.tally(number)?;
            overviews.push(RunOverview {
                number,
                state,
                info,
                tally,
            });
        }
        Ok(overviews)
    }

    fn tally(&self, number: u32) -> Result<(Tally, LineIndex), EngineError> {
        let index = self
            .runs
            .verdicts(number, |verdict: &Verdict| verdict.seq)?;
        let mut tally = Tally::default();
        index.for_each(|verdict: Verdict| {
            tally.add(&verdict);
            Ok::<(), StoreError>(())
        })?;
        Ok((tally, index))
    }

    /// Everything about one run.
    pub fn report(&self, number: u32) -> Result<RunReport, EngineError> {
        let info: RunInfo = self.runs.info(number)?;
        let (tally, index) = self.tally(number)?;
        let dir = self.runs.path(number);
        let kept: Option<Kept> = std::fs::read(dir.join(SUMMARY_FILE))
            .ok()
            .and_then(|bytes| serde_json::from_slice(&bytes).ok());
        let kept = kept.unwrap_or_default();
        let summary = Summary {
            run: number,
            state: self.runs.state(number)?,
            total: info.total,
            tally,
            baseline: kept.baseline,
            elapsed_ms: kept.elapsed_ms,
            dir,
        };
        Ok(RunReport {
            info,
            summary,
            index,
        })
    }

    /// One patch's verdict, log and diff. `id` may be the start of an id if only one fits.
    pub fn show(&self, number: u32, id: &str) -> Result<Shown, EngineError> {
        let report = self.report(number)?;
        let mut fitting: Vec<Verdict> = Vec::new();
        report.for_each(|verdict| {
            if verdict.id == id {
                fitting.insert(0, verdict);
            } else if verdict.id.starts_with(id) {
                fitting.push(verdict);
            }
            Ok(())
        })?;
        let exact = fitting.first().is_some_and(|verdict| verdict.id == id);
        if fitting.len() > 1 && !exact {
            let names: Vec<&str> = fitting.iter().take(8).map(|v| v.id.as_str()).collect();
            return Err(EngineError::Input(format!(
                "`{id}` fits several patches of run {number}: {}",
                names.join(", ")
            )));
        }
        let Some(verdict) = fitting.into_iter().next() else {
            return Err(EngineError::Input(format!(
                "run {number} has no patch `{id}`"
            )));
        };
        let log = self.runs.log(number, &verdict.id);
        let diff = self.runs.diff(number, &verdict.id);
        Ok(Shown { verdict, log, diff })
    }
}

/// One patch in detail.
#[derive(Clone, Debug)]
pub struct Shown {
    /// Its verdict.
    pub verdict: Verdict,
    /// Its log.
    pub log: Option<String>,
    /// What it changes.
    pub diff: Option<String>,
}

/// The part of a summary that verdicts do not tell.
#[derive(Default, serde::Serialize, serde::Deserialize)]
pub(crate) struct Kept {
    pub baseline: BaselineReport,
    pub elapsed_ms: u64,
}
