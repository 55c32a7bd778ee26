//! Which registers are live before each instruction.
//!
//! Needed only where states merge, so it is computed at a method's first merge. A register that is live
//! into a handler is live throughout the handler's range.

use super::op::{Code, Op, Reg};

/// One bit set a pc, `words` 64-bit words each.
#[derive(Debug)]
pub struct Live {
    words: usize,
    bits: Vec<u64>,
}

impl Live {
    /// The registers live before instruction `pc`.
    pub fn at(&self, pc: usize) -> impl Iterator<Item = Reg> + '_ {
        let row = &self.bits[pc * self.words..(pc + 1) * self.words];
        row.iter().enumerate().flat_map(|(index, &word)| {
            (0..64u16)
                .filter(move |bit| word >> bit & 1 != 0)
                .map(move |bit| index as u16 * 64 + bit)
        })
    }

    /// Whether a register is live before instruction `pc`.
    pub fn contains(&self, pc: usize, reg: Reg) -> bool {
        self.bits[pc * self.words + usize::from(reg) / 64] >> (reg % 64) & 1 != 0
    }
}

/// Backward data flow to a fixed point.
pub fn compute(code: &Code) -> Live {
    let words = usize::from(code.regs).div_ceil(64).max(1);
    let mut bits = vec![0u64; (code.ops.len() + 1) * words];
    let mut row = vec![0u64; words];
    loop {
        let mut changed = false;
        for pc in (0..code.ops.len()).rev() {
            let op = code.ops[pc].get();
            row.fill(0);
            for_each_successor(code, pc, op, |next| or(&mut row, &bits, next, words));
            if let Some(dest) = op.dest() {
                row[usize::from(dest) / 64] &= !(1 << (dest % 64));
            }
            op.uses(code, |reg| row[usize::from(reg) / 64] |= 1 << (reg % 64));
            let position = u32::from(code.positions[pc]);
            for handler in code
                .handlers
                .iter()
                .filter(|h| h.start <= position && position < h.end)
            {
                let target = usize::from(handler.target) * words;
                for word in 0..words {
                    let mut live = bits[target + word];
                    if usize::from(handler.reg) / 64 == word {
                        live &= !(1 << (handler.reg % 64));
                    }
                    row[word] |= live;
                }
            }
            let old = &mut bits[pc * words..(pc + 1) * words];
            if old != &row[..] {
                old.copy_from_slice(&row);
                changed = true;
            }
        }
        if !changed {
            return Live { words, bits };
        }
    }
}

fn or(row: &mut [u64], bits: &[u64], pc: usize, words: usize) {
    row.iter_mut()
        .zip(&bits[pc * words..])
        .for_each(|(to, from)| *to |= from);
}

fn for_each_successor(code: &Code, pc: usize, mut op: Op, mut f: impl FnMut(usize)) {
    if let Op::Switch { i, .. } = op {
        let table = &code.switches[i as usize];
        f(usize::from(table.default));
        table
            .targets
            .iter()
            .for_each(|&target| f(usize::from(target)));
    }
    if let Some(&mut target) = op.target_mut() {
        f(usize::from(target));
    }
    if !op.ends() {
        f(pc + 1);
    }
}
