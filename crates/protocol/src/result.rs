//! What is run, and what comes of it.

use std::fmt;

use serde::{Deserialize, Serialize};

/// What can be selected to run: a test method. A parameterised method is one unit.
///
/// Written `com.x.FooTest#bar`; where a class has several test methods of one name, the parameter
/// types follow: `com.x.FooTest#bar(int,java.lang.String)`.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct UnitId(pub String);

impl UnitId {
    /// The binary name of the test class.
    pub fn class(&self) -> &str {
        self.0.split('#').next().unwrap_or(&self.0)
    }

    /// The test method, with parameter types if the name alone is ambiguous.
    pub fn method(&self) -> &str {
        self.0.split_once('#').map_or("", |(_, method)| method)
    }

    /// The package of the test class; empty for the unnamed one.
    pub fn package(&self) -> &str {
        self.class()
            .rsplit_once('.')
            .map_or("", |(package, _)| package)
    }
}

impl fmt::Display for UnitId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl From<&str> for UnitId {
    fn from(id: &str) -> Self {
        Self(id.to_owned())
    }
}

impl From<String> for UnitId {
    fn from(id: String) -> Self {
        Self(id)
    }
}

/// One reported result within a unit.
///
/// The unit's own id for an ordinary test; `com.x.FooTest#bar[2]` for an invocation of a
/// parameterised one, by the framework's own numbering, never by display names, which may differ
/// between JVMs.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct LeafId(pub String);

impl fmt::Display for LeafId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl From<&str> for LeafId {
    fn from(id: &str) -> Self {
        Self(id.to_owned())
    }
}

/// What came of one leaf.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// It ran to its end.
    Passed,
    /// It threw something, or its set-up or tear-down did.
    Failed(Failure),
    /// It did not run, or gave up on an assumption.
    Skipped {
        /// As the framework says; often empty.
        reason: String,
    },
}

impl Outcome {
    /// Whether this is a failure.
    pub fn is_failed(&self) -> bool {
        matches!(self, Self::Failed(_))
    }
}

/// Why a leaf failed.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Failure {
    /// Whether an assertion failed, as against an error of any other kind.
    pub assertion: bool,
    /// The class of the exception.
    pub exception: String,
    /// Its message, cut if it is long.
    pub message: Option<String>,
    /// Its stack trace with causes, without the frames of the framework and cut if it is long.
    pub trace: String,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_unit_id_has_a_class_a_method_and_a_package() {
        let unit = UnitId::from("com.x.FooTest$Inner#bar(int)");
        assert_eq!(unit.class(), "com.x.FooTest$Inner");
        assert_eq!(unit.method(), "bar(int)");
        assert_eq!(unit.package(), "com.x");
        assert_eq!(UnitId::from("FooTest#bar").package(), "");
    }
}
