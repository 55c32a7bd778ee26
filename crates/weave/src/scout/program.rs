//! The classes of the program: who declares what, who overrides it, and what initialising a class does.

use std::cell::{Cell, RefCell};
use std::collections::{BTreeSet, HashMap, HashSet};
use std::rc::Rc;

use braid_classfile::{AccessFlags, ClassFile, Constant, Member, OwnedClass};

use super::dry::{self, Rules, Summary};

/// Classes by name.
pub(super) type Classes<'c> = &'c dyn Fn(&str) -> Option<Vec<u8>>;

/// A method by the class that declares it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Id {
    pub(super) class: String,
    pub(super) name: String,
    pub(super) descriptor: String,
}

/// What methods do: in general, or while a class is initialised.
type Summaries = HashMap<(Id, Option<String>), Option<Rc<Summary>>>;

/// What is known of the program's classes. `None` everywhere means that something is not known.
pub(super) struct Program<'c> {
    classes: Classes<'c>,
    names: HashSet<&'c str>,
    read: RefCell<HashMap<String, Option<OwnedClass>>>,
    below: RefCell<Option<Rc<Below>>>,
    summaries: RefCell<Summaries>,
    /// How many methods are being looked at, each for one that calls it.
    depth: Cell<usize>,
    quiet: RefCell<HashMap<String, Option<Rc<BTreeSet<Id>>>>>,
}

/// Who extends whom.
#[derive(Default)]
struct Below {
    classes: HashMap<String, Vec<String>>,
    /// Interfaces that lambdas implement, and those which these extend.
    lambdas: HashSet<String>,
    /// Classes may be made at run time.
    open: bool,
}

/// Libraries that make classes of their own which extend those of a program.
const MAKERS: &[&str] = &[
    "org/mockito/",
    "org/easymock/",
    "org/jmock/",
    "org/powermock/",
    "mockit/",
    "net/bytebuddy/",
    "javassist/",
    "net/sf/cglib/",
    "org/objenesis/",
    "org/objectweb/asm/",
    "groovy/",
    "javax/tools/",
    "org/springframework/",
    "com/google/inject/",
    "java/lang/reflect/Proxy",
    "java/lang/reflect/InvocationHandler",
];

/// Methods that are called by way of more than so many others are not looked at.
const MAX_DEPTH: usize = 50;
/// More than so many methods that may be meant by one call are not looked at.
const MAX_TARGETS: usize = 40;

impl<'c> Program<'c> {
    pub(super) fn new(classes: Classes<'c>, names: &'c BTreeSet<String>) -> Self {
        Self {
            classes,
            names: names.iter().map(String::as_str).collect(),
            read: RefCell::default(),
            below: RefCell::default(),
            summaries: RefCell::default(),
            depth: Cell::default(),
            quiet: RefCell::default(),
        }
    }

    /// Whether a class is one of the program's own.
    pub(super) fn has(&self, name: &str) -> bool {
        self.names.contains(name)
    }

    /// Any class, the program's or another.
    pub(super) fn class(&self, name: &str) -> Option<OwnedClass> {
        if let Some(known) = self.read.borrow().get(name) {
            return known.clone();
        }
        let bytes = (self.classes)(name);
        let class = bytes.and_then(|bytes| OwnedClass::parse(bytes).ok());
        let mut read = self.read.borrow_mut();
        read.insert(name.to_owned(), class.clone());
        class
    }

    fn own(&self, name: &str) -> Option<OwnedClass> {
        self.has(name).then(|| self.class(name))?
    }

    /// A class and those of the program that it extends, and the class of the JDK that the last of these extends.
    pub(super) fn chain(&self, name: &str) -> Option<(Vec<String>, String)> {
        let mut chain = Vec::new();
        let mut at = name.to_owned();
        while self.has(&at) {
            let class = self.own(&at)?;
            let parent = class.view().super_name()?.to_string();
            chain.push(std::mem::replace(&mut at, parent));
            if chain.len() > 100 {
                return None;
            }
        }
        at.starts_with("java/").then_some((chain, at))
    }

    /// A class, those that it extends, and all their interfaces, as far as they are the program's.
    fn lineage(&self, name: &str) -> Option<Vec<String>> {
        let (mut all, _) = self.chain(name)?;
        let mut at = 0;
        while let Some(name) = all.get(at) {
            for interface in self.own(name)?.view().interfaces() {
                let interface = interface.to_string();
                if self.has(&interface) {
                    if !all.contains(&interface) {
                        all.push(interface);
                    }
                } else if !interface.starts_with("java/") {
                    return None;
                }
            }
            at += 1;
        }
        Some(all)
    }

    /// The field that code names, with the class that declares it.
    pub(super) fn field(
        &self,
        owner: &str,
        name: &str,
        descriptor: &str,
    ) -> Option<(String, AccessFlags, bool)> {
        for class in self.field_order(owner, 0)? {
            let owned = self.own(&class)?;
            let view = owned.view();
            if let Some(field) = view.field(name, descriptor) {
                return Some((class, field.access(), crate::world::is_constant(field)));
            }
        }
        None
    }

    /// The order in which a field is looked for (JVMS 5.4.3.2).
    fn field_order(&self, owner: &str, depth: usize) -> Option<Vec<String>> {
        if depth > 100 {
            return None;
        }
        let class = self.own(owner)?;
        let view = class.view();
        let mut order = vec![owner.to_owned()];
        for parent in view.interfaces().chain(view.super_name()) {
            let parent = parent.to_string();
            if self.has(&parent) {
                order.extend(self.field_order(&parent, depth + 1)?);
            } else if !parent.starts_with("java/") {
                return None;
            }
        }
        Some(order)
    }

    /// The method that code names: the class that declares it. `Err` is a class of the JDK in which it must be.
    pub(super) fn method(
        &self,
        owner: &str,
        name: &str,
        descriptor: &str,
    ) -> Option<Result<(Id, AccessFlags), String>> {
        let (chain, top) = self.chain(owner)?;
        let declares = |class: &str| -> Option<Option<(Id, AccessFlags)>> {
            let owned = self.own(class)?;
            let view = owned.view();
            let found = view.method(name, descriptor);
            Some(found.map(|method| (id(class, method), method.access())))
        };
        for class in &chain {
            if let Some(found) = declares(class)? {
                return Some(Ok(found));
            }
        }
        let mut found = Vec::new();
        for class in self.lineage(owner)? {
            found.extend(declares(&class)?);
        }
        match found.len() {
            0 => Some(Err(top)),
            // of several declarations any says the same of the call
            _ => Some(Ok(found.swap_remove(0))),
        }
    }

    /// Who extends whom, which is read once.
    fn below(&self) -> Rc<Below> {
        if let Some(known) = &*self.below.borrow() {
            return known.clone();
        }
        let mut below = Below::default();
        for name in &self.names {
            match self.class(name) {
                Some(class) => below.add(name, &class.view()),
                None => below.open = true,
            }
        }
        for interface in std::mem::take(&mut below.lambdas) {
            let all = self.lineage(&interface).unwrap_or_default();
            below.lambdas.extend(all);
            below.lambdas.insert(interface);
        }
        let below = Rc::new(below);
        *self.below.borrow_mut() = Some(below.clone());
        below
    }

    /// Whether classes may be made at run time that do something else where the program's are called.
    pub(super) fn is_open(&self) -> bool {
        self.below().open
    }

    /// All methods that a call on some object of a class may mean.
    pub(super) fn targets(&self, owner: &str, name: &str, descriptor: &str) -> Option<Vec<Id>> {
        let below = self.below();
        let mut open = vec![owner.to_owned()];
        let mut seen: HashSet<String> = open.iter().cloned().collect();
        let mut targets = BTreeSet::new();
        while let Some(class) = open.pop() {
            if below.lambdas.contains(&class) {
                return None;
            }
            self.chosen(&class, name, descriptor, &mut targets)?;
            for sub in below.classes.get(&class).into_iter().flatten() {
                if seen.insert(sub.clone()) {
                    open.push(sub.clone());
                }
            }
            if targets.len() > MAX_TARGETS {
                return None;
            }
        }
        (!targets.is_empty()).then(|| targets.into_iter().collect())
    }

    /// What an object of just this class has for a method, or more.
    fn chosen(
        &self,
        class: &str,
        name: &str,
        descriptor: &str,
        into: &mut BTreeSet<Id>,
    ) -> Option<()> {
        let access = self.own(class)?.view().access();
        if access.is_interface() || access.is_abstract() {
            return Some(());
        }
        let (chain, top) = self.chain(class)?;
        let mut found = Vec::new();
        for class in &chain {
            let owned = self.own(class)?;
            let view = owned.view();
            if let Some(method) = view.method(name, descriptor) {
                found.push((id(class, method), method.access()));
            }
        }
        // one of another package does not override one that only its own package sees
        let seen = |access: AccessFlags| access.is_public() || access.is_protected();
        let all_seen = found.iter().all(|(_, access)| seen(*access));
        if all_seen {
            found.truncate(1);
        }
        if found.is_empty() {
            // a class of the JDK may have one of its own
            if top != "java/lang/Object" {
                return None;
            }
            for interface in self.lineage(class)? {
                let owned = self.own(&interface)?;
                let view = owned.view();
                let method = view.method(name, descriptor);
                let method = method.filter(|method| !method.access().is_abstract());
                found.extend(method.map(|method| (id(&interface, method), method.access())));
            }
        }
        let found = found
            .into_iter()
            .filter(|(_, access)| !access.is_abstract());
        let before = into.len();
        let mut any = false;
        for (id, _) in found {
            any = true;
            into.insert(id);
        }
        (any || into.len() > before).then_some(())
    }

    /// What a method does when it is called dry; none if it may change something. While a class is initialised, what a
    /// method reads must be known, too.
    pub(super) fn summary(&self, id: &Id, initialising: Option<&str>) -> Option<Rc<Summary>> {
        let key = (id.clone(), initialising.map(str::to_owned));
        if let Some(known) = self.summaries.borrow().get(&key) {
            return known.clone();
        }
        // what calls itself is not looked at
        self.summaries.borrow_mut().insert(key.clone(), None);
        let depth = self.depth.get();
        let summary = match depth < MAX_DEPTH {
            true => {
                self.depth.set(depth + 1);
                let summary = self.look(id, initialising).map(Rc::new);
                self.depth.set(depth);
                summary
            }
            false => None,
        };
        self.summaries.borrow_mut().insert(key, summary.clone());
        summary
    }

    fn look(&self, id: &Id, initialising: Option<&str>) -> Option<Summary> {
        let owned = self.own(&id.class)?;
        let view = owned.view();
        let method = view.method(&id.name, &id.descriptor)?;
        let access = method.access();
        if access.is_native() || access.is_abstract() || access.is_synchronized() {
            return None;
        }
        let rules = Rules {
            program: self,
            user: &id.class,
            initialising,
            concatenations: &dry::concatenations(&view)?,
            initialiser: id.name == "<clinit>",
        };
        dry::method(&rules, method)
    }

    /// All methods that a method may call, itself included.
    pub(super) fn closure(&self, from: &BTreeSet<Id>) -> Option<BTreeSet<Id>> {
        let mut all = from.clone();
        let mut open: Vec<Id> = all.iter().cloned().collect();
        while let Some(id) = open.pop() {
            for call in &self.summary(&id, None)?.calls {
                if all.insert(call.clone()) {
                    open.push(call.clone());
                }
            }
        }
        Some(all)
    }

    /// Whether initialising a class now and not later makes no difference for code of another class: the methods that
    /// its initialiser calls.
    pub(super) fn initialises_quietly(&self, class: &str, user: &str) -> Option<Rc<BTreeSet<Id>>> {
        let (own, _) = self.chain(user)?;
        if own.iter().any(|own| own == class) {
            return Some(Rc::default());
        }
        if let Some(known) = self.quiet.borrow().get(class) {
            return known.clone();
        }
        self.quiet.borrow_mut().insert(class.to_owned(), None);
        let quiet = self.initialisers(class).map(Rc::new);
        self.quiet
            .borrow_mut()
            .insert(class.to_owned(), quiet.clone());
        quiet
    }

    fn initialisers(&self, class: &str) -> Option<BTreeSet<Id>> {
        let (_, top) = self.chain(class)?;
        let known = ["java/lang/", "java/util/", "java/io/"];
        if !known.iter().any(|package| top.starts_with(package)) {
            return None;
        }
        let mut calls = BTreeSet::new();
        for class in self.lineage(class)? {
            let owned = self.own(&class)?;
            let view = owned.view();
            let Some(initialiser) = view.method("<clinit>", "()V") else {
                continue;
            };
            let summary = self.summary(&id(&class, initialiser), Some(&class))?;
            if summary.spoils || summary.throws {
                return None;
            }
            let mut open: Vec<Id> = summary.calls.iter().cloned().collect();
            while let Some(id) = open.pop() {
                if calls.insert(id.clone()) {
                    let summary = self.summary(&id, Some(&class))?;
                    open.extend(summary.calls.iter().cloned());
                }
            }
        }
        Some(calls)
    }

    /// Whether making an object leaves nothing to a finalizer.
    pub(super) fn has_no_finalizer(&self, class: &str) -> Option<()> {
        let (chain, top) = self.chain(class)?;
        for class in &chain {
            if self.own(class)?.view().method("finalize", "()V").is_some() {
                return None;
            }
        }
        ["java/lang/", "java/util/"]
            .iter()
            .any(|package| top.starts_with(package))
            .then_some(())
    }
}

impl Below {
    fn add(&mut self, name: &str, class: &ClassFile<'_>) {
        for parent in class.interfaces().chain(class.super_name()) {
            let subs = self.classes.entry(parent.to_string()).or_default();
            subs.push(name.to_owned());
            self.open |= parent == "java/lang/ClassLoader" || parent == "java/net/URLClassLoader";
        }
        let pool = class.pool();
        for index in pool.indices() {
            match pool.get(index) {
                Ok(Constant::InvokeDynamic(dynamic)) => {
                    let descriptor = dynamic.descriptor.to_string();
                    let made = descriptor.rsplit_once(')').map_or("", |(_, made)| made);
                    if let Some(made) = made.strip_prefix('L') {
                        self.lambdas.insert(made.trim_end_matches(';').to_owned());
                    }
                    // markers of a lambda are among the arguments of its bootstrap method
                }
                // annotations name classes in their descriptors only
                Ok(Constant::Utf8(text)) => self.open |= names_maker(text.as_bytes()),
                Ok(Constant::MethodRef(member)) => {
                    self.open |= member.name == "defineClass" || member.name == "altMetafactory";
                }
                _ => {}
            }
        }
    }
}

/// Whether a text names a class of a library that makes classes.
fn names_maker(text: &[u8]) -> bool {
    let starts = (0..text.len()).filter(|at| *at == 0 || !text[at - 1].is_ascii_alphanumeric());
    let mut starts = starts.map(|at| &text[at..]).chain(starts_of_class(text));
    text.contains(&b'/')
        && starts.any(|rest| {
            MAKERS
                .iter()
                .any(|maker| rest.starts_with(maker.as_bytes()))
        })
}

/// What follows each `L` that may begin the name of a class in a descriptor.
fn starts_of_class(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    let after = text.iter().enumerate().filter(|(_, byte)| **byte == b'L');
    after.map(|(at, _)| &text[at + 1..])
}

pub(super) fn id(class: &str, method: Member<'_>) -> Id {
    Id {
        class: class.to_owned(),
        name: method.name().to_string(),
        descriptor: method.descriptor().to_string(),
    }
}
