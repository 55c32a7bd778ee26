//! All solutions of a formula by a SAT solver: for formulas whose diagram would be too large.

use crate::clauses::Encoder;
use crate::error::Error;
use crate::formula::Formula;
use crate::handle::Opt;
use crate::solutions::Order;
use rustsat::types::Lit;

/// Iterator over the solutions of a formula; each one found is blocked by a clause before the next is sought.
///
/// ```
/// use braid_cond::{Formula, Names, Order, SatSolutions};
/// let mut names = Names::new();
/// let formula = Formula::parse("a | b", &mut names).unwrap();
/// let over: Vec<_> = names.options().collect();
/// let all: Result<Vec<_>, _> = SatSolutions::new(&formula, &over, Order::FewestOn).unwrap().collect();
/// assert_eq!(all.unwrap().len(), 3);
/// ```
pub struct SatSolutions {
    encoder: Encoder,
    over: Vec<Opt>,
    order: Order,
    /// For the orders by number: at least one, two, … options have the rarer setting.
    counter: Vec<Lit>,
    /// How many options may have it in the solutions sought now.
    bound: usize,
    ended: bool,
}

impl std::fmt::Debug for SatSolutions {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SatSolutions")
            .field("over", &self.over)
            .finish_non_exhaustive()
    }
}

impl SatSolutions {
    /// The solutions as settings of `over` (other options being free to help), each as the options that are on,
    /// in the given order. The same as [`crate::Manager::solutions`] gives.
    pub fn new(formula: &Formula, over: &[Opt], order: Order) -> Result<SatSolutions, Error> {
        let mut seen = std::collections::HashSet::new();
        let over: Vec<Opt> = over
            .iter()
            .copied()
            .filter(|&opt| seen.insert(opt))
            .collect();
        let named = formula.options();
        let most = named
            .iter()
            .chain(&over)
            .map(|opt| opt.index() + 1)
            .max()
            .unwrap_or(0);
        let mut encoder = Encoder::new(most)?;
        let root = encoder.literal(formula)?;
        encoder.clause(&[root])?;
        Ok(SatSolutions {
            encoder,
            over,
            order,
            counter: Vec::new(),
            bound: 0,
            ended: false,
        })
    }

    fn advance(&mut self) -> Result<Option<Vec<Opt>>, Error> {
        if self.ended || !self.encoder.solve(&[])? {
            self.ended = true;
            return Ok(None);
        }
        let mut assumed = Vec::new();
        if matches!(self.order, Order::FewestOn | Order::MostOn) {
            assumed = self.tighten()?;
        }
        let solution = self.first(assumed)?;
        let blocking: Vec<Lit> = self
            .over
            .iter()
            .zip(&solution)
            .map(|(&opt, &on)| literal(opt, !on))
            .collect();
        self.encoder.clause(&blocking)?;
        let on = self
            .over
            .iter()
            .zip(solution)
            .filter(|(_, on)| *on)
            .map(|(&opt, _)| opt);
        Ok(Some(on.collect()))
    }

    /// Raises the bound to the least within which there is a solution, finds one, and returns the literal that
    /// keeps to the bound. Searches in growing steps, then by halving: proofs that there is none are dear.
    fn tighten(&mut self) -> Result<Vec<Lit>, Error> {
        let mut step = 0;
        while !self.solve_within(self.bound + step)? {
            self.bound += step + 1;
            step = step * 2 + 1;
        }
        let mut enough = self.rare_in_model()?;
        while self.bound < enough {
            let middle = (self.bound + enough) / 2;
            if self.solve_within(middle)? {
                enough = self.rare_in_model()?;
            } else {
                self.bound = middle + 1;
            }
        }
        self.solve_within(self.bound)?;
        Ok(self.within(self.bound))
    }

    /// Is there a solution in which at most so many options have the rarer setting?
    fn solve_within(&mut self, bound: usize) -> Result<bool, Error> {
        if self.counter.len() <= bound && self.counter.len() < self.over.len() {
            let rare = self.order == Order::FewestOn;
            let literals: Vec<Lit> = self.over.iter().map(|&opt| literal(opt, rare)).collect();
            self.counter = self.encoder.counter(&literals, bound * 2 + 8)?;
        }
        let within = self.within(bound);
        self.encoder.solve(&within)
    }

    fn within(&self, bound: usize) -> Vec<Lit> {
        self.counter
            .get(bound)
            .map(|&more| !more)
            .into_iter()
            .collect()
    }

    fn rare_in_model(&self) -> Result<usize, Error> {
        let rare = self.order == Order::FewestOn;
        Ok(self.model()?.into_iter().filter(|&on| on == rare).count())
    }

    /// The first solution in lexicographic order under assumptions that have one: each option in turn gets the
    /// setting that comes first, unless no solution has it. The last call must have found a solution.
    fn first(&mut self, mut assumed: Vec<Lit>) -> Result<Vec<bool>, Error> {
        let preferred = self.order != Order::OffFirst;
        let mut model = self.model()?;
        for place in 0..self.over.len() {
            let opt = self.over[place];
            if model[place] != preferred {
                assumed.push(literal(opt, preferred));
                if self.encoder.solve(&assumed)? {
                    model = self.model()?;
                    continue;
                }
                assumed.pop();
            }
            assumed.push(literal(opt, model[place]));
        }
        Ok(model)
    }

    fn model(&self) -> Result<Vec<bool>, Error> {
        self.over
            .iter()
            .map(|&opt| self.encoder.is_on(opt))
            .collect()
    }
}

fn literal(opt: Opt, on: bool) -> Lit {
    if on {
        Encoder::option(opt)
    } else {
        !Encoder::option(opt)
    }
}

impl Iterator for SatSolutions {
    type Item = Result<Vec<Opt>, Error>;

    fn next(&mut self) -> Option<Self::Item> {
        let next = self.advance();
        self.ended |= next.is_err();
        next.transpose()
    }
}
