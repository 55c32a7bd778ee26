//! The table of methods whose effects are known without reading code: natives and a few intrinsics.

use std::collections::HashMap;

use super::summary::{Cause, Summary};
use super::value::{ELEMENT, Stored, Value};

const TEXT: &str = include_str!("natives.txt");

/// The table of `natives.txt`, by `class.name` or `class.name(descriptor)`; `class.*` for all natives of a class.
pub(super) struct Table(HashMap<&'static str, Summary>);

impl Table {
    pub(super) fn new() -> Table {
        Table::parse(TEXT)
    }

    fn parse(text: &'static str) -> Table {
        let lines = text
            .lines()
            .map(str::trim)
            .filter(|l| !l.is_empty() && !l.starts_with('#'));
        let entry = |line: &'static str| {
            let (name, effects) = line.split_once(' ').unwrap_or((line, "impure"));
            (name, summary(effects))
        };
        Table(lines.map(entry).collect())
    }

    /// What the table says of a method given as `class.name(descriptor)`.
    pub(super) fn find(&self, name: &str, native: bool) -> Option<Summary> {
        let short = name.split_once('(').map_or(name, |(short, _)| short);
        let class = short.rsplit_once('.').map_or(short, |(class, _)| class);
        let exact = self.0.get(name).or_else(|| self.0.get(short));
        let whole = || self.0.get(format!("{class}.*").as_str());
        exact
            .or_else(|| native.then(whole).flatten())
            .copied()
            .or_else(|| native.then(|| Summary::global(Cause::Native)))
    }
}

/// Effects as the table writes them; a word it does not know makes the method impure.
fn summary(effects: &str) -> Summary {
    let mut summary = Summary::default();
    for effect in effects.split_whitespace() {
        let (word, number) = effect.split_once(':').unwrap_or((effect, ""));
        let parameter = number.parse::<usize>().map(Value::parameter);
        match (word, parameter) {
            ("pure", _) => {}
            ("mutates", Ok(value)) => {
                summary.mutated = summary.mutated.join(value);
                summary.mutation = Some(Cause::Table);
            }
            ("returns", Ok(value)) => summary.result = summary.result.join(value),
            ("returns", _) if number == "old" => summary.result = Value::UNKNOWN,
            ("copies-elements", Ok(value)) => {
                summary.stored.add(ELEMENT, value.behind(ELEMENT));
            }
            ("copies-fields", Ok(value)) => {
                let mut stored = Stored::default();
                stored.add(u64::MAX, value.behind(u64::MAX));
                summary.stored = stored;
            }
            _ => return Summary::global(Cause::Table),
        }
    }
    summary
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_of_the_table_says_something_it_can_mean() {
        let table = Table::new();
        for (name, summary) in &table.0 {
            assert!(name.contains('.'), "{name}");
            let impure = TEXT.lines().any(|l| l == format!("{name} impure"));
            assert_eq!(summary.global.is_some(), impure, "{name}");
        }
        let copy = table.find(
            "java/lang/System.arraycopy(Ljava/lang/Object;ILjava/lang/Object;II)V",
            true,
        );
        assert_eq!(copy.map(|s| s.mutated), Some(Value::parameter(2)));
        let other = table.find("java/lang/Anything.native()V", true);
        assert_eq!(other, Some(Summary::global(Cause::Native)));
        assert_eq!(table.find("java/lang/Anything.plain()V", false), None);
    }
}
