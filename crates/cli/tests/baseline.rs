//! The unpatched program's tests, shared by several JVMs, come out as in one.

mod common;

use common::{FIX, Project, half};
use serde_json::Value;

/// Takes so long that others take classes off the JVM that runs all of them.
fn slow(number: usize) -> String {
    format!(
        "package calc;
import org.junit.jupiter.api.Test;
class Slow{number:02}Test {{
    @Test void sleeps() throws Exception {{ Thread.sleep(200); }}
}}
"
    )
}

const FIRST: &str = "package calc;
import org.junit.jupiter.api.Test;
class AFirstTest {
    static boolean ran;
    @Test void runs() { ran = true; }
}
";

/// Passes only after the first one.
const LAST: &str = "package calc;
import org.junit.jupiter.api.Test;
import static org.junit.jupiter.api.Assertions.assertTrue;
class ZLastTest {
    @Test void comesAfterTheFirst() { assertTrue(AFirstTest.ran); }
}
";

fn project(more: &[(&str, &str)]) -> Project {
    let project = Project::calc();
    for number in 0..20 {
        let name = format!("src/test/java/calc/Slow{number:02}Test.java");
        project.write(&name, slow(number).as_bytes());
    }
    for (name, content) in more {
        project.write(name, content.as_bytes());
    }
    project.write_patches("p.jsonl", &[half("fix", FIX), half("other", "return n;")]);
    project
}

/// The leaves of each unit with what they did, after a run with so many jobs; and what came of the patches.
fn seen(project: &Project, run: u32, jobs: &str) -> (Value, [String; 2]) {
    let options = ["validate", "p.jsonl", "--no-cache", "--jobs", jobs];
    project.braid(&options).expect(0);
    let file = project.path(&format!(".braid/runs/{run}/baseline.json"));
    let baseline: Value = serde_json::from_slice(&std::fs::read(file).unwrap()).unwrap();
    let units = baseline["modules"][0]["units"].as_array().unwrap();
    let unit = |unit: &Value| Value::Array(vec![unit["id"].clone(), unit["leaves"].clone()]);
    let verdict = |id| project.verdict(run, id)["verdict"].to_string();
    let verdicts = ["fix", "other"].map(verdict);
    (units.iter().map(unit).collect(), verdicts)
}

#[test]
fn shared_tests_come_out_as_in_one_jvm() {
    let project = project(&[]);
    assert_eq!(seen(&project, 1, "4"), seen(&project, 2, "1"));
}

#[test]
fn a_test_that_needs_another_before_it_still_has_it() {
    let project = project(&[
        ("src/test/java/calc/AFirstTest.java", FIRST),
        ("src/test/java/calc/ZLastTest.java", LAST),
    ]);
    let shared = seen(&project, 1, "4");
    assert_eq!(shared, seen(&project, 2, "1"));
    let text = shared.0.to_string();
    assert!(text.contains("ZLastTest#comesAfterTheFirst"), "{text}");
}
