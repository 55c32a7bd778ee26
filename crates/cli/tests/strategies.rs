//! Every strategy gives every patch the plain strategy's verdict, on every version of Java.

mod common;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use common::Project;
use serde_json::{Value, json};

/// The version of Java that some of the program needs.
const MODERN: u32 = 17;

/// Verdict and first failing test of each patch.
type Judged = BTreeMap<String, (String, String)>;

/// The sources of a program with code of every shape and static state of every kind; of what is written for newer
/// versions of Java only what `java` can run.
fn sources(java: u32) -> Vec<(&'static str, &'static str)> {
    macro_rules! source {
        ($folder:literal, $name:literal) => {
            (
                concat!("src/", $folder, "/java/strands/", $name),
                include_str!(concat!("strands/", $folder, "/", $name)),
            )
        };
    }
    let mut files = vec![
        source!("main", "Shapes.java"),
        source!("main", "State.java"),
        source!("test", "ShapesTest.java"),
        source!("test", "StateTest.java"),
        source!("test", "OrderTest.java"),
        // so that what grows without end is soon at its end
        ("braid.toml", "[run]\nheap-mb = 128\n"),
    ];
    if java >= MODERN {
        files.push(source!("main", "Modern.java"));
        files.push(source!("test", "ModernTest.java"));
    } else {
        let config = "[run]\nheap-mb = 128\n[project]\njavac-args = [\"--release\", \"11\"]\n";
        files.push(("braid.toml", config));
    }
    files
}

/// The program with its patches.
fn strands(java: u32) -> Project {
    let project = Project::plain(&sources(java));
    let patches = include_str!("strands/patches.jsonl").lines();
    let patches = patches.map(|line| serde_json::from_str::<Value>(line).unwrap());
    let patches: Vec<Value> = patches
        .filter(|patch| java >= MODERN || patch["file"] != "Modern")
        .map(|patch| {
            let file = patch["file"].as_str().unwrap();
            json!({"id": patch["id"], "search_replace": [{
                "path": format!("src/main/java/strands/{file}.java"),
                "search": patch["search"],
                "replace": patch["replace"],
            }]})
        })
        .collect();
    project.write_patches("p.jsonl", &patches);
    project
}

/// Judges all patches; also says which of them the strategy decided by itself.
fn judged(project: &Project, strategy: &str, java: Option<&Path>) -> (Judged, BTreeSet<String>) {
    let mut args = vec!["validate", "p.jsonl", "--strategy", strategy, "--no-cache"];
    args.extend(["--timeout", "10x+3s"]);
    if let Some(java) = java {
        args.extend(["--java", java.to_str().unwrap()]);
    }
    project.braid(&args).expect(0);
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let verdicts = project.verdicts(project.runs());
    let own = verdicts
        .iter()
        .filter(|verdict| verdict["decided"]["strategy"] == strategy)
        .map(|verdict| text(&verdict["id"]))
        .collect();
    let judged = verdicts.iter().map(|verdict| {
        let evidence = &verdict["evidence"];
        let failing = text(&evidence["failures"][0]["test"]);
        (text(&verdict["id"]), (text(&verdict["verdict"]), failing))
    });
    (judged.collect(), own)
}

/// The plain strategy's verdicts on the usual JDK.
fn plain() -> &'static Judged {
    static PLAIN: OnceLock<Judged> = OnceLock::new();
    PLAIN.get_or_init(|| judged(&strands(MODERN), "plain", None).0)
}

fn assert_same(plain: &Judged, warm: &Judged, what: &str) {
    let differ: Vec<_> = warm
        .iter()
        .filter(|(id, verdict)| plain.get(*id) != Some(verdict))
        .map(|(id, verdict)| format!("{id}: plain {:?}, {what} {verdict:?}", plain.get(id)))
        .collect();
    assert!(differ.is_empty(), "{}", differ.join("\n"));
}

const SLOW: &str = "package slow;
public class Slow {
    static int next(int x) { return x + 1; }
    static int twice(int x) { return x * 2; }
}
";
const SLOW_TEST: &str = "package slow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class SlowTest {
    @Test @Order(1) void first() { assertEquals(2, Slow.next(1)); }
    @Test @Order(2) void second() throws Exception {
        Thread.sleep(1100);
        assertEquals(3, Slow.next(2));
        assertEquals(4, Slow.twice(2));
    }
    @Test @Order(3) void third() { assertEquals(6, Slow.twice(3)); }
}
";

/// Long tests run only where a patch is confirmed; which test fails first must not depend on that.
#[test]
fn tests_that_take_long_are_not_passed_over() {
    let project = Project::plain(&[
        ("src/main/java/slow/Slow.java", SLOW),
        ("src/test/java/slow/SlowTest.java", SLOW_TEST),
    ]);
    let patch = |id: &str, search: &str, replace: &str| {
        json!({"id": id, "search_replace": [{
            "path": "src/main/java/slow/Slow.java", "search": search, "replace": replace,
        }]})
    };
    project.write_patches(
        "p.jsonl",
        &[
            patch("good", "x + 1", "1 + x"),
            patch("before", "x + 1", "x + 2"),
            patch("only-long", "x + 1", "x == 2 ? 0 : x + 1"),
            patch("only-long-2", "x * 2", "x == 2 ? 0 : x * 2"),
            patch("after", "x * 2", "x == 3 ? 0 : x * 2"),
            patch("long-and-after", "x * 2", "x * 3"),
        ],
    );
    let (plain, _) = judged(&project, "plain", None);
    let first = |id: &str| plain[id].1.rsplit('#').next().unwrap_or_default();
    assert_eq!(plain["good"].0, "plausible");
    assert_eq!(first("before"), "first");
    for id in ["only-long", "only-long-2", "long-and-after"] {
        assert_eq!(first(id), "second", "{id}");
    }
    assert_eq!(first("after"), "third");
    for strategy in ["woven", "hotswap"] {
        let (warm, _) = judged(&project, strategy, None);
        assert_eq!(warm.len(), plain.len());
        assert_same(&plain, &warm, strategy);
    }
}

const DEEP: &str = "package deep;
public class Deep {
    static int down(int n) { return n == 0 ? 0 : down(n - 1) + 1; }
    static boolean even(int n) { return n == 0 || odd(n - 1); }
    static boolean odd(int n) { return n != 0 && even(n - 1); }
    static int built() { return Built.SIZE; }
    static class Built {
        static final int SIZE = build(3);
        static int build(int n) { return n == 0 ? 0 : build(n - 1) + 1; }
    }
}
";
const DEEP_TEST: &str = "package deep;
import static org.junit.jupiter.api.Assertions.assertEquals;
import org.junit.jupiter.api.Test;
class DeepTest {
    @Test void alone() { assertEquals(3, Deep.down(3)); }
    @Test void inTurns() { assertEquals(true, Deep.even(4)); }
    @Test void initialising() { assertEquals(3, Deep.built()); }
    @Test void elsewhere() throws Exception {
        StackOverflowError[] thrown = new StackOverflowError[1];
        Thread other = new Thread(() -> {
            try {
                Deep.down(2);
            } catch (StackOverflowError e) {
                thrown[0] = e;
            }
        });
        other.start();
        other.join();
        if (thrown[0] != null) {
            throw thrown[0];
        }
    }
}
";

/// A stack that runs out is a verdict of a warm JVM if it runs out for certain, and on the test's own thread.
#[test]
fn endless_recursion_needs_no_fresh_jvm() {
    let project = Project::plain(&[
        ("src/main/java/deep/Deep.java", DEEP),
        ("src/test/java/deep/DeepTest.java", DEEP_TEST),
    ]);
    let patch = |id: &str, search: &str, replace: &str| {
        json!({"id": id, "search_replace": [{
            "path": "src/main/java/deep/Deep.java", "search": search, "replace": replace,
        }]})
    };
    let down = "n == 0 ? 0 : down(n - 1) + 1";
    project.write_patches(
        "p.jsonl",
        &[
            patch("alone", down, "n > 2 ? down(n + 1) + 1 : n"),
            patch("in-turns", "n == 0 || odd(n - 1)", "odd(n + 1)"),
            patch("initialising", "build(n - 1) + 1", "build(n + 1) + 1"),
            patch("elsewhere", down, "n == 3 ? 3 : down(n + 4) + 1"),
            patch("deep", down, "n == 5_000 ? 3 : down(n + 1)"),
        ],
    );
    let (plain, _) = judged(&project, "plain", None);
    for (id, (verdict, test)) in &plain {
        let expected = if id == "deep" {
            "plausible"
        } else {
            "test_fail"
        };
        assert_eq!(verdict, expected, "{id}: {test}");
    }
    assert_eq!(plain["elsewhere"].1, "deep.DeepTest#elsewhere");
    for strategy in ["woven", "hotswap"] {
        let (warm, own) = judged(&project, strategy, None);
        assert_same(&plain, &warm, strategy);
        for id in ["alone", "in-turns", "initialising"] {
            assert!(own.contains(id), "{id}, {strategy}");
        }
        assert!(!own.contains("elsewhere"), "{strategy}");
    }
}

const TEXT: &str = r#"package text;
import java.text.ParsePosition;
public class Text {
    private char[] buffer;
    private int size;
    public Text(String text) {
        buffer = text.toCharArray();
        size = buffer.length;
    }
    private void delete(int start, int end) {
        System.arraycopy(buffer, end, buffer, start, size - end);
        size -= end - start;
    }
    public int indexOf(char wanted, int from) {
        for (int i = from; i < size; i++) {
            if (buffer[i] == wanted) { return i; }
        }
        return -1;
    }
    public Text deleteAll(char wanted) {
        int index = indexOf(wanted, 0);
        while (index >= 0) {
            delete(index, index + 1);
            index = indexOf(wanted, index);
        }
        return this;
    }
    public static void seek(CharSequence text, ParsePosition at) {
        while (at.getIndex() < text.length() && Character.isWhitespace(text.charAt(at.getIndex()))) {
            at.setIndex(at.getIndex() + 1);
        }
    }
    public interface Matcher { int match(char[] all, int at); }
    public static class Spaces implements Matcher {
        public int match(char[] all, int at) { return all[at] == ' ' ? 1 : 0; }
    }
    public static String trim(String text, Matcher matcher) {
        char[] all = text.toCharArray();
        StringBuilder out = new StringBuilder();
        for (int at = 0; at < all.length; at++) {
            out.setLength(0);
            at += matcher.match(all, at);
            out.append(all, at, all.length - at);
            if (all[at] != ' ') { break; }
        }
        return out.toString();
    }
    @Override public String toString() { return new String(buffer, 0, size); }
}
"#;
const TEXT_TEST: &str = r#"package text;
import static org.junit.jupiter.api.Assertions.assertEquals;
import java.text.ParsePosition;
import org.junit.jupiter.api.Test;
class TextTest {
    @Test void deletes() { assertEquals("bc", new Text("abaca").deleteAll('a').toString()); }
    @Test void seeks() {
        ParsePosition at = new ParsePosition(0);
        Text.seek("  a", at);
        assertEquals(2, at.getIndex());
    }
    @Test void trims() { assertEquals("a", Text.trim(" a", new Text.Spaces())); }
}
"#;

/// A loop that writes the same again and again is endless; one that gets on, if only by a little, is not.
#[test]
fn endless_loops_that_write_need_no_fresh_jvm() {
    let project = Project::plain(&[
        ("src/main/java/text/Text.java", TEXT),
        ("src/test/java/text/TextTest.java", TEXT_TEST),
    ]);
    let patch = |id: &str, search: &str, replace: &str| {
        json!({"id": id, "search_replace": [{
            "path": "src/main/java/text/Text.java", "search": search, "replace": replace,
        }]})
    };
    let set = "at.setIndex(at.getIndex() + 1);";
    project.write_patches(
        "p.jsonl",
        &[
            patch("deletes-endless", "index + 1)", "index)"),
            patch("seeks-endless", set, "at.setIndex(at.getIndex());"),
            patch("trims-endless", "match(all, at);", "match(all, at) - 1;"),
            patch(
                "seeks-late",
                set,
                "long[] n = {at.getErrorIndex()}; at.setErrorIndex((int) n[0] + 1); \
                 if (n[0] > 20_000_000) { at.setIndex(at.getIndex() + 1); }",
            ),
        ],
    );
    let (plain, _) = judged(&project, "plain", None);
    let (woven, own) = judged(&project, "woven", None);
    assert_same(&plain, &woven, "woven");
    for (id, (verdict, _)) in &plain {
        let is_endless = id.ends_with("-endless");
        let expected = if is_endless { "timeout" } else { "plausible" };
        assert_eq!(verdict, expected, "{id}");
        assert!(own.contains(id) || !is_endless, "{id}");
    }
}

#[test]
fn warm_strategies_give_the_verdicts_of_the_plain_one() {
    let plain = plain();
    for kind in [
        "plausible",
        "test_fail",
        "compile_error",
        "timeout",
        "crash",
    ] {
        assert!(
            plain.values().any(|(verdict, _)| verdict == kind),
            "{kind} in {plain:#?}"
        );
    }
    for (id, (verdict, test)) in plain {
        let ends = |end| id.ends_with(end);
        let expected = ends("-good").then_some("plausible");
        let expected = expected.or_else(|| ends("-bad").then_some("test_fail"));
        if let Some(expected) = expected.or_else(|| ends("-wrong").then_some("compile_error")) {
            assert_eq!(verdict, expected, "{id}: {test}");
        }
    }
    let project = strands(MODERN);
    for strategy in ["woven", "hotswap"] {
        let (warm, own) = judged(&project, strategy, None);
        assert_eq!(warm.len(), plain.len());
        assert_same(plain, &warm, strategy);
        // most of what is not theirs cannot be woven, or is not to be decided in a warm JVM
        assert!(
            own.len() * 5 > plain.len() * 2,
            "{strategy} decided only {} of {}",
            own.len(),
            plain.len()
        );
    }
}

/// All versions of Java here but the usual one.
fn other_javas() -> BTreeMap<u32, PathBuf> {
    let jdks = braid_subjects::jdks().into_iter();
    let jdks = jdks.filter(|home| *home != braid_subjects::jdk());
    let mut javas = braid_subjects::runtimes();
    javas.extend(jdks.filter_map(|home| Some((braid_subjects::version_of(&home)?, home))));
    javas.retain(|version, _| *version >= 11);
    javas
}

/// The tests run on another Java than the one that compiles. In a full sweep the plain strategy does, too.
#[test]
fn woven_verdicts_are_the_same_on_every_java() {
    let full = std::env::var("BRAID_SWEEP").is_ok_and(|sweep| sweep == "full");
    for (version, home) in other_javas() {
        let project = strands(version);
        if full {
            let (there, _) = judged(&project, "plain", Some(&home));
            assert_same(plain(), &there, &format!("plain on {version}"));
        }
        let (warm, own) = judged(&project, "woven", Some(&home));
        assert_same(plain(), &warm, &format!("woven on {version}"));
        let own_len = own.len();
        assert!(
            own_len * 2 > warm.len(),
            "{version}: decided only {own_len}"
        );
    }
}
