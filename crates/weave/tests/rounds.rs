//! A loop that came round is endless only if nothing around it leaves a trace.

use braid_classfile::{ClassFile, ClassTable, Operand};
use braid_weave::{Passes, Round, instrument, is_endless};

/// A class with one loop `m`, whose body is given, and methods to call.
fn class(body: &str) -> Vec<u8> {
    let text = format!(
        "\
version 61
class public super A extends java/lang/Object

field static count I
field kept I

method static m (IILA;)V
  L0:
    iload 0
    ifeq L1
{body}
    goto L0
  L1:
    return

method static sum (II)I
    iload 0
    iload 1
    iadd
    ireturn

method static counted (II)I
    iload 0
    putstatic A count I
    iload 1
    ireturn

method around (I)I
    iload 1
    ireturn
"
    );
    braid_classfile_text::assemble(&text, &ClassTable::new()).unwrap()
}

/// The code offsets of the ticks of `m`.
fn ticks(bytes: &[u8]) -> Vec<u32> {
    let class = ClassFile::parse(bytes).unwrap();
    let code = class.method("m", "(IILA;)V").unwrap().code().unwrap();
    let code = code.unwrap();
    let insns = code.instructions().map(Result::unwrap);
    let is_tick = |operand| match operand {
        Operand::Method(index) => code.pool().method(index).unwrap().name == "tick",
        _ => false,
    };
    insns
        .filter(|insn| is_tick(insn.operand))
        .map(|insn| insn.pc)
        .collect()
}

fn endless(bytes: &[u8], places: &[u32]) -> bool {
    let round = Round {
        class: "A",
        method: "m",
        descriptor: "(IILA;)V",
        places,
    };
    is_endless(&round, 1, &|name| (name == "A").then(|| bytes.to_vec()))
}

fn instrumented(body: &str) -> Vec<u8> {
    let passes = Passes {
        fuel: true,
        ..Passes::default()
    };
    instrument(&class(body), &passes).unwrap().bytes.unwrap()
}

#[test]
fn what_leaves_no_trace_goes_round_for_ever() {
    let bodies = [
        "    iinc 1 1",
        "    iload 0\n    iload 1\n    invokestatic A sum (II)I\n    istore 1",
        "    iload 0\n    iload 1\n    invokestatic java/lang/Math max (II)I\n    istore 1",
        "    aload 2\n    getfield A kept I\n    istore 1",
    ];
    for body in bodies {
        let bytes = instrumented(body);
        let [entry, head] = ticks(&bytes)[..] else {
            panic!("a tick at the entry and one at the loop: {body}")
        };
        assert!(endless(&bytes, &[head, head]), "{body}");
        // a tick at the entry in between: it was another call
        assert!(!endless(&bytes, &[head, entry, head]), "{body}");
        assert!(!endless(&bytes, &[entry, entry]), "{body}");
    }
}

#[test]
fn what_leaves_a_trace_may_end() {
    let bodies = [
        "    iload 1\n    putstatic A count I",
        "    aload 2\n    iload 1\n    putfield A kept I",
        "    iload 0\n    iload 1\n    invokestatic A counted (II)I\n    istore 1",
        "    aload 2\n    iload 1\n    invokevirtual A around (I)I\n    istore 1",
        "    invokestatic java/lang/System nanoTime ()J\n    pop2",
        "    invokestatic java/lang/Math random ()D\n    pop2",
        "    invokestatic Other work ()V",
        "    aload 2\n    monitorenter\n    aload 2\n    monitorexit",
    ];
    for body in bodies {
        let bytes = instrumented(body);
        let head = *ticks(&bytes).last().unwrap();
        assert!(!endless(&bytes, &[head, head]), "{body}");
    }
}

#[test]
fn without_a_tick_at_the_entry_calls_cannot_be_told_apart() {
    let bytes = class("    invokestatic braid/runtime/Braid tick ()V");
    let head = ticks(&bytes)[0];
    assert!(!endless(&bytes, &[head, head]));
}
