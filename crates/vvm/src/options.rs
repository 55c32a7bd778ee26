//! Options of the program: what makes its values conditional.

use crate::class::ClassId;
use crate::trap::Step;
use crate::value::choice;
use crate::vm::Vm;
use braid_cond::{Choice, Opt};
use rustc_hash::FxHashMap;

/// A choice that was woven into the program: a `static int` field says which of several alternatives runs, 0 the
/// original. Each alternative is an option; at most one of a field is on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WovenChoice {
    /// The field, as `a.b.C.field`.
    pub field: String,
    /// The options with their numbers.
    pub alternatives: Vec<(String, i32)>,
}

/// Where options come from.
#[derive(Debug, Default)]
pub(crate) struct Options {
    /// Static fields by class name (slashes) and field name.
    pub(crate) fields: FxHashMap<(String, String), Opt>,
    /// Static `int` fields, keyed likewise, with the number of each alternative.
    pub(crate) choices: FxHashMap<(String, String), Vec<(i32, Opt)>>,
    /// System properties that are "true" or "false".
    pub(crate) properties: Vec<(String, Opt)>,
    /// Conditional values made for them, which must outlive a collection of nodes.
    pub(crate) values: Vec<u64>,
    /// All options in order, with their names.
    pub(crate) all: Vec<(String, Opt)>,
    /// What the feature model names that is no option.
    pub(crate) foreign: Vec<String>,
}

impl Vm {
    /// The value of an option as a slot: itself a condition.
    pub(crate) fn option_slot(&self, option: Opt) -> u64 {
        choice(Choice::from(self.conds.on(option)).to_raw())
    }

    /// The number of the alternative that is on.
    fn choice_slot(&mut self, alternatives: &[(i32, Opt)]) -> Step<u64> {
        let mut value = 0;
        for &(number, option) in alternatives {
            let on = self.conds.on(option);
            value = self.select_slot(on, crate::value::int(number), value)?;
        }
        Ok(value)
    }

    /// Sets the option fields of a class that is being initialised.
    pub(crate) fn set_options(&mut self, class: ClassId) -> Step<()> {
        let none = self.options.fields.is_empty() && self.options.choices.is_empty();
        if none || self.classes[class as usize].boot {
            return Ok(());
        }
        let name = self.text(self.classes[class as usize].name).to_string();
        for index in 0..self.classes[class as usize].fields.len() {
            let field = &self.classes[class as usize].fields[index];
            let (sym, at, is_static) = (field.name, field.at, field.access.is_static());
            let key = (name.clone(), self.text(sym).to_string());
            let value = match (
                self.options.fields.get(&key),
                self.options.choices.get(&key),
            ) {
                (Some(&option), _) => Some(self.option_slot(option)),
                (None, Some(alternatives)) => {
                    let alternatives = alternatives.clone();
                    Some(self.choice_slot(&alternatives)?)
                }
                (None, None) => None,
            };
            if let Some(value) = value.filter(|_| is_static) {
                // Plain where the universe leaves no choice, as in the run that measures fuel.
                let value = self.simplify_in(value, self.universe)?;
                self.put_static(at, value)?;
            }
        }
        Ok(())
    }
}

/// Fields of the class path's classes that are annotated `@Conditional`, as `a.b.C.field`.
pub(crate) fn annotated_fields(
    source: &crate::source::JdkAndPath,
) -> crate::error::Result<Vec<String>> {
    use crate::source::ClassSource;
    let mut found = Vec::new();
    for name in source.program_classes()? {
        let Some((bytes, _)) = source.class(&name) else {
            continue;
        };
        let Ok(class) = braid_classfile::ClassFile::parse(&bytes) else {
            continue;
        };
        for field in class.fields() {
            if !field.access().is_static() || field.descriptor() != "Z" {
                continue;
            }
            for raw in field.attributes().iter() {
                let Ok(braid_classfile::Attribute::Annotations { annotations, .. }) = raw.parse()
                else {
                    continue;
                };
                let conditional = annotations.iter().any(|annotation| {
                    let descriptor = annotation.descriptor.to_str_lossy();
                    let simple = descriptor
                        .trim_end_matches(';')
                        .rsplit(['/', '$', 'L'])
                        .next()
                        .map(str::to_owned);
                    simple.as_deref() == Some("Conditional")
                });
                if conditional {
                    found.push(format!(
                        "{}.{}",
                        name.replace('/', "."),
                        field.name().to_str_lossy()
                    ));
                }
            }
        }
    }
    found.sort();
    Ok(found)
}
