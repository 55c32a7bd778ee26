//! Patches that a quick way of compiling many at once gets wrong unless it takes care.
//!
//! Each has the road that it must take, and must come out as from a fresh javac: a task of its own
//! in another JVM, and a fresh JVM for a part of them, or for all with `BRAID_SWEEP=full`.

#[allow(unused, reason = "shared with other tests")]
mod support;

use std::fs;
use std::path::Path;

use braid_compile::{
    BatchOutcome, Batched, Changes, PatchOutcome, Plain, Setup, Tool, Warm, Way, compile_patch,
};
use support::{Fixture, compare, compile_each, sweep, tool, tool_of};

const K: &str = include_str!("hostile/K.java");
const OLD: &str = include_str!("hostile/Old.java");
const USER: &str = "package p;\nclass User { int use(K k) { return k.plain(1); } }\n";

/// The road that a patch must take.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Road {
    /// With the others.
    Bulk,
    /// Alone, for a reason that contains this.
    Alone(&'static str),
}
use Road::{Alone, Bulk};

const BODIES: Road = Alone("outside of method bodies");
const PLAIN: &str = "return a + 1;";

/// A name, the edits (from, to) of `K.java`, and the road.
type Case = (&'static str, &'static [(&'static str, &'static str)], Road);

const CASES: &[Case] = &[
    ("a body", &[(PLAIN, "return a + 2;")], Bulk),
    ("an error", &[(PLAIN, "return a + b;")], Bulk),
    (
        "more lines",
        &[(PLAIN, "\n\n\nint b = a;\n\n\treturn b + c;")],
        Bulk,
    ),
    (
        "braces in text and comments",
        &[(
            PLAIN,
            "String s = \"}{\"; /* } */ // }\n        return '}';",
        )],
        Bulk,
    ),
    ("a comment is opened", &[(PLAIN, "/* return a + 1;")], Bulk),
    (
        "a comment swallows the next and it compiles",
        &[(PLAIN, "return a + 1; } /*")],
        Alone("parses only in its file"),
    ),
    (
        "the method is closed and another opened",
        &[(PLAIN, "return a; } int extra() { return 1;")],
        Alone("not one method"),
    ),
    (
        "the same by an escape",
        &[(PLAIN, "return a; \\u007d int extra() { return 1;")],
        Alone("not one method"),
    ),
    (
        "a field is added",
        &[(PLAIN, "return a; } int more; int extra() { return 1;")],
        Alone("not one method"),
    ),
    (
        "a class is added",
        &[(PLAIN, "return a; } class More { } int extra() { return 1;")],
        Alone("not one method"),
    ),
    (
        "an initialiser is added",
        &[(PLAIN, "return a; } { field = 3; } int extra() { return 1;")],
        Alone("not one method"),
    ),
    ("a brace too many", &[(PLAIN, "return a + 1; }")], Bulk),
    (
        "a brace too few",
        &[(PLAIN, "if (a > 1) { return a + 1;")],
        Bulk,
    ),
    (
        "a brace too few before a comment and a modifier",
        &[(
            "return \"\u{fc}\" + size;",
            "if (size > 1) {\n return null;",
        )],
        Bulk,
    ),
    (
        "two braces too few before a modifier",
        &[(
            "return \"\u{fc}\" + size;",
            "if (size > 1) { while (true) {\n return null;",
        )],
        Bulk,
    ),
    (
        "a brace too few before an annotation",
        &[("this(1);", "this(1); if (size > 1) {")],
        Bulk,
    ),
    (
        "a brace too few in an enum",
        &[("return 9;", "if (ordinal() > 1) { return 9;")],
        Bulk,
    ),
    (
        "an error before a brace too few",
        &[(
            "return \"\u{fc}\" + size;",
            "int x = ; if (size > 1) {\n return null;",
        )],
        Bulk,
    ),
    ("no semicolon", &[(PLAIN, "return a + 1")], Bulk),
    (
        "an unclosed string",
        &[(PLAIN, "String s = \"abc; return a;")],
        Bulk,
    ),
    (
        "an unclosed string that hides the last brace",
        &[("return 11; }", "return \"11; }")],
        Bulk,
    ),
    (
        "an unclosed string on the line of the next method",
        &[("return 3;", "return \"3;")],
        Bulk,
    ),
    (
        "an unclosed character",
        &[(PLAIN, "char c = 'a; return a;")],
        Bulk,
    ),
    (
        "an unclosed text block",
        &[(PLAIN, "String s = \"\"\"\n abc; return a;")],
        Bulk,
    ),
    (
        "a text block",
        &[(PLAIN, "String s = \"\"\"\n  }}}\n  \"\"\"; return a;")],
        Bulk,
    ),
    (
        "a lost brace of the last method",
        &[("return 11; }", "return 11;")],
        Bulk,
    ),
    (
        "throws",
        &[("int plain(int a)", "int plain(int a) throws Exception")],
        BODIES,
    ),
    (
        "another result",
        &[("public int plain(int a)", "public long plain(int a)")],
        BODIES,
    ),
    (
        "another parameter",
        &[("int plain(int a)", "int plain(Integer a)")],
        BODIES,
    ),
    (
        "another parameter and body",
        &[
            ("int plain(int a)", "int plain(int b)"),
            (PLAIN, "return b;"),
        ],
        BODIES,
    ),
    (
        "static",
        &[("public int plain", "public static int plain")],
        BODIES,
    ),
    ("no override", &[("    @Override\n", "")], BODIES),
    (
        "a wrong override",
        &[("    /** Doc. */", "    @Override")],
        BODIES,
    ),
    (
        "private",
        &[("public int plain", "private int plain")],
        BODIES,
    ),
    (
        "an import",
        &[("import java.util.List;", "import java.util.*;")],
        BODIES,
    ),
    (
        "a class header",
        &[(
            "public class K",
            "public class K implements java.io.Serializable",
        )],
        BODIES,
    ),
    (
        "a constructor",
        &[("this.size = size;", "this.size = size + 1;")],
        Alone("a constructor"),
    ),
    (
        "a constructor that forgets a field",
        &[("this.size = size;", "")],
        Alone("a constructor"),
    ),
    (
        "a constructor with this",
        &[("this(1);", "this(2);")],
        Alone("a constructor"),
    ),
    (
        "a constructor with a lambda",
        &[(
            "this.size = size;",
            "this.size = size; inField = () -> { };",
        )],
        Alone("a constructor"),
    ),
    (
        "a constructor that does not parse",
        &[("this.size = size;", "this.size = ;")],
        Bulk,
    ),
    (
        "a field's value",
        &[("int field = 1", "int field = 5")],
        BODIES,
    ),
    (
        "a static initialiser",
        &[("static { total = 1; }", "static { total = 2; }")],
        BODIES,
    ),
    (
        "an initialiser",
        &[("{ field = 2; }", "{ field = 3; }")],
        BODIES,
    ),
    (
        "an anonymous class in a field",
        &[("System.gc();", "System.gc(); System.gc();")],
        BODIES,
    ),
    (
        "a new anonymous class",
        &[(PLAIN, "return new Object() { int v() { return a; } }.v();")],
        Bulk,
    ),
    (
        "an anonymous class changed",
        &[(
            "int v() { return 1; } }.v()",
            "int v() { return size; } }.v()",
        )],
        Bulk,
    ),
    (
        "an error in an anonymous class",
        &[("int v() { return 1; } }.v()", "int v() { } }.v()")],
        Bulk,
    ),
    (
        "a local class",
        &[(
            PLAIN,
            "class L { int x = a; class M { int y = x; } } return new L().new M().y;",
        )],
        Bulk,
    ),
    (
        "members of a local class that are named first",
        &[(
            PLAIN,
            "class L { int x = a; class M { class N { int y = x; } } M.N n() { return new M().new N(); } } L.M.N n = new L().n(); return n.y;",
        )],
        Bulk,
    ),
    (
        "a member of an anonymous class",
        &[(
            PLAIN,
            "return new Object() { class M { int y = a; } int v() { return new M().y; } }.v();",
        )],
        Bulk,
    ),
    (
        "a local enum",
        &[(
            PLAIN,
            "enum L { X { int v() { return 2; } }; int v() { return 1; } } return L.X.v();",
        )],
        Bulk,
    ),
    (
        "a local record",
        &[(PLAIN, "record L(int x) { } return new L(a).x();")],
        Bulk,
    ),
    (
        "a class in a lambda",
        &[(
            PLAIN,
            "IntSupplier s = () -> new Object() { int v() { return a; } }.v(); return s.getAsInt();",
        )],
        Bulk,
    ),
    (
        "lambdas in lambdas",
        &[(
            PLAIN,
            "IntSupplier s = () -> { IntSupplier t = () -> a + size; return t.getAsInt(); }; return s.getAsInt();",
        )],
        Bulk,
    ),
    (
        "a method reference",
        &[(
            PLAIN,
            "IntSupplier s = this::recursion; return s.getAsInt();",
        )],
        Bulk,
    ),
    (
        "a lambda changed",
        &[("() -> size", "() -> size + 1")],
        Bulk,
    ),
    (
        "a serialisable lambda",
        &[(
            PLAIN,
            "Runnable r = (Runnable & java.io.Serializable) () -> { }; return a;",
        )],
        Alone("serialisable"),
    ),
    (
        "another patch's copy",
        &[(PLAIN, "return plain$b0123456789abcdefx0(a);")],
        Bulk,
    ),
    (
        "overloads",
        &[(PLAIN, "return over(null) + over((Object) null);")],
        Bulk,
    ),
    ("no such overload", &[(PLAIN, "return over(1, 2);")], Bulk),
    (
        "ambiguous overloads",
        &[(PLAIN, "return twins(null);")],
        Bulk,
    ),
    (
        "recursion",
        &[(
            "recursion() { return 1; }",
            "recursion() { return recursion() + recursion(1); }",
        )],
        Bulk,
    ),
    (
        "a duplicate variable",
        &[(PLAIN, "int a = 1; return a;")],
        Bulk,
    ),
    (
        "a type variable in the message",
        &[("return list.get(0);", "return \"text\";")],
        Bulk,
    ),
    (
        "a varargs method",
        &[("return ts.length;", "return ts.length + 1;")],
        Bulk,
    ),
    ("a synchronized method", &[("return 7;", "return 8;")], Bulk),
    (
        "an exception that is declared",
        &[(
            "throw new java.io.IOException(\"x\");",
            "throw new java.io.FileNotFoundException(\"x\");",
        )],
        Bulk,
    ),
    (
        "an exception that is not",
        &[(
            "throw new java.io.IOException(\"x\");",
            "throw new Exception(\"x\");",
        )],
        Bulk,
    ),
    (
        "two phases",
        &[(PLAIN, "int b; int c = b; String s = 1; return c;")],
        Bulk,
    ),
    ("flow alone", &[(PLAIN, "int b; return b;")], Bulk),
    ("unreachable", &[(PLAIN, "return a; a++;")], Bulk),
    (
        "the first assertion",
        &[(PLAIN, "assert a > 1; return a;")],
        Alone("assertion"),
    ),
    (
        "an assertion beside one that is left out",
        &[("return 12;", "assert K.total > 1; return 12;")],
        Alone("assertion"),
    ),
    (
        "another assertion",
        &[("assert K.total > 0;", "assert false : 1;")],
        Bulk,
    ),
    (
        "a switch over an enum",
        &[("case A: return 1;", "case B: return 1;")],
        Alone("share"),
    ),
    (
        "an enum's method",
        &[("return 9;", "return ordinal();")],
        Bulk,
    ),
    (
        "a constant's method",
        &[("return 10;", "return 12;")],
        BODIES,
    ),
    (
        "a default method",
        &[("return 5;", "return 6 + s();")],
        Bulk,
    ),
    (
        "a static method of an interface",
        &[("return 6;", "return d();")],
        Bulk,
    ),
    (
        "a record's method",
        &[("return 2 * x;", "return 3 * x();")],
        Bulk,
    ),
    (
        "a compact constructor",
        &[("if (x < 0)", "if (x < 1)")],
        Alone("a constructor"),
    ),
    (
        "a nested class",
        &[("return secret;", "return secret + total;")],
        Bulk,
    ),
    (
        "an inner class",
        &[("return size + 1;", "return K.this.size + field;")],
        Bulk,
    ),
    (
        "a private member",
        &[("return n.secret;", "return n.secret + 1;")],
        Bulk,
    ),
    (
        "two on one line",
        &[("return 3;", "return 3 + \"\";")],
        Bulk,
    ),
    (
        "two methods",
        &[(PLAIN, "return a;"), ("return 7;", "return 8;")],
        Bulk,
    ),
    (
        "two methods, one bad",
        &[(PLAIN, "return a;"), ("return 7;", "return x;")],
        Bulk,
    ),
    (
        "two methods, both bad",
        &[(PLAIN, "return \"\";"), ("return 7;", "return x;")],
        Alone("several"),
    ),
    (
        "two methods, two phases",
        &[(PLAIN, "int b; return b;"), ("return 7;", "return x;")],
        Alone("several"),
    ),
    (
        "two methods, a constructor",
        &[(PLAIN, "return a;"), ("this(1);", "this(3);")],
        Alone("a constructor"),
    ),
    (
        "a letter of two bytes",
        &[("\"\u{fc}\"", "\"\u{fc}\u{1f600}\" + x")],
        Bulk,
    ),
    (
        "a comment outside",
        &[("/** Doc. */", "/** Doc! */"), (PLAIN, "return a + 3;")],
        Bulk,
    ),
    (
        "comments outside and an error",
        &[
            ("/** Doc. */", "/**\n * { \"\n */ // }"),
            (PLAIN, "return b;"),
        ],
        Bulk,
    ),
    ("only a comment", &[("/** Doc. */", "")], Alone("no change")),
    (
        "white space outside",
        &[
            ("int plain(int a)", "int  plain( int a)"),
            (PLAIN, "return a;"),
        ],
        BODIES,
    ),
    (
        "white space in a literal",
        &[("\"a  b\"", "\"a b\"")],
        BODIES,
    ),
    ("a long expression", &[], Alone("too deep")),
    ("deep parentheses", &[], Alone("too deep")),
    ("very deep parentheses", &[], Alone("too deep")),
    ("a method too long", &[], Alone("cannot be generated")),
    ("a string too long", &[], Alone("cannot be generated")),
    ("too many locals", &[], Alone("cannot be generated")),
];

/// Bodies too long to be written down.
fn long_body(name: &str) -> String {
    match name {
        "a long expression" => format!("return a{};", " - a".repeat(400)),
        "deep parentheses" => format!("return {}a{};", "(".repeat(350), ")".repeat(350)),
        "very deep parentheses" => format!("return {}a{};", "(".repeat(9000), ")".repeat(9000)),
        "a method too long" => format!("{} return a;", "total = a * 70000;\n".repeat(12000)),
        "a string too long" => format!("String s = \"{}\"; return a;", "x".repeat(66000)),
        "too many locals" => {
            let locals = (0..33000).map(|n| format!("long v{n};"));
            format!("{} return a;", locals.collect::<String>())
        }
        _ => panic!("{name} is not known"),
    }
}

fn patch(fixture: &Fixture, (name, edits, _): &Case) -> Changes {
    if edits.is_empty() {
        return fixture.edit(&[("p/K.java", PLAIN, &long_body(name))]);
    }
    let edits: Vec<_> = edits
        .iter()
        .map(|(from, to)| ("p/K.java", *from, *to))
        .collect();
    fixture.edit(&edits)
}

fn check_road(name: &str, road: Road, batched: &Batched) {
    match (road, &batched.alone) {
        (Bulk, None) => {}
        (Alone(expected), Some(reason)) if reason.contains(expected) => {}
        (road, alone) => panic!("{name}: expected {road:?}, but {alone:?}"),
    }
}

#[test]
fn each_takes_its_road_and_comes_out_as_from_a_fresh_javac_both_ways() {
    let fixture = Fixture::new(&[("p/K.java", K), ("p/User.java", USER)]);
    let patches: Vec<Changes> = CASES.iter().map(|case| patch(&fixture, case)).collect();
    let alone = compile_each(&tool(), &fixture.module, &patches, sweep(48, 16, 1));
    let mut warm = Warm::start(tool()).unwrap();
    warm.warm_up().unwrap();
    for way in [Way::Inside, Way::Outside] {
        let all = warm
            .compile_patches(&fixture.module, &patches, way)
            .unwrap();
        for ((case, batched), alone) in CASES.iter().zip(&all).zip(&alone) {
            check_road(case.0, case.2, batched);
            if way == Way::Inside {
                compare::same(case.0, &fixture.module, batched, alone);
            } else {
                compare::same_verdict(case.0, batched, alone);
            }
        }
    }
}

#[test]
fn other_jdks_and_line_ends_give_the_same() {
    let newest = braid_subjects::jdks().pop().unwrap();
    let tool = tool_of(&newest);
    let text = K.replace('\n', "\r\n").replace("    ", "\t");
    let setup = Setup {
        javac_args: vec!["-parameters".into()],
        ..Setup::default()
    };
    let fixture = Fixture::with(&tool, setup, &[("p/K.java", &text), ("p/User.java", USER)]);
    let fits = |(from, _): &(&str, &str)| !from.contains('\n') && text.contains(from);
    let patches: Vec<Changes> = CASES
        .iter()
        .filter(|case| case.1.iter().all(fits))
        .filter(|case| !case.1.is_empty() || sweep(0, 0, 1) == 1)
        .step_by(sweep(3, 1, 1))
        .map(|case| patch(&fixture, case))
        .collect();
    let alone = compile_each(&tool, &fixture.module, &patches, sweep(200, 50, 4));
    compare_all(&tool, &fixture, &patches, &alone);
}

/// Compiles patches together and compares with each compiled alone.
fn compare_all(
    tool: &Tool,
    fixture: &Fixture,
    patches: &[Changes],
    alone: &[PatchOutcome],
) -> Vec<Batched> {
    let mut warm = Warm::start(tool.clone()).unwrap();
    let all = warm
        .compile_patches(&fixture.module, patches, Way::Inside)
        .unwrap();
    for (at, (batched, alone)) in all.iter().zip(alone).enumerate() {
        let name = format!("{at} {:?}", batched.alone);
        compare::same(&name, &fixture.module, batched, alone);
    }
    all
}

/// What code needs of other classes: edits (from, to) of `Old.java`, the road of a build for Java 8, and that of one
/// for the newest JDK.
const SHARING: &[(&str, &str, Road, Road)] = &[
    ("return secret;", "return secret + 1;", Bulk, Bulk),
    (
        "return 2;",
        "return s() + ((IntSupplier) () -> d()).getAsInt();",
        Bulk,
        Bulk,
    ),
    ("return 3;", "return 3 + x;", Bulk, Bulk),
    ("return n.secret;", "return n.secret + 1;", MEMBER, Bulk),
    (FOUR, "return new N().secret;", MEMBER, Bulk),
    (FOUR, "return new N(3).get();", Bulk, Bulk),
    (FOUR, "return new N(3L).get();", CONSTRUCTOR, Bulk),
    (
        FOUR,
        "return new N(3) { }.get();",
        Alone("name the unpatched file uses"),
        Bulk,
    ),
    (FOUR, "return new N(3L) { }.get();", CONSTRUCTOR, Bulk),
    (
        FOUR,
        "IntFunction<N> f = N::new; return f.apply(1).get();",
        Bulk,
        Bulk,
    ),
    (
        FOUR,
        "java.util.function.LongFunction<N> f = N::new; return f.apply(1).get();",
        CONSTRUCTOR,
        Bulk,
    ),
    (FOUR, "return new Hidden().get();", CONSTRUCTOR, Bulk),
    ("return new N(1);", "return new N(1L);", CONSTRUCTOR, Bulk),
    (
        FOUR,
        "class L { private L() { } } return new L().hashCode();",
        Bulk,
        Bulk,
    ),
    (
        FOUR,
        "return new Object() { int v() { return plain(); } }.v();",
        Bulk,
        Bulk,
    ),
    (
        FOUR,
        "return new Object() { int v() { return hidden; } }.v();",
        MEMBER,
        Bulk,
    ),
    (
        FOUR,
        "IntSupplier s = () -> super.hashCode(); return s.getAsInt();",
        Bulk,
        Bulk,
    ),
    (
        FOUR,
        "Object o = new Object() { Object c() throws Exception { return Old.this.clone(); } }; return 1;",
        MEMBER,
        MEMBER,
    ),
    (
        "return 5;",
        "return hidden;",
        MEMBER,
        Alone("object around"),
    ),
    ("return 5;", "return seen;", Bulk, Alone("object around")),
    (
        "return 5;",
        "return new Object() { int w() { return seen; } }.w();",
        Bulk,
        Alone("object around"),
    ),
    (
        "return 5;",
        "return Old.super.hashCode();",
        MEMBER,
        Alone(""),
    ),
    ("return seen + 50;", "return plain();", Bulk, Bulk),
    ("return seen + 50;", "return 1;", Bulk, LAST),
    ("return n.secret;", "return 1;", LAST, Bulk),
    ("return new N(1);", "return null;", LAST, Bulk),
    ("assert get() > 2;", "", LAST, LAST),
    ("assert get() > 2;", "assert get() > 3;", Bulk, Bulk),
    ("case A:", "case B:", Alone("share"), Bulk),
    (
        "switch (e) {\n            case A:",
        "switch (1) {\n            case 2:",
        LAST,
        Bulk,
    ),
    (
        FOUR,
        "switch (Thread.State.NEW) { case NEW: return 1; default: return 2; }",
        Alone("share"),
        Alone("share"),
    ),
    ("return hidden + 1;", "return 1;", LAST, Bulk),
    (
        FOUR,
        "Comparator<Old> c = Old::compareTo; return c.compare(this, this);",
        Bulk,
        Bulk,
    ),
    (
        FOUR,
        "Comparable raw = this; return raw.compareTo(this) + compareTo(this);",
        Bulk,
        Bulk,
    ),
    (
        FOUR,
        "switch (E.A) { case A: return 1; default: return 2; }",
        Alone("share"),
        Bulk,
    ),
    (
        FOUR,
        "assert seen > 1; return 1;",
        Alone("assertion"),
        Alone("assertion"),
    ),
    (
        "return 2;",
        "assert s() > 1; return 1;",
        Alone("assertion"),
        Alone("assertion"),
    ),
    (
        FOUR,
        "class L { int v() { assert seen > 1; return 1; } } return new L().v();",
        Alone("assertion"),
        Alone("assertion"),
    ),
    // Alone, the class becomes the number 1 of the file, which marks constructors of others.
    (
        "return 13;",
        "return new Object() { int q = 1; int w() { return q; } }.w();",
        Bulk,
        Bulk,
    ),
    (FOUR, "var x = 1; return x;", Bulk, Bulk),
    (FOUR, "return \"\".isBlank() ? 1 : 2;", Bulk, Bulk),
    (FOUR, "return java.util.List.of(1).size();", Bulk, Bulk),
    (FOUR, "return switch (1) { default -> 2; };", Bulk, Bulk),
];

const LAST: Road = Alone("the last use");
const FOUR: &str = "return 4;";
const MEMBER: Road = Alone("private members");
const CONSTRUCTOR: Road = Alone("private constructor");

/// Compiles all that shares something together, then each alone, and compares.
fn check_sharing(tool: &Tool, javac_args: &[&str], road: fn(Road, Road) -> Road) {
    let setup = Setup {
        javac_args: javac_args.iter().map(|arg| (*arg).into()).collect(),
        ..Setup::default()
    };
    let fixture = Fixture::with(tool, setup, &[("p/Old.java", OLD)]);
    let patches: Vec<Changes> = SHARING
        .iter()
        .map(|(from, to, ..)| fixture.edit(&[("p/Old.java", from, to)]))
        .collect();
    let alone = compile_each(tool, &fixture.module, &patches, sweep(40, 20, 1));
    let all = compare_all(tool, &fixture, &patches, &alone);
    for (case, batched) in SHARING.iter().zip(&all) {
        check_road(case.1, road(case.2, case.3), batched);
    }
}

#[test]
fn what_classes_share_in_a_build_for_java_8_is_there() {
    check_sharing(&tool(), &["--release", "8", "-g"], |java_8, _| java_8);
}

#[test]
fn what_classes_share_in_the_newest_jdk_is_there() {
    let newest = braid_subjects::jdks().pop().unwrap();
    check_sharing(&tool_of(&newest), &[], |_, newest| newest);
}

#[test]
fn a_missing_class_file_is_told_to_everyone_who_needs_it() {
    let fixture = Fixture::new(&[
        ("p/Base.java", "package p;\npublic class Base { }\n"),
        (
            "p/Mid.java",
            "package p;\npublic class Mid extends Base { public int m() { return 1; } }\n",
        ),
        (
            "p/Use.java",
            "package p;\nclass Use {\n  int f() { return 1; }\n  int g() { return 2; }\n  int h() { return 3; }\n}\n",
        ),
    ]);
    fs::remove_file(fixture.module.classes.join("p/Base.class")).unwrap();
    let edits = [
        ("return 1", "return new Mid().m()"),
        ("return 2", "return new Mid().m()"),
        ("return 3", "return 4"),
        ("return 3", "Mid m = null; return m.m()"),
        ("return 3", "return \"\""),
    ];
    let patches: Vec<Changes> = edits
        .iter()
        .map(|(from, to)| fixture.edit(&[("p/Use.java", *from, *to)]))
        .collect();
    let mut warm = Warm::start(tool()).unwrap();
    let all = warm
        .compile_patches(&fixture.module, &patches, Way::Inside)
        .unwrap();
    for ((changes, batched), edit) in patches.iter().zip(&all).zip(&edits) {
        let expected = compile_patch(&mut warm, &fixture.module, changes).unwrap();
        compare::same(edit.1, &fixture.module, batched, &expected);
    }
}

#[test]
fn a_file_that_cannot_be_compiled_unpatched_sends_its_patches_alone() {
    let fixture = Fixture::new(&[
        ("p/Gone.java", "package p;\npublic class Gone { }\n"),
        (
            "p/Use.java",
            "package p;\nclass Use {\n  Gone gone;\n  int f() { return 1; }\n}\n",
        ),
    ]);
    fs::remove_file(fixture.module.classes.join("p/Gone.class")).unwrap();
    let edits = ["return 2", "return x", "return 3", "return 4"];
    let patches = edits.map(|to| fixture.edit(&[("p/Use.java", "return 1", to)]));
    let mut warm = Warm::start(tool()).unwrap();
    let all = warm
        .compile_patches(&fixture.module, &patches, Way::Inside)
        .unwrap();
    for (changes, batched) in patches.iter().zip(&all) {
        let expected = compile_patch(&mut warm, &fixture.module, changes).unwrap();
        assert!(batched.alone.is_some());
        compare::same("a missing field type", &fixture.module, batched, &expected);
    }
}

#[test]
fn copies_with_too_many_constants_for_one_class_are_parted() {
    let fixture = Fixture::new(&[(
        "p/A.java",
        "package p;\nclass A { int f() { return 1; } }\n",
    )]);
    let patch = |n: usize| {
        let texts = (0..40).map(|k| format!("String s{k} = \"{n}-{k}\";"));
        let body = format!("{} return {n};", texts.collect::<String>());
        fixture.edit(&[("p/A.java", "return 1;", &body)])
    };
    let patches: Vec<Changes> = (0..900).map(patch).collect();
    let mut warm = Warm::start(tool()).unwrap();
    let all = warm
        .compile_patches(&fixture.module, &patches, Way::Inside)
        .unwrap();
    let copies = |batched: &Batched| matches!(&batched.outcome, BatchOutcome::Copies(_));
    assert!(
        all.iter().all(copies),
        "36,000 strings fit into no class file"
    );
    let expected = compile_patch(&mut warm, &fixture.module, &patches[850]).unwrap();
    compare::same("the last but some", &fixture.module, &all[850], &expected);
}

#[test]
fn files_and_bytes_of_every_kind_are_taken() {
    let fixture = Fixture::new(&[
        (
            "p/A.java",
            "package p;\nclass A { int f() { return 1; } }\n",
        ),
        (
            "p/B.java",
            "package p;\nclass B { int g() { return new A().f(); } }\n",
        ),
    ]);
    let (a, b) = (fixture.path("p/A.java"), fixture.path("p/B.java"));
    let mut gone = Changes::default();
    gone.deleted.insert(a.clone());
    let text = |path: &Path| fs::read_to_string(path).unwrap();
    let mut two = Changes::write(&a, text(&a).replace("1", "2"));
    two.written
        .insert(b.clone(), text(&b).replace("f()", "f() + 1").into_bytes());
    let mut two_bad = Changes::write(&a, text(&a).replace("1;", "2"));
    two_bad.written.insert(
        b.clone(),
        text(&b).replace("return", "retrun x").into_bytes(),
    );
    let mut mixed = Changes::write(&a, text(&a).replace("1;", "2"));
    mixed
        .written
        .insert(b.clone(), text(&b).replace("f()", "f(x)").into_bytes());
    let patches = [
        Changes::default(),
        gone,
        two,
        two_bad,
        mixed,
        Changes::write(fixture.path("p/C.java"), "package p;\nclass C { A a; }\n"),
        Changes::write(
            &a,
            b"package p;\nclass A { int f() { return '\xff'; } }\n".to_vec(),
        ),
        Changes::write(&a, ""),
        Changes::write(&a, "\u{0}"),
        Changes::write(&a, text(&a).replace('\n', "\r\n")),
        Changes::write(&a, text(&a).trim_end()),
        Changes::write(
            fixture.dir.path().join("README.java"),
            "no source of the module",
        ),
    ];
    let alone = compile_each(&tool(), &fixture.module, &patches, sweep(6, 3, 1));
    compare_all(&tool(), &fixture, &patches, &alone);
}

#[test]
fn what_a_build_adds_to_javac_sends_every_patch_alone() {
    let text = "package p;\nclass A { int f() { return 1; } }\n";
    let setup = Setup {
        javac_args: ["-Werror", "-Xlint:all"].map(String::from).to_vec(),
        ..Setup::default()
    };
    let fixture = Fixture::with(&tool(), setup, &[("p/A.java", text)]);
    let warned = fixture.edit(&[("p/A.java", "return 1", "java.util.List l = null; return 1")]);
    let mut warm = Warm::start(tool()).unwrap();
    let patches = [warned];
    let all = warm
        .compile_patches(&fixture.module, &patches, Way::Inside)
        .unwrap();
    let expected = compile_patch(&mut Plain::new(tool()), &fixture.module, &patches[0]).unwrap();
    assert!(matches!(all[0].outcome, BatchOutcome::Errors(_)));
    compare::same(
        "a warning that is an error",
        &fixture.module,
        &all[0],
        &expected,
    );
}
