//! Which classes a build tool runs as tests, by Surefire's patterns.

use regex::Regex;
use serde::{Deserialize, Serialize};

/// Selects test classes by name, and tests by group.
///
/// Patterns are Surefire's: `**/*Test.java`, `com/x/FooTest`, `com.x.FooTest`, `%regex[...]`. A
/// class runs if an include matches it and no exclude does. What follows a `#` selects methods; a
/// class is accepted if any of its methods can be.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TestFilter {
    /// Classes to run; empty means every class.
    pub include: Vec<String>,
    /// Classes not to run.
    pub exclude: Vec<String>,
    /// Groups, tags or categories to run, as the build tool writes them.
    pub groups: Option<String>,
    /// Groups, tags or categories not to run, as the build tool writes them.
    pub excluded_groups: Option<String>,
}

impl TestFilter {
    /// Surefire's own filter, for when nothing is configured.
    pub fn surefire_default() -> Self {
        let include = [
            "**/Test*.java",
            "**/*Test.java",
            "**/*Tests.java",
            "**/*TestCase.java",
        ];
        Self {
            include: include.map(Into::into).into(),
            exclude: vec![NESTED.into()],
            ..Self::default()
        }
    }

    /// Every class that is not nested in another.
    pub fn every_class() -> Self {
        Self {
            exclude: vec![NESTED.into()],
            ..Self::default()
        }
    }

    /// Whether the filter accepts the class with this name (`a.b.C` or `a/b/C`).
    pub fn accepts_class(&self, class: &str) -> bool {
        let path = class.replace('.', "/");
        let matches = |pattern: &String| Pattern::parse(pattern).matches(&path);
        let included = self.include.is_empty() || self.include.iter().any(matches);
        let excludes = |pattern: &String| !pattern.contains('#') && matches(pattern);
        included && !self.exclude.iter().any(excludes)
    }
}

/// Surefire's pattern for nested classes.
pub(crate) const NESTED: &str = "**/*$*";

/// One parsed pattern. Patterns are few and parsing is cheap, so they are kept as text.
enum Pattern {
    Any,
    Regex(Regex),
    Ant(String),
    Never,
}

impl Pattern {
    fn parse(text: &str) -> Self {
        let text = text.trim();
        if let Some(regex) = inside(text, "%regex[") {
            // Surefire matches against `a/b/C.class`; people also write dots for the folders.
            return Regex::new(&format!("^(?:{regex})$")).map_or(Pattern::Never, Pattern::Regex);
        }
        let text = inside(text, "%ant[").unwrap_or(text);
        let class = text.split('#').next().unwrap_or("").trim();
        if class.is_empty() {
            return Pattern::Any;
        }
        Pattern::Ant(ant_pattern(class))
    }

    fn matches(&self, path: &str) -> bool {
        match self {
            Pattern::Any => true,
            Pattern::Never => false,
            Pattern::Regex(regex) => {
                let class = format!("{path}.class");
                regex.is_match(&class)
                    || regex.is_match(path)
                    || regex.is_match(&path.replace('/', "."))
            }
            Pattern::Ant(pattern) => {
                let pattern: Vec<&str> = pattern.split('/').collect();
                let path: Vec<&str> = path.split('/').collect();
                segments_match(&pattern, &path)
            }
        }
    }
}

fn inside<'a>(text: &'a str, open: &str) -> Option<&'a str> {
    text.strip_prefix(open)?.strip_suffix(']')
}

/// The pattern with slashes, without extension, starting at the root or with `**`.
fn ant_pattern(text: &str) -> String {
    let text = text.replace('\\', "/");
    let extension = [".java", ".class", ".*"]
        .into_iter()
        .find(|e| text.ends_with(e));
    let stem = &text[..text.len() - extension.map_or(0, str::len)];
    let stem = if stem.contains('/') {
        stem.to_owned()
    } else {
        stem.replace('.', "/")
    };
    let stem = if stem.ends_with('/') {
        format!("{stem}**")
    } else {
        stem
    };
    if stem.contains('/') {
        stem
    } else {
        format!("**/{stem}")
    }
}

fn segments_match(pattern: &[&str], path: &[&str]) -> bool {
    match pattern.split_first() {
        None => path.is_empty(),
        Some((&"**", rest)) => (0..=path.len()).any(|skip| segments_match(rest, &path[skip..])),
        Some((first, rest)) => path.split_first().is_some_and(|(segment, more)| {
            wildcard_match(first.as_bytes(), segment.as_bytes()) && segments_match(rest, more)
        }),
    }
}

/// `*` and `?` within one segment; backtracks to the last star only, so it is linear enough.
fn wildcard_match(pattern: &[u8], text: &[u8]) -> bool {
    let (mut p, mut t, mut star) = (0, 0, None);
    while t < text.len() {
        match pattern.get(p) {
            Some(b'*') => {
                star = Some((p, t));
                p += 1;
            }
            Some(&c) if c == b'?' || c == text[t] => {
                p += 1;
                t += 1;
            }
            _ => {
                let Some((at, from)) = star else { return false };
                star = Some((at, from + 1));
                p = at + 1;
                t = from + 1;
            }
        }
    }
    pattern[p..].iter().all(|&c| c == b'*')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(pattern: &str, accepted: &[&str], refused: &[&str]) {
        let filter = TestFilter {
            include: vec![pattern.into()],
            ..TestFilter::default()
        };
        for class in accepted {
            assert!(
                filter.accepts_class(class),
                "{pattern} should accept {class}"
            );
        }
        for class in refused {
            assert!(
                !filter.accepts_class(class),
                "{pattern} should refuse {class}"
            );
        }
    }

    #[test]
    fn ant_patterns_match_as_in_surefire() {
        check(
            "**/*Test.java",
            &["a.b.FooTest", "FooTest"],
            &["a.b.FooTests", "a.TestFoo"],
        );
        check("**/Test*.java", &["a.TestFoo", "Test"], &["a.FooTest"]);
        check(
            "a/**/*Test.class",
            &["a.FooTest", "a.b.c.FooTest"],
            &["b.FooTest"],
        );
        check("FooTest", &["FooTest", "a.FooTest"], &["a.BarTest"]);
        check(
            "a.b.FooTest",
            &["a.b.FooTest"],
            &["c.a.b.FooTest", "FooTest"],
        );
        check("a/b/", &["a.b.X", "a.b.c.Y"], &["a.X"]);
        check("**/F??Test*", &["x.FooTest1"], &["x.FoTest"]);
        check("%ant[**/*IT.java]", &["a.XIT"], &["a.X"]);
    }

    #[test]
    fn regular_expressions_match_the_whole_name() {
        check(
            "%regex[.*(Cat|Dog).*Test.*]",
            &["a.CatTest", "a/DogsTest"],
            &["a.CowTest"],
        );
        check(
            "%regex[a.b.*Test.class]",
            &["a.b.FooTest"],
            &["b.a.b.FooTest"],
        );
        check("%regex[(]", &[], &["a.FooTest"]);
    }

    #[test]
    fn method_patterns_choose_classes_but_exclude_none() {
        check("FooTest#bar*", &["a.FooTest"], &["a.BarTest"]);
        let filter = TestFilter {
            exclude: vec!["FooTest#slow".into()],
            ..TestFilter::default()
        };
        assert!(filter.accepts_class("a.FooTest"));
    }

    #[test]
    fn surefires_defaults_leave_nested_classes_out() {
        let filter = TestFilter::surefire_default();
        for class in ["a.FooTest", "a.TestFoo", "a.FooTests", "a.FooTestCase"] {
            assert!(filter.accepts_class(class), "{class}");
        }
        for class in ["a.FooTest$InnerTest", "a.Foo", "a.FooIT"] {
            assert!(!filter.accepts_class(class), "{class}");
        }
    }

    #[test]
    fn an_empty_filter_accepts_everything() {
        assert!(TestFilter::default().accepts_class("a.B$C"));
        assert!(!TestFilter::every_class().accepts_class("a.B$C"));
    }
}
