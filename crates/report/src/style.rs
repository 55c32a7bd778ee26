//! Colours and widths, only where a person reads.

use std::io::IsTerminal;

use braid_engine::VerdictKind;
use braid_engine::mutate::Status;
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// How text may look.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Style {
    /// Whether colours may be used.
    pub colour: bool,
    /// How wide a line may be; none for any width.
    pub width: Option<usize>,
}

impl Style {
    /// No colours, any width: for files and pipes.
    pub const PLAIN: Self = Self {
        colour: false,
        width: None,
    };

    /// What fits a stream: colours on a terminal unless `NO_COLOR` is set or the terminal is dumb.
    pub fn of(stream: &impl IsTerminal) -> Self {
        if !stream.is_terminal() {
            return Self::PLAIN;
        }
        let set = |name: &str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
        let dumb = std::env::var_os("TERM").is_some_and(|term| term == "dumb");
        let columns = terminal_size::terminal_size().map(|(width, _)| usize::from(width.0));
        Self {
            colour: !set("NO_COLOR") && !dumb,
            width: Some(columns.unwrap_or(DEFAULT_WIDTH)),
        }
    }

    pub(crate) fn paint(&self, code: &str, text: &str) -> String {
        if self.colour {
            format!("\x1b[{code}m{text}\x1b[0m")
        } else {
            text.to_owned()
        }
    }

    /// A verdict's name, padded to `width`.
    pub(crate) fn verdict(&self, kind: VerdictKind, width: usize) -> String {
        let code = match kind {
            VerdictKind::Plausible => "1;32",
            VerdictKind::TestFail | VerdictKind::CompileError | VerdictKind::ApplyError => "31",
            VerdictKind::Timeout | VerdictKind::Crash => "35",
            VerdictKind::Flaky | VerdictKind::Unsupported => "33",
        };
        self.paint(code, &format!("{:width$}", kind.name()))
    }

    /// A mutant's status.
    pub(crate) fn status(&self, status: Status) -> String {
        let code = match status {
            Status::Survived => "1;31",
            Status::NotCovered => "33",
            Status::Killed => "32",
            Status::Timeout | Status::Error => "35",
        };
        self.paint(code, &status.name().replace('_', " "))
    }

    /// Text that stands back.
    pub(crate) fn dim(&self, text: &str) -> String {
        self.paint("2", text)
    }

    /// Text that stands out.
    pub(crate) fn bold(&self, text: &str) -> String {
        self.paint("1", text)
    }

    /// A warning.
    pub(crate) fn warning(&self, text: &str) -> String {
        self.paint("33", text)
    }
}

/// The width of a terminal that does not tell.
const DEFAULT_WIDTH: usize = 120;

/// Text of at most `width` columns, without characters that would move the cursor.
pub(crate) fn fit(text: &str, width: usize) -> String {
    let clean: String = text
        .chars()
        .map(|c| if c.is_control() { ' ' } else { c })
        .collect();
    if clean.width() <= width {
        return clean;
    }
    let mut out = String::new();
    let mut used = 1; // the ellipsis
    for c in clean.chars() {
        used += c.width().unwrap_or(0);
        if used > width {
            break;
        }
        out.push(c);
    }
    out + "…"
}

/// Text padded with spaces to `width` columns.
pub(crate) fn pad(text: &str, width: usize) -> String {
    let missing = width.saturating_sub(text.width());
    format!("{text}{}", " ".repeat(missing))
}
