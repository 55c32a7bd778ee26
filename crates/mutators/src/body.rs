//! A method's code with everything that operators and filters ask about it.

use std::ops::Range;

use braid_classfile::{
    AccessFlags, Attribute, Attributes, ClassFile, Code, ConstantPool, FieldType, Insn, Label,
    Member, MemberRef, MethodDescriptor, Op,
};

use crate::kind::Kind;
use crate::stack::{Before, Walk};

/// A method's code and what is known of it.
pub(crate) struct Body<'c> {
    pub(crate) class: &'c ClassFile<'c>,
    pub(crate) pool: ConstantPool<'c>,
    pub(crate) code: &'c Code,
    pub(crate) access: AccessFlags,
    pub(crate) name: String,
    pub(crate) descriptor: String,
    /// Where labels stand.
    pub(crate) positions: Vec<usize>,
    /// What is known before each item.
    pub(crate) before: Vec<Before>,
    /// What each item pushes.
    pub(crate) pushes: Vec<Option<Kind>>,
    /// As what the pushed value is used, where a declaration says so.
    pub(crate) uses: Vec<Option<Kind>>,
    /// The method says that it never returns null.
    pub(crate) never_null: bool,
    /// The line of each item, 0 if unknown.
    pub(crate) lines: Vec<u16>,
    /// The basic block of each item.
    pub(crate) blocks: Vec<u32>,
    /// Position of each item among the real instructions.
    pub(crate) ordinals: Vec<u32>,
}

impl<'c> Body<'c> {
    pub(crate) fn new(class: &'c ClassFile<'c>, method: Member<'c>, code: &'c Code) -> Body<'c> {
        let pool = class.pool();
        let positions = code.positions();
        let access = method.access();
        let receiver = (!access.is_static()).then_some(Kind::Reference);
        let parsed = MethodDescriptor::parse(method.descriptor()).ok();
        let parameters = parsed
            .into_iter()
            .flat_map(|d| d.parameters().map(Kind::of));
        let parameters = receiver.into_iter().chain(parameters);
        let returns = parsed.and_then(|d| d.return_type()).map(Kind::of);
        let facts = Walk::new(code, pool, &positions, parameters, returns).run();
        let targets = targets(code);
        Body {
            class,
            pool,
            code,
            access,
            name: method.name().to_string(),
            descriptor: method.descriptor().to_string(),
            before: facts.before,
            pushes: facts.pushes,
            uses: facts.uses,
            never_null: annotation_names(method.attributes()).any(|name| name.ends_with("NotNull")),
            lines: lines(code),
            blocks: blocks(code, &targets),
            ordinals: ordinals(code),
            positions,
        }
    }

    /// The return type; none for void.
    pub(crate) fn return_type(&self) -> Option<FieldType<'_>> {
        MethodDescriptor::parse(self.descriptor.as_str().into())
            .ok()?
            .return_type()
    }

    /// The method that an instruction calls; none for other instructions and dynamic calls.
    pub(crate) fn callee(&self, insn: Insn) -> Option<MemberRef<'c>> {
        match insn {
            Insn::Invoke(_, index) | Insn::InvokeInterface(index, _) => {
                self.pool.method(index).ok()
            }
            _ => None,
        }
    }

    /// The field that an instruction reads or writes.
    pub(crate) fn field(&self, insn: Insn) -> Option<MemberRef<'c>> {
        match insn {
            Insn::Field(_, index) => self.pool.field(index).ok(),
            _ => None,
        }
    }

    /// The kind that a load at a position reads from a local.
    pub(crate) fn local_kind(&self, at: usize) -> Kind {
        self.pushes.get(at).copied().flatten().unwrap_or(Kind::Int)
    }

    /// The line of an item.
    pub(crate) fn line(&self, at: usize) -> Option<u32> {
        let line = self.lines.get(at).copied().unwrap_or(0);
        (line != 0).then_some(u32::from(line))
    }

    /// Where a label stands.
    pub(crate) fn place(&self, label: Label) -> usize {
        let place = self.positions.get(label.0 as usize).copied();
        place.unwrap_or(usize::MAX)
    }

    /// The next real instruction at or behind a position.
    pub(crate) fn real_from(&self, at: usize) -> Option<usize> {
        (at..self.code.insns.len()).find(|i| self.code.insns[*i].is_real())
    }

    /// The next real instruction behind a position.
    pub(crate) fn next(&self, at: usize) -> Option<usize> {
        self.real_from(at + 1)
    }

    /// The real instruction before a position.
    pub(crate) fn previous(&self, at: usize) -> Option<usize> {
        (0..at).rev().find(|i| self.code.insns[*i].is_real())
    }

    /// The first real instruction behind a label.
    pub(crate) fn target(&self, label: Label) -> Option<usize> {
        self.real_from(self.place(label).min(self.code.insns.len()))
    }

    /// The instruction at a position.
    pub(crate) fn insn(&self, at: usize) -> Insn {
        let end = Insn::Plain(Op::Nop);
        self.code.insns.get(at).copied().unwrap_or(end)
    }

    /// The statement around an instruction: from where the stack was last empty before its
    /// operands to where it is empty again. Of very long ones (array initialisers) only the part
    /// near the instruction.
    pub(crate) fn statement(&self, at: usize) -> Range<usize> {
        let empty = |i: &usize| self.before[*i].depth == 0 && self.code.insns[*i].is_real();
        let from = at.saturating_sub(LONGEST);
        let to = (at + LONGEST).min(self.code.insns.len());
        let start = (from..=at).rev().find(empty);
        let end = (at + 1..to).find(empty);
        start.unwrap_or(from)..end.unwrap_or(to)
    }

    /// The part of the statement around an instruction that lies in the same block.
    pub(crate) fn piece(&self, at: usize) -> Range<usize> {
        let range = self.statement(at);
        let same = |i: &usize| self.blocks[*i] == self.blocks[at];
        let start = (range.start..=at).find(same).unwrap_or(at);
        let end = (at..range.end).rev().find(same).unwrap_or(at);
        start..end + 1
    }
}

/// Items of a statement that are looked at before and behind an instruction.
const LONGEST: usize = 64;

/// Names of the annotations among some attributes, without `L` and `;`.
pub(crate) fn annotation_names(attributes: Attributes<'_>) -> impl Iterator<Item = String> + '_ {
    let visible = attributes.find("RuntimeVisibleAnnotations");
    let invisible = attributes.find("RuntimeInvisibleAnnotations");
    let lists = [visible, invisible]
        .into_iter()
        .filter_map(|found| match found {
            Ok(Some(Attribute::Annotations { annotations, .. })) => Some(annotations),
            _ => None,
        });
    lists.flatten().map(|annotation| {
        let text = annotation.descriptor.to_str_lossy();
        text.trim_start_matches('L')
            .trim_end_matches(';')
            .to_owned()
    })
}

fn targets(code: &Code) -> Vec<bool> {
    let mut targets = vec![false; code.label_count() as usize];
    let mut mark = |label: Label| {
        if let Some(target) = targets.get_mut(label.0 as usize) {
            *target = true;
        }
    };
    for insn in &code.insns {
        match insn {
            Insn::Jump(_, label) => mark(*label),
            Insn::Switch(index) => {
                if let Some(switch) = code.switches.get(*index as usize) {
                    switch.targets().for_each(&mut mark);
                }
            }
            _ => {}
        }
    }
    code.tries.iter().for_each(|range| mark(range.handler));
    targets
}

fn lines(code: &Code) -> Vec<u16> {
    let mut of_label = vec![0; code.label_count() as usize];
    for line in &code.lines {
        if let Some(slot) = of_label.get_mut(line.start.0 as usize) {
            *slot = line.line;
        }
    }
    let mut line = 0;
    let line_of = |insn: &Insn| {
        if let Insn::Label(label) = insn {
            match of_label.get(label.0 as usize) {
                Some(0) | None => {}
                Some(start) => line = *start,
            }
        }
        line
    };
    code.insns.iter().map(line_of).collect()
}

fn blocks(code: &Code, targets: &[bool]) -> Vec<u32> {
    let (mut block, mut ended, mut fresh) = (0, false, true);
    let mut all = Vec::with_capacity(code.insns.len());
    for insn in &code.insns {
        let starts = match insn {
            Insn::Label(label) => targets.get(label.0 as usize) == Some(&true),
            _ => false,
        };
        if (starts || ended) && !fresh {
            block += 1;
            fresh = true;
        }
        fresh &= !insn.is_real();
        ended = matches!(insn, Insn::Jump(..)) || insn.ends_block();
        all.push(block);
    }
    all
}

fn ordinals(code: &Code) -> Vec<u32> {
    let mut next = 0;
    let ordinal = |insn: &Insn| {
        let own = next;
        next += u32::from(insn.is_real());
        own
    };
    code.insns.iter().map(ordinal).collect()
}
