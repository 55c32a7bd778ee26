//! Lines that a diff adds or changes.

use std::collections::BTreeMap;
use std::fs;
use std::ops::RangeInclusive;
use std::path::Path;
use std::time::Duration;

use crate::EngineError;

/// How long git may take.
const GIT_LIMIT: Duration = Duration::from_secs(60);

/// Lines by file, as the diff names it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct ChangedLines {
    files: BTreeMap<String, Vec<RangeInclusive<u32>>>,
}

impl ChangedLines {
    /// The lines of a file (relative to the project) that changed. The diff's paths may begin above or below the
    /// project's root.
    pub(crate) fn of(&self, file: &str) -> Vec<RangeInclusive<u32>> {
        let same = |path: &str| {
            let ends = |long: &str, short: &str| {
                long.strip_suffix(short)
                    .is_some_and(|rest| rest.is_empty() || rest.ends_with('/'))
            };
            ends(path, file) || ends(file, path)
        };
        let fitting = self.files.iter().filter(|(path, _)| same(path));
        fitting.flat_map(|(_, lines)| lines.clone()).collect()
    }

    /// Reads a unified diff: of each hunk, the lines with `+`, and the neighbours of what was taken out.
    pub(crate) fn parse(diff: &str) -> Self {
        let mut changed = Self::default();
        let (mut file, mut line) = (None::<String>, 0u32);
        let mut left = (0u32, 0u32);
        for text in diff.lines() {
            if left == (0, 0) {
                if let Some(path) = text.strip_prefix("+++ ") {
                    file = target(path);
                } else if let Some(hunk) = hunk(text) {
                    (left, line) = ((hunk.0, hunk.2), hunk.1);
                }
                continue;
            }
            match text.as_bytes().first() {
                Some(b'+') => {
                    changed.add(file.as_deref(), line..=line);
                    line += 1;
                    left.1 = left.1.saturating_sub(1);
                }
                Some(b'-') => {
                    changed.add(file.as_deref(), line.max(1)..=line.max(1));
                    left.0 = left.0.saturating_sub(1);
                }
                Some(b'\\') => {}
                _ => {
                    line += 1;
                    left = (left.0.saturating_sub(1), left.1.saturating_sub(1));
                }
            }
        }
        changed
    }

    fn add(&mut self, file: Option<&str>, lines: RangeInclusive<u32>) {
        if let Some(file) = file {
            self.files.entry(file.to_owned()).or_default().push(lines);
        }
    }

    /// The lines of a diff in a file.
    pub(crate) fn read(path: &Path) -> Result<Self, EngineError> {
        let bytes = fs::read(path).map_err(EngineError::io("read", path))?;
        Ok(Self::parse(&String::from_utf8_lossy(&bytes)))
    }

    /// The lines that differ from a revision of git, in committed files and others. Where the revision has gone on by
    /// itself, as the branch of a pull request's target does, what counts is where the two parted.
    pub(crate) fn since(root: &Path, revision: &str) -> Result<Self, EngineError> {
        if revision.starts_with('-') {
            return Err(EngineError::Input(format!("`{revision}` is no revision")));
        }
        let parted = git(root, &["merge-base", revision, "HEAD"]).unwrap_or_default();
        let revision = match parted.trim() {
            "" => revision,
            parted => parted,
        };
        let diff = git(
            root,
            &[
                "-c",
                "core.quotePath=false",
                "diff",
                "--unified=0",
                "--no-color",
                "--no-ext-diff",
                "--relative",
                revision,
                "--",
                ".",
            ],
        )?;
        let mut changed = Self::parse(&diff);
        let new = git(
            root,
            &[
                "-c",
                "core.quotePath=false",
                "ls-files",
                "--others",
                "--exclude-standard",
                "--",
                "*.java",
                "*.kt",
            ],
        )?;
        for file in new.lines() {
            changed.add(Some(file), 1..=u32::MAX);
        }
        Ok(changed)
    }
}

fn git(root: &Path, args: &[&str]) -> Result<String, EngineError> {
    let spawn = braid_process::Spawn::new("git").args(args).cwd(root);
    let failed = |why: String| EngineError::Input(format!("--since needs git: {why}"));
    let done = spawn
        .cap(256 << 20)
        .run(GIT_LIMIT)
        .map_err(|error| failed(error.to_string()))?;
    if done.success() {
        Ok(done.stdout.text())
    } else {
        Err(failed(crate::text::one_line(&done.stderr.text())))
    }
}

/// The path behind `+++`, without git's prefix; none for a file that is deleted.
fn target(path: &str) -> Option<String> {
    let path = path.split('\t').next().unwrap_or(path).trim();
    if path == "/dev/null" {
        return None;
    }
    let path = path.trim_matches('"');
    Some(path.strip_prefix("b/").unwrap_or(path).to_owned())
}

/// `@@ -a,b +c,d @@`: how many old lines, the first new one, how many new ones.
fn hunk(text: &str) -> Option<(u32, u32, u32)> {
    let mut parts = text.strip_prefix("@@ -")?.split(' ');
    let numbers = |part: &str| -> Option<(u32, u32)> {
        let (start, count) = part.split_once(',').unwrap_or((part, "1"));
        Some((start.parse().ok()?, count.parse().ok()?))
    };
    let (_, old) = numbers(parts.next()?)?;
    let (start, new) = numbers(parts.next()?.strip_prefix('+')?)?;
    // nothing is new: the place is behind line `start`
    Some((old, if new == 0 { start + 1 } else { start }, new))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_diff_says_which_lines_are_new_and_where_some_are_gone() {
        let diff = "diff --git a/x/src/A.java b/x/src/A.java
--- a/x/src/A.java
+++ b/x/src/A.java
@@ -1,3 +1,4 @@
 one
-two
+zwei
+drei
 four
@@ -10,2 +11,1 @@
 ten
-eleven
--- a/gone.java
+++ /dev/null
@@ -1 +0,0 @@
-x
";
        let changed = ChangedLines::parse(diff);
        assert_eq!(changed.of("src/A.java"), [2..=2, 2..=2, 3..=3, 12..=12]);
        assert_eq!(changed.of("A.java").len(), 4);
        assert!(changed.of("rc/A.java").is_empty() && changed.of("B.java").is_empty());
        assert_eq!(changed.files.len(), 1);
    }
}
