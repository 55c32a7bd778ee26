//! Tests that no patch reaches are run once only, and no verdict is another for it.

mod common;

use common::{Project, statuses_in};
use serde_json::{Value, json};

const CACHE: &str = "package calc;
public class Cache {
    private static Integer value;
    public static int get() {
        if (value == null) {
            value = compute();
        }
        return value;
    }
    static int compute() {
        return 42;
    }
}
";

const TABLE: &str = "package calc;
public class Table {
    private static final int[] SQUARES = fill(10);
    static int[] fill(int count) {
        int[] all = new int[count];
        for (int i = 0; i < count; i++) {
            all[i] = i * i;
        }
        return all;
    }
    public static int square(int n) {
        return SQUARES[n];
    }
}
";

const OTHER: &str = "package calc;
public class Other {
    public static int half(int n) {
        return n / 2;
    }
}
";

/// Uses what the others fill, and does not look at it.
const FIRST: &str = "package calc;
import org.junit.jupiter.api.Test;
import static org.junit.jupiter.api.Assertions.assertTrue;
class AFirstTest {
    static boolean ran;
    @Test void fills() { ran = true; assertTrue(Cache.get() + Table.square(1) > 0); }
}
";

/// Reaches what fills the cache and the table only if nobody has filled them before.
const LAST: &str = "package calc;
import org.junit.jupiter.api.Test;
import static org.junit.jupiter.api.Assertions.assertEquals;
class ZLastTest {
    @Test void isCached() { assertEquals(42, Cache.get()); }
    @Test void isSquare() { assertEquals(9, Table.square(3)); }
}
";

/// Passes only after the first one.
const NEEDY: &str = "package calc;
import org.junit.jupiter.api.Test;
import static org.junit.jupiter.api.Assertions.assertTrue;
class ZNeedyTest {
    @Test void comesAfterTheFirst() { assertTrue(AFirstTest.ran); }
}
";

/// Takes so long that the suite is not run twice.
fn slow(number: usize) -> String {
    format!(
        "package calc;
import org.junit.jupiter.api.Test;
import static org.junit.jupiter.api.Assertions.assertEquals;
class Slow{number:02}Test {{
    @Test void sleeps() throws Exception {{ Thread.sleep(150); assertEquals({number}, Other.half({})); }}
}}
",
        2 * number + 1
    )
}

/// A project, and a folder with patches of it: what is in the project's own is part of the program.
struct Setup {
    project: Project,
    patches: Project,
}

impl Setup {
    /// The verdicts of a run over these patches.
    fn validate(&self, patches: &str, more: &[&str]) -> Vec<(String, String)> {
        let patches = self.patches.path(patches);
        let args = ["validate", patches.to_str().unwrap()];
        self.project.braid(&[&args, more].concat()).expect(0);
        self.verdicts()
    }

    /// The verdict of each patch of the last run.
    fn verdicts(&self) -> Vec<(String, String)> {
        let text = |verdict: &Value, name: &str| verdict[name].as_str().unwrap().to_owned();
        let verdicts = self.project.verdicts(self.project.runs());
        let named = verdicts.iter().map(|v| (text(v, "id"), text(v, "verdict")));
        let mut named: Vec<_> = named.collect();
        named.sort();
        named
    }

    /// The tests that the last run's baseline has seen in warm JVMs only.
    fn once(&self) -> Vec<String> {
        let run = self.project.runs();
        let file = self
            .project
            .path(&format!(".braid/runs/{run}/baseline.json"));
        let baseline: Value = serde_json::from_slice(&std::fs::read(file).unwrap()).unwrap();
        let units = baseline["modules"][0]["units"].as_array().unwrap();
        let once = units.iter().filter(|unit| unit["once"] == true);
        once.map(|unit| unit["id"].as_str().unwrap().to_owned())
            .collect()
    }
}

fn setup() -> Setup {
    let (project, patches) = (project(), Project::empty());
    let state = [
        patch("cache-bad", "Cache", "return 42;", "return 41;"),
        patch("cache-good", "Cache", "return 42;", "return 6 * 7;"),
        patch("table-bad", "Table", "i * i;", "i * 2 - i / 2;"),
        patch("table-good", "Table", "i * i;", "i * (i + 1) - i;"),
    ];
    let other = [
        patch("other-bad", "Other", "n / 2;", "n < 30 ? n / 2 : 7;"),
        patch("other-good", "Other", "n / 2;", "n >> 1;"),
    ];
    patches.write_patches("state.jsonl", &state);
    patches.write_patches("other.jsonl", &other);
    patches.write_patches("all.jsonl", &[&state[..], &other].concat());
    Setup { project, patches }
}

fn project() -> Project {
    let project = Project::plain(&[
        ("src/main/java/calc/Cache.java", CACHE),
        ("src/main/java/calc/Table.java", TABLE),
        ("src/main/java/calc/Other.java", OTHER),
        ("src/test/java/calc/AFirstTest.java", FIRST),
        ("src/test/java/calc/ZLastTest.java", LAST),
    ]);
    for number in 0..16 {
        let name = format!("src/test/java/calc/Slow{number:02}Test.java");
        project.write(&name, slow(number).as_bytes());
    }
    project
}

fn patch(id: &str, class: &str, search: &str, replace: &str) -> Value {
    let path = format!("src/main/java/calc/{class}.java");
    json!({"id": id, "search_replace": [{"path": path, "search": search, "replace": replace}]})
}

#[test]
fn tests_that_no_patch_reaches_are_run_once_until_one_does() {
    let setup = setup();
    let plain = setup.validate("all.jsonl", &["--no-cache", "--strategy", "plain"]);
    let kinds: Vec<&str> = plain.iter().map(|(_, kind)| kind.as_str()).collect();
    let alternating = ["test_fail", "plausible"].repeat(3);
    assert_eq!(kinds, alternating, "{plain:?}");

    let state = setup.validate("state.jsonl", &[]);
    let spared = setup.once();
    assert!(spared.len() >= 4, "{spared:?}");
    assert!(
        spared.iter().all(|unit| unit.contains("Slow")),
        "{spared:?}"
    );

    let other = setup.validate("other.jsonl", &[]);
    assert_eq!(
        setup.once(),
        [""; 0],
        "all of them have been reached by now"
    );
    let mut both = [state, other].concat();
    both.sort();
    assert_eq!(both, plain);

    let whole = setup.validate("all.jsonl", &["--no-cache", "--without", "once"]);
    assert_eq!(setup.once(), [""; 0]);
    assert_eq!(whole, plain);
}

#[test]
fn mutants_need_to_know_more_than_patches_left_in_the_store() {
    let setup = setup();
    setup.validate("state.jsonl", &[]);
    assert!(!setup.once().is_empty());
    let mutants = |more: &[&str]| {
        let args = ["mutate", "--format", "jsonl"];
        let ran = setup.project.braid(&[&args, more].concat()).expect(0);
        statuses_in(&ran.stdout)
    };
    let stored = mutants(&[]);
    assert!(stored.len() > 10, "{stored:?}");
    assert_eq!(stored, mutants(&["--no-cache"]));
}

#[test]
fn a_test_that_needs_another_before_it_has_all_run_in_their_order() {
    let setup = setup();
    let name = "src/test/java/calc/ZNeedyTest.java";
    setup.project.write(name, NEEDY.as_bytes());
    let woven = setup.validate("all.jsonl", &["--no-cache"]);
    assert_eq!(setup.once(), [""; 0]);
    let plain = setup.validate("all.jsonl", &["--no-cache", "--strategy", "plain"]);
    assert_eq!(woven, plain);
}
