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
pub(crate) struct TestGlobs {
    globs: Globs,
    /// How the classes of all tests begin that fit, if that can be said.
    beginnings: Option<Vec<String>>,
}

impl TestGlobs {
    pub(crate) fn new(patterns: &[String]) -> Result<Self, EngineError> {
        // `#bar[2]` and `#bar(int)` are part of names, not of patterns
        let patterns: Vec<String> = patterns.iter().map(|p| p.replace("::", "#")).collect();
        let beginnings = patterns.iter().map(|pattern| beginning(pattern)).collect();
        Ok(Self {
            globs: Globs::new(&patterns)?,
            beginnings: if patterns.is_empty() {
                None
            } else {
                beginnings
            },
        })
    }

    /// Whether a test of this class or of one inside it may fit. A suite has tests of other classes too, but those may
    /// fit by themselves.
    pub(crate) fn may_accept(&self, class: &str) -> bool {
        self.beginnings.as_ref().is_none_or(|all| {
            all.iter()
                .any(|start| class.starts_with(start) || start.starts_with(class))
        })
    }

    pub(crate) fn accept(&self, unit: &UnitId) -> bool {
        let names = [
            &unit.0,
            unit.class(),
            text::short_test(&unit.0),
            text::short_test(unit.class()),
        ];
        names.iter().any(|name| self.globs.accept(name))
    }
}

/// How the full name of a class begins if a test of it fits the pattern; none if the pattern may fit without the package.
fn beginning(pattern: &str) -> Option<String> {
    let literal = pattern.split(['*', '?', '[', '{', '\\']).next()?;
    let class = literal.split('#').next()?;
    class.contains('.').then(|| class.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_are_left_out_only_if_none_of_their_tests_can_fit() {
        let patterns = [
            "com.x.*",
            "com.x.FooTest",
            "com.x.F*",
            "com.x.FooTest#bar",
            "com.x.FooTest$In#bar",
            "com.{x,y}.Foo*",
            "*Test",
            "FooTest#bar",
            "*#bar",
        ];
        let may = |pattern: &str, class: &str| {
            let globs = TestGlobs::new(&[pattern.to_owned()]).unwrap();
            globs.may_accept(class)
        };
        for pattern in patterns {
            assert!(may(pattern, "com.x.FooTest"), "{pattern}");
        }
        for pattern in &patterns[..5] {
            assert!(!may(pattern, "com.z.FooTest"), "{pattern}");
        }
        let two = ["com.x.*".to_owned(), "FooTest".to_owned()];
        assert!(TestGlobs::new(&two).unwrap().may_accept("com.z.FooTest"));
    }

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
        assert!(TestGlobs::new(&[]).unwrap().may_accept("a.T"));
        assert!(matches!(
            Globs::new(&["[".into()]),
            Err(EngineError::Input(_))
        ));
    }
}
