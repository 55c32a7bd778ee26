//! Where two versions of a method part and come together again, so that all ways into what differs begin at one place.

use crate::weave::region::Steps;

/// The instructions that differ. What lies before and behind them is the same in both versions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Cut {
    /// As many instructions are the same at the start.
    pub(super) from: usize,
    /// From here on the old version's are the same again.
    pub(super) old: usize,
    /// From here on the new version's are.
    pub(super) new: usize,
    /// Only what falls into the place runs what is put in there; jumps to it go on behind it.
    pub(super) falls: bool,
}

/// A place of one version as the other one can name it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    Before(usize),
    Start,
    /// The start of nothing, which is its end too.
    Edge,
    Inside,
    Behind(usize),
}

/// What outside of a cut does not fit.
enum Misfit {
    Before(usize),
    Behind(usize),
    /// The handlers of exceptions.
    Handlers,
}

/// How often a cut is moved to where jumps fit.
const MAX_MOVES: usize = 64;

impl Cut {
    /// What differs; none if nothing does, or there is no such cut.
    pub(super) fn between(old: &Steps, new: &Steps) -> Option<Cut> {
        let first = Cut::smallest(old, new)?;
        let mut moved = first;
        for _ in 0..MAX_MOVES {
            if let Ok(cut) = moved.fitted(old, new) {
                return Some(cut);
            }
            let (last_old, last_new) = (moved.old.checked_sub(1), moved.new.checked_sub(1));
            match (last_old, last_new) {
                (Some(a), Some(b)) if moved.from > 0 && old.steps[a].is_like(&new.steps[b]) => {
                    moved = Cut {
                        from: moved.from - 1,
                        old: a,
                        new: b,
                        ..moved
                    };
                }
                _ => break,
            }
        }
        first.widened(old, new)
    }

    /// The cut with one more instruction before it.
    pub(super) fn earlier(self, old: &Steps, new: &Steps) -> Option<Cut> {
        let from = self.from.checked_sub(1)?;
        let cut = Cut { from, ..self };
        cut.fitted(old, new).ok()
    }

    fn smallest(old: &Steps, new: &Steps) -> Option<Cut> {
        let (old, new) = (&old.steps, &new.steps);
        let pairs = old.iter().zip(new);
        let from = pairs.take_while(|(a, b)| a.is_like(b)).count();
        let most = old.len().min(new.len()) - from;
        let behind = old.iter().rev().zip(new.iter().rev()).take(most);
        let behind = behind.take_while(|(a, b)| a.is_like(b)).count();
        let cut = Cut {
            from,
            old: old.len() - behind,
            new: new.len() - behind,
            falls: false,
        };
        Some(cut)
    }

    /// Takes in what does not fit.
    fn widened(mut self, old: &Steps, new: &Steps) -> Option<Cut> {
        for _ in 0..old.steps.len() {
            match self.fitted(old, new) {
                Ok(cut) => return Some(cut).filter(|cut| cut.old > cut.from || cut.new > cut.from),
                Err(Misfit::Before(at)) => self.from = at,
                Err(Misfit::Behind(at)) => {
                    self.new = at + 1 - self.old + self.new;
                    self.old = at + 1;
                }
                Err(Misfit::Handlers) => return None,
            }
        }
        None
    }

    fn place(self, at: usize, end: usize) -> Place {
        if at < self.from {
            Place::Before(at)
        } else if at > end || at == end && self.from < end {
            Place::Behind(at - end)
        } else if at > self.from {
            Place::Inside
        } else if self.from < end {
            Place::Start
        } else {
            Place::Edge
        }
    }

    /// Checks that all ways between what is outside are the same in both versions, and lead to the start only.
    fn fitted(self, old: &Steps, new: &Steps) -> Result<Cut, Misfit> {
        let mut ways = Ways::default();
        let outside = (0..self.from).chain(self.old..old.steps.len());
        for at in outside {
            let other = match at < self.from {
                true => at,
                false => at - self.old + self.new,
            };
            let targets = old.steps[at].targets.iter();
            let mut pairs = targets.zip(&new.steps[other].targets);
            let same = pairs.all(|(a, b)| ways.fit(self.place(*a, self.old), self.place(*b, self.new)));
            if !same {
                return Err(match at < self.from {
                    true => Misfit::Before(at),
                    false => Misfit::Behind(at),
                });
            }
        }
        match self.handlers_fit(old, new, &mut ways) {
            true => Ok(Cut {
                falls: ways.skips && !ways.enters,
                ..self
            }),
            false => Err(Misfit::Handlers),
        }
    }

    /// Whether what is outside has the same handlers in both versions.
    fn handlers_fit(self, old: &Steps, new: &Steps, ways: &mut Ways) -> bool {
        // what is covered of the outside, without what differs
        let key = |at: usize, end: usize| match at {
            at if at < self.from => at,
            at => self.from + at.saturating_sub(end),
        };
        let outside = |steps, end| {
            let handlers: &Vec<crate::weave::region::Handler> = steps;
            let covers = move |h: &&crate::weave::region::Handler| key(h.start, end) < key(h.end, end);
            handlers.iter().filter(covers).collect::<Vec<_>>()
        };
        let before = outside(&old.handlers, self.old);
        let after = outside(&new.handlers, self.new);
        let mut pairs = before.iter().zip(&after);
        before.len() == after.len()
            && pairs.all(|(a, b)| {
                a.what == b.what
                    && key(a.start, self.old) == key(b.start, self.new)
                    && key(a.end, self.old) == key(b.end, self.new)
                    && ways.fit(self.place(a.target, self.old), self.place(b.target, self.new))
            })
    }
}

/// How jumps treat the place where something is put in.
#[derive(Default)]
struct Ways {
    /// Some lead to the start of what is put in.
    enters: bool,
    /// Some lead behind it.
    skips: bool,
}

impl Ways {
    /// Whether two places are the same.
    fn fit(&mut self, old: Place, new: Place) -> bool {
        use Place::{Before, Behind, Edge, Start};
        match (old, new) {
            (Before(a), Before(b)) | (Behind(a), Behind(b)) => a == b,
            (Start, Start | Edge) | (Behind(0), Edge) => true,
            (Edge, Start) => {
                self.enters = true;
                true
            }
            (Edge, Behind(0)) => {
                self.skips = true;
                true
            }
            _ => false,
        }
    }
}
