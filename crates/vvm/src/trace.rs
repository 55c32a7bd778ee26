//! Watching a variable: every value it is given, and where.
//!
//! A watched store is followed by an instruction of its own ([`Op::Trace`](crate::code::op::Op)), put there
//! when the method is translated, so that a run without `--trace` pays nothing.

use crate::class::MethodId;
use crate::trap::Step;
use crate::value::{Kind, Ref, Slot, as_double, as_float, as_int, is_choice};
use crate::vm::Vm;
use braid_classfile::{CodeAttribute, Op as Bytecode, Operand};
use braid_cond::Cond;

/// Values kept; a loop may give a variable very many.
const CAP: usize = 20_000;
/// Characters of a string shown.
const SHOWN: usize = 80;

/// The variable that is watched: `name`, `Class.name` or `Class.method:name`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Watch {
    class: Option<String>,
    method: Option<String>,
    name: String,
}

impl Watch {
    pub(crate) fn parse(text: &str) -> Watch {
        let (place, name) = match text.rsplit_once(':') {
            Some((place, name)) => (Some(place), name),
            None => (None, text),
        };
        let (class, method) = match place {
            Some(place) => match place.rsplit_once('.') {
                Some((class, method)) => (Some(class), Some(method)),
                None => (None, Some(place)),
            },
            None => (None, None),
        };
        let (class, name) = match name.rsplit_once('.') {
            Some((class, name)) if place.is_none() => (Some(class), name),
            _ => (class, name),
        };
        Watch {
            class: class.map(str::to_owned),
            method: method.map(str::to_owned),
            name: name.to_owned(),
        }
    }

    /// Whether a class (name with dots) is meant, by its full or simple name.
    fn fits_class(&self, class: &str) -> bool {
        self.class
            .as_deref()
            .is_none_or(|wanted| class == wanted || class.rsplit(['.', '$']).next() == Some(wanted))
    }

    fn fits_method(&self, method: &str) -> bool {
        self.method.as_deref().is_none_or(|wanted| wanted == method)
    }
}

/// A place that gives the variable a value.
#[derive(Debug, Clone)]
pub(crate) struct Place {
    pub(crate) variable: String,
    pub(crate) method: String,
    pub(crate) line: Option<u32>,
    kind: Kind,
}

/// A watched store in a method that is about to be translated.
#[derive(Debug, Clone, Copy)]
pub struct TracedStore {
    /// Bytecode position of the store.
    pub pc: u16,
    /// The local variable; `None` for a field, whose value the store names itself.
    pub local: Option<u16>,
    /// Index of the place.
    pub place: u32,
}

/// What is watched and what was seen.
#[derive(Debug, Default)]
pub(crate) struct Trace {
    pub(crate) watch: Option<Watch>,
    pub(crate) places: Vec<Place>,
    pub(crate) seen: Vec<(u32, Cond, String)>,
    pub(crate) dropped: u64,
}

impl Vm {
    /// The watched stores of a method of the program.
    pub(crate) fn traced_stores(
        &mut self,
        method: MethodId,
        code: CodeAttribute<'_>,
        pool: braid_classfile::ConstantPool<'_>,
    ) -> Step<Vec<TracedStore>> {
        let Some(watch) = self.trace.watch.clone() else {
            return Ok(Vec::new());
        };
        let entry = &self.methods[method as usize];
        let owner = entry.class;
        if self.classes[owner as usize].boot {
            return Ok(Vec::new());
        }
        let name = self.text(entry.name).to_string();
        let class = self.java_name(owner);
        let here = watch.fits_class(&class) && watch.fits_method(&name);
        let locals = code.local_variables()?;
        let lines = code.line_numbers()?;
        let mut found = Vec::new();
        for instruction in code.instructions() {
            let instruction = instruction?;
            let (variable, local, kind) = match instruction.operand {
                Operand::Local(local) | Operand::Iinc { local, .. }
                    if here && (instruction.op.is_store() || instruction.op == Bytecode::Iinc) =>
                {
                    let next = instruction.next_pc;
                    let known = locals.iter().find(|variable| {
                        let start = u32::from(variable.start_pc);
                        variable.index == local
                            && (start..=start + u32::from(variable.length)).contains(&next)
                            && pool
                                .utf8(variable.name)
                                .is_ok_and(|text| text == watch.name.as_str())
                    });
                    let Some(variable) = known else { continue };
                    let descriptor = pool.utf8(variable.descriptor)?.to_str_lossy().into_owned();
                    (watch.name.clone(), Some(local), Kind::of(&descriptor))
                }
                Operand::Field(index)
                    if watch.method.is_none()
                        && matches!(instruction.op, Bytecode::Putfield | Bytecode::Putstatic) =>
                {
                    let field = pool.field(index)?;
                    let owner = field.owner.to_str_lossy().replace('/', ".");
                    if field.name != watch.name.as_str() || !watch.fits_class(&owner) {
                        continue;
                    }
                    let kind = Kind::of(&field.descriptor.to_str_lossy());
                    (format!("{owner}.{}", watch.name), None, kind)
                }
                _ => continue,
            };
            let pc = instruction.pc;
            let line = lines.iter().filter(|line| u32::from(line.start_pc) <= pc);
            let line = line.max_by_key(|line| line.start_pc);
            self.trace.places.push(Place {
                variable,
                method: format!("{class}.{name}"),
                line: line.map(|line| u32::from(line.line)),
                kind,
            });
            found.push(TracedStore {
                pc: pc as u16,
                local,
                place: self.trace.places.len() as u32 - 1,
            });
        }
        Ok(found)
    }

    /// Notes the value that a watched variable has just been given, in the current context.
    #[cold]
    pub(crate) fn trace_value(&mut self, place: u32, slot: Slot) -> Step<()> {
        if self.trace.seen.len() >= CAP {
            self.trace.dropped += 1;
            return Ok(());
        }
        let kind = self.trace.places[place as usize].kind;
        let ctx = self.ctx;
        if kind == Kind::Ref {
            let object = self.plain_ref(slot)?;
            let text = self.show_object(object)?;
            self.trace.seen.push((place, ctx, text));
            return Ok(());
        }
        if !is_choice(slot) {
            self.trace
                .seen
                .push((place, ctx, show_primitive(kind, slot)));
            return Ok(());
        }
        for (cond, payload) in self.leaves(slot)? {
            self.trace
                .seen
                .push((place, cond, show_primitive(kind, payload)));
        }
        Ok(())
    }

    fn show_object(&mut self, object: Ref) -> Step<String> {
        if object == 0 {
            return Ok("null".into());
        }
        let class = self.class_of(object);
        if class == self.known.string {
            let text = self.string(u64::from(object))?;
            let short: String = text.chars().take(SHOWN).collect();
            return Ok(format!("{short:?}"));
        }
        let name = self.java_name(class);
        if let crate::class::Shape::Array { .. } = self.classes[class as usize].shape {
            return Ok(format!("{name} of {}", self.heap.length(object)));
        }
        let wrapped = Kind::PRIMITIVES.into_iter().find(|kind| {
            kind.wrapper()
                .is_some_and(|wrapper| wrapper.replace('/', ".") == name)
        });
        if let (Some(kind), Some(value)) = (wrapped, self.get_named(object, "value")) {
            let payload = self.plain(value)?;
            return Ok(show_primitive(kind, payload));
        }
        Ok(name)
    }
}

/// A primitive value as Java's source would write it, nearly.
fn show_primitive(kind: Kind, value: u64) -> String {
    match kind {
        Kind::Boolean => (value != 0).to_string(),
        Kind::Char => char::from_u32(value as u32).map_or_else(|| "?".into(), |c| format!("{c:?}")),
        Kind::Long => (value as i64).to_string(),
        Kind::Float => format!("{:?}", as_float(value)),
        Kind::Double => format!("{:?}", as_double(value)),
        _ => as_int(value).to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_variable_is_named_by_itself_with_its_class_or_with_its_method() {
        let plain = Watch::parse("total");
        assert!(plain.fits_class("a.B") && plain.fits_method("run"));
        let field = Watch::parse("a.B.total");
        assert_eq!(
            (field.class.as_deref(), &*field.name),
            (Some("a.B"), "total")
        );
        assert!(Watch::parse("B.total").fits_class("a.B"));
        let local = Watch::parse("a.B.run:total");
        assert_eq!(
            (local.class.as_deref(), local.method.as_deref()),
            (Some("a.B"), Some("run"))
        );
        assert!(!local.fits_method("walk"));
    }
}
