//! The `Code` attribute, read in place.

use crate::attribute::{Attribute, Attributes, LineNumber, LocalVariable, StackMapTable};
use crate::error::{ErrorKind, Result};
use crate::instruction::Instructions;
use crate::pool::ConstantPool;
use crate::reader::{Reader, u32_at};
use crate::table::{Table, record};

record! {
    /// One entry of the exception table.
    ExceptionEntry {
        /// First code offset of the range.
        start_pc: u16,
        /// The code offset just behind the range.
        end_pc: u16,
        /// Where the handler starts.
        handler_pc: u16,
        /// Class index of what is caught, 0 for anything.
        catch_type: u16,
    }
}

/// A method's code. Cheap to copy.
#[derive(Clone, Copy)]
pub struct CodeAttribute<'a> {
    pool: ConstantPool<'a>,
    /// Deepest operand stack, in slots.
    pub max_stack: u16,
    /// Number of local variable slots.
    pub max_locals: u16,
    /// The instructions.
    pub bytes: &'a [u8],
    /// Offset of the instructions in the class file.
    pub offset: usize,
    /// Exception handlers in order of precedence.
    pub exceptions: Table<'a, ExceptionEntry>,
    /// Line numbers, frames, locals and others.
    pub attributes: Attributes<'a>,
}

impl<'a> CodeAttribute<'a> {
    /// Reads the code whose content starts at `at`; the class's parse has checked its length.
    pub(crate) fn read(pool: ConstantPool<'a>, at: usize) -> Result<Self> {
        let end = at + u32_at(pool.bytes, at - 4) as usize;
        let mut reader = Reader::new(pool.bytes, at, end);
        let code = CodeAttribute::read_from(pool, &mut reader)?;
        if !reader.at_end() {
            return Err(ErrorKind::AttributeLength {
                name: "Code".into(),
            }
            .at(at - 6));
        }
        Ok(code)
    }

    pub(crate) fn read_from(pool: ConstantPool<'a>, r: &mut Reader<'a>) -> Result<Self> {
        let max_stack = r.u16()?;
        let max_locals = r.u16()?;
        let size = r.u32()? as usize;
        let offset = r.pos();
        let bytes = r.take(size)?;
        if size == 0 || size > 0xffff {
            return Err(ErrorKind::CodeSize { size }.at(offset - 4));
        }
        let exceptions = Table::counted(r)?;
        let attributes = Attributes::read(pool, r)?;
        Ok(CodeAttribute {
            pool,
            max_stack,
            max_locals,
            bytes,
            offset,
            exceptions,
            attributes,
        })
    }

    /// The pool that the instructions refer to.
    pub fn pool(self) -> ConstantPool<'a> {
        self.pool
    }

    /// The instructions in order. Ends after the first error.
    pub fn instructions(self) -> Instructions<'a> {
        Instructions::new(self.bytes, self.offset)
    }

    /// The line numbers of all `LineNumberTable`s (there may be several).
    pub fn line_numbers(self) -> Result<Vec<LineNumber>> {
        let mut lines = Vec::new();
        for raw in self
            .attributes
            .iter()
            .filter(|a| a.name == "LineNumberTable")
        {
            if let Attribute::LineNumberTable(table) = raw.parse()? {
                lines.extend(table.iter());
            }
        }
        Ok(lines)
    }

    /// The local variables of all `LocalVariableTable`s (there may be several).
    pub fn local_variables(self) -> Result<Vec<LocalVariable>> {
        let mut locals = Vec::new();
        for raw in self
            .attributes
            .iter()
            .filter(|a| a.name == "LocalVariableTable")
        {
            if let Attribute::LocalVariableTable(table) = raw.parse()? {
                locals.extend(table.iter());
            }
        }
        Ok(locals)
    }

    /// The frames, if the code has any.
    pub fn stack_map_table(self) -> Result<Option<StackMapTable<'a>>> {
        Ok(match self.attributes.find("StackMapTable")? {
            Some(Attribute::StackMapTable(table)) => Some(table),
            _ => None,
        })
    }
}

impl PartialEq for CodeAttribute<'_> {
    fn eq(&self, other: &Self) -> bool {
        (self.max_stack, self.max_locals, self.bytes)
            == (other.max_stack, other.max_locals, other.bytes)
            && self.exceptions == other.exceptions
            && self.attributes == other.attributes
    }
}

impl std::fmt::Debug for CodeAttribute<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Code")
            .field("max_stack", &self.max_stack)
            .field("max_locals", &self.max_locals)
            .field("instructions", &self.instructions().collect::<Vec<_>>())
            .field("exceptions", &self.exceptions)
            .field("attributes", &self.attributes)
            .finish()
    }
}
