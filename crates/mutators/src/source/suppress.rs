//! Comments that suppress mutants.

use std::ops::RangeInclusive;

use crate::operator::Operator;
use crate::set::OperatorSet;

/// A comment `// braid: ignore[operators] reason`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Suppression {
    /// The lines it holds for: its own if it stands behind code, the next line with code if it
    /// stands alone, up to its `// braid: resume` for a comment `// braid: ignore-start`.
    pub lines: RangeInclusive<u32>,
    /// The operators it names; empty for all.
    pub operators: Vec<String>,
    /// What it says why.
    pub reason: String,
}

impl Suppression {
    /// True if it holds for a mutant of this operator on this line.
    pub fn covers(&self, line: u32, operator: &Operator) -> bool {
        self.lines.contains(&line)
            && (self.operators.is_empty()
                || self.operators.iter().any(|name| {
                    OperatorSet::named(name).is_ok_and(|set| set.contains(operator.id))
                }))
    }
}

/// The suppressions in a source file.
///
/// ```
/// let text = "int a = b + c; // braid: ignore[math] no test can see it\n";
/// let found = braid_mutators::source::suppressions(text);
/// assert_eq!(found[0].lines, 1..=1);
/// assert_eq!(found[0].operators, ["math"]);
/// assert_eq!(found[0].reason, "no test can see it");
/// ```
pub fn suppressions(text: &str) -> Vec<Suppression> {
    let lines: Vec<&str> = text.lines().collect();
    let mut found = Vec::new();
    for (index, line) in lines.iter().enumerate() {
        let Some(comment) = comment(line) else {
            continue;
        };
        let number = index as u32 + 1;
        let (rest, lines) = if let Some(rest) = comment.text.strip_prefix("ignore-start") {
            (rest, number..=resumed(&lines, index))
        } else if let Some(rest) = comment.text.strip_prefix("ignore") {
            let own = if comment.alone {
                next_code(&lines, index)
            } else {
                number
            };
            (rest, own..=own)
        } else {
            continue;
        };
        let (operators, reason) = arguments(rest);
        found.push(Suppression {
            lines,
            operators,
            reason,
        });
    }
    found
}

struct Comment<'t> {
    /// What follows `braid:`.
    text: &'t str,
    /// Nothing but the comment is on its line.
    alone: bool,
}

/// The directive in a line's comment. One inside a string literal is taken for a comment, too;
/// nobody writes that.
fn comment(line: &str) -> Option<Comment<'_>> {
    let (at, length) = ["// braid:", "//braid:", "/* braid:"]
        .iter()
        .find_map(|start| Some((line.find(start)?, start.len())))?;
    let text = line[at + length..].trim();
    Some(Comment {
        text: text.strip_suffix("*/").unwrap_or(text).trim_end(),
        alone: line[..at].trim().is_empty(),
    })
}

/// The next line that is neither empty nor a comment nor an annotation's only.
fn next_code(lines: &[&str], from: usize) -> u32 {
    let code = |line: &&str| {
        let line = line.trim();
        !line.is_empty() && !line.starts_with("//") && !line.starts_with('*')
    };
    let offset = lines[from + 1..].iter().position(code);
    (from + 2 + offset.unwrap_or(0)) as u32
}

/// The line of the next `braid: resume`, or the last line.
fn resumed(lines: &[&str], from: usize) -> u32 {
    let ends = |line: &&str| comment(line).is_some_and(|c| c.text.starts_with("resume"));
    let offset = lines[from + 1..].iter().position(ends);
    offset.map_or(lines.len(), |offset| from + 2 + offset) as u32
}

/// `[a, b] reason` taken apart.
fn arguments(text: &str) -> (Vec<String>, String) {
    let text = text.trim_start();
    let Some((list, reason)) = text.strip_prefix('[').and_then(|t| t.split_once(']')) else {
        return (Vec::new(), text.to_owned());
    };
    let names = list.split(',').map(str::trim).filter(|n| !n.is_empty());
    (names.map(str::to_owned).collect(), reason.trim().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::operators::operators;

    #[test]
    fn a_comment_alone_on_its_line_holds_for_the_next_line_with_code() {
        let text = "a();\n  // braid: ignore because\n\n  // more\n  b();\nc();\n";
        let found = suppressions(text);
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].lines, 5..=5);
        assert_eq!(found[0].reason, "because");
    }

    #[test]
    fn a_started_suppression_holds_until_it_is_resumed() {
        let text = "// braid: ignore-start[math,aor]\na\nb\n// braid: resume\nc\n/* braid: ignore-start */\nd";
        let found = suppressions(text);
        assert_eq!(found[0].lines, 1..=4);
        assert_eq!(found[1].lines, 6..=7);
        let math = operators().iter().find(|o| o.id == "math").expect("math");
        let calls = operators()
            .iter()
            .find(|o| o.id == "void-calls")
            .expect("calls");
        assert!(
            found[0].covers(2, math) && !found[0].covers(2, calls) && found[1].covers(7, calls)
        );
    }
}
