//! A loop that came round is endless only if nothing around it leaves a trace, or depends on what has changed.

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

method static m (IILA;JI)V
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
    let code = class.method("m", "(IILA;JI)V").unwrap().code().unwrap();
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
    endless_but(bytes, places, &[])
}

/// The same if some local variables were others.
fn endless_but(bytes: &[u8], places: &[u32], changing: &[u32]) -> bool {
    let round = Round {
        class: "A",
        method: "m",
        descriptor: "(IILA;JI)V",
        places,
        changing,
        reach: None,
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

/// Whether a loop with this body is endless that came round with others of these local variables.
fn goes_on(body: &str, changing: &[u32]) -> bool {
    let bytes = instrumented(body);
    let head = *ticks(&bytes).last().unwrap();
    endless_but(&bytes, &[head, head], changing)
}

#[test]
fn what_changes_does_not_matter_if_nothing_depends_on_it() {
    let bodies: &[(&str, &[u32])] = &[
        ("    iinc 1 1", &[1]),
        ("    iload 1\n    iload 0\n    iadd\n    istore 1", &[1]),
        ("    iload 1\n    iload 0\n    idiv\n    istore 1", &[1]),
        ("    lload 3\n    lload 3\n    ladd\n    lstore 3", &[3]),
        ("    lload 3\n    lload 3\n    ladd\n    lstore 3", &[4]),
        (
            "    iload 1\n    iload 0\n    swap\n    pop\n    istore 0",
            &[1],
        ),
        (
            "    iload 1\n    istore 5\n    iload 5\n    ineg\n    istore 1",
            &[1],
        ),
        ("    aload 2\n    pop", &[2]),
        (
            "    iload 1\n    i2l\n    lload 3\n    lcmp\n    istore 1",
            &[1, 3],
        ),
    ];
    for (body, changing) in bodies {
        assert!(goes_on(body, changing), "{body}");
    }
}

#[test]
fn what_changes_may_end_a_loop_that_depends_on_it() {
    let bodies: &[(&str, &[u32])] = &[
        ("    iinc 0 -1", &[0]),
        ("    iload 1\n    ifeq L1", &[1]),
        ("    iload 1\n    istore 0", &[1]),
        ("    iload 1\n    istore 5\n    iload 5\n    ifeq L1", &[1]),
        ("    iload 0\n    iload 1\n    idiv\n    istore 1", &[1]),
        ("    lload 3\n    lload 3\n    lrem\n    lstore 3", &[4]),
        ("    lload 3\n    l2i\n    istore 0", &[3]),
        ("    lload 3\n    l2i\n    istore 0", &[4]),
        (
            "    iload 0\n    iload 1\n    invokestatic A sum (II)I\n    istore 1",
            &[1],
        ),
        (
            "    iload 1\n    iload 0\n    swap\n    istore 0\n    pop",
            &[1],
        ),
        (
            "    iload 1\n    iload 0\n    dup_x1\n    pop\n    istore 0\n    pop",
            &[1],
        ),
        ("    aload 2\n    getfield A kept I\n    istore 1", &[2]),
        ("    aload 2\n    ifnull L1", &[2]),
        ("    iinc 1 1", &[9]),
    ];
    for (body, changing) in bodies {
        assert!(!goes_on(body, changing), "{body}");
    }
}

/// A loop of a few instructions on the integers 0, 1 and 5, and what one round makes of them: none if it ends.
struct Small(Vec<(&'static str, i32)>);

impl Small {
    fn text(&self) -> String {
        let line = |(name, number): &(&str, i32)| match *name {
            "iload" | "istore" => format!("    {name} {number}"),
            "ifeq" | "iflt" => format!("    {name} L1"),
            name => format!("    {name}"),
        };
        self.0.iter().map(line).collect::<Vec<_>>().join("\n")
    }

    fn round(&self, mut ints: [i32; 6]) -> Option<[i32; 6]> {
        if ints[0] == 0 {
            return None;
        }
        let mut stack: Vec<i32> = Vec::new();
        for (name, number) in &self.0 {
            match *name {
                "iload" => stack.push(ints[*number as usize]),
                "istore" => ints[*number as usize] = stack.pop().unwrap(),
                "dup" => stack.push(*stack.last().unwrap()),
                "pop" => drop(stack.pop()),
                "ifeq" | "iflt" => {
                    let value = stack.pop().unwrap();
                    if value == 0 && *name == "ifeq" || value < 0 && *name == "iflt" {
                        return None;
                    }
                }
                name => {
                    let (right, left) = (stack.pop().unwrap(), stack.pop().unwrap());
                    match name {
                        "iadd" => stack.push(left.wrapping_add(right)),
                        "ixor" => stack.push(left ^ right),
                        "idiv" if right == 0 => return None,
                        "idiv" => stack.push(left.wrapping_div(right)),
                        "swap" => stack.extend([right, left]),
                        _ => unreachable!("{name}"),
                    }
                }
            }
        }
        Some(ints)
    }

    /// A loop by chance that leaves nothing on the stack.
    fn random(random: &mut fastrand::Rng) -> Self {
        let mut insns = Vec::new();
        let mut depth = 0;
        let length = random.usize(3..14);
        while insns.len() < length || depth > 0 {
            let ending = insns.len() >= length;
            let slot = [0, 1, 1, 5, 5][random.usize(..5)];
            let two = ["iadd", "iadd", "ixor", "idiv", "swap"];
            let one = ["ifeq", "iflt", "pop", "dup"];
            let (name, change) = match random.u8(..10) {
                0..4 if !ending => ("iload", 1),
                4..7 if depth > 0 => ("istore", -1),
                7 if depth > 0 => match one[random.usize(..4)] {
                    "dup" => ("dup", 1),
                    // outside of the loop nothing is on the stack
                    "ifeq" | "iflt" if depth > 1 => continue,
                    name => (name, -1),
                },
                _ if depth > 1 => match two[random.usize(..5)] {
                    "swap" => ("swap", 0),
                    name => (name, -1),
                },
                _ => continue,
            };
            depth += change;
            insns.push((name, slot));
        }
        Self(insns)
    }
}

#[test]
fn no_loop_ends_that_was_taken_for_endless() {
    let mut random = fastrand::Rng::with_seed(11);
    let (mut proven, mut ended) = (0, 0);
    for _ in 0..4_000 {
        let small = Small::random(&mut random);
        let mut ints = [0; 6];
        for slot in [0, 1, 5] {
            ints[slot] = random.i32(-2..40);
        }
        let Some(after) = small.round(ints) else {
            continue;
        };
        let changing: Vec<u32> = (0..6)
            .filter(|slot| ints[*slot as usize] != after[*slot as usize])
            .collect();
        if changing.is_empty() {
            continue; // the same again
        }
        let goes_on = goes_on(&small.text(), &changing);
        let mut now = Some(after);
        for _ in 0..500 {
            now = now.and_then(|ints| small.round(ints));
        }
        assert!(!goes_on || now.is_some(), "{}: {ints:?}", small.text());
        proven += u32::from(goes_on);
        ended += u32::from(now.is_none());
    }
    assert!(
        proven > 200 && ended > 200,
        "{proven} proven, {ended} ended"
    );
}
