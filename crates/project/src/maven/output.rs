//! Making sense of what Maven prints when a build fails.

use std::path::PathBuf;
use std::sync::LazyLock;

use regex::Regex;

use crate::error::BuildDiagnostic;

static POSITION: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"^\[ERROR\]\s+(.+?):\[(\d+)(?:,(\d+))?\]\s+(?:error: )?(.*)$").expect("is valid")
});

/// The compiler's errors, each once.
pub(super) fn diagnostics(output: &str) -> Vec<BuildDiagnostic> {
    let mut found: Vec<BuildDiagnostic> = Vec::new();
    let mut open = false;
    for line in output.lines() {
        if let Some(parts) = POSITION.captures(line) {
            let diagnostic = BuildDiagnostic {
                file: PathBuf::from(&parts[1]),
                line: parts[2].parse().unwrap_or(0),
                column: parts.get(3).and_then(|column| column.as_str().parse().ok()),
                message: parts[4].trim().to_owned(),
            };
            // Maven prints everything again in its summary.
            let place = |d: &BuildDiagnostic| (d.file.clone(), d.line, d.column);
            open = !found.iter().any(|d| place(d) == place(&diagnostic));
            if open {
                found.push(diagnostic);
            }
        } else if let Some(more) = continuation(line)
            && open
            && let Some(last) = found.last_mut()
        {
            last.message.push_str("\n    ");
            last.message.push_str(more);
        } else {
            open = false;
        }
    }
    found
}

/// A further line of the same message: javac indents these.
fn continuation(line: &str) -> Option<&str> {
    let text = line.strip_prefix("[ERROR]").unwrap_or(line);
    let indented = text.starts_with("  ") || text.trim_start().starts_with("symbol:");
    let inner = text.trim();
    (indented && !inner.is_empty() && !inner.starts_with("-> ")).then_some(inner)
}

/// How many lines of a failed build are shown.
const SHOWN_LINES: usize = 25;

/// What Maven complained of, without its advice on how to run Maven.
pub(super) fn complaints(output: &str) -> String {
    let noise = [
        "Re-run Maven",
        "To see the full stack trace",
        "For more information about",
    ];
    let mut lines: Vec<&str> = Vec::new();
    for line in output.lines() {
        let Some(text) = line
            .strip_prefix("[ERROR]")
            .or_else(|| line.strip_prefix("[FATAL]"))
        else {
            continue;
        };
        let text = text.split("-> [Help").next().unwrap_or(text);
        let text = text
            .trim()
            .trim_start_matches("[ERROR]")
            .trim_end_matches('@')
            .trim();
        let is_noise = text.is_empty()
            || text.starts_with("[Help ")
            || text.starts_with("at ")
            || noise.iter().any(|noise| text.starts_with(noise));
        if !is_noise && !lines.contains(&text) {
            lines.push(text);
        }
    }
    if lines.is_empty() {
        let all: Vec<&str> = output
            .lines()
            .filter(|line| !line.trim().is_empty())
            .collect();
        lines = all[all.len().saturating_sub(SHOWN_LINES)..].to_vec();
    }
    lines.truncate(SHOWN_LINES);
    lines
        .iter()
        .map(|line| format!("  {line}"))
        .collect::<Vec<_>>()
        .join("\n")
}

/// Whether Maven never got as far as building because it could not read a POM.
pub(super) fn is_broken_pom(output: &str) -> bool {
    let signs = [
        "Non-parseable POM",
        "Malformed POM",
        "The build could not read",
        "Some problems were encountered while processing the POMs",
        "The goal you specified requires a project to execute",
    ];
    let failed = !output.contains("Reactor Summary") && !output.contains("--- ");
    failed && signs.iter().any(|sign| output.contains(sign))
}

/// Whether the failure may be the network's.
pub(super) fn is_network_failure(output: &str) -> bool {
    let signs = [
        "Could not transfer",
        "Unknown host",
        "UnknownHost",
        "Connection refused",
        "timed out",
    ];
    signs.iter().any(|sign| output.contains(sign))
}

/// Whether a module was not found because the modules were not packaged.
pub(super) fn misses_module(output: &str, modules: &[(String, String)]) -> bool {
    let missing = output.lines().filter(|line| {
        line.contains("Could not find artifact")
            || line.contains("was not found in")
            || line.contains("Could not resolve")
    });
    missing.into_iter().any(|line| {
        modules
            .iter()
            .any(|(group, artifact)| line.contains(&format!("{group}:{artifact}:jar:")))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const FAILURE: &str = "\
[INFO] Compiling 2 source files
[ERROR] COMPILATION ERROR :
[INFO] -------
[ERROR] /p/src/A.java:[3,25] cannot find symbol
[ERROR]   symbol:   class Foo
[ERROR]   location: class A
[ERROR] /p/src/B.java:[7] ';' expected
[INFO] 2 errors
[ERROR] Failed to execute goal x:compile on project p: Compilation failure: Compilation failure:
[ERROR] /p/src/A.java:[3,25] cannot find symbol
[ERROR]   symbol:   class Foo
[ERROR] -> [Help 1]
[ERROR] Re-run Maven using the -X switch to enable full debug logging.
";

    #[test]
    fn compiler_errors_are_found_once_with_all_their_lines() {
        let found: Vec<String> = diagnostics(FAILURE)
            .iter()
            .map(ToString::to_string)
            .collect();
        let first = "/p/src/A.java:3:25: cannot find symbol\n    symbol:   class Foo\n    location: class A";
        assert_eq!(found, [first, "/p/src/B.java:7: ';' expected"]);
    }

    #[test]
    fn complaints_leave_out_repetitions_and_advice() {
        let text = complaints(FAILURE);
        assert_eq!(text.matches("A.java").count(), 1);
        assert!(!text.contains("Help") && !text.contains("Re-run"));
        assert_eq!(complaints("sh: boom\n"), "  sh: boom");
    }

    #[test]
    fn a_missing_module_of_the_same_build_is_recognised() {
        let modules = [("g".to_owned(), "core".to_owned())];
        let line = "[ERROR] ... Could not find artifact g:core:jar:1 in central";
        assert!(misses_module(line, &modules));
        assert!(!misses_module(&line.replace("core", "other"), &modules));
    }
}
