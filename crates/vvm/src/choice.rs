//! Slots that may be choices: lifting pure operators, joining, restricting.

use crate::code::arith::{Binary, Compare, Unary};
use crate::trap::{Step, Trap};
use crate::value::{Ref, Slot, as_ref, choice, is_choice, node};
use crate::vm::{COMPARED, Compared, Vm};
use braid_cond::{Choice, Cond, Op};

// Operator numbers: the caches of diagram operations are keyed by them.
const BINARY: u32 = 0x100;
const UNARY: u32 = 0x200;
const COMPARE: u32 = 0x300;

impl Vm {
    /// The diagram of a slot.
    pub(crate) fn diagram(&mut self, slot: Slot) -> Step<Choice> {
        if is_choice(slot) {
            Ok(Choice::from_raw(node(slot)).expect("a choice slot holds a node"))
        } else {
            Ok(self.conds.constant(slot)?)
        }
    }

    /// The slot of a diagram: plain if the value is the same everywhere.
    pub(crate) fn slot_of(&self, diagram: Choice) -> Slot {
        match self.conds.value(diagram) {
            Some(payload) if !is_choice(payload) => payload,
            _ => choice(diagram.to_raw()),
        }
    }

    /// A `long` or `double` result that may look like a choice by accident.
    #[inline(always)]
    pub(crate) fn wide(&mut self, bits: u64) -> Step<Slot> {
        if is_choice(bits) {
            self.wide_escape(bits)
        } else {
            Ok(bits)
        }
    }

    #[cold]
    fn wide_escape(&mut self, bits: u64) -> Step<Slot> {
        Ok(choice(self.conds.constant(bits)?.to_raw()))
    }

    /// The value within the current context: leaves that cannot occur are dropped.
    pub(crate) fn simplify(&mut self, slot: Slot) -> Step<Slot> {
        let ctx = self.ctx;
        self.simplify_in(slot, ctx)
    }

    /// The value within a context.
    pub(crate) fn simplify_in(&mut self, slot: Slot, ctx: Cond) -> Step<Slot> {
        if !is_choice(slot) {
            return Ok(slot);
        }
        let diagram = self.diagram(slot)?;
        let restricted = self.conds.restrict(diagram, ctx)?;
        Ok(self.slot_of(restricted))
    }

    /// The raw payload if the slot is one value within the current context (also for escaped `long`s).
    pub(crate) fn payload(&mut self, slot: Slot) -> Step<Option<u64>> {
        if !is_choice(slot) {
            return Ok(Some(slot));
        }
        let diagram = self.diagram(slot)?;
        Ok(self.conds.value_in(diagram, self.ctx)?)
    }

    /// The payload; splits the context if there are several.
    pub(crate) fn plain(&mut self, slot: Slot) -> Step<u64> {
        match self.payload(slot)? {
            Some(payload) => Ok(payload),
            None => Err(Trap::Split(slot)),
        }
    }

    /// The reference; splits if there are several.
    pub(crate) fn plain_ref(&mut self, slot: Slot) -> Step<Ref> {
        Ok(as_ref(self.plain(slot)?))
    }

    /// `then` where the condition holds, else `otherwise`.
    pub(crate) fn select_slot(&mut self, cond: Cond, then: Slot, otherwise: Slot) -> Step<Slot> {
        if then == otherwise || cond.is_true() {
            return Ok(then);
        }
        if cond.is_false() {
            return Ok(otherwise);
        }
        let (a, b) = (self.diagram(then)?, self.diagram(otherwise)?);
        let joined = self.conds.select(cond, a, b)?;
        if self.measure {
            let count = self.conds.payloads(joined).len();
            self.counters.peak_choices = self.counters.peak_choices.max(count);
        }
        Ok(self.slot_of(joined))
    }

    /// The parts of the current context and the payload in each.
    pub(crate) fn leaves(&mut self, slot: Slot) -> Step<Vec<(Cond, u64)>> {
        let ctx = self.ctx;
        let diagram = self.diagram(slot)?;
        Ok(self.conds.leaves(diagram, ctx)?)
    }

    /// A pure operator on two slots of which at least one is a choice.
    #[cold]
    pub(crate) fn lift2(&mut self, op: Binary, a: Slot, b: Slot) -> Step<Slot> {
        let (a, b) = (self.simplify(a)?, self.simplify(b)?);
        if !is_choice(a) && !is_choice(b) {
            return self.wide(op.eval(a, b));
        }
        let (a, b) = (self.diagram(a)?, self.diagram(b)?);
        let commutes = matches!(
            op,
            Binary::IAdd | Binary::IMul | Binary::IAnd | Binary::IOr | Binary::IXor
        );
        let number = BINARY + op as u32;
        let key = if commutes {
            Op::commutative(number)
        } else {
            Op::new(number)
        };
        let result = self.conds.apply(key, a, b, |x, y| op.eval(x, y))?;
        Ok(self.slot_of(result))
    }

    /// Division: the divisor is made non-zero by splitting the context first.
    #[cold]
    pub(crate) fn lift_divide(&mut self, op: Binary, a: Slot, b: Slot) -> Step<Slot> {
        let b = self.simplify(b)?;
        let diagram = self.diagram(b)?;
        let zero = self.conds.when_equal(diagram, 0)?;
        let zero = self.conds.and(zero, self.ctx)?;
        if zero == self.ctx {
            return Err(Trap::new("java/lang/ArithmeticException", "/ by zero"));
        }
        if !zero.is_false() {
            return Err(Trap::SplitOn(zero));
        }
        let a = self.simplify(a)?;
        let (a, b) = (self.diagram(a)?, diagram);
        let key = Op::new(BINARY + op as u32);
        // Restriction left no zero in the divisor, so the operator is total on the pairs that remain.
        let result = self
            .conds
            .apply_in(key, self.ctx, a, b, |x, y| op.eval(x, y))?;
        Ok(self.slot_of(result))
    }

    /// A pure operator on a choice.
    #[cold]
    pub(crate) fn lift1(&mut self, op: Unary, a: Slot) -> Step<Slot> {
        let a = self.simplify(a)?;
        if !is_choice(a) {
            return self.wide(op.eval(a));
        }
        let a = self.diagram(a)?;
        let result = self
            .conds
            .map(Op::new(UNARY + op as u32), a, |x| op.eval(x))?;
        Ok(self.slot_of(result))
    }

    /// The parts of the current context in which a comparison holds and does not. The same options are asked for
    /// in the same contexts again and again, so that it is remembered.
    pub(crate) fn part_by(&mut self, how: Compare, a: Slot, b: Slot) -> Step<(Cond, Cond)> {
        let ctx = self.ctx;
        if !is_choice(a) && !is_choice(b) {
            return Ok(if how.eval(a, b) {
                (ctx, Cond::FALSE)
            } else {
                (Cond::FALSE, ctx)
            });
        }
        let hash = (a ^ b.rotate_left(23) ^ u64::from(ctx.to_raw()).rotate_left(11))
            .wrapping_add(how as u64)
            .wrapping_mul(0x9E37_79B9_7F4A_7C15);
        let place = (hash >> 40) as usize % COMPARED;
        let known = &self.compared[place];
        if (known.a, known.b, known.ctx) == (a, b, ctx) && known.how == how {
            return Ok((known.holds, known.rest));
        }
        let holds = self.lift_compare(how, a, b)?;
        let rest = self.conds.minus(ctx, holds)?;
        self.compared[place] = Compared {
            how,
            ctx,
            a,
            b,
            holds,
            rest,
        };
        Ok((holds, rest))
    }

    /// The part of the current context in which the comparison holds.
    #[cold]
    fn lift_compare(&mut self, compare: Compare, a: Slot, b: Slot) -> Step<Cond> {
        let (a, b) = (self.simplify(a)?, self.simplify(b)?);
        if !is_choice(a) && !is_choice(b) {
            return Ok(if compare.eval(a, b) {
                self.ctx
            } else {
                Cond::FALSE
            });
        }
        let (a, b) = (self.diagram(a)?, self.diagram(b)?);
        let key = match compare {
            Compare::Eq | Compare::Ne => Op::commutative(COMPARE + compare as u32),
            _ => Op::new(COMPARE + compare as u32),
        };
        let holds = self.conds.compare(key, a, b, |x, y| compare.eval(x, y))?;
        Ok(self.conds.and(holds, self.ctx)?)
    }

    /// Whether a write in the current context may ignore what was there before.
    #[inline(always)]
    pub(crate) fn writes_directly(&self, created: u32) -> bool {
        let ctx = self.ctx;
        ctx == self.universe || created == ctx.to_raw()
    }

    /// The value to store where `old` is, given that the context may be a part of the whole.
    #[cold]
    pub(crate) fn joined_store(&mut self, created: u32, new: Slot, old: Slot) -> Step<Slot> {
        let created = Cond::from_raw(created).unwrap_or(Cond::TRUE);
        if self.conds.entails(created, self.ctx) {
            return Ok(new);
        }
        let ctx = self.ctx;
        self.select_slot(ctx, new, old)
    }
}
