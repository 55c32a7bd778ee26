//! Interned names and descriptors.

use rustc_hash::FxHashMap;
use std::rc::Rc;

/// An interned string; equal symbols are equal strings.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Sym(pub u32);

/// The table of symbols.
#[derive(Debug, Default)]
pub(crate) struct Symbols {
    by_text: FxHashMap<Rc<str>, Sym>,
    texts: Vec<Rc<str>>,
}

impl Symbols {
    /// The symbol of a text, new or known.
    pub(crate) fn intern(&mut self, text: &str) -> Sym {
        if let Some(&sym) = self.by_text.get(text) {
            return sym;
        }
        let text: Rc<str> = text.into();
        let sym = Sym(self.texts.len() as u32);
        self.texts.push(Rc::clone(&text));
        self.by_text.insert(text, sym);
        sym
    }

    /// The symbol of a text if it is known.
    pub(crate) fn find(&self, text: &str) -> Option<Sym> {
        self.by_text.get(text).copied()
    }

    /// The text of a symbol.
    pub(crate) fn text(&self, sym: Sym) -> &Rc<str> {
        &self.texts[sym.0 as usize]
    }
}
