//! Which part of a method a variant changes: all that differs lies between two places, before and behind which both
//! versions have the same instructions, jump to the same places and are covered by the same handlers.
//!
//! A run of the original that reaches nothing of the region does the same with the variant.

use braid_classfile::{ClassFile, Member, Operand};

use crate::error::Result;
use crate::weave::canonical::{Canonical, Ordinals, text};
use crate::weave::model::Region;

/// A method's code, instruction by instruction.
pub(crate) struct Steps {
    pub(crate) steps: Vec<Step>,
    pub(crate) handlers: Vec<Handler>,
}

/// An instruction: what it does, and where it may jump to.
pub(crate) struct Step {
    what: Vec<u8>,
    pub(crate) targets: Vec<usize>,
}

/// A range of instructions and where what they throw is handled.
pub(crate) struct Handler {
    pub(crate) start: usize,
    pub(crate) end: usize,
    pub(crate) target: usize,
    pub(crate) what: Vec<u8>,
}

impl Steps {
    /// Reads a method; `None` if it has no code.
    pub(crate) fn read<'a>(
        class: &'a ClassFile<'a>,
        canonical: &mut Canonical<'a>,
        method: Member<'a>,
    ) -> Result<Option<Self>> {
        let Some(code) = method.code()? else {
            return Ok(None);
        };
        let ordinals = Ordinals::of(&code)?;
        let at = |pc: i64| usize::from(ordinals.at(pc));
        let mut steps = Vec::new();
        for instruction in code.instructions() {
            let instruction = instruction?;
            let targets: Vec<usize> = instruction.operand.targets().into_iter().map(at).collect();
            let mut what = Vec::new();
            match instruction.operand {
                Operand::Jump(_) => {}
                Operand::TableSwitch(switch) => what.extend(switch.low.to_be_bytes()),
                Operand::LookupSwitch(switch) => {
                    what.extend(switch.pairs().flat_map(|(key, _)| key.to_be_bytes()));
                }
                _ => canonical.instruction(instruction, &ordinals, &mut what)?,
            }
            if !targets.is_empty() {
                what.push(Canonical::op(instruction.op) as u8);
            }
            steps.push(Step { what, targets });
        }
        let mut handlers = Vec::new();
        for range in code.exceptions.iter() {
            let mut what = Vec::new();
            if range.catch_type != 0 {
                text(&mut what, class.pool().class(range.catch_type)?);
            }
            handlers.push(Handler {
                start: at(i64::from(range.start_pc)),
                end: at(i64::from(range.end_pc)),
                target: at(i64::from(range.handler_pc)),
                what,
            });
        }
        Ok(Some(Self { steps, handlers }))
    }

    /// What of this method another version of it changes.
    pub(crate) fn region(&self, other: &Self) -> Region {
        let (old, new) = (&self.steps, &other.steps);
        let pairs = old.iter().zip(new);
        let before = pairs.take_while(|(a, b)| a.is_like(b)).count();
        let mut cut = Cut {
            before,
            old: old.len(),
            new: new.len(),
        };
        cut.widen(old, new, before);
        while cut.shrink(old, new) {}
        match cut.keeps_handlers(&self.handlers, &other.handlers) {
            true => Region::Part {
                from: cut.before as u32,
                to: cut.old as u32,
            },
            false => Region::Whole,
        }
    }
}

impl Step {
    /// Whether it is the same instruction but for where it jumps to.
    pub(crate) fn is_like(&self, other: &Self) -> bool {
        self.what == other.what && self.targets.len() == other.targets.len()
    }
}

/// Where two versions part and come together again.
#[derive(Clone, Copy)]
struct Cut {
    /// As many instructions are the same at the start.
    before: usize,
    /// From here on the old version's are the same again.
    old: usize,
    /// From here on the new version's are.
    new: usize,
}

impl Cut {
    /// Whether a place of the old version that lies outside of the region is this place of the new one, or both lie
    /// inside.
    fn maps(self, old: usize, new: usize) -> bool {
        if old >= self.old {
            new >= self.new && old - self.old == new - self.new
        } else if old < self.before {
            new == old
        } else {
            (self.before..self.new).contains(&new)
        }
    }

    /// Moves the end of the region up to `least` as long as instructions are alike.
    fn widen(&mut self, old: &[Step], new: &[Step], least: usize) {
        while self.old.min(self.new) > least && old[self.old - 1].is_like(&new[self.new - 1]) {
            self.old -= 1;
            self.new -= 1;
        }
    }

    /// Takes an instruction into the region that jumps elsewhere than before; false if there is none.
    fn shrink(&mut self, old: &[Step], new: &[Step]) -> bool {
        let same = |a: &Step, b: &Step| {
            let mut targets = a.targets.iter().zip(&b.targets);
            targets.all(|(a, b)| self.maps(*a, *b))
        };
        let first = (0..self.before).find(|at| !same(&old[*at], &new[*at]));
        if let Some(at) = first {
            self.before = at;
            self.widen(old, new, at + 1);
            return true;
        }
        let behind = (self.old..old.len()).rev();
        let last = behind
            .map(|at| (at, at - self.old + self.new))
            .find(|(a, b)| !same(&old[*a], &new[*b]));
        if let Some((a, b)) = last {
            (self.old, self.new) = (a + 1, b + 1);
        }
        last.is_some()
    }

    /// Whether instructions outside of the region have the same handlers in both versions.
    fn keeps_handlers<'h>(self, old: &'h [Handler], new: &'h [Handler]) -> bool {
        let inside =
            |handler: &Handler, end: usize| handler.start >= self.before && handler.end <= end;
        let outside = |handlers: &'h [Handler], end: usize| -> Vec<&'h Handler> {
            let all = handlers.iter();
            all.filter(|handler| !inside(handler, end)).collect()
        };
        let (old, new) = (outside(old, self.old), outside(new, self.new));
        let same = |(a, b): (&&Handler, &&Handler)| {
            a.what == b.what
                && self.maps(a.start, b.start)
                && self.maps(a.end, b.end)
                && self.maps(a.target, b.target)
        };
        old.len() == new.len() && old.iter().zip(&new).all(same)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use braid_classfile::ClassTable;

    fn steps(body: &str) -> Steps {
        let text = format!(
            "version 50\nclass public super A extends java/lang/Object\n\nmethod static f (I)I\n{body}"
        );
        let bytes = braid_classfile_text::assemble(&text, &ClassTable::new().lenient()).unwrap();
        let class = ClassFile::parse(&bytes).unwrap();
        let method = class.methods().next().unwrap();
        let mut canonical = Canonical::new(&class).unwrap();
        let read = Steps::read(&class, &mut canonical, method).unwrap();
        read.expect("code")
    }

    /// What of `old` changes, as `from..to`.
    fn check(old: &str, new: &str, expected: &str) {
        let region = match steps(old).region(&steps(new)) {
            Region::Whole => "whole".to_owned(),
            Region::Part { from, to } => format!("{from}..{to}"),
        };
        assert_eq!(region, expected);
    }

    const BRANCH: &str = "    iload_0
    ifeq L1
    iconst_1
    ireturn
L1:
    iconst_2
    ireturn
";

    #[test]
    fn another_constant_in_a_branch_is_a_region_of_one_instruction() {
        check(BRANCH, &BRANCH.replace("iconst_2", "iconst_3"), "4..5");
        check(BRANCH, &BRANCH.replace("iconst_1", "iconst_3"), "2..3");
        check(BRANCH, &BRANCH.replace("ifeq", "ifne"), "1..2");
    }

    #[test]
    fn what_is_put_in_is_an_empty_region_and_later_jumps_are_the_same() {
        let longer = BRANCH.replace("    iconst_1\n", "    iinc 0 1\n    iconst_1\n");
        check(BRANCH, &longer, "2..2");
        check(&longer, BRANCH, "2..3");
    }

    #[test]
    fn a_jump_into_what_is_put_in_belongs_to_the_region() {
        let skip = "    iload_0\n    ifeq L1\n    iinc 0 5\nL1:\n    iload_0\n    ireturn\n";
        // before the label and behind it
        let before = skip.replace("L1:\n", "    iinc 0 1\nL1:\n");
        let behind = skip.replace("L1:\n", "L1:\n    iinc 0 1\n");
        check(skip, &before, "3..3");
        check(skip, &behind, "1..3");
    }

    #[test]
    fn a_jump_elsewhere_belongs_to_the_region() {
        let first = "    iload_0\n    iflt L1\n    iload_0\n    ifgt L2\n";
        let two =
            format!("{first}L1:\n    iconst_2\n    ireturn\nL2:\n    iconst_4\n    ireturn\n");
        check(&two, &two.replace("iflt L1", "iflt L2"), "1..2");
    }

    const TRIED: &str = "L0:
    iload_0
    iload_0
    idiv
    ireturn
L1:
    pop
    iconst_0
    ireturn
    try L0 L1 L1 class java/lang/ArithmeticException
";

    #[test]
    fn other_handlers_change_the_whole_method() {
        check(
            TRIED,
            &TRIED.replace("java/lang/Arithmetic", "java/lang/Runtime"),
            "whole",
        );
        check(TRIED, &TRIED.replace("iconst_0", "iconst_1"), "5..6");
    }
}
