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
    public static void main(String[] args) { System.out.println("price " + price(100)); if (tax) System.exit(3); }
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
        "2 tests: 1 pass in every configuration, 1 fail in some, 0 unknown in some",
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
