//! Boolean connectives on conditions, and questions that build nothing.

use crate::Manager;
use crate::error::OutOfNodes;
use crate::handle::{Cond, Op};
use crate::run::Task;
use crate::table::{FALSE, Id, TRUE};

/// Ids of the crate's own operations, each used by one task only.
pub(crate) mod ops {
    use super::Op;
    pub(crate) const AND: u32 = Op::built_in(0).0;
    pub(crate) const OR: u32 = Op::built_in(1).0;
    pub(crate) const XOR: u32 = Op::built_in(2).0;
    pub(crate) const MINUS: u32 = Op::built_in(3).0;
    pub(crate) const NOT: u32 = Op::built_in(4).0;
    pub(crate) const ITE: u32 = Op::built_in(5).0;
    pub(crate) const ENTAILS: u32 = Op::built_in(6).0;
    pub(crate) const DISJOINT: u32 = Op::built_in(7).0;
    pub(crate) const RESTRICT: u32 = Op::built_in(8).0;
    pub(crate) const EXISTS: u32 = Op::built_in(9).0;
    pub(crate) const COFACTOR: u32 = Op::built_in(10).0;
    pub(crate) const WHEN_EQUAL: u32 = Op::built_in(11).0;
    pub(crate) const EQUAL: u32 = Op::built_in(12).0;
    pub(crate) const NON_ZERO: u32 = Op::built_in(13).0;
    pub(crate) const AGREE_IN: u32 = Op::built_in(14).0;
    pub(crate) const VALUE_IN: u32 = Op::built_in(15).0;
}

struct And;
impl Task<2> for And {
    #[inline]
    fn op(&self) -> u32 {
        ops::AND
    }

    #[inline]
    fn simple(
        &mut self,
        _: &mut Manager,
        operands: &mut [Id; 2],
    ) -> Result<Option<Id>, OutOfNodes> {
        // Ordered operands bring the constants, the lowest numbers, to the front.
        let [a, b] = *operands;
        let (a, b) = if a <= b { (a, b) } else { (b, a) };
        *operands = [a, b];
        Ok(match a {
            FALSE => Some(FALSE),
            TRUE => Some(b),
            _ if a == b => Some(a),
            _ => None,
        })
    }
}

struct Or;
impl Task<2> for Or {
    #[inline]
    fn op(&self) -> u32 {
        ops::OR
    }

    #[inline]
    fn simple(
        &mut self,
        _: &mut Manager,
        operands: &mut [Id; 2],
    ) -> Result<Option<Id>, OutOfNodes> {
        let [a, b] = *operands;
        let (a, b) = if a <= b { (a, b) } else { (b, a) };
        *operands = [a, b];
        Ok(match a {
            FALSE => Some(b),
            TRUE => Some(TRUE),
            _ if a == b => Some(a),
            _ => None,
        })
    }
}

struct Xor;
impl Task<2> for Xor {
    #[inline]
    fn op(&self) -> u32 {
        ops::XOR
    }

    #[inline]
    fn simple(
        &mut self,
        m: &mut Manager,
        operands: &mut [Id; 2],
    ) -> Result<Option<Id>, OutOfNodes> {
        let [a, b] = *operands;
        let (a, b) = if a <= b { (a, b) } else { (b, a) };
        *operands = [a, b];
        Ok(match a {
            _ if a == b => Some(FALSE),
            FALSE => Some(b),
            TRUE => Some(m.run(&mut Not, [b])?),
            _ => None,
        })
    }
}

/// `a` and not `b`.
struct Minus;
impl Task<2> for Minus {
    #[inline]
    fn op(&self) -> u32 {
        ops::MINUS
    }

    #[inline]
    fn simple(
        &mut self,
        m: &mut Manager,
        operands: &mut [Id; 2],
    ) -> Result<Option<Id>, OutOfNodes> {
        let [a, b] = *operands;
        Ok(match (a, b) {
            (FALSE, _) | (_, TRUE) => Some(FALSE),
            (_, FALSE) => Some(a),
            (TRUE, _) => Some(m.run(&mut Not, [b])?),
            _ if a == b => Some(FALSE),
            _ => None,
        })
    }
}

struct Not;
impl Task<1> for Not {
    #[inline]
    fn op(&self) -> u32 {
        ops::NOT
    }

    #[inline]
    fn simple(
        &mut self,
        _: &mut Manager,
        operands: &mut [Id; 1],
    ) -> Result<Option<Id>, OutOfNodes> {
        Ok(match operands[0] {
            FALSE => Some(TRUE),
            TRUE => Some(FALSE),
            _ => None,
        })
    }
}

/// If the first operand then the second, else the third; the last two may be choices.
pub(crate) struct Ite;
impl Task<3> for Ite {
    #[inline]
    fn op(&self) -> u32 {
        ops::ITE
    }

    #[inline]
    fn simple(
        &mut self,
        _: &mut Manager,
        operands: &mut [Id; 3],
    ) -> Result<Option<Id>, OutOfNodes> {
        let [cond, mut yes, mut no] = *operands;
        match cond {
            TRUE => return Ok(Some(yes)),
            FALSE => return Ok(Some(no)),
            _ => {}
        }
        if yes == cond {
            yes = TRUE;
        }
        if no == cond {
            no = FALSE;
        }
        *operands = [cond, yes, no];
        Ok(match (yes, no) {
            (TRUE, FALSE) => Some(cond),
            _ if yes == no => Some(yes),
            _ => None,
        })
    }
}

/// Is there no configuration with the first and without the second? Answers TRUE or FALSE, builds nothing.
struct Entails;
impl Task<2> for Entails {
    #[inline]
    fn op(&self) -> u32 {
        ops::ENTAILS
    }

    #[inline]
    fn simple(
        &mut self,
        _: &mut Manager,
        operands: &mut [Id; 2],
    ) -> Result<Option<Id>, OutOfNodes> {
        let [a, b] = *operands;
        Ok(match (a, b) {
            (FALSE, _) | (_, TRUE) => Some(TRUE),
            _ if a == b => Some(TRUE),
            (TRUE, _) | (_, FALSE) => Some(FALSE),
            _ => None,
        })
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
        _: [Id; 2],
        _: Id,
        hi: Id,
    ) -> Result<Id, OutOfNodes> {
        Ok(hi)
    }
}

/// Is there no configuration with both? Answers TRUE or FALSE, builds nothing.
struct Disjoint;
impl Task<2> for Disjoint {
    #[inline]
    fn op(&self) -> u32 {
        ops::DISJOINT
    }

    #[inline]
    fn simple(
        &mut self,
        _: &mut Manager,
        operands: &mut [Id; 2],
    ) -> Result<Option<Id>, OutOfNodes> {
        let [a, b] = *operands;
        let (a, b) = if a <= b { (a, b) } else { (b, a) };
        *operands = [a, b];
        Ok(match a {
            FALSE => Some(TRUE),
            TRUE => Some(if b == FALSE { TRUE } else { FALSE }),
            _ if a == b => Some(FALSE),
            _ => None,
        })
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
        _: [Id; 2],
        _: Id,
        hi: Id,
    ) -> Result<Id, OutOfNodes> {
        Ok(hi)
    }
}

impl Manager {
    /// Both.
    #[inline]
    pub fn and(&mut self, a: Cond, b: Cond) -> Result<Cond, OutOfNodes> {
        self.run(&mut And, [a.0, b.0]).map(Cond)
    }

    /// Either or both.
    #[inline]
    pub fn or(&mut self, a: Cond, b: Cond) -> Result<Cond, OutOfNodes> {
        self.run(&mut Or, [a.0, b.0]).map(Cond)
    }

    /// Either but not both.
    #[inline]
    pub fn xor(&mut self, a: Cond, b: Cond) -> Result<Cond, OutOfNodes> {
        self.run(&mut Xor, [a.0, b.0]).map(Cond)
    }

    /// The contrary.
    #[inline]
    pub fn not(&mut self, a: Cond) -> Result<Cond, OutOfNodes> {
        self.run(&mut Not, [a.0]).map(Cond)
    }

    /// `a` without `b`: what remains of a context after a branch. Cheaper than `and` with `not`.
    #[inline]
    pub fn minus(&mut self, a: Cond, b: Cond) -> Result<Cond, OutOfNodes> {
        self.run(&mut Minus, [a.0, b.0]).map(Cond)
    }

    /// Not `a`, or `b`. To *ask* whether `a` implies `b`, use [`Manager::entails`].
    #[inline]
    pub fn implies(&mut self, a: Cond, b: Cond) -> Result<Cond, OutOfNodes> {
        let counter = self.minus(a, b)?;
        self.not(counter)
    }

    /// Both or neither.
    #[inline]
    pub fn iff(&mut self, a: Cond, b: Cond) -> Result<Cond, OutOfNodes> {
        let differ = self.xor(a, b)?;
        self.not(differ)
    }

    /// `yes` where `cond` holds, `no` elsewhere.
    #[inline]
    pub fn ite(&mut self, cond: Cond, yes: Cond, no: Cond) -> Result<Cond, OutOfNodes> {
        self.run(&mut Ite, [cond.0, yes.0, no.0]).map(Cond)
    }

    /// All of them.
    pub fn all(&mut self, conds: impl IntoIterator<Item = Cond>) -> Result<Cond, OutOfNodes> {
        self.balanced(conds.into_iter().collect(), Cond::TRUE, Manager::and)
    }

    /// At least one of them.
    pub fn any(&mut self, conds: impl IntoIterator<Item = Cond>) -> Result<Cond, OutOfNodes> {
        self.balanced(conds.into_iter().collect(), Cond::FALSE, Manager::or)
    }

    /// Folds pairwise, which keeps intermediate diagrams small where operands are unrelated.
    fn balanced(
        &mut self,
        mut conds: Vec<Cond>,
        empty: Cond,
        fold: fn(&mut Manager, Cond, Cond) -> Result<Cond, OutOfNodes>,
    ) -> Result<Cond, OutOfNodes> {
        while conds.len() > 1 {
            let mut next = Vec::with_capacity(conds.len().div_ceil(2));
            for pair in conds.chunks(2) {
                next.push(match *pair {
                    [a, b] => fold(self, a, b)?,
                    _ => pair[0],
                });
            }
            conds = next;
        }
        Ok(conds.first().copied().unwrap_or(empty))
    }

    /// Does every configuration that meets `a` meet `b`? Builds no nodes.
    #[inline]
    pub fn entails(&mut self, a: Cond, b: Cond) -> bool {
        self.run(&mut Entails, [a.0, b.0]) == Ok(TRUE)
    }

    /// Does no configuration meet both? Builds no nodes.
    #[inline]
    pub fn disjoint(&mut self, a: Cond, b: Cond) -> bool {
        self.run(&mut Disjoint, [a.0, b.0]) == Ok(TRUE)
    }
}
