//! Abstract values: which objects that existed before the call a value may be, or may lead to.

use braid_classfile::FieldType;

/// Bit of [`Value::own`] and [`Value::deep`] for anything old that is not known to come from a parameter.
pub(super) const OLD: u32 = 1 << 31;

/// Parameters from this one on are not told apart from other old objects.
const PARAMETERS: usize = 31;

/// The bucket of array elements.
pub(super) const ELEMENT: u64 = 1;

/// What a value may be. Nothing at all: a primitive, null, or an object made in this call.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Value {
    /// Bit `i`: it may be the object that parameter `i` names; [`OLD`]: some other old object.
    pub own: u32,
    /// Bit `i`: it may be an object that was reached from parameter `i` through fields.
    pub deep: u32,
    /// Buckets of all fields on the ways that `deep` speaks of.
    pub via: u64,
}

impl Value {
    pub(super) const FRESH: Value = Value {
        own: 0,
        deep: 0,
        via: 0,
    };
    pub(super) const UNKNOWN: Value = Value {
        own: OLD,
        deep: 0,
        via: 0,
    };

    pub(super) fn parameter(index: usize) -> Value {
        let own = if index < PARAMETERS { 1 << index } else { OLD };
        Value {
            own,
            ..Value::FRESH
        }
    }

    pub(super) fn is_fresh(self) -> bool {
        self.own | self.deep == 0
    }

    pub(super) fn bits(self) -> u32 {
        self.own | self.deep
    }

    pub(super) fn join(self, other: Value) -> Value {
        Value {
            own: self.own | other.own,
            deep: self.deep | other.deep,
            via: self.via | other.via,
        }
    }

    /// Whatever can be reached from it through fields of these buckets.
    pub(super) fn behind(self, via: u64) -> Value {
        match self.bits() {
            0 => Value::FRESH,
            deep => Value {
                own: 0,
                deep,
                via: self.via | via,
            },
        }
    }
}

/// Old objects that were stored into fields, and into which. Not told apart by the object stored into: a load from any object
/// may give what was stored into that field of any other.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Stored {
    pub fields: u64,
    pub what: Value,
}

impl Stored {
    pub(super) fn add(&mut self, fields: u64, what: Value) {
        if !what.is_fresh() {
            self.fields |= fields;
            self.what = self.what.join(what);
        }
    }

    /// What a load from `object` may give.
    pub(super) fn load(&self, object: Value, field: u64) -> Value {
        object.behind(field).join(self.through(field))
    }

    /// What a way through these fields may lead to, if it begins at an object made in this call.
    pub(super) fn through(&self, fields: u64) -> Value {
        if self.fields & fields == 0 {
            return Value::FRESH;
        }
        self.what.join(self.what.behind(fields))
    }

    /// What a value of a callee is in its caller, whose stores these are.
    pub(super) fn translate(&self, callee: Value, arguments: &[Value]) -> Value {
        let mut result = Value::FRESH;
        if callee.bits() & OLD != 0 {
            result = Value::UNKNOWN;
        }
        for (i, &argument) in arguments.iter().enumerate().take(PARAMETERS) {
            if callee.own >> i & 1 == 1 {
                result = result.join(argument);
            }
            if callee.deep >> i & 1 == 1 {
                result = result
                    .join(argument.behind(callee.via))
                    .join(self.through(callee.via));
            }
        }
        result
    }
}

/// The bucket of a field: by name, so that two fields may share one, which only loses precision.
pub(super) fn bucket(name: &[u8]) -> u64 {
    let hash = name.iter().fold(0xcbf2_9ce4_8422_2325u64, |h, b| {
        (h ^ u64::from(*b)).wrapping_mul(0x100_0000_01b3)
    });
    1 << (1 + (hash >> 32) % 63)
}

/// Whether objects of a type never change once made, as far as anyone can tell (the cached hash of a string cannot be told).
pub(super) fn is_immutable(ty: FieldType<'_>) -> bool {
    const NAMES: [&[u8]; 10] = [
        b"java/lang/String",
        b"java/lang/Class",
        b"java/lang/Integer",
        b"java/lang/Long",
        b"java/lang/Short",
        b"java/lang/Byte",
        b"java/lang/Character",
        b"java/lang/Boolean",
        b"java/lang/Double",
        b"java/lang/Float",
    ];
    match ty {
        FieldType::Object(name) => NAMES.contains(&name.as_bytes()),
        FieldType::Array(_) => false,
        _ => true,
    }
}
