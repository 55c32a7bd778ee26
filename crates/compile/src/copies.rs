//! Which parts of a bulk class file belong to one copy of a method.

use std::cell::RefCell;
use std::collections::{BTreeSet, HashMap};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use braid_classfile::{
    Attribute, ClassFile, Constant, ConstantPool, Error, HandleKind, JStr, Member, MemberRef,
    Operand, OwnedClass,
};

use crate::Classes;
use crate::additions::{self, Addition};
use crate::constructor;

const NOT_THERE: &str = "a copy that is not in its class";

/// A patched method that was compiled as an extra method of its class.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MethodCopy {
    /// The class, `a/b/Outer$Inner`.
    pub class: String,
    /// The name of the method that the patch changes.
    pub method: String,
    /// The descriptor of both methods.
    pub descriptor: String,
    /// The name of the extra method in `bulk[class]`. Its code is that of the patched method, lines
    /// included; calls of itself go to `method`. It is static if the method is, and private. A
    /// constructor has its own name there.
    pub copy: String,
    /// Names and descriptors of the lambda bodies in `bulk[class]` that belong to it.
    pub lambdas: Vec<(String, String)>,
    /// The local and anonymous classes in `bulk` that belong to it.
    pub classes: Vec<String>,
    /// The class files of many patches, shared but for those of constructors. Only the named parts
    /// are of use: the unpatched methods are there too, compiled again.
    pub bulk: Arc<Classes>,
}

/// The class files of one round, opened.
pub(crate) struct Round {
    bulk: Arc<Classes>,
    /// The folder of the unpatched classes.
    originals: PathBuf,
    /// Those that were looked at; none where there is no such class.
    originals_opened: RefCell<HashMap<String, Option<Arc<Opened>>>>,
    /// What unpatched methods use: by class, method and descriptor.
    used: RefCell<HashMap<[String; 3], Arc<BTreeSet<Addition>>>>,
    opened: HashMap<String, Opened>,
}

struct Opened {
    class: OwnedClass,
    /// The places of methods by name.
    methods: HashMap<Vec<u8>, Vec<usize>>,
    /// The class and method around, for a class that no other file can name.
    local: Option<(String, Option<String>)>,
    /// The class that this one is a member of.
    outer: Option<String>,
}

impl Round {
    pub(crate) fn open(bulk: Classes, originals: &Path) -> Result<Round, Error> {
        let bulk = Arc::new(bulk);
        let mut opened = HashMap::new();
        for (name, bytes) in bulk.iter() {
            opened.insert(name.clone(), Opened::new(bytes)?);
        }
        Ok(Round {
            bulk,
            originals: originals.to_owned(),
            originals_opened: RefCell::default(),
            used: RefCell::default(),
            opened,
        })
    }

    /// An unpatched class.
    fn original(&self, class: &str) -> Result<Option<Arc<Opened>>, Error> {
        if let Some(known) = self.originals_opened.borrow().get(class) {
            return Ok(known.clone());
        }
        let found = match fs::read(self.originals.join(format!("{class}.class"))) {
            Ok(bytes) => Some(Arc::new(Opened::new(&bytes)?)),
            Err(_) => None,
        };
        let mut opened = self.originals_opened.borrow_mut();
        opened.insert(class.to_owned(), found.clone());
        Ok(found)
    }

    /// The parts of a copy; or why it does not stand on its own.
    pub(crate) fn copy(
        &self,
        class: String,
        method: String,
        copy: String,
    ) -> Result<Result<MethodCopy, String>, Error> {
        let opened = self.opened.get(&class);
        let place = opened.and_then(|class| class.methods.get(copy.as_bytes())?.first());
        self.at(class, method, copy, place.copied())
    }

    /// The parts of the copy of a constructor, by its number in the class from 1, in class files of its own; or why
    /// it does not stand on its own.
    pub(crate) fn constructor(
        &self,
        class: String,
        number: usize,
    ) -> Result<Result<MethodCopy, String>, Error> {
        let Some(opened) = self.opened.get(&class) else {
            return Ok(Err(NOT_THERE.into()));
        };
        let view = opened.class.view();
        let place = constructor::nth_copy(&view, number);
        let name = "<init>".to_owned();
        let copy = self.at(class, name.clone(), name, place)?;
        Ok(copy.map(|mut copy| {
            let lambda = |method: Member<'_>| {
                let same = |(name, descriptor): &(String, String)| {
                    method.name() == name.as_str() && method.descriptor() == descriptor.as_str()
                };
                copy.lambdas.iter().any(same)
            };
            let bytes = constructor::alone(&view, place, lambda);
            let local = copy.classes.iter();
            let local = local.filter_map(|name| Some((name.clone(), self.bulk.get(name)?.clone())));
            let mut bulk: Classes = local.collect();
            bulk.insert(copy.class.clone(), bytes);
            copy.bulk = Arc::new(bulk);
            copy
        }))
    }

    /// The parts of the copy at a place among the methods of its class.
    fn at(
        &self,
        class: String,
        method: String,
        copy: String,
        place: Option<usize>,
    ) -> Result<Result<MethodCopy, String>, Error> {
        let mut walk = Walk {
            round: self,
            copy: &copy,
            class: &class,
            ..Walk::new(self)
        };
        let Some(descriptor) = walk.start(place)? else {
            return Ok(Err(NOT_THERE.into()));
        };
        if let Some(obstacle) = walk.obstacle {
            return Ok(Err(obstacle));
        }
        if !walk
            .additions
            .is_superset(&*self.used(&class, &method, &descriptor)?)
        {
            return Ok(Err("perhaps the last use of what the compiler adds".into()));
        }
        let lambdas = walk.lambdas.into_iter().collect();
        let classes = walk.classes.into_iter().collect();
        let bulk = Arc::clone(&self.bulk);
        Ok(Ok(MethodCopy {
            class,
            method,
            descriptor,
            copy,
            lambdas,
            classes,
            bulk,
        }))
    }
}

impl Round {
    /// The additions that an unpatched method uses.
    fn used(
        &self,
        class: &str,
        method: &str,
        descriptor: &str,
    ) -> Result<Arc<BTreeSet<Addition>>, Error> {
        let key = [class, method, descriptor].map(str::to_owned);
        if let Some(known) = self.used.borrow().get(&key) {
            return Ok(Arc::clone(known));
        }
        let open = |name: &str| Ok(self.original(name)?.map(|opened| opened.class.clone()));
        let used = match open(class)? {
            Some(class) => additions::used_by(&class, method, descriptor, open)?,
            None => BTreeSet::new(),
        };
        let used = Arc::new(used);
        self.used.borrow_mut().insert(key, Arc::clone(&used));
        Ok(used)
    }
}

impl Opened {
    fn new(bytes: &[u8]) -> Result<Opened, Error> {
        let class = OwnedClass::parse(bytes)?;
        let view = class.view();
        let mut methods: HashMap<Vec<u8>, Vec<usize>> = HashMap::new();
        for (at, method) in view.methods().enumerate() {
            let name = method.name().as_bytes().to_vec();
            methods.entry(name).or_default().push(at);
        }
        let local = local_in(&view)?;
        let outer = member_of(&view)?;
        Ok(Opened {
            class,
            methods,
            local,
            outer,
        })
    }

    /// The places of the methods with a name.
    fn named(&self, name: JStr<'_>) -> &[usize] {
        self.methods.get(name.as_bytes()).map_or(&[], Vec::as_slice)
    }

    /// Whether a method or field of the class itself is there, and whether the compiler made it up.
    fn synthetic(&self, name: JStr<'_>, descriptor: JStr<'_>) -> Option<bool> {
        let view = self.class.view();
        let methods = self.named(name).iter();
        let mut methods = methods.filter_map(|at| view.method_at(*at));
        let method = methods.find(|method| method.descriptor() == descriptor);
        let mut fields = view.fields();
        let field = || fields.find(|f| f.name() == name && f.descriptor() == descriptor);
        let member = method.or_else(field);
        member.map(|member| member.access().is_synthetic())
    }
}

fn local_in(class: &ClassFile<'_>) -> Result<Option<(String, Option<String>)>, Error> {
    Ok(match class.attribute("EnclosingMethod")? {
        Some(Attribute::EnclosingMethod(around)) => {
            let method = around
                .method
                .map(|method| method.name.to_str_lossy().into_owned());
            Some((around.class.to_str_lossy().into_owned(), method))
        }
        _ if class.access().is_synthetic() => Some((String::new(), None)),
        _ => None,
    })
}

/// The class that a class is a member of.
fn member_of(class: &ClassFile<'_>) -> Result<Option<String>, Error> {
    let Some(Attribute::InnerClasses(entries)) = class.attribute("InnerClasses")? else {
        return Ok(None);
    };
    let pool = class.pool();
    for entry in entries.iter().filter(|entry| entry.outer != 0) {
        if pool.class(entry.inner)? == class.name() {
            return Ok(Some(pool.class(entry.outer)?.to_str_lossy().into_owned()));
        }
    }
    Ok(None)
}

/// A walk over all code that a copy can reach and no other method may share.
struct Walk<'a> {
    round: &'a Round,
    class: &'a str,
    copy: &'a str,
    lambdas: BTreeSet<(String, String)>,
    classes: BTreeSet<String>,
    additions: BTreeSet<Addition>,
    obstacle: Option<String>,
}

impl<'a> Walk<'a> {
    fn new(round: &'a Round) -> Walk<'a> {
        Walk {
            round,
            class: "",
            copy: "",
            lambdas: BTreeSet::new(),
            classes: BTreeSet::new(),
            additions: BTreeSet::new(),
            obstacle: None,
        }
    }

    /// Takes note of why the copy does not stand on its own; the first reason counts.
    fn obstacle(&mut self, reason: &str) {
        self.obstacle.get_or_insert_with(|| reason.to_owned());
    }

    /// The copy's descriptor, if it is there.
    fn start(&mut self, place: Option<usize>) -> Result<Option<String>, Error> {
        let Some(opened) = self.round.opened.get(self.class) else {
            return Ok(None);
        };
        let view = opened.class.view();
        let Some(method) = place.and_then(|at| view.method_at(at)) else {
            return Ok(None);
        };
        self.method(method)?;
        Ok(Some(method.descriptor().to_str_lossy().into_owned()))
    }

    fn method(&mut self, method: Member<'_>) -> Result<(), Error> {
        let Some(code) = method.code()? else {
            return Ok(());
        };
        let pool = code.pool();
        for instruction in code.instructions() {
            match instruction?.operand {
                Operand::Const(index)
                | Operand::Class(index)
                | Operand::MultiNewArray(index, _) => {
                    self.constant(method.class(), pool, index)?;
                }
                Operand::Field(index)
                | Operand::Method(index)
                | Operand::InterfaceMethod(index, _) => self.member(pool.member(index)?)?,
                Operand::Dynamic(index) => {
                    self.bootstrap(method.class(), pool.dynamic(index)?.bootstrap)?;
                }
                _ => {}
            }
        }
        for entry in code.exceptions.iter().filter(|entry| entry.catch_type != 0) {
            self.reach(&pool.class(entry.catch_type)?.to_str_lossy())?;
        }
        Ok(())
    }

    fn constant(
        &mut self,
        class: &ClassFile<'_>,
        pool: ConstantPool<'_>,
        index: u16,
    ) -> Result<(), Error> {
        match pool.get(index)? {
            Constant::Class(name) => self.reach(&name.to_str_lossy()),
            Constant::MethodHandle(handle) => self.member(handle.member),
            Constant::Dynamic(dynamic) => self.bootstrap(class, dynamic.bootstrap),
            _ => Ok(()),
        }
    }

    /// Looks at a member that the copy uses.
    fn member(&mut self, member: MemberRef<'_>) -> Result<(), Error> {
        let owner = member.owner.to_str_lossy();
        self.reach(&owner)?;
        let Some(opened) = self.round.opened.get(owner.as_ref()) else {
            return Ok(());
        };
        if opened.synthetic(member.name, member.descriptor) != Some(true) {
            return Ok(());
        }
        self.additions.extend(Addition::of(member));
        if member.name == "<init>" {
            self.tag(&member.descriptor.to_str_lossy())?;
        }
        if self.classes.contains(owner.as_ref()) {
            return Ok(());
        }
        self.shared(&owner, member)
    }

    /// Looks at a member of the program that the compiler made up: the unpatched class must have the same.
    fn shared(&mut self, owner: &str, member: MemberRef<'_>) -> Result<(), Error> {
        // Their numbers depend on who else needs one.
        let numbered = member.name.as_bytes().starts_with(b"access$");
        let original = self.round.original(owner)?;
        let there = original.and_then(|class| class.synthetic(member.name, member.descriptor));
        if numbered || there != Some(true) {
            self.obstacle(match member.name.to_str_lossy().as_ref() {
                "$assertionsDisabled" => "the first assertion of its class",
                "<init>" => "a private constructor of another class",
                name if name.starts_with("this$") => "the first use of the object around",
                _ if numbered => "private members of other classes",
                _ => "a member that the compiler adds to the class",
            });
        }
        Ok(())
    }

    /// Looks at a class that only marks a constructor which the compiler made up.
    fn tag(&mut self, descriptor: &str) -> Result<(), Error> {
        if let Some(tag) = additions::tag(descriptor)
            && !self.classes.contains(tag)
            && self.round.original(tag)?.is_none()
        {
            self.obstacle("a private constructor");
        }
        Ok(())
    }

    fn bootstrap(&mut self, class: &ClassFile<'_>, index: u16) -> Result<(), Error> {
        let Some(Attribute::BootstrapMethods(methods)) = class.attribute("BootstrapMethods")?
        else {
            return Ok(());
        };
        let Some(method) = methods.get(usize::from(index)) else {
            return Ok(());
        };
        let pool = class.pool();
        let factory = pool.method_handle(method.handle)?.member;
        for (at, argument) in method.arguments.iter().enumerate() {
            match pool.get(argument)? {
                Constant::MethodHandle(handle)
                    if handle.kind as u8 >= HandleKind::InvokeVirtual as u8 =>
                {
                    self.lambda(handle.member)?;
                }
                // The fourth argument is a set of flags; 1 is for lambdas that can be serialised.
                Constant::Integer(flags) if at == 3 && factory.name == "altMetafactory" => {
                    if flags & 1 != 0 {
                        self.obstacle("a serialisable lambda");
                    }
                }
                _ => self.constant(class, pool, argument)?,
            }
        }
        Ok(())
    }

    /// Follows a method handle into a lambda's body.
    fn lambda(&mut self, member: MemberRef<'_>) -> Result<(), Error> {
        let owner = member.owner.to_str_lossy();
        let name = member.name.to_str_lossy();
        let mine = self.classes.contains(owner.as_ref()); // walked with its class
        let opened = self.round.opened.get(owner.as_ref());
        let Some(opened) = opened.filter(|_| !mine && name.starts_with("lambda$")) else {
            return self.member(member);
        };
        let view = opened.class.view();
        let places = opened.named(member.name).iter();
        let mut bodies = places.filter_map(|at| view.method_at(*at));
        let body = bodies.find(|body| body.descriptor() == member.descriptor);
        let Some(body) = body.filter(|body| body.access().is_synthetic()) else {
            return self.member(member);
        };
        if owner != self.class {
            self.obstacle("a lambda of another class");
            return Ok(());
        }
        let descriptor = member.descriptor.to_str_lossy().into_owned();
        if self.lambdas.insert((name.into_owned(), descriptor)) {
            self.method(body)?;
        }
        Ok(())
    }

    /// Whether a place is in the copy or in what belongs to it.
    fn is_inside(&self, class: &str, method: Option<&str>) -> bool {
        let lambda = |method: &str| self.lambdas.iter().any(|(lambda, _)| lambda == method);
        let in_copy = |method| method == self.copy || lambda(method);
        class == self.class && method.is_some_and(in_copy) || self.classes.contains(class)
    }

    /// Takes in a local class that the copy mentions.
    fn reach(&mut self, name: &str) -> Result<(), Error> {
        let name = name.trim_start_matches('[');
        let name = name
            .strip_prefix('L')
            .and_then(|n| n.strip_suffix(';'))
            .unwrap_or(name);
        let Some(opened) = self.round.opened.get(name) else {
            return Ok(());
        };
        if self.classes.contains(name) {
            return Ok(());
        }
        if let Some(outer) = &opened.outer {
            self.reach(outer)?; // a local class has members too
        }
        let inside = match (&opened.local, &opened.outer) {
            (Some((class, method)), _) => self.is_inside(class, method.as_deref()),
            (None, Some(outer)) if self.classes.contains(outer) => true,
            _ => return Ok(()),
        };
        if !inside {
            self.obstacle("a class that several methods share");
            return Ok(());
        }
        if self.round.originals.join(format!("{name}.class")).exists() {
            // javac numbers the classes of a file in the order in which it meets them.
            self.obstacle("a class whose name the unpatched file uses");
            return Ok(());
        }
        self.classes.insert(name.to_owned());
        opened
            .class
            .view()
            .methods()
            .try_for_each(|method| self.method(method))
    }
}
