//! The `StackMapTable` attribute: verification types at branch targets, stored as differences.

use crate::error::{ErrorKind, Result};
use crate::reader::Reader;

/// A verification type as the class file writes it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum RawType {
    /// Nothing usable.
    Top,
    /// int, boolean, byte, char, short.
    Integer,
    /// float.
    Float,
    /// double (two slots).
    Double,
    /// long (two slots).
    Long,
    /// The null reference.
    Null,
    /// `this` in a constructor before the super constructor was called.
    UninitializedThis,
    /// An instance of the class with this class index.
    Object(u16),
    /// The result of the `new` at this code offset before its constructor was called.
    Uninitialized(u16),
}

impl RawType {
    fn read(r: &mut Reader<'_>) -> Result<Self> {
        let at = r.pos();
        Ok(match r.u8()? {
            0 => RawType::Top,
            1 => RawType::Integer,
            2 => RawType::Float,
            3 => RawType::Double,
            4 => RawType::Long,
            5 => RawType::Null,
            6 => RawType::UninitializedThis,
            7 => RawType::Object(r.u16()?),
            8 => RawType::Uninitialized(r.u16()?),
            other => {
                let value = u32::from(other);
                return Err(ErrorKind::BadValue {
                    what: "verification type",
                    value,
                }
                .at(at));
            }
        })
    }

    /// True for long and double.
    pub fn is_wide(self) -> bool {
        matches!(self, RawType::Long | RawType::Double)
    }
}

/// The frames of a method, undecoded. Cheap to copy.
#[derive(Clone, Copy, PartialEq)]
pub struct StackMapTable<'a> {
    count: u16,
    bytes: &'a [u8],
    offset: usize,
}

impl<'a> StackMapTable<'a> {
    pub(super) fn read(r: &mut Reader<'a>) -> Result<Self> {
        let count = r.u16()?;
        let offset = r.pos();
        Ok(StackMapTable {
            count,
            bytes: r.take(r.remaining())?,
            offset,
        })
    }

    /// Number of frames.
    pub fn len(self) -> usize {
        usize::from(self.count)
    }

    /// True if there is no frame.
    pub fn is_empty(self) -> bool {
        self.count == 0
    }

    /// The frames as stored: differences to the frame before.
    pub fn deltas(self) -> impl Iterator<Item = Result<FrameDelta>> + 'a {
        let mut reader = Reader::new(self.bytes, 0, self.bytes.len());
        let mut left = self.count;
        let offset = self.offset;
        std::iter::from_fn(move || {
            left = left.checked_sub(1)?;
            let delta = FrameDelta::read(&mut reader).map_err(|mut e| {
                e.offset += offset;
                e
            });
            if delta.is_err() {
                left = 0;
            }
            Some(delta)
        })
    }

    /// The frames in full, starting from the locals that the method begins with (long and double
    /// as one entry; see [`crate::descriptor::initial_locals`]).
    pub fn frames(self, initial_locals: Vec<RawType>) -> FrameIter<'a> {
        let deltas: Box<dyn Iterator<Item = Result<FrameDelta>> + 'a> = Box::new(self.deltas());
        FrameIter {
            deltas,
            locals: initial_locals,
            next_pc: 0,
        }
    }
}

impl std::fmt::Debug for StackMapTable<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_list().entries(self.deltas()).finish()
    }
}

/// A frame as stored.
#[derive(Clone, PartialEq, Debug)]
pub struct FrameDelta {
    /// Code offset minus the one before, minus one (the first frame: the code offset).
    pub offset_delta: u16,
    /// The change.
    pub form: FrameForm,
}

/// How a frame differs from the one before.
#[derive(Clone, PartialEq, Debug)]
pub enum FrameForm {
    /// Same locals, empty stack.
    Same,
    /// Same locals, one item on the stack.
    SameLocals1(RawType),
    /// The last one to three locals are gone, empty stack.
    Chop(u8),
    /// One to three more locals, empty stack.
    Append(Vec<RawType>),
    /// Everything anew.
    Full {
        /// All locals.
        locals: Vec<RawType>,
        /// The operand stack, deepest first.
        stack: Vec<RawType>,
    },
}

impl FrameDelta {
    fn read(r: &mut Reader<'_>) -> Result<Self> {
        let at = r.pos();
        let kind = r.u8()?;
        let types = |r: &mut Reader<'_>, count: u16| -> Result<Vec<RawType>> {
            (0..count).map(|_| RawType::read(r)).collect()
        };
        let (offset_delta, form) = match kind {
            0..=63 => (u16::from(kind), FrameForm::Same),
            64..=127 => (
                u16::from(kind - 64),
                FrameForm::SameLocals1(RawType::read(r)?),
            ),
            247 => (r.u16()?, FrameForm::SameLocals1(RawType::read(r)?)),
            248..=250 => (r.u16()?, FrameForm::Chop(251 - kind)),
            251 => (r.u16()?, FrameForm::Same),
            252..=254 => {
                let delta = r.u16()?;
                (delta, FrameForm::Append(types(r, u16::from(kind) - 251)?))
            }
            255 => {
                let delta = r.u16()?;
                let count = r.u16()?;
                let locals = types(r, count)?;
                let count = r.u16()?;
                (
                    delta,
                    FrameForm::Full {
                        locals,
                        stack: types(r, count)?,
                    },
                )
            }
            _ => {
                let value = u32::from(kind);
                return Err(ErrorKind::BadValue {
                    what: "frame type",
                    value,
                }
                .at(at));
            }
        };
        Ok(FrameDelta { offset_delta, form })
    }
}

/// A frame in full. Long and double are one entry each.
#[derive(Clone, PartialEq, Debug)]
pub struct Frame {
    /// The code offset it holds at.
    pub pc: u32,
    /// The locals, without trailing unusable ones.
    pub locals: Vec<RawType>,
    /// The operand stack, deepest first.
    pub stack: Vec<RawType>,
}

/// Iterator over full frames.
pub struct FrameIter<'a> {
    deltas: Box<dyn Iterator<Item = Result<FrameDelta>> + 'a>,
    locals: Vec<RawType>,
    next_pc: u32,
}

impl Iterator for FrameIter<'_> {
    type Item = Result<Frame>;

    fn next(&mut self) -> Option<Self::Item> {
        let delta = match self.deltas.next()? {
            Ok(delta) => delta,
            Err(error) => return Some(Err(error)),
        };
        let pc = self.next_pc + u32::from(delta.offset_delta);
        self.next_pc = pc + 1;
        let mut stack = Vec::new();
        match delta.form {
            FrameForm::Same => {}
            FrameForm::SameLocals1(item) => stack.push(item),
            FrameForm::Chop(count) => {
                let kept = self.locals.len().saturating_sub(usize::from(count));
                self.locals.truncate(kept);
            }
            FrameForm::Append(more) => self.locals.extend(more),
            FrameForm::Full {
                locals,
                stack: items,
            } => {
                self.locals = locals;
                stack = items;
            }
        }
        Some(Ok(Frame {
            pc,
            locals: self.locals.clone(),
            stack,
        }))
    }
}
