//! Conditional jumps read as the conditions of the source.
//!
//! javac jumps over the guarded code when a condition is false, so `a < b` becomes `if_icmpge`.
//! In a `||` the jump goes to the guarded code when the condition is true. Which of the two a
//! jump is, its [`Sense`], follows from where the jumps of the rest of the condition go.

use braid_classfile::{Insn, Label, Op};

use crate::body::Body;
use crate::operator::{Goal, Proposals, Site, Step};

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
            // `do … while` jumps back when the condition is true.
            None if body.place(label) < at => Sense::OnTrue,
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

/// A jump that is the left operand of `&&` or `||`, with its right operand.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Connector {
    /// The last jump of the right operand.
    pub(crate) last: usize,
    /// Both jumps have the same target.
    pub(crate) same: bool,
    /// Where the right operand goes when it does not go where the jump goes.
    pub(crate) other: Goal,
}

/// Conditions longer than this are not read.
const LONGEST: usize = 200;

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
        let depth = body.before[at].depth - u16::from(op.pop_slots().unwrap_or(0));
        let (mut pending, mut other) = (at, None::<Label>);
        let goal = body.target(target)?;
        let mut position = body.next(at)?;
        for _ in 0..LONGEST {
            let insn = body.insn(position);
            let after = body.next(position)?;
            match insn {
                Insn::Jump(op, label) if op.is_conditional() => {
                    let to = body.target(label)?;
                    if to == goal || to > goal || to <= at {
                        if to != goal && other.is_some_and(|o| body.target(o) != Some(to)) {
                            return None;
                        }
                        if to != goal {
                            other = Some(label);
                        }
                    } else {
                        pending = pending.max(to);
                    }
                    let slots = u16::from(op.pop_slots().unwrap_or(0));
                    let closed = pending <= after && body.before[position].depth == depth + slots;
                    if closed && let Some(found) = Connector::end(position, to, after, goal, other)
                    {
                        return Some(found);
                    }
                }
                _ if ends_condition(insn) => return None,
                _ => {}
            }
            position = after;
        }
        None
    }

    fn end(
        last: usize,
        to: usize,
        after: usize,
        goal: usize,
        other: Option<Label>,
    ) -> Option<Connector> {
        match other {
            None if to == goal && after != goal => Some(Connector {
                last,
                same: true,
                other: Goal::Before(after),
            }),
            Some(label) if after == goal && to != goal => Some(Connector {
                last,
                same: false,
                other: Goal::Label(label),
            }),
            _ => None,
        }
    }
}

/// Instructions that no operand of a condition has between its jumps.
fn ends_condition(insn: Insn) -> bool {
    match insn {
        Insn::Local(op, _) => op.is_store() || op == Op::Ret,
        Insn::Iinc(..) | Insn::Switch(_) => true,
        Insn::Jump(..) => true,
        Insn::Plain(op) => op.is_return() || matches!(op, Op::Athrow | Op::Pop | Op::Pop2),
        Insn::Field(op, _) => matches!(op, Op::Putfield | Op::Putstatic),
        _ => false,
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

/// Proposes another relation for a jump.
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
    let jump = Insn::Jump(new.jump_like(op), label);
    let description = format!("replaced {} by {}", from.text(), to.text());
    out.replace(site, [Step::Insn(jump)], to.name(), description);
}
