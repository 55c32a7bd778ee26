//! Liveness of local variables, backward over the control-flow graph.

use braid_classfile::{Instruction, Op, Operand};

use crate::Cfg;

/// Which locals may still be read, at each instruction.
#[derive(Debug, Clone)]
pub struct Liveness {
    words: usize,
    before: Vec<u64>,
    locals: u16,
}

impl Liveness {
    /// The live locals of a method with `max_locals` local slots. Both slots of a long or double count.
    pub fn new(cfg: &Cfg<'_>, max_locals: u16) -> Self {
        let words = usize::from(max_locals).div_ceil(64).max(1);
        let mut live = Self {
            words,
            before: vec![0; words * cfg.instructions.len()],
            locals: max_locals,
        };
        let mut entry = vec![0u64; words * cfg.blocks.len()];
        let order = cfg.all.post_order(&[0]);
        let mut changed = true;
        while changed {
            changed = false;
            for &block in &order {
                let mut now = live.leaving(cfg, &entry, block);
                live.through(cfg, &entry, block, &mut now);
                let at = block as usize * words;
                if entry[at..at + words] != now[..] {
                    entry[at..at + words].copy_from_slice(&now);
                    changed = true;
                }
            }
        }
        live
    }

    /// Whether a local may be read later, just before the instruction with this index. Code that cannot be reached
    /// has no live locals.
    pub fn before(&self, instruction: u32, local: u16) -> bool {
        let at = instruction as usize * self.words + usize::from(local / 64);
        local < self.locals && self.before[at] >> (local % 64) & 1 == 1
    }

    /// All live locals before an instruction, ascending.
    pub fn all_before(&self, instruction: u32) -> Vec<u16> {
        (0..self.locals)
            .filter(|&local| self.before(instruction, local))
            .collect()
    }

    fn leaving(&self, cfg: &Cfg<'_>, entry: &[u64], block: u32) -> Vec<u64> {
        let mut now = vec![0; self.words];
        for &next in cfg.normal.successors(block) {
            join(&mut now, &entry[next as usize * self.words..][..self.words]);
        }
        now
    }

    /// Steps backward through a block. What a handler needs is live before every instruction of the block, as any of
    /// them may throw before it has stored anything.
    fn through(&mut self, cfg: &Cfg<'_>, entry: &[u64], block: u32, now: &mut [u64]) {
        let mut caught = vec![0; self.words];
        for &handler in cfg.exceptional.successors(block) {
            join(
                &mut caught,
                &entry[handler as usize * self.words..][..self.words],
            );
        }
        let first = cfg.blocks[block as usize].first as usize;
        for (i, instruction) in cfg.instructions_of(block).iter().enumerate().rev() {
            let (written, read) = locals_of(instruction);
            for local in written {
                now[usize::from(local / 64)] &= !(1 << (local % 64));
            }
            for local in read {
                now[usize::from(local / 64)] |= 1 << (local % 64);
            }
            join(now, &caught);
            let at = (first + i) * self.words;
            self.before[at..at + self.words].copy_from_slice(now);
        }
    }
}

fn join(into: &mut [u64], from: &[u64]) {
    for (a, b) in into.iter_mut().zip(from) {
        *a |= b;
    }
}

/// The local slots an instruction writes and reads.
pub fn locals_of(instruction: &Instruction<'_>) -> (Vec<u16>, Vec<u16>) {
    match instruction.operand {
        Operand::Iinc { local, .. } => (vec![local], vec![local]),
        Operand::Local(local) => {
            let wide = matches!(
                instruction.op.general(),
                Op::Lload | Op::Dload | Op::Lstore | Op::Dstore
            );
            let slots: Vec<u16> = if wide {
                vec![local, local.saturating_add(1)]
            } else {
                vec![local]
            };
            if instruction.op.is_store() {
                (slots, Vec::new())
            } else {
                (Vec::new(), slots)
            }
        }
        _ => (Vec::new(), Vec::new()),
    }
}
