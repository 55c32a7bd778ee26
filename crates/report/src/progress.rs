//! What is shown while a run lasts: one moving line on a terminal, plain lines elsewhere.

use std::io::{self, IsTerminal, Write};
use std::time::{Duration, Instant};

use braid_engine::mutate::{MutantResult, MutantTally, Status};
use braid_engine::{BaselineReport, Event, Progress, Tally, Verdict, VerdictKind, text};

use crate::json::jsonl_line;
use crate::style::{Style, fit};

/// How much to tell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// Everything.
    Normal,
    /// Warnings only.
    Quiet,
}

/// At most this often the moving line is drawn.
const REDRAW: Duration = Duration::from_millis(100);

/// Tells on standard error what happens; can hand verdicts to standard output as they come.
pub struct Lines {
    mode: Mode,
    style: Style,
    moving: bool,
    stream: bool,
    step: String,
    drawn: bool,
    last_draw: Option<Instant>,
    started: Instant,
    done_before: u64,
    tally: Tally,
    mutants: MutantTally,
}

impl Lines {
    /// Progress in the way that fits standard error. With `stream`, every verdict also becomes a line of JSON on
    /// standard output at once.
    pub fn new(mode: Mode, stream: bool) -> Self {
        let error = io::stderr();
        let style = Style::of(&error);
        let dumb = std::env::var_os("TERM").is_none_or(|term| term == "dumb");
        Self {
            mode,
            style,
            moving: error.is_terminal() && !dumb,
            stream,
            step: String::new(),
            drawn: false,
            last_draw: None,
            started: Instant::now(),
            done_before: 0,
            tally: Tally::default(),
            mutants: MutantTally::default(),
        }
    }

    fn clear(&mut self) {
        if std::mem::take(&mut self.drawn) {
            eprint!("\r\x1b[K");
        }
    }

    /// A line that stays.
    fn line(&mut self, text: &str) {
        self.clear();
        eprintln!("{text}");
    }

    /// A line that the next one replaces.
    fn draw(&mut self, text: &str) {
        let width = self.style.width.unwrap_or(80).saturating_sub(1);
        eprint!("\r\x1b[K{}", fit(text, width));
        let _ = io::stderr().flush();
        self.drawn = true;
    }

    fn draw_if_due(&mut self, text: impl FnOnce(&Self) -> String) {
        let due = self.last_draw.is_none_or(|last| last.elapsed() >= REDRAW);
        if self.moving && self.mode == Mode::Normal && due {
            self.last_draw = Some(Instant::now());
            let text = text(self);
            self.draw(&text);
        }
    }

    fn step(&mut self, step: &str) {
        self.step = step.to_owned();
        if self.mode == Mode::Quiet {
            return;
        }
        if self.moving {
            self.draw(&format!("{step} …"));
        } else {
            self.line(step);
        }
    }

    fn baseline(&mut self, report: &BaselineReport) {
        if self.mode == Mode::Quiet {
            return;
        }
        let stored = if report.from_store {
            " (from the store)"
        } else {
            ""
        };
        let elapsed = text::duration(Duration::from_millis(report.elapsed_ms));
        self.line(&format!(
            "unpatched program{stored}: {}, {} failing, {} flaky, {elapsed}",
            text::count(report.units, "test method"),
            report.failing.len(),
            report.flaky.len(),
        ));
        self.named("failing", &report.failing);
        self.named("flaky", &report.flaky);
        self.named("not loaded", &report.problems);
    }

    /// The first few of a list.
    fn named(&mut self, what: &str, items: &[braid_engine::NamedReason]) {
        const SHOWN: usize = 10;
        for item in items.iter().take(SHOWN) {
            let line = format!("  {what}: {}: {}", item.name, item.reason);
            let line = fit(&line, self.style.width.unwrap_or(200));
            self.line(&line);
        }
        if items.len() > SHOWN {
            self.line(&format!("  {what}: and {} more", items.len() - SHOWN));
        }
    }

    fn judged(&mut self, verdict: &Verdict, done: u64, total: u64) {
        if self.stream {
            println!("{}", jsonl_line(verdict));
        }
        self.tally.add(verdict);
        if self.mode == Mode::Quiet {
            return;
        }
        if self.moving {
            if verdict.verdict == VerdictKind::Plausible {
                let kind = self.style.verdict(verdict.verdict, 0);
                let line = format!("{kind} {}: {}", verdict.id, verdict.summary);
                self.line(&line);
            }
            self.draw_if_due(|lines| lines.state(done, total));
        } else {
            let eta = self.eta(done, total);
            let line = format!(
                "[{done}/{total}{eta}] {} {}: {}",
                verdict.verdict, verdict.id, verdict.summary
            );
            self.line(&line);
        }
    }

    fn mutant(&mut self, result: &MutantResult, done: u64, total: u64) {
        self.mutants.add(result);
        if self.mode == Mode::Quiet {
            return;
        }
        // a line for each would be too many
        let tenth = (total / 10).max(1);
        if self.moving {
            self.draw_if_due(|lines| lines.mutant_state(done, total));
        } else if done.is_multiple_of(tenth) || done == total {
            let line = self.mutant_state(done, total);
            self.line(&line);
        }
    }

    fn mutant_state(&self, done: u64, total: u64) -> String {
        let counts: Vec<String> = Status::ALL
            .into_iter()
            .filter(|status| self.mutants.of(*status) > 0)
            .map(|status| {
                format!(
                    "{} {}",
                    self.mutants.of(status),
                    status.name().replace('_', " ")
                )
            })
            .collect();
        self.share(done, total, &counts)
    }

    fn state(&self, done: u64, total: u64) -> String {
        let counts: Vec<String> = VerdictKind::ALL
            .into_iter()
            .filter(|kind| self.tally.of(*kind) > 0)
            .map(|kind| format!("{} {kind}", self.tally.of(kind)))
            .collect();
        self.share(done, total, &counts)
    }

    fn share(&self, done: u64, total: u64, counts: &[String]) -> String {
        let percent = done * 100 / total.max(1);
        format!(
            "{done}/{total} {percent}%{}: {}",
            self.eta(done, total),
            counts.join(", ")
        )
    }

    /// How long the rest will take, by the pace so far.
    fn eta(&self, done: u64, total: u64) -> String {
        let judged = done.saturating_sub(self.done_before);
        let left = total.saturating_sub(done);
        if judged < 3 || left == 0 {
            return String::new();
        }
        let pace = self.started.elapsed().as_secs_f64() / judged as f64;
        format!(
            ", {} left",
            text::duration(Duration::from_secs_f64(pace * left as f64))
        )
    }
}

impl Progress for Lines {
    fn event(&mut self, event: &Event<'_>) {
        match event {
            Event::Step(step) => self.step(step),
            Event::Detail(detail) => {
                self.draw_if_due(|lines| format!("{}: {detail}", lines.step));
            }
            Event::Warning(warning) => {
                let line = self.style.warning(&format!("warning: {warning}"));
                self.line(&line);
            }
            Event::Baseline(report) => self.baseline(report),
            Event::Started {
                run, total, done, ..
            } => {
                self.started = Instant::now();
                self.done_before = *done;
                if self.mode == Mode::Normal {
                    let left = total.saturating_sub(*done);
                    self.line(&format!("run {run}: {left} of {total} patches to judge"));
                }
            }
            Event::Mutants { run, total, done } => {
                self.started = Instant::now();
                self.done_before = *done;
                if self.mode == Mode::Normal {
                    let left = total.saturating_sub(*done);
                    self.line(&format!("run {run}: {left} of {total} mutants to run"));
                }
            }
            Event::Mutant {
                result,
                done,
                total,
            } => self.mutant(result, *done, *total),
            Event::Judged {
                verdict,
                done,
                total,
            } => self.judged(verdict, *done, *total),
        }
    }
}

impl Drop for Lines {
    fn drop(&mut self) {
        self.clear();
    }
}
