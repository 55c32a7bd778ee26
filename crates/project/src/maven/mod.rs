//! Maven projects: a helper inside the build writes down what compiler and tests were told.
//!
//! Reading the effective POM would miss what plugins do while the build runs: added source roots,
//! properties for `argLine`, resolved processor paths. So one ordinary build with the tests
//! skipped is watched from the inside, and nothing but the project's own plugins is needed.

mod assemble;
mod compiler;
mod invoke;
mod locate;
mod output;
mod spy;
mod surefire;

pub(crate) use invoke::Maven;
pub(crate) use locate::root_of;
