//! Methods replaced by class and signature.

mod support;

use braid_variants::{ApplyError, MemTree, apply};
use support::{one, text};

const A: &str = "package com.x;

import java.util.List;

public class A {
    private int f;

    /** Old words. */
    @Deprecated
    public int foo(int a) {
        return a;
    }

    int foo(String s) { return 1; }

    A(int f) { this.f = f; }

    static class Inner<T> {
        T get(List<T> list, int... at) { return list.get(at[0]); }
        enum Kind { ONE, TWO; String low() { return name(); } }
    }
}

class Second {
    void run() { }
}
";

fn tree() -> MemTree {
    MemTree::new([
        ("core/src/main/java/com/x/A.java", A),
        (
            "web/src/main/java/com/y/Twin.java",
            "package com.y; class Twin { void f() {} }",
        ),
        (
            "core/src/main/java/com/x/Twin.java",
            "package com.x; class Twin { void f() {} }",
        ),
        (
            "core/src/main/java/D$llar.java",
            "class D$llar { void f() {} }",
        ),
    ])
    .unwrap()
}

fn replace(class: &str, signature: &str, source: &str) -> Result<String, ApplyError> {
    let json =
        serde_json::json!({"method": {"class": class, "signature": signature, "source": source}});
    let applied = apply(&one("p.json", json.to_string()), &tree())?;
    Ok(text(
        &applied,
        applied.files.keys().next().unwrap().as_str(),
    ))
}

#[test]
fn methods_are_found_by_class_and_signature() {
    for (class, signature, old) in [
        (
            "com.x.A",
            "foo(int)",
            "@Deprecated\n    public int foo(int a) {\n        return a;\n    }",
        ),
        (
            "com/x/A",
            "foo(I)I",
            "@Deprecated\n    public int foo(int a) {\n        return a;\n    }",
        ),
        (
            "A",
            "foo(java.lang.String)",
            "int foo(String s) { return 1; }",
        ),
        ("com.x.A", "A(int)", "A(int f) { this.f = f; }"),
        ("com.x.A", "<init>", "A(int f) { this.f = f; }"),
        (
            "com.x.A$Inner",
            "get",
            "T get(List<T> list, int... at) { return list.get(at[0]); }",
        ),
        (
            "com.x.A.Inner",
            "get(Ljava/util/List;[I)Ljava/lang/Object;",
            "T get(List<T> list, int... at) { return list.get(at[0]); }",
        ),
        (
            "com/x/A$Inner$Kind",
            "low()",
            "String low() { return name(); }",
        ),
        ("com.x.Second", "run()", "void run() { }"),
        ("com.x.Twin", "f()", "void f() {}"),
        ("D$llar", "f()", "void f() {}"),
    ] {
        let new = replace(class, signature, "  void replaced() {}\n")
            .unwrap_or_else(|error| panic!("{class} {signature}: {error}"));
        assert!(new.contains("void replaced() {}"), "{new}");
        assert!(!new.contains(old), "{class} {signature}: {new}");
    }
}

#[test]
fn a_comment_is_replaced_only_by_another() {
    let kept = replace("com.x.A", "foo(int)", "public int foo(int a) { return 0; }").unwrap();
    assert!(
        kept.contains("    /** Old words. */\n    public int foo(int a) { return 0; }\n\n"),
        "{kept}"
    );
    let new = replace(
        "com.x.A",
        "foo(int)",
        "/** New words. */\n    int foo(int a) { return 0; }",
    )
    .unwrap();
    assert!(
        new.contains(";\n\n    /** New words. */\n    int foo(int a) { return 0; }\n\n"),
        "{new}"
    );
    assert!(!new.contains("Old words"));
}

#[test]
fn what_is_missing_or_ambiguous_is_told() {
    for (class, signature, expected) in [
        (
            "com.x.B",
            "f()",
            "class com.x.B: not declared in the project's sources",
        ),
        (
            "com.x.A.Other",
            "f()",
            "class com.x.A.Other: not declared in the project's sources (core/src/main/java/com/x/A.java has no such class)",
        ),
        (
            "com.x.A",
            "bar()",
            "class com.x.A: no method bar(); it has foo(int); foo(String); <init>(int)",
        ),
        (
            "com.x.A",
            "foo",
            "class com.x.A: foo fits several methods: foo(int); foo(String)",
        ),
        (
            "Twin",
            "f()",
            "Twin: fits several files of the project: core/src/main/java/com/x/Twin.java, web/src/main/java/com/y/Twin.java",
        ),
    ] {
        assert_eq!(
            replace(class, signature, "void f() {}")
                .unwrap_err()
                .to_string(),
            expected
        );
    }
    let error = replace("com.x.A", "foo(int)", "{ return 1; }")
        .unwrap_err()
        .to_string();
    assert!(error.contains("full text of the method"), "{error}");
}

#[test]
fn several_methods_of_one_file_are_replaced_in_order() {
    let json = serde_json::json!({"method": [
        {"class": "com.x.A", "signature": "foo(int)", "source": "int foo(int a) { return 10; }"},
        {"class": "com.x.A", "signature": "foo(String)", "source": "int foo(String a) { return 20; }"},
    ]});
    let applied = apply(&one("p.json", json.to_string()), &tree()).unwrap();
    let new = text(&applied, "core/src/main/java/com/x/A.java");
    assert!(new.contains("return 10;") && new.contains("return 20;") && !new.contains("return 1;"));
}

#[test]
fn latin1_sources_keep_their_bytes() {
    let source =
        b"class A { /* \xe4\xf6 */ String s = \"\xfc\"; int f() { return 1; } /* \xdf */ }"
            .to_vec();
    let tree = MemTree::new([("A.java", source)]).unwrap();
    let json = serde_json::json!({"method": {"class": "A", "signature": "f()", "source": "char f() { return 'é'; }"}});
    let applied = apply(&one("p.json", json.to_string()), &tree).unwrap();
    assert_eq!(
        support::content(&applied, "A.java").unwrap(),
        b"class A { /* \xe4\xf6 */ String s = \"\xfc\"; char f() { return '\xe9'; } /* \xdf */ }"
    );
}
