//! The plain road: what javac says arrives, and a patch gets the verdict of compiling everything.

#[allow(unused, reason = "shared with other tests")]
mod support;

use std::fs;

use braid_compile::{
    Changes, CompileError, Javac, Kind, Outcome, PatchOutcome, Plain, Processing, Recompiled,
    Request, Setup, Source, Tool, Warm, compile_all, compile_patch,
};
use support::{Fixture, compile_one, recompiled, sweep, tool};

#[test]
fn classes_come_back_in_memory() {
    let text = "package a; public class A { class B {} Runnable r = new Runnable() { public void run() {} }; }";
    let Outcome::Compiled(classes) = compile_one(&mut Plain::new(tool()), "/x/a/A.java", text)
    else {
        panic!("it does not compile")
    };
    assert_eq!(
        classes.keys().collect::<Vec<_>>(),
        ["a/A", "a/A$1", "a/A$B"]
    );
    assert!(
        classes
            .values()
            .all(|bytes| bytes.starts_with(&[0xca, 0xfe, 0xba, 0xbe]))
    );
    assert!(!std::path::Path::new("/x").exists());
}

#[test]
fn a_diagnostic_has_place_code_and_english_message() {
    let text = "class A {\n\tint f() {\n\t\treturn x;\n\t}\n}\n";
    let Outcome::Errors(errors) = compile_one(&mut Plain::new(tool()), "/x/A.java", text) else {
        panic!("it compiles")
    };
    assert_eq!(errors.len(), 1);
    let error = &errors[0];
    assert_eq!(
        error.file.as_deref(),
        Some(std::path::Path::new("/x/A.java"))
    );
    assert_eq!((error.line, error.column, error.kind), (3, 24, Kind::Error));
    assert_eq!(error.code, "compiler.err.cant.resolve.location");
    assert!(
        error
            .message
            .starts_with("cannot find symbol\n  symbol:   variable x"),
        "{error}"
    );
    assert!(
        error
            .to_string()
            .starts_with("/x/A.java:3:24: error: cannot find symbol")
    );
}

#[test]
fn bytes_that_are_no_text_are_the_compilers_error() {
    let request = |encoding: &str| Request {
        setup: Setup {
            encoding: encoding.into(),
            ..Setup::default()
        },
        sources: vec![Source {
            path: "/x/A.java".into(),
            content: Some(b"class A { String s = \"\xe9\"; }".to_vec()),
        }],
    };
    let mut javac = Plain::new(tool());
    let latin = javac.compile(&request("ISO-8859-1")).unwrap();
    assert!(matches!(latin.outcome, Outcome::Compiled(_)));
    let utf = javac.compile(&request("UTF-8")).unwrap();
    let Outcome::Errors(errors) = utf.outcome else {
        panic!("it compiles")
    };
    assert_eq!(errors[0].code, "compiler.err.illegal.char.for.encoding");
    assert_eq!(
        errors[0].file.as_deref(),
        Some(std::path::Path::new("/x/A.java"))
    );
}

#[test]
fn an_expression_too_deep_for_javac_is_an_error_and_no_fault() {
    let deep = format!(
        "class A {{ int f() {{ return {}1{}; }} }}",
        "(".repeat(20000),
        ")".repeat(20000)
    );
    let Outcome::Errors(errors) = compile_one(&mut Plain::new(tool()), "/x/A.java", &deep) else {
        panic!("it compiles")
    };
    assert_eq!(errors[0].code, "braid.compiler.crash");
}

#[test]
fn a_wrong_jdk_and_a_wrong_option_are_errors_of_ours() {
    let nowhere = Tool::new("/nonexistent", "/nonexistent.jar");
    let request = Request {
        setup: Setup::default(),
        sources: vec![],
    };
    assert!(matches!(
        Plain::new(nowhere).compile(&request),
        Err(CompileError::Start(_))
    ));
    let no_jar = Tool::new(braid_subjects::jdk(), "/nonexistent.jar");
    assert!(matches!(
        Plain::new(no_jar).compile(&request),
        Err(CompileError::Died(_))
    ));
    let request = Request {
        setup: Setup {
            javac_args: vec!["--no-such-option".into()],
            ..Setup::default()
        },
        sources: vec![Source {
            path: "/x/A.java".into(),
            content: Some(b"class A {}".to_vec()),
        }],
    };
    let fault = Plain::new(tool()).compile(&request).unwrap_err();
    assert!(matches!(&fault, CompileError::Fault(text) if text.contains("--no-such-option")));
}

/// Sources that see each other in every way that crosses files.
fn world() -> Fixture {
    Fixture::new(&[
        (
            "p/A.java",
            "package p;\npublic class A {\n  public static final int SIZE = 3;\n  public static int count = 1;\n  private int hidden;\n  int f(int x) { return x + 1; }\n  protected void g() throws java.io.IOException { }\n  private int h() { return hidden; }\n  public static class In { public String s() { return \"s\"; } }\n}\n",
        ),
        (
            "p/B.java",
            "package p;\nclass B extends A {\n  byte[] room = new byte[SIZE];\n  int use() { return f(2) + new In().s().length(); }\n  int sw(int i) { switch (i) { case SIZE: return 1; case 4: return 2; default: return 0; } }\n  void io() { try { g(); } catch (java.io.IOException e) { } }\n}\n",
        ),
        (
            "p/I.java",
            "package p;\npublic interface I { int one(); default int two() { return 2; } }\nclass Aux { static int v() { return 1; } }\n",
        ),
        (
            "p/Impl.java",
            "package p;\nclass Impl implements I { public int one() { return Aux.v(); } I i = () -> 1; }\n",
        ),
        (
            "p/S.java",
            "package p;\npublic sealed interface S permits S1, S2 { }\n",
        ),
        ("p/S1.java", "package p;\nfinal class S1 implements S { }\n"),
        (
            "p/S2.java",
            "package p;\nrecord S2(int a, String b) implements S { }\n",
        ),
        (
            "p/E.java",
            "package p;\nenum E { X, Y; int v() { return 1; } }\n",
        ),
        (
            "p/U.java",
            "package p;\nclass U { int sum(S2 s) { return s.a() + E.Y.v() + A.count; } }\n",
        ),
    ])
}

/// Name, edits (file, from, to) and what must have been compiled; none for an error.
type Case<'a> = (
    &'a str,
    &'a [(&'a str, &'a str, &'a str)],
    Option<Recompiled>,
);

const CASES: &[Case<'_>] = &[
    (
        "body",
        &[("p/A.java", "x + 1", "x + 2")],
        Some(Recompiled::Changed),
    ),
    ("body error", &[("p/A.java", "x + 1", "y + 2")], None),
    ("syntax error", &[("p/A.java", "x + 1;", "x +")], None),
    (
        "private method added",
        &[(
            "p/A.java",
            "private int h()",
            "private int h2() { return 1; } private int h()",
        )],
        Some(Recompiled::Changed),
    ),
    (
        "private method changed",
        &[("p/A.java", "private int h() {", "private long h() {")],
        Some(Recompiled::Changed),
    ),
    (
        "anonymous class added",
        &[("p/A.java", "return x + 1;", "new Object() { }; return x;")],
        Some(Recompiled::Changed),
    ),
    (
        "signature changed and unused",
        &[("p/E.java", "X, Y;", "X, Y, Z;")],
        Some(Recompiled::All),
    ),
    (
        "signature used elsewhere",
        &[("p/A.java", "int f(int x)", "int f(String x)")],
        None,
    ),
    (
        "return type that callers stand",
        &[
            ("p/A.java", "int f(int x)", "short f(int x)"),
            ("p/A.java", "x + 1", "1"),
        ],
        Some(Recompiled::All),
    ),
    (
        "return type that callers do not stand",
        &[("p/A.java", "int f(int x)", "long f(int x)")],
        None,
    ),
    (
        "constant inlined elsewhere",
        &[("p/A.java", "SIZE = 3", "SIZE = 5")],
        Some(Recompiled::All),
    ),
    (
        "constant that makes a duplicate case",
        &[("p/A.java", "SIZE = 3", "SIZE = 4")],
        None,
    ),
    (
        "no constant any more",
        &[("p/A.java", "SIZE = 3", "SIZE = Integer.parseInt(\"3\")")],
        None,
    ),
    (
        "value of a variable",
        &[("p/A.java", "count = 1", "count = 2")],
        Some(Recompiled::Changed),
    ),
    (
        "new abstract method",
        &[("p/I.java", "int one();", "int one(); int three();")],
        None,
    ),
    (
        "new default method",
        &[(
            "p/I.java",
            "int one();",
            "int one(); default int three() { return 3; }",
        )],
        Some(Recompiled::All),
    ),
    (
        "default method's body",
        &[("p/I.java", "return 2", "return 3")],
        Some(Recompiled::Changed),
    ),
    (
        "checked exception gone",
        &[("p/A.java", " throws java.io.IOException", "")],
        None,
    ),
    (
        "checked exception changed",
        &[("p/A.java", "throws java.io.IOException", "throws Exception")],
        None,
    ),
    (
        "unchecked exception declared",
        &[("p/A.java", "f(int x)", "f(int x) throws RuntimeException")],
        Some(Recompiled::All),
    ),
    ("permits shortened", &[("p/S.java", "S1, S2", "S1")], None),
    (
        "class made final",
        &[("p/A.java", "public class A", "public final class A")],
        None,
    ),
    (
        "auxiliary class gone",
        &[("p/I.java", "class Aux { static int v() { return 1; } }", "")],
        None,
    ),
    (
        "auxiliary class renamed with its use",
        &[("p/I.java", "Aux", "Aux2"), ("p/Impl.java", "Aux", "Aux2")],
        Some(Recompiled::All),
    ),
    (
        "member class gone",
        &[(
            "p/A.java",
            "public static class In { public String s() { return \"s\"; } }",
            "",
        )],
        None,
    ),
    (
        "member class private",
        &[(
            "p/A.java",
            "public static class In",
            "private static class In",
        )],
        None,
    ),
    (
        "component renamed",
        &[("p/S2.java", "int a", "int z")],
        None,
    ),
    (
        "component and use renamed",
        &[
            ("p/S2.java", "int a", "int z"),
            ("p/U.java", "s.a()", "s.z()"),
        ],
        Some(Recompiled::All),
    ),
    (
        "private field that hides",
        &[(
            "p/A.java",
            "private int hidden;",
            "private int hidden, room2;",
        )],
        Some(Recompiled::All),
    ),
    (
        "package-private made private",
        &[("p/A.java", "int f(int x)", "private int f(int x)")],
        None,
    ),
    (
        "field made static",
        &[(
            "p/A.java",
            "private int hidden",
            "private static int hidden",
        )],
        Some(Recompiled::All),
    ),
    (
        "comment",
        &[(
            "p/A.java",
            "public class A {",
            "/** Text. */ public class A {",
        )],
        Some(Recompiled::Changed),
    ),
    (
        "an error here that a change elsewhere mends",
        &[
            ("p/U.java", "s.a()", "s.q()"),
            ("p/S2.java", "String b", "String q"),
        ],
        None,
    ),
    (
        "two files that fit each other",
        &[
            ("p/A.java", "int f(int x)", "int f(int x, int y)"),
            ("p/B.java", "f(2)", "f(2, 3)"),
        ],
        Some(Recompiled::All),
    ),
    (
        "two files that do not",
        &[
            ("p/A.java", "int f(int x)", "int f(int x, int y)"),
            ("p/B.java", "f(2)", "f(2, \"\")"),
        ],
        None,
    ),
];

#[test]
fn a_patch_has_the_verdict_of_compiling_everything_from_nothing() {
    let world = world();
    let next = std::sync::atomic::AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                let mut all = Warm::start(tool()).unwrap();
                let mut warm = Warm::start(tool()).unwrap();
                let mut plain = Plain::new(tool());
                loop {
                    let at = next.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
                    let Some((name, edits, expected)) = CASES.get(at) else {
                        break;
                    };
                    let fresh = at.is_multiple_of(sweep(9, 5, 1));
                    let javac: &mut dyn Javac = if fresh { &mut plain } else { &mut warm };
                    let changes = world.edit(edits);
                    check(&world, javac, &mut all, name, &changes, *expected);
                }
            });
        }
    });
}

fn check(
    world: &Fixture,
    javac: &mut dyn Javac,
    everything: &mut Warm,
    name: &str,
    changes: &Changes,
    expected: Option<Recompiled>,
) {
    let outcome = compile_patch(javac, &world.module, changes).unwrap();
    assert_eq!(recompiled(&outcome), expected, "{name}: {outcome:?}");
    let all = compile_all(everything, &world.module, changes).unwrap();
    match (outcome, all) {
        (PatchOutcome::Compiled(patch), PatchOutcome::Compiled(all)) => {
            for (class, bytes) in &patch.classes {
                assert_eq!(Some(bytes), all.classes.get(class), "{name}: {class}");
            }
            assert_eq!(patch.removed, all.removed, "{name}");
            for (class, bytes) in &all.classes {
                let file = world.module.classes.join(format!("{class}.class"));
                let same = patch.classes.contains_key(class) || fs::read(file).unwrap() == *bytes;
                assert!(same, "{name}: {class} is stale");
            }
        }
        (PatchOutcome::Errors(patch), PatchOutcome::Errors(all)) => {
            assert_eq!(patch, all, "{name}");
        }
        (patch, all) => panic!("{name}: {patch:?} but {all:?}"),
    }
}

#[test]
fn files_that_come_and_go_compile_everything() {
    let world = world();
    let mut all = Warm::start(tool()).unwrap();
    let mut javac = Warm::start(tool()).unwrap();
    let new = Changes::write(
        world.path("p/New.java"),
        "package p; class New extends A { }",
    );
    check(
        &world,
        &mut javac,
        &mut all,
        "new file",
        &new,
        Some(Recompiled::All),
    );
    let mut gone = Changes::default();
    gone.deleted.insert(world.path("p/U.java"));
    check(
        &world,
        &mut javac,
        &mut all,
        "unused file gone",
        &gone,
        Some(Recompiled::All),
    );
    gone.deleted.insert(world.path("p/E.java"));
    check(
        &world,
        &mut javac,
        &mut all,
        "two files gone",
        &gone,
        Some(Recompiled::All),
    );
    gone.deleted.remove(&world.path("p/U.java"));
    check(&world, &mut javac, &mut all, "used file gone", &gone, None);
    let same = Changes::write(world.path("p/U.java"), world.text("p/U.java"));
    let other = Changes::write(world.dir.path().join("README"), "text");
    for nothing in [Changes::default(), same, other] {
        let outcome = compile_patch(&mut javac, &world.module, &nothing).unwrap();
        assert_eq!(recompiled(&outcome), Some(Recompiled::Nothing));
    }
}

const PROCESSOR: &str = r#"package q;
import java.io.*;
import java.util.*;
import javax.annotation.processing.*;
import javax.lang.model.SourceVersion;
import javax.lang.model.element.*;
@SupportedAnnotationTypes("*")
public class Maker extends AbstractProcessor {
    private boolean done;
    @Override public SourceVersion getSupportedSourceVersion() { return SourceVersion.latest(); }
    @Override public boolean process(Set<? extends TypeElement> found, RoundEnvironment round) {
        if (done) { return false; }
        done = true;
        System.out.println("processors may print");
        try (Writer out = processingEnv.getFiler().createSourceFile("p.Made").openWriter()) {
            out.write("package p; class Made { static int one() { return 1; } }");
        } catch (IOException problem) { throw new UncheckedIOException(problem); }
        return false;
    }
}
"#;

#[test]
fn annotation_processors_run_and_what_they_make_comes_back() {
    let maker = Fixture::new(&[("q/Maker.java", PROCESSOR)]);
    let services = maker.module.classes.join("META-INF/services");
    fs::create_dir_all(&services).unwrap();
    fs::write(
        services.join("javax.annotation.processing.Processor"),
        "q.Maker",
    )
    .unwrap();
    let path = vec![maker.module.classes.clone()];
    for processing in [Processing::Path(path.clone()), Processing::ClassPath] {
        let setup = Setup {
            class_path: path.clone(),
            processing,
            ..Setup::default()
        };
        let text = "package p;\nclass A { int f() { return Made.one(); } }\n";
        let user = Fixture::with(&tool(), setup, &[("p/A.java", text)]);
        assert!(user.module.classes.join("p/Made.class").is_file());
        let good = user.edit(&[("p/A.java", "Made.one()", "Made.one() + 1")]);
        let bad = user.edit(&[("p/A.java", "Made.one()", "Made.two()")]);
        let mut javac = Plain::new(tool());
        let good = compile_patch(&mut javac, &user.module, &good).unwrap();
        assert_eq!(recompiled(&good), Some(Recompiled::All));
        let bad = compile_patch(&mut javac, &user.module, &bad).unwrap();
        assert!(matches!(bad, PatchOutcome::Errors(errors) if errors.len() == 1));
    }
}
