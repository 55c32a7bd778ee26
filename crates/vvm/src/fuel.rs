//! Fuel: how many backward jumps and calls a configuration may take.
//!
//! A bound that is a multiple of what a test needs with the fewest options on could be had by running that
//! configuration, the *baseline*, first. Mostly there is no need: the run of all configurations has the baseline in
//! it. So fuel is granted as that run goes on, always a small multiple of what the baseline has used so far. A state
//! that would need more makes the attempt fail, and the caller falls back on running the baseline first. A configuration
//! that ends within its grant ends within the bound, too; none is called endless by a grant below the limit.

use crate::vm::Vm;
use braid_cond::Cond;

/// Fuel that every test gets, however little the baseline needs.
pub(crate) const LEAST: u64 = 10_000;
/// What a test engine may use for itself.
const ENGINE: u64 = 20_000_000;
/// What is granted is this many times what the baseline has used. More would only make hopeless attempts longer.
const MULTIPLE: u64 = 3;

/// What has been granted in the present run.
#[derive(Debug)]
pub(crate) struct Grant {
    pub(crate) baseline: Cond,
    multiple: u64,
    given: u64,
    failed: bool,
}

impl Vm {
    /// From now on, fuel is granted by what the baseline uses.
    pub(crate) fn grant_by(&mut self, baseline: Cond, factor: u64) {
        self.grant = Some(Grant {
            baseline,
            multiple: factor.min(MULTIPLE),
            given: 0,
            failed: false,
        });
    }

    /// Ends granting; whether all that ran since had enough.
    pub(crate) fn grant_sufficed(&mut self) -> bool {
        self.grant.take().is_none_or(|grant| !grant.failed)
    }

    /// The fuel that a run starts with.
    pub(crate) fn refuel(&mut self) {
        let fuel = match &mut self.grant {
            Some(grant) if grant.failed => 1,
            Some(grant) => {
                grant.given = LEAST.min(self.limits.fuel);
                grant.given
            }
            None => self.limits.fuel,
        };
        self.end_path();
        self.set_fuel(fuel);
    }

    /// The same where a test engine runs as well, which takes more than many a test does.
    pub(crate) fn refuel_with_engine(&mut self) {
        self.refuel();
        if self.grant.is_none() {
            let fuel = self.limits.fuel.saturating_add(ENGINE);
            self.set_fuel(fuel);
        }
    }

    /// What ran since the last call of this was one run: the longest way through it is counted.
    pub(crate) fn end_path(&mut self) {
        let fuel = self.fuel;
        self.set_fuel(fuel);
        self.counters.longest += std::mem::take(&mut self.path);
    }

    /// The running state has used all that was granted: whether it got more.
    pub(crate) fn grant_more(&mut self) -> bool {
        let limit = self.limits.fuel;
        let Some(&Grant {
            baseline,
            multiple,
            given,
            failed,
        }) = self.grant.as_ref()
        else {
            return false;
        };
        if failed || given == limit {
            return false;
        }
        let left = self.baseline_left(baseline).unwrap_or(given);
        let bound = (given - left).saturating_mul(multiple).min(limit);
        if bound <= given {
            self.fail_grant();
            return false;
        }
        let more = bound - given;
        self.fuel += more;
        self.fuel_mark += more;
        for multi in &mut self.multis {
            multi.states.iter_mut().for_each(|state| state.fuel += more);
            if multi.has_finished() {
                multi.fuel += more;
            }
        }
        if let Some(grant) = &mut self.grant {
            grant.given = bound;
        }
        true
    }

    /// What is left to the baseline of the grant, at least as far as it has come; unknown if it waits where
    /// states cannot be seen.
    fn baseline_left(&mut self, baseline: Cond) -> Option<u64> {
        if self.conds.entails(baseline, self.ctx) {
            return Some(self.fuel);
        }
        for multi in self.multis.iter().rev() {
            for state in &multi.states {
                if self.conds.entails(baseline, state.ctx) {
                    return Some(state.fuel);
                }
            }
            let ended = multi.returned.iter().map(|returned| returned.0);
            for cond in ended.chain(multi.thrown.iter().map(|thrown| thrown.0)) {
                if self.conds.entails(baseline, cond) {
                    return Some(multi.fuel);
                }
            }
        }
        None
    }

    /// Nothing that still runs is of use: every state ends at its next backward jump or call.
    fn fail_grant(&mut self) {
        for multi in &mut self.multis {
            multi.states.iter_mut().for_each(|state| state.fuel = 1);
            multi.fuel = multi.fuel.min(1);
        }
        if let Some(grant) = &mut self.grant {
            grant.failed = true;
        }
    }
}
