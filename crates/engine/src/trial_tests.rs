//! Trials against JVMs that follow a script.

use std::collections::HashMap;
use std::ops::ControlFlow;
use std::time::Duration;

use braid_exec::{Crash, CrashKind, Event, RunEnd, Timeout};
use braid_protocol::{Failure, LeafId, Outcome, UnitId};

use crate::expect::tests::baseline;
use crate::expect::{Expectations, Targets};
use crate::plan::Batch;
use crate::trial::{Bad, Jvms, Thoroughness, Trial};
use crate::{EngineError, FlakyPolicy};

/// What each unit does, run after run: `pass`, `fail`, `skip`, `hang`, `exit`, `none`; the last repeats.
struct Script {
    steps: HashMap<&'static str, Vec<&'static str>>,
    ran: Vec<String>,
}

impl Script {
    fn new(lines: &[(&'static str, &'static str)]) -> Self {
        let steps = lines
            .iter()
            .map(|(unit, steps)| (*unit, steps.split(' ').collect()));
        Self {
            steps: steps.collect(),
            ran: Vec::new(),
        }
    }

    fn step(&mut self, unit: &UnitId) -> &'static str {
        let steps = self
            .steps
            .iter_mut()
            .find(|(name, _)| **name == unit.0)
            .unwrap()
            .1;
        if steps.len() > 1 {
            steps.remove(0)
        } else {
            steps[0]
        }
    }
}

impl Jvms for Script {
    fn run(
        &mut self,
        _module: &str,
        units: &[UnitId],
        on_event: &mut dyn FnMut(&Event) -> ControlFlow<()>,
    ) -> Result<RunEnd, EngineError> {
        for unit in units {
            self.ran.push(unit.0.clone());
            let leaf = LeafId(unit.0.clone());
            let outcome = match self.step(unit) {
                "pass" => Some(Outcome::Passed),
                "skip" => Some(Outcome::Skipped {
                    reason: String::new(),
                }),
                "fail" => Some(Outcome::Failed(Failure {
                    assertion: true,
                    exception: "E".into(),
                    message: Some("wrong".into()),
                    trace: String::new(),
                })),
                "hang" => {
                    let limit = Duration::from_secs(2);
                    let unit = Some(unit.clone());
                    return Ok(RunEnd::Timeout(Timeout {
                        unit,
                        leaf: None,
                        limit,
                        stack: None,
                    }));
                }
                "exit" => {
                    return Ok(RunEnd::Crashed(Box::new(Crash {
                        unit: Some(unit.clone()),
                        leaf: None,
                        kind: CrashKind::Exit { code: 3 },
                        stderr: "bye".into(),
                        hs_err: None,
                        stack: None,
                    })));
                }
                _ => None,
            };
            let duration = Duration::ZERO;
            if let Some(outcome) = outcome {
                let event = Event::LeafFinished {
                    unit: unit.clone(),
                    leaf,
                    outcome,
                    duration,
                };
                if on_event(&event).is_break() {
                    return Ok(RunEnd::Stopped);
                }
            }
            if on_event(&Event::UnitFinished {
                unit: unit.clone(),
                duration,
            })
            .is_break()
            {
                return Ok(RunEnd::Stopped);
            }
        }
        Ok(RunEnd::Done)
    }

    fn end(&mut self, _module: &str) {
        self.ran.push("end".into());
    }
}

/// Runs a script against a baseline; gives what is bad, what is unsteady, and what was run.
fn check(
    before: &[&str],
    script: &[(&'static str, &'static str)],
    how: Thoroughness,
) -> (Vec<String>, Vec<String>, String) {
    let mut jvms = Script::new(script);
    let baseline = baseline(before);
    let policy = if how.retry {
        FlakyPolicy::Retry
    } else {
        FlakyPolicy::Skip
    };
    let expect = Expectations::new(&baseline, Targets::of_baseline(&baseline), policy);
    let units = baseline.units().map(|(_, unit)| unit.id.clone()).collect();
    let times = HashMap::new();
    let mut trial = Trial::new(&expect, &times, how);
    trial
        .run(
            &[Batch {
                module: "m".into(),
                units,
            }],
            &mut jvms,
        )
        .unwrap();
    let lines = |bad: &[Bad]| bad.iter().map(Bad::line).collect();
    (
        lines(&trial.bad),
        lines(&trial.unsteady),
        jvms.ran.join(" "),
    )
}

const QUICK: Thoroughness = Thoroughness {
    full: false,
    retry: false,
};
const FULL: Thoroughness = Thoroughness {
    full: true,
    retry: false,
};
const RETRY: Thoroughness = Thoroughness {
    full: false,
    retry: true,
};

#[test]
fn the_first_failure_ends_a_quick_trial_and_not_a_full_one() {
    let before = ["T#a pass", "T#b pass", "T#c pass"];
    let script = [("T#a", "pass"), ("T#b", "fail"), ("T#c", "exit")];
    let (bad, _, ran) = check(&before, &script, QUICK);
    assert_eq!(
        (bad.as_slice(), ran.as_str()),
        (&["T#b: wrong".to_owned()][..], "T#a T#b")
    );
    let (bad, _, ran) = check(&before, &script, FULL);
    assert_eq!(bad, ["T#b: wrong", "the JVM ended with exit code 3 in T#c"]);
    assert_eq!(ran, "T#a T#b T#c end");
}

#[test]
fn a_full_trial_goes_on_in_another_jvm_after_a_hang() {
    let before = ["T#a pass", "T#b pass"];
    let (bad, _, ran) = check(&before, &[("T#a", "hang"), ("T#b", "fail")], FULL);
    assert_eq!(bad, ["T#a did not end within 2.0 s", "T#b: wrong"]);
    assert_eq!(ran, "T#a T#b end");
}

#[test]
fn a_failing_test_must_pass_and_not_just_stop_failing() {
    for (step, why) in [
        ("fail", Some("T#a: wrong")),
        ("skip", Some("T#a: had to pass, but was skipped")),
        ("none", Some("T#a: had to pass, but did not run")),
        ("pass", None),
    ] {
        let (bad, _, _) = check(&["T#a fail"], &[("T#a", step)], QUICK);
        assert_eq!(bad.first().map(String::as_str), why, "{step}");
    }
}

#[test]
fn a_passing_test_may_be_skipped() {
    let (bad, _, _) = check(&["T#a pass"], &[("T#a", "skip")], QUICK);
    assert!(bad.is_empty());
}

#[test]
fn what_passes_when_run_again_is_unsteady_and_the_rest_still_runs() {
    let before = ["T#a pass", "T#b pass", "T#c pass"];
    for first in ["fail", "hang", "exit"] {
        let steps: &'static str = format!("{first} pass").leak();
        let script = [("T#a", "pass"), ("T#b", steps), ("T#c", "pass")];
        let (bad, unsteady, ran) = check(&before, &script, RETRY);
        assert!(bad.is_empty());
        assert_eq!(unsteady.len(), 1);
        assert_eq!(ran, "T#a T#b end T#b end T#c end", "{first}");
    }
    let script = [("T#a", "pass"), ("T#b", "fail pass"), ("T#c", "fail")];
    let (bad, unsteady, _) = check(&before, &script, RETRY);
    assert_eq!(
        (bad.len(), unsteady.len()),
        (1, 1),
        "a later steady failure decides"
    );
}
