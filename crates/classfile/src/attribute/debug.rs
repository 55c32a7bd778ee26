//! Debugging tables: lines, local variables, parameters.

use crate::AccessFlags;
use crate::table::record;

record! {
    /// One entry of `LineNumberTable`.
    LineNumber {
        /// Code offset from which the line holds.
        start_pc: u16,
        /// The source line.
        line: u16,
    }
}

record! {
    /// One entry of `LocalVariableTable` or `LocalVariableTypeTable`.
    LocalVariable {
        /// Code offset from which the local has a value.
        start_pc: u16,
        /// Length of the range.
        length: u16,
        /// Text index of its name.
        name: u16,
        /// Text index of its descriptor, or of its generic signature in the type table.
        descriptor: u16,
        /// The local's slot.
        index: u16,
    }
}

record! {
    /// A range in which an annotated local has its type.
    LocalRange {
        /// Code offset from which it holds.
        start_pc: u16,
        /// Length of the range.
        length: u16,
        /// The local's slot.
        index: u16,
    }
}

record! {
    /// One entry of `MethodParameters`.
    MethodParameter {
        /// Text index of its name, 0 if it has none.
        name: u16,
        /// final, synthetic, mandated.
        access: AccessFlags,
    }
}
