//! The little of Java's structure that patches need: packages, types and the ranges of methods.
//!
//! Found with a tree-sitter grammar, which copes with files that do not compile.

mod signature;
mod unit;

pub(crate) use signature::Signature;
pub(crate) use unit::{TypeDecl, Unit};

/// A class name with dots only, whether it was binary (`a/b/C$D`, `a.b.C$D`) or canonical.
pub(crate) fn normal_class_name(name: &str) -> String {
    let name = name.trim();
    let name = name
        .strip_prefix('L')
        .and_then(|rest| rest.strip_suffix(';'))
        .unwrap_or(name);
    name.replace(['/', '$'], ".")
}

/// The package that a source file declares, empty if none.
pub(crate) fn package_of(source: &[u8]) -> String {
    Unit::parse(source).package
}
