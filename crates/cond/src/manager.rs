//! The manager: owner of all diagrams, their options and their order.

use crate::cache::{Cache, MIN_ENTRIES};
use crate::error::Error;
use crate::handle::{Cond, FRESH, Op, Opt};
use crate::names::Names;
use crate::table::{FALSE, Id, MAX_LEVEL, TRUE, Table};

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
    /// Live nodes beyond which the caches are considered for growth.
    pub(crate) cache_check: usize,
    cache_limit: usize,
    /// Levels walked by recursion before the explicit stack takes over.
    pub(crate) recursion: u32,
    /// Operations that were not answered by a simple case or the cache.
    pub(crate) steps: u64,
    names: Names,
    /// The literals `(off, on)` of each option, never collected.
    pub(crate) literals: Vec<(Id, Id)>,
    level_of: Vec<u32>,
    pub(crate) at_level: Vec<Opt>,
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
            cache_check: MIN_ENTRIES / 2,
            cache_limit: DEFAULT_CACHE_LIMIT,
            recursion: crate::run::RECURSION,
            steps: 0,
            names: Names::new(),
            literals: Vec::new(),
            level_of: Vec::new(),
            at_level: Vec::new(),
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

    /// The option with this name; a new one is added at the end of the order.
    pub fn option(&mut self, name: &str) -> Opt {
        match self.names.find(name) {
            Some(opt) => opt,
            None => self.add_at(name, self.at_level.len() as u32),
        }
    }

    /// The option with this name; a new one is placed directly before `place` in the order. Existing handles
    /// stay valid; the cost is one pass over all nodes.
    pub fn option_before(&mut self, name: &str, place: Opt) -> Opt {
        if let Some(opt) = self.names.find(name) {
            return opt;
        }
        let level = self.level(place);
        self.table.relabel(|old| if old >= level { old + 1 } else { old });
        for old in &mut self.level_of {
            *old += u32::from(*old >= level);
        }
        self.add_at(name, level)
    }

    fn add_at(&mut self, name: &str, level: u32) -> Opt {
        assert!(self.names.len() < MAX_LEVEL as usize, "fewer than 2^32 - 3 options");
        let opt = self.names.intern(name);
        self.level_of.push(level);
        self.at_level.insert(level as usize, opt);
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
        &self.at_level
    }

    /// The names of all options.
    pub fn names(&self) -> &Names {
        &self.names
    }

    /// The option's name; empty if the option is not of this manager.
    pub fn name(&self, opt: Opt) -> &str {
        self.names.name(opt).unwrap_or_default()
    }

    /// The option's place in the order, 0 being topmost.
    #[inline]
    pub(crate) fn level(&self, opt: Opt) -> u32 {
        self.level_of[opt.index()]
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

    /// Replaces options' order bookkeeping and literals after the table has been emptied.
    pub(crate) fn install_order(&mut self, order: &[Opt]) {
        self.at_level = order.to_vec();
        for (level, opt) in order.iter().enumerate() {
            self.level_of[opt.index()] = level as u32;
        }
        for (index, &level) in self.level_of.iter().enumerate() {
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
        self.cache_check = self.table.live();
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

    /// Lets the caches follow the table: about two entries a node.
    #[cold]
    pub(crate) fn grow_caches(&mut self) {
        let wanted = (self.table.live() * 2).next_power_of_two().min(self.cache_limit);
        if self.cache2.len() < wanted {
            self.cache2.resize(wanted);
        }
        if self.cache3.len() < wanted {
            self.cache3.resize(wanted);
        }
        let at_limit = wanted >= self.cache_limit;
        self.cache_check = if at_limit { usize::MAX } else { wanted / 2 };
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
