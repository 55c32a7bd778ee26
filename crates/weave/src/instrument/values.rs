//! Counts the values that methods return and those that their callers drop.
//!
//! Some methods return a value that no caller in their class looks at. A run in which every value that such a method
//! returned was dropped does the same whatever the method returns. Each return counts up and each call whose value is
//! dropped counts down; where a run ends with zero, there was no other call: none by reflection, none from elsewhere.

use std::collections::BTreeMap;

use braid_classfile::{ClassFile, Code, Editor, Insn, Op};

use crate::error::Result;
use crate::instrument::entry;
use crate::names::{BRAID, is_ours};

/// The methods of a class whose values are counted, by name and descriptor, with their probes.
#[derive(Default)]
pub(super) struct Values(BTreeMap<(String, String), u32>);

impl Values {
    /// The first has probe `first`.
    pub(super) fn new(class: &ClassFile<'_>, first: u32) -> Result<Self> {
        let name = |position: usize| {
            let method = class.method_at(position)?;
            Some((method.name().to_string(), method.descriptor().to_string()))
        };
        let all = dropped(class)?.into_iter().filter_map(name);
        Ok(Self(all.zip(first..).collect()))
    }

    /// Puts counts into a method; false if it needs none.
    pub(super) fn count(
        &self,
        editor: &mut Editor<'_>,
        method: usize,
        code: &mut Code,
    ) -> Result<bool> {
        let Some(member) = editor.method(method).filter(|_| !self.0.is_empty()) else {
            return Ok(false);
        };
        let own = (member.name().to_string(), member.descriptor().to_string());
        let own = self.0.get(&own).copied();
        let class = member.class().name().to_string();
        let mut changed = false;
        let old = std::mem::take(&mut code.insns);
        for (position, insn) in old.iter().enumerate() {
            let returns = matches!(insn, Insn::Plain(op) if op.is_return());
            if let Some(probe) = own.filter(|_| returns) {
                call(editor, "gives", probe, &mut code.insns)?;
                changed = true;
            }
            code.insns.push(*insn);
            let called = called(editor, &class, *insn).and_then(|key| self.0.get(&key).copied());
            if let Some(probe) = called.filter(|_| is_dropped(&old[position + 1..])) {
                call(editor, "drops", probe, &mut code.insns)?;
                changed = true;
            }
        }
        Ok(changed)
    }
}

/// The methods whose every call in their class drops the value, by position. Only those that a call names for sure:
/// no other class can override them.
pub(crate) fn dropped(class: &ClassFile<'_>) -> Result<Vec<usize>> {
    let mut candidates: BTreeMap<(String, String), (usize, bool)> = BTreeMap::new();
    for (position, method) in class.methods().enumerate() {
        let access = method.access();
        let fixed = access.is_private() || access.is_static() || access.is_final();
        let named = method.name().as_bytes();
        let void = method.descriptor().as_bytes().ends_with(b")V");
        if (fixed || class.access().is_final()) && !void && !is_ours(named) {
            let key = (method.name().to_string(), method.descriptor().to_string());
            candidates.insert(key, (position, false));
        }
    }
    if candidates.is_empty() || class.access().is_interface() {
        return Ok(Vec::new());
    }
    let name = class.name().to_string();
    let mut editor = Editor::new(class);
    let mut code = Code::default();
    for method in 0..class.methods().len() {
        if candidates.is_empty() || !editor.read_code(method, &mut code)? {
            continue;
        }
        for (position, insn) in code.insns.iter().enumerate() {
            let Some(key) = called(&editor, &name, *insn) else {
                continue;
            };
            match is_dropped(&code.insns[position + 1..]) {
                true => candidates.entry(key).and_modify(|(_, seen)| *seen = true),
                false => {
                    candidates.remove(&key);
                    continue;
                }
            };
        }
    }
    let seen = candidates.into_values().filter(|(_, seen)| *seen);
    let mut methods: Vec<usize> = seen.map(|(position, _)| position).collect();
    methods.sort_unstable();
    Ok(methods)
}

/// The method of this class that an instruction calls.
fn called(editor: &Editor<'_>, class: &str, insn: Insn) -> Option<(String, String)> {
    let Insn::Invoke(_, index) = insn else {
        return None;
    };
    let member = editor.pool().view().method(index).ok()?;
    (member.owner == class).then(|| (member.name.to_string(), member.descriptor.to_string()))
}

/// Whether what follows drops the value on top of the stack.
fn is_dropped(rest: &[Insn]) -> bool {
    let next = rest.iter().find(|insn| insn.is_real());
    matches!(next, Some(Insn::Plain(Op::Pop | Op::Pop2)))
}

fn call(editor: &mut Editor<'_>, name: &str, probe: u32, out: &mut Vec<Insn>) -> Result<()> {
    let method = editor.pool_mut().method(BRAID, name, "(I)V")?;
    out.push(entry::int(editor, probe as i32)?);
    out.push(Insn::Invoke(Op::Invokestatic, method));
    Ok(())
}

#[cfg(test)]
mod tests {
    use braid_classfile::ClassTable;

    use crate::probes::ProbeMap;
    use crate::{Passes, instrument};

    const CLASS: &str = "\
version 61
class public super A extends java/lang/Object

method private add ()LA;
    aload 0
    areturn

method static used ()I
    iconst_1
    ireturn

method public open ()J
    lconst_0
    lreturn

method public go ()V
    aload 0
    invokespecial A add ()LA;
    pop
    aload 0
    invokevirtual A open ()J
    pop2
    invokestatic A used ()I
    pop
    invokestatic A used ()I
    istore 1
    return
";

    #[test]
    fn only_values_that_every_call_drops_are_counted() {
        let bytes = braid_classfile_text::assemble(CLASS, &ClassTable::new()).unwrap();
        let mut probes = ProbeMap::with_blocks();
        let coverage = Some(probes.add(&bytes).unwrap());
        assert_eq!(probes.value("A", "add", "()LA;"), Some(4));
        assert_eq!(probes.value("A", "used", "()I"), None, "a call looks");
        assert_eq!(probes.value("A", "open", "()J"), None, "can be overridden");
        assert_eq!(probes.len(), 5);
        let passes = Passes {
            coverage,
            ..Passes::default()
        };
        let out = instrument(&bytes, &passes).unwrap().bytes.unwrap();
        let text = braid_classfile_text::print(&out).unwrap();
        let count = |name: &str| {
            text.matches(&format!("braid/runtime/Braid {name} (I)V"))
                .count()
        };
        assert_eq!((count("gives"), count("drops")), (1, 1), "{text}");
        assert!(text.contains("gives (I)V\n    areturn"), "{text}");
        assert!(text.contains("drops (I)V\n    pop"), "{text}");
    }
}
