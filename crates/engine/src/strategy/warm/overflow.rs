//! Whether a stack that ran out in a warm JVM runs out in a plain one, too.
//!
//! A woven method needs more of the stack than a plain one: it has an alternative that it calls, and ticks. So a test
//! that ends with `StackOverflowError` is run once more, on a thread with a stack many times as large as that of the
//! thread on which a plain JVM runs tests. If that is used up as well, the plain one would have been.

use std::num::NonZeroU32;
use std::ops::ControlFlow;
use std::time::Duration;

use braid_exec::{Outcome, Ran, Trial, TrialUnit, WarmEnd, WarmOptions};
use braid_protocol::UnitEnd;

use crate::EngineError;
use crate::strategy::warm::jvms::WarmPool;

/// How many times the usual stack the second run has.
///
/// Measured on x86-64, JDK 17 and 25, with recursion of five kinds: an interpreted call takes 104 to 176 bytes, one compiled
/// by C1, as in plain JVMs, 48 to 96, and 24 to 56 by C2, which a project may ask for. Five small methods in a circle take
/// 481 and 136. So an interpreted call takes at most 5.5 times as much as a compiled one, and as woven calls are two,
/// 11 times. 64 leaves room for six times that: for methods with more variables, and for more of them in one
/// compiled frame. That is the worst case on both sides: a plain JVM begins interpreted, too, and with so much stack
/// the warm one soon goes on compiled.
const TIMES: u32 = 64;
/// No thread gets more. Projects that ask for stacks beyond the sixty-fourth part go down the plain road.
const MOST_KB: u32 = 256 * 1024;
/// How long the second run may take: one that fills the heap as well becomes ever slower.
const LONGEST: Duration = Duration::from_secs(5);

/// A unit whose stack ran out in a warm JVM.
#[derive(Debug)]
pub(crate) struct Overflow {
    module: String,
    pub(crate) ran: Ran,
}

impl Overflow {
    /// None if the stack did not run out, or nobody was told.
    pub(crate) fn of(module: &str, ran: Ran) -> Option<Self> {
        let mut outcomes = ran.leaves.iter().map(|leaf| &leaf.outcome);
        let found = outcomes.any(|outcome| exception(outcome).is_some_and(is_overflow));
        found.then(|| Self {
            module: module.to_owned(),
            ran,
        })
    }

    /// Runs the unit again with a larger stack; false if that proves nothing. The JVM must be the one in which the stack
    /// ran out.
    pub(crate) fn is_certain(
        &self,
        pool: &mut WarmPool<'_>,
        variant: u32,
        mut unit: TrialUnit,
    ) -> Result<bool, EngineError> {
        let Some(usual_kb) = pool.main_stack_kb(&self.module)? else {
            return Ok(false);
        };
        let stack_kb = usual_kb.saturating_mul(TIMES);
        if stack_kb > MOST_KB || pool.is_lost() {
            return Ok(false);
        }
        unit.stack_kb = NonZeroU32::new(stack_kb);
        unit.wall = unit.wall.min(LONGEST);
        let trial = Trial {
            variant,
            units: vec![unit],
            stop_at_failure: false,
        };
        let options = WarmOptions {
            record: false,
            cancel: pool.cancel(),
        };
        let mut same = false;
        let end = pool.run(&self.module, &[trial], &options, &mut |again| {
            same = is_proof(&self.ran, &again);
            ControlFlow::Continue(())
        })?;
        match end {
            WarmEnd::Done => Ok(same),
            WarmEnd::Cancelled => Err(EngineError::Interrupted),
            _ => Ok(false),
        }
    }
}

/// Whether a unit has come to the same with a larger stack, and nothing of it ran on the stack of another thread.
fn is_proof(first: &Ran, again: &Ran) -> bool {
    let same = first.leaves.iter().zip(&again.leaves).all(|(a, b)| {
        let kind = std::mem::discriminant(&a.outcome) == std::mem::discriminant(&b.outcome);
        a.id == b.id && kind && exception(&a.outcome) == exception(&b.outcome)
    });
    same && first.leaves.len() == again.leaves.len()
        && again.end == UnitEnd::Finished
        && again.had_stack
        && again.tainted.is_none()
}

/// Whether an exception says that the stack ran out.
pub(crate) fn is_overflow(exception: &str) -> bool {
    exception == "java.lang.StackOverflowError"
}

fn exception(outcome: &Outcome) -> Option<&str> {
    match outcome {
        Outcome::Failed(failure) => Some(&failure.exception),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use braid_exec::Leaf;
    use braid_protocol::Failure;

    /// A unit with one leaf for each exception, which passes if there is none.
    fn ran(exceptions: &[&str]) -> Ran {
        let leaf = |(number, exception): (usize, &&str)| Leaf {
            id: format!("a.T#m[{number}]").as_str().into(),
            outcome: match *exception {
                "" => Outcome::Passed,
                exception => Outcome::Failed(Failure {
                    assertion: false,
                    exception: exception.to_owned(),
                    message: None,
                    trace: String::new(),
                }),
            },
            duration: Duration::ZERO,
        };
        Ran {
            trial: 0,
            variant: 1,
            unit: "a.T#m".into(),
            leaves: exceptions.iter().enumerate().map(leaf).collect(),
            end: UnitEnd::Finished,
            ticks: 1,
            duration: Duration::ZERO,
            hits: None,
            had_stack: true,
            tainted: None,
        }
    }

    const OVERFLOW: &str = "java.lang.StackOverflowError";

    #[test]
    fn only_a_unit_that_fails_for_want_of_stack_has_overflowed() {
        assert!(Overflow::of("m", ran(&["", OVERFLOW])).is_some());
        assert!(Overflow::of("m", ran(&["", "java.lang.IllegalStateException"])).is_none());
    }

    #[test]
    fn the_same_on_a_larger_stack_is_proof() {
        assert!(is_proof(&ran(&["", OVERFLOW]), &ran(&["", OVERFLOW])));
    }

    #[test]
    fn anything_else_on_a_larger_stack_is_none() {
        let first = ran(&["", OVERFLOW]);
        for other in [
            ran(&["", ""]),
            ran(&["", OVERFLOW, OVERFLOW]),
            ran(&[OVERFLOW, OVERFLOW]),
            ran(&["", "java.lang.OutOfMemoryError"]),
        ] {
            assert!(!is_proof(&first, &other), "{other:?}");
        }
    }

    #[test]
    fn a_run_on_other_stacks_or_without_end_is_no_proof() {
        let first = ran(&[OVERFLOW]);
        let mut elsewhere = ran(&[OVERFLOW]);
        elsewhere.had_stack = false;
        let mut tired = ran(&[OVERFLOW]);
        tired.end = UnitEnd::OutOfFuel { rounds: Vec::new() };
        let mut tainted = ran(&[OVERFLOW]);
        tainted.tainted = Some("a class of the JDK was lost".to_owned());
        for other in [elsewhere, tired, tainted] {
            assert!(!is_proof(&first, &other), "{other:?}");
        }
    }
}
