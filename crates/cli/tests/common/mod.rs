//! Small projects in temporary folders, and `braid` run on them from the outside.
#![allow(dead_code, reason = "each test binary uses its own part of this")]

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};

use serde_json::Value;

/// A project in a temporary folder of its own.
pub(crate) struct Project {
    dir: tempfile::TempDir,
}

/// What came of a call of `braid`.
#[derive(Debug)]
pub(crate) struct Ran {
    /// The exit code.
    pub(crate) code: i32,
    /// Standard output.
    pub(crate) stdout: String,
    /// Standard error.
    pub(crate) stderr: String,
}

/// The class that most patches change. `half` has the bug: it is wrong for odd numbers below zero.
pub(crate) const CALC: &str = "package calc;

public class Calc {
    public int half(int n) {
        return n / 2;
    }

    public int twice(int n) {
        return 2 * n;
    }
}
";

/// Its tests: one fails because of the bug, two pass.
pub(crate) const CALC_TEST: &str = "package calc;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

class CalcTest {
    @Test
    void halvesRoundDown() {
        assertEquals(-2, new Calc().half(-3));
    }

    @Test
    void halvesPositive() {
        assertEquals(2, new Calc().half(5));
    }

    @Test
    void doubles() {
        assertEquals(6, new Calc().twice(3));
    }
}
";

/// A `search_replace` patch of `half`.
pub(crate) fn half(id: &str, body: &str) -> Value {
    let path = "src/main/java/calc/Calc.java";
    serde_json::json!({"id": id, "search_replace": [
        {"path": path, "search": "return n / 2;", "replace": body}
    ]})
}

/// The right fix.
pub(crate) const FIX: &str = "return Math.floorDiv(n, 2);";

impl Project {
    /// An empty folder.
    pub(crate) fn empty() -> Self {
        Self {
            dir: tempfile::Builder::new()
                .prefix("braid-e2e-")
                .tempdir()
                .unwrap(),
        }
    }

    /// A plain tree with JUnit 5 and these files.
    pub(crate) fn plain(files: &[(&str, &str)]) -> Self {
        let project = Self::empty();
        fs::create_dir(project.path("lib")).unwrap();
        for jar in braid_subjects::junit5() {
            let to = project.path("lib").join(jar.file_name().unwrap());
            fs::copy(&jar, to).unwrap();
        }
        for (name, content) in files {
            project.write(name, content.as_bytes());
        }
        project
    }

    /// The usual one: `calc.Calc` and its tests.
    pub(crate) fn calc() -> Self {
        Self::plain(&[
            ("src/main/java/calc/Calc.java", CALC),
            ("src/test/java/calc/CalcTest.java", CALC_TEST),
        ])
    }

    /// The project's folder.
    pub(crate) fn root(&self) -> &Path {
        self.dir.path()
    }

    /// A path in the project.
    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    /// Writes a file.
    pub(crate) fn write(&self, name: &str, content: &[u8]) {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }

    /// Writes JSON lines.
    pub(crate) fn write_patches(&self, name: &str, patches: &[Value]) {
        let lines: Vec<String> = patches.iter().map(ToString::to_string).collect();
        self.write(name, lines.join("\n").as_bytes());
    }

    /// A call of `braid` with this project as working folder.
    pub(crate) fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_braid"));
        command
            .args(args)
            .current_dir(self.root())
            .stdin(Stdio::null());
        command.env_remove("NO_COLOR").env("LC_ALL", "C.UTF-8");
        command
    }

    /// Calls `braid` and waits.
    pub(crate) fn braid(&self, args: &[&str]) -> Ran {
        ran(&self.command(args).output().unwrap())
    }

    /// Starts `braid` and does not wait.
    pub(crate) fn start(&self, args: &[&str]) -> Child {
        let mut command = self.command(args);
        command
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap()
    }

    /// How many runs there have been.
    pub(crate) fn runs(&self) -> u32 {
        let exists = |run: &u32| self.path(&format!(".braid/runs/{run}")).is_dir();
        (1..).take_while(exists).last().unwrap_or(0)
    }

    /// The verdicts of a run, as they stand in its folder.
    pub(crate) fn verdicts(&self, run: u32) -> Vec<Value> {
        let path = self.path(&format!(".braid/runs/{run}/verdicts.jsonl"));
        let text = fs::read_to_string(path).unwrap_or_default();
        text.lines()
            .filter_map(|line| serde_json::from_str(line).ok())
            .collect()
    }

    /// One patch's verdict in a run.
    pub(crate) fn verdict(&self, run: u32, id: &str) -> Value {
        let verdicts = self.verdicts(run);
        let found = verdicts.iter().find(|verdict| verdict["id"] == id);
        found
            .unwrap_or_else(|| panic!("no patch {id} among {verdicts:#?}"))
            .clone()
    }
}

/// The status of each mutant, by id, from JSON lines.
pub(crate) fn statuses_in(lines: &str) -> BTreeMap<String, String> {
    let results = lines.lines().map(|line| {
        let result: Value = serde_json::from_str(line).unwrap();
        let text = |name: &str| result[name].as_str().unwrap_or_default().to_owned();
        (text("id"), text("status"))
    });
    results.collect()
}

/// Insists that the same mutants are noticed. Fresh JVMs know nothing of coverage, and end what does not end by the
/// clock: a stack or a heap may be full first.
#[track_caller]
pub(crate) fn compare_statuses(woven: &BTreeMap<String, String>, plain: &BTreeMap<String, String>) {
    let noticed = |status: &str| !matches!(status, "survived" | "not_covered");
    assert_eq!(woven.len(), plain.len());
    let differ: Vec<String> = woven
        .iter()
        .filter(|(id, status)| noticed(status) != noticed(&plain[*id]))
        .map(|(id, status)| format!("{id}: woven {status}, plain {}", plain[id]))
        .collect();
    assert!(differ.is_empty(), "{differ:#?}");
}

/// The outcome of a finished process.
pub(crate) fn ran(output: &Output) -> Ran {
    Ran {
        code: output.status.code().unwrap_or(-1),
        stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
        stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
    }
}

impl Ran {
    /// Insists on an exit code.
    #[track_caller]
    pub(crate) fn expect(self, code: i32) -> Self {
        assert_eq!(
            self.code, code,
            "stdout:\n{}\nstderr:\n{}",
            self.stdout, self.stderr
        );
        self
    }
}
