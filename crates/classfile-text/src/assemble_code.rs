//! From text to the code model.

use std::collections::HashMap;

use braid_classfile::{
    Cases, Code, Editor, Frames, Hierarchy, Insn, JStr, Label, Line, LocalVar, Op, OperandKind,
    PrimitiveType, Switch, TryRange, VType,
};

use crate::assemble::Lines;
use crate::constant::{self, MemberName, read_dynamic};
use crate::lex::Words;
use crate::{Error, Result};

/// Builds one method's code.
#[derive(Default)]
pub(crate) struct CodeAssembler {
    code: Code,
    labels: HashMap<String, Label>,
    /// The label at the end of the instructions, made where one is needed.
    here: Option<Label>,
}

impl CodeAssembler {
    /// Reads lines until the next member and writes the method's code.
    pub(crate) fn assemble(
        mut self,
        lines: &mut Lines,
        editor: &mut Editor<'_>,
        method: usize,
        hierarchy: &dyn Hierarchy,
    ) -> Result<()> {
        while let Some(mut words) =
            lines.next_if(|words| !matches!(words.peek(), Some("field" | "method")))
        {
            let line = words.line;
            self.item(&mut words, editor).map_err(|error| match error {
                Error::Class { line: 0, source } => Error::Class { line, source },
                other => other,
            })?;
            words.end()?;
        }
        let frames = match self.code.frames.is_empty() {
            true => Frames::Recompute(hierarchy),
            false => Frames::Keep,
        };
        Ok(editor.write_code(method, &mut self.code, frames)?)
    }

    fn label(&mut self, name: &str) -> Label {
        let code = &mut self.code;
        *self
            .labels
            .entry(name.to_owned())
            .or_insert_with(|| code.new_label())
    }

    fn next_label(&mut self, words: &mut Words) -> Result<Label> {
        let name = words.word("label")?;
        Ok(self.label(&name))
    }

    /// A label at the current place.
    fn here(&mut self) -> Label {
        match self.here {
            Some(label) => label,
            None => {
                let label = self.code.new_label();
                self.place(label);
                label
            }
        }
    }

    fn place(&mut self, label: Label) {
        self.code.insns.push(Insn::Label(label));
        self.here = Some(label);
    }

    fn item(&mut self, words: &mut Words, editor: &mut Editor<'_>) -> Result<()> {
        let word = words.word("instruction")?;
        if let Some(name) = word.strip_suffix(':') {
            let label = self.label(name);
            self.place(label);
            return Ok(());
        }
        match word.as_str() {
            "limits" => {
                self.code.max_stack = words.number("stack depth")?;
                self.code.max_locals = words.number("number of locals")?;
            }
            "line" => {
                let line = words.number("line")?;
                let start = self.here();
                self.code.lines.push(Line { start, line });
            }
            "frame" => self.frame(words, editor)?,
            "try" => self.try_range(words, editor)?,
            "var" => {
                let local = self.local(words, editor)?;
                self.code.locals.push(local);
            }
            "vartype" => {
                let local = self.local(words, editor)?;
                self.code.local_types.push(local);
            }
            mnemonic => {
                let insn = self.insn(mnemonic, words, editor)?;
                self.code.insns.push(insn);
                self.here = None;
            }
        }
        Ok(())
    }

    fn frame(&mut self, words: &mut Words, editor: &mut Editor<'_>) -> Result<()> {
        let label = self.here();
        if !words.take("locals") {
            return Err(words.error("\"locals\" is missing"));
        }
        let locals = self.types(words, editor)?;
        if !words.take("stack") {
            return Err(words.error("\"stack\" is missing"));
        }
        let stack = self.types(words, editor)?;
        self.code.frames.push(label, &locals, &stack);
        Ok(())
    }

    /// Verification types in slots, up to the word `stack` or the end.
    fn types(&mut self, words: &mut Words, editor: &mut Editor<'_>) -> Result<Vec<VType>> {
        let mut types = Vec::new();
        while words.peek().is_some_and(|word| word != "stack") {
            let word = words.word("type")?;
            let ty = match word.as_str() {
                "top" => VType::TOP,
                "int" => VType::INTEGER,
                "float" => VType::FLOAT,
                "double" => VType::DOUBLE,
                "long" => VType::LONG,
                "null" => VType::NULL,
                "this" => VType::UNINITIALIZED_THIS,
                "class" => editor.types_mut().object(JStr::new(&words.name("class")?)),
                "new" => VType::uninitialized_at(self.next_label(words)?),
                other => return Err(words.error(format!("{other:?} is no type of a frame"))),
            };
            types.push(ty);
            if ty.is_wide() {
                types.push(VType::TOP);
            }
        }
        Ok(types)
    }

    fn try_range(&mut self, words: &mut Words, editor: &mut Editor<'_>) -> Result<()> {
        let start = self.next_label(words)?;
        let end = self.next_label(words)?;
        let handler = self.next_label(words)?;
        let catch_type = if words.take("any") {
            0
        } else if words.take("class") {
            editor.pool_mut().class(JStr::new(&words.name("class")?))?
        } else {
            return Err(words.error("\"any\" or \"class\" is missing"));
        };
        self.code.tries.push(TryRange {
            start,
            end,
            handler,
            catch_type,
        });
        Ok(())
    }

    fn local(&mut self, words: &mut Words, editor: &mut Editor<'_>) -> Result<LocalVar> {
        Ok(LocalVar {
            index: words.number("slot")?,
            name: editor.pool_mut().utf8(JStr::new(&words.name("name")?))?,
            descriptor: editor
                .pool_mut()
                .utf8(JStr::new(&words.name("descriptor")?))?,
            start: self.next_label(words)?,
            end: self.next_label(words)?,
        })
    }

    fn insn(&mut self, mnemonic: &str, words: &mut Words, editor: &mut Editor<'_>) -> Result<Insn> {
        if mnemonic == "push" {
            return Ok(Insn::Push(words.number("value")?));
        }
        let unknown = || words.error(format!("{mnemonic:?} is no instruction"));
        let op = Op::from_mnemonic(mnemonic).ok_or_else(unknown)?;
        Ok(match op.kind() {
            OperandKind::None => Insn::Plain(op),
            OperandKind::Local => Insn::Local(op, words.number("local")?),
            OperandKind::LocalImplied => Insn::Local(op.general(), op.implied_local().unwrap_or(0)),
            OperandKind::Iinc => Insn::Iinc(words.number("local")?, words.number("delta")?),
            OperandKind::Byte | OperandKind::Short => Insn::Push(words.number("value")?),
            OperandKind::ConstNarrow | OperandKind::Const => match constant::read(words, editor)? {
                (index, true) => Insn::ldc2(index),
                (index, false) => Insn::ldc(index),
            },
            OperandKind::Field => Insn::Field(op, MemberName::read(words)?.intern(editor, true)?),
            OperandKind::Method => {
                Insn::Invoke(op, MemberName::read(words)?.intern(editor, false)?)
            }
            OperandKind::InterfaceMethod => {
                let member = MemberName::read(words)?;
                let [owner, name, descriptor] =
                    [&member.owner, &member.name, &member.descriptor].map(|text| JStr::new(text));
                editor.invoke_interface(owner, name, descriptor)?
            }
            OperandKind::Dynamic => {
                let site = read_dynamic(words, editor)?;
                Insn::InvokeDynamic(editor.pool_mut().invoke_dynamic(site.borrow())?)
            }
            OperandKind::Class => Insn::Class(
                op,
                editor.pool_mut().class(JStr::new(&words.name("class")?))?,
            ),
            OperandKind::MultiNewArray => {
                let class = editor.pool_mut().class(JStr::new(&words.name("class")?))?;
                Insn::MultiNewArray(class, words.number("dimensions")?)
            }
            OperandKind::NewArray => {
                let word = words.word("element type")?;
                let found = PrimitiveType::ALL.into_iter().find(|ty| ty.name() == word);
                Insn::NewArray(found.ok_or_else(|| words.error("no primitive type"))?)
            }
            OperandKind::Jump | OperandKind::JumpWide => Insn::Jump(op, self.next_label(words)?),
            OperandKind::TableSwitch | OperandKind::LookupSwitch => self.switch(op, words)?,
            OperandKind::Wide => return Err(words.error("the assembler widens by itself")),
        })
    }

    fn switch(&mut self, op: Op, words: &mut Words) -> Result<Insn> {
        let cases = if op == Op::Tableswitch {
            let low = words.number("lowest key")?;
            let mut targets = Vec::new();
            while !words.take("default") {
                targets.push(self.next_label(words)?);
            }
            Cases::Table { low, targets }
        } else {
            let mut pairs = Vec::new();
            while !words.take("default") {
                pairs.push((words.number("key")?, self.next_label(words)?));
            }
            Cases::Lookup(pairs)
        };
        let default = self.next_label(words)?;
        Ok(self.code.add_switch(Switch { default, cases }))
    }
}
