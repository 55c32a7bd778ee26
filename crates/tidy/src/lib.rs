//! Style as a test. Everything here is in `tests/tidy.rs`; the library is empty on purpose.
