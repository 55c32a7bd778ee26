//! The instructions of a method and what can follow each of them, with the active variant's ways only.

use std::collections::HashMap;

use braid_classfile::{CodeAttribute, Instruction, Op, Operand};

use crate::names::BRAID;

/// A method's code with what can follow each instruction.
pub(crate) struct Body<'a> {
    pub(crate) code: CodeAttribute<'a>,
    pub(crate) insns: Vec<Instruction<'a>>,
    /// Where in `insns` a code offset is.
    at: HashMap<u32, usize>,
    /// First what follows if nothing is thrown, then what handles exceptions.
    pub(crate) next: Vec<Vec<usize>>,
    /// How many of these follow if nothing is thrown.
    pub(crate) straight: Vec<usize>,
}

impl<'a> Body<'a> {
    pub(crate) fn of(code: CodeAttribute<'a>, variant: u32) -> Option<Self> {
        let insns: Vec<Instruction<'a>> = code.instructions().collect::<Result<_, _>>().ok()?;
        let places = insns.iter().enumerate();
        let at = places.map(|(at, insn)| (insn.pc, at)).collect();
        let mut body = Body {
            code,
            next: Vec::with_capacity(insns.len()),
            straight: Vec::with_capacity(insns.len()),
            insns,
            at,
        };
        for at in 0..body.insns.len() {
            let mut next = body.successors(at, variant)?;
            body.straight.push(next.len());
            next.extend(body.handlers(at)?);
            body.next.push(next);
        }
        Some(body)
    }

    fn successors(&self, at: usize, variant: u32) -> Option<Vec<usize>> {
        let insn = &self.insns[at];
        let targets = match self.chosen(at, variant) {
            Some(target) => vec![target],
            None => {
                let mut targets = insn.operand.targets();
                if !insn.op.ends_block() {
                    targets.push(i64::from(insn.next_pc));
                }
                targets
            }
        };
        let place = |target: i64| self.at.get(&u32::try_from(target).ok()?).copied();
        targets.into_iter().map(place).collect()
    }

    /// Where exceptions of an instruction are handled.
    fn handlers(&self, at: usize) -> Option<Vec<usize>> {
        let pc = self.insns[at].pc;
        let entries = self.code.exceptions.iter();
        let around = entries
            .filter(|entry| (u32::from(entry.start_pc)..u32::from(entry.end_pc)).contains(&pc));
        around
            .map(|entry| self.at.get(&u32::from(entry.handler_pc)).copied())
            .collect()
    }

    /// Where an instruction goes that chooses by the number of the active variant.
    fn chosen(&self, at: usize, variant: u32) -> Option<i64> {
        let variant = i32::try_from(variant).ok()?;
        let insn = &self.insns[at];
        let before = |back: usize| Some(&self.insns[at.checked_sub(back)?]);
        match insn.operand {
            Operand::TableSwitch(switch) if self.is_active(before(1)?) => {
                let place = usize::try_from(i64::from(variant) - i64::from(switch.low)).ok();
                let target = place.and_then(|place| switch.targets().nth(place));
                Some(target.unwrap_or(switch.default))
            }
            Operand::LookupSwitch(switch) if self.is_active(before(1)?) => {
                let mut pairs = switch.pairs();
                let target = pairs.find(|(key, _)| *key == variant);
                Some(target.map_or(switch.default, |(_, target)| target))
            }
            Operand::Jump(target) if self.is_active(before(2)?) => {
                let than = self.int(before(1)?)?;
                let jumps = match insn.op {
                    Op::IfIcmplt => variant < than,
                    Op::IfIcmpgt => variant > than,
                    _ => return None,
                };
                Some(if jumps {
                    target
                } else {
                    i64::from(insn.next_pc)
                })
            }
            _ => None,
        }
    }

    fn is_active(&self, insn: &Instruction<'_>) -> bool {
        let Operand::Field(index) = insn.operand else {
            return false;
        };
        let member = self.code.pool().field(index);
        insn.op == Op::Getstatic
            && member.is_ok_and(|member| member.owner == BRAID && member.name == "active")
    }

    fn int(&self, insn: &Instruction<'_>) -> Option<i32> {
        match insn.operand {
            Operand::Int(value) => Some(value.into()),
            Operand::Const(index) => self.code.pool().integer(index).ok(),
            _ => match insn.op {
                Op::Iconst0 => Some(0),
                Op::Iconst1 => Some(1),
                Op::Iconst2 => Some(2),
                Op::Iconst3 => Some(3),
                Op::Iconst4 => Some(4),
                Op::Iconst5 => Some(5),
                _ => None,
            },
        }
    }

    /// What can run from an instruction on.
    pub(super) fn reached_from(&self, start: usize) -> Vec<bool> {
        flood(vec![start], self.insns.len(), &self.next)
    }

    /// The tick that was seen again, and what can run before it comes once more. None if some of the ticks seen since
    /// are outside of that, or calls cannot be told apart.
    pub(super) fn came_round(&self, places: &[u32]) -> Option<(usize, Vec<bool>)> {
        let (head, rest) = places.split_first()?;
        let head = *self.at.get(head)?;
        let around = self.around(head);
        let inside = |place: &u32| self.at.get(place).is_some_and(|at| around[*at]);
        (rest.iter().all(inside) && self.ticks_before(&around)).then_some((head, around))
    }

    /// What can run from an instruction on before it comes again.
    fn around(&self, head: usize) -> Vec<bool> {
        self.between(head, vec![head])
    }

    /// What can run in a call that returns.
    pub(super) fn returning(&self) -> Vec<bool> {
        let is_return = |insn: &Instruction<'_>| {
            let between = Op::Ireturn as u8..=Op::Return as u8;
            between.contains(&(insn.op as u8))
        };
        let places = self.insns.iter().enumerate();
        let returns = places.filter(|(_, insn)| is_return(insn));
        self.between(0, returns.map(|(at, _)| at).collect())
    }

    /// What can run from an instruction on before one of the last ones does.
    fn between(&self, first: usize, last: Vec<usize>) -> Vec<bool> {
        let mut previous = vec![Vec::new(); self.insns.len()];
        for (at, next) in self.next.iter().enumerate() {
            for to in next {
                previous[*to].push(at);
            }
        }
        let reached = self.reached_from(first);
        let reaching = flood(last, self.insns.len(), &previous);
        let both = reached.iter().zip(&reaching);
        both.map(|(reached, reaching)| *reached && *reaching)
            .collect()
    }

    /// Whether a local variable is given another value before anything reads it.
    pub(super) fn is_dead(&self, slot: u32, head: usize, inside: &[bool]) -> bool {
        let mut seen = vec![false; self.insns.len()];
        let mut open = vec![head];
        while let Some(at) = open.pop() {
            if !inside[at] || std::mem::replace(&mut seen[at], true) {
                continue;
            }
            let insn = &self.insns[at];
            let wide = matches!(
                insn.op.general(),
                Op::Lload | Op::Dload | Op::Lstore | Op::Dstore
            );
            match insn.operand {
                Operand::Iinc { local, .. } if u32::from(local) == slot => return false,
                Operand::Local(local)
                    if (u32::from(local)..=u32::from(local) + u32::from(wide)).contains(&slot) =>
                {
                    if insn.op.is_load() || insn.op == Op::Ret {
                        return false;
                    }
                }
                _ => open.extend(&self.next[at]),
            }
        }
        true
    }

    /// Whether exceptions can be caught in there, so that it goes on.
    pub(super) fn catches(&self, inside: &[bool]) -> bool {
        let caught = |at: &usize| {
            let handlers = &self.next[*at][self.straight[*at]..];
            inside[*at] && handlers.iter().any(|handler| inside[*handler])
        };
        (0..self.insns.len()).any(|at| caught(&at))
    }

    /// Whether every call begins with a tick outside of the loop.
    fn ticks_before(&self, around: &[bool]) -> bool {
        let straight =
            |insn: &Instruction<'_>| insn.operand.targets().is_empty() && !insn.op.ends_block();
        let start = self.insns.iter().zip(around);
        let mut start = start.take_while(|(insn, inside)| straight(insn) && !**inside);
        start.any(|(insn, _)| {
            let Operand::Method(index) = insn.operand else {
                return false;
            };
            let member = self.code.pool().method(index);
            member.is_ok_and(|member| member.owner == BRAID && member.name == "tick")
        })
    }
}

fn flood(start: Vec<usize>, length: usize, edges: &[Vec<usize>]) -> Vec<bool> {
    let mut seen = vec![false; length];
    let mut open = start;
    while let Some(at) = open.pop() {
        if !std::mem::replace(&mut seen[at], true) {
            open.extend(&edges[at]);
        }
    }
    seen
}
