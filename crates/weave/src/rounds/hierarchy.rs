//! Which classes extend which, as far as the program's own go.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

use braid_classfile::ClassFile;

/// The classes of the program, each read once. `None` everywhere means that something is not known.
pub(super) struct Hierarchy<'t> {
    classes: &'t dyn Fn(&str) -> Option<Vec<u8>>,
    read: RefCell<HashMap<String, Option<Rc<[u8]>>>>,
}

/// A class of the program and those of the program that it extends.
pub(super) struct Chain {
    /// The class itself comes first.
    pub(super) classes: Vec<Rc<[u8]>>,
    /// The class of the JDK that the last one extends.
    pub(super) top: String,
}

/// Whether a class belongs to the JDK; no program can have one of such a name.
pub(super) fn belongs_to_jdk(name: &str) -> bool {
    name.starts_with("java/")
}

impl<'t> Hierarchy<'t> {
    pub(super) fn new(classes: &'t dyn Fn(&str) -> Option<Vec<u8>>) -> Self {
        let read = RefCell::default();
        Self { classes, read }
    }

    pub(super) fn class(&self, name: &str) -> Option<Rc<[u8]>> {
        if let Some(known) = self.read.borrow().get(name) {
            return known.clone();
        }
        let bytes = match belongs_to_jdk(name) {
            true => None,
            false => (self.classes)(name).map(Rc::from),
        };
        let mut read = self.read.borrow_mut();
        read.insert(name.to_owned(), bytes.clone());
        bytes
    }

    pub(super) fn chain(&self, name: &str) -> Option<Chain> {
        let mut classes = Vec::new();
        let mut top = name.to_owned();
        while !belongs_to_jdk(&top) {
            let bytes = self.class(&top)?;
            let class = ClassFile::parse(&bytes).ok()?;
            top = text(class.super_name()?.as_bytes())?.to_owned();
            classes.push(bytes);
            if classes.len() > 100 {
                return None;
            }
        }
        Some(Chain { classes, top })
    }

    /// Whether objects of a class are such of another class or interface, too.
    pub(super) fn is_subtype(&self, chain: &Chain, of: &str) -> Option<bool> {
        if belongs_to_jdk(of) && !["java/lang/Object", "java/lang/Enum"].contains(&&*chain.top) {
            return None;
        }
        let mut open = Vec::new();
        for bytes in &chain.classes {
            let class = ClassFile::parse(bytes).ok()?;
            if class.name() == of {
                return Some(true);
            }
            for interface in class.interfaces() {
                open.push(text(interface.as_bytes())?.to_owned());
            }
        }
        let mut seen = 0;
        while let Some(interface) = open.pop() {
            seen += 1;
            if interface == of {
                return Some(true);
            }
            // one of the JDK extends only such, and of these none that is asked for
            if belongs_to_jdk(&interface) {
                continue;
            }
            let bytes = self.class(&interface)?;
            let class = ClassFile::parse(&bytes).ok()?;
            for more in class.interfaces() {
                open.push(text(more.as_bytes())?.to_owned());
            }
            if seen > 1000 {
                return None;
            }
        }
        Some(false)
    }
}

pub(super) fn text(bytes: &[u8]) -> Option<&str> {
    std::str::from_utf8(bytes).ok()
}
