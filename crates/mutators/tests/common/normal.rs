//! A method's code in a normal form, in which javac's code for the source of a mutant and the
//! mutant made in bytecode are the same.

use std::collections::BTreeSet;

use braid_classfile::{ClassFile, Code, Constant, Editor, Insn, Op};

/// The instructions of a method, one text for each; jumps name the number of their target.
pub(crate) fn method(bytes: &[u8], name: &str, descriptor: &str) -> Option<Vec<String>> {
    let class = ClassFile::parse(bytes).ok()?;
    let position = class
        .methods()
        .position(|m| m.name() == name && m.descriptor() == descriptor)?;
    let mut editor = Editor::new(&class);
    let mut code = Code::default();
    editor.read_code(position, &mut code).ok()?;
    loop {
        let before = code.insns.clone();
        decide(&mut code);
        shorten(&mut code);
        drop_values(&mut code);
        remove_dead(&mut code);
        if code.insns == before {
            break;
        }
    }
    Some(print(&class, &code))
}

fn int(insn: Insn) -> Option<i32> {
    match insn {
        Insn::Push(value) => Some(value.into()),
        Insn::Plain(op) if (Op::IconstM1 as u8..=Op::Iconst5 as u8).contains(&(op as u8)) => {
            Some(op as i32 - Op::Iconst0 as i32)
        }
        _ => None,
    }
}

/// Jumps on constants and jumps to the next instruction.
fn decide(code: &mut Code) {
    for at in 0..code.insns.len() {
        let Insn::Jump(op, label) = code.insns[at] else {
            continue;
        };
        if at > 0
            && let Some(value) = int(code.insns[at - 1])
        {
            let taken = match op {
                Op::Ifeq => value == 0,
                Op::Ifne => value != 0,
                _ => continue,
            };
            let jump = if taken {
                Insn::Jump(Op::Goto, label)
            } else {
                Insn::Plain(Op::Nop)
            };
            code.insns[at] = jump;
            code.insns[at - 1] = Insn::Plain(Op::Nop);
        } else if op == Op::Goto
            && real(code, code.positions()[label.0 as usize]) == real(code, at + 1)
        {
            code.insns[at] = Insn::Plain(Op::Nop);
        }
    }
    code.insns.retain(|insn| *insn != Insn::Plain(Op::Nop));
}

fn real(code: &Code, at: usize) -> Option<usize> {
    (at..code.insns.len()).find(|i| code.insns[*i].is_real())
}

/// Jumps to jumps.
fn shorten(code: &mut Code) {
    let positions = code.positions();
    for at in 0..code.insns.len() {
        if let Insn::Jump(op, label) = code.insns[at]
            && let Some(target) = real(code, positions[label.0 as usize])
            && target != at
            && let Insn::Jump(Op::Goto, next) = code.insns[target]
        {
            code.insns[at] = Insn::Jump(op, next);
        }
    }
}

/// Values that are made only to be dropped.
fn drop_values(code: &mut Code) {
    let places: Vec<usize> = (0..code.insns.len())
        .filter(|i| code.insns[*i].is_real())
        .collect();
    let mut gone = BTreeSet::new();
    for pair in places.windows(2) {
        let [value, drop] = [pair[0], pair[1]];
        if gone.contains(&value) {
            continue;
        }
        match code.insns[drop] {
            Insn::Plain(Op::Pop) if pure(code.insns[value]) == 1 => gone.extend([value, drop]),
            Insn::Plain(Op::Pop2) if pure(code.insns[value]) == 2 => gone.extend([value, drop]),
            Insn::Plain(Op::Pop2) if pure(code.insns[value]) == 1 => {
                code.insns[drop] = Insn::Plain(Op::Pop);
                gone.insert(value);
            }
            // `a, b, swap, pop`: b alone.
            Insn::Plain(Op::Swap | Op::Dup2X2) if pure(code.insns[value]) > 0 => {
                let Some(rest) = places.iter().position(|place| *place == drop) else {
                    continue;
                };
                let wide = code.insns[drop] == Insn::Plain(Op::Dup2X2);
                let pops = if wide { 2 } else { 1 };
                let tail: Vec<usize> = places[rest + 1..].iter().take(pops).copied().collect();
                let op = if wide { Op::Pop2 } else { Op::Pop };
                if tail.len() < pops || tail.iter().any(|at| code.insns[*at] != Insn::Plain(op)) {
                    continue;
                }
                code.insns[drop] = code.insns[value];
                code.insns[value] = Insn::Plain(op);
                gone.extend(tail);
            }
            Insn::Plain(op @ (Op::Pop | Op::Pop2)) if dropped(code.insns[value], op).is_some() => {
                code.insns[value] = Insn::Plain(dropped(code.insns[value], op).unwrap());
                gone.insert(drop);
            }
            Insn::Class(Op::Checkcast, _) if code.insns[value] == Insn::Plain(Op::AconstNull) => {
                gone.insert(drop);
            }
            _ => {}
        }
    }
    let mut at = 0;
    code.insns.retain(|_| {
        at += 1;
        !gone.contains(&(at - 1))
    });
}

/// How an operation without effect drops its operands, if its result is dropped so.
fn dropped(insn: Insn, drop: Op) -> Option<Op> {
    let wide = drop == Op::Pop2;
    Some(match insn {
        Insn::Field(Op::Getfield, _) => Op::Pop,
        Insn::Plain(op) => match (op.pops(), op.push_slots()) {
            _ if op.is_return() || matches!(op, Op::Athrow | Op::Pop | Op::Pop2 | Op::Swap) => {
                return None;
            }
            (_, Some(slots)) if slots != u8::from(wide) + 1 => return None,
            ("II" | "AI" | "J" | "D" | "FF", Some(_)) => Op::Pop2,
            ("I" | "A" | "F", Some(_)) => Op::Pop,
            _ => return None,
        },
        _ => return None,
    })
}

fn pure(insn: Insn) -> u8 {
    match insn {
        Insn::Push(_) => 1,
        Insn::Local(op, _) if op.is_load() => op.push_slots().unwrap_or(1),
        Insn::Plain(op) if op as u8 >= Op::AconstNull as u8 && op as u8 <= Op::Dconst1 as u8 => {
            op.push_slots().unwrap_or(1)
        }
        Insn::Field(Op::Getstatic, _) => 1,
        Insn::Const(Op::Ldc2W, _) => 2,
        Insn::Const(..) => 1,
        _ => 0,
    }
}

/// Code that nothing reaches.
fn remove_dead(code: &mut Code) {
    let positions = code.positions();
    let mut reached = vec![false; code.insns.len()];
    let mut todo = vec![0];
    todo.extend(code.tries.iter().map(|t| positions[t.handler.0 as usize]));
    while let Some(mut at) = todo.pop() {
        while at < code.insns.len() && !reached[at] {
            reached[at] = true;
            match code.insns[at] {
                Insn::Jump(_, label) => todo.push(positions[label.0 as usize]),
                Insn::Switch(index) => {
                    let targets = code.switches[index as usize].targets();
                    todo.extend(targets.map(|label| positions[label.0 as usize]));
                }
                _ => {}
            }
            if code.insns[at].ends_block() {
                break;
            }
            at += 1;
        }
    }
    let mut at = 0;
    code.insns.retain(|insn| {
        at += 1;
        reached[at - 1] || !insn.is_real()
    });
}

fn print(class: &ClassFile<'_>, code: &Code) -> Vec<String> {
    let positions = code.positions();
    let number = |label: braid_classfile::Label| {
        let to = positions[label.0 as usize];
        code.insns[..to]
            .iter()
            .filter(|insn| insn.is_real())
            .count()
    };
    let constant = |index: u16| match class.pool().get(index) {
        Ok(Constant::InvokeDynamic(dynamic)) => {
            format!("dynamic {} {}", dynamic.name, dynamic.descriptor)
        }
        Ok(constant) => format!("{constant:?}"),
        Err(_) => "?".to_owned(),
    };
    let one = |insn: &Insn| match *insn {
        Insn::Jump(op, label) => format!("{op} {}", number(label)),
        Insn::Const(_, index) => format!("ldc {}", constant(index)),
        Insn::Field(op, index) | Insn::Invoke(op, index) | Insn::Class(op, index) => {
            format!("{op} {}", constant(index))
        }
        Insn::InvokeInterface(index, _) | Insn::InvokeDynamic(index) => constant(index),
        Insn::Switch(index) => {
            let switch = &code.switches[index as usize];
            format!("{:?}", switch.targets().map(number).collect::<Vec<_>>())
        }
        other => format!("{other:?}"),
    };
    code.insns
        .iter()
        .filter(|insn| insn.is_real())
        .map(one)
        .collect()
}
