//! Methods of the JDK that may be called dry.

use crate::rounds::jdk::computes;

/// A call of a method of the JDK.
pub(super) struct Call<'c> {
    pub(super) owner: &'c str,
    pub(super) name: &'c str,
    pub(super) descriptor: &'c str,
    /// The receiver was made by who calls.
    pub(super) made: bool,
    /// The same of each argument, slot by slot.
    pub(super) arguments: &'c [bool],
    /// Contents of objects that were there before may not be read.
    pub(super) strict: bool,
}

impl Call<'_> {
    /// Whether what comes back was made by the call; none if the call may change anything else than what its caller made.
    pub(super) fn result(&self) -> Option<bool> {
        if computes(self.owner, self.name) {
            return Some(false);
        }
        if self.name == "<init>" {
            return (self.made && self.builds()).then_some(false);
        }
        match self.owner {
            "java/lang/Object" => (self.name == "getClass").then_some(false),
            "java/lang/Enum" => ["ordinal", "name"].contains(&self.name).then_some(false),
            "java/lang/Class" => (self.name == "desiredAssertionStatus").then_some(false),
            "java/util/Objects" => {
                let plain = [
                    "(Ljava/lang/Object;)Ljava/lang/Object;",
                    "(Ljava/lang/Object;Ljava/lang/String;)Ljava/lang/Object;",
                ];
                (self.name == "requireNonNull" && plain.contains(&self.descriptor)).then_some(false)
            }
            "java/lang/StringBuilder" => self.builder(),
            "java/lang/String" => self.string(),
            "java/lang/System" => {
                let into = self.name == "arraycopy" && self.arguments.get(2) == Some(&true);
                (into && !self.strict).then_some(false)
            }
            "java/util/Arrays" if !self.strict => self.arrays(),
            _ if BOXES.contains(&self.owner) => {
                let value = self.name.ends_with("Value") && self.descriptor.starts_with("()");
                let boxed =
                    self.name == "valueOf" && self.descriptor.as_bytes().get(2) == Some(&b')');
                (value || boxed).then_some(false)
            }
            _ => None,
        }
    }

    /// Constructors that fill only what they make.
    fn builds(&self) -> bool {
        let plain = ["()V", "(Ljava/lang/String;)V"].contains(&self.descriptor);
        let thrown = self.owner.ends_with("Exception") || self.owner.ends_with("Error");
        match self.owner {
            "java/lang/Object" | "java/lang/Number" | "java/lang/Record" => {
                self.descriptor == "()V"
            }
            "java/lang/Enum" => self.descriptor == "(Ljava/lang/String;I)V",
            "java/lang/StringBuilder" => plain || self.descriptor == "(I)V",
            "java/lang/Throwable" => plain,
            owner => {
                let own = owner
                    .strip_prefix("java/lang/")
                    .is_some_and(|rest| !rest.contains('/'));
                thrown && own && plain
            }
        }
    }

    fn builder(&self) -> Option<bool> {
        let rest = self.descriptor.strip_prefix("(Ljava/lang/String;)");
        let text = rest.is_some();
        let number = self.descriptor.as_bytes().get(2) == Some(&b')');
        match self.name {
            "append" => (self.made && (text || number)).then_some(true),
            "toString" | "length" | "charAt" => self.made.then_some(false),
            _ => None,
        }
    }

    fn string(&self) -> Option<bool> {
        match self.name {
            "substring" | "concat" | "trim" | "hashCode" | "toString" => Some(false),
            "toCharArray" => Some(true),
            "valueOf" => (self.descriptor.as_bytes().get(2) == Some(&b')')).then_some(false),
            _ => None,
        }
    }

    fn arrays(&self) -> Option<bool> {
        match self.name {
            // the ones with a class make arrays of it
            "copyOf" | "copyOfRange" => Some(true),
            "fill" => (self.arguments.first() == Some(&true)).then_some(false),
            "equals" => {
                let objects = self.descriptor.contains('L');
                (!objects).then_some(false)
            }
            _ => None,
        }
    }
}

const BOXES: &[&str] = &[
    "java/lang/Integer",
    "java/lang/Long",
    "java/lang/Short",
    "java/lang/Byte",
    "java/lang/Character",
    "java/lang/Boolean",
    "java/lang/Float",
    "java/lang/Double",
];
