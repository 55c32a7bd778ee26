//! A closed world of classes: names, members, who extends whom, and method selection as the JVM does it.

use std::collections::HashMap;

use braid_classfile::{AccessFlags, ClassFile, Hierarchy, JStr, OwnedClass, Superclass};
use braid_classpath::ClassPath;

/// A class of a [`World`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ClassId(pub u32);

/// A method of a [`World`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct MethodId(pub u32);

/// A method name with its descriptor, interned.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Selector(pub u32);

/// All classes of a class path, immutable.
pub struct World {
    classes: Vec<Class>,
    by_name: HashMap<Box<[u8]>, ClassId>,
    methods: Vec<Method>,
    selectors: HashMap<Box<[u8]>, Selector>,
    selector_names: Vec<Box<[u8]>>,
}

struct Class {
    file: OwnedClass,
    name: Box<[u8]>,
    access: AccessFlags,
    superclass: Option<ClassId>,
    interfaces: Vec<ClassId>,
    /// Direct subclasses, and for an interface its direct implementors and extenders.
    below: Vec<ClassId>,
    first_method: u32,
    by_selector: HashMap<Selector, MethodId>,
    /// A superclass or interface is not in this world.
    incomplete: bool,
}

struct Method {
    class: ClassId,
    index: u16,
    selector: Selector,
    access: AccessFlags,
}

impl World {
    /// Reads every class of a class path, in parallel. Classes that cannot be parsed are left out.
    pub fn load(path: &ClassPath) -> braid_classpath::Result<World> {
        let files = path.map(|_, bytes| OwnedClass::parse(bytes).ok())?;
        Ok(World::new(files.into_iter().flatten()))
    }

    /// A world of these classes. Of two classes with one name the first counts.
    pub fn new(files: impl IntoIterator<Item = OwnedClass>) -> World {
        let mut world = World {
            classes: Vec::new(),
            by_name: HashMap::new(),
            methods: Vec::new(),
            selectors: HashMap::new(),
            selector_names: Vec::new(),
        };
        for file in files {
            world.add(file);
        }
        world.link();
        world
    }

    fn add(&mut self, file: OwnedClass) {
        let view = file.view();
        let name: Box<[u8]> = view.name().as_bytes().into();
        let id = ClassId(self.classes.len() as u32);
        if self.by_name.contains_key(&name) {
            return;
        }
        self.by_name.insert(name.clone(), id);
        let first_method = self.methods.len() as u32;
        let mut by_selector = HashMap::new();
        for (index, member) in view.methods().enumerate() {
            let selector = self.intern(member.name(), member.descriptor());
            by_selector.insert(selector, MethodId(self.methods.len() as u32));
            let access = member.access();
            self.methods.push(Method {
                class: id,
                index: index as u16,
                selector,
                access,
            });
        }
        let access = view.access();
        drop(view);
        self.classes.push(Class {
            file,
            name,
            access,
            superclass: None,
            interfaces: Vec::new(),
            below: Vec::new(),
            first_method,
            by_selector,
            incomplete: false,
        });
    }

    fn link(&mut self) {
        for id in 0..self.classes.len() {
            let view = self.classes[id].file.view();
            let find = |name: JStr<'_>| self.by_name.get(name.as_bytes()).copied();
            let superclass = view.super_name().map(find);
            let interfaces: Vec<Option<ClassId>> = view.interfaces().map(find).collect();
            drop(view);
            let class = &mut self.classes[id];
            class.incomplete = superclass == Some(None) || interfaces.contains(&None);
            class.superclass = superclass.flatten();
            class.interfaces = interfaces.into_iter().flatten().collect();
            let above: Vec<ClassId> = class
                .superclass
                .into_iter()
                .chain(class.interfaces.iter().copied())
                .collect();
            for parent in above {
                self.classes[parent.0 as usize]
                    .below
                    .push(ClassId(id as u32));
            }
        }
    }

    fn key(name: JStr<'_>, descriptor: JStr<'_>) -> Box<[u8]> {
        [name.as_bytes(), descriptor.as_bytes()].concat().into()
    }

    fn intern(&mut self, name: JStr<'_>, descriptor: JStr<'_>) -> Selector {
        let key = Self::key(name, descriptor);
        if let Some(&known) = self.selectors.get(&key) {
            return known;
        }
        let selector = Selector(self.selector_names.len() as u32);
        self.selector_names.push(key.clone());
        self.selectors.insert(key, selector);
        selector
    }

    /// How many classes there are.
    pub fn class_count(&self) -> usize {
        self.classes.len()
    }

    /// How many methods there are.
    pub fn method_count(&self) -> usize {
        self.methods.len()
    }

    /// The class with an internal name (`a/b/C`).
    pub fn class<'n>(&self, name: impl Into<JStr<'n>>) -> Option<ClassId> {
        self.by_name.get(name.into().as_bytes()).copied()
    }

    /// A class's internal name.
    pub fn class_name(&self, class: ClassId) -> JStr<'_> {
        JStr::new(&self.classes[class.0 as usize].name)
    }

    /// A class's file.
    pub fn file(&self, class: ClassId) -> ClassFile<'_> {
        self.classes[class.0 as usize].file.view()
    }

    /// The selector of a name and descriptor, if any method of the world has it.
    pub fn selector(&self, name: JStr<'_>, descriptor: JStr<'_>) -> Option<Selector> {
        self.selectors.get(&Self::key(name, descriptor)).copied()
    }

    /// The class that declares a method.
    pub fn declarer(&self, method: MethodId) -> ClassId {
        self.methods[method.0 as usize].class
    }

    /// A method's place in its class file.
    pub fn index(&self, method: MethodId) -> usize {
        self.methods[method.0 as usize].index.into()
    }

    /// A method's selector.
    pub fn selector_of(&self, method: MethodId) -> Selector {
        self.methods[method.0 as usize].selector
    }

    /// A method's flags.
    pub fn access(&self, method: MethodId) -> AccessFlags {
        self.methods[method.0 as usize].access
    }

    /// A method as `a/b/C.name(descriptor)`.
    pub fn method_name(&self, method: MethodId) -> String {
        let selector = &self.selector_names[self.selector_of(method).0 as usize];
        format!(
            "{}.{}",
            self.class_name(self.declarer(method)),
            JStr::new(selector)
        )
    }

    /// The methods that a class declares.
    pub fn methods_of(&self, class: ClassId) -> impl Iterator<Item = MethodId> {
        let class = &self.classes[class.0 as usize];
        let first = class.first_method;
        // Duplicate selectors in one class are refused by the JVM, so the map is as long as the list.
        (first..first + class.by_selector.len() as u32).map(MethodId)
    }

    /// The method a class declares itself.
    pub fn declared(&self, class: ClassId, selector: Selector) -> Option<MethodId> {
        self.classes[class.0 as usize]
            .by_selector
            .get(&selector)
            .copied()
    }

    /// Whether a class is an interface.
    pub fn is_interface(&self, class: ClassId) -> bool {
        self.classes[class.0 as usize].access.is_interface()
    }

    /// Whether objects of exactly this class can exist.
    pub fn is_concrete(&self, class: ClassId) -> bool {
        let access = self.classes[class.0 as usize].access;
        !access.is_abstract() && !access.is_interface()
    }

    /// Whether something above a class is not in this world, so that nothing certain can be said of it.
    pub fn is_incomplete(&self, class: ClassId) -> bool {
        self.above(class)
            .into_iter()
            .any(|c| self.classes[c.0 as usize].incomplete)
    }

    /// The class itself, its superclasses in order, then every interface above any of them.
    pub fn above(&self, class: ClassId) -> Vec<ClassId> {
        let mut all: Vec<ClassId> = self.superclasses(class).collect();
        let mut next = 0;
        while next < all.len() {
            for &interface in &self.classes[all[next].0 as usize].interfaces {
                if !all.contains(&interface) {
                    all.push(interface);
                }
            }
            next += 1;
        }
        all
    }

    fn superclasses(&self, class: ClassId) -> impl Iterator<Item = ClassId> + '_ {
        // A cycle of superclasses is refused by the JVM but possible in files: bounded.
        std::iter::successors(Some(class), |c| self.classes[c.0 as usize].superclass)
            .take(self.classes.len() + 1)
    }

    /// The class itself and everything that extends or implements it.
    pub fn below(&self, class: ClassId) -> Vec<ClassId> {
        let mut seen = std::collections::HashSet::from([class]);
        let mut all = vec![class];
        let mut next = 0;
        while next < all.len() {
            for &lower in &self.classes[all[next].0 as usize].below {
                if seen.insert(lower) {
                    all.push(lower);
                }
            }
            next += 1;
        }
        all
    }

    /// Whether `class` is `ancestor` or below it.
    pub fn is_subtype(&self, class: ClassId, ancestor: ClassId) -> bool {
        self.above(class).contains(&ancestor)
    }

    /// Method resolution (JVMS 5.4.3.3 and 5.4.3.4): what a reference to `owner.selector` names.
    pub fn resolve(&self, owner: ClassId, selector: Selector) -> Option<MethodId> {
        if let Some(found) = self
            .superclasses(owner)
            .find_map(|c| self.declared(c, selector))
        {
            return Some(found);
        }
        if self.is_interface(owner) {
            let object = self
                .class("java/lang/Object")
                .and_then(|c| self.declared(c, selector));
            if let Some(found) = object.filter(|&m| self.access(m).is_public()) {
                return Some(found);
            }
        }
        self.interface_method(owner, selector)
    }

    /// Method selection (JVMS 5.4.6): what an invocation of `resolved` runs on an object of class `receiver`.
    pub fn select(&self, receiver: ClassId, resolved: MethodId) -> Option<MethodId> {
        if self.access(resolved).is_private() {
            return Some(resolved);
        }
        let selector = self.selector_of(resolved);
        let overrides = |m: &MethodId| *m == resolved || self.can_override(*m, resolved);
        (self
            .superclasses(receiver)
            .filter_map(|c| self.declared(c, selector))
            .find(overrides))
        .or_else(|| self.interface_method(receiver, selector))
    }

    /// JVMS 5.4.5, without the transitive package-private case, which only a class between the two packages
    /// can make; then the resolved method is selected too much rather than too little by callers that
    /// take both.
    fn can_override(&self, method: MethodId, above: MethodId) -> bool {
        let (own, over) = (self.access(method), self.access(above));
        if own.is_static() || own.is_private() {
            return false;
        }
        over.is_public()
            || over.is_protected()
            || self.package(self.declarer(method)) == self.package(self.declarer(above))
    }

    fn package(&self, class: ClassId) -> &[u8] {
        let name = &self.classes[class.0 as usize].name;
        &name[..name.iter().rposition(|&b| b == b'/').unwrap_or(0)]
    }

    /// The maximally specific method of the interfaces above a class; an abstract one only if there is no other.
    fn interface_method(&self, class: ClassId, selector: Selector) -> Option<MethodId> {
        let candidates: Vec<MethodId> = (self.above(class).into_iter())
            .filter(|&c| self.is_interface(c))
            .filter_map(|c| self.declared(c, selector))
            .filter(|&m| !self.access(m).is_private() && !self.access(m).is_static())
            .collect();
        let specific = |m: &MethodId| {
            let own = self.declarer(*m);
            !candidates
                .iter()
                .any(|o| o != m && self.is_subtype(self.declarer(*o), own))
        };
        let best: Vec<MethodId> = candidates.iter().copied().filter(specific).collect();
        let concrete = best.iter().find(|m| !self.access(**m).is_abstract());
        concrete.or(best.first()).copied()
    }
}

impl Hierarchy for World {
    fn superclass<'h>(&'h self, name: JStr<'_>) -> Superclass<'h> {
        let Some(id) = self.class(name) else {
            return Superclass::Unknown;
        };
        let class = &self.classes[id.0 as usize];
        match class.superclass {
            _ if class.access.is_interface() => Superclass::Interface,
            Some(parent) => Superclass::Class(self.class_name(parent)),
            None if &*class.name == b"java/lang/Object" => Superclass::Root,
            None => Superclass::Unknown,
        }
    }
}
