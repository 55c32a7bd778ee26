//! Which option stands where in the order of the diagrams.
//!
//! Nodes store the level of their option. Levels start in the middle of the numbers, so options can be added below
//! and above all others without touching a node.

use crate::handle::Opt;
use crate::table::TERMINAL;

/// The level of the first option.
const MIDDLE: u32 = 1 << 31;
/// Options a manager can have on either side of the first.
const MAX_OPTIONS: usize = 1 << 30;

/// The order of options.
#[derive(Debug, Clone)]
pub(crate) struct Levels {
    /// Level of the topmost option.
    base: u32,
    /// Options from the topmost down.
    order: Vec<Opt>,
    /// Level of each option.
    of: Vec<u32>,
}

impl Levels {
    pub(crate) fn new() -> Levels {
        Levels {
            base: MIDDLE,
            order: Vec::new(),
            of: Vec::new(),
        }
    }

    /// The options in this order, a permutation of all.
    pub(crate) fn from_order(order: &[Opt]) -> Levels {
        let mut of = vec![MIDDLE; order.len()];
        for (place, opt) in order.iter().enumerate() {
            of[opt.index()] = MIDDLE + place as u32;
        }
        Levels {
            base: MIDDLE,
            order: order.to_vec(),
            of,
        }
    }

    pub(crate) fn order(&self) -> &[Opt] {
        &self.order
    }

    #[inline]
    pub(crate) fn of(&self, opt: Opt) -> u32 {
        self.of[opt.index()]
    }

    /// The option at a level that has one.
    #[inline]
    pub(crate) fn at(&self, level: u32) -> Opt {
        self.order[(level - self.base) as usize]
    }

    /// How many options are above the level; all of them for terminals.
    pub(crate) fn above(&self, level: u32) -> usize {
        if level == TERMINAL {
            self.order.len()
        } else {
            (level - self.base) as usize
        }
    }

    fn check_room(&self) {
        assert!(
            self.order.len() < MAX_OPTIONS,
            "a manager has at most 2^30 options"
        );
    }

    /// Gives the next option the place below all others; returns its level.
    pub(crate) fn add_below(&mut self) -> u32 {
        self.check_room();
        let level = self.base + self.order.len() as u32;
        self.order.push(Opt::new(self.of.len()));
        self.of.push(level);
        level
    }

    /// Gives the next option the place above all others; returns its level.
    pub(crate) fn add_above(&mut self) -> u32 {
        self.check_room();
        self.base -= 1;
        self.order.insert(0, Opt::new(self.of.len()));
        self.of.push(self.base);
        self.base
    }

    /// Gives the next option this level; options there and below move down by one.
    pub(crate) fn insert_at(&mut self, level: u32) {
        self.check_room();
        for old in &mut self.of {
            *old += u32::from(*old >= level);
        }
        self.order
            .insert((level - self.base) as usize, Opt::new(self.of.len()));
        self.of.push(level);
    }
}
