//! Reports on mutants, from a made-up run.
