//! Parameters of tests: JUnit 4's `Parameterized`.

use super::annotations::{self, Value};
use super::discover::{Flavour, TestMethod};
use crate::class::{ClassId, MethodId};
use crate::heap::HEADER;
use crate::trap::{Step, Trap};
use crate::value::{Kind, Slot, as_ref};
use crate::vm::Vm;

/// One run of a test method.
#[derive(Debug, Default, Clone)]
pub(crate) struct Invocation {
    /// Arguments of the constructor.
    pub(crate) constructor: Vec<Slot>,
    /// Fields to set: word offset and value.
    pub(crate) fields: Vec<(u32, Slot)>,
    /// Not one of several.
    pub(crate) plain: bool,
}

impl Invocation {
    /// Every value that the invocation keeps.
    pub(crate) fn slots(&self) -> impl Iterator<Item = Slot> + '_ {
        let fields = self.fields.iter().map(|(_, value)| value);
        self.constructor.iter().chain(fields).copied()
    }
}

impl Vm {
    pub(crate) fn invocations(&mut self, test: &TestMethod) -> Step<Vec<Invocation>> {
        match test.flavour {
            Flavour::JUnit4 => {
                let class = self.load(&test.class.replace('.', "/"))?;
                self.parameterized(class)
            }
            Flavour::JUnit3 | Flavour::JUnit5 => Ok(vec![plain()]),
        }
    }

    fn parameterized(&mut self, class: ClassId) -> Step<Vec<Invocation>> {
        let runner = self
            .class_annotations(class)
            .into_iter()
            .find(|a| a.name == "org/junit/runner/RunWith");
        let is_parameterized = matches!(
            runner.as_ref().and_then(|runner| runner.get("value")),
            Some(Value::Class(name)) if name == "Lorg/junit/runners/Parameterized;"
        );
        if !is_parameterized {
            return Ok(vec![plain()]);
        }
        let mark = "org/junit/runners/Parameterized$Parameters";
        let Some(method) = self.method_with(class, mark) else {
            return Err(Trap::unknown("no @Parameters method"));
        };
        self.ensure_init(self.methods[method as usize].class)?;
        let data = self.call_value(method, &[])?;
        let rows = self.elements_of(data)?;
        let fields = self.parameter_fields(class);
        let mut invocations = Vec::new();
        for row in rows {
            let values = self.row_of(row)?;
            let mut invocation = Invocation::default();
            if fields.is_empty() {
                let descriptors = self.constructor_params(class, values.len())?;
                for (value, descriptor) in values.into_iter().zip(&descriptors) {
                    invocation
                        .constructor
                        .push(self.as_param(value, descriptor)?);
                }
            } else {
                for (index, at, descriptor) in &fields {
                    let value = values.get(*index).copied().unwrap_or(0);
                    invocation
                        .fields
                        .push((*at, self.as_param(value, descriptor)?));
                }
            }
            invocations.push(invocation);
        }
        Ok(invocations)
    }

    /// Fields with `@Parameter`: index, word offset, descriptor.
    fn parameter_fields(&self, class: ClassId) -> Vec<(usize, u32, String)> {
        let mut found = Vec::new();
        for owner in self.lineage(class) {
            let entry = &self.classes[owner as usize];
            let Some(file) = &entry.file else { continue };
            let view = file.view();
            for (field, member) in entry.fields.iter().zip(view.fields()) {
                for annotation in annotations::read(member.attributes(), view.pool()) {
                    if annotation.name == "org/junit/runners/Parameterized$Parameter" {
                        let index = match annotation.get("value") {
                            Some(&Value::Int(index)) => index as usize,
                            _ => 0,
                        };
                        found.push((index, field.at, self.text(field.descriptor).to_string()));
                    }
                }
            }
        }
        found
    }

    fn constructor_params(&self, class: ClassId, count: usize) -> Step<Vec<String>> {
        for &method in &self.classes[class as usize].methods {
            let entry = &self.methods[method as usize];
            if entry.name == self.known.init && entry.params.len() == count + 1 {
                let text = self.text(entry.descriptor);
                let parts = crate::descriptor::split(&text)?;
                return Ok(parts[..count].iter().map(|&part| part.to_owned()).collect());
            }
        }
        Err(Trap::unknown("no constructor takes the parameters"))
    }

    fn method_with(&self, class: ClassId, mark: &str) -> Option<MethodId> {
        self.lineage(class).into_iter().find_map(|owner| {
            self.classes[owner as usize]
                .methods
                .iter()
                .copied()
                .find(|&method| {
                    self.method_annotations(method)
                        .iter()
                        .any(|annotation| annotation.name == mark)
                })
        })
    }

    /// The elements of an `Iterable`, stream or array.
    pub(super) fn elements_of(&mut self, data: Slot) -> Step<Vec<Slot>> {
        let object = self.plain_ref(data)?;
        if object == 0 {
            return Err(Trap::unknown("test data is null"));
        }
        let class = self.class_of(object);
        if let Some(kind) = self.classes[class as usize].element_kind() {
            let mut values = Vec::new();
            for index in 0..self.heap.length(object) {
                let value = self.heap.element(kind, object, index);
                values.push(if kind == Kind::Ref {
                    value
                } else {
                    self.boxed(kind, value)?
                });
            }
            return Ok(values);
        }
        let array = if self.is_instance(class, "java/util/stream/BaseStream") {
            let boxed = ["Int", "Long", "Double"]
                .iter()
                .any(|kind| self.is_instance(class, &format!("java/util/stream/{kind}Stream")));
            let data = if boxed {
                self.call_virtual(data, "boxed", "()Ljava/util/stream/Stream;", &[])?
            } else {
                data
            };
            self.call_virtual(data, "toArray", "()[Ljava/lang/Object;", &[])?
        } else if self.is_instance(class, "java/util/Collection") {
            self.call_virtual(data, "toArray", "()[Ljava/lang/Object;", &[])?
        } else if self.is_instance(class, "java/lang/Iterable") {
            let iterator = self.call_virtual(data, "iterator", "()Ljava/util/Iterator;", &[])?;
            return self.drain(iterator);
        } else if self.is_instance(class, "java/util/Iterator") {
            return self.drain(data);
        } else {
            return Err(Trap::unknown("test data of an unknown shape"));
        };
        self.kept.extra.push(as_ref(array));
        self.elements_of(array)
    }

    fn drain(&mut self, iterator: Slot) -> Step<Vec<Slot>> {
        let mut values = Vec::new();
        loop {
            let more = self.call_virtual(iterator, "hasNext", "()Z", &[])?;
            if self.plain(more)? == 0 {
                return Ok(values);
            }
            let next = self.call_virtual(iterator, "next", "()Ljava/lang/Object;", &[])?;
            let next = self.plain(next)?;
            self.kept.extra.push(as_ref(next));
            values.push(next);
        }
    }

    pub(super) fn is_instance(&self, class: ClassId, name: &str) -> bool {
        self.symbols
            .find(name)
            .and_then(|sym| self.class_by_name.get(&sym))
            .is_some_and(|&supertype| self.is_subclass(class, supertype))
    }

    /// The values of one row: an `Object[]`, or a single value.
    fn row_of(&mut self, row: Slot) -> Step<Vec<Slot>> {
        let object = self.plain_ref(row)?;
        if object == 0 {
            return Ok(vec![0]);
        }
        let class = self.class_of(object);
        if self.classes[class as usize].element_kind() == Some(Kind::Ref) {
            return Ok((0..self.heap.length(object))
                .map(|at| self.heap.word(object + HEADER + at))
                .collect());
        }
        Ok(vec![row])
    }

    /// A boxed value as a parameter of the given type.
    fn as_param(&mut self, value: Slot, descriptor: &str) -> Step<Slot> {
        let value = self.plain(value)?;
        let fitting = match Kind::of(descriptor) {
            Kind::Ref => {
                let class = self.load_descriptor(descriptor)?;
                let object = as_ref(value);
                (object == 0 || self.is_subclass(self.class_of(object), class)).then_some(value)
            }
            kind => self.unboxed(kind, value).ok(),
        };
        fitting.ok_or_else(|| Trap::unknown("test data do not fit the parameters"))
    }
}

fn plain() -> Invocation {
    Invocation {
        plain: true,
        ..Invocation::default()
    }
}
