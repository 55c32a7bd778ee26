//! Realistic patches of method bodies, about half of which do not compile, from a fixed seed.

use std::fs;
use std::path::{Path, PathBuf};

use braid_compile::Changes;
use fastrand::Rng;

/// A generated patch.
pub(crate) struct Generated {
    /// Number, method and what was done.
    pub(crate) name: String,
    pub(crate) changes: Changes,
}

/// A method of a source file that is indented in the usual way.
#[derive(Clone)]
struct Method {
    file: PathBuf,
    name: String,
    /// The lines of the body, the closing brace left out.
    first: usize,
    last: usize,
}

/// An edit of a body: gets its lines with the indentation, gives the new ones.
type Edit = fn(&mut Vec<String>, &mut Rng) -> Option<&'static str>;

/// `count` patches, spread over `methods` methods.
pub(crate) fn generate(root: &Path, methods: usize, count: usize, seed: u64) -> Vec<Generated> {
    let mut rng = Rng::with_seed(seed);
    let mut pool = Vec::new();
    for file in java_files(root) {
        pool.extend(methods_of(&file));
    }
    rng.shuffle(&mut pool);
    pool.truncate(methods);
    assert_eq!(pool.len(), methods, "the sources have too few methods");
    let mut patches = Vec::new();
    for attempt in 0.. {
        if patches.len() == count {
            break;
        }
        let method = &pool[attempt % methods];
        let edits = if rng.u8(..10) < 6 { GOOD } else { BAD };
        let edit = edits[rng.usize(..edits.len())];
        if let Some((what, changes)) = apply(method, edit, &mut rng) {
            let name = format!("{:04} {} {what}", patches.len(), method.name);
            patches.push(Generated { name, changes });
        }
    }
    patches
}

fn apply(method: &Method, edit: Edit, rng: &mut Rng) -> Option<(&'static str, Changes)> {
    let text = fs::read_to_string(&method.file).unwrap();
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let mut body: Vec<String> = lines[method.first..method.last]
        .iter()
        .map(|line| (*line).to_owned())
        .collect();
    let what = edit(&mut body, rng)?;
    let new = [
        lines[..method.first].concat(),
        body.concat(),
        lines[method.last..].concat(),
    ]
    .concat();
    (new != text).then(|| (what, Changes::write(&method.file, new)))
}

fn java_files(root: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut entries: Vec<PathBuf> = fs::read_dir(root)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    entries.sort();
    for path in entries {
        if path.is_dir() {
            found.extend(java_files(&path));
        } else if path
            .extension()
            .is_some_and(|extension| extension == "java")
        {
            found.push(path);
        }
    }
    found
}

fn methods_of(file: &Path) -> Vec<Method> {
    let text = fs::read_to_string(file).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    let mut found = Vec::new();
    for (at, line) in lines.iter().enumerate() {
        let indent = line.len() - line.trim_start().len();
        let header = line.trim();
        let words = [
            "class ",
            "interface ",
            "enum ",
            "new ",
            "=",
            "if ",
            "//",
            "*",
            "static {",
        ];
        let starts = ["public ", "private ", "protected ", "static "];
        if ![4, 8].contains(&indent)
            || !header.ends_with('{')
            || !header.contains('(')
            || !starts.iter().any(|start| header.starts_with(start))
            || words.iter().any(|word| header.contains(word))
        {
            continue;
        }
        let closing = format!("{}}}", " ".repeat(indent));
        let end = lines[at..]
            .iter()
            .position(|line| *line == closing)
            .map(|end| at + end);
        let name = header[..header.find('(').unwrap()]
            .rsplit(' ')
            .next()
            .unwrap();
        if let Some(end) = end.filter(|end| *end >= at + 3) {
            let file = file.to_owned();
            found.push(Method {
                file,
                name: name.to_owned(),
                first: at + 1,
                last: end,
            });
        }
    }
    found
}

/// Inserts lines at the start of the body.
fn insert(body: &mut Vec<String>, text: &str, rng: &mut Rng) {
    let number = rng.u32(..).to_string();
    let indent = " ".repeat(body[0].len() - body[0].trim_start().len());
    let text = text.replace('#', &number);
    let lines = text.lines().map(|line| format!("{indent}{line}\n"));
    body.splice(0..0, lines);
}

/// Replaces the first of some texts in a random line.
fn replace(body: &mut [String], pairs: &[(&str, &str)], rng: &mut Rng) -> Option<()> {
    let (from, to) = pairs[rng.usize(..pairs.len())];
    let lines: Vec<usize> = (0..body.len())
        .filter(|at| body[*at].contains(from))
        .collect();
    if lines.is_empty() {
        return None;
    }
    let line = lines[rng.usize(..lines.len())];
    body[line] = body[line].replacen(from, to, 1);
    Some(())
}

/// An edit that inserts a text.
macro_rules! inserting {
    ($($name:literal: $text:literal,)*) => {
        &[$(|body, rng| { insert(body, $text, rng); Some($name) },)*]
    };
}

/// An edit that replaces a text.
macro_rules! replacing {
    ($($name:literal: $pairs:expr,)*) => {
        &[$(|body, rng| { replace(body, &$pairs, rng)?; Some($name) },)*]
    };
}

const GOOD: &[Edit] = &[
    |body, rng| pick(GOOD_INSERTS, body, rng),
    |body, rng| pick(GOOD_REPLACEMENTS, body, rng),
    |body, rng| pick(GOOD_REPLACEMENTS, body, rng),
];

const BAD: &[Edit] = &[
    |body, rng| pick(BAD_INSERTS, body, rng),
    |body, rng| pick(BAD_INSERTS, body, rng),
    |body, rng| pick(BAD_REPLACEMENTS, body, rng),
    missing_return,
];

fn pick(edits: &[Edit], body: &mut Vec<String>, rng: &mut Rng) -> Option<&'static str> {
    edits[rng.usize(..edits.len())](body, rng)
}

const GOOD_INSERTS: &[Edit] = inserting! {
    "a variable": "int braid# = 1;\nbraid#++;",
    "a guard": "if (System.nanoTime() == #L) {\n    throw new IllegalStateException(\"#\");\n}",
    "a lambda": "Runnable braid# = () -> System.gc();",
    "two lambdas": "java.util.function.IntSupplier braid# = () -> {\n    Runnable r = () -> { };\n    return #;\n};",
    "an anonymous class": "Object braid# = new Object() { @Override public String toString() { return \"#\"; } };",
    "a local class": "class Braid# { int x = 1; }\nint braid# = new Braid#().x;",
    "a loop": "for (int braid# = 0; braid# < 3; braid#++) {\n    if (braid# == 2) {\n        continue;\n    }\n}",
    "a list": "java.util.List<String> braid# = new java.util.ArrayList<>();\nbraid#.add(\"x\" + braid#.size());",
    "a try": "try {\n    Thread.sleep(0);\n} catch (final InterruptedException braid#) {\n    throw new IllegalStateException(braid#);\n} finally {\n    System.gc();\n}",
    "a switch": "switch (\"#\") {\n    case \"a\":\n        System.gc();\n        break;\n    default:\n}",
    "a stream": "long braid# = java.util.stream.Stream.of(1, 2, 3).filter(i -> i > 1).map(String::valueOf).count();",
    "a comment": "// } { \" '\n/* { */",
};

const GOOD_REPLACEMENTS: &[Edit] = replacing! {
    "a comparison": [(" == ", " != "), (" < ", " <= "), (" > ", " >= "), (" != ", " == ")],
    "arithmetic": [(" + ", " - "), (" - ", " + "), (" * ", " + ")],
    "a number": [("0", "1"), ("1", "2"), ("-1", "0")],
    "a condition": [(" && ", " || "), (" || ", " && ")],
    "a constant": [("true", "false"), ("false", "true"), ("null", "(null)")],
};

const BAD_INSERTS: &[Edit] = inserting! {
    "an undefined name": "int braid# = missing# + 1;",
    "an undefined method": "missing#(1, \"x\");",
    "an undefined class": "Missing# braid# = null;",
    "a type error": "int braid# = \"text\";",
    "a lossy number": "int braid# = 1.5 * #L;",
    "unreachable code": "while (true) {\n    System.gc();\n}",
    "a thrown end": "throw new IllegalStateException(\"#\");",
    "an unreported exception": "Thread.sleep(#L);",
    "wrong generics": "java.util.List<String> braid# = new java.util.ArrayList<Integer>();",
    "a wrong element": "java.util.List<String> braid# = new java.util.ArrayList<>();\nbraid#.add(#);",
    "a duplicate": "int braid# = 1;\nString braid# = null;",
    "no value": "int braid#;\nSystem.out.println(braid#);",
    "a final": "final int braid# = 1;\nbraid# = 2;",
    "a captured variable": "int braid# = 1;\nbraid#++;\nRunnable r# = () -> System.out.println(braid#);",
    "a lambda's type": "java.util.function.Function<String, Integer> braid# = s -> s.trim();",
    "an error in an anonymous class": "Object braid# = new Object() { int f() { return \"\"; } int g() { } };",
    "a break": "break;",
    "a catch": "try {\n    System.gc();\n} catch (final java.io.IOException braid#) {\n    throw new IllegalStateException(braid#);\n}",
    "two errors": "int braid# = \"text\";\nString s# = 1;\nundefined#();",
    "errors of two phases": "int braid#;\nint other# = braid# + \"\";\nbraid#++;",
    "a dereference": "int braid# = 1;\nbraid#.toString();",
    "an ambiguous call": "String.valueOf((char[]) null).concat(1);",
    "an instance": "Runnable braid# = new Runnable();",
    "a missing cast": "byte braid# = System.identityHashCode(\"\");",
    "an unclosed string": "String braid# = \"text;",
    "no semicolon": "int braid# = 1",
    "half a statement": "int braid# = ;",
    "a stray parenthesis": "System.gc());",
    "a stray brace": "}",
    "an open brace": "if (true) {",
    "an illegal character": "int braid# = 1 # 2;",
    "an unclosed comment": "/* never closed",
    "an else": "else { }",
    "a wrong literal": "int braid# = 09;",
};

const BAD_REPLACEMENTS: &[Edit] = replacing! {
    "a lost semicolon": [(";\n", "\n")],
    "a lost parenthesis": [("(", ""), (")", "")],
    "a lost brace": [(" {\n", "\n"), ("}\n", "\n")],
    "an unknown member": [(".length", ".lenght"), (".get", ".got"), ("(", ".missing(")],
    "a wrong operand": [(" + ", " && "), (" == ", " + "), (" < ", " && ")],
    "a wrong result": [("return ", "return new Object[0] + "), ("return ", "return 1 == ")],
    "an unknown variable": [("(", "(undefined, "), ("return ", "return unknown + ")],
};

fn missing_return(body: &mut Vec<String>, _: &mut Rng) -> Option<&'static str> {
    let last = body.last()?.trim_start().to_owned();
    (last.starts_with("return ") && last.ends_with(";\n")).then(|| body.pop())?;
    body.push("\n".to_owned());
    Some("a missing return")
}
