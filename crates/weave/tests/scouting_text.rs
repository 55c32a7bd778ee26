//! The code that looks at variants, as text.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::sync::Arc;

use braid_classfile::ClassTable;
use braid_weave::{Change, ClassChange, Question, Scouting, scouting};
use expect_test::{Expect, expect};

fn class(body: &str) -> Vec<u8> {
    let text = format!(
        "\
version 52
class public super A extends java/lang/Object

field count I

method static f (LA;I)I
{body}
method native seen (I)Z
"
    );
    braid_classfile_text::assemble(&text, &ClassTable::new().lenient()).unwrap()
}

fn looking(old: &str, new: &str) -> Scouting {
    looking_at(class(old), class(new))
}

fn looking_at(old: Vec<u8>, new: Vec<u8>) -> Scouting {
    let change = Change::Class(Arc::from(new));
    let classes = [("A".to_owned(), ClassChange::Change(change))];
    let question = Question {
        number: 3,
        classes: &classes,
    };
    let find = |name: &str| (name == "A").then(|| Cow::from(old.as_slice()));
    let class = |name: &str| (name == "A").then(|| old.clone());
    let names = BTreeSet::from(["A".to_owned()]);
    scouting(&find, &class, &names, &[question]).unwrap()
}

fn check(old: &str, new: &str, expected: Expect) {
    let scouting = looking(old, new);
    let text = match scouting.classes.get("A") {
        Some(bytes) => braid_classfile_text::print(bytes).unwrap(),
        None => "not asked\n".to_owned(),
    };
    let methods = text.split("\nmethod ").skip(1);
    let methods: Vec<&str> = methods.filter(|m| !m.contains("native")).collect();
    expected.assert_eq(&methods.join("\n"));
}

const SUM: &str = "    iload 1
    iconst_2
    iadd
    ireturn
";

#[test]
fn another_operator_gets_the_operands_and_compares_what_is_returned() {
    check(
        SUM,
        &SUM.replace("iadd", "isub"),
        expect![[r#"
        static f (LA;I)I
            limits 2 4
            iload 1
            iconst_2
            istore 2
            istore 3
            iload 3
            iload 2
            invokestatic A scout$braid$12 (II)V
            iload 3
            iload 2
            iadd
            ireturn

        private static synthetic scout$braid$12 (II)V
            limits 3 11
          L0:
            iconst_3
            invokestatic braid/runtime/Dry looks (I)Z
            ifne L1
            return
          L1:
            frame locals int int stack
            iconst_0
            istore 6
            iconst_0
            istore 7
            iload 0
            iload 1
            isub
            istore 7
            iconst_1
            istore 6
            goto L2
          L2:
            frame locals int int top top top top int int stack
            iload 0
            iload 1
            iadd
            istore 8
            iload 6
            iconst_1
            if_icmpne L4
            iload 8
            iload 7
            if_icmpne L4
            goto L3
          L3:
            frame locals int int top top top top int int int stack
            return
          L4:
            frame locals int int top top top top int int int stack
            iconst_3
            invokestatic braid/runtime/Dry differs (I)V
            return
          L5:
            frame locals int int stack class java/lang/Throwable
            astore 9
            aload 9
            instanceof java/lang/RuntimeException
            ifne L6
            getstatic braid/runtime/Braid hits [B
            astore 10
            aload 10
            arraylength
            push 8
            if_icmple L6
            aload 10
            push 8
            iconst_1
            bastore
          L6:
            frame locals int int top top top top top top top class java/lang/Throwable stack
            getstatic braid/runtime/Braid hits [B
            astore 10
            aload 10
            arraylength
            push 7
            if_icmple L7
            aload 10
            push 7
            iconst_1
            bastore
          L7:
            frame locals int int top top top top top top top class java/lang/Throwable class [B stack
            aload 9
            instanceof braid/runtime/OutOfFuel
            ifne L8
            aload 9
            instanceof java/lang/ThreadDeath
            ifne L8
            goto L9
          L8:
            frame locals int int top top top top top top top class java/lang/Throwable class [B stack
            aload 9
            athrow
          L9:
            frame locals int int top top top top top top top class java/lang/Throwable class [B stack
            return
            try L0 L5 L5 any
    "#]],
    );
}

#[test]
fn a_guard_gets_the_local_variables_that_it_looks_at() {
    let guard = "    aload 0
    ifnonnull L0
    iconst_0
    ireturn
  L0:
  frame locals class A int stack
";
    let rest = "    aload 0\n    iload 1\n    putfield A count I\n    iload 1\n    ireturn\n";
    check(rest, &format!("{guard}{rest}"), expect![[""]]);
}

#[test]
fn where_classes_may_be_made_at_run_time_no_method_is_what_it_seems() {
    let call = "    iload 1\n    invokestatic A pure (I)I\n    pop\n";
    let text = |field: &str, more: &str| {
        let text = format!(
            "version 52
class public super A extends java/lang/Object

field made {field}

method static f (LA;I)I
{more}{SUM}
method static pure (I)I
    iload 0
    ireturn
"
        );
        braid_classfile_text::assemble(&text, &ClassTable::new().lenient()).unwrap()
    };
    for (field, expected) in [("LB;", 1), ("Lorg/mockito/Spy;", 0)] {
        let scouting = looking_at(text(field, ""), text(field, call));
        assert_eq!(scouting.asked.len(), expected, "{field}");
    }
}

#[test]
fn what_may_change_something_is_not_asked() {
    let refused = [
        (
            "putfield",
            "    aload 0\n    iload 1\n    putfield A count I\n",
        ),
        (
            "a native method",
            "    aload 0\n    iload 1\n    invokevirtual A seen (I)Z\n    pop\n",
        ),
        ("an unknown class", "    invokestatic B f ()V\n"),
        ("the JDK", "    invokestatic java/lang/System gc ()V\n"),
        (
            "itself",
            "    aload 0\n    iload 1\n    invokestatic A f (LA;I)I\n    pop\n",
        ),
        (
            "a monitor",
            "    aload 0\n    monitorenter\n    aload 0\n    monitorexit\n",
        ),
        (
            "an old array",
            "    aconst_null\n    checkcast [I\n    iconst_0\n    iconst_0\n    iastore\n",
        ),
    ];
    for (what, more) in refused {
        let scouting = looking(SUM, &format!("{more}{SUM}"));
        assert!(scouting.asked.is_empty(), "{what}");
        assert!(scouting.classes.is_empty(), "{what}");
    }
    let allowed = "    iload 1\n    invokestatic java/lang/Math abs (I)I\n    pop\n";
    let scouting = looking(SUM, &format!("{allowed}{SUM}"));
    assert_eq!(scouting.asked, BTreeSet::from([3]));
    assert_eq!(scouting.spoiled, 8);
}
