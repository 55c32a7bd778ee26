//! One interface to questions about formulas, whether diagrams or a SAT solver answer them.

use crate::Manager;
use crate::clauses::Encoder;
use crate::error::{Error, OutOfNodes};
use crate::formula::Formula;
use crate::handle::Opt;
use crate::sat::SatSolutions;
use crate::solutions::Order;

/// Solutions and whether they are all.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    /// Each as the options that are on.
    pub solutions: Vec<Vec<Opt>>,
    /// There are no further ones.
    pub complete: bool,
}

/// Answers questions about formulas. [`Manager`] does so with diagrams, [`Sat`] with a SAT solver, [`Either`] with
/// diagrams as long as they stay small.
pub trait Reasoner {
    /// Does some configuration meet the formula?
    fn satisfiable(&mut self, formula: &Formula) -> Result<bool, Error>;

    /// The settings of `over` that the formula allows (other options being free to help), in order, at most
    /// `limit`.
    fn find(
        &mut self,
        formula: &Formula,
        over: &[Opt],
        order: Order,
        limit: usize,
    ) -> Result<Found, Error>;

    /// Does every configuration meet the formula?
    fn tautology(&mut self, formula: &Formula) -> Result<bool, Error> {
        Ok(!self.satisfiable(&!formula.clone())?)
    }

    /// Does every configuration that meets `a` meet `b`?
    fn entails(&mut self, a: &Formula, b: &Formula) -> Result<bool, Error> {
        Ok(!self.satisfiable(&(a.clone() & !b.clone()))?)
    }

    /// Do the same configurations meet both?
    fn equivalent(&mut self, a: &Formula, b: &Formula) -> Result<bool, Error> {
        Ok(!self.satisfiable(&(a.clone() ^ b.clone()))?)
    }

    /// The setting of `over` with the fewest options on that the formula allows.
    fn smallest_of(&mut self, formula: &Formula, over: &[Opt]) -> Result<Option<Vec<Opt>>, Error> {
        Ok(self
            .find(formula, over, Order::FewestOn, 1)?
            .solutions
            .pop())
    }
}

/// Takes at most `limit` solutions and looks whether there is one more.
fn take<E: Into<Error>>(
    solutions: impl Iterator<Item = Result<Vec<Opt>, E>>,
    limit: usize,
) -> Result<Found, Error> {
    let mut found = Found {
        solutions: Vec::new(),
        complete: true,
    };
    for solution in solutions {
        if found.solutions.len() == limit {
            found.complete = false;
            break;
        }
        found.solutions.push(solution.map_err(Into::into)?);
    }
    Ok(found)
}

impl Manager {
    /// Formulas may name options the manager does not know yet.
    fn compile_any(&mut self, formula: &Formula, over: &[Opt]) -> Result<crate::Cond, OutOfNodes> {
        let most = formula
            .options()
            .last()
            .max(over.iter().max())
            .map_or(0, |opt| opt.index() + 1);
        while self.option_count() < most {
            let mut name = format!("option{}", self.option_count());
            while self.find_option(&name).is_some() {
                name.push('_');
            }
            self.option(&name);
        }
        self.compile(formula)
    }
}

impl Reasoner for Manager {
    fn satisfiable(&mut self, formula: &Formula) -> Result<bool, Error> {
        Ok(self.compile_any(formula, &[])?.is_satisfiable())
    }

    fn find(
        &mut self,
        formula: &Formula,
        over: &[Opt],
        order: Order,
        limit: usize,
    ) -> Result<Found, Error> {
        let cond = self.compile_any(formula, over)?;
        take(self.solutions(cond, over, order)?, limit)
    }
}

/// Reasons with a SAT solver, a new one for each question. Holds nothing.
#[derive(Debug, Clone, Copy, Default)]
pub struct Sat;

impl Reasoner for Sat {
    fn satisfiable(&mut self, formula: &Formula) -> Result<bool, Error> {
        let most = formula.options().last().map_or(0, |opt| opt.index() + 1);
        let mut encoder = Encoder::new(most)?;
        let root = encoder.literal(formula)?;
        encoder.solve(&[root])
    }

    fn find(
        &mut self,
        formula: &Formula,
        over: &[Opt],
        order: Order,
        limit: usize,
    ) -> Result<Found, Error> {
        take(SatSolutions::new(formula, over, order)?, limit)
    }
}

/// Reasons with diagrams while they fit a budget of nodes and with a SAT solver beyond.
#[derive(Debug)]
pub struct Either {
    manager: Manager,
    fell_back: u64,
}

impl Either {
    /// A reasoner whose diagrams may have this many nodes.
    pub fn new(nodes: usize) -> Either {
        let mut manager = Manager::new();
        manager.set_node_limit(nodes);
        Either {
            manager,
            fell_back: 0,
        }
    }

    /// How many questions went to the SAT solver.
    pub fn fell_back(&self) -> u64 {
        self.fell_back
    }

    /// Asks the diagrams and, if they do not fit, the solver.
    fn ask<T>(
        &mut self,
        mut question: impl FnMut(&mut dyn Reasoner) -> Result<T, Error>,
    ) -> Result<T, Error> {
        if self.manager.collection_due() {
            self.manager.collect::<crate::Cond>([]);
        }
        match question(&mut self.manager) {
            Err(Error::OutOfNodes(_)) => {
                self.manager.collect::<crate::Cond>([]);
                self.fell_back += 1;
                question(&mut Sat)
            }
            answer => answer,
        }
    }
}

impl Reasoner for Either {
    fn satisfiable(&mut self, formula: &Formula) -> Result<bool, Error> {
        self.ask(|reasoner| reasoner.satisfiable(formula))
    }

    fn find(
        &mut self,
        formula: &Formula,
        over: &[Opt],
        order: Order,
        limit: usize,
    ) -> Result<Found, Error> {
        self.ask(|reasoner| reasoner.find(formula, over, order, limit))
    }
}
