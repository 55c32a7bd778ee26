//! Every operation against brute force over all configurations of a few options.

mod choices;
mod common;
mod counting;
mod logic;
mod memory;
mod models;
mod sat;
mod text;
