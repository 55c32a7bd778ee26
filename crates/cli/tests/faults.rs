//! Patches that do everything wrong that a patch can do. They are judged in one run, in which each of them stands
//! between harmless ones: a fault must neither spoil the run nor another patch's verdict.

mod common;

use std::sync::OnceLock;

use common::{FIX, Project, Ran, half};
use serde_json::{Value, json};

struct Shared {
    project: Project,
    ran: Ran,
}

/// A source in Latin-1, whose `é` is one byte, and a test that looks at it.
const LATIN: &[u8] = b"package calc;\n\npublic class Latin {\n    public String name() {\n        return \"caf\xe9\" + 1;\n    }\n}\n";
const LATIN_TEST: &str = "package calc;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

class LatinTest {
    @Test
    void hasOneAccent() {
        assertEquals(\"caf\\u00e9\", new Latin().name().substring(0, 4));
    }
}
";

const HOSTILE: &[(&str, &str)] = &[
    ("endless-loop", "while (n != 1234567) { n = n == 0 ? 1 : 0; } return n;"),
    ("endless-recursion", "return half(n) + 1;"),
    (
        "out-of-memory",
        "java.util.List<long[]> all = new java.util.ArrayList<>(); while (true) all.add(new long[1 << 20]);",
    ),
    ("exit", "System.exit(3); return 0;"),
    ("halt", "Runtime.getRuntime().halt(4); return 0;"),
    (
        "killed",
        "try { String pid = java.lang.management.ManagementFactory.getRuntimeMXBean().getName().split(\"@\")[0];
         new ProcessBuilder(\"kill\", \"-9\", pid).start().waitFor(); Thread.sleep(60000); }
         catch (Exception e) { throw new RuntimeException(e); } return 0;",
    ),
    (
        "leaves-threads",
        "Thread t = new Thread(() -> { while (true) { try { Thread.sleep(10); } catch (Throwable e) { } } });
         t.setDaemon(false); t.start(); return Math.floorDiv(n, 2);",
    ),
    ("prints-without-end", "while (true) { System.out.println(\"and so on and so on and so on\"); System.err.print(1); }"),
    (
        "ruins-working-folder",
        "try { java.nio.file.Files.write(java.nio.file.Paths.get(\"marker.txt\"), new byte[9]);
         java.nio.file.Files.deleteIfExists(java.nio.file.Paths.get(\"src/main/java/calc/Calc.java\"));
         java.nio.file.Files.write(java.nio.file.Paths.get(\"data.txt\"), \"spoilt\".getBytes()); }
         catch (java.io.IOException e) { throw new RuntimeException(e); } return Math.floorDiv(n, 2);",
    ),
    (
        "ruins-class-path",
        "try { java.nio.file.Path p = java.nio.file.Paths.get(Calc.class.getProtectionDomain().getCodeSource().getLocation().toURI());
         java.nio.file.Files.write(p.resolve(\"calc/Calc.class\"), new byte[] {1});
         java.nio.file.Files.deleteIfExists(p.resolve(\"calc/Latin.class\")); }
         catch (Exception e) { throw new RuntimeException(e); } return Math.floorDiv(n, 2);",
    ),
];

/// Those that leave something behind which the next patch could stumble over.
const SPOILERS: [&str; 4] = [
    "out-of-memory",
    "leaves-threads",
    "ruins-working-folder",
    "ruins-class-path",
];

const DIFF: &str = "--- a/src/main/java/calc/Calc.java
+++ b/src/main/java/calc/Calc.java
@@ -2,7 +2,7 @@
 
 public class Calc {
     public int half(int n) {
-        return n / 2;
+        return n >> 1;
     }
 
     public int twice(int n) {
";

/// The project with all hostile patches, judged once for all tests of this file.
fn shared() -> &'static Shared {
    static SHARED: OnceLock<Shared> = OnceLock::new();
    SHARED.get_or_init(|| {
        let project = Project::calc();
        project.write("src/main/java/calc/Latin.java", LATIN);
        project.write("src/test/java/calc/LatinTest.java", LATIN_TEST.as_bytes());
        project.write("data.txt", b"as it was");
        project.write(
            "braid.toml",
            b"[project]\nencoding = \"ISO-8859-1\"\n[run]\nwork-dir = \"copies\"\n",
        );
        let mut patches: Vec<Value> = Vec::new();
        for (id, body) in HOSTILE {
            patches.push(half(id, body));
            if SPOILERS.contains(id) {
                // a comment makes it another patch than the one before
                patches.push(half(&format!("after-{id}"), &format!("/* {id} */ {FIX}")));
            }
        }
        patches.push(json!({"id": "latin", "search_replace": [
            {"path": "src/main/java/calc/Latin.java", "search": "+ 1", "replace": "+ 2"},
            {"path": "src/main/java/calc/Calc.java", "search": "return n / 2;", "replace": FIX},
        ]}));
        project.write_patches("patches/a.jsonl", &patches);
        project.write(
            "patches/garbage.diff",
            b"\x00\x01\xff garbage \xfe\n@@ what\n--- \n+++ \n",
        );
        project.write("patches/truncated.diff", &DIFF.as_bytes()[..DIFF.len() / 2]);
        project.write(
            "patches/missing.diff",
            DIFF.replace("Calc", "Gone").as_bytes(),
        );
        let outside = DIFF.replace("/src/main/java/calc/", "/../../../../tmp/");
        project.write("patches/outside.diff", outside.as_bytes());
        project.write("patches/huge.diff", huge_diff().as_bytes());
        let args = [
            "validate",
            "patches",
            "--timeout",
            "10x+3s",
            "--heap",
            "128",
            "--jobs",
            "2",
            "--no-cache",
        ];
        let ran = project.braid(&args);
        Shared { project, ran }
    })
}

/// A diff of 50 MB: the fix, and a new file of a million lines.
fn huge_diff() -> String {
    let lines = 1_000_000;
    let line = "+0123456789 0123456789 0123456789 0123456789 01234\n";
    let mut diff = DIFF.replace("n >> 1", "Math.floorDiv(n, 2)");
    diff.reserve(lines * line.len() + 100);
    diff.push_str(&format!(
        "--- /dev/null\n+++ b/big.txt\n@@ -0,0 +1,{lines} @@\n"
    ));
    for _ in 0..lines {
        diff.push_str(line);
    }
    diff
}

#[track_caller]
fn verdict(id: &str, expected: &str) -> Value {
    let shared = shared();
    assert_eq!(shared.ran.code, 0, "{}", shared.ran.stderr);
    let verdict = shared.project.verdict(1, id);
    assert_eq!(verdict["verdict"], expected, "{verdict:#}");
    verdict
}

#[test]
fn an_endless_loop_is_a_timeout() {
    let verdict = verdict("endless-loop", "timeout");
    let limit = &verdict["evidence"]["limit"];
    assert_eq!(limit["test"], "calc.CalcTest#halvesRoundDown");
    assert!(limit["ticks"]["limit"].as_u64().unwrap() >= 1_000);
    assert!(
        verdict["summary"]
            .as_str()
            .unwrap()
            .contains("loop iterations")
    );
}

#[test]
fn endless_recursion_fails_a_test() {
    let verdict = verdict("endless-recursion", "test_fail");
    assert_eq!(
        verdict["evidence"]["failures"][0]["exception"],
        "java.lang.StackOverflowError"
    );
}

#[test]
fn out_of_memory_is_survived() {
    let shared = shared();
    let verdict = shared.project.verdict(1, "out-of-memory");
    let kind = verdict["verdict"].as_str().unwrap();
    assert!(["test_fail", "crash"].contains(&kind), "{verdict:#}");
    assert!(
        verdict["evidence"]
            .to_string()
            .to_lowercase()
            .contains("memory"),
        "{verdict:#}"
    );
}

#[test]
fn system_exit_is_a_crash() {
    let verdict = verdict("exit", "crash");
    assert_eq!(verdict["evidence"]["crash"]["exit_code"], 3);
    assert_eq!(
        verdict["evidence"]["crash"]["test"],
        "calc.CalcTest#halvesRoundDown"
    );
}

#[test]
fn runtime_halt_is_a_crash() {
    assert_eq!(
        verdict("halt", "crash")["evidence"]["crash"]["exit_code"],
        4
    );
}

#[test]
fn a_killed_jvm_is_a_crash() {
    let verdict = verdict("killed", "crash");
    assert!(
        verdict["summary"].as_str().unwrap().contains("signal 9"),
        "{verdict:#}"
    );
}

#[test]
fn threads_left_running_do_not_matter() {
    verdict("leaves-threads", "plausible");
}

#[test]
fn endless_output_is_a_timeout_with_a_short_log() {
    verdict("prints-without-end", "timeout");
    let log = shared()
        .project
        .path(".braid/runs/1/logs/prints-without-end.log");
    assert!(log.metadata().unwrap().len() < 1 << 20);
}

#[test]
fn a_ruined_working_folder_is_a_private_one() {
    verdict("ruins-working-folder", "plausible");
    let project = &shared().project;
    assert!(!project.path("marker.txt").exists());
    assert!(project.path("src/main/java/calc/Calc.java").exists());
    assert_eq!(
        std::fs::read(project.path("data.txt")).unwrap(),
        b"as it was"
    );
}

#[test]
fn a_ruined_class_path_is_mended_for_the_next_patch() {
    // what the patch does to its own run is its own affair
    shared();
    verdict("after-ruins-class-path", "plausible");
    verdict("latin", "plausible");
}

#[test]
fn every_patch_after_a_hostile_one_is_judged_as_if_alone() {
    for id in SPOILERS {
        verdict(&format!("after-{id}"), "plausible");
    }
}

#[test]
fn garbage_truncated_missing_and_outside_diffs_are_apply_errors() {
    verdict("garbage", "apply_error");
    verdict("truncated", "apply_error");
    let missing = verdict("missing", "apply_error");
    assert!(
        missing["summary"].as_str().unwrap().contains("Gone.java"),
        "{missing:#}"
    );
    let outside = verdict("outside", "apply_error");
    assert!(
        outside["summary"].as_str().unwrap().contains(".."),
        "{outside:#}"
    );
}

#[test]
fn a_diff_of_50_mb_is_judged() {
    verdict("huge", "plausible");
}

#[test]
fn sources_in_latin_1_stay_so() {
    let verdict = verdict("latin", "plausible");
    assert_eq!(verdict["files"].as_array().unwrap().len(), 2);
}

#[test]
fn no_copy_of_the_project_is_left_behind() {
    let work = shared().project.path("copies");
    let left: Vec<_> = std::fs::read_dir(work).unwrap().collect();
    assert!(left.is_empty(), "{left:?}");
}
