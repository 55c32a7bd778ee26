//! Long tests that cannot notice a patch are not run for it, and no verdict is another for it.

mod common;

use std::collections::BTreeMap;

use common::Project;
use serde_json::{Value, json};

const GRID: &str = "package calc;
public class Grid {
    private final double[][] cells;
    public Grid(int rows, int columns) {
        cells = new double[rows][columns];
    }
    public int rows() {
        return cells.length;
    }
    public int columns() {
        return cells[0].length;
    }
    static void check(Grid grid, int row) {
        if (row < 0 || row >= grid.rows()) {
            throw new IllegalArgumentException(\"row \" + row);
        }
    }
    public double[] row(int row) {
        check(this, row);
        int width = columns();
        double[] copy = new double[width];
        for (int i = 0; i < width; i++) {
            copy[i] = cells[row][i];
        }
        return copy;
    }
    public double scaled(double value, double factor) {
        double result = value * factor;
        return result;
    }
    public int least(int a, int b) {
        int least = Math.min(a, b);
        return least;
    }
    public boolean isEven(long n) {
        if (n % 2 == 0) {
            return true;
        }
        return false;
    }
}
";

const QUICK: &str = "package calc;
import org.junit.jupiter.api.Test;
import static org.junit.jupiter.api.Assertions.*;
class GridTest {
    @Test void works() {
        Grid grid = new Grid(2, 3);
        assertEquals(3, grid.row(1).length);
        assertEquals(6.0, grid.scaled(2, 3));
        assertEquals(1, grid.least(1, 2));
        assertTrue(grid.isEven(4) && !grid.isEven(5));
    }
}
";

/// Each takes more than a second, and is the only one that notices some patch.
const LONG: &str = "package calc;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import static org.junit.jupiter.api.Assertions.*;
class LongTest {
    private final Grid grid = new Grid(4, 5);
    @BeforeEach void takesLong() throws InterruptedException { Thread.sleep(1050); }
    @Test void rows() {
        for (int i = 0; i < 4; i++) { assertEquals(5, grid.row(i).length); }
        assertEquals(12.0, grid.scaled(grid.least(4, 9), 3));
        assertTrue(grid.isEven(10));
    }
    @Test void refuses() {
        assertThrows(IllegalArgumentException.class, () -> grid.row(4));
        assertEquals(10.0, grid.scaled(grid.least(5, 5), 2));
        assertFalse(grid.isEven(11));
    }
    @Test void scales() {
        for (int i = 0; i < 1000; i++) { assertEquals(4.0 * i, grid.scaled(i, i < 999 ? 4 : 4.0)); }
        assertEquals(-3, grid.least(-1, -3));
        assertEquals(0, grid.row(0)[0]);
        assertTrue(grid.isEven(0));
    }
    @Test void negative() {
        assertFalse(grid.isEven(-3));
        assertEquals(2.0, grid.scaled(grid.least(1, 8), 2));
        assertEquals(0, grid.row(3)[4]);
    }
}
";

/// Name, what is replaced, by what, and the one test that notices it.
const PATCHES: &[(&str, &str, &str, &str)] = &[
    (
        "guard-null",
        "int width",
        "if (cells == null) { return null; } int width",
        "",
    ),
    (
        "guard-wide",
        "int width",
        "if (cells.length > 50) { return null; } int width",
        "",
    ),
    (
        "guard-factor",
        "double result",
        "if (factor == 77) { return 0; } double result",
        "",
    ),
    (
        "guard-value",
        "double result",
        "if (value > 5e9) { throw new IllegalStateException(); } double result",
        "",
    ),
    (
        "guard-least",
        "int least =",
        "if (a == 123456) { return b; } int least =",
        "",
    ),
    (
        "guard-even",
        "if (n % 2",
        "if (n == 987654321L) { return false; } if (n % 2",
        "",
    ),
    ("swap", "Math.min(a, b)", "Math.min(b, a)", ""),
    ("swap-factors", "value * factor", "factor * value", ""),
    ("until", "i < width", "i != width", ""),
    (
        "guard-four",
        "double result",
        "if (factor == 4) { return 0; } double result",
        "scales",
    ),
    ("no-check", "check(this, row);", ";", "refuses"),
    ("odd", "n % 2 == 0", "n % 2 != 1", "negative"),
    (
        "least-first",
        "Math.min(a, b)",
        "a < 0 ? a : Math.min(a, b)",
        "scales",
    ),
];

fn patches() -> Vec<Value> {
    let path = "src/main/java/calc/Grid.java";
    let patch = |(id, search, replace, _): &(&str, &str, &str, &str)| json!({"id": id, "search_replace": [{"path": path, "search": search, "replace": replace}]});
    PATCHES.iter().map(patch).collect()
}

/// What was found of each patch.
fn validate(project: &Project, patches: &Project, more: &[&str]) -> BTreeMap<String, Value> {
    let patches = patches.path("patches.jsonl");
    let args = ["validate", patches.to_str().unwrap(), "--no-cache"];
    project.braid(&[&args, more].concat()).expect(0);
    let verdicts = project.verdicts(project.runs()).into_iter();
    verdicts
        .map(|verdict| (verdict["id"].as_str().unwrap().to_owned(), verdict))
        .collect()
}

fn failing(verdict: &Value) -> &str {
    verdict["evidence"]["failures"][0]["test"]
        .as_str()
        .unwrap_or("")
}

#[test]
fn long_tests_that_cannot_notice_a_patch_are_spared() {
    let project = Project::plain(&[
        ("src/main/java/calc/Grid.java", GRID),
        ("src/test/java/calc/GridTest.java", QUICK),
        ("src/test/java/calc/LongTest.java", LONG),
    ]);
    let folder = Project::empty();
    folder.write_patches("patches.jsonl", &patches());
    let scouted = validate(&project, &folder, &["--jobs", "1"]);
    let all = validate(&project, &folder, &["--without", "scouting"]);
    let mut spared = 0;
    for (id, _, _, noticed) in PATCHES {
        let (scouted, all) = (&scouted[*id], &all[*id]);
        assert_eq!(scouted["verdict"], all["verdict"], "{id}: {scouted} {all}");
        assert_eq!(failing(scouted), failing(all), "{id}");
        let expected = if noticed.is_empty() {
            "plausible"
        } else {
            "test_fail"
        };
        assert_eq!(scouted["verdict"], expected, "{id}: {scouted}");
        assert!(failing(scouted).ends_with(noticed), "{id}: {scouted}");
        assert!(!all["notes"].to_string().contains("cannot notice"));
        spared += usize::from(scouted["notes"].to_string().contains("cannot notice"));
    }
    assert!(spared >= 9, "{spared}: {scouted:#?}");
    let plain = validate(&project, &folder, &["--strategy", "plain"]);
    for (id, verdict) in &plain {
        assert_eq!(
            verdict["verdict"], scouted[id]["verdict"],
            "{id}: {verdict}"
        );
    }
}
