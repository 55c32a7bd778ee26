//! `braid vary` from the outside.

use std::path::Path;
use std::process::{Command, Output};

use tempfile::TempDir;

const SOURCE: &str = r#"
import static org.junit.Assert.*;
import org.junit.*;
@interface Conditional {}
public class ShopTest {
    @Conditional static boolean tax, rebate, rounding;
    static int total;
    static int price(int net) {
        int sum = net;
        if (rebate) sum -= 10;
        if (tax) sum += sum / 5;
        if (rounding && tax && rebate) sum = sum / 100 * 100;
        return sum;
    }
    @Test public void pricesStayPositive() { assertTrue(price(1000) > 0); }
    @Test public void neverFree() { total = price(60); assertTrue("free", total > 0); }
    @Test public void assertionsAreOn() { boolean on = false; assert on = true; assertTrue(on); }
    public static void main(String[] args) { assert args.length > 0 : "asserted"; System.out.println("price " + price(100)); if (tax) System.exit(3); }
}
"#;

struct Shop {
    folder: TempDir,
    classpath: String,
}

fn shop() -> Shop {
    let folder = tempfile::tempdir().expect("a folder");
    let source = folder.path().join("ShopTest.java");
    std::fs::write(&source, SOURCE).expect("written");
    let jars = braid_subjects::junit4();
    let path = std::env::join_paths(jars.iter().map(Path::new)).expect("a class path");
    let status = Command::new(braid_subjects::jdk().join("bin/javac"))
        .args(["-nowarn", "-g", "-d"])
        .arg(folder.path())
        .arg("-cp")
        .arg(&path)
        .arg(&source)
        .status();
    assert!(status.expect("javac runs").success());
    let classpath = format!("{}:{}", folder.path().display(), path.to_string_lossy());
    Shop { folder, classpath }
}

fn braid(shop: &Shop, args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_braid"))
        .args(["vary", "--cp", &shop.classpath])
        .args(args)
        .env("JAVA_HOME", braid_subjects::jdk())
        .current_dir(shop.folder.path())
        .output()
        .expect("braid runs")
}

fn text(output: &Output) -> String {
    format!(
        "{}{}",
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    )
}

#[test]
fn a_failing_test_has_its_condition_smallest_set_and_interaction() {
    let shop = shop();
    let output = braid(&shop, &["--only-tests", "ShopTest*"]);
    let text = text(&output);
    assert_eq!(output.status.code(), Some(2), "{text}");
    for part in [
        "3 options, 8 configurations",
        "ShopTest#neverFree",
        "fails: java.lang.AssertionError: free",
        "when tax & rebate & rounding (1 of 8)",
        "smallest: tax + rebate + rounding",
        "3 tests: 2 pass in every configuration, 1 fail in some, 0 unknown in some",
    ] {
        let sorted = part.replace("tax & rebate & rounding", "rebate & rounding & tax");
        let sorted = sorted.replace("tax + rebate + rounding", "rebate + rounding + tax");
        assert!(
            text.contains(part) || text.contains(&sorted),
            "{part} is missing in\n{text}"
        );
    }
    let bounded = braid(&shop, &["--only-tests", "ShopTest*", "--degree", "2"]);
    assert_eq!(bounded.status.code(), Some(0));
}

#[test]
fn json_says_the_same() {
    let shop = shop();
    let output = braid(&shop, &["--only-tests", "*#neverFree", "--json"]);
    let json: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!(json["configurations"], "8");
    let outcomes = json["tests"][0]["outcomes"].as_array().expect("outcomes");
    let failed = outcomes
        .iter()
        .find(|o| o["outcome"] == "failed")
        .expect("a failure");
    assert_eq!(failed["exception"], "java.lang.AssertionError");
    assert_eq!(failed["message"], "free");
    assert_eq!(failed["when"]["configurations"], "1");
}

#[test]
fn a_main_class_has_ends_and_output_by_condition_and_a_variable_can_be_traced() {
    let shop = shop();
    let output = braid(
        &shop,
        &[
            "--main",
            "ShopTest",
            "--option",
            "ShopTest.tax",
            "--option",
            "ShopTest.rebate",
            "--trace",
            "price:sum",
            "--stats",
        ],
    );
    let text = text(&output);
    assert_eq!(output.status.code(), Some(2), "{text}");
    for part in [
        "exits with 3\n    when tax (2 of 4)",
        "returns\n    when !tax (2 of 4)",
        "price 108",
        "sum = 90  when rebate",
        "sum = 120  when !rebate & tax",
        "most nodes of diagrams",
    ] {
        let other = part.replace("!rebate & tax", "tax & !rebate");
        assert!(
            text.contains(part) || text.contains(&other),
            "{part} is missing in\n{text}"
        );
    }
}

#[test]
fn mistakes_are_explained() {
    let shop = shop();
    for (args, message) in [
        (
            &["--option", "ShopTest.nothing"][..],
            "not a static boolean field",
        ),
        (&["--option", "Nowhere.x"][..], "no class Nowhere"),
        (&["--main", "Nowhere"][..], "no class Nowhere"),
        (&["--only-tests", "*Missing*"][..], "no test fits"),
    ] {
        let output = braid(&shop, args);
        let text = text(&output);
        assert_eq!(output.status.code(), Some(1), "{text}");
        assert!(text.contains(message), "{message} is missing in\n{text}");
    }
}

#[test]
fn assertions_are_on_for_tests_and_off_for_a_main_class() {
    let shop = shop();
    let tests = ["--only-tests", "*#assertionsAreOn"];
    let main = ["--main", "ShopTest", "--option", "ShopTest.rebate"];
    for (args, more, code) in [
        (&tests[..], None, 0),
        (&tests[..], Some("--no-assertions"), 2),
        (&main[..], None, 0),
        (&main[..], Some("--assertions"), 2),
    ] {
        let args: Vec<&str> = args.iter().copied().chain(more).collect();
        let output = braid(&shop, &args);
        let text = text(&output);
        assert_eq!(output.status.code(), Some(code), "{args:?}: {text}");
        assert!(code == 0 || text.contains("AssertionError"), "{text}");
    }
}

const LIBRARY: &str = r#"
public class Rates {
    final int base;
    Rates(int base) { this.base = base + 1; }
    static int larger(int a, int b) { if (a < b) return b; return a; }
    int twice() { return base * 2; }
    // So many mutants that the choice among them is in a method of its own.
    static int sum(int a, int b) { int c = a + b * 2; int d = c - a / 3; int e = d % 7 + a; int f = e & b; return c + d * e - f; }
}
"#;

const LIBRARY_TEST: &str = r#"
import static org.junit.Assert.*;
public class RatesTest {
    @org.junit.Test public void larger() { assertEquals(7, Rates.larger(3, 7)); assertEquals(7, Rates.larger(7, 3)); }
    @org.junit.Test public void sum() { assertEquals(143, Rates.sum(9, 4)); }
    @org.junit.Test public void both() { assertEquals(14, Rates.larger(1, new Rates(6).twice())); }
}
"#;

/// Mutants as options of one run: those of one method are alternatives, those of several combine.
#[test]
fn mutants_are_options_and_the_smallest_failing_set_names_one() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = std::env::join_paths(braid_subjects::junit4()).expect("a class path");
    for (name, text) in [("Rates", LIBRARY), ("RatesTest", LIBRARY_TEST)] {
        std::fs::write(folder.path().join(format!("{name}.java")), text).expect("written");
    }
    let status = Command::new(braid_subjects::jdk().join("bin/javac"))
        .args(["-nowarn", "-g", "-d", "."])
        .arg("-cp")
        .arg(&path)
        .args(["Rates.java", "RatesTest.java"])
        .current_dir(folder.path())
        .status();
    assert!(status.expect("javac runs").success());
    let classpath = format!("{}:{}", folder.path().display(), path.to_string_lossy());
    let shop = Shop { folder, classpath };
    let output = braid(&shop, &["--mutants", "Rates", "--json"]);
    assert_eq!(output.status.code(), Some(2), "{}", text(&output));
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let meanings = report["meanings"].as_object().expect("meanings");
    assert_eq!(
        report["options"].as_array().map(Vec::len),
        Some(meanings.len())
    );
    // One factor for each changed method: its alternatives and the original.
    let mut methods = std::collections::BTreeMap::new();
    for meaning in meanings.values() {
        let text = meaning.as_str().expect("text");
        let method = text
            .split(" in ")
            .nth(1)
            .and_then(|rest| rest.split(':').next());
        *methods.entry(method.expect("a method")).or_insert(1_u64) += 1;
    }
    assert!(methods.len() >= 3, "{methods:?}");
    assert!(methods.values().any(|&count| count > 10), "{methods:?}");
    let product: u64 = methods.values().product();
    assert_eq!(report["configurations"], product.to_string());
    let tests = report["tests"].as_array().expect("tests");
    assert_eq!(tests.len(), 3);
    for test in tests {
        for outcome in test["outcomes"].as_array().expect("outcomes") {
            assert_ne!(outcome["outcome"], "unknown", "{outcome}");
            let on = outcome["when"]["smallest"].as_array().map(Vec::len);
            let passed = outcome["outcome"] == "passed";
            assert!(
                if passed { on == Some(0) } else { on >= Some(1) },
                "{outcome}"
            );
        }
        assert!(test["outcomes"].as_array().is_some_and(|all| all.len() > 1));
    }
}
