//! Where two versions of a method part and come together again, so that all ways into what differs begin at one place.

use std::ops::Range;

use crate::weave::region::{Handler, Steps};

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
    /// A handler of exceptions covers something, in one of the versions.
    Handler(Range<usize>, Side),
}

/// One of the two versions.
#[derive(Clone, Copy)]
enum Side {
    Old,
    New,
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

    /// The cut with so many more instructions behind it.
    pub(super) fn later(self, by: usize, old: &Steps, new: &Steps) -> Option<Cut> {
        let cut = Cut {
            old: self.old + by,
            new: self.new + by,
            ..self
        };
        let fits = cut.old <= old.steps.len() && cut.new <= new.steps.len();
        fits.then(|| cut.fitted(old, new).ok())?
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
                    self.new += at + 1 - self.old;
                    self.old = at + 1;
                }
                Err(Misfit::Handler(covered, side)) => {
                    let before = self;
                    self.from = self.from.min(covered.start);
                    let end = match side {
                        Side::Old => self.old,
                        Side::New => self.new,
                    };
                    let more = covered.end.saturating_sub(end);
                    (self.old, self.new) = (self.old + more, self.new + more);
                    if self == before || self.old > old.steps.len() {
                        return None;
                    }
                }
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
            let same =
                pairs.all(|(a, b)| ways.fit(self.place(*a, self.old), self.place(*b, self.new)));
            if !same {
                return Err(match at < self.from {
                    true => Misfit::Before(at),
                    false => Misfit::Behind(at),
                });
            }
        }
        self.handlers_fit(old, new, &mut ways)?;
        Ok(Cut {
            falls: ways.skips && !ways.enters,
            ..self
        })
    }

    /// Whether what is outside has the same handlers in both versions.
    fn handlers_fit(self, old: &Steps, new: &Steps, ways: &mut Ways) -> Result<(), Misfit> {
        // what is covered of the outside, without what differs
        let key = |at: usize, end: usize| match at {
            at if at < self.from => at,
            at => self.from + at.saturating_sub(end),
        };
        let keys = |handler: &Handler, end: usize| (key(handler.start, end), key(handler.end, end));
        let outside = |handler: &&Handler, end: usize| {
            let (start, end) = keys(handler, end);
            start < end
        };
        let mut before = old
            .handlers
            .iter()
            .filter(|handler| outside(handler, self.old));
        let mut after = new
            .handlers
            .iter()
            .filter(|handler| outside(handler, self.new));
        loop {
            let misfit = match (before.next(), after.next()) {
                (None, None) => return Ok(()),
                (Some(a), None) => (a.start..a.end, Side::Old),
                (None, Some(b)) => (b.start..b.end, Side::New),
                (Some(a), Some(b)) => {
                    let same = a.what == b.what
                        && keys(a, self.old) == keys(b, self.new)
                        && ways.fit(
                            self.place(a.target, self.old),
                            self.place(b.target, self.new),
                        );
                    if same {
                        continue;
                    }
                    // the one that the other version does not have is likely to cover less
                    match a.end - a.start < b.end - b.start {
                        true => (a.start..a.end, Side::Old),
                        false => (b.start..b.end, Side::New),
                    }
                }
            };
            return Err(Misfit::Handler(misfit.0, misfit.1));
        }
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
