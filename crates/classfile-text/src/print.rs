//! From a class to text.

use std::fmt::Write;

use braid_classfile::{Attribute, Attributes, ClassFile, Editor, JStr, Member, RawAttribute};

use crate::Result;
use crate::constant::{ConstantPrinter, bootstraps};
use crate::flags::{Place, to_words};
use crate::lex::name;
use crate::print_code::CodePrinter;

/// The text of a class.
pub fn print(bytes: &[u8]) -> Result<String> {
    let class = ClassFile::parse(bytes)?;
    let mut out = String::new();
    header(&mut out, &class)?;
    let list = bootstraps(&class)?;
    let constants = ConstantPrinter {
        pool: class.pool(),
        bootstraps: &list,
    };
    for field in class.fields() {
        let [own, descriptor] = [field.name(), field.descriptor()].map(name);
        let flags = to_words(field.access(), Place::Field);
        let _ = writeln!(out, "\nfield {flags}{own} {descriptor}");
        member_attributes(&mut out, field, constants)?;
    }
    let mut editor = Editor::new(&class);
    for position in 0..class.methods().len() {
        method(&mut out, &class, &mut editor, position, constants)?;
    }
    Ok(out)
}

/// The text of one method of a class.
pub fn print_method(bytes: &[u8], method_name: &str, descriptor: &str) -> Result<Option<String>> {
    let class = ClassFile::parse(bytes)?;
    let list = bootstraps(&class)?;
    let constants = ConstantPrinter {
        pool: class.pool(),
        bootstraps: &list,
    };
    let wanted = |m: Member<'_>| m.name() == method_name && m.descriptor() == descriptor;
    let Some(position) = class.methods().position(wanted) else {
        return Ok(None);
    };
    let mut out = String::new();
    method(
        &mut out,
        &class,
        &mut Editor::new(&class),
        position,
        constants,
    )?;
    Ok(Some(out.trim_start().to_owned()))
}

fn header(out: &mut String, class: &ClassFile<'_>) -> Result<()> {
    let (major, minor) = (class.major_version(), class.minor_version());
    let _ = match minor {
        0 => writeln!(out, "version {major}"),
        _ => writeln!(out, "version {major} {minor}"),
    };
    let flags = to_words(class.access(), Place::Class);
    let _ = write!(out, "class {flags}{}", name(class.name()));
    if let Some(parent) = class.super_name() {
        let _ = write!(out, " extends {}", name(parent));
    }
    let interfaces: Vec<String> = class.interfaces().map(name).collect();
    if !interfaces.is_empty() {
        let _ = write!(out, " implements {}", interfaces.join(" "));
    }
    out.push('\n');
    for raw in in_order(class.attributes()) {
        class_attribute(out, class, raw)?;
    }
    Ok(())
}

fn class_attribute(out: &mut String, class: &ClassFile<'_>, raw: RawAttribute<'_>) -> Result<()> {
    let pool = class.pool();
    let _ = match raw.parse()? {
        Attribute::SourceFile(file) => writeln!(out, "source {}", name(file)),
        Attribute::NestHost(host) => writeln!(out, "nesthost {}", name(host)),
        Attribute::NestMembers(list) => {
            for index in list.iter() {
                let _ = writeln!(out, "nestmember {}", name(pool.class(index)?));
            }
            Ok(())
        }
        Attribute::PermittedSubclasses(list) => {
            for index in list.iter() {
                let _ = writeln!(out, "permits {}", name(pool.class(index)?));
            }
            Ok(())
        }
        Attribute::InnerClasses(list) => {
            for inner in list.iter() {
                let or = |text: Option<JStr<'_>>| text.map_or_else(|| "-".to_owned(), name);
                let outer = or(pool.optional_class(inner.outer)?);
                let own = or(pool.optional_utf8(inner.name)?);
                let flags = to_words(inner.access, Place::Class);
                let inner = name(pool.class(inner.inner)?);
                let _ = writeln!(out, "inner {flags}{inner} {outer} {own}");
            }
            Ok(())
        }
        Attribute::BootstrapMethods(_) => Ok(()),
        _ => return common_attribute(out, raw, ""),
    };
    Ok(())
}

/// The attributes but code, in an order that does not depend on the file's.
fn in_order(attributes: Attributes<'_>) -> Vec<RawAttribute<'_>> {
    const ORDER: [&[u8]; 10] = [
        b"SourceFile",
        b"ConstantValue",
        b"Exceptions",
        b"Signature",
        b"Deprecated",
        b"Synthetic",
        b"NestHost",
        b"NestMembers",
        b"PermittedSubclasses",
        b"InnerClasses",
    ];
    let rank = |raw: &RawAttribute<'_>| {
        let known = ORDER.iter().position(|name| *name == raw.name.as_bytes());
        known.unwrap_or(ORDER.len())
    };
    let mut list: Vec<_> = attributes.iter().filter(|raw| raw.name != "Code").collect();
    list.sort_by_key(rank);
    list
}

/// Attributes that classes and members share; what is not assembled is a comment.
fn common_attribute(out: &mut String, raw: RawAttribute<'_>, indent: &str) -> Result<()> {
    let _ = match raw.parse()? {
        Attribute::Signature(text) => writeln!(out, "{indent}signature {}", name(text)),
        Attribute::Deprecated => writeln!(out, "{indent}deprecated"),
        Attribute::Synthetic => writeln!(out, "{indent}synthetic"),
        _ => writeln!(out, "{indent}# {} of {} bytes", raw.name, raw.info.len()),
    };
    Ok(())
}

fn member_attributes(
    out: &mut String,
    member: Member<'_>,
    constants: ConstantPrinter<'_>,
) -> Result<()> {
    for raw in in_order(member.attributes()) {
        let _ = match raw.parse()? {
            Attribute::ConstantValue(index) => {
                writeln!(out, "    constant {}", constants.constant(index)?)
            }
            Attribute::Exceptions(list) => {
                for index in list.iter() {
                    let _ = writeln!(out, "    throws {}", name(constants.pool.class(index)?));
                }
                Ok(())
            }
            _ => {
                common_attribute(out, raw, "    ")?;
                Ok(())
            }
        };
    }
    Ok(())
}

fn method(
    out: &mut String,
    class: &ClassFile<'_>,
    editor: &mut Editor<'_>,
    position: usize,
    constants: ConstantPrinter<'_>,
) -> Result<()> {
    let Some(member) = class.method_at(position) else {
        return Ok(());
    };
    let [own, descriptor] = [member.name(), member.descriptor()].map(name);
    let flags = to_words(member.access(), Place::Method);
    let _ = writeln!(out, "\nmethod {flags}{own} {descriptor}");
    member_attributes(out, member, constants)?;
    let mut code = braid_classfile::Code::default();
    if editor.read_code(position, &mut code)? {
        CodePrinter::new(&code, editor.types(), constants).print(out)?;
    }
    Ok(())
}
