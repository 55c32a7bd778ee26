//! Purity of methods: a pure one writes nothing that existed before it was called, does no input or output and runs no
//! native code that is not known to be harmless. Objects it made itself it may write.
//!
//! Reading is no effect, be it of static, volatile or mutable state: pure does not mean that a second call returns the same. Locks
//! are allowed, but noted. The cached hash of a string, which nobody can see change, is no effect either.
//!
//! **Class initialisers** run once, at a moment that no caller can rely on. One that only sets up static fields of its
//! own class is pure: before it ran, nobody could see them. One that does more (opens a file, registers itself somewhere)
//! makes nobody impure who merely may be the first to use the class; but methods that may start such an initialiser are told apart:
//! [`Fact::is_pure`] holds only if there is none, [`Fact::is_pure_once_initialised`] leaves them aside. The initialiser of a
//! method's own class is the concern of those who call it.
//!
//! How: each method is run once over abstract values that say which parameters, or which other old objects, a value
//! may be or may have been reached from ([`value`], after Sălcianu and Rinard 2005, with sets of field names where they
//! have points-to graphs). Summaries go from callees to callers over the components of the class-hierarchy call graph, in
//! parallel. The world is taken as closed: what is not in it is impure, but an interface has no other implementations than those in it.

mod cache;
mod facts;
mod simulate;
mod solve;
mod summary;
mod table;
mod targets;
mod value;

pub use facts::{Fact, Purity};
