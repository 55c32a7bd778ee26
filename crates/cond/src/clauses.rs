//! Formulas as clauses for a SAT solver, with one fresh variable for each connective (Tseitin's encoding).

use crate::error::Error;
use crate::formula::Formula;
use crate::handle::Opt;
use rustsat::solvers::{Solve, SolveIncremental, SolverResult};
use rustsat::types::{Clause, Lit, TernaryVal, Var};
use rustsat_batsat::BasicSolver;
use std::collections::HashMap;

/// A solver into which formulas can be put. Variables below `options` are the options.
pub(crate) struct Encoder {
    solver: BasicSolver,
    next: u32,
    truth: Lit,
    /// Counters made so far by what they count. Sharing them matters: that two counters of the same literals
    /// agree is hard for a solver to find out.
    counters: HashMap<Vec<Lit>, Vec<Lit>>,
}

impl Encoder {
    /// An encoder for formulas over options with numbers below `options`.
    pub(crate) fn new(options: usize) -> Result<Encoder, Error> {
        let Ok(next) = u32::try_from(options) else {
            return Err(Error::Solver("too many options".into()));
        };
        let truth = Lit::positive(next);
        let mut encoder = Encoder {
            solver: BasicSolver::default(),
            next: next + 1,
            truth,
            counters: HashMap::new(),
        };
        encoder.solver.reserve(Var::new(next)).map_err(failed)?;
        encoder.clause(&[truth])?;
        Ok(encoder)
    }

    /// The literal that the option is on.
    pub(crate) fn option(opt: Opt) -> Lit {
        Lit::positive(opt.0)
    }

    pub(crate) fn clause(&mut self, literals: &[Lit]) -> Result<(), Error> {
        self.solver
            .add_clause(Clause::from_iter(literals.iter().copied()))
            .map_err(failed)
    }

    fn fresh(&mut self) -> Lit {
        self.next += 1;
        Lit::positive(self.next - 1)
    }

    /// Is there a solution with these literals? If so it can be read with [`Encoder::is_on`].
    pub(crate) fn solve(&mut self, assumed: &[Lit]) -> Result<bool, Error> {
        match self.solver.solve_assumps(assumed).map_err(failed)? {
            SolverResult::Sat => Ok(true),
            SolverResult::Unsat => Ok(false),
            SolverResult::Interrupted => Err(Error::Solver("interrupted".into())),
        }
    }

    /// Is the option on in the last solution found? Options that do not matter are off.
    pub(crate) fn is_on(&self, opt: Opt) -> Result<bool, Error> {
        let value = self.solver.lit_val(Encoder::option(opt)).map_err(failed)?;
        Ok(value == TernaryVal::True)
    }

    /// A literal that is true exactly where the formula is.
    pub(crate) fn literal(&mut self, formula: &Formula) -> Result<Lit, Error> {
        match formula {
            Formula::True => Ok(self.truth),
            Formula::False => Ok(!self.truth),
            Formula::Opt(opt) => Ok(Encoder::option(*opt)),
            Formula::Not(a) => Ok(!self.literal(a)?),
            Formula::And(of) => {
                let of = self.literals(of)?;
                self.and(&of)
            }
            Formula::Or(of) => {
                let of = self.literals(of)?;
                self.or(&of)
            }
            Formula::Xor(a, b) => self.both(a, b, |encoder, a, b| encoder.ite(a, !b, b)),
            Formula::Iff(a, b) => self.both(a, b, |encoder, a, b| encoder.ite(a, b, !b)),
            Formula::Implies(a, b) => self.both(a, b, |encoder, a, b| encoder.or(&[!a, b])),
            Formula::Ite(c, a, b) => {
                let c = self.literal(c)?;
                self.both(a, b, |encoder, a, b| encoder.ite(c, a, b))
            }
            Formula::Count { min, max, of } => {
                let of = self.literals(of)?;
                self.between(&of, *min, *max)
            }
        }
    }

    fn literals(&mut self, formulas: &[Formula]) -> Result<Vec<Lit>, Error> {
        formulas
            .iter()
            .map(|formula| self.literal(formula))
            .collect()
    }

    fn both(
        &mut self,
        a: &Formula,
        b: &Formula,
        join: impl FnOnce(&mut Encoder, Lit, Lit) -> Result<Lit, Error>,
    ) -> Result<Lit, Error> {
        let (a, b) = (self.literal(a)?, self.literal(b)?);
        join(self, a, b)
    }

    fn and(&mut self, of: &[Lit]) -> Result<Lit, Error> {
        let negated: Vec<Lit> = of.iter().map(|&literal| !literal).collect();
        Ok(!self.or(&negated)?)
    }

    fn or(&mut self, of: &[Lit]) -> Result<Lit, Error> {
        if let [only] = *of {
            return Ok(only);
        }
        let gate = self.fresh();
        let mut long = vec![!gate];
        for &literal in of {
            self.clause(&[gate, !literal])?;
            long.push(literal);
        }
        self.clause(&long)?;
        Ok(gate)
    }

    fn ite(&mut self, cond: Lit, yes: Lit, no: Lit) -> Result<Lit, Error> {
        let gate = self.fresh();
        self.clause(&[!cond, !yes, gate])?;
        self.clause(&[!cond, yes, !gate])?;
        self.clause(&[cond, !no, gate])?;
        self.clause(&[cond, no, !gate])?;
        Ok(gate)
    }

    fn between(&mut self, of: &[Lit], min: usize, max: usize) -> Result<Lit, Error> {
        if min > max || min > of.len() {
            return Ok(!self.truth);
        }
        let counter = self.counter(of, max.saturating_add(1).max(min))?;
        let at_least = |n: usize| n.checked_sub(1).map(|index| counter.get(index).copied());
        let mut demands = Vec::new();
        if let Some(Some(enough)) = at_least(min) {
            demands.push(enough);
        }
        if let Some(Some(too_many)) = at_least(max.saturating_add(1)) {
            demands.push(!too_many);
        }
        self.and(&demands)
    }

    /// Literals of which the first says that at least one of the given is true, the next that at least two are,
    /// and so on up to at least `up_to` or their number.
    pub(crate) fn counter(&mut self, of: &[Lit], up_to: usize) -> Result<Vec<Lit>, Error> {
        let mut sorted = of.to_vec();
        sorted.sort_unstable();
        if let Some(known) = self.counters.get(&sorted)
            && known.len() >= up_to.min(of.len())
        {
            return Ok(known.clone());
        }
        let counter = self.new_counter(&sorted, up_to)?;
        self.counters.insert(sorted, counter.clone());
        Ok(counter)
    }

    /// A sequential counter: row by row, "at least n so far" from the row before.
    fn new_counter(&mut self, of: &[Lit], up_to: usize) -> Result<Vec<Lit>, Error> {
        let mut counter: Vec<Lit> = Vec::new();
        for &literal in of {
            let before = counter.clone();
            for (index, more) in counter.iter_mut().enumerate() {
                let lower = if index == 0 {
                    self.truth
                } else {
                    before[index - 1]
                };
                let reached = self.and(&[literal, lower])?;
                *more = self.or(&[before[index], reached])?;
            }
            if counter.len() < up_to {
                let lower = before.last().copied().unwrap_or(self.truth);
                counter.push(self.and(&[literal, lower])?);
            }
        }
        Ok(counter)
    }
}

fn failed(error: impl std::fmt::Display) -> Error {
    Error::Solver(error.to_string())
}
