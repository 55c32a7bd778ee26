//! Methods in register form: instructions, translation from bytecode, liveness.

pub mod arith;
pub(crate) mod blocks;
pub mod liveness;
pub mod op;
pub mod region;
mod select;
pub mod shape;
pub mod translate;
