//! Small text formats that build tools use: command lines, compiler options, property files.

/// Splits a command line into words, as build tools do: blanks separate, quotes of either kind
/// keep blanks, quotes are removed.
pub(crate) fn split(line: &str) -> Vec<String> {
    let (mut words, mut word, mut quote, mut started) = (Vec::new(), String::new(), None, false);
    for c in line.chars() {
        match (c, quote) {
            (c, Some(open)) if c == open => quote = None,
            (c, Some(_)) => word.push(c),
            ('"' | '\'', None) => {
                quote = Some(c);
                started = true;
            }
            (c, None) if c.is_whitespace() => {
                if started || !word.is_empty() {
                    words.push(std::mem::take(&mut word));
                }
                started = false;
            }
            (c, None) => word.push(c),
        }
    }
    if started || !word.is_empty() {
        words.push(word);
    }
    words
}

/// Leaves out what checks code but does not change what compiles: lint, warnings as errors, and
/// compiler plugins such as Error Prone. A variant is judged by the language and by tests.
pub(crate) fn without_checkers(args: Vec<String>) -> Vec<String> {
    let checker = |arg: &str| {
        let exact = [
            "-Werror",
            "-verbose",
            "-nowarn",
            "-deprecation",
            "-Xlint",
            "-Xdoclint",
        ];
        let prefixes = [
            "-Xlint:",
            "-Xdoclint",
            "-Xplugin:",
            "-Xmaxerrs",
            "-Xmaxwarns",
            "-XD",
            "-J",
            "-g",
        ];
        exact.contains(&arg) || prefixes.iter().any(|prefix| arg.starts_with(prefix))
    };
    let takes_value = |arg: &str| arg == "-Xmaxerrs" || arg == "-Xmaxwarns";
    let mut kept = Vec::new();
    let mut args = args.into_iter();
    while let Some(arg) = args.next() {
        if takes_value(&arg) {
            args.next();
        } else if !arg.trim().is_empty() && !checker(&arg) {
            kept.push(arg.trim().to_owned());
        }
    }
    kept
}

/// The pairs of a Java property file: comments, continued lines, escapes, `=`, `:` or blank.
pub(crate) fn properties(text: &str) -> Vec<(String, String)> {
    let mut pairs = Vec::new();
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        let mut line = line.trim_start().to_owned();
        if line.is_empty() || line.starts_with(['#', '!']) {
            continue;
        }
        while line.chars().rev().take_while(|&c| c == '\\').count() % 2 == 1 {
            line.pop();
            let Some(next) = lines.next() else { break };
            line.push_str(next.trim_start());
        }
        pairs.push(pair(&line));
    }
    pairs
}

fn pair(line: &str) -> (String, String) {
    let mut escaped = false;
    let end = line.find(|c: char| {
        let found = !escaped && (c == '=' || c == ':' || c.is_whitespace());
        escaped = c == '\\' && !escaped;
        found
    });
    let (key, rest) = line.split_at(end.unwrap_or(line.len()));
    let rest = rest.trim_start();
    let value = rest.strip_prefix(['=', ':']).unwrap_or(rest).trim_start();
    (unescape(key), unescape(value.trim_end()))
}

fn unescape(text: &str) -> String {
    let (mut out, mut chars) = (String::new(), text.chars());
    while let Some(c) = chars.next() {
        if c != '\\' {
            out.push(c);
            continue;
        }
        match chars.next() {
            Some('n') => out.push('\n'),
            Some('t') => out.push('\t'),
            Some('r') => out.push('\r'),
            Some('u') => {
                let digits: String = chars.by_ref().take(4).collect();
                let code = u32::from_str_radix(&digits, 16).ok();
                out.push(
                    code.and_then(char::from_u32)
                        .unwrap_or(char::REPLACEMENT_CHARACTER),
                );
            }
            Some(other) => out.push(other),
            None => {}
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotes_keep_blanks_and_empty_words() {
        assert_eq!(
            split("  -a 'b c' -D\"x y\"=z ''\n-e"),
            ["-a", "b c", "-Dx y=z", "", "-e"]
        );
        assert!(split(" \n ").is_empty());
    }

    #[test]
    fn property_files_are_read_as_java_reads_them() {
        let text = "# no\na=1\n b : two words \\\n   more\nc d\ne\\=f=\\u0041\n";
        let expected = [
            ("a", "1"),
            ("b", "two words more"),
            ("c", "d"),
            ("e=f", "A"),
        ];
        let expected = expected.map(|(k, v)| (k.to_owned(), v.to_owned()));
        assert_eq!(properties(text), expected);
    }
}
