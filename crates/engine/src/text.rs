//! Short texts for people.

use std::time::Duration;

use braid_protocol::Failure;

/// The longest one-line summary.
const LINE: usize = 200;

/// `12 ms`, `3.4 s`, `2 min 5 s`.
pub fn duration(duration: Duration) -> String {
    let ms = duration.as_millis();
    match ms {
        0..1_000 => format!("{ms} ms"),
        1_000..60_000 => format!("{:.1} s", duration.as_secs_f64()),
        _ => format!(
            "{} min {} s",
            duration.as_secs() / 60,
            duration.as_secs() % 60
        ),
    }
}

/// A text as one line of bounded length.
pub fn one_line(text: &str) -> String {
    let mut line = String::new();
    for word in text.split_whitespace() {
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
        if line.chars().count() > LINE {
            let cut: String = line.chars().take(LINE - 1).collect();
            return cut + "…";
        }
    }
    line
}

/// `1 test`, `2 tests`, `2 patches`.
pub fn count(number: u64, noun: &str) -> String {
    let plural = match number {
        1 => "",
        _ if noun.ends_with("ch") => "es",
        _ => "s",
    };
    format!("{number} {noun}{plural}")
}

/// What a test does that waits when nobody is left who could wake it.
pub(crate) const WAITS_FOR_GOOD: &str =
    "waits for ever: there is no other thread that could wake it";

/// A class name without its package.
pub(crate) fn simple_name(class: &str) -> &str {
    class.rsplit('.').next().unwrap_or(class)
}

/// A test's name without its package: `FooTest#bar[2]`.
pub fn short_test(test: &str) -> &str {
    let class_end = test.find('#').unwrap_or(test.len());
    let start = test[..class_end].rfind('.').map_or(0, |dot| dot + 1);
    &test[start..]
}

/// `AssertionFailedError: expected 1`.
pub(crate) fn failure_line(failure: &Failure) -> String {
    let class = simple_name(&failure.exception);
    match failure.message.as_deref().map(one_line) {
        Some(message) if !message.is_empty() => format!("{class}: {message}"),
        _ => class.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_are_told_in_the_fitting_unit() {
        assert_eq!(duration(Duration::from_millis(12)), "12 ms");
        assert_eq!(duration(Duration::from_millis(3_420)), "3.4 s");
        assert_eq!(duration(Duration::from_secs(125)), "2 min 5 s");
    }

    #[test]
    fn texts_become_one_short_line() {
        assert_eq!(one_line(" a\n  b\tc "), "a b c");
        assert_eq!(one_line(&"ü".repeat(500)).chars().count(), LINE);
        assert_eq!(short_test("com.x.FooTest#bar(a.B)"), "FooTest#bar(a.B)");
        assert_eq!(short_test("FooTest"), "FooTest");
    }
}
