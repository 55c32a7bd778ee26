//! Values that depend on options, and operators on them.
//!
//! This is what a variational interpreter spends its time on. A pure operator on payloads is lifted to choices by
//! [`Manager::apply`]; results are cached under the operator's id, so repeating an instruction on the same
//! operands costs one look-up.

use crate::Manager;
use crate::error::OutOfNodes;
use crate::handle::{Choice, Cond, Op};
use crate::logic::{Ite, ops};
use crate::run::Task;
use crate::table::{FALSE, Id, TRUE};

struct Map<F> {
    op: u32,
    f: F,
}
impl<F: FnMut(u64) -> u64> Task<1> for Map<F> {
    #[inline]
    fn op(&self) -> u32 {
        self.op
    }

    #[inline]
    fn simple(
        &mut self,
        m: &mut Manager,
        operands: &mut [Id; 1],
    ) -> Result<Option<Id>, OutOfNodes> {
        let node = m.table.node(operands[0]);
        if node.is_terminal() {
            m.table.terminal((self.f)(node.payload())).map(Some)
        } else {
            Ok(None)
        }
    }
}

struct Apply<F> {
    op: Op,
    f: F,
}
impl<F: FnMut(u64, u64) -> u64> Task<2> for Apply<F> {
    #[inline]
    fn op(&self) -> u32 {
        self.op.0
    }

    #[inline]
    fn simple(
        &mut self,
        m: &mut Manager,
        operands: &mut [Id; 2],
    ) -> Result<Option<Id>, OutOfNodes> {
        let [a, b] = *operands;
        let (left, right) = (m.table.node(a), m.table.node(b));
        if left.is_terminal() && right.is_terminal() {
            let payload = (self.f)(left.payload(), right.payload());
            return m.table.terminal(payload).map(Some);
        }
        if self.op.is_commutative() && a > b {
            *operands = [b, a];
        }
        Ok(None)
    }
}

/// [`Apply`] within a context, the first operand; elsewhere the result is anything.
struct ApplyIn<F> {
    op: Op,
    f: F,
}
impl<F: FnMut(u64, u64) -> u64> Task<3> for ApplyIn<F> {
    #[inline]
    fn op(&self) -> u32 {
        self.op.0
    }

    fn simple(
        &mut self,
        m: &mut Manager,
        operands: &mut [Id; 3],
    ) -> Result<Option<Id>, OutOfNodes> {
        let [mut context, mut a, mut b] = *operands;
        loop {
            let (left, right) = (m.table.node(a), m.table.node(b));
            if left.is_terminal() && right.is_terminal() {
                let payload = (self.f)(left.payload(), right.payload());
                return m.table.terminal(payload).map(Some);
            }
            if context == TRUE {
                let mut everywhere = Apply {
                    op: self.op,
                    f: &mut self.f as &mut dyn FnMut(u64, u64) -> u64,
                };
                return m.run(&mut everywhere, [a, b]).map(Some);
            }
            let known = m.table.node(context);
            let top = left.level.min(right.level);
            if known.level < top {
                context = m.or(Cond(known.lo()), Cond(known.hi()))?.0;
            } else if known.level == top && (known.lo() == FALSE || known.hi() == FALSE) {
                let on = known.lo() == FALSE;
                context = if on { known.hi() } else { known.lo() };
                a = if left.level != top {
                    a
                } else if on {
                    left.hi()
                } else {
                    left.lo()
                };
                b = if right.level != top {
                    b
                } else if on {
                    right.hi()
                } else {
                    right.lo()
                };
            } else {
                break;
            }
        }
        if self.op.is_commutative() && a > b {
            (a, b) = (b, a);
        }
        *operands = [context, a, b];
        Ok(None)
    }
}

/// Where the first operand has the payload of the second, a terminal.
pub(crate) struct WhenEqual;
impl Task<2> for WhenEqual {
    #[inline]
    fn op(&self) -> u32 {
        ops::WHEN_EQUAL
    }

    #[inline]
    fn simple(
        &mut self,
        m: &mut Manager,
        operands: &mut [Id; 2],
    ) -> Result<Option<Id>, OutOfNodes> {
        let [choice, terminal] = *operands;
        Ok(if choice == terminal {
            Some(TRUE)
        } else {
            m.table.node(choice).is_terminal().then_some(FALSE)
        })
    }
}

/// Where both operands have the same payload.
struct Equal;
impl Task<2> for Equal {
    #[inline]
    fn op(&self) -> u32 {
        ops::EQUAL
    }

    #[inline]
    fn simple(
        &mut self,
        m: &mut Manager,
        operands: &mut [Id; 2],
    ) -> Result<Option<Id>, OutOfNodes> {
        let [a, b] = *operands;
        if a == b {
            return Ok(Some(TRUE));
        }
        if m.table.node(a).is_terminal() && m.table.node(b).is_terminal() {
            return Ok(Some(FALSE));
        }
        *operands = [a.min(b), a.max(b)];
        Ok(None)
    }
}

/// Have the last two operands the same payloads within the first? Answers TRUE or FALSE, builds nothing.
struct AgreeIn;
impl Task<3> for AgreeIn {
    #[inline]
    fn op(&self) -> u32 {
        ops::AGREE_IN
    }

    #[inline]
    fn simple(
        &mut self,
        m: &mut Manager,
        operands: &mut [Id; 3],
    ) -> Result<Option<Id>, OutOfNodes> {
        let [context, a, b] = *operands;
        if a == b || context == FALSE {
            return Ok(Some(TRUE));
        }
        if m.table.node(a).is_terminal() && m.table.node(b).is_terminal() {
            return Ok(Some(FALSE));
        }
        *operands = [context, a.min(b), a.max(b)];
        Ok(None)
    }

    #[inline]
    fn settles(&self, _: &Manager, lo: Id) -> bool {
        lo == FALSE
    }

    #[inline]
    fn join(
        &mut self,
        _: &mut Manager,
        _: u32,
        _: [Id; 3],
        _: Id,
        hi: Id,
    ) -> Result<Id, OutOfNodes> {
        Ok(hi)
    }
}

/// The one payload of the first operand within the second, a satisfiable condition: a terminal, or some other node
/// if there are several. Builds nothing.
struct ValueIn;
impl Task<2> for ValueIn {
    #[inline]
    fn op(&self) -> u32 {
        ops::VALUE_IN
    }

    #[inline]
    fn simple(
        &mut self,
        m: &mut Manager,
        operands: &mut [Id; 2],
    ) -> Result<Option<Id>, OutOfNodes> {
        let [mut choice, mut context] = *operands;
        loop {
            let node = m.table.node(choice);
            if node.is_terminal() || context == TRUE {
                return Ok(Some(choice));
            }
            let known = m.table.node(context);
            if known.level > node.level || (known.lo() != FALSE && known.hi() != FALSE) {
                break;
            }
            let on = known.lo() == FALSE;
            context = if on { known.hi() } else { known.lo() };
            if known.level == node.level {
                choice = if on { node.hi() } else { node.lo() };
            }
        }
        *operands = [choice, context];
        Ok(None)
    }

    #[inline]
    fn settles(&self, m: &Manager, lo: Id) -> bool {
        !m.table.node(lo).is_terminal()
    }

    #[inline]
    fn join(
        &mut self,
        _: &mut Manager,
        _: u32,
        [choice, _]: [Id; 2],
        lo: Id,
        hi: Id,
    ) -> Result<Id, OutOfNodes> {
        // A choice that is not simple is not a terminal.
        Ok(if lo == hi { lo } else { choice })
    }
}

/// Operators on choices.
///
/// ```
/// use braid_cond::{Cond, Manager, Op};
/// # fn main() -> Result<(), braid_cond::OutOfNodes> {
/// const ADD: Op = Op::commutative(1);
/// let mut m = Manager::new();
/// let bonus = m.option("bonus");
/// let bonus = m.on(bonus);
/// let (two, five) = (m.constant(2)?, m.constant(5)?);
/// let price = m.select(bonus, two, five)?;
/// let total = m.apply(ADD, price, five, |a, b| a + b)?;
/// assert_eq!(m.leaves(total, Cond::TRUE)?, [(m.off(m.find_option("bonus").unwrap()), 10), (bonus, 7)]);
/// assert_eq!(m.value_in(total, bonus)?, Some(7));
/// # Ok(())
/// # }
/// ```
impl Manager {
    /// The choice that has this payload in every configuration.
    #[inline]
    pub fn constant(&mut self, payload: u64) -> Result<Choice, OutOfNodes> {
        self.table.terminal(payload).map(Choice)
    }

    /// The payload of a choice that has the same in every configuration.
    #[inline]
    pub fn value(&self, choice: Choice) -> Option<u64> {
        let node = self.table.node(choice.0);
        node.is_terminal().then(|| node.payload())
    }

    /// The payload of a choice that has the same in every configuration of a satisfiable context. Cheaper than
    /// to restrict the choice, and builds no nodes.
    #[inline]
    pub fn value_in(&mut self, choice: Choice, context: Cond) -> Result<Option<u64>, OutOfNodes> {
        let constant = self.value(choice);
        if constant.is_some() || context.is_true() || context.is_false() {
            return Ok(constant);
        }
        let value = self.run_as_given(&mut ValueIn, [choice.0, context.0])?;
        Ok(self.value(Choice(value)))
    }

    /// The choice as a condition, if its payloads are 0 and 1 only. Constant time.
    #[inline]
    pub fn as_cond(&self, choice: Choice) -> Option<Cond> {
        self.table
            .node(choice.0)
            .is_boolean()
            .then_some(Cond(choice.0))
    }

    /// Where the payload is not 0. Free for a choice that is a condition already.
    #[inline]
    pub fn non_zero(&mut self, choice: Choice) -> Result<Cond, OutOfNodes> {
        match self.as_cond(choice) {
            Some(cond) => Ok(cond),
            None => self
                .run(
                    &mut Map {
                        op: ops::NON_ZERO,
                        f: |x| u64::from(x != 0),
                    },
                    [choice.0],
                )
                .map(Cond),
        }
    }

    /// `yes` where `cond` holds, `no` elsewhere: the join of two states.
    #[inline]
    pub fn select(&mut self, cond: Cond, yes: Choice, no: Choice) -> Result<Choice, OutOfNodes> {
        self.run(&mut Ite, [cond.0, yes.0, no.0]).map(Choice)
    }

    /// The choice between payloads by the first condition that holds, `otherwise` where none does.
    pub fn choose(&mut self, cases: &[(Cond, u64)], otherwise: u64) -> Result<Choice, OutOfNodes> {
        let mut choice = self.constant(otherwise)?;
        for &(cond, payload) in cases.iter().rev() {
            let payload = self.constant(payload)?;
            choice = self.select(cond, payload, choice)?;
        }
        Ok(choice)
    }

    /// A unary operator lifted to choices.
    #[inline]
    pub fn map(
        &mut self,
        op: Op,
        choice: Choice,
        f: impl FnMut(u64) -> u64,
    ) -> Result<Choice, OutOfNodes> {
        self.run(&mut Map { op: op.0, f }, [choice.0]).map(Choice)
    }

    /// A unary predicate lifted to choices: where it holds.
    #[inline]
    pub fn when(
        &mut self,
        op: Op,
        choice: Choice,
        mut f: impl FnMut(u64) -> bool,
    ) -> Result<Cond, OutOfNodes> {
        self.run(
            &mut Map {
                op: op.0,
                f: |x| u64::from(f(x)),
            },
            [choice.0],
        )
        .map(Cond)
    }

    /// A binary operator lifted to choices. It is called on pairs of payloads that occur together in some
    /// configuration, in any context; see [`Manager::apply_in`] for one that is undefined on some pairs.
    #[inline]
    pub fn apply(
        &mut self,
        op: Op,
        a: Choice,
        b: Choice,
        f: impl FnMut(u64, u64) -> u64,
    ) -> Result<Choice, OutOfNodes> {
        self.run(&mut Apply { op, f }, [a.0, b.0]).map(Choice)
    }

    /// A binary predicate lifted to choices: where it holds.
    #[inline]
    pub fn compare(
        &mut self,
        op: Op,
        a: Choice,
        b: Choice,
        mut f: impl FnMut(u64, u64) -> bool,
    ) -> Result<Cond, OutOfNodes> {
        self.run(
            &mut Apply {
                op,
                f: |x, y| u64::from(f(x, y)),
            },
            [a.0, b.0],
        )
        .map(Cond)
    }

    /// A binary operator lifted to choices within a context: called only on pairs that occur together there.
    /// Elsewhere the result is anything; under [`Cond::FALSE`] it is 0.
    pub fn apply_in(
        &mut self,
        op: Op,
        context: Cond,
        a: Choice,
        b: Choice,
        f: impl FnMut(u64, u64) -> u64,
    ) -> Result<Choice, OutOfNodes> {
        if context.is_false() {
            return Ok(Choice::ZERO);
        }
        self.run_as_given(&mut ApplyIn { op, f }, [context.0, a.0, b.0])
            .map(Choice)
    }

    /// A unary operator lifted to choices within a context, as [`Manager::apply_in`].
    pub fn map_in(
        &mut self,
        op: Op,
        context: Cond,
        choice: Choice,
        f: impl FnMut(u64) -> u64,
    ) -> Result<Choice, OutOfNodes> {
        if context.is_false() {
            return Ok(Choice::ZERO);
        }
        let restricted = self.restrict(choice, context)?;
        self.map(op, restricted, f)
    }

    /// Where the choice has this payload.
    #[inline]
    pub fn when_equal(&mut self, choice: Choice, payload: u64) -> Result<Cond, OutOfNodes> {
        let terminal = self.table.terminal(payload)?;
        self.run(&mut WhenEqual, [choice.0, terminal]).map(Cond)
    }

    /// Where two choices have the same payload.
    #[inline]
    pub fn equal(&mut self, a: Choice, b: Choice) -> Result<Cond, OutOfNodes> {
        self.run(&mut Equal, [a.0, b.0]).map(Cond)
    }

    /// Do two choices have the same payloads within the context? Builds no nodes.
    #[inline]
    pub fn agree_in(&mut self, a: Choice, b: Choice, context: Cond) -> bool {
        self.run(&mut AgreeIn, [context.0, a.0, b.0]) == Ok(TRUE)
    }
}
