//! What the caller asks for, and what a run's `run.json` keeps of it.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::model::{NotMade, TestInfo};
use crate::{ProjectRequest, RunOptions, Settings, Stop};

/// When to do something that costs time and may save more.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum When {
    /// If it is likely to pay.
    #[default]
    Auto,
    /// In any case.
    Always,
    /// Not at all.
    Never,
}

/// Everything `mutate` needs to know.
#[derive(Clone, Debug)]
pub struct MutateRequest {
    /// Where the project is and how to build it.
    pub project: ProjectRequest,
    /// What to do.
    pub work: MutateWork,
    /// What the caller sets; the rest comes from `braid.toml` or the defaults.
    pub options: RunOptions,
    /// Whether to find out first which tests cannot notice a mutant; the same comes of it in any case.
    pub scouting: When,
    /// Neither ask nor fill the store.
    pub no_cache: bool,
    /// Set by the caller to end the run early.
    pub stop: Stop,
}

/// What to do.
#[derive(Clone, Debug)]
pub enum MutateWork {
    /// A new run.
    Start(Box<Selection>),
    /// An earlier run, to its end; the last one where no number is given.
    Resume(Option<u32>),
}

/// Which mutants to make and run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Selection {
    /// Operators and sets of them, separated by commas; none for `braid.toml`'s choice or the default set.
    pub operators: Option<String>,
    /// Only classes that fit one of these globs (`com.x.*`, `Foo`).
    pub classes: Vec<String>,
    /// No classes that fit one of these.
    pub exclude_classes: Vec<String>,
    /// Only methods that fit one of these globs (`parse*`, `Foo#parse`).
    pub methods: Vec<String>,
    /// No methods that fit one of these.
    pub exclude_methods: Vec<String>,
    /// Only mutants whose id fits one of these globs.
    pub ids: Vec<String>,
    /// Only lines that this diff adds or changes: a file, `-` is standard input.
    pub in_diff: Option<PathBuf>,
    /// Only lines changed since this revision of git.
    pub since: Option<String>,
    /// So many of them, chosen by a hash of their names.
    pub sample: Option<Sample>,
    /// One of several parts.
    pub shard: Option<Shard>,
    /// Run every test that reaches a mutant, also after one that fails.
    pub full_matrix: bool,
    /// Leave nothing out as junk.
    pub no_filters: bool,
}

/// How many mutants of all.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Sample {
    /// A number.
    Count(u64),
    /// A share in percent.
    Percent(f64),
}

impl std::str::FromStr for Sample {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || format!("`{text}` is no sample; write for instance `500` or `10%`");
        match text.strip_suffix('%') {
            Some(share) => share
                .trim()
                .parse()
                .ok()
                .filter(|share| (0.0..=100.0).contains(share))
                .map(Self::Percent),
            None => text.trim().parse().ok().map(Self::Count),
        }
        .ok_or_else(wrong)
    }
}

/// Part `number` of `of`, from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Shard {
    /// Which, from 1.
    pub number: u32,
    /// Of how many.
    pub of: u32,
}

impl std::str::FromStr for Shard {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let parts = text.split_once('/');
        let parsed =
            parts.and_then(|(k, n)| Some((k.trim().parse().ok()?, n.trim().parse().ok()?)));
        match parsed {
            Some((number, of)) if 1 <= number && number <= of => Ok(Self { number, of }),
            _ => Err(format!("`{text}` is no part; write for instance `2/5`")),
        }
    }
}

/// `run.json` of a run over mutants.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct MutateInfo {
    /// Always `mutate`: tells this run from others.
    pub job: String,
    /// The version of this form.
    pub schema_version: u32,
    /// The version of Braid.
    pub braid_version: String,
    /// When the run began, in seconds since 1970.
    pub started_unix_s: u64,
    /// The project's root.
    pub root: PathBuf,
    /// What builds it: `Maven`, `Gradle` and so on.
    pub kind: String,
    /// The JDK's version.
    pub jdk: String,
    /// How to find it again.
    pub project: ProjectRequest,
    /// Which mutants; a diff from standard input is kept in a file.
    pub selection: Selection,
    /// The operators by id.
    pub operators: Vec<String>,
    /// The settings.
    pub settings: Settings,
    /// The original program's fingerprint.
    pub fingerprint: String,
    /// How many mutants there are.
    pub total: u64,
    /// What `braid.toml` says a run must reach.
    #[serde(default)]
    pub thresholds: Thresholds,
    /// The tests that mutants name by number.
    pub tests: Vec<TestInfo>,
}

/// What a run must reach.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Thresholds {
    /// The least score, in percent.
    pub min_score: Option<f64>,
    /// The most mutants that may survive.
    pub max_survived: Option<u64>,
}

/// What `--list` and `--explain` tell: nothing is run.
#[derive(Clone, Debug, Default)]
pub struct Listing {
    /// The mutants there are to run: class, method, line, description, id.
    pub mutants: Vec<ListedMutant>,
    /// What was left out.
    pub not_made: Vec<NotMade>,
}

/// A mutant that would be run.
#[derive(Clone, Debug, Serialize)]
pub struct ListedMutant {
    /// Its name.
    pub id: String,
    /// The class, `a.b.C`.
    pub class: String,
    /// The method.
    pub method: String,
    /// The operator.
    pub operator: String,
    /// The source file, relative to the project.
    pub file: Option<String>,
    /// The line.
    pub line: Option<u32>,
    /// What was done.
    pub description: String,
}

/// An operator, for lists.
#[derive(Clone, Debug, Serialize)]
pub struct OperatorInfo {
    /// Its id.
    pub id: &'static str,
    /// PIT's names for it.
    pub pit: &'static [&'static str],
    /// What it does.
    pub summary: &'static str,
}

/// All operators.
pub fn operators() -> Vec<OperatorInfo> {
    let all = braid_mutators::operators().iter();
    all.map(|operator| OperatorInfo {
        id: operator.id,
        pit: operator.pit,
        summary: operator.summary,
    })
    .collect()
}

/// All sets of operators: name and what it is for.
pub fn operator_sets() -> Vec<(&'static str, &'static str)> {
    let sets = braid_mutators::SETS.iter();
    sets.map(|set| (set.name, set.summary)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn samples_and_shards_are_read() {
        assert_eq!("500".parse(), Ok(Sample::Count(500)));
        assert_eq!("2.5%".parse(), Ok(Sample::Percent(2.5)));
        assert!("101%".parse::<Sample>().is_err());
        assert_eq!("2/5".parse(), Ok(Shard { number: 2, of: 5 }));
        for wrong in ["0/5", "6/5", "5", "a/b"] {
            assert!(
                wrong.parse::<Shard>().unwrap_err().contains("2/5"),
                "{wrong}"
            );
        }
    }
}
