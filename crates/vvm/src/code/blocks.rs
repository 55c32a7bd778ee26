//! Finding the basic blocks of a method's bytecode and reading its operands.

use crate::error::{Result, VmError};

/// Big-endian access to the bytecode of one method.
#[derive(Clone, Copy)]
pub(crate) struct Bytes<'a>(pub(crate) &'a [u8]);

impl Bytes<'_> {
    pub(crate) fn u8(self, at: usize) -> Result<u8> {
        self.0
            .get(at)
            .copied()
            .ok_or_else(|| VmError::bad_class("bytecode ends inside an instruction"))
    }

    pub(crate) fn u16(self, at: usize) -> Result<u16> {
        Ok(u16::from_be_bytes([self.u8(at)?, self.u8(at + 1)?]))
    }

    pub(crate) fn i32(self, at: usize) -> Result<i32> {
        Ok(i32::from_be_bytes([
            self.u8(at)?,
            self.u8(at + 1)?,
            self.u8(at + 2)?,
            self.u8(at + 3)?,
        ]))
    }

    /// The target of a 16-bit jump at `pc`.
    pub(crate) fn jump(self, pc: usize) -> Result<usize> {
        self.offset(pc, i32::from(self.u16(pc + 1)? as i16))
    }

    /// The target of a 32-bit jump at `pc`.
    pub(crate) fn jump_wide(self, pc: usize) -> Result<usize> {
        self.offset(pc, self.i32(pc + 1)?)
    }

    pub(crate) fn offset(self, pc: usize, distance: i32) -> Result<usize> {
        usize::try_from(pc as i64 + i64::from(distance))
            .ok()
            .filter(|&target| target < self.0.len())
            .ok_or_else(|| VmError::bad_class("a jump leaves the method"))
    }
}

/// A switch as the bytecode has it.
pub(crate) struct RawSwitch {
    pub(crate) default: usize,
    pub(crate) low: Option<i32>,
    pub(crate) keys: Vec<i32>,
    pub(crate) targets: Vec<usize>,
    pub(crate) end: usize,
}

pub(crate) const TABLESWITCH: u8 = 0xAA;
pub(crate) const LOOKUPSWITCH: u8 = 0xAB;
const WIDE: u8 = 0xC4;

/// Reads the switch at `pc`.
pub(crate) fn read_switch(code: Bytes<'_>, pc: usize) -> Result<RawSwitch> {
    let base = (pc + 4) & !3;
    let default = code.offset(pc, code.i32(base)?)?;
    if code.u8(pc)? == TABLESWITCH {
        let (low, high) = (code.i32(base + 4)?, code.i32(base + 8)?);
        let count = i64::from(high) - i64::from(low) + 1;
        let count =
            usize::try_from(count).map_err(|_| VmError::bad_class("a switch without cases"))?;
        let targets = (0..count)
            .map(|i| code.offset(pc, code.i32(base + 12 + 4 * i)?))
            .collect::<Result<Vec<_>>>()?;
        return Ok(RawSwitch {
            default,
            low: Some(low),
            keys: Vec::new(),
            targets,
            end: base + 12 + 4 * count,
        });
    }
    let count =
        usize::try_from(code.i32(base + 4)?).map_err(|_| VmError::bad_class("a negative count"))?;
    let (mut keys, mut targets) = (Vec::new(), Vec::new());
    for i in 0..count {
        keys.push(code.i32(base + 8 + 8 * i)?);
        targets.push(code.offset(pc, code.i32(base + 12 + 8 * i)?)?);
    }
    Ok(RawSwitch {
        default,
        low: None,
        keys,
        targets,
        end: base + 8 + 8 * count,
    })
}

/// Length in bytes of the instruction at `pc`.
pub(crate) fn length(code: Bytes<'_>, pc: usize) -> Result<usize> {
    Ok(match code.u8(pc)? {
        0x10 | 0x12 | 0x15..=0x19 | 0x36..=0x3A | 0xA9 | 0xBC => 2,
        0x11
        | 0x13
        | 0x14
        | 0x84
        | 0x99..=0xA8
        | 0xB2..=0xB8
        | 0xBB
        | 0xBD
        | 0xC0
        | 0xC1
        | 0xC6
        | 0xC7 => 3,
        0xC5 => 4,
        0xB9 | 0xBA | 0xC8 | 0xC9 => 5,
        WIDE => {
            if code.u8(pc + 1)? == 0x84 {
                6
            } else {
                4
            }
        }
        TABLESWITCH | LOOKUPSWITCH => read_switch(code, pc)?.end - pc,
        _ => 1,
    })
}

/// Marks the first bytecode position of every basic block.
pub(crate) fn leaders(bytes: &[u8], handlers: impl Iterator<Item = usize>) -> Result<Vec<bool>> {
    let code = Bytes(bytes);
    let mut leader = vec![false; bytes.len() + 1];
    leader[0] = true;
    for handler in handlers {
        *leader
            .get_mut(handler)
            .ok_or_else(|| VmError::bad_class("a handler outside the method"))? = true;
    }
    let mut pc = 0;
    while pc < bytes.len() {
        let next = pc + length(code, pc)?;
        match code.u8(pc)? {
            0x99..=0xA7 | 0xC6 | 0xC7 => {
                leader[code.jump(pc)?] = true;
                leader[next.min(bytes.len())] = true;
            }
            0xC8 => {
                leader[code.jump_wide(pc)?] = true;
                leader[next.min(bytes.len())] = true;
            }
            TABLESWITCH | LOOKUPSWITCH => {
                let switch = read_switch(code, pc)?;
                leader[switch.default] = true;
                switch
                    .targets
                    .iter()
                    .for_each(|&target| leader[target] = true);
                leader[next.min(bytes.len())] = true;
            }
            0xAC..=0xB1 | 0xBF => leader[next.min(bytes.len())] = true,
            _ => {}
        }
        pc = next;
    }
    Ok(leader)
}
