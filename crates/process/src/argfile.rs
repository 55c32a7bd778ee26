//! The `@file` argument files of the `java` and `javac` launchers.
//!
//! A class path of a large project is longer than the system allows for one argument; both
//! launchers read such arguments from a file instead.

/// The text of an argument file holding `args`, one on each line, quoted where needed.
///
/// Within quotes the launchers read a backslash as an escape, so backslashes are doubled. The
/// launchers decode the file by the platform's encoding.
pub fn text<I, S>(args: I) -> String
where
    I: IntoIterator<Item = S>,
    S: AsRef<str>,
{
    let mut out = String::new();
    for arg in args {
        quote(arg.as_ref(), &mut out);
        out.push('\n');
    }
    out
}

fn quote(arg: &str, out: &mut String) {
    let special = |c: char| c.is_whitespace() || matches!(c, '"' | '\'' | '#' | '\\' | '@');
    if !arg.is_empty() && !arg.contains(special) {
        out.push_str(arg);
        return;
    }
    out.push('"');
    for c in arg.chars() {
        match c {
            '"' | '\\' => {
                out.push('\\');
                out.push(c);
            }
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            '\u{c}' => out.push_str("\\f"),
            c => out.push(c),
        }
    }
    out.push('"');
}

#[cfg(test)]
mod tests {
    use super::text;

    #[test]
    fn plain_arguments_stay_as_they_are() {
        assert_eq!(text(["-cp", "/a/b.jar:/c"]), "-cp\n/a/b.jar:/c\n");
    }

    #[test]
    fn special_characters_are_quoted_and_escaped() {
        assert_eq!(
            text(["", "a b", "C:\\x", "say \"hi\"", "x#y", "a\nb"]),
            "\"\"\n\"a b\"\n\"C:\\\\x\"\n\"say \\\"hi\\\"\"\n\"x#y\"\n\"a\\nb\"\n"
        );
    }
}
