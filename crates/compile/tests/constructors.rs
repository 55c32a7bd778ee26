//! Patches of constructors: what they are given by the bulk road is what compiling each alone gives.

#[allow(unused, reason = "shared with other tests")]
mod support;

use braid_compile::{Batched, Changes, Setup, Tool, Warm, Way};
use support::{Fixture, compare, compile_each, sweep, tool, tool_of};

const C: &str = include_str!("constructors/C.java");
const P: &str = include_str!("constructors/P.java");

/// The road that a patch must take: none for the bulk one, or alone for a reason that contains this.
type Road = Option<&'static str>;

const BULK: Road = None;
const ITSELF: Road = Some("calls itself");
const RECORD: Road = Some("a constructor of a record");
const ONE: &str = "this.name = \"one\";";
const NESTED: &str = "this.t = t;\n        }\n\n        @Deprecated";

/// Edits (from, to) of `C.java`, and the road.
const CASES: &[(&str, &str, Road)] = &[
    // Values and statements, on more and on fewer lines: those of initialisers behind it move.
    (ONE, "this.name = \"two\";", BULK),
    (ONE, "\n\n\n        this.name = \"two\" + size;\n", BULK),
    ("        // a comment\n        made += 2;\n", "", BULK),
    (
        ONE,
        "for (int i = 0; i < size; i++) { if (i == 3) { break; } } this.name = \"x\";",
        BULK,
    ),
    (
        ONE,
        "try { read(); } catch (IOException e) { made--; } finally { made++; } name = \"\";",
        BULK,
    ),
    (
        ONE,
        "this.name = make().name; assert size > 1;",
        Some("the first assertion"),
    ),
    // Blank finals.
    (ONE, "", BULK),
    (ONE, "if (size > 1) { this.name = \"x\"; }", BULK),
    (ONE, "this.name = \"x\"; this.name = \"y\";", BULK),
    (ONE, "this.name = \"x\"; this.size = 4;", BULK),
    (ONE, "while (size > made) { this.name = \"x\"; }", BULK),
    (ONE, "String s = this.name; this.name = s;", BULK),
    (
        ONE,
        "Runnable r = () -> { this.name = \"x\"; }; name = \"\";",
        BULK,
    ),
    (ONE, "new C(1).name = \"x\"; name = \"\";", BULK),
    (
        ONE,
        "this.name = \"one\"; before = after; this.big = io;",
        BULK,
    ),
    (ONE, "return;", BULK),
    (ONE, "this.name = \"one\"; return;", BULK),
    (ONE, "this.name = \"one\"; return 1;", BULK),
    (ONE, "throw new IllegalStateException();", BULK),
    // Errors of every phase.
    (ONE, "this.name = 1;", BULK),
    (ONE, "this.nome = \"one\";", BULK),
    (ONE, "int size = 1; this.name = \"one\";", BULK),
    (ONE, "this.name = \"one\"; throw new Exception();", BULK),
    (ONE, "this.name = \"one\"", BULK),
    (ONE, "this.name = \"one\"; }", BULK),
    (
        ONE,
        "this.name = \"one\"; } int more() { return 1;",
        Some("not one method"),
    ),
    (ONE, "this.name = new C(1, 2, 3).name;", BULK),
    (ONE, "this.name = new C(null, null).name;", BULK),
    (
        ONE,
        "this.name = new C((String) null).name + new C('x', null).name;",
        BULK,
    ),
    // Calls of other constructors.
    ("this(1);", "this(2);", BULK),
    ("this(1);", "this(\"x\");", BULK),
    ("this(1);", "this((byte) 3);", BULK),
    ("this(1);", "this();", ITSELF),
    ("this(1);", "this(1, 2, 3);", BULK),
    ("this(1);", "this(size);", BULK),
    ("this(1);", "this(size());", BULK),
    ("this(1);", "size = 1; name = \"\";", BULK),
    ("this(1);", "", BULK),
    ("this(1);", "this(1); name = \"x\";", BULK),
    (
        "this(1);",
        "this(made > 1 ? 3 : 4);\n        made = 3;",
        BULK,
    ),
    ("this(1);", "made++; this(1);", BULK),
    ("this(1);", "this(1); this(2);", BULK),
    ("super(name);", "this();", BULK),
    ("super(name);", "", BULK),
    (
        "super(name);",
        "super(name == null ? \"none\" : name);",
        BULK,
    ),
    ("super(name);", "super(1);", BULK),
    ("super(name);", "super(1, 2);", BULK),
    ("super(name);", "super(this.name);", BULK),
    ("this((long) b, \"byte\");", "this();", BULK),
    ("this((long) b, \"byte\");", "this(() -> b);", BULK),
    ("this((long) b, \"byte\");", "this(b);", ITSELF),
    ("this.size = size;", "this((byte) size);", BULK),
    // Shapes of signatures.
    ("size = rest.length;", "size = rest.length + (int) a;", BULK),
    ("size = rest.length;", "size = rest.size();", BULK),
    ("name = \"few\";", "", BULK),
    (
        "name = \"compared\";",
        "T b = list.get(1); name = \"\" + b;",
        BULK,
    ),
    ("name = \"compared\";", "T b = \"\"; name = \"\" + b;", BULK),
    ("name = \"private\";", "name = \"private\" + c;", BULK),
    // Lambdas and classes.
    (
        ONE,
        "IntSupplier s = () -> size; this.name = \"\" + s.getAsInt();",
        BULK,
    ),
    (
        ONE,
        "IntSupplier s = this::size; this.name = \"\" + s.getAsInt();",
        BULK,
    ),
    (
        ONE,
        "this.name = new Object() { int v() { return size; } }.toString();",
        BULK,
    ),
    (
        ONE,
        "class L { int v = size; } this.name = \"\" + new L().v;",
        BULK,
    ),
    (
        ONE,
        "this.name = new Object() { int v() { } }.toString();",
        BULK,
    ),
    (
        ONE,
        "IntSupplier s = () -> new Object() { int v() { return size; } }.v(); name = \"\";",
        BULK,
    ),
    ("2 * s.getAsInt()", "3 * s.getAsInt()", BULK),
    ("\"v\" + s.getAsInt()", "\"w\" + s.getAsInt() + size", BULK),
    ("\"v\" + s.getAsInt()", "1", BULK),
    (
        ONE,
        "Runnable r = (Runnable & java.io.Serializable) () -> { }; name = \"\";",
        Some("serialisable"),
    ),
    // Inner and nested classes, enums.
    ("this.x = x + size;", "this.x = x * size;", BULK),
    ("this.x = x + size;", "this.x = x; idle = 4;", BULK),
    ("this.x = x + size;", "idle = C.this.before;", BULK),
    ("this(s.length());", "this(s.length() + size);", BULK),
    ("this(s.length());", "x = size;", BULK),
    ("idle = 3;", "x = 3;", BULK),
    (
        NESTED,
        "this.t = null;\n        }\n\n        @Deprecated",
        BULK,
    ),
    (
        NESTED,
        "this.t = \"\";\n        }\n\n        @Deprecated",
        BULK,
    ),
    (
        NESTED,
        "this.t = new Nested<>(t).t;\n        }\n\n        @Deprecated",
        BULK,
    ),
    ("if (n > 3) {", "if (n > 4 && t != null) {", BULK),
    ("new IOException(\"n\")", "new Exception(\"n\")", BULK),
    ("this.value = value;", "this.value = value + 1;", BULK),
    (
        "this.value = value;",
        "this.value = ordinal() + name().length();",
        BULK,
    ),
    ("this.value = value;", "super(); this.value = value;", BULK),
    ("this.value = value;", "this.value = LOW.value;", BULK),
    ("this.value = value;", "", BULK),
    ("x = 1;", "x = 2;", Some("beside initialisers")),
    ("y = 5;", "y = 6;", BULK),
    ("y = 5;", "int z = y;", BULK),
];

/// Edits of `P.java`.
const RECORDS: &[(&str, &str, Road)] = &[
    ("if (x < 0)", "if (x < 1)", RECORD),
    ("if (x < 0)", "if (x < \"\")", RECORD),
    ("this(x, 9);", "this(x, 8);", RECORD),
    ("this(x, 9);", "this.x = x;", RECORD),
    ("this.x = x;", "this.x = x + 1;", RECORD),
    ("this.x = x;", "", RECORD),
];

/// Compiles all together, then each alone, and compares.
fn check(tool: &Tool, javac_args: &[&str], way: Way, records: bool, roads: bool) {
    let setup = Setup {
        javac_args: javac_args.iter().map(|arg| (*arg).into()).collect(),
        ..Setup::default()
    };
    let mut sources = vec![("p/C.java", C)];
    let mut cases: Vec<_> = CASES.iter().map(|case| ("p/C.java", *case)).collect();
    if records {
        sources.push(("p/P.java", P));
        cases.extend(RECORDS.iter().map(|case| ("p/P.java", *case)));
    }
    let fixture = Fixture::with(tool, setup, &sources);
    let patches: Vec<Changes> = cases
        .iter()
        .map(|(file, (from, to, _))| fixture.edit(&[(*file, *from, *to)]))
        .collect();
    let alone = compile_each(tool, &fixture.module, &patches, sweep(40, 20, 1));
    let mut warm = Warm::start(tool.clone()).unwrap();
    let all = warm
        .compile_patches(&fixture.module, &patches, way)
        .unwrap();
    for (((_, (_, to, road)), batched), alone) in cases.iter().zip(&all).zip(&alone) {
        if way == Way::Inside {
            compare::same(to, &fixture.module, batched, alone);
            if roads {
                check_road(to, *road, batched);
            }
        } else {
            compare::same_verdict(to, batched, alone);
        }
    }
}

fn check_road(name: &str, road: Road, batched: &Batched) {
    match (road, &batched.alone) {
        (None, None) => {}
        (Some(expected), Some(reason)) if reason.contains(expected) => {}
        (road, alone) => panic!("{name}: expected {road:?}, but {alone:?}"),
    }
}

#[test]
fn constructors_come_out_as_from_a_fresh_javac() {
    check(&tool(), &["-g"], Way::Inside, true, true);
}

#[test]
fn the_public_interface_gives_constructors_the_same_verdicts() {
    check(&tool(), &[], Way::Outside, true, false);
}

#[test]
fn constructors_in_a_build_for_java_8_come_out_the_same() {
    check(&tool(), &["--release", "8"], Way::Inside, false, false);
}

/// Statements may stand before the call of another constructor there, and initialisers are looked at with each one.
#[test]
fn the_newest_jdk_gives_constructors_the_same() {
    let newest = braid_subjects::jdks().pop().unwrap();
    check(&tool_of(&newest), &[], Way::Inside, true, false);
}
