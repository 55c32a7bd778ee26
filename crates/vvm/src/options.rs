//! Options of the program: what makes its values conditional.

use crate::class::ClassId;
use crate::trap::Step;
use crate::value::choice;
use crate::vm::Vm;
use braid_cond::{Choice, Opt};
use rustc_hash::FxHashMap;

/// Where options come from.
#[derive(Debug, Default)]
pub struct Options {
    /// Static fields by class name (slashes) and field name.
    pub(crate) fields: FxHashMap<(String, String), Opt>,
    /// Every `static boolean` field annotated `@Conditional` is an option.
    pub(crate) annotated: bool,
    /// System properties that are "true" or "false".
    pub(crate) properties: Vec<(String, Opt)>,
    /// All options in order, with their names.
    pub(crate) all: Vec<(String, Opt)>,
}

impl Vm {
    /// The value of an option as a slot: itself a condition.
    pub(crate) fn option_slot(&self, option: Opt) -> u64 {
        choice(Choice::from(self.conds.on(option)).to_raw())
    }

    /// Sets the option fields of a class that is being initialised.
    pub(crate) fn set_options(&mut self, class: ClassId) -> Step<()> {
        if self.options.fields.is_empty() || self.classes[class as usize].boot {
            return Ok(());
        }
        let name = self.text(self.classes[class as usize].name).to_string();
        for index in 0..self.classes[class as usize].fields.len() {
            let field = &self.classes[class as usize].fields[index];
            let (sym, at, is_static) = (field.name, field.at, field.access.is_static());
            let key = (name.clone(), self.text(sym).to_string());
            if is_static && let Some(&option) = self.options.fields.get(&key) {
                let value = self.option_slot(option);
                self.put_static(at, value)?;
            }
        }
        Ok(())
    }
}
