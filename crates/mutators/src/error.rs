//! What can go wrong.

/// A class that cannot be mutated, or a name that means nothing.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum MutatorsError {
    /// The class file is broken, or a mutant cannot be written.
    #[error("class file: {0}")]
    Class(#[from] braid_classfile::Error),
    /// No operator and no set has this name.
    #[error("no operator or set is called `{name}`{}", hint(.nearest))]
    UnknownOperator {
        /// What was asked for.
        name: String,
        /// The known name most like it.
        nearest: Option<&'static str>,
    },
    /// The mutant is not one of the given mutation.
    #[error("mutant {0} does not belong to this class")]
    ForeignMutant(String),
}

fn hint(nearest: &Option<&'static str>) -> String {
    nearest.map_or_else(String::new, |name| format!("; did you mean `{name}`?"))
}

/// Result of this crate.
pub type Result<T, E = MutatorsError> = std::result::Result<T, E>;
