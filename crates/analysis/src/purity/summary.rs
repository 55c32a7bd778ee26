//! What callers must know of a method.

use super::value::{OLD, Stored, Value};

/// Why a method is not pure, first cause or next step to it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Cause {
    /// Writes the static field with this constant-pool index.
    Static(u16),
    /// Writes an object that it has from a static field or an unknown place, or one it was given, at this code offset.
    Write(u32),
    /// Native, and not in the table.
    Native,
    /// Calls what is not in the world, at this code offset.
    Unknown(u32),
    /// An interface or abstract method without any implementation here.
    Nothing,
    /// Its code cannot be read.
    Unreadable,
    /// Said so by the table.
    Table,
    /// Calls this method, which is not pure.
    Call(u32),
    /// Names a class whose initialiser, this method, is not pure.
    Initialiser(u32),
}

/// A method's effects.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Summary {
    /// Touches what no parameter leads to. Everything else is then left open.
    pub global: Option<Cause>,
    /// Old objects it may write.
    pub mutated: Value,
    /// The first such write.
    pub mutation: Option<Cause>,
    /// Old objects it may store somewhere.
    pub stored: Stored,
    /// What it may return.
    pub result: Value,
    /// An initialiser of a class that it may be first to use has effects beyond its class.
    pub first_use: Option<Cause>,
    /// Locks something.
    pub locks: bool,
}

impl Summary {
    pub(super) fn global(cause: Cause) -> Summary {
        Summary {
            global: Some(cause),
            ..Summary::default()
        }
    }

    /// Joins what one of several targets of a call does.
    pub(super) fn join(&mut self, target: u32, other: &Summary) {
        if other.global.is_some() {
            self.global = self.global.or(Some(Cause::Call(target)));
        }
        if !other.mutated.is_fresh() {
            self.mutation = self.mutation.or(Some(Cause::Call(target)));
        }
        if other.first_use.is_some() {
            self.first_use = self.first_use.or(Some(Cause::Call(target)));
        }
        self.mutated = self.mutated.join(other.mutated);
        self.stored.add(other.stored.fields, other.stored.what);
        self.result = self.result.join(other.result);
        self.locks |= other.locks;
    }

    /// The same effects when it runs as a lambda: its parameters are captured values or arguments of the call, so each
    /// may be any argument or anything that one leads to.
    pub(super) fn as_lambda(&self) -> Summary {
        let spread = |value: Value| {
            let all = if value.bits() & !OLD == 0 { 0 } else { !OLD };
            Value {
                own: all | (value.bits() & OLD),
                deep: all,
                via: if all == 0 { 0 } else { u64::MAX },
            }
        };
        let mut stored = Stored::default();
        stored.add(self.stored.fields, spread(self.stored.what));
        Summary {
            mutated: spread(self.mutated),
            stored,
            result: spread(self.result),
            ..*self
        }
    }
}
