//! Conditional jumps read as the conditions of the source.
//!
//! javac jumps over the guarded code when a condition is false, so `a < b` becomes `if_icmpge`.
//! In a `||` the jump goes to the guarded code when the condition is true. Which of the two a
//! jump is, its [`Sense`], follows from where the jumps of the rest of the condition go.

use braid_classfile::{Insn, Label, Op};

use crate::body::Body;
use crate::operator::{Edit, Goal, Proposals, Site, Step};

/// A relational operator.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Relation {
    Eq,
    Ne,
    Lt,
    Ge,
    Gt,
    Le,
}

impl Relation {
    pub(crate) const ALL: [Relation; 6] = [
        Relation::Eq,
        Relation::Ne,
        Relation::Lt,
        Relation::Ge,
        Relation::Gt,
        Relation::Le,
    ];

    /// The relation under which a jump of numbers jumps.
    pub(crate) fn of_jump(op: Op) -> Option<Relation> {
        let first = match op as u8 {
            v if (Op::Ifeq as u8..=Op::Ifle as u8).contains(&v) => Op::Ifeq,
            v if (Op::IfIcmpeq as u8..=Op::IfIcmple as u8).contains(&v) => Op::IfIcmpeq,
            _ => return None,
        };
        Relation::ALL
            .get(usize::from(op as u8 - first as u8))
            .copied()
    }

    /// The jump under this relation that takes the operands `like` takes.
    pub(crate) fn jump_like(self, like: Op) -> Op {
        let first = if like as u8 >= Op::IfIcmpeq as u8 {
            Op::IfIcmpeq
        } else {
            Op::Ifeq
        };
        Op::from_u8(first as u8 + self as u8).unwrap_or(like)
    }

    pub(crate) fn negated(self) -> Relation {
        Relation::ALL[self as usize ^ 1]
    }

    pub(crate) fn is_order(self) -> bool {
        !matches!(self, Relation::Eq | Relation::Ne)
    }

    pub(crate) fn text(self) -> &'static str {
        ["==", "!=", "<", ">=", ">", "<="][self as usize]
    }

    pub(crate) fn name(self) -> &'static str {
        ["eq", "ne", "lt", "ge", "gt", "le"][self as usize]
    }
}

/// When a conditional jump is taken.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Sense {
    /// When the condition of the source is false.
    OnFalse,
    /// When it is true.
    OnTrue,
}

impl Sense {
    /// The sense of the conditional jump at a position.
    pub(crate) fn of(body: &Body<'_>, at: usize) -> Sense {
        let Insn::Jump(_, label) = body.insn(at) else {
            return Sense::OnFalse;
        };
        match Connector::of(body, at) {
            Some(connector) => {
                let last = Sense::of(body, connector.last);
                if connector.same {
                    last
                } else {
                    last.opposite()
                }
            }
            None if repeats(body, at, label) => Sense::OnTrue,
            None => Sense::OnFalse,
        }
    }

    fn opposite(self) -> Sense {
        match self {
            Sense::OnFalse => Sense::OnTrue,
            Sense::OnTrue => Sense::OnFalse,
        }
    }

    /// The relation of the source for a jump's relation, and the reverse.
    pub(crate) fn source(self, relation: Relation) -> Relation {
        match self {
            Sense::OnFalse => relation.negated(),
            Sense::OnTrue => relation,
        }
    }
}

/// True for the condition of a `do … while`, which jumps back when it is true. An `if` that ends a
/// loop jumps back when it is false; then the loop's own jump back stands behind it.
fn repeats(body: &Body<'_>, at: usize, label: Label) -> bool {
    let goal = body.target(label);
    let loops = |insn: &Insn| match insn {
        Insn::Jump(Op::Goto, to) => body.target(*to) == goal,
        _ => false,
    };
    body.place(label) < at && !body.code.insns[at..].iter().any(loops)
}

/// A jump that is the left operand of `&&` or `||`, with its right operand.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Connector {
    /// The last jump of the right operand.
    pub(crate) last: usize,
    /// Both jumps have the same target.
    pub(crate) same: bool,
    /// Where the right operand goes when it does not go where the jump goes.
    pub(crate) other: Goal,
    /// The right operand assigns to a local.
    pub(crate) assigns: bool,
}

/// Conditions longer than this are not read.
const LONGEST: usize = 200;

/// The right operand of a connector as far as it was read.
struct Operand<'b> {
    body: &'b Body<'b>,
    /// The left jump, where it goes, and the stack behind it.
    left: usize,
    goal: usize,
    depth: u16,
    /// The furthest place inside the operand that one of its jumps goes to.
    pending: usize,
    /// The one place outside that is not the goal.
    other: Option<Label>,
    assigns: bool,
}

impl Connector {
    /// Reads on behind a conditional jump: the right operand ends at the first jump by which
    /// every jump in it goes to its end, to the left jump's target or to one other place.
    pub(crate) fn of(body: &Body<'_>, at: usize) -> Option<Connector> {
        let Insn::Jump(op, target) = body.insn(at) else {
            return None;
        };
        if !op.is_conditional() || begins_statement(body, at) {
            return None;
        }
        let mut operand = Operand {
            body,
            left: at,
            goal: body.target(target)?,
            depth: body.before[at].depth.saturating_sub(slots(op)),
            pending: at,
            other: None,
            assigns: false,
        };
        let mut position = body.next(at)?;
        for _ in 0..LONGEST {
            let after = body.next(position)?;
            match body.insn(position) {
                Insn::Jump(op, label) if op.is_conditional() => {
                    let to = operand.jump(label)?;
                    let closed = operand.pending <= after
                        && body.before[position].depth == operand.depth + slots(op);
                    if closed && let Some(found) = operand.end(position, to, after) {
                        return Some(found);
                    }
                }
                insn if !operand.may_have(insn, position) => return None,
                _ => {}
            }
            position = after;
        }
        None
    }
}

fn slots(op: Op) -> u16 {
    u16::from(op.pop_slots().unwrap_or(0))
}

impl Operand<'_> {
    /// Takes note of a jump in the operand; none if it leads to a third place outside.
    fn jump(&mut self, label: Label) -> Option<usize> {
        let to = self.body.target(label)?;
        // A jump back to the head of a loop bounds nothing.
        let before_goal = to < self.goal || self.goal < self.left;
        let inside = self.left < to && before_goal;
        if to == self.goal {
            return Some(to);
        }
        if inside
            && self
                .other
                .is_none_or(|other| self.body.target(other) != Some(to))
        {
            self.pending = self.pending.max(to);
            return Some(to);
        }
        match self.other {
            Some(other) if self.body.target(other) != Some(to) => None,
            _ => {
                self.other = Some(label);
                Some(to)
            }
        }
    }

    /// The connector, if the operand is complete with the jump at `last`.
    fn end(&self, last: usize, to: usize, after: usize) -> Option<Connector> {
        let (same, other) = match self.other {
            None if to == self.goal && after != self.goal => (true, Goal::Before(after)),
            Some(label) if after == self.goal && to != self.goal => (false, Goal::Label(label)),
            _ => return None,
        };
        Some(Connector {
            last,
            same,
            other,
            assigns: self.assigns,
        })
    }

    /// False for instructions that no operand of a condition has. Assignments inside expressions
    /// keep their value on the stack; that of a pattern variable follows a cast.
    fn may_have(&mut self, insn: Insn, at: usize) -> bool {
        let previous = self.body.previous(at).map(|p| self.body.insn(p));
        let kept = match previous {
            Some(Insn::Plain(op)) => (Op::Dup as u8..=Op::Dup2X2 as u8).contains(&(op as u8)),
            Some(Insn::Class(Op::Checkcast, _)) => true,
            _ => false,
        };
        match insn {
            Insn::Local(op, _) if op.is_store() => {
                self.assigns = true;
                kept
            }
            Insn::Iinc(..) => {
                self.assigns = true;
                self.body.before[at].depth > self.depth
            }
            Insn::Field(Op::Putfield | Op::Putstatic, _) => kept,
            Insn::Plain(op) => !op.is_return() && !matches!(op, Op::Athrow | Op::Pop | Op::Pop2),
            Insn::Local(Op::Ret, _) | Insn::Switch(_) | Insn::Jump(..) => false,
            _ => true,
        }
    }
}

/// True if a statement of its own begins behind a jump: javac puts a line there, and nowhere
/// else directly behind a condition but at calls without operands.
fn begins_statement(body: &Body<'_>, at: usize) -> bool {
    let Some(next) = body.next(at) else {
        return true;
    };
    body.lines[next] != body.lines[at]
        && !matches!(body.insn(next), Insn::Invoke(Op::Invokestatic, _))
}

/// The relation of a jump that compares references or tests for null.
pub(crate) fn equality(op: Op) -> Option<Relation> {
    match op {
        Op::IfAcmpeq | Op::Ifnull => Some(Relation::Eq),
        Op::IfAcmpne | Op::Ifnonnull => Some(Relation::Ne),
        _ => None,
    }
}

/// Proposes another relation for a jump. A comparison of fractions before it changes too, so that
/// NaN counts as it does for the new operator.
pub(crate) fn replace_jump(
    site: &Site<'_>,
    sense: Sense,
    old: Relation,
    new: Relation,
    out: &mut Proposals,
) {
    let Insn::Jump(op, label) = site.insn else {
        return;
    };
    let (from, to) = (sense.source(old), sense.source(new));
    let jump = match equality(op) {
        Some(_) => op.negated().unwrap_or(op),
        None => new.jump_like(op),
    };
    let description = format!("replaced {} by {}", from.text(), to.text());
    let compared = site.body.previous(site.at).filter(|previous| {
        let block = site.body.blocks[*previous] == site.body.blocks[site.at];
        block && op.pop_slots() == Some(1)
    });
    let compare = compared.and_then(|previous| Some((previous, nan_aware(site, previous, to)?)));
    let mut steps = vec![Step::Insn(Insn::Jump(jump, label))];
    let mut range = site.at..site.at + 1;
    if let Some((previous, compare)) = compare {
        steps.insert(0, compare.into());
        range.start = previous;
    }
    out.edit(site.at, Edit::Replace(range, steps), to.name(), description);
}

/// The comparison of fractions that the source operator `to` needs.
fn nan_aware(site: &Site<'_>, at: usize, to: Relation) -> Option<Op> {
    let below = matches!(to, Relation::Lt | Relation::Le);
    match site.body.insn(at) {
        Insn::Plain(Op::Fcmpl | Op::Fcmpg) => Some(if below { Op::Fcmpg } else { Op::Fcmpl }),
        Insn::Plain(Op::Dcmpl | Op::Dcmpg) => Some(if below { Op::Dcmpg } else { Op::Dcmpl }),
        _ => None,
    }
}
