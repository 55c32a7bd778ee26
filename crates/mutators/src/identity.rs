//! Names of mutants that survive recompilation and unrelated edits.
//!
//! A mutant is known by the statement it changes: the instructions between two places with an
//! empty operand stack. Of each instruction the opcode and the meaning of its constant count,
//! not local slots, constant indices, lines or jump distances: these change with edits elsewhere.
//! Numbers that javac gives to lambdas and accessors are left out for the same reason.

use std::collections::HashMap;

use braid_classfile::attribute::BootstrapMethod;
use braid_classfile::{
    Attribute, Cases, ClassFile, Constant, ConstantPool, Insn, JStr, MemberRef, Switch,
};

use crate::body::Body;
use crate::model::MutantId;
use crate::operator::Proposal;

/// Gives the mutants of a class their names.
pub(crate) struct Names<'c> {
    class: String,
    bootstraps: Vec<BootstrapMethod<'c>>,
    /// How often a name was given.
    given: HashMap<String, u32>,
}

impl<'c> Names<'c> {
    pub(crate) fn new(class: &'c ClassFile<'c>) -> Names<'c> {
        let bootstraps = match class.attribute("BootstrapMethods") {
            Ok(Some(Attribute::BootstrapMethods(list))) => list,
            _ => Vec::new(),
        };
        Names {
            class: class.name().to_string(),
            bootstraps,
            given: HashMap::new(),
        }
    }

    /// The name of a proposed mutant. Asked in the order of their places.
    pub(crate) fn name(&mut self, body: &Body<'_>, proposal: &Proposal) -> MutantId {
        let hash = self.statement(body, proposal);
        let method = without_number(&body.name);
        let Proposal {
            operator, variant, ..
        } = proposal;
        let colon = if variant.is_empty() { "" } else { ":" };
        let (class, descriptor) = (&self.class, &body.descriptor);
        let name = format!("{class}.{method}{descriptor}:{operator}{colon}{variant}:{hash:08x}");
        let count = self.given.entry(name.clone()).or_insert(0);
        *count += 1;
        match *count {
            1 => MutantId(name),
            number => MutantId(format!("{name}.{number}")),
        }
    }

    fn statement(&self, body: &Body<'_>, proposal: &Proposal) -> u32 {
        let mut hash = Hash::default();
        if matches!(proposal.edits.first(), Some(crate::operator::Edit::Body(_))) {
            return hash.finish();
        }
        let range = body.statement(proposal.at);
        let place = body.ordinals[proposal.at] - body.ordinals[range.start];
        hash.bytes(&place.to_be_bytes());
        for insn in &body.code.insns[range] {
            self.insn(&mut hash, body, *insn);
        }
        hash.finish()
    }

    fn insn(&self, hash: &mut Hash, body: &Body<'_>, insn: Insn) {
        let Some(op) = insn.op() else {
            return;
        };
        hash.bytes(&[op as u8]);
        match insn {
            Insn::Push(value) => hash.bytes(&value.to_be_bytes()),
            Insn::Iinc(_, delta) => hash.bytes(&delta.to_be_bytes()),
            Insn::Const(_, index)
            | Insn::Field(_, index)
            | Insn::Invoke(_, index)
            | Insn::InvokeInterface(index, _)
            | Insn::InvokeDynamic(index)
            | Insn::Class(_, index)
            | Insn::MultiNewArray(index, _) => self.constant(hash, body.pool, index, 0),
            Insn::NewArray(ty) => hash.bytes(format!("{ty:?}").as_bytes()),
            Insn::Switch(index) => {
                if let Some(switch) = body.code.switches.get(index as usize) {
                    keys(hash, switch);
                }
            }
            Insn::Label(_) | Insn::Plain(_) | Insn::Local(..) | Insn::Jump(..) => {}
        }
    }

    fn constant(&self, hash: &mut Hash, pool: ConstantPool<'_>, index: u16, depth: u8) {
        match pool.get(index) {
            Ok(Constant::Integer(value)) => hash.bytes(&value.to_be_bytes()),
            Ok(Constant::Long(value)) => hash.bytes(&value.to_be_bytes()),
            Ok(Constant::Float(value)) => hash.bytes(&value.to_bits().to_be_bytes()),
            Ok(Constant::Double(value)) => hash.bytes(&value.to_bits().to_be_bytes()),
            Ok(
                Constant::String(text)
                | Constant::Class(text)
                | Constant::MethodType(text)
                | Constant::Utf8(text),
            ) => hash.text(text),
            Ok(
                Constant::FieldRef(member)
                | Constant::MethodRef(member)
                | Constant::InterfaceMethodRef(member),
            ) => hash.member(member),
            Ok(Constant::MethodHandle(handle)) => hash.member(handle.member),
            Ok(Constant::Dynamic(dynamic) | Constant::InvokeDynamic(dynamic)) => {
                hash.text(dynamic.name);
                hash.text(dynamic.descriptor);
                let bootstrap = self.bootstraps.get(usize::from(dynamic.bootstrap));
                // Dynamic constants nest; a few levels tell them apart well enough.
                if let Some(bootstrap) = bootstrap.filter(|_| depth < 4) {
                    for argument in bootstrap.arguments.iter() {
                        self.constant(hash, pool, argument, depth + 1);
                    }
                }
            }
            _ => {}
        }
    }
}

fn keys(hash: &mut Hash, switch: &Switch) {
    match &switch.cases {
        Cases::Table { low, targets } => {
            hash.bytes(&low.to_be_bytes());
            hash.bytes(&targets.len().to_be_bytes());
        }
        Cases::Lookup(pairs) => pairs
            .iter()
            .for_each(|(key, _)| hash.bytes(&key.to_be_bytes())),
    }
}

/// `lambda$sort` for `lambda$sort$3`, `access` for `access$100`: javac counts them.
pub(crate) fn without_number(name: &str) -> &str {
    if !name.starts_with("lambda$") && !name.starts_with("access$") {
        return name;
    }
    match name.rsplit_once('$') {
        Some((stem, number)) if number.bytes().all(|b| b.is_ascii_digit()) => stem,
        _ => name,
    }
}

/// FNV-1a, which is the same everywhere and for ever.
struct Hash(u64);

impl Default for Hash {
    fn default() -> Self {
        Hash(0xcbf2_9ce4_8422_2325)
    }
}

impl Hash {
    fn bytes(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = (self.0 ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3);
        }
    }

    fn text(&mut self, text: JStr<'_>) {
        self.bytes(text.as_bytes());
        self.bytes(&[0xff]);
    }

    fn member(&mut self, member: MemberRef<'_>) {
        self.text(member.owner);
        match member.name.as_str() {
            Some(name) => self.text(without_number(name).into()),
            None => self.text(member.name),
        }
        self.text(member.descriptor);
    }

    fn finish(&self) -> u32 {
        (self.0 ^ self.0 >> 32) as u32
    }
}
