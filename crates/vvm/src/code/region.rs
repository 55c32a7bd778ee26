//! Regions that only compute: what follows a branch until its ways meet again or all return.
//!
//! Such a region has no effect but on registers, jumps forward only and cannot throw, so that the interpreter may run it
//! once for each way and join the results, without making states of the ways.

use super::op::{Code, Op, Reg};

/// Instructions that a region may have.
const MOST: usize = 64;

/// Registers that a region may write.
pub const MOST_WRITES: usize = 8;

/// What follows a branch.
#[derive(Debug)]
pub struct Region {
    /// Where all ways meet; the end of the code if all return.
    pub stop: usize,
    /// The first instruction after the region's last.
    pub end: usize,
    /// Registers that it writes.
    pub writes: Box<[Reg]>,
}

/// What an instruction is to a region.
enum Part {
    Computes,
    Returns,
    /// Not in its final form yet.
    Early,
    No,
}

fn part(op: &Op) -> Part {
    match op {
        Op::Return { .. } | Op::ReturnVoid => Part::Returns,
        Op::GetStatic { .. } => Part::Early,
        Op::Nop
        | Op::Move { .. }
        | Op::Const { .. }
        | Op::ConstWide { .. }
        | Op::GetStaticQ { .. }
        | Op::Div { .. }
        | Op::Goto { .. }
        | Op::JLong { .. } => Part::Computes,
        op if op.operator().is_some() || op.comparison().is_some() => Part::Computes,
        _ => Part::No,
    }
}

/// The region after the branch at `pc`: `Err` if that cannot be said yet.
#[allow(clippy::result_unit_err)] // there is one reason only
pub fn after(code: &Code, pc: usize) -> Result<Option<Region>, ()> {
    let mut branch = code.ops[pc].get();
    let Some(&mut target) = branch.target_mut() else {
        return Ok(None);
    };
    let mut far = usize::from(target);
    if far <= pc {
        return Ok(None);
    }
    let (mut writes, mut returns, mut open) = (Vec::new(), false, true);
    for at in pc + 1..code.ops.len().min(pc + MOST) {
        // Every way that has not returned comes by here.
        if at == far && !returns {
            return Ok(region(at, at, writes));
        }
        open |= at == far;
        if !open && at > far {
            return Ok(region(code.ops.len(), at, writes).filter(|_| returns));
        }
        let mut op = code.ops[at].get();
        match part(&op) {
            Part::No => return Ok(None),
            Part::Early => return Err(()),
            Part::Returns => (returns, open) = (true, false),
            Part::Computes => writes.extend(op.dest()),
        }
        if let Some(&mut target) = op.target_mut() {
            if usize::from(target) <= at {
                return Ok(None);
            }
            far = far.max(usize::from(target));
        }
        open &= !op.ends();
    }
    let whole = returns && !open && far < code.ops.len() && pc + MOST >= code.ops.len();
    Ok(region(code.ops.len(), code.ops.len(), writes).filter(|_| whole))
}

fn region(stop: usize, end: usize, mut writes: Vec<Reg>) -> Option<Region> {
    writes.sort_unstable();
    writes.dedup();
    (writes.len() <= MOST_WRITES).then(|| Region {
        stop,
        end,
        writes: writes.into(),
    })
}

#[cfg(test)]
mod tests {
    use super::super::translate::{Input, Loadable, PoolInfo, translate};
    use super::*;
    use crate::error::Result;
    use crate::value::Kind;

    struct NoPool;

    impl PoolInfo for NoPool {
        fn loadable(&self, _: u16) -> Result<Loadable> {
            Ok(Loadable::Other)
        }

        fn descriptor(&self, _: u16) -> Result<String> {
            Ok("()V".into())
        }
    }

    /// The region after the first branch of a method of two `int`s, and how many instructions there are.
    fn region_in(bytes: &[u8]) -> (Option<Region>, usize) {
        let code = translate(&Input {
            class: 0,
            method: 0,
            bytes,
            max_locals: 2,
            max_stack: 3,
            handlers: &[],
            params: &[Kind::Int, Kind::Int],
            pool: &NoPool,
            traced: &[],
        })
        .expect("good bytecode");
        let branch = code
            .ops
            .iter()
            .position(|op| op.get().comparison().is_some());
        let found = after(&code, branch.expect("a branch")).expect("nothing to resolve");
        (found, code.ops.len())
    }

    #[test]
    fn ways_that_all_return_are_a_region_to_the_end() {
        // a < b ? return a - b : return a + b
        let (found, length) = region_in(&[
            0x1A, 0x1B, 0xA2, 0, 7, 0x1A, 0x1B, 0x64, 0xAC, 0x1A, 0x1B, 0x60, 0xAC,
        ]);
        let found = found.expect("a region");
        assert_eq!((found.stop, found.end), (length, length));
    }

    #[test]
    fn ways_that_meet_are_a_region_up_to_there() {
        // (a < b ? a : b) + 1
        let (found, length) = region_in(&[
            0x1A, 0x1B, 0xA2, 0, 7, 0x1A, 0xA7, 0, 4, 0x1B, 0x04, 0x60, 0xAC,
        ]);
        let found = found.expect("a region");
        assert_eq!((found.stop, found.end), (length - 2, length - 2));
        assert_eq!(found.writes.len(), 1);
    }

    #[test]
    fn a_call_or_a_loop_is_no_region() {
        // if (a < b) call; return
        let (found, _) = region_in(&[0x1A, 0x1B, 0xA2, 0, 6, 0xB8, 0, 1, 0xB1]);
        assert!(found.is_none());
        // while (a < b) a++; return
        let (found, _) = region_in(&[0x1A, 0x1B, 0xA2, 0, 9, 0x84, 0, 1, 0xA7, 0xFF, 0xF8, 0xB1]);
        assert!(found.is_none());
    }
}
