//! What a method's own instructions say about calls, before any of it is resolved to implementations.

use braid_classfile::{
    Attribute, ClassFile, Constant, HandleKind, MemberRef, MethodHandle, Op, Operand, Result,
};

use crate::{ClassId, MethodId, World};

/// One way in which a method may lead control elsewhere.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Invoke {
    /// Exactly this method: static, special, private, an initialiser of a class.
    Exact(MethodId),
    /// Whatever an object of a class below `owner` has for the resolved method.
    Virtual {
        /// What the reference names.
        resolved: MethodId,
        /// The class or interface it is called on.
        owner: ClassId,
    },
    /// Something that is not in the world.
    Unknown,
}

/// A lambda or method reference: an object of an interface that runs a given method.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Lambda {
    /// The interface it implements.
    pub interface: ClassId,
    /// The method it runs, as it would be invoked.
    pub runs: Invoke,
}

/// What one method does about calls and objects.
#[derive(Debug, Clone, Default)]
pub struct Body {
    /// Calls, initialisers of classes included, without repetition.
    pub invokes: Vec<Invoke>,
    /// Classes of which it makes objects.
    pub creates: Vec<ClassId>,
    /// Lambdas it makes.
    pub lambdas: Vec<Lambda>,
    /// Whether it has no code here: native, so that nothing is known of it.
    pub native: bool,
}

impl Body {
    /// Reads a method's body.
    pub fn read(world: &World, method: MethodId) -> Result<Body> {
        let file = world.file(world.declarer(method));
        let mut reader = Reader {
            world,
            file: &file,
            body: Body::default(),
        };
        reader.body.native = world.access(method).is_native();
        let member = file
            .methods()
            .nth(world.index(method))
            .expect("a method of the world is in its file");
        if let Some(code) = member.code()? {
            for instruction in code.instructions() {
                let instruction = instruction?;
                reader.step(instruction.op, instruction.operand)?;
            }
        }
        let mut body = reader.body;
        body.invokes.sort_unstable();
        body.invokes.dedup();
        body.creates.sort_unstable();
        body.creates.dedup();
        body.lambdas.sort_unstable();
        body.lambdas.dedup();
        Ok(body)
    }
}

struct Reader<'w> {
    world: &'w World,
    file: &'w ClassFile<'w>,
    body: Body,
}

impl Reader<'_> {
    fn step(&mut self, op: Op, operand: Operand<'_>) -> Result<()> {
        let pool = self.file.pool();
        match operand {
            Operand::Method(index) => self.call(op, pool.member(index)?),
            Operand::InterfaceMethod(index, _) => self.call(op, pool.member(index)?),
            Operand::Field(index) if matches!(op, Op::Getstatic | Op::Putstatic) => {
                let owner = self.world.class(pool.member(index)?.owner);
                self.initialise(owner);
            }
            Operand::Class(index) if op == Op::New => {
                let class = self.world.class(pool.class(index)?);
                self.body.creates.extend(class);
                self.initialise(class);
            }
            Operand::Dynamic(index) => self.dynamic(index)?,
            Operand::Const(index) => match pool.get(index)? {
                Constant::MethodHandle(handle) => self.handle(handle),
                Constant::Dynamic(dynamic) => self.bootstrap(dynamic.bootstrap)?,
                _ => {}
            },
            _ => {}
        }
        Ok(())
    }

    fn call(&mut self, op: Op, member: MemberRef<'_>) {
        let exact = matches!(op, Op::Invokestatic | Op::Invokespecial);
        let invoke = resolve(self.world, member, exact);
        self.body.invokes.push(invoke);
        if op == Op::Invokestatic {
            let owner = self.world.class(member.owner);
            self.initialise(owner);
        }
    }

    /// The static initialiser that a use of a class may run, and those of its superclasses.
    fn initialise(&mut self, class: Option<ClassId>) {
        let Some(class) = class else {
            return self.body.invokes.push(Invoke::Unknown);
        };
        let found = initialisers(self.world, class);
        self.body
            .invokes
            .extend(found.into_iter().map(Invoke::Exact));
    }

    /// A call site: its bootstrap method may call every method handed to it, and what it makes may be an object of
    /// the site's result type.
    fn dynamic(&mut self, index: u16) -> Result<()> {
        let site = self.file.pool().dynamic(index)?;
        let result = site.descriptor.as_bytes();
        let result = result
            .iter()
            .position(|&b| b == b')')
            .map_or(&result[..0], |end| &result[end + 1..]);
        let interface = match result {
            [b'L', name @ .., b';'] => self.world.class(braid_classfile::JStr::new(name)),
            _ => None,
        };
        let before = self.body.invokes.len();
        self.bootstrap(site.bootstrap)?;
        if let Some(interface) = interface.filter(|&c| self.world.is_interface(c)) {
            let runs = self.body.invokes[before..].to_vec();
            self.body
                .lambdas
                .extend(runs.into_iter().map(|runs| Lambda { interface, runs }));
        }
        Ok(())
    }

    fn bootstrap(&mut self, index: u16) -> Result<()> {
        let Some(Attribute::BootstrapMethods(all)) = self.file.attribute("BootstrapMethods")?
        else {
            return Ok(());
        };
        let Some(bootstrap) = all.get(usize::from(index)) else {
            return Ok(());
        };
        for argument in bootstrap.arguments.iter() {
            if let Constant::MethodHandle(handle) = self.file.pool().get(argument)? {
                self.handle(handle);
            }
        }
        Ok(())
    }

    fn handle(&mut self, handle: MethodHandle<'_>) {
        let exact = matches!(
            handle.kind,
            HandleKind::InvokeStatic | HandleKind::InvokeSpecial | HandleKind::NewInvokeSpecial
        );
        let virtually = matches!(
            handle.kind,
            HandleKind::InvokeVirtual | HandleKind::InvokeInterface
        );
        if exact || virtually {
            let invoke = resolve(self.world, handle.member, exact);
            self.body.invokes.push(invoke);
        }
        if matches!(
            handle.kind,
            HandleKind::InvokeStatic | HandleKind::NewInvokeSpecial
        ) {
            let owner = self.world.class(handle.member.owner);
            self.initialise(owner);
            self.body
                .creates
                .extend(owner.filter(|_| handle.kind == HandleKind::NewInvokeSpecial));
        }
    }
}

/// What a member reference invokes. Array classes have the methods of `java/lang/Object`.
pub(crate) fn resolve(world: &World, member: MemberRef<'_>, exact: bool) -> Invoke {
    let name = if member.owner.as_bytes().starts_with(b"[") {
        "java/lang/Object".into()
    } else {
        member.owner
    };
    let Some(owner) = world.class(name) else {
        return Invoke::Unknown;
    };
    let selector = world.selector(member.name, member.descriptor);
    match selector.and_then(|s| world.resolve(owner, s)) {
        None => Invoke::Unknown,
        Some(resolved) if exact || world.access(resolved).is_private() => Invoke::Exact(resolved),
        Some(resolved) => Invoke::Virtual { resolved, owner },
    }
}

/// The static initialisers that the first use of a class may run.
pub(crate) fn initialisers(world: &World, class: ClassId) -> Vec<MethodId> {
    let Some(selector) = world.selector("<clinit>".into(), "()V".into()) else {
        return Vec::new();
    };
    let above = world.above(class).into_iter();
    above.filter_map(|c| world.declared(c, selector)).collect()
}
