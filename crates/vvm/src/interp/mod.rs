//! The interpreter.

pub(crate) mod access;
pub(crate) mod decide;
pub(crate) mod init;
pub(crate) mod invoke;
pub(crate) mod quick;
pub(crate) mod raise;
pub(crate) mod run;
pub(crate) mod states;
pub(crate) mod thrown;

use crate::value::Slot;
use braid_cond::Cond;
use thrown::Thrown;

/// How a call ended.
#[derive(Debug)]
pub(crate) enum Done {
    /// With this value, everywhere.
    Value(Slot),
    /// With this exception, everywhere.
    Threw(Slot),
    /// Differently in parts of the context.
    Mixed(Box<Mixed>),
}

/// How a call ended in parts of its context.
#[derive(Debug)]
pub(crate) struct Mixed {
    /// Where it returned (possibly nowhere), and the value.
    pub returned: (Cond, Slot),
    /// Where it threw (possibly nowhere), and which exceptions.
    pub thrown: Thrown,
}
