//! What other source files can see of a class when they are compiled.
//!
//! Two versions of a class are described as byte strings and the strings compared. Left out are
//! method bodies, private methods and what javac makes for itself; private fields and classes
//! stay in where a subclass can stand in another file, because they hide inherited names there.

use braid_classfile::attribute::{Annotation, ElementValue, InnerClass};
use braid_classfile::{
    AccessFlags, Attribute, Attributes, ClassFile, Constant, ConstantPool, Error, JStr, Member,
};

/// Separates items of a description; never part of a text in a class file.
const END: u8 = 0xff;

/// Whether no other source file could notice at compile time that the first class became the second.
///
/// Class files that cannot be read are never equal.
///
/// ```
/// assert!(!braid_compile::abi_equal(b"no class file", b"no class file"));
/// ```
pub fn abi_equal(old: &[u8], new: &[u8]) -> bool {
    match (describe(old), describe(new)) {
        (Ok(old), Ok(new)) => old == new,
        _ => false,
    }
}

/// Where a class is declared.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Scope {
    /// In a file.
    TopLevel,
    /// In the class of this name.
    Member(String),
    /// In code, or made by the compiler: no other file can name it.
    Local,
}

/// Where a class is declared; top level if it cannot be read.
pub(crate) fn scope(bytes: &[u8]) -> Scope {
    ClassFile::parse(bytes)
        .and_then(|class| scope_of(&class))
        .unwrap_or(Scope::TopLevel)
}

fn scope_of(class: &ClassFile<'_>) -> Result<Scope, Error> {
    if class.attribute("EnclosingMethod")?.is_some() || class.access().is_synthetic() {
        return Ok(Scope::Local);
    }
    let pool = class.pool();
    for inner in inner_classes(class)? {
        if pool.class(inner.inner)? == class.name() {
            let outer = pool.optional_class(inner.outer)?;
            return Ok(outer.map_or(Scope::Local, |o| {
                Scope::Member(o.to_str_lossy().into_owned())
            }));
        }
    }
    Ok(Scope::TopLevel)
}

/// The name of the source file, if the class tells.
pub(crate) fn source_file(bytes: &[u8]) -> Option<String> {
    match ClassFile::parse(bytes)
        .ok()?
        .attribute("SourceFile")
        .ok()??
    {
        Attribute::SourceFile(name) => Some(name.to_str_lossy().into_owned()),
        _ => None,
    }
}

fn inner_classes(class: &ClassFile<'_>) -> Result<Vec<InnerClass>, Error> {
    Ok(match class.attribute("InnerClasses")? {
        Some(Attribute::InnerClasses(table)) => table.iter().collect(),
        _ => Vec::new(),
    })
}

fn describe(bytes: &[u8]) -> Result<Vec<u8>, Error> {
    let class = ClassFile::parse(bytes)?;
    let mut out = Description {
        pool: class.pool(),
        bytes: Vec::new(),
    };
    let invisible = AccessFlags::SUPER.with(AccessFlags::SYNTHETIC);
    out.flags(class.access(), invisible);
    out.text(class.name());
    out.text(class.super_name().unwrap_or("".into()));
    class.interfaces().for_each(|name| out.text(name));
    out.attributes(class.attributes())?;
    out.nested(&class)?;
    let hides = !class.access().is_final();
    for field in class.fields().filter(|field| is_visible(*field, hides)) {
        out.member(field, AccessFlags::SYNTHETIC)?;
    }
    out.end();
    let inside = AccessFlags::SYNCHRONIZED
        .with(AccessFlags::STRICT)
        .with(AccessFlags::NATIVE);
    for method in class.methods().filter(|method| is_visible(*method, false)) {
        if method.name() != "<clinit>" {
            out.member(method, inside)?;
        }
    }
    Ok(out.bytes)
}

/// Synthetic members are invisible but for bridges, which take part in overriding.
fn is_visible(member: Member<'_>, private: bool) -> bool {
    let access = member.access();
    let bridge = access.is_bridge() && member.descriptor().as_bytes().starts_with(b"(");
    (!access.is_synthetic() || bridge) && (private || !access.is_private())
}

/// A class as other files see it, as bytes.
struct Description<'a> {
    pool: ConstantPool<'a>,
    bytes: Vec<u8>,
}

impl<'a> Description<'a> {
    fn end(&mut self) {
        self.bytes.push(END);
    }

    fn text(&mut self, text: JStr<'_>) {
        self.bytes.extend(text.as_bytes());
        self.end();
    }

    fn word(&mut self, word: &str) {
        self.bytes.extend(word.as_bytes());
        self.end();
    }

    fn flags(&mut self, flags: AccessFlags, without: AccessFlags) {
        self.word(&format!("{:x}", flags.0 & !without.0));
    }

    fn member(&mut self, member: Member<'a>, without: AccessFlags) -> Result<(), Error> {
        self.flags(member.access(), without);
        self.text(member.name());
        self.text(member.descriptor());
        self.attributes(member.attributes())
    }

    /// The classes declared in this one, and this one's own flags as written.
    fn nested(&mut self, class: &ClassFile<'_>) -> Result<(), Error> {
        for inner in inner_classes(class)? {
            let name = class.pool().class(inner.inner)?;
            let outer = class.pool().optional_class(inner.outer)?;
            let mine = outer == Some(class.name()) || name == class.name();
            if mine && !inner.access.is_synthetic() {
                self.flags(inner.access, AccessFlags::SUPER);
                self.text(name);
            }
        }
        self.end();
        Ok(())
    }

    fn attributes(&mut self, attributes: Attributes<'a>) -> Result<(), Error> {
        let mut parts = Vec::new();
        for raw in attributes.iter() {
            let mut part = Description {
                pool: self.pool,
                bytes: Vec::new(),
            };
            part.text(raw.name);
            if is_seen(raw.name) {
                part.attribute(&raw.parse()?)?;
                parts.push(part.bytes);
            }
        }
        parts.sort();
        parts.iter().for_each(|part| self.bytes.extend(part));
        self.end();
        Ok(())
    }

    fn attribute(&mut self, attribute: &Attribute<'a>) -> Result<(), Error> {
        match attribute {
            Attribute::ConstantValue(index) => self.constant(*index)?,
            Attribute::Exceptions(classes) | Attribute::PermittedSubclasses(classes) => {
                for class in classes.iter() {
                    self.text(self.pool.class(class)?);
                }
            }
            Attribute::Signature(signature) => self.text(*signature),
            Attribute::Annotations { annotations, .. } => self.annotations(annotations)?,
            Attribute::ParameterAnnotations { parameters, .. } => {
                for annotations in parameters {
                    self.annotations(annotations)?;
                    self.end();
                }
            }
            Attribute::TypeAnnotations { annotations, .. } => {
                for annotation in annotations {
                    self.word(&format!("{:?} {:?}", annotation.target, annotation.path));
                    self.annotation(&annotation.annotation)?;
                }
            }
            Attribute::AnnotationDefault(value) => self.value(value)?,
            Attribute::MethodParameters(parameters) => {
                for parameter in parameters.iter() {
                    self.flags(parameter.access, AccessFlags(0));
                    self.text(
                        self.pool
                            .optional_utf8(parameter.name)?
                            .unwrap_or("".into()),
                    );
                }
            }
            Attribute::Record(components) => {
                for component in components {
                    self.text(component.name);
                    self.text(component.descriptor);
                    self.attributes(component.attributes)?;
                }
            }
            _ => {}
        }
        Ok(())
    }

    fn constant(&mut self, index: u16) -> Result<(), Error> {
        match self.pool.get(index)? {
            Constant::Utf8(text) | Constant::String(text) => self.text(text),
            Constant::Float(value) => self.word(&format!("float {:x}", value.to_bits())),
            Constant::Double(value) => self.word(&format!("double {:x}", value.to_bits())),
            other => self.word(&format!("{other:?}")),
        }
        Ok(())
    }

    fn annotations(&mut self, annotations: &[Annotation<'a>]) -> Result<(), Error> {
        annotations
            .iter()
            .try_for_each(|annotation| self.annotation(annotation))
    }

    fn annotation(&mut self, annotation: &Annotation<'a>) -> Result<(), Error> {
        self.text(annotation.descriptor);
        for (name, value) in &annotation.elements {
            self.text(*name);
            self.value(value)?;
        }
        self.end();
        Ok(())
    }

    fn value(&mut self, value: &ElementValue<'a>) -> Result<(), Error> {
        match value {
            ElementValue::Constant { tag, index } => {
                self.bytes.push(*tag);
                self.constant(*index)?;
            }
            ElementValue::Enum { descriptor, name } => {
                self.text(*descriptor);
                self.text(*name);
            }
            ElementValue::Class(descriptor) => self.text(*descriptor),
            ElementValue::Annotation(annotation) => self.annotation(annotation)?,
            ElementValue::Array(values) => {
                self.word(&format!("{} values", values.len()));
                values.iter().try_for_each(|value| self.value(value))?;
            }
        }
        Ok(())
    }
}

/// Whether an attribute of a class or member matters to other files.
fn is_seen(name: JStr<'_>) -> bool {
    const SEEN: [&str; 14] = [
        "ConstantValue",
        "Exceptions",
        "PermittedSubclasses",
        "Signature",
        "RuntimeVisibleAnnotations",
        "RuntimeInvisibleAnnotations",
        "RuntimeVisibleParameterAnnotations",
        "RuntimeInvisibleParameterAnnotations",
        "RuntimeVisibleTypeAnnotations",
        "RuntimeInvisibleTypeAnnotations",
        "AnnotationDefault",
        "MethodParameters",
        "Record",
        "Deprecated",
    ];
    SEEN.iter().any(|seen| name == *seen)
}
