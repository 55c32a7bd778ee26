//! The manager: owner of all diagrams, their options and their order.

use crate::cache::{Cache, MIN_ENTRIES};
use crate::error::Error;
use crate::handle::{Cond, FRESH, Op, Opt};
use crate::levels::Levels;
use crate::names::Names;
use crate::table::{FALSE, Id, TRUE, Table};

/// Nodes a manager may hold unless told otherwise: 2^26, one gigabyte of nodes.
pub const DEFAULT_NODE_LIMIT: usize = 1 << 26;
/// Entries each operation cache may grow to unless told otherwise.
pub const DEFAULT_CACHE_LIMIT: usize = 1 << 22;

/// Owner of all diagrams. Single-threaded (but `Send`); handles are numbers that only make sense with it.
///
/// ```
/// use braid_cond::{Cond, Manager};
/// # fn main() -> Result<(), braid_cond::OutOfNodes> {
/// let mut m = Manager::new();
/// let (a, b) = (m.option("a"), m.option("b"));
/// let (a, b) = (m.on(a), m.on(b));
/// let both = m.and(a, b)?;
/// assert!(m.entails(both, a));
/// assert_eq!(m.implies(both, a)?, Cond::TRUE);
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone)]
pub struct Manager {
    pub(crate) table: Table,
    pub(crate) cache2: Cache<2>,
    pub(crate) cache3: Cache<3>,
    cache_limit: usize,
    /// Levels walked by recursion before the explicit stack takes over.
    pub(crate) recursion: u32,
    /// Operations that were not answered by a simple case or the cache.
    pub(crate) steps: u64,
    names: Names,
    /// The literals `(off, on)` of each option, never collected.
    pub(crate) literals: Vec<(Id, Id)>,
    pub(crate) levels: Levels,
    pub(crate) next_fresh: u32,
    pub(crate) visited: crate::visit::Stamps,
    pub(crate) collect_at: usize,
    pub(crate) collections: u64,
}

/// Figures about a manager.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stats {
    /// Nodes and terminals held now.
    pub nodes: usize,
    /// The most nodes ever held.
    pub peak_nodes: usize,
    /// Bytes of nodes, index and caches.
    pub bytes: usize,
    /// Steps of operations that no simple case and no cache entry answered.
    pub steps: u64,
    /// Collections so far.
    pub collections: u64,
}

impl Default for Manager {
    fn default() -> Manager {
        Manager::new()
    }
}

impl Manager {
    /// A manager without options and with the default limits.
    pub fn new() -> Manager {
        Manager {
            table: Table::new(DEFAULT_NODE_LIMIT),
            cache2: Cache::new(),
            cache3: Cache::new(),
            cache_limit: DEFAULT_CACHE_LIMIT,
            recursion: crate::run::RECURSION,
            steps: 0,
            names: Names::new(),
            literals: Vec::new(),
            levels: Levels::new(),
            next_fresh: FRESH,
            visited: crate::visit::Stamps::default(),
            collect_at: 1 << 16,
            collections: 0,
        }
    }

    /// A manager with these options in this order.
    pub fn with_options<S: AsRef<str>>(names: impl IntoIterator<Item = S>) -> Manager {
        let mut manager = Manager::new();
        for name in names {
            manager.option(name.as_ref());
        }
        manager
    }

    /// The option with this name; a new one is added at the end of the order, below all others.
    pub fn option(&mut self, name: &str) -> Opt {
        if let Some(opt) = self.names.find(name) {
            return opt;
        }
        let level = self.levels.add_below();
        self.add(name, level)
    }

    /// The option with this name; a new one is added at the beginning of the order, above all others.
    ///
    /// The better place for options in the order in which a program comes to test them: what was computed before
    /// is then shared below the new option, where otherwise all of it would be copied above it.
    pub fn option_above(&mut self, name: &str) -> Opt {
        if let Some(opt) = self.names.find(name) {
            return opt;
        }
        let level = self.levels.add_above();
        self.add(name, level)
    }

    /// The option with this name; a new one is placed directly before `place` in the order. Existing handles
    /// stay valid; the cost is one pass over all nodes.
    pub fn option_before(&mut self, name: &str, place: Opt) -> Opt {
        if let Some(opt) = self.names.find(name) {
            return opt;
        }
        let level = self.level(place);
        self.table
            .relabel(|old| if old >= level { old + 1 } else { old });
        self.levels.insert_at(level);
        self.add(name, level)
    }

    /// Names the option that has just been given a level.
    fn add(&mut self, name: &str, level: u32) -> Opt {
        let opt = self.names.intern(name);
        let off = self.table.make_unlimited(level, TRUE, FALSE);
        let on = self.table.make_unlimited(level, FALSE, TRUE);
        self.literals.push((off, on));
        opt
    }

    /// The option with this name, if there is one.
    pub fn find_option(&self, name: &str) -> Option<Opt> {
        self.names.find(name)
    }

    /// How many options there are.
    pub fn option_count(&self) -> usize {
        self.names.len()
    }

    /// All options in the order of the diagrams, topmost first.
    pub fn order(&self) -> &[Opt] {
        self.levels.order()
    }

    /// The names of all options.
    pub fn names(&self) -> &Names {
        &self.names
    }

    /// The option's name; empty if the option is not of this manager.
    pub fn name(&self, opt: Opt) -> &str {
        self.names.name(opt).unwrap_or_default()
    }

    /// The level of the option's nodes.
    #[inline]
    pub(crate) fn level(&self, opt: Opt) -> u32 {
        self.levels.of(opt)
    }

    /// The condition that the option is on.
    ///
    /// # Panics
    /// If the option is not of this manager.
    #[inline]
    pub fn on(&self, opt: Opt) -> Cond {
        Cond(self.literals[opt.index()].1)
    }

    /// The condition that the option is off.
    ///
    /// # Panics
    /// If the option is not of this manager.
    #[inline]
    pub fn off(&self, opt: Opt) -> Cond {
        Cond(self.literals[opt.index()].0)
    }

    /// Sets the variable order of a manager in which nothing has been built yet but options; see
    /// [`Manager::reorder`] for one in use.
    pub fn set_order(&mut self, order: &[Opt]) -> Result<(), Error> {
        self.reorder(order, &mut [], &mut [])
    }

    /// Sets levels and makes literals after the table has been emptied.
    pub(crate) fn install_levels(&mut self, levels: Levels) {
        self.levels = levels;
        for index in 0..self.literals.len() {
            let level = self.level(Opt::new(index));
            let off = self.table.make_unlimited(level, TRUE, FALSE);
            let on = self.table.make_unlimited(level, FALSE, TRUE);
            self.literals[index] = (off, on);
        }
    }

    /// Sets how many nodes may be held before operations return [`crate::OutOfNodes`] (at most 2^31).
    pub fn set_node_limit(&mut self, nodes: usize) {
        self.table.set_limit(nodes.min(1 << 31));
    }

    /// The limit set by [`Manager::set_node_limit`].
    pub fn node_limit(&self) -> usize {
        self.table.limit()
    }

    /// Sets how many entries each operation cache may grow to (rounded up to a power of two).
    pub fn set_cache_limit(&mut self, entries: usize) {
        self.cache_limit = entries.next_power_of_two().max(MIN_ENTRIES);
        if self.cache2.len() > self.cache_limit {
            self.cache2.resize(self.cache_limit);
        }
        if self.cache3.len() > self.cache_limit {
            self.cache3.resize(self.cache_limit);
        }
    }

    /// Sets how many levels operations walk by recursion (a frame is about 200 bytes) before they go over to a
    /// stack of their own, which is slower but cannot overflow the thread's. The default is 400.
    pub fn set_recursion_limit(&mut self, levels: u32) {
        self.recursion = levels;
    }

    /// Lets the caches follow the table: up to an entry a node in each that is used.
    #[cold]
    pub(crate) fn grow_caches(&mut self) {
        let wanted = (self.table.live() / 2).next_power_of_two();
        self.cache2.grow(wanted.min(self.cache_limit));
        self.cache3.grow(wanted.min(self.cache_limit));
    }

    /// An operator id that nobody else has, for a function that is used once.
    pub fn fresh_op(&mut self) -> Op {
        let op = Op(self.next_fresh);
        self.next_fresh += 1;
        if self.next_fresh >= 1 << 30 {
            self.forget_results();
        }
        op
    }

    /// Empties the operation caches; afterwards operator ids may be given another meaning.
    pub fn forget_results(&mut self) {
        self.cache2.clear();
        self.cache3.clear();
        self.next_fresh = FRESH;
    }

    /// Figures about nodes, memory and work.
    pub fn stats(&self) -> Stats {
        Stats {
            nodes: self.table.live(),
            peak_nodes: self.table.peak(),
            bytes: self.table.bytes() + self.cache2.bytes() + self.cache3.bytes(),
            steps: self.steps,
            collections: self.collections,
        }
    }
}
