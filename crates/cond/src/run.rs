//! How every cached operation walks its diagrams.
//!
//! An operation says only what its simple cases are; the walk (cache look-up, split on the topmost level, join,
//! cache store) is here once. The walk is recursive, which is fast, and goes over to an explicit stack when the
//! diagrams are deeper than [`RECURSION`] levels, so thousands of options do not exhaust the thread's stack.

use crate::Manager;
use crate::error::OutOfNodes;
use crate::table::Id;

/// Levels walked by recursion before the explicit stack takes over, unless told otherwise.
pub(crate) const RECURSION: u32 = 400;

/// Steps between looks at whether the caches have become too small.
const GROWTH_CHECK: u64 = 4096;

/// An operation on `N` operands.
pub(crate) trait Task<const N: usize> {
    /// The id that separates its cache entries from those of other operations.
    fn op(&self) -> u32;

    /// The result if the operands are a simple case; otherwise may bring the operands into a normal form, so
    /// that equivalent calls share a cache entry.
    fn simple(
        &mut self,
        manager: &mut Manager,
        operands: &mut [Id; N],
    ) -> Result<Option<Id>, OutOfNodes>;

    /// The operands with the option of `level` off and on.
    #[inline]
    fn split(&self, manager: &Manager, level: u32, operands: [Id; N]) -> [[Id; N]; 2] {
        let mut halves = [operands; 2];
        for (place, &operand) in operands.iter().enumerate() {
            let node = manager.table.node(operand);
            if node.level == level {
                halves[0][place] = node.lo();
                halves[1][place] = node.hi();
            }
        }
        halves
    }

    /// Does the first half's result settle the whole?
    #[inline]
    fn settles(&self, _manager: &Manager, _lo: Id) -> bool {
        false
    }

    /// The result from the results of the halves.
    #[inline]
    fn join(
        &mut self,
        manager: &mut Manager,
        level: u32,
        _operands: [Id; N],
        lo: Id,
        hi: Id,
    ) -> Result<Id, OutOfNodes> {
        manager.table.make(level, lo, hi)
    }
}

impl Manager {
    /// The result of the operation, cached.
    #[inline]
    pub(crate) fn run<const N: usize, T: Task<N>>(
        &mut self,
        task: &mut T,
        operands: [Id; N],
    ) -> Result<Id, OutOfNodes> {
        self.walk(task, operands, self.recursion)
    }

    /// The same for operations whose normal form is dear to find: the operands as given are looked up first.
    #[inline]
    pub(crate) fn run_as_given<const N: usize, T: Task<N>>(
        &mut self,
        task: &mut T,
        operands: [Id; N],
    ) -> Result<Id, OutOfNodes> {
        if let Some(result) = self.cached(task.op(), operands) {
            return Ok(result);
        }
        let result = self.run(task, operands)?;
        self.remember(task.op(), operands, result);
        Ok(result)
    }

    #[inline]
    fn walk<const N: usize, T: Task<N>>(
        &mut self,
        task: &mut T,
        mut operands: [Id; N],
        fuel: u32,
    ) -> Result<Id, OutOfNodes> {
        if let Some(result) = task.simple(self, &mut operands)? {
            return Ok(result);
        }
        if let Some(result) = self.cached(task.op(), operands) {
            return Ok(result);
        }
        self.descend(task, operands, fuel)
    }

    #[inline(never)]
    fn descend<const N: usize, T: Task<N>>(
        &mut self,
        task: &mut T,
        operands: [Id; N],
        fuel: u32,
    ) -> Result<Id, OutOfNodes> {
        let Some(fuel) = fuel.checked_sub(1) else {
            return self.descend_deep(task, operands);
        };
        let level = self.top_level(operands);
        let [off, on] = task.split(self, level, operands);
        let lo = self.walk(task, off, fuel)?;
        let result = if task.settles(self, lo) {
            lo
        } else {
            let hi = self.walk(task, on, fuel)?;
            task.join(self, level, operands, lo, hi)?
        };
        self.remember(task.op(), operands, result);
        Ok(result)
    }

    /// [`Manager::descend`] with a stack of its own.
    #[cold]
    fn descend_deep<const N: usize, T: Task<N>>(
        &mut self,
        task: &mut T,
        operands: [Id; N],
    ) -> Result<Id, OutOfNodes> {
        struct Frame<const N: usize> {
            operands: [Id; N],
            level: u32,
            on: [Id; N],
            lo: Option<Id>,
        }
        let mut stack: Vec<Frame<N>> = Vec::new();
        let mut pending = Some(operands);
        let mut result = operands[0];
        loop {
            if let Some(mut operands) = pending.take() {
                let known = match task.simple(self, &mut operands)? {
                    Some(known) => Some(known),
                    None => self.cached(task.op(), operands),
                };
                if let Some(known) = known {
                    result = known;
                } else {
                    let level = self.top_level(operands);
                    let [off, on] = task.split(self, level, operands);
                    stack.push(Frame {
                        operands,
                        level,
                        on,
                        lo: None,
                    });
                    pending = Some(off);
                    continue;
                }
            }
            let Some(frame) = stack.last_mut() else {
                return Ok(result);
            };
            match frame.lo {
                None if task.settles(self, result) => {
                    let operands = frame.operands;
                    stack.pop();
                    self.remember(task.op(), operands, result);
                }
                None => {
                    frame.lo = Some(result);
                    pending = Some(frame.on);
                }
                Some(lo) => {
                    let Frame {
                        operands, level, ..
                    } = *frame;
                    stack.pop();
                    result = task.join(self, level, operands, lo, result)?;
                    self.remember(task.op(), operands, result);
                }
            }
        }
    }

    #[inline]
    fn top_level<const N: usize>(&self, operands: [Id; N]) -> u32 {
        let mut level = self.table.level(operands[0]);
        for &operand in &operands[1..] {
            level = level.min(self.table.level(operand));
        }
        level
    }

    #[inline]
    fn cached<const N: usize>(&self, op: u32, operands: [Id; N]) -> Option<Id> {
        if N <= 2 {
            self.cache2.get(op, raw(operands))
        } else {
            self.cache3.get(op, raw(operands))
        }
    }

    #[inline]
    fn remember<const N: usize>(&mut self, op: u32, operands: [Id; N], result: Id) {
        self.steps += 1;
        if N <= 2 {
            self.cache2.put(op, raw(operands), result);
        } else {
            self.cache3.put(op, raw(operands), result);
        }
        if self.steps.is_multiple_of(GROWTH_CHECK) {
            self.grow_caches();
        }
    }
}

#[inline]
fn raw<const N: usize, const M: usize>(operands: [Id; N]) -> [u32; M] {
    let mut raw = [0; M];
    for (place, operand) in operands.iter().enumerate().take(M) {
        raw[place] = operand.get();
    }
    raw
}
