//! Which parts of a bulk class file belong to one copy of a method.

use std::collections::{BTreeSet, HashMap};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use braid_classfile::{
    Attribute, ClassFile, Constant, ConstantPool, Error, HandleKind, Member, MemberRef, Operand,
    OwnedClass,
};

use crate::Classes;

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
    /// included; calls of itself go to `method`. It is static if the method is, and private.
    pub copy: String,
    /// Names and descriptors of the lambda bodies in `bulk[class]` that belong to it.
    pub lambdas: Vec<(String, String)>,
    /// The local and anonymous classes in `bulk` that belong to it.
    pub classes: Vec<String>,
    /// The class files of many patches, shared. Only the named parts are of use: the unpatched
    /// methods are there too, compiled again.
    pub bulk: Arc<Classes>,
}

/// The class files of one round, opened.
pub(crate) struct Round {
    bulk: Arc<Classes>,
    /// The folder of the unpatched classes.
    originals: PathBuf,
    opened: HashMap<String, Opened>,
}

struct Opened {
    class: OwnedClass,
    /// Methods by name; names that matter here are unique.
    methods: HashMap<Vec<u8>, usize>,
    /// The class and method around, for a class that no other file can name.
    local: Option<(String, Option<String>)>,
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
            opened,
        })
    }

    /// The parts of a copy; or why it does not stand on its own.
    pub(crate) fn copy(
        &self,
        class: String,
        method: String,
        copy: String,
    ) -> Result<Result<MethodCopy, String>, Error> {
        let mut walk = Walk {
            round: self,
            copy: &copy,
            class: &class,
            ..Walk::new(self)
        };
        let Some(descriptor) = walk.start()? else {
            return Ok(Err("a copy that is not in its class".into()));
        };
        if let Some(obstacle) = walk.obstacle {
            return Ok(Err(obstacle));
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

impl Opened {
    fn new(bytes: &[u8]) -> Result<Opened, Error> {
        let class = OwnedClass::parse(bytes)?;
        let view = class.view();
        let names = view.methods().enumerate();
        let methods = names
            .map(|(at, method)| (method.name().as_bytes().to_vec(), at))
            .collect();
        let local = local_in(&view)?;
        Ok(Opened {
            class,
            methods,
            local,
        })
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

/// A walk over all code that a copy can reach and no other method may share.
struct Walk<'a> {
    round: &'a Round,
    class: &'a str,
    copy: &'a str,
    lambdas: BTreeSet<(String, String)>,
    classes: BTreeSet<String>,
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
            obstacle: None,
        }
    }

    /// The copy's descriptor, if it is there.
    fn start(&mut self) -> Result<Option<String>, Error> {
        let Some(opened) = self.round.opened.get(self.class) else {
            return Ok(None);
        };
        let Some(at) = opened.methods.get(self.copy.as_bytes()) else {
            return Ok(None);
        };
        let view = opened.class.view();
        let Some(method) = view.method_at(*at) else {
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

    fn member(&mut self, member: MemberRef<'_>) -> Result<(), Error> {
        let owner = member.owner.to_str_lossy();
        self.reach(&owner)?;
        let mine = self.classes.contains(owner.as_ref());
        let ours = self.round.opened.contains_key(owner.as_ref());
        if ours && !mine && member.name == "$assertionsDisabled" && !self.asserts(&owner) {
            self.obstacle = Some("the first assertion of its class".into());
        }
        if ours && !mine && member.name.as_bytes().starts_with(b"access$") {
            self.obstacle = Some("private members of other classes".into());
        }
        Ok(())
    }

    /// Whether the unpatched class has the field that switches its assertions.
    fn asserts(&self, class: &str) -> bool {
        let file = self.round.originals.join(format!("{class}.class"));
        let Ok(bytes) = std::fs::read(file) else {
            return false;
        };
        let class = ClassFile::parse(&bytes);
        class.is_ok_and(|class| class.field("$assertionsDisabled", "Z").is_some())
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
                        self.obstacle = Some("a serialisable lambda".into());
                    }
                }
                _ => self.constant(class, pool, argument)?,
            }
        }
        Ok(())
    }

    /// Follows a method handle into a lambda's body.
    fn lambda(&mut self, member: MemberRef<'_>) -> Result<(), Error> {
        self.member(member)?;
        let owner = member.owner.to_str_lossy();
        let Some(opened) = self.round.opened.get(owner.as_ref()) else {
            return Ok(());
        };
        let view = opened.class.view();
        let at = opened.methods.get(member.name.as_bytes());
        let Some(body) = at.and_then(|at| view.method_at(*at)) else {
            return Ok(());
        };
        if !body.access().is_synthetic() {
            return Ok(());
        }
        if self.classes.contains(owner.as_ref()) {
            return Ok(()); // walked with its class
        }
        if owner != self.class {
            self.obstacle = Some("a lambda of another class".into());
            return Ok(());
        }
        let name = member.name.to_str_lossy().into_owned();
        if self
            .lambdas
            .insert((name, member.descriptor.to_str_lossy().into_owned()))
        {
            self.method(body)?;
        }
        Ok(())
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
        let Some((class, method)) = &opened.local else {
            return Ok(());
        };
        if self.classes.contains(name) {
            return Ok(());
        }
        let lambda = |method: &str| self.lambdas.iter().any(|(lambda, _)| lambda == method);
        let inside = class == self.class
            && method
                .as_deref()
                .is_some_and(|method| method == self.copy || lambda(method));
        if !inside && !self.classes.contains(class) {
            self.obstacle = Some("a class that several methods share".into());
            return Ok(());
        }
        if self.round.originals.join(format!("{name}.class")).exists() {
            // javac numbers the classes of a file in the order in which it meets them.
            self.obstacle = Some("a class whose name the unpatched file uses".into());
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
