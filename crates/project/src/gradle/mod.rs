//! Gradle projects: an init script adds a task that builds everything and prints the model.

mod assemble;
mod invoke;
mod locate;
mod model;

pub(crate) use invoke::Gradle;
pub(crate) use locate::root_of;
