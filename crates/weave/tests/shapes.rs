//! What is woven into a class, as text: class in, class out.

use std::sync::Arc;

use braid_classfile::ClassTable;
use braid_classfile_text::{assemble, print, print_method};
use braid_weave::{Alternative, Change, Passes, ProbeMap, World, instrument, weave};
use expect_test::{Expect, expect};

fn class(text: &str) -> Vec<u8> {
    let header = "version 61\n";
    assemble(&format!("{header}{text}"), &ClassTable::new().lenient()).expect("a class")
}

/// Everything that instrumenting makes of a class.
fn check_reset(text: &str, expect: Expect) {
    let bytes = class(text);
    let mut world = World::new();
    world.add(&bytes).unwrap();
    let passes = Passes {
        reset: Some(&world),
        ..Passes::default()
    };
    let out = instrument(&bytes, &passes).unwrap().bytes.unwrap();
    expect.assert_eq(&print(&out).unwrap());
}

/// What fuel and probes make of the method `run ()V`.
fn check_run(text: &str, expect: Expect) {
    let bytes = class(text);
    let mut probes = ProbeMap::new();
    let passes = Passes {
        fuel: true,
        reset: None,
        coverage: Some(probes.add(&bytes).unwrap()),
    };
    let out = instrument(&bytes, &passes).unwrap().bytes.unwrap();
    expect.assert_eq(&print_method(&out, "run", "()V").unwrap().unwrap());
}

/// A class with alternatives: the text with each line `a | b | c` as `a`, woven with `b` as
/// variant 1 and `c` as variant 2.
fn check_weave(text: &str, expect: Expect) {
    let version = |number: usize| {
        let line = |line: &str| {
            let parts: Vec<&str> = line.split(" | ").collect();
            (*parts.get(number).unwrap_or(&parts[0])).to_owned()
        };
        class(&text.lines().map(line).collect::<Vec<_>>().join("\n"))
    };
    let alternatives: Vec<Alternative> = (1..=2)
        .map(|number| Alternative {
            variant: number as u32,
            change: Change::Class(Arc::from(version(number))),
        })
        .collect();
    let woven = weave(&version(0), &alternatives).unwrap();
    assert_eq!(woven.unsupported, vec![]);
    expect.assert_eq(&print(&woven.bytes.unwrap()).unwrap());
}

#[test]
fn a_loop_ticks_at_its_head_and_a_method_with_calls_at_its_entry() {
    check_run(
        "class public super A extends java/lang/Object

method public static run ()V
  L0:
    invokestatic A stop ()Z
    ifeq L0
    return
",
        expect![[r#"
            method public static run ()V
                limits 1 0
                invokestatic braid/runtime/Braid tick ()V
                iconst_0
                invokestatic braid/runtime/Braid hit (I)V
              L0:
                frame locals stack
                invokestatic braid/runtime/Braid tick ()V
                invokestatic A stop ()Z
                ifeq L0
                return
        "#]],
    );
}

#[test]
fn a_loop_inside_a_try_has_a_hard_tick_outside_of_it() {
    check_run(
        "class public super A extends java/lang/Object

method public static run ()V
    try L0 L1 L1 any
  L0:
    invokestatic A work ()V
    goto L0
  L1:
    pop
    goto L0
",
        expect![[r#"
            method public static run ()V
                limits 1 0
                invokestatic braid/runtime/Braid tick ()V
                iconst_0
                invokestatic braid/runtime/Braid hit (I)V
              L0:
                frame locals stack
                invokestatic braid/runtime/Braid hardTick ()V
              L1:
                invokestatic braid/runtime/Braid tick ()V
                invokestatic A work ()V
                goto L0
              L2:
                frame locals stack class java/lang/Throwable
                pop
                goto L0
                try L1 L2 L2 any
        "#]],
    );
}

#[test]
fn a_handler_that_only_unlocks_is_not_cut() {
    check_run(
        "class public super A extends java/lang/Object

method public static run ()V
    try L0 L1 L1 any
    try L1 L2 L1 any
    ldc class A
    dup
    astore 0
    monitorenter
  L0:
    invokestatic A work ()V
    goto L0
  L1:
    astore 1
    aload 0
    monitorexit
  L2:
    aload 1
    athrow
",
        expect![[r#"
            method public static run ()V
                limits 2 2
                invokestatic braid/runtime/Braid tick ()V
                iconst_0
                invokestatic braid/runtime/Braid hit (I)V
                ldc class A
                dup
                astore 0
                monitorenter
              L0:
                frame locals class java/lang/Class stack
                invokestatic braid/runtime/Braid tick ()V
                invokestatic A work ()V
                goto L0
              L1:
                frame locals class java/lang/Class stack class java/lang/Throwable
                astore 1
                aload 0
                monitorexit
              L2:
                aload 1
                athrow
                try L0 L1 L1 any
                try L1 L2 L1 any
        "#]],
    );
}

#[test]
fn a_class_with_static_state_is_initialised_by_its_guard() {
    check_reset(
        "class public super A extends java/lang/Object

field private static count I
field static final LIST Ljava/lang/Object;
field static final CONSTANT I
    constant int 5

method public static next ()I
    getstatic A count I
    iconst_1
    iadd
    dup
    putstatic A count I
    ireturn

method public peek ()I
    getstatic A count I
    ireturn

method static <clinit> ()V
    new java/lang/Object
    dup
    invokespecial java/lang/Object <init> ()V
    putstatic A LIST Ljava/lang/Object;
    return
",
        expect![[r#"
            version 61
            class public super A extends java/lang/Object

            field private static count I

            field static LIST Ljava/lang/Object;

            field static final CONSTANT I
                constant int 5

            field private static synthetic $braid$epoch I
                constant int -2147483648

            field private static synthetic $braid$owner Ljava/lang/Thread;

            method public static next ()I
                limits 2 0
                invokestatic A $braid$guard ()V
                getstatic A count I
                iconst_1
                iadd
                dup
                putstatic A count I
                ireturn

            method public peek ()I
                limits 1 1
                invokestatic A $braid$guard ()V
                getstatic A count I
                ireturn

            method private static synthetic $braid$clinit ()V
                limits 2 0
                new java/lang/Object
                dup
                invokespecial java/lang/Object <init> ()V
                putstatic A LIST Ljava/lang/Object;
                return

            method public static synthetic $braid$guard ()V
                limits 2 0
                getstatic A $braid$epoch I
                getstatic braid/runtime/Braid epoch I
                if_icmpeq L0
                invokestatic A $braid$init ()V
              L0:
                frame locals stack
                return

            method private static synthetic $braid$init ()V
                limits 2 2
                getstatic A $braid$owner Ljava/lang/Thread;
                invokestatic java/lang/Thread currentThread ()Ljava/lang/Thread;
                if_acmpeq L2
                ldc class A
                invokestatic braid/runtime/Reset begin (Ljava/lang/Class;)Z
                ifeq L2
                getstatic braid/runtime/Braid epoch I
                istore 0
              L0:
                invokestatic java/lang/Thread currentThread ()Ljava/lang/Thread;
                putstatic A $braid$owner Ljava/lang/Thread;
                iconst_0
                putstatic A count I
                aconst_null
                putstatic A LIST Ljava/lang/Object;
                invokestatic A $braid$clinit ()V
              L1:
                aconst_null
                putstatic A $braid$owner Ljava/lang/Thread;
                iload 0
                putstatic A $braid$epoch I
                ldc class A
                invokestatic braid/runtime/Reset done (Ljava/lang/Class;)V
              L2:
                frame locals stack
                return
              L3:
                frame locals int stack class java/lang/Throwable
                astore 1
                aconst_null
                putstatic A $braid$owner Ljava/lang/Thread;
                ldc class A
                aload 1
                invokestatic braid/runtime/Reset failed (Ljava/lang/Class;Ljava/lang/Throwable;)Ljava/lang/Throwable;
                athrow
                try L0 L1 L3 any
        "#]],
    );
}

#[test]
fn fields_of_interfaces_live_in_cells() {
    check_reset(
        "class public interface abstract I extends java/lang/Object

field public static final LIST Ljava/lang/Object;
field public static final LONG J

method static <clinit> ()V
    new java/lang/Object
    dup
    invokespecial java/lang/Object <init> ()V
    putstatic I LIST Ljava/lang/Object;
    invokestatic java/lang/System nanoTime ()J
    putstatic I LONG J
    return
",
        expect![[r#"
            version 61
            class public interface abstract I extends java/lang/Object

            field public static final LIST Ljava/lang/Object;

            field public static final LONG J

            field public static final synthetic $braid$epoch [I

            field public static final synthetic $braid$cells [Ljava/lang/Object;

            method private static synthetic $braid$clinit ()V
                limits 3 0
                new java/lang/Object
                dup
                invokespecial java/lang/Object <init> ()V
                getstatic I $braid$cells [Ljava/lang/Object;
                swap
                iconst_1
                swap
                aastore
                invokestatic java/lang/System nanoTime ()J
                invokestatic java/lang/Long valueOf (J)Ljava/lang/Long;
                getstatic I $braid$cells [Ljava/lang/Object;
                swap
                iconst_2
                swap
                aastore
                return

            method public static synthetic $braid$guard ()V
                limits 2 0
                getstatic I $braid$epoch [I
                iconst_0
                iaload
                getstatic braid/runtime/Braid epoch I
                if_icmpeq L0
                invokestatic interface I $braid$init ()V
              L0:
                frame locals stack
                return

            method private static synthetic $braid$init ()V
                limits 4 2
                getstatic I $braid$cells [Ljava/lang/Object;
                iconst_0
                aaload
                invokestatic java/lang/Thread currentThread ()Ljava/lang/Thread;
                if_acmpeq L2
                ldc class I
                invokestatic braid/runtime/Reset begin (Ljava/lang/Class;)Z
                ifeq L2
                getstatic braid/runtime/Braid epoch I
                istore 0
              L0:
                getstatic I $braid$cells [Ljava/lang/Object;
                iconst_0
                invokestatic java/lang/Thread currentThread ()Ljava/lang/Thread;
                aastore
                getstatic I $braid$cells [Ljava/lang/Object;
                iconst_1
                aconst_null
                aastore
                getstatic I $braid$cells [Ljava/lang/Object;
                iconst_2
                lconst_0
                invokestatic java/lang/Long valueOf (J)Ljava/lang/Long;
                aastore
                invokestatic interface I $braid$clinit ()V
              L1:
                getstatic I $braid$cells [Ljava/lang/Object;
                iconst_0
                aconst_null
                aastore
                getstatic I $braid$epoch [I
                iconst_0
                iload 0
                iastore
                ldc class I
                invokestatic braid/runtime/Reset done (Ljava/lang/Class;)V
              L2:
                frame locals stack
                return
              L3:
                frame locals int stack class java/lang/Throwable
                astore 1
                getstatic I $braid$cells [Ljava/lang/Object;
                iconst_0
                aconst_null
                aastore
                ldc class I
                aload 1
                invokestatic braid/runtime/Reset failed (Ljava/lang/Class;Ljava/lang/Throwable;)Ljava/lang/Throwable;
                athrow
                try L0 L1 L3 any

            method static <clinit> ()V
                limits 4 0
                iconst_1
                newarray int
                dup
                iconst_0
                ldc int -2147483648
                iastore
                putstatic I $braid$epoch [I
                iconst_3
                anewarray java/lang/Object
                putstatic I $braid$cells [Ljava/lang/Object;
                return
        "#]],
    );
}

#[test]
fn a_changed_method_chooses_by_the_active_variant() {
    check_weave(
        "class public super A extends java/lang/Object

method public add (IJ)I
    iload 1
    iconst_1 | iconst_2 | iconst_3
    iadd
    ireturn
",
        expect![[r#"
            version 61
            class public super A extends java/lang/Object

            method public add (IJ)I
                limits 4 4
                getstatic braid/runtime/Braid active I
                ifeq L2
                getstatic braid/runtime/Braid active I
                tableswitch 1 L0 L1 default L2
              L0:
                frame locals class A int long stack
                aload 0
                iload 1
                lload 2
                invokespecial A add$braid$1 (IJ)I
                ireturn
              L1:
                frame locals class A int long stack
                aload 0
                iload 1
                lload 2
                invokespecial A add$braid$2 (IJ)I
                ireturn
              L2:
                frame locals class A int long stack
                iload 1
                iconst_1
                iadd
                ireturn

            method private synthetic add$braid$1 (IJ)I
                limits 2 4
                iload 1
                iconst_2
                iadd
                ireturn

            method private synthetic add$braid$2 (IJ)I
                limits 2 4
                iload 1
                iconst_3
                iadd
                ireturn
        "#]],
    );
}

#[test]
fn a_changed_constructor_delegates_to_a_marked_one() {
    check_weave(
        "class public super A extends java/lang/Object

field private final x I

method <init> (I)V
    aload 0
    invokespecial java/lang/Object <init> ()V
    aload 0
    iload 1
    nop | iconst_1 | nop
    nop | iadd | nop
    putfield A x I
    return
",
        expect![[r#"
            version 61
            class public super A extends java/lang/Object

            field private final x I

            method <init> (I)V
                limits 3 2
                getstatic braid/runtime/Braid active I
                ifeq L1
                getstatic braid/runtime/Braid active I
                tableswitch 1 L0 default L1
              L0:
                frame locals this int stack
                aload 0
                iload 1
                aconst_null
                invokespecial A <init> (I[Lbraid/runtime/Braid;)V
                return
              L1:
                frame locals this int stack
                aload 0
                invokespecial java/lang/Object <init> ()V
                aload 0
                iload 1
                nop
                nop
                putfield A x I
                return

            method private synthetic <init> (I[Lbraid/runtime/Braid;)V
                limits 3 3
                aload 0
                invokespecial java/lang/Object <init> ()V
                aload 0
                iload 1
                iconst_1
                iadd
                putfield A x I
                return
        "#]],
    );
}
