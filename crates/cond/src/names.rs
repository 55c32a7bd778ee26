//! Names of options.

use crate::handle::Opt;
use std::collections::HashMap;

/// Options in order of creation with their names, which are distinct.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Names {
    names: Vec<String>,
    by_name: HashMap<String, Opt>,
}

impl Names {
    /// No names.
    pub fn new() -> Names {
        Names::default()
    }

    /// The option with this name, a new one if there is none.
    pub fn intern(&mut self, name: &str) -> Opt {
        if let Some(opt) = self.find(name) {
            return opt;
        }
        let opt = Opt::new(self.names.len());
        self.names.push(name.to_owned());
        self.by_name.insert(name.to_owned(), opt);
        opt
    }

    /// The option with this name.
    pub fn find(&self, name: &str) -> Option<Opt> {
        self.by_name.get(name).copied()
    }

    /// The option's name, if it has one here.
    pub fn name(&self, opt: Opt) -> Option<&str> {
        self.names.get(opt.index()).map(String::as_str)
    }

    /// How many options there are.
    pub fn len(&self) -> usize {
        self.names.len()
    }

    /// Are there none?
    pub fn is_empty(&self) -> bool {
        self.names.is_empty()
    }

    /// All options in order of creation.
    pub fn options(&self) -> impl Iterator<Item = Opt> + use<> {
        (0..self.names.len()).map(Opt::new)
    }
}

impl<S: AsRef<str>> FromIterator<S> for Names {
    fn from_iter<I: IntoIterator<Item = S>>(names: I) -> Names {
        let mut all = Names::new();
        for name in names {
            all.intern(name.as_ref());
        }
        all
    }
}
