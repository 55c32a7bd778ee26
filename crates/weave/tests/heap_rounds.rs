//! A loop that came round with all that it can get at is endless only if it depends on nothing else.

use std::collections::BTreeMap;

use braid_classfile::{ClassFile, ClassTable, Operand};
use braid_weave::{Passes, Round, instrument, is_endless};

/// A class with one loop `m`, whose body is given.
fn looping(body: &str) -> String {
    format!(
        "\
version 61
class public super A extends java/lang/Object

field static count I
field static one LA;
field static $braid$cells LA;
field kept I
field next LA;

method m (ILB;LI;[IIJ)V
  L0:
    iload 1
    ifeq L1
{body}
    goto L0
  L1:
    return

method <init> ()V
    aload 0
    invokespecial java/lang/Object <init> ()V
    return

method static counted ()V
    iconst_1
    putstatic A count I
    return

method around ()V
    aload 0
    iconst_1
    putfield A kept I
    return

method final synchronized locked ()V
    aload 0
    iconst_1
    putfield A kept I
    return

method final throwing (I)V
    iload 1
    ifeq L2
    new java/lang/IllegalStateException
    dup
    invokespecial java/lang/IllegalStateException <init> ()V
    athrow
  L2:
    return

method final catching (I)V
  L3:
    iconst_1
    iload 1
    idiv
    pop
    return
  L4:
    pop
    return
    try L3 L4 L4 class java/lang/ArithmeticException
"
    )
}

const OTHERS: &[&str] = &[
    "\
version 61
class public abstract super B extends java/lang/Object

field static none LB;
field static number I

method public abstract work ()V

method <init> ()V
    aload 0
    invokespecial java/lang/Object <init> ()V
    return
",
    "\
version 61
class public super Quiet extends B

method <init> ()V
    aload 0
    invokespecial B <init> ()V
    return

method public work ()V
    return
",
    "\
version 61
class public super Loud extends B

method <init> ()V
    aload 0
    invokespecial B <init> ()V
    return

method public work ()V
    iconst_1
    putstatic B number I
    return
",
    "\
version 61
class public interface abstract I extends java/lang/Object

method public abstract work ()V
",
    "\
version 61
class public super Worker extends java/lang/Object implements I

method public work ()V
    return
",
    "\
version 61
class public super Heir extends Worker

",
    "\
version 61
class public super Elsewhere extends java/util/ArrayList implements I

",
    "\
version 61
class public super Finalized extends java/lang/Object

method <init> ()V
    aload 0
    invokespecial java/lang/Object <init> ()V
    return

method protected finalize ()V
    return
",
    "\
version 61
class public super Position extends java/text/ParsePosition

",
    "\
version 61
class public super Letters extends java/lang/Object implements java/lang/CharSequence

method public length ()I
    invokestatic A counted ()V
    iconst_1
    ireturn
",
];

fn instrumented(text: &str) -> (String, Vec<u8>) {
    let bytes = braid_classfile_text::assemble(text, &ClassTable::new()).unwrap();
    let passes = Passes {
        fuel: true,
        ..Passes::default()
    };
    let bytes = instrument(&bytes, &passes).unwrap().bytes.unwrap_or(bytes);
    let class = ClassFile::parse(&bytes).unwrap();
    (class.name().to_string(), bytes.clone())
}

/// The code offset of the last tick of `m`.
fn head(bytes: &[u8]) -> u32 {
    let class = ClassFile::parse(bytes).unwrap();
    let code = class.method("m", "(ILB;LI;[IIJ)V").unwrap().code().unwrap();
    let code = code.unwrap();
    let insns = code.instructions().map(Result::unwrap);
    let is_tick = |operand| match operand {
        Operand::Method(index) => code.pool().method(index).unwrap().name == "tick",
        _ => false,
    };
    let ticks = insns.filter(|insn| is_tick(insn.operand));
    ticks.last().unwrap().pc
}

/// Whether a loop with this body is endless if there are objects of these classes.
fn endless(body: &str, reach: &[&str]) -> bool {
    let texts = OTHERS.iter().map(|text| (*text).to_owned());
    let texts = texts.chain([looping(body)]);
    let classes: BTreeMap<String, Vec<u8>> = texts.map(|text| instrumented(&text)).collect();
    let head = head(&classes["A"]);
    let reach: Vec<String> = reach.iter().map(|name| (*name).to_owned()).collect();
    let mut round = Round {
        class: "A",
        method: "m",
        descriptor: "(ILB;LI;[IIJ)V",
        places: &[head, head],
        changing: &[1],
        reach: Some(&reach),
    };
    let look = |name: &str| classes.get(name).cloned();
    assert!(!is_endless(&round, 1, &look), "{body}");
    // which nobody reads
    round.changing = &[5, 7];
    is_endless(&round, 1, &look)
}

/// A body that calls a method of each object of a kind.
const EACH: [&str; 2] = [
    "    aload 2\n    invokevirtual B work ()V",
    "    aload 3\n    invokeinterface I work ()V",
];

fn made(class: &str) -> String {
    format!("    new {class}\n    dup\n    invokespecial {class} <init> ()V\n    pop")
}

#[test]
fn what_the_snapshots_show_may_be_written() {
    let bodies = [
        "    aload 0\n    iconst_1\n    putfield A kept I",
        "    aload 0\n    aload 0\n    getfield A next LA;\n    putfield A next LA;",
        "    aload 4\n    iconst_0\n    iconst_1\n    iastore",
        "    iconst_2\n    newarray int\n    astore 4",
        "    aload 4\n    invokevirtual [I clone ()Ljava/lang/Object;\n    pop",
        "    aload 4\n    iconst_0\n    aload 4\n    iconst_0\n    iconst_1\n    \
         invokestatic java/lang/System arraycopy (Ljava/lang/Object;ILjava/lang/Object;II)V",
        "    new java/lang/StringBuilder\n    dup\n    invokespecial java/lang/StringBuilder <init> ()V\n    iconst_1\n    \
         invokevirtual java/lang/StringBuilder append (I)Ljava/lang/StringBuilder;\n    pop",
        "    aload 0\n    invokevirtual A around ()V",
        "    aload 0\n    invokevirtual A locked ()V",
        "    getstatic A count I\n    pop",
        "    getstatic B number I\n    pop",
        "    getstatic A one LA;\n    pop",
        "    aload 0\n    iload 1\n    invokevirtual A throwing (I)V",
        "    ldc string \"a\"\n    pop",
    ];
    for body in bodies {
        assert!(endless(body, &["A"]), "{body}");
    }
    assert!(endless(&made("A"), &["A"]));
}

#[test]
fn what_the_snapshots_do_not_show_may_end_a_loop() {
    let bodies = [
        "    iconst_1\n    putstatic A count I",
        "    invokestatic A counted ()V",
        "    getstatic B none LB;\n    pop",
        "    getstatic A $braid$cells LA;\n    pop",
        "    getstatic java/lang/System out Ljava/io/PrintStream;\n    pop",
        "    getstatic braid/runtime/Braid fuel J\n    pop2",
        "    new java/awt/Point\n    pop",
        "    aconst_null\n    checkcast java/awt/Point\n    getfield java/awt/Point x I\n    pop",
        "    aload 0\n    invokestatic java/lang/System identityHashCode (Ljava/lang/Object;)I\n    pop",
        "    aload 0\n    invokevirtual java/lang/Object hashCode ()I\n    pop",
        "    aload 0\n    invokevirtual A hashCode ()I\n    pop",
        "    invokestatic java/lang/System nanoTime ()J\n    pop2",
        "    aconst_null\n    checkcast java/lang/StringBuilder\n    aload 0\n    \
         invokevirtual java/lang/StringBuilder append (Ljava/lang/Object;)Ljava/lang/StringBuilder;\n    pop",
        "    aconst_null\n    checkcast java/util/ArrayList\n    invokevirtual java/util/ArrayList size ()I\n    pop",
        "    ldc string \"a\"\n    invokevirtual java/lang/String intern ()Ljava/lang/String;\n    pop",
        "    aload 0\n    monitorenter\n    aload 0\n    monitorexit",
        "    aload 0\n    iload 1\n    invokevirtual A catching (I)V",
    ];
    for body in bodies {
        assert!(!endless(body, &["A"]), "{body}");
    }
    assert!(!endless(&made("Finalized"), &["A"]));
}

/// What the class of no object has is not part of the snapshots.
#[test]
fn static_fields_are_shown_of_classes_with_objects() {
    let body = "    getstatic B none LB;\n    pop";
    assert!(!endless(body, &["A"]));
    assert!(endless(body, &["A", "Quiet"]));
    // but not if they are made only later
    assert!(!endless(&format!("{}\n{body}", made("Quiet")), &["A"]));
}

#[test]
fn receivers_are_of_classes_with_objects() {
    let [class, interface] = EACH;
    assert!(endless(class, &["A", "Quiet", "Worker"]));
    assert!(!endless(class, &["A", "Quiet", "Loud"]));
    // the code makes one, before or after
    assert!(endless(&format!("{class}\n{}", made("Quiet")), &["A"]));
    assert!(!endless(&format!("{class}\n{}", made("Loud")), &["A"]));
    assert!(!endless(&format!("{}\n{class}", made("Loud")), &["A"]));
    assert!(endless(interface, &["A", "Worker"]));
    assert!(endless(interface, &["A", "Heir"]));
    // what it inherits from the JDK is not known
    assert!(!endless(interface, &["A", "Elsewhere"]));
    for body in EACH {
        assert!(!endless(body, &["A", "A$$Lambda/0x0001"]), "{body}");
    }
}

#[test]
fn classes_of_the_jdk_are_known_only_if_nothing_extends_them() {
    let body = "    aconst_null\n    checkcast java/text/ParsePosition\n    \
                invokevirtual java/text/ParsePosition getIndex ()I\n    pop";
    assert!(endless(body, &["A"]));
    assert!(!endless(body, &["A", "Position"]));
    let body = "    aconst_null\n    checkcast java/lang/CharSequence\n    \
                invokeinterface java/lang/CharSequence length ()I\n    pop";
    assert!(endless(
        body,
        &["A", "java.lang.String", "java.lang.StringBuilder"]
    ));
    assert!(!endless(body, &["A", "java.nio.HeapCharBuffer"]));
    assert!(!endless(body, &["A", "javax.swing.text.Segment"]));
    assert!(!endless(body, &["A", "Letters"]));
}

#[test]
fn local_variables_may_change_that_are_written_before_they_are_read() {
    let goes_on = |body: &str| endless(&body.replace("; ", "\n    "), &["A"]);
    assert!(goes_on("    iconst_1; istore 5; iload 5; pop"));
    assert!(goes_on("    lconst_0; lstore 6; lload 6; pop2"));
    assert!(!goes_on("    iload 5; pop; iconst_1; istore 5"));
    assert!(!goes_on("    iinc 5 1"));
    assert!(!goes_on("    lload 6; pop2; lconst_0; lstore 6"));
    assert!(!goes_on(
        "    iload 1; ifne L5; iconst_1; istore 5\n  L5:\n    iload 5; pop"
    ));
}

#[test]
fn a_loop_that_catches_is_not_looked_at() {
    let caught = |then: &str| {
        let body = format!(
            "  L5:\n    iconst_1\n    iload 1\n    idiv\n    pop\n    goto L0\n  L6:\n    pop\n    goto {then}\n  L7:"
        );
        let range = "  L1:\n    return\n    try L5 L6 L6 class java/lang/ArithmeticException\n";
        let text = looping(&body).replacen("  L1:\n    return\n", range, 1);
        let classes: BTreeMap<String, Vec<u8>> = [instrumented(&text)].into();
        let round = Round {
            class: "A",
            method: "m",
            descriptor: "(ILB;LI;[IIJ)V",
            places: &[head(&classes["A"])],
            changing: &[],
            reach: Some(&[]),
        };
        is_endless(&round, 1, &|name| classes.get(name).cloned())
    };
    assert!(!caught("L0"));
    assert!(caught("L1"));
}
