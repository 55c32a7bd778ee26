//! Whole configuration spaces: ends, conditions, system properties, degree bounds, endless loops.

mod support;

use braid_vvm::junit::Outcome;
use braid_vvm::{End, Vary};
use std::path::{Path, PathBuf};

fn compile(name: &str, source: &str, classpath: &[PathBuf]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join(format!("{name}.java"));
    std::fs::write(&file, source).expect("written");
    let path: Vec<String> = classpath
        .iter()
        .map(|entry| entry.display().to_string())
        .collect();
    let output = std::process::Command::new(support::jdk().join("bin/javac"))
        .args([
            "-nowarn",
            "-g",
            "-cp",
            &format!(".:{}", path.join(":")),
            "-d",
        ])
        .arg(folder.path())
        .arg(&file)
        .output()
        .expect("javac runs");
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    folder
}

fn vary(folder: &Path, class: &str, options: &[&str]) -> Vary {
    Vary {
        jdk: support::jdk(),
        classpath: vec![folder.to_path_buf()],
        option_fields: options
            .iter()
            .map(|option| format!("{class}.{option}"))
            .collect(),
        ..Vary::default()
    }
}

const ENDS: &str = r#"
public class Ends {
    static boolean a, b, c;
    static int count(boolean x) { int n = 0; while (x) { n++; } return n; }
    public static void main(String[] args) {
        if (a && b) throw new IllegalStateException("both");
        if (a && c) System.exit(3);
        if (b && c) count(true);
        System.out.println(a ? "A" : "-");
    }
}
"#;

#[test]
fn every_end_of_a_program_has_its_condition() {
    let folder = compile("Ends", ENDS, &[]);
    let mut vary = vary(folder.path(), "Ends", &["a", "b", "c"]);
    vary.limits.fuel = 100_000;
    let report = vary.run_main("Ends", &[]).expect("runs");
    let find = |wanted: &End| {
        let end = report.ends.iter().find(|end| end.value == *wanted);
        end.map_or_else(String::new, |end| {
            format!(
                "{} {}",
                end.when.configurations,
                end.when.smallest.join("+")
            )
        })
    };
    assert_eq!(
        find(&End::Threw(
            "java.lang.IllegalStateException".into(),
            Some("both".into())
        )),
        "2 a+b"
    );
    assert_eq!(find(&End::Exited(3)), "1 a+c");
    assert_eq!(find(&End::Endless), "1 b+c");
    assert_eq!(find(&End::Returned), "4 ");
    let printed: Vec<String> = report
        .output
        .iter()
        .map(|piece| piece.value.text.clone())
        .collect();
    assert!(printed.contains(&"A\n".to_owned()) && printed.contains(&"-\n".to_owned()));
}

#[test]
fn a_degree_bound_restricts_the_space() {
    let folder = compile("Ends", ENDS, &[]);
    let mut vary = vary(folder.path(), "Ends", &["a", "b", "c"]);
    vary.degree = Some(1);
    let report = vary.run_main("Ends", &[]).expect("runs");
    assert_eq!(report.ends.len(), 1);
    assert_eq!(report.ends[0].value, End::Returned);
    assert_eq!(report.ends[0].when.configurations, "4");
}

#[test]
fn a_feature_model_excludes_configurations() {
    let folder = compile("Ends", ENDS, &[]);
    let mut vary = vary(folder.path(), "Ends", &["a", "b", "c"]);
    vary.feature_model = Some("rule !(a & b)\nrule !(b & c)\nrule !(a & c)\n".into());
    let report = vary.run_main("Ends", &[]).expect("runs");
    assert_eq!(report.ends.len(), 1, "{:?}", report.ends);
}

#[test]
fn features_that_are_no_options_are_named_and_not_counted() {
    let folder = compile("Ends", ENDS, &[]);
    let mut vary = vary(folder.path(), "Ends", &["a", "b", "c"]);
    vary.limits.fuel = 100_000;
    vary.feature_model =
        Some("root Base\nor Base: Left, Right\nrule Left => a\nrule Right => a\n".into());
    let report = vary.run_main("Ends", &[]).expect("runs");
    // One of the two is on, so `a` is.
    assert_eq!(report.configurations, "4");
    assert_eq!(report.features, ["Base", "Left", "Right"]);
    let ended: u64 = report
        .ends
        .iter()
        .map(|end| end.when.configurations.parse::<u64>().expect("a number"))
        .sum();
    assert_eq!(ended, 4);
}

#[test]
fn system_properties_can_be_options() {
    let source = r#"
public class Props {
    public static void main(String[] args) {
        boolean fast = Boolean.getBoolean("fast");
        System.out.println(fast ? "fast " + System.getProperty("fast") : "slow");
    }
}
"#;
    let folder = compile("Props", source, &[]);
    let mut vary = vary(folder.path(), "Props", &[]);
    vary.option_properties = vec!["fast".into()];
    let samples = [vec![], vec!["fast".to_owned()]];
    let report = vary.run_main_in("Props", &[], &samples).expect("runs");
    assert_eq!(report.samples[0].out, "slow\n");
    assert_eq!(report.samples[1].out, "fast true\n");
}

#[test]
fn options_of_the_same_name_are_kept_apart_and_one_named_twice_is_one() {
    let source = r#"
public class Twice {
    static boolean fast;
    public static void main(String[] args) { System.out.println(fast + " " + Boolean.getBoolean("fast")); }
}
"#;
    let folder = compile("Twice", source, &[]);
    let mut vary = vary(folder.path(), "Twice", &["fast", "fast"]);
    vary.option_properties = vec!["fast".into(), "fast".into()];
    let samples = [vec!["fast".to_owned()], vec!["-Dfast".to_owned()]];
    let report = vary.run_main_in("Twice", &[], &samples).expect("runs");
    assert_eq!(report.options, ["fast", "-Dfast"]);
    assert_eq!(report.samples[0].out, "true false\n");
    assert_eq!(report.samples[1].out, "false true\n");
}

#[test]
fn constants_cannot_be_options() {
    let source =
        "public class K { static final boolean C = true; public static void main(String[] a) {} }";
    let folder = compile("K", source, &[]);
    let error = vary(folder.path(), "K", &["C"])
        .run_main("K", &[])
        .expect_err("refused");
    assert!(error.to_string().contains("javac copies it"), "{error}");
}

#[test]
fn an_elevator_product_line_equals_brute_force() {
    let source =
        std::fs::read_to_string(support::fixtures().join("Elevator.java")).expect("the fixture");
    let folder = compile("Elevator", &source, &[]);
    let options = [
        "weight",
        "executive",
        "empty",
        "twoThirds",
        "overloaded",
        "logging",
    ];
    let configs: Vec<Vec<String>> = (0..64usize)
        .map(|config| {
            (0..6)
                .filter(|i| config >> i & 1 == 1)
                .map(|i| options[i].to_owned())
                .collect()
        })
        .collect();
    let all = vary(folder.path(), "Elevator", &options)
        .run_main_in("Elevator", &[], &configs)
        .expect("runs");
    for sample in all.samples.iter().step_by(7) {
        let mut one = vary(folder.path(), "Elevator", &options);
        let fixed: Vec<String> = options
            .iter()
            .map(|&option| {
                if sample.on.iter().any(|on| on == option) {
                    option.into()
                } else {
                    format!("!{option}")
                }
            })
            .collect();
        one.feature_model = Some(format!("rule {}", fixed.join(" & ")));
        let single = one
            .run_main_in("Elevator", &[], std::slice::from_ref(&sample.on))
            .expect("runs");
        assert_eq!(single.samples[0], *sample);
    }
}

#[test]
fn tests_of_junit_4_and_5_have_their_failing_conditions() {
    let source = r#"
import org.junit.*;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import static org.junit.Assert.*;
public class CalcTest {
    static boolean swapped, offByOne;
    int base;
    static int sub(int a, int b) { return swapped ? b - a : a - b + (offByOne ? 1 : 0); }
    @Before public void setUp() { base = 10; }
    @Test public void subtracts() { assertEquals(7, sub(base, 3)); }
    @Test public void zero() { assertEquals(0, sub(4, 4)); }
    @Test(expected = ArithmeticException.class) public void divides() { int x = 1 / sub(5, 5); }
    @Ignore("later") @Test public void ignored() { fail(); }
    @org.junit.jupiter.api.Test void jupiter() { org.junit.jupiter.api.Assertions.assertTrue(sub(9, 1) > 0, "positive"); }
    @ParameterizedTest @CsvSource({"5, 2, 3", "'7', 7, 0"}) void rows(int a, int b, int c) { org.junit.jupiter.api.Assertions.assertEquals(c, sub(a, b)); }
}
"#;
    let mut classpath = braid_subjects::junit4();
    classpath.extend(braid_subjects::junit5());
    let folder = compile("CalcTest", source, &classpath);
    let mut vary = vary(folder.path(), "CalcTest", &["swapped", "offByOne"]);
    vary.classpath.extend(classpath);
    let report = vary.run_tests(&["CalcTest".into()]).expect("runs");
    let summary: Vec<String> = report
        .tests
        .iter()
        .map(|test| {
            let parts: Vec<String> = test
                .outcomes
                .iter()
                .map(|outcome| match &outcome.value {
                    Outcome::Failed(class, _) => {
                        format!("{class} {}", outcome.when.smallest.join("+"))
                    }
                    other => format!("{other:?} {}", outcome.when.configurations),
                })
                .collect();
            format!(
                "{}: {}",
                test.name.trim_start_matches("CalcTest#"),
                parts.join(", ")
            )
        })
        .collect();
    assert_eq!(
        summary,
        [
            "subtracts: Passed 1, java.lang.AssertionError offByOne, java.lang.AssertionError swapped",
            "zero: Passed 3, java.lang.AssertionError offByOne",
            "divides: Passed 3, java.lang.AssertionError offByOne",
            "ignored: Skipped(\"later\") 4",
            "jupiter: Passed 2, org.opentest4j.AssertionFailedError swapped",
            "rows[1]: Passed 1, org.opentest4j.AssertionFailedError offByOne, org.opentest4j.AssertionFailedError swapped",
            "rows[2]: Passed 3, org.opentest4j.AssertionFailedError offByOne",
        ]
    );
}

#[test]
fn garbage_is_collected_while_states_wait() {
    let source = r#"
import java.util.*;
public class Garbage {
    static boolean longer, twice;
    static int churn(int rounds) {
        List<String> live = new ArrayList<>();
        int total = 0;
        for (int i = 0; i < rounds; i++) {
            int[] waste = new int[200];
            waste[i % 200] = i;
            live.add("s" + i + (twice ? "!" : ""));
            if (live.size() > 50) live.remove(0);
            total += waste[i % 200] & 3;
        }
        for (String s : live) total += s.length();
        return total;
    }
    public static void main(String[] args) { System.out.println(churn(longer ? 70000 : 40000)); }
}
"#;
    let folder = compile("Garbage", source, &[]);
    let samples: Vec<Vec<String>> = [&[][..], &["longer"], &["twice"], &["longer", "twice"]]
        .iter()
        .map(|on| on.iter().map(|&name| name.to_owned()).collect())
        .collect();
    let mut small = vary(folder.path(), "Garbage", &["longer", "twice"]);
    small.limits.heap = 24 << 20;
    let found = small.run_main_in("Garbage", &[], &samples).expect("runs");
    let large = vary(folder.path(), "Garbage", &["longer", "twice"]);
    let expected = large.run_main_in("Garbage", &[], &samples).expect("runs");
    assert!(found.stats.collections >= 2, "{:?}", found.stats);
    assert_eq!(found.samples, expected.samples);
    assert_eq!(found.samples[0].end, Some(End::Returned));
}

const LATE: &str = r#"
public class Late {
    static boolean a, b, c;
    static int spin(boolean on) { int n = 0; while (on) n++; return n; }
    static int risky(int x) { if (c) throw new IllegalStateException("c"); return x; }
    public static void main(String[] args) {
        int total = spin(a);
        try { total += risky(2); } catch (IllegalStateException e) { total += 5; }
        total += b ? 1 : 0;
        while (b && total > 0) total++;
        System.out.println(total);
    }
}
"#;

#[test]
fn an_endless_configuration_leaves_the_fuel_of_others_alone() {
    let folder = compile("Late", LATE, &[]);
    let mut vary = vary(folder.path(), "Late", &["a", "b", "c"]);
    vary.limits.fuel = 100_000;
    let report = vary.run_main("Late", &[]).expect("runs");
    let endless = report.ends.iter().find(|end| end.value == End::Endless);
    assert_eq!(endless.expect("an endless part").when.formula, "a | b");
    let returned = report.ends.iter().find(|end| end.value == End::Returned);
    assert_eq!(returned.expect("the rest").when.formula, "!a & !b");
}

#[test]
fn partitions_look_at_configurations_within_one_group() {
    let folder = compile("Ends", ENDS, &[]);
    let mut whole = vary(folder.path(), "Ends", &["a", "b", "c"]);
    whole.limits.fuel = 100_000;
    let mut parts = whole.clone();
    parts.partitions = Some(3);
    let samples: Vec<Vec<String>> = [&[][..], &["a"], &["b"], &["c"], &["a", "b"]]
        .iter()
        .map(|on| on.iter().map(|&name| name.to_owned()).collect())
        .collect();
    let found = parts.run_main_in("Ends", &[], &samples).expect("runs");
    let expected = whole.run_main_in("Ends", &[], &samples).expect("runs");
    assert_eq!(found.configurations, "4");
    assert_eq!(found.samples[..4], expected.samples[..4]);
    assert_eq!(found.samples[4].end, None);
}

#[test]
fn fast_mode_gives_up_configurations_that_throw() {
    let folder = compile("Late", LATE, &[]);
    let mut vary = vary(folder.path(), "Late", &["c"]);
    vary.fast = true;
    let report = vary.run_main("Late", &[]).expect("runs");
    let unknown = report.ends.iter().find_map(|end| match &end.value {
        End::Unknown(reason) => Some((end.when.formula.as_str(), reason.as_str())),
        _ => None,
    });
    let (formula, reason) = unknown.expect("a part that was given up");
    assert_eq!(formula, "c");
    assert!(reason.starts_with("dropped by fast mode at java.lang.IllegalStateException"));
}

#[test]
fn a_watched_variable_shows_its_values_by_condition() {
    let folder = compile("Late", LATE, &[]);
    let mut vary = vary(folder.path(), "Late", &["c"]);
    vary.trace = Some("Late.main:total".into());
    let report = vary.run_main("Late", &[]).expect("runs");
    let seen: Vec<(String, String)> = report
        .trace
        .values
        .iter()
        .map(|value| (value.value.value.clone(), value.when.formula.clone()))
        .collect();
    for (value, formula) in [("0", "true"), ("2", "!c"), ("5", "c")] {
        let wanted = (value.to_owned(), formula.to_owned());
        assert!(seen.contains(&wanted), "{wanted:?} is not among {seen:?}");
    }
    assert!(
        report
            .trace
            .values
            .iter()
            .all(|value| value.value.line.is_some())
    );
}

const MANY: &str = r#"
import static org.junit.Assert.*;
import org.junit.*;
public class Many {
    static boolean a, b, c;
    static int seen;
    @After public void after() { if (a && b) throw new IllegalStateException("after"); }
    @Test public void sums() { seen += 1; assertEquals("sum", 1, seen + (a ? 1 : 0) + (b && c ? 2 : 0)); }
    @Test(expected = ArithmeticException.class) public void throwsSometimes() { seen += 1; int x = 1 / (a ? 0 : c ? 0 : seen); }
    @Test public void caughtByClass() {
        int found = 0;
        try { if (a) throw new IllegalStateException("s"); if (b) throw new IllegalArgumentException("g"); if (c) throw new Error("e"); }
        catch (IllegalStateException | IllegalArgumentException e) { found = e.getMessage().length(); }
        assertEquals(c && !a && !b ? 0 : found, found);
    }
    @Test public void always() { assertEquals(0, seen); }
}
"#;

#[test]
fn tests_on_several_threads_end_as_on_one_and_in_the_same_order() {
    let jars = braid_subjects::junit4();
    let folder = compile("Many", MANY, &jars);
    let mut vary = vary(folder.path(), "Many", &["a", "b", "c"]);
    vary.classpath.extend(jars);
    let classes = ["Many", "Missing", "Many"].map(str::to_owned);
    let one = vary.run_tests(&classes).expect("runs");
    vary.threads = 3;
    let mut shown = Vec::new();
    let three = vary.each_test(&classes, |_| true, |test| shown.push(test.name.clone()));
    let three = three.expect("runs");
    let text =
        |report: &braid_vvm::vary::TestsReport| format!("{:?}", (&report.tests, &report.problems));
    assert_eq!(one.tests.len(), 8);
    assert_eq!(text(&one), text(&three));
    let names: Vec<_> = one.tests.iter().map(|test| test.name.clone()).collect();
    assert_eq!(names, shown);
}

const LOOPS: &str = r#"
import org.junit.*;
public class Loops {
    static boolean slow, stuck, late;
    static int run(int n) { int sum = 0; for (int i = 0; i < n; i++) sum += i % 7; return sum; }
    @Test public void little() { run(100); }
    @Test public void needsMoreThanTheLeast() { Assert.assertTrue(run(60_000) > 0); }
    @Test public void slowWithAnOption() { run(slow ? 80_000 : 8_000); }
    @Test public void slowAtOnceAndLongAfterwards() { if (slow) run(90_000); run(40_000); Assert.assertFalse(late && slow); }
    @Test public void endlessAtOnce() { while (stuck) run(1); run(20_000); }
    @Test public void endlessLate() { run(20_000); while (stuck && late) run(1); Assert.assertFalse(late); }
    @Test public void endlessInACall() { for (int i = 0; i < 100; i++) { run(100); if (i == 50) block(); } }
    static void block() { while (stuck) if (late) throw new IllegalStateException("late"); }
    @Test public void thrownAndCaught() {
        int n = 0;
        for (int i = 0; i < 3_000; i++)
            try { if (slow && i % 2 == 0) throw new IllegalStateException(); run(late ? 3 : 10); }
            catch (IllegalStateException e) { n++; }
        Assert.assertEquals(0, n);
    }
}
"#;

#[test]
fn fuel_granted_on_the_way_gives_the_outcomes_of_a_bound_known_before() {
    let jars = braid_subjects::junit4();
    let folder = compile("Loops", LOOPS, &jars);
    let mut vary = vary(folder.path(), "Loops", &["slow", "stuck", "late"]);
    vary.classpath.extend(jars);
    vary.fuel_factor = Some(5);
    let classes = ["Loops".to_owned()];
    let granted = vary.run_tests(&classes).expect("runs");
    vary.baseline_first = true;
    let known = vary.run_tests(&classes).expect("runs");
    assert_eq!(format!("{:?}", granted.tests), format!("{:?}", known.tests));
    let endless = |test: &braid_vvm::vary::TestReport| {
        let outcomes = test.outcomes.iter();
        let endless = outcomes.filter(|outcome| outcome.value == Outcome::Endless);
        let formulas: Vec<String> = endless
            .map(|outcome| outcome.when.formula.clone())
            .collect();
        format!(
            "{} {}",
            test.name.trim_start_matches("Loops#"),
            formulas.join(" ")
        )
    };
    let found: Vec<String> = granted.tests.iter().map(endless).collect();
    let found: Vec<&str> = found.iter().map(|line| line.trim()).collect();
    assert_eq!(
        found,
        [
            "little",
            "needsMoreThanTheLeast",
            "slowWithAnOption slow",
            "slowAtOnceAndLongAfterwards",
            "endlessAtOnce stuck",
            "endlessLate stuck & late",
            "endlessInACall stuck & !late",
            "thrownAndCaught",
        ]
    );
}

#[test]
fn what_a_condition_depends_on_is_what_its_formula_names() {
    let folder = compile("Ends", ENDS, &[]);
    let mut vary = vary(folder.path(), "Ends", &["a", "b", "c"]);
    vary.limits.fuel = 100_000;
    vary.degree = Some(2);
    let report = vary.run_main("Ends", &[]).expect("runs");
    assert!(report.ends.len() > 3);
    for end in &report.ends {
        let words = end.when.formula.split(|c: char| " !()&|".contains(c));
        let mut named: Vec<&str> = words.filter(|word| !word.is_empty()).collect();
        named.sort_unstable();
        named.dedup();
        assert_eq!(end.when.interacting, named, "{}", end.when.formula);
    }
}
