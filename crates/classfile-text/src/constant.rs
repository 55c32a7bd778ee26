//! Loadable constants, handles and bootstrap methods as text.

use braid_classfile::{
    Attribute, ClassFile, Constant, ConstantPool, Dynamic, Editor, HandleKind, JStr, MemberRef,
    MethodHandle,
};

use crate::lex::{Words, name, quote};
use crate::{Error, Result};

/// Words for the kinds of method handles, in the order of their numbers.
const HANDLES: [&str; 9] = [
    "getfield",
    "getstatic",
    "putfield",
    "putstatic",
    "invokevirtual",
    "invokestatic",
    "invokespecial",
    "newinvokespecial",
    "invokeinterface",
];

/// Bootstrap methods refer to dynamic constants, which refer to bootstrap methods.
const MAX_DEPTH: usize = 16;

/// A class's bootstrap methods: handle and arguments.
pub(crate) type Bootstraps = Vec<(u16, Vec<u16>)>;

pub(crate) fn bootstraps(class: &ClassFile<'_>) -> Result<Bootstraps> {
    Ok(match class.attribute("BootstrapMethods")? {
        Some(Attribute::BootstrapMethods(list)) => list
            .iter()
            .map(|b| (b.handle, b.arguments.iter().collect()))
            .collect(),
        _ => Vec::new(),
    })
}

/// Prints constants of one class.
#[derive(Clone, Copy)]
pub(crate) struct ConstantPrinter<'c> {
    pub(crate) pool: ConstantPool<'c>,
    pub(crate) bootstraps: &'c [(u16, Vec<u16>)],
}

impl ConstantPrinter<'_> {
    pub(crate) fn constant(self, index: u16) -> Result<String> {
        self.nested(index, 0)
    }

    fn nested(self, index: u16, depth: usize) -> Result<String> {
        Ok(match self.pool.get(index)? {
            Constant::Integer(value) => format!("int {value}"),
            Constant::Float(value) if value.is_nan() => format!("float {:#x}", value.to_bits()),
            Constant::Float(value) => format!("float {value:?}"),
            Constant::Long(value) => format!("long {value}"),
            Constant::Double(value) if value.is_nan() => format!("double {:#x}", value.to_bits()),
            Constant::Double(value) => format!("double {value:?}"),
            Constant::String(text) => format!("string {}", quote(text)),
            Constant::Class(class) => format!("class {}", name(class)),
            Constant::MethodType(descriptor) => format!("methodtype {}", name(descriptor)),
            Constant::MethodHandle(handle) => handle_text(handle),
            Constant::Dynamic(dynamic) => format!("dynamic {}", self.dynamic(dynamic, depth)?),
            other => format!("# {other:?}"),
        })
    }

    /// Name, descriptor, bootstrap handle and arguments of a dynamic constant or call site.
    pub(crate) fn dynamic(self, dynamic: Dynamic<'_>, depth: usize) -> Result<String> {
        let mut out = format!("{} {} ", name(dynamic.name), name(dynamic.descriptor));
        match self.bootstraps.get(usize::from(dynamic.bootstrap)) {
            Some((handle, arguments)) if depth < MAX_DEPTH => {
                out.push_str(&self.nested(*handle, depth + 1)?);
                out.push_str(" (");
                for argument in arguments {
                    out.push(' ');
                    out.push_str(&self.nested(*argument, depth + 1)?);
                }
                out.push_str(" )");
            }
            _ => out.push_str("# no bootstrap method"),
        }
        Ok(out)
    }
}

/// A member as `[interface] owner name descriptor`.
pub(crate) fn member_text(member: MemberRef<'_>, mark_interface: bool) -> String {
    let mark = if member.interface && mark_interface {
        "interface "
    } else {
        ""
    };
    let [owner, own, descriptor] = [member.owner, member.name, member.descriptor].map(name);
    format!("{mark}{owner} {own} {descriptor}")
}

fn handle_text(handle: MethodHandle<'_>) -> String {
    let kind = HANDLES[handle.kind as usize - 1];
    let marked = handle.kind != HandleKind::InvokeInterface;
    format!("handle {kind} {}", member_text(handle.member, marked))
}

/// Reads a constant and puts it into the pool; also says if it takes two slots.
pub(crate) fn read(words: &mut Words, editor: &mut Editor<'_>) -> Result<(u16, bool)> {
    let at = words.line;
    let class = |source| Error::Class { line: at, source };
    let kind = words.word("kind of constant")?;
    let pool = editor.pool_mut();
    let index = match kind.as_str() {
        "int" => pool.integer(words.number("int")?),
        "float" => pool.float(float(words)?),
        "long" => pool.long(words.number("long")?),
        "double" => pool.double(double(words)?),
        "string" => pool.string(JStr::new(&words.name("text")?)),
        "class" => pool.class(JStr::new(&words.name("class")?)),
        "methodtype" => pool.method_type(JStr::new(&words.name("descriptor")?)),
        "handle" => return Ok((read_handle(words, editor)?, false)),
        "dynamic" => {
            let site = read_dynamic(words, editor)?;
            let wide = matches!(site.descriptor.as_slice(), b"J" | b"D");
            let index = editor.pool_mut().dynamic(site.borrow()).map_err(class)?;
            return Ok((index, wide));
        }
        other => return Err(words.error(format!("{other:?} is no kind of constant"))),
    };
    Ok((
        index.map_err(class)?,
        matches!(kind.as_str(), "long" | "double"),
    ))
}

fn float(words: &mut Words) -> Result<f32> {
    match words.peek().and_then(|word| word.strip_prefix("0x")) {
        Some(bits) => {
            let bits = u32::from_str_radix(bits, 16);
            let value = bits
                .map(f32::from_bits)
                .map_err(|_| words.error("malformed float"));
            words.word("float")?;
            value
        }
        None => words.number("float"),
    }
}

fn double(words: &mut Words) -> Result<f64> {
    match words.peek().and_then(|word| word.strip_prefix("0x")) {
        Some(bits) => {
            let bits = u64::from_str_radix(bits, 16);
            let value = bits
                .map(f64::from_bits)
                .map_err(|_| words.error("malformed double"));
            words.word("double")?;
            value
        }
        None => words.number("double"),
    }
}

/// A member's three names.
pub(crate) struct MemberName {
    pub(crate) interface: bool,
    pub(crate) owner: Vec<u8>,
    pub(crate) name: Vec<u8>,
    pub(crate) descriptor: Vec<u8>,
}

impl MemberName {
    pub(crate) fn read(words: &mut Words) -> Result<MemberName> {
        Ok(MemberName {
            interface: words.take("interface"),
            owner: words.name("owner")?,
            name: words.name("name")?,
            descriptor: words.name("descriptor")?,
        })
    }

    /// Puts the member into the pool.
    pub(crate) fn intern(&self, editor: &mut Editor<'_>, field: bool) -> Result<u16> {
        let [owner, name, descriptor] =
            [&self.owner, &self.name, &self.descriptor].map(|text| JStr::new(text));
        let pool = editor.pool_mut();
        Ok(if field {
            pool.field(owner, name, descriptor)?
        } else if self.interface {
            pool.interface_method(owner, name, descriptor)?
        } else {
            pool.method(owner, name, descriptor)?
        })
    }
}

fn read_handle(words: &mut Words, editor: &mut Editor<'_>) -> Result<u16> {
    let word = words.word("kind of handle")?;
    let kind = HANDLES
        .iter()
        .position(|kind| *kind == word)
        .map(|at| HandleKind::ALL[at]);
    let kind = kind.ok_or_else(|| words.error(format!("{word:?} is no kind of handle")))?;
    let mut member = MemberName::read(words)?;
    member.interface |= kind == HandleKind::InvokeInterface;
    let member = member.intern(editor, kind as u8 <= 4)?;
    Ok(editor.pool_mut().method_handle(kind, member)?)
}

/// A dynamic constant or call site whose bootstrap method is in the class.
pub(crate) struct Site {
    bootstrap: u16,
    name: Vec<u8>,
    pub(crate) descriptor: Vec<u8>,
}

impl Site {
    pub(crate) fn borrow(&self) -> Dynamic<'_> {
        Dynamic {
            bootstrap: self.bootstrap,
            name: JStr::new(&self.name),
            descriptor: JStr::new(&self.descriptor),
        }
    }
}

/// Reads what [`ConstantPrinter::dynamic`] prints.
pub(crate) fn read_dynamic(words: &mut Words, editor: &mut Editor<'_>) -> Result<Site> {
    let name = words.name("name")?;
    let descriptor = words.name("descriptor")?;
    let (handle, _) = read(words, editor)?;
    if !words.take("(") {
        return Err(words.error("\"(\" is missing before the bootstrap arguments"));
    }
    let mut arguments = Vec::new();
    while !words.take(")") {
        arguments.push(read(words, editor)?.0);
    }
    let bootstrap = editor.bootstrap(handle, &arguments)?;
    Ok(Site {
        bootstrap,
        name,
        descriptor,
    })
}
