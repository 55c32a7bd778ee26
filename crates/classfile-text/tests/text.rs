//! Text to class to text.

use braid_classfile::{ClassFile, ClassTable};
use braid_classfile_text::{assemble, print, print_method};
use braid_classpath::JdkImage;
use expect_test::{Expect, expect};

/// Assembles, prints, and compares; the printed text must assemble to the same bytes.
fn check(text: &str, expected: &Expect) {
    let bytes = assemble(text, &ClassTable::new().lenient()).expect("assembles");
    let printed = print(&bytes).expect("prints");
    expected.assert_eq(&printed);
    let again = assemble(&printed, &ClassTable::new().lenient()).expect("assembles again");
    assert_eq!(print(&again).expect("prints"), printed);
}

#[test]
fn a_loop_with_a_handler_gets_its_frames() {
    check(
        r#"
version 61
class public super Example extends java/lang/Object implements java/lang/Runnable
source Example.java

field private static final LIMIT I
    constant int 10

method public run ()V
    iconst_0
    istore 1
  loop:
    line 12
    iload 1
    getstatic Example LIMIT I
    if_icmpge done
  from:
    aload 0
    invokevirtual java/lang/Object hashCode ()I
    pop
  to:
    iinc 1 1
    goto loop
  caught:
    astore 2
    goto loop
  done:
    return
    try from to caught class java/lang/RuntimeException
"#,
        &expect![[r#"
            version 61
            class public super Example extends java/lang/Object implements java/lang/Runnable
            source Example.java

            field private static final LIMIT I
                constant int 10

            method public run ()V
                limits 2 3
                iconst_0
                istore 1
              L0:
                line 12
                frame locals class Example int stack
                iload 1
                getstatic Example LIMIT I
                if_icmpge L4
              L1:
                aload 0
                invokevirtual java/lang/Object hashCode ()I
                pop
              L2:
                iinc 1 1
                goto L0
              L3:
                frame locals class Example int stack class java/lang/RuntimeException
                astore 2
                goto L0
              L4:
                frame locals class Example int stack
                return
                try L1 L2 L3 class java/lang/RuntimeException
        "#]],
    );
}

#[test]
fn dead_code_is_removed_and_switches_are_kept() {
    check(
        r#"
class Dead
method static f (I)Ljava/lang/String;
    iload 0
    tableswitch 3 A B default C
  A:
    ldc string "a\u0000\ud800"
    areturn
    nop
    nop
  B:
    aconst_null
    areturn
  C:
    ldc dynamic x Ljava/lang/String; handle invokestatic B b (I)Ljava/lang/Object; ( int 4 class [I )
    areturn
"#,
        &expect![[r#"
            version 61
            class Dead

            method static f (I)Ljava/lang/String;
                limits 1 1
                iload 0
                tableswitch 3 L0 L1 default L2
              L0:
                frame locals int stack
                ldc string "a\u0000\ud800"
                areturn
              L1:
                frame locals int stack
                aconst_null
                areturn
              L2:
                frame locals int stack
                ldc dynamic x Ljava/lang/String; handle invokestatic B b (I)Ljava/lang/Object; ( int 4 class [I )
                areturn
        "#]],
    );
}

#[test]
fn mistakes_name_their_line() {
    let error = |text: &str| assemble(text, &ClassTable::new()).unwrap_err().to_string();
    let method = "class A\nmethod static f ()V\n";
    expect![[r#"line 3: "frob" is no instruction"#]].assert_eq(&error(&format!("{method} frob")));
    expect![[r#"line 3: local "x" is no fitting number"#]]
        .assert_eq(&error(&format!("{method} iload x")));
    expect![[r#"line 3: "5" is one word too many"#]]
        .assert_eq(&error(&format!("{method} return 5")));
    expect!["line 2: label 0 is not placed exactly once at offset 0"]
        .assert_eq(&error(&format!("{method} goto L0")));
    expect!["line 2: operand stack underflow at offset 0"]
        .assert_eq(&error(&format!("{method} pop\n return")));
    expect![[r#"line 1: "class" is missing"#]].assert_eq(&error("method"));
}

#[test]
fn printed_jdk_classes_assemble_to_the_same_text() {
    let image = JdkImage::open(&braid_subjects::jdk()).unwrap();
    let mut classes: Vec<_> = image.classes().collect();
    classes.sort_by(|a, b| a.0.cmp(&b.0));
    let without_comments = |text: &str| {
        let lines = text
            .lines()
            .filter(|line| !line.trim_start().starts_with('#'));
        lines.collect::<Vec<_>>().join("\n")
    };
    let mut methods = 0;
    for (name, resource) in classes.iter().step_by(97) {
        let bytes = image.read(resource).unwrap();
        let text = print(&bytes).unwrap();
        let again = assemble(&text, &ClassTable::new().lenient())
            .unwrap_or_else(|error| panic!("{name}: {error}\n{text}"));
        let again = print(&again).unwrap();
        assert_eq!(without_comments(&text), without_comments(&again), "{name}");
        methods += ClassFile::parse(&bytes).unwrap().methods().len();
    }
    assert!(methods > 500, "{methods}");
}

#[test]
fn one_method_can_be_printed() {
    let text = "class A\nmethod static f ()V\n return\nmethod static g ()V\n return\n";
    let bytes = assemble(text, &ClassTable::new()).unwrap();
    expect![[r#"
        method static g ()V
            limits 0 0
            return
    "#]]
    .assert_eq(&print_method(&bytes, "g", "()V").unwrap().unwrap());
    assert!(print_method(&bytes, "h", "()V").unwrap().is_none());
}
