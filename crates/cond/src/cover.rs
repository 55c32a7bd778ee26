//! Irredundant sums of products: how a condition becomes a short list of conjunctions.
//!
//! The algorithm is Minato's and Morreale's: given a lower and an upper bound, find a cover between them from
//! which no product and no literal can be dropped. Bounds that differ express "anything goes here", which is how a
//! condition is simplified by a context that is known to hold. Departs from the paper in that covers are shared
//! nodes in a vector, enumerated lazily, because the number of products may be exponential.

use crate::Manager;
use crate::error::OutOfNodes;
use crate::handle::{Cond, Opt};
use crate::table::{FALSE, Id, TRUE};
use rustc_hash::FxHashMap;

/// A conjunction: options with the setting they must have, in order of creation.
pub type Product = Vec<(Opt, bool)>;

/// A disjunction of conjunctions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Dnf {
    /// The products, shortest first, then by their options in order of creation. No product is the condition false, an empty product is true.
    pub products: Vec<Product>,
    /// How many further products were left out because of the caller's limit.
    pub more: u64,
}

impl Dnf {
    /// How many literals the products have.
    pub fn literals(&self) -> usize {
        self.products.iter().map(Vec::len).sum()
    }
}

const EMPTY: u32 = 0;
const UNIT: u32 = 1;

/// The products of `off` with the option of the level off, of `on` with it on, and of `either` without it.
#[derive(Debug, Clone, Copy)]
struct Cover {
    level: u32,
    off: u32,
    on: u32,
    either: u32,
}

/// A problem half solved: the bounds of both branches and the covers found so far.
struct Frame {
    bounds: (Id, Id),
    level: u32,
    lower: [Id; 2],
    upper: [Id; 2],
    solved: Vec<(u32, Id)>,
}

struct Covers<'m> {
    manager: &'m mut Manager,
    nodes: Vec<Cover>,
    known: FxHashMap<(Id, Id), (u32, Id)>,
}

impl Covers<'_> {
    /// A cover between the bounds and the condition that it is.
    fn solve(&mut self, lower: Id, upper: Id) -> Result<(u32, Id), OutOfNodes> {
        let mut stack: Vec<Frame> = Vec::new();
        let mut answer = self.start((lower, upper), &mut stack);
        loop {
            if let Some(solved) = answer {
                let Some(frame) = stack.last_mut() else {
                    return Ok(solved);
                };
                frame.solved.push(solved);
            }
            let Some(frame) = stack.last() else { continue };
            if let [off, on, either] = frame.solved[..] {
                let solved = self.finish(frame, [off, on, either])?;
                stack.pop();
                answer = Some(solved);
            } else {
                let bounds = self.next_bounds(frame)?;
                answer = self.start(bounds, &mut stack);
            }
        }
    }

    /// Answers a simple problem or puts it on the stack.
    fn start(&mut self, bounds: (Id, Id), stack: &mut Vec<Frame>) -> Option<(u32, Id)> {
        let (lower, upper) = bounds;
        if lower == FALSE {
            return Some((EMPTY, FALSE));
        }
        if upper == TRUE {
            return Some((UNIT, TRUE));
        }
        if let Some(&known) = self.known.get(&bounds) {
            return Some(known);
        }
        let (low, high) = (
            self.manager.table.node(lower),
            self.manager.table.node(upper),
        );
        let level = low.level.min(high.level);
        let lower = if low.level == level {
            [low.lo(), low.hi()]
        } else {
            [lower; 2]
        };
        let upper = if high.level == level {
            [high.lo(), high.hi()]
        } else {
            [upper; 2]
        };
        stack.push(Frame {
            bounds,
            level,
            lower,
            upper,
            solved: Vec::with_capacity(3),
        });
        None
    }

    /// First what only a product with the option off can cover, then on, then what is left to those without.
    fn next_bounds(&mut self, frame: &Frame) -> Result<(Id, Id), OutOfNodes> {
        let ([off, on], [off_up, on_up]) = (frame.lower, frame.upper);
        let m = &mut *self.manager;
        Ok(match frame.solved[..] {
            [] => (m.minus(Cond(off), Cond(on_up))?.0, off_up),
            [_] => (m.minus(Cond(on), Cond(off_up))?.0, on_up),
            [(_, off_done), (_, on_done), ..] => {
                let off_left = m.minus(Cond(off), Cond(off_done))?;
                let on_left = m.minus(Cond(on), Cond(on_done))?;
                let left = m.or(off_left, on_left)?;
                (left.0, m.and(Cond(off_up), Cond(on_up))?.0)
            }
        })
    }

    fn finish(
        &mut self,
        frame: &Frame,
        [off, on, either]: [(u32, Id); 3],
    ) -> Result<(u32, Id), OutOfNodes> {
        let m = &mut *self.manager;
        let lo = m.or(Cond(off.1), Cond(either.1))?.0;
        let hi = m.or(Cond(on.1), Cond(either.1))?.0;
        let cond = m.table.make(frame.level, lo, hi)?;
        let cover = if off.0 == EMPTY && on.0 == EMPTY {
            either.0
        } else {
            let node = Cover {
                level: frame.level,
                off: off.0,
                on: on.0,
                either: either.0,
            };
            self.nodes.push(node);
            self.nodes.len() as u32 - 1
        };
        self.known.insert(frame.bounds, (cover, cond));
        Ok((cover, cond))
    }

    /// How many products the cover has. Parts of a cover come before it in the vector.
    fn count(&self, cover: u32) -> u64 {
        let mut counts = vec![0u64, 1];
        for node in &self.nodes[2..] {
            let part = |part: u32| counts[part as usize];
            let sum = part(node.off).saturating_add(part(node.on));
            counts.push(sum.saturating_add(part(node.either)));
        }
        counts[cover as usize]
    }

    fn products(&self, cover: u32, limit: usize) -> Vec<Product> {
        let mut products = Vec::new();
        let mut stack = vec![(cover, Product::new())];
        while let Some((cover, product)) = stack.pop() {
            if products.len() == limit {
                break;
            }
            if cover == UNIT {
                products.push(product);
            } else if cover != EMPTY {
                let node = self.nodes[cover as usize];
                let opt = self.manager.levels.at(node.level);
                for (part, on) in [(node.off, false), (node.on, true)] {
                    if part != EMPTY {
                        let mut longer = product.clone();
                        longer.push((opt, on));
                        stack.push((part, longer));
                    }
                }
                stack.push((node.either, product));
            }
        }
        products
    }
}

/// A way from the root of a diagram down: how long it will be at least, how long it is, where it stands, and its
/// literals. Of equal ways the one that has come farthest goes on, so that few are followed at a time.
type Way = (std::cmp::Reverse<usize>, usize, Id, Product);

impl Manager {
    /// Some products of a condition, shortest first: ways through its diagram, which are disjoint but can often be
    /// shorter. For conditions too large for an [irredundant sum](Manager::dnf).
    ///
    /// ```
    /// # use braid_cond::Manager;
    /// let mut m = Manager::with_options(["a", "b", "c", "d"]);
    /// let cond = m.parse("!a & c & d | a & b").unwrap();
    /// let paths = m.shortest_paths(cond, 1);
    /// assert_eq!(m.show_dnf(&paths), "a & b | … and 1 more");
    /// ```
    pub fn shortest_paths(&mut self, cond: Cond, limit: usize) -> Dnf {
        let mut least: FxHashMap<Id, (usize, u64)> =
            FxHashMap::from_iter([(FALSE, (usize::MAX, 0)), (TRUE, (0, 1))]);
        for id in self.bottom_up([cond.0]) {
            let node = self.table.node(id);
            if !node.is_terminal() {
                let (lo, hi) = (least[&node.lo()], least[&node.hi()]);
                let length = lo.0.min(hi.0).saturating_add(1);
                least.insert(id, (length, lo.1.saturating_add(hi.1)));
            }
        }
        let mut products: Vec<Product> = Vec::new();
        let first = (
            std::cmp::Reverse(least[&cond.0].0),
            0,
            cond.0,
            Product::new(),
        );
        let mut ways: std::collections::BinaryHeap<Way> = [first].into();
        while let Some((_, length, id, product)) = ways.pop() {
            if products.len() == limit {
                break;
            }
            if id == TRUE {
                products.push(product);
                continue;
            }
            let node = self.table.node(id);
            let opt = self.levels.at(node.level);
            for (child, on) in [(node.lo(), false), (node.hi(), true)] {
                if child != FALSE {
                    let mut longer = product.clone();
                    longer.push((opt, on));
                    let whole = length + 1 + least[&child].0;
                    ways.push((std::cmp::Reverse(whole), length + 1, child, longer));
                }
            }
        }
        products
            .iter_mut()
            .for_each(|product| product.sort_unstable());
        Dnf {
            more: least[&cond.0].1 - products.len() as u64,
            products,
        }
    }

    /// The condition as an irredundant sum of products of which at most `limit` are listed.
    pub fn dnf(&mut self, cond: Cond, limit: usize) -> Result<Dnf, OutOfNodes> {
        self.dnf_in(cond, Cond::TRUE, limit)
    }

    /// The same, assuming `context`: products that are right within it, whatever they say elsewhere.
    pub fn dnf_in(&mut self, cond: Cond, context: Cond, limit: usize) -> Result<Dnf, OutOfNodes> {
        let lower = self.and(cond, context)?;
        let upper = self.implies(context, cond)?;
        let unused = Cover {
            level: 0,
            off: EMPTY,
            on: EMPTY,
            either: EMPTY,
        };
        let mut covers = Covers {
            manager: self,
            nodes: vec![unused; 2],
            known: FxHashMap::default(),
        };
        let (cover, _) = covers.solve(lower.0, upper.0)?;
        let total = covers.count(cover);
        let mut products = covers.products(cover, limit);
        products
            .iter_mut()
            .for_each(|product| product.sort_unstable());
        let on_first = |product: &Product| -> Vec<(Opt, bool)> {
            product.iter().map(|&(opt, on)| (opt, !on)).collect()
        };
        products.sort_by_cached_key(|product| (product.len(), on_first(product)));
        Ok(Dnf {
            more: total - products.len() as u64,
            products,
        })
    }
}
