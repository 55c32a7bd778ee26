//! The switch at the start of a changed method, and the companions it calls.
//!
//! A companion of a method `m` is a private synthetic method `m$braid$N` with the same
//! descriptor. A companion of a constructor is a private synthetic constructor with marker
//! parameters that nobody else has (arrays of the runtime class), so that it may set final fields
//! and call `super(..)` itself; the changed constructor delegates to it as `this(..)` does.
//!
//! With more alternatives than a few, the switch stands in companions of its own: HotSpot does
//! not compile methods beyond 8000 bytes, and the changed method itself must stay small.

use braid_classfile::{
    AccessFlags, Code, Editor, FieldType, Frames, Insn, JStr, Label, MethodDescriptor, Op,
};

use crate::error::Result;
use crate::names::{BRAID, MARK};

/// Alternatives that the changed method itself may choose from.
const INLINE: usize = 8;
/// Alternatives in one switch method.
const CHUNK: usize = 200;
/// Array dimensions that markers use as digits.
const DIGITS: usize = 200;

/// The method whose alternatives are written.
pub(super) struct Method<'n> {
    pub(super) name: &'n str,
    pub(super) descriptor: &'n str,
    pub(super) access: AccessFlags,
    pub(super) interface: bool,
}

/// A method that takes the changed method's arguments.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Companion {
    /// Its position in the edited class.
    pub(super) position: usize,
    invoke: Insn,
    /// `null`s to push behind the arguments.
    markers: usize,
    /// Slots of its receiver and arguments.
    pub(super) slots: u16,
}

/// Counts the companions of a class, so that each has a name of its own.
#[derive(Default)]
pub(super) struct Names {
    count: usize,
    constructors: usize,
}

impl Method<'_> {
    fn is_constructor(&self) -> bool {
        self.name == "<init>"
    }

    fn is_static(&self) -> bool {
        self.access.is_static()
    }

    /// Adds an empty companion; `synchronized` if it must take the monitor itself.
    pub(super) fn companion(
        &self,
        editor: &mut Editor<'_>,
        names: &mut Names,
        synchronized: bool,
    ) -> Result<Companion> {
        let kept = AccessFlags(0x0808); // static strictfp
        let mut access = AccessFlags(self.access.0 & kept.0).with(AccessFlags(0x1002));
        if synchronized {
            access = access.with(AccessFlags::SYNCHRONIZED);
        }
        names.count += 1;
        let class = editor.class().name();
        let base = self.name.trim_matches(['<', '>']);
        let mut name = format!("{base}{MARK}{}", names.count);
        let mut descriptor = self.descriptor.to_owned();
        let mut markers = 0;
        if self.is_constructor() {
            name = "<init>".to_owned();
            (descriptor, markers) = marked(self.descriptor, names.constructors);
            names.constructors += 1;
        }
        let position = editor.add_method(access, name.as_str(), descriptor.as_str())?;
        let pool = editor.pool_mut();
        let method = match self.interface {
            true => pool.interface_method(class, name.as_str(), descriptor.as_str())?,
            false => pool.method(class, name.as_str(), descriptor.as_str())?,
        };
        let op = match self.is_static() {
            true => Op::Invokestatic,
            false => Op::Invokespecial,
        };
        let parameters = MethodDescriptor::parse(JStr::from(descriptor.as_str()))?;
        Ok(Companion {
            position,
            invoke: Insn::Invoke(op, method),
            markers,
            slots: parameters.parameter_slots() + u16::from(!self.is_static()),
        })
    }

    /// Pushes a call of a companion with the method's own arguments, and the return.
    fn call(&self, companion: Companion, out: &mut Vec<Insn>) -> Result<()> {
        let descriptor = MethodDescriptor::parse(JStr::from(self.descriptor))?;
        let mut slot = 0;
        if !self.is_static() {
            out.push(Insn::Local(Op::Aload, 0));
            slot = 1;
        }
        for parameter in descriptor.parameters() {
            out.push(Insn::Local(load(parameter), slot));
            slot += parameter.slots();
        }
        out.extend(std::iter::repeat_n(
            Insn::Plain(Op::AconstNull),
            companion.markers,
        ));
        out.push(companion.invoke);
        out.push(Insn::Plain(
            descriptor.return_type().map_or(Op::Return, give),
        ));
        Ok(())
    }

    /// Puts the choice in front of `code`, which is what runs without an active variant (or a
    /// call of `original` if that was moved away).
    ///
    /// `targets` are variants with their companions, sorted.
    pub(super) fn choose(
        &self,
        editor: &mut Editor<'_>,
        names: &mut Names,
        targets: &[(i32, Companion)],
        original: &mut dyn FnMut(&mut Editor<'_>, &mut Names) -> Result<Companion>,
        code: &mut Code,
    ) -> Result<()> {
        let default = code.new_label();
        let mut out = Vec::new();
        if targets.len() <= INLINE {
            let active = active(editor)?;
            out.extend([active, Insn::Jump(Op::Ifeq, default), active]);
            self.switch(targets, default, code, &mut out)?;
        } else {
            let (first, last) = (targets[0].0, targets[targets.len() - 1].0);
            below(editor, first, default, &mut out)?;
            above(editor, last, default, &mut out)?;
            let otherwise = original(editor, names)?;
            let switch = self.switch_method(editor, names, targets, otherwise)?;
            self.call(switch, &mut out)?;
        }
        out.push(Insn::Label(default));
        code.insert(0, out);
        Ok(())
    }

    /// Pushes a switch on the operand and its cases.
    fn switch(
        &self,
        targets: &[(i32, Companion)],
        default: Label,
        code: &mut Code,
        out: &mut Vec<Insn>,
    ) -> Result<()> {
        let mut cases: Vec<(Companion, Label)> = Vec::new();
        let mut pairs = Vec::with_capacity(targets.len());
        for (variant, companion) in targets {
            let known = cases.iter().find(|(known, _)| known == companion);
            let label = match known {
                Some((_, label)) => *label,
                None => {
                    let label = code.new_label();
                    cases.push((*companion, label));
                    label
                }
            };
            pairs.push((*variant, label));
        }
        out.push(code.switch(pairs, default));
        for (companion, label) in cases {
            out.push(Insn::Label(label));
            self.call(companion, out)?;
        }
        Ok(())
    }

    /// Adds the methods that choose among many.
    fn switch_method(
        &self,
        editor: &mut Editor<'_>,
        names: &mut Names,
        targets: &[(i32, Companion)],
        otherwise: Companion,
    ) -> Result<Companion> {
        let mut chunks = Vec::new();
        for chunk in targets.chunks(CHUNK) {
            let companion = self.companion(editor, names, false)?;
            let mut code = Code::default();
            let default = code.new_label();
            let mut out = vec![active(editor)?];
            self.switch(chunk, default, &mut code, &mut out)?;
            out.push(Insn::Label(default));
            self.call(otherwise, &mut out)?;
            code.insns = out;
            editor.write_code(companion.position, &mut code, Frames::Forward)?;
            chunks.push((chunk[chunk.len() - 1].0, companion));
        }
        if let [(_, only)] = chunks[..] {
            return Ok(only);
        }
        let companion = self.companion(editor, names, false)?;
        let mut code = Code::default();
        let mut out = Vec::new();
        for (last, chunk) in chunks {
            let next = code.new_label();
            above(editor, last, next, &mut out)?;
            self.call(chunk, &mut out)?;
            out.push(Insn::Label(next));
        }
        self.call(otherwise, &mut out)?;
        code.insns = out;
        editor.write_code(companion.position, &mut code, Frames::Forward)?;
        Ok(companion)
    }

    /// The code of a method whose original was moved into a companion.
    pub(super) fn delegate(&self, companion: Companion, code: &mut Code) -> Result<()> {
        code.clear();
        let mut out = Vec::new();
        self.call(companion, &mut out)?;
        code.insns = out;
        Ok(())
    }
}

fn active(editor: &mut Editor<'_>) -> Result<Insn> {
    let field = editor.pool_mut().field(BRAID, "active", "I")?;
    Ok(Insn::Field(Op::Getstatic, field))
}

fn int(editor: &mut Editor<'_>, value: i32) -> Result<Insn> {
    Ok(match Insn::int(value) {
        Some(insn) => insn,
        None => Insn::ldc(editor.pool_mut().integer(value)?),
    })
}

/// Pushes a jump if the active variant's number is smaller.
fn below(editor: &mut Editor<'_>, than: i32, to: Label, out: &mut Vec<Insn>) -> Result<()> {
    let insns = [active(editor)?, int(editor, than)?];
    out.extend(insns);
    out.push(Insn::Jump(Op::IfIcmplt, to));
    Ok(())
}

/// Pushes a jump if the active variant's number is greater.
fn above(editor: &mut Editor<'_>, than: i32, to: Label, out: &mut Vec<Insn>) -> Result<()> {
    let insns = [active(editor)?, int(editor, than)?];
    out.extend(insns);
    out.push(Insn::Jump(Op::IfIcmpgt, to));
    Ok(())
}

/// A constructor's descriptor with marker parameters for a number: at least one.
fn marked(descriptor: &str, mut number: usize) -> (String, usize) {
    let parameters = descriptor.trim_end_matches(")V");
    let mut out = parameters.to_owned();
    let mut markers = 0;
    loop {
        out.extend(std::iter::repeat_n('[', 1 + number % DIGITS));
        out.push('L');
        out.push_str(BRAID);
        out.push(';');
        markers += 1;
        number /= DIGITS;
        if number == 0 {
            break;
        }
    }
    out.push_str(")V");
    (out, markers)
}

fn load(ty: FieldType<'_>) -> Op {
    match ty {
        FieldType::Long => Op::Lload,
        FieldType::Float => Op::Fload,
        FieldType::Double => Op::Dload,
        FieldType::Object(_) | FieldType::Array(_) => Op::Aload,
        _ => Op::Iload,
    }
}

fn give(ty: FieldType<'_>) -> Op {
    match ty {
        FieldType::Long => Op::Lreturn,
        FieldType::Float => Op::Freturn,
        FieldType::Double => Op::Dreturn,
        FieldType::Object(_) | FieldType::Array(_) => Op::Areturn,
        _ => Op::Ireturn,
    }
}
