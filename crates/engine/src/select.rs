//! Patterns that users give: which patches, which tests.

use braid_protocol::UnitId;
use globset::{GlobBuilder, GlobSet, GlobSetBuilder};

use crate::{EngineError, text};

/// Selects by globs; without any, everything fits.
pub(crate) struct Globs(Option<GlobSet>);

impl Globs {
    /// Reads the patterns; `*` matches any characters.
    pub(crate) fn new(patterns: &[String]) -> Result<Self, EngineError> {
        if patterns.is_empty() {
            return Ok(Self(None));
        }
        let mut set = GlobSetBuilder::new();
        for pattern in patterns {
            let glob = GlobBuilder::new(pattern).literal_separator(false).build();
            let wrong = |error| EngineError::Input(format!("the pattern `{pattern}`: {error}"));
            set.add(glob.map_err(wrong)?);
        }
        let wrong = |error| EngineError::Input(format!("the patterns: {error}"));
        Ok(Self(Some(set.build().map_err(wrong)?)))
    }

    /// Whether any pattern fits the text.
    pub(crate) fn accept(&self, text: &str) -> bool {
        self.0.as_ref().is_none_or(|set| set.is_match(text))
    }
}

/// Selects tests by globs over `com.x.FooTest#bar`, `com.x.FooTest`, and both without the package.
pub(crate) struct TestGlobs(Globs);

impl TestGlobs {
    pub(crate) fn new(patterns: &[String]) -> Result<Self, EngineError> {
        // `#bar[2]` and `#bar(int)` are part of names, not of patterns
        let patterns: Vec<String> = patterns.iter().map(|p| p.replace("::", "#")).collect();
        Globs::new(&patterns).map(Self)
    }

    pub(crate) fn accept(&self, unit: &UnitId) -> bool {
        let names = [
            &unit.0,
            unit.class(),
            text::short_test(&unit.0),
            text::short_test(unit.class()),
        ];
        names.iter().any(|name| self.0.accept(name))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tests_are_selected_by_class_or_method_with_or_without_package() {
        let accept = |pattern: &str| {
            TestGlobs::new(&[pattern.to_owned()])
                .unwrap()
                .accept(&"com.x.FooTest#bar".into())
        };
        for pattern in [
            "com.x.*",
            "FooTest",
            "*Test",
            "FooTest#b*",
            "com.x.FooTest::bar",
            "*#bar",
        ] {
            assert!(accept(pattern), "{pattern}");
        }
        for pattern in ["com.y.*", "Foo", "FooTest#x"] {
            assert!(!accept(pattern), "{pattern}");
        }
        assert!(TestGlobs::new(&[]).unwrap().accept(&"a.T#m".into()));
        assert!(matches!(
            Globs::new(&["[".into()]),
            Err(EngineError::Input(_))
        ));
    }
}
