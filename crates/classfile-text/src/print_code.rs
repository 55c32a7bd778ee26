//! From the code model to text.

use std::collections::HashMap;
use std::fmt::Write;

use braid_classfile::{Cases, Code, Insn, Label, LocalVar, Op, TypeKind, Types, VType};

use crate::Result;
use crate::constant::{ConstantPrinter, member_text};
use crate::lex::name;

/// Prints one method's code.
pub(crate) struct CodePrinter<'c> {
    code: &'c Code,
    types: &'c Types,
    constants: ConstantPrinter<'c>,
    /// Printed number of each label that something but a line refers to.
    numbers: HashMap<Label, usize>,
    frames: HashMap<Label, String>,
    lines: HashMap<Label, Vec<u16>>,
}

impl<'c> CodePrinter<'c> {
    pub(crate) fn new(
        code: &'c Code,
        types: &'c Types,
        constants: ConstantPrinter<'c>,
    ) -> CodePrinter<'c> {
        let mut printer = CodePrinter {
            code,
            types,
            constants,
            numbers: HashMap::new(),
            frames: HashMap::new(),
            lines: HashMap::new(),
        };
        printer.number_labels();
        for frame in code.frames.iter() {
            let text = printer.frame(frame.locals, frame.stack);
            printer.frames.insert(frame.label, text);
        }
        for line in &code.lines {
            printer.lines.entry(line.start).or_default().push(line.line);
        }
        printer
    }

    /// Numbers the labels that are printed, in code order.
    fn number_labels(&mut self) {
        let code = self.code;
        let mut used = std::collections::HashSet::new();
        for insn in &code.insns {
            if let Insn::Jump(_, label) = insn {
                used.insert(*label);
            }
        }
        code.switches
            .iter()
            .for_each(|switch| used.extend(switch.targets()));
        code.tries
            .iter()
            .for_each(|t| used.extend([t.start, t.end, t.handler]));
        let vars = code.locals.iter().chain(&code.local_types);
        vars.for_each(|local| used.extend([local.start, local.end]));
        for frame in code.frames.iter() {
            for ty in frame.locals.iter().chain(frame.stack) {
                if let TypeKind::Uninitialized(label) = ty.kind() {
                    used.insert(label);
                }
            }
        }
        for insn in &code.insns {
            if let Insn::Label(label) = insn
                && used.contains(label)
            {
                self.numbers.insert(*label, self.numbers.len());
            }
        }
    }

    fn label(&self, label: Label) -> String {
        format!(
            "L{}",
            self.numbers.get(&label).copied().unwrap_or(usize::MAX)
        )
    }

    fn frame(&self, locals: &[VType], stack: &[VType]) -> String {
        let mut out = "frame locals".to_owned();
        self.frame_types(&mut out, locals);
        out.push_str(" stack");
        self.frame_types(&mut out, stack);
        out
    }

    fn frame_types(&self, out: &mut String, slots: &[VType]) {
        let mut at = 0;
        while let Some(ty) = slots.get(at) {
            at += if ty.is_wide() { 2 } else { 1 };
            let word = match ty.kind() {
                TypeKind::Top => "top".to_owned(),
                TypeKind::Integer => "int".to_owned(),
                TypeKind::Float => "float".to_owned(),
                TypeKind::Double => "double".to_owned(),
                TypeKind::Long => "long".to_owned(),
                TypeKind::Null => "null".to_owned(),
                TypeKind::UninitializedThis => "this".to_owned(),
                TypeKind::Object(id) => format!("class {}", name(self.types.name(id))),
                TypeKind::Uninitialized(label) => format!("new {}", self.label(label)),
            };
            out.push(' ');
            out.push_str(&word);
        }
    }

    pub(crate) fn print(&self, out: &mut String) -> Result<()> {
        let code = self.code;
        let _ = writeln!(out, "    limits {} {}", code.max_stack, code.max_locals);
        for insn in &code.insns {
            if let Insn::Label(label) = insn {
                if self.numbers.contains_key(label) {
                    let _ = writeln!(out, "  {}:", self.label(*label));
                }
                for line in self.lines.get(label).into_iter().flatten() {
                    let _ = writeln!(out, "    line {line}");
                }
                if let Some(frame) = self.frames.get(label) {
                    let _ = writeln!(out, "    {frame}");
                }
                continue;
            }
            let _ = writeln!(out, "    {}", self.insn(*insn)?);
        }
        for range in &code.tries {
            let [start, end, handler] =
                [range.start, range.end, range.handler].map(|label| self.label(label));
            let caught = match range.catch_type {
                0 => "any".to_owned(),
                index => format!("class {}", name(self.constants.pool.class(index)?)),
            };
            let _ = writeln!(out, "    try {start} {end} {handler} {caught}");
        }
        code.locals
            .iter()
            .try_for_each(|local| self.local(out, "var", local))?;
        code.local_types
            .iter()
            .try_for_each(|local| self.local(out, "vartype", local))?;
        if !code.type_annotations.is_empty() {
            let _ = writeln!(
                out,
                "    # {} type annotations",
                code.type_annotations.len()
            );
        }
        Ok(())
    }

    fn local(&self, out: &mut String, word: &str, local: &LocalVar) -> Result<()> {
        let pool = self.constants.pool;
        let own = name(pool.utf8(local.name)?);
        let descriptor = name(pool.utf8(local.descriptor)?);
        let (start, end) = (self.label(local.start), self.label(local.end));
        let _ = writeln!(
            out,
            "    {word} {} {own} {descriptor} {start} {end}",
            local.index
        );
        Ok(())
    }

    fn insn(&self, insn: Insn) -> Result<String> {
        let pool = self.constants.pool;
        Ok(match insn {
            Insn::Label(_) => String::new(),
            Insn::Plain(op) => op.mnemonic().to_owned(),
            Insn::Push(value) => format!("push {value}"),
            Insn::Local(op, local) => format!("{op} {local}"),
            Insn::Iinc(local, delta) => format!("iinc {local} {delta}"),
            Insn::Const(_, index) => format!("ldc {}", self.constants.constant(index)?),
            Insn::Field(op, index) => format!("{op} {}", member_text(pool.field(index)?, false)),
            Insn::Invoke(op, index) => format!("{op} {}", member_text(pool.method(index)?, true)),
            Insn::InvokeInterface(index, _) => {
                let member = pool.method(index)?;
                format!("{} {}", Op::Invokeinterface, member_text(member, false))
            }
            Insn::InvokeDynamic(index) => {
                let site = self.constants.dynamic(pool.dynamic(index)?, 0)?;
                format!("{} {site}", Op::Invokedynamic)
            }
            Insn::Class(op, index) => format!("{op} {}", name(pool.class(index)?)),
            Insn::NewArray(ty) => format!("{} {}", Op::Newarray, ty.name()),
            Insn::MultiNewArray(index, dimensions) => {
                let class = name(pool.class(index)?);
                format!("{} {class} {dimensions}", Op::Multianewarray)
            }
            Insn::Jump(op, label) => format!("{op} {}", self.label(label)),
            Insn::Switch(index) => self.switch(index),
        })
    }

    fn switch(&self, index: u32) -> String {
        let Some(switch) = self.code.switches.get(index as usize) else {
            return "# a switch that is not there".to_owned();
        };
        let mut out = switch.op().mnemonic().to_owned();
        match &switch.cases {
            Cases::Table { low, targets } => {
                let _ = write!(out, " {low}");
                for label in targets {
                    let _ = write!(out, " {}", self.label(*label));
                }
            }
            Cases::Lookup(pairs) => {
                for (key, label) in pairs {
                    let _ = write!(out, " {key} {}", self.label(*label));
                }
            }
        }
        let _ = write!(out, " default {}", self.label(switch.default));
        out
    }
}
