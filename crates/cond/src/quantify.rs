//! Fixing options, forgetting options, and what a diagram depends on.

use crate::Manager;
use crate::error::OutOfNodes;
use crate::handle::{Choice, Cond, Opt};
use crate::logic::ops;
use crate::run::Task;
use crate::table::{FALSE, Id, TERMINAL, TRUE};

/// The first operand with the option of the second, a literal, fixed as the literal says.
struct Cofactor;
impl Task<2> for Cofactor {
    #[inline]
    fn op(&self) -> u32 {
        ops::COFACTOR
    }

    #[inline]
    fn simple(
        &mut self,
        m: &mut Manager,
        operands: &mut [Id; 2],
    ) -> Result<Option<Id>, OutOfNodes> {
        let (node, literal) = (m.table.node(operands[0]), m.table.node(operands[1]));
        Ok(if node.level > literal.level {
            Some(operands[0])
        } else if node.level == literal.level {
            Some(if literal.hi() == TRUE {
                node.hi()
            } else {
                node.lo()
            })
        } else {
            None
        })
    }
}

/// The first operand with the options of the second, a conjunction of positive literals, quantified away.
struct Exists;
impl Task<2> for Exists {
    #[inline]
    fn op(&self) -> u32 {
        ops::EXISTS
    }

    fn simple(
        &mut self,
        m: &mut Manager,
        operands: &mut [Id; 2],
    ) -> Result<Option<Id>, OutOfNodes> {
        let [f, mut cube] = *operands;
        let level = m.table.level(f);
        if level == TERMINAL {
            return Ok(Some(f));
        }
        while m.table.level(cube) < level {
            cube = m.table.node(cube).hi();
        }
        *operands = [f, cube];
        Ok((cube == TRUE).then_some(f))
    }

    fn split(&self, m: &Manager, level: u32, [f, cube]: [Id; 2]) -> [[Id; 2]; 2] {
        let (node, quantified) = (m.table.node(f), m.table.node(cube));
        let rest = if quantified.level == level {
            quantified.hi()
        } else {
            cube
        };
        [[node.lo(), rest], [node.hi(), rest]]
    }

    fn join(
        &mut self,
        m: &mut Manager,
        level: u32,
        [_, cube]: [Id; 2],
        lo: Id,
        hi: Id,
    ) -> Result<Id, OutOfNodes> {
        if m.table.level(cube) == level {
            m.or(Cond(lo), Cond(hi)).map(|cond| cond.0)
        } else {
            m.table.make(level, lo, hi)
        }
    }
}

/// The first operand simplified by what the second, a satisfiable condition, lets it assume.
///
/// The sibling-substitution restrict of Coudert and Madre: where the context rules one branch out the other takes
/// the node's place; context options that the operand does not test are quantified away first. What remains has
/// only leaves that occur within the context, so an operand that is constant there becomes that constant.
pub(crate) struct Restrict;
impl Task<2> for Restrict {
    #[inline]
    fn op(&self) -> u32 {
        ops::RESTRICT
    }

    #[inline]
    fn simple(
        &mut self,
        m: &mut Manager,
        operands: &mut [Id; 2],
    ) -> Result<Option<Id>, OutOfNodes> {
        let [mut f, mut context] = *operands;
        loop {
            let node = m.table.node(f);
            if node.is_terminal() || context == TRUE || context == FALSE {
                return Ok(Some(f));
            }
            let known = m.table.node(context);
            if known.level > node.level {
                break;
            }
            if known.level < node.level {
                context = m.or(Cond(known.lo()), Cond(known.hi()))?.0;
            } else if known.lo() == FALSE {
                (f, context) = (node.hi(), known.hi());
            } else if known.hi() == FALSE {
                (f, context) = (node.lo(), known.lo());
            } else {
                break;
            }
        }
        *operands = [f, context];
        Ok(None)
    }
}

impl Manager {
    /// The condition with the option fixed.
    #[inline]
    pub fn cofactor(&mut self, cond: Cond, opt: Opt, on: bool) -> Result<Cond, OutOfNodes> {
        self.cofactor_choice(cond.into(), opt, on)
            .map(|choice| Cond(choice.0))
    }

    /// The choice with the option fixed.
    #[inline]
    pub fn cofactor_choice(
        &mut self,
        choice: Choice,
        opt: Opt,
        on: bool,
    ) -> Result<Choice, OutOfNodes> {
        let literal = if on { self.on(opt) } else { self.off(opt) };
        self.run(&mut Cofactor, [choice.0, literal.0]).map(Choice)
    }

    /// The condition with several options fixed.
    pub fn assign(&mut self, cond: Cond, fixed: &[(Opt, bool)]) -> Result<Cond, OutOfNodes> {
        fixed
            .iter()
            .try_fold(cond, |cond, &(opt, on)| self.cofactor(cond, opt, on))
    }

    /// The weakest condition on the other options under which some setting of `opts` meets `cond`.
    pub fn exists(&mut self, cond: Cond, opts: &[Opt]) -> Result<Cond, OutOfNodes> {
        let cube = self.cube(opts)?;
        self.run(&mut Exists, [cond.0, cube]).map(Cond)
    }

    /// The condition on the other options under which every setting of `opts` meets `cond`.
    pub fn forall(&mut self, cond: Cond, opts: &[Opt]) -> Result<Cond, OutOfNodes> {
        let counter = self.not(cond)?;
        let some_counter = self.exists(counter, opts)?;
        self.not(some_counter)
    }

    /// All of the options on.
    fn cube(&mut self, opts: &[Opt]) -> Result<Id, OutOfNodes> {
        let mut levels: Vec<u32> = opts.iter().map(|&opt| self.level(opt)).collect();
        levels.sort_unstable();
        levels.dedup();
        let mut cube = TRUE;
        for level in levels.into_iter().rev() {
            cube = self.table.make(level, FALSE, cube)?;
        }
        Ok(cube)
    }

    /// The condition simplified by assuming `context`: equal to `cond` within it, anything elsewhere.
    #[inline]
    pub fn simplify(&mut self, cond: Cond, context: Cond) -> Result<Cond, OutOfNodes> {
        self.restrict(cond.into(), context)
            .map(|choice| Cond(choice.0))
    }

    /// The choice with the parts outside `context` dropped: equal to `choice` within it, anything elsewhere.
    ///
    /// Every leaf that remains occurs within the context; in particular a choice that is constant within the
    /// context becomes a constant. Under [`Cond::FALSE`] the choice is returned as it is.
    #[inline]
    pub fn restrict(&mut self, choice: Choice, context: Cond) -> Result<Choice, OutOfNodes> {
        if context.is_true() || self.value(choice).is_some() {
            return Ok(choice);
        }
        self.run_as_given(&mut Restrict, [choice.0, context.0])
            .map(Choice)
    }

    /// The options that a condition or choice depends on, in the order of the diagrams.
    pub fn support(&mut self, of: impl Into<Choice>) -> Vec<Opt> {
        let reachable = self.reachable([of.into().0]);
        let mut levels: Vec<u32> = reachable.iter().map(|&id| self.table.level(id)).collect();
        levels.sort_unstable();
        levels.dedup();
        levels.retain(|&level| level != TERMINAL);
        levels
            .into_iter()
            .map(|level| self.levels.at(level))
            .collect()
    }

    /// How many nodes and terminals a condition or choice consists of.
    pub fn size(&mut self, of: impl Into<Choice>) -> usize {
        self.reachable([of.into().0]).len()
    }
}
