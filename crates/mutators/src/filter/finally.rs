//! Copies of `finally` blocks.
//!
//! javac writes a `finally` block once for every way out of its `try`. The copies have the same
//! lines and the same instructions but for the slots of locals, so a mutant of the block is one
//! mutant that changes every copy, as a change of the source would.

use std::collections::HashMap;
use std::ops::Range;

use braid_classfile::{Insn, Op};

use super::{each, loaded, stored};
use crate::body::Body;

/// For each item of a method's code, the first of its copies.
pub(crate) struct Copies(Option<Vec<usize>>);

impl Copies {
    pub(crate) fn new(body: &Body<'_>) -> Copies {
        let mut first: Option<Vec<usize>> = None;
        for range in body.code.tries.iter().filter(|range| range.catch_type == 0) {
            let Some(block) = body.target(range.handler).and_then(|h| handler(body, h)) else {
                continue;
            };
            let first = first.get_or_insert_with(|| (0..body.code.insns.len()).collect());
            for (at, insn) in each(body).filter(|(at, _)| !block.contains(at)) {
                if insn.op() == body.insn(block.start).op()
                    && body.lines[at] == body.lines[block.start]
                    && let Some(pairs) = matching(body, &block, at)
                {
                    join(first, &pairs);
                }
            }
        }
        Copies(first)
    }

    /// True if nothing was copied.
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_none()
    }

    /// The first copy of the item at a position; itself if there is none.
    pub(crate) fn first(&self, at: usize) -> usize {
        self.0.as_ref().map_or(at, |first| first[at])
    }
}

/// Gives all copies of an item the first of them.
fn join(first: &mut [usize], pairs: &[(usize, usize)]) {
    for (a, b) in pairs {
        let (low, high) = (first[*a].min(first[*b]), first[*a].max(first[*b]));
        if low != high {
            for place in first.iter_mut().filter(|place| **place == high) {
                *place = low;
            }
        }
    }
}

/// The block in a handler `store t, block, load t, throw`.
fn handler(body: &Body<'_>, start: usize) -> Option<Range<usize>> {
    let exception = stored(body, start)?;
    let first = body.next(start)?;
    let rethrown = |at: &usize| {
        loaded(body, *at) == Some(exception)
            && body.next(*at).map(|next| body.insn(next)) == Some(Insn::Plain(Op::Athrow))
    };
    let end = (first..body.code.insns.len()).find(rethrown)?;
    let locked = (first..end).any(|at| body.insn(at) == Insn::Plain(Op::Monitorexit));
    (first < end && !locked).then_some(first..end)
}

/// The instructions of a block with those of its copy at another place.
fn matching(body: &Body<'_>, block: &Range<usize>, copy: usize) -> Option<Vec<(usize, usize)>> {
    let mut pairs = Vec::new();
    let mut locals: HashMap<u16, u16> = HashMap::new();
    let mut jumps = Vec::new();
    let (mut a, mut b) = (block.start, copy);
    while a < block.end {
        let (old, new) = (body.insn(a), body.insn(b));
        let mut same_local = |old: u16, new: u16| *locals.entry(old).or_insert(new) == new;
        let same = body.lines[a] == body.lines[b]
            && match (old, new) {
                (Insn::Local(p, i), Insn::Local(q, j)) => p == q && same_local(i, j),
                (Insn::Iinc(i, d), Insn::Iinc(j, e)) => d == e && same_local(i, j),
                (Insn::Jump(p, to), Insn::Jump(q, other)) => {
                    jumps.push((body.target(to), body.target(other)));
                    p == q
                }
                (Insn::Switch(_), _) => false,
                _ => old == new,
            };
        if !same || b >= block.start && b < block.end {
            return None;
        }
        pairs.push((a, b));
        a = body.next(a)?;
        b = body.next(b)?;
    }
    let lands_alike = |(old, new): &(Option<usize>, Option<usize>)| {
        match pairs.iter().find(|(a, _)| Some(*a) == *old) {
            Some((_, b)) => Some(*b) == *new,
            // Out of the block: to its end, which differs, or to a common place.
            None => *old == Some(a) || old == new,
        }
    };
    jumps.iter().all(lands_alike).then_some(pairs)
}
