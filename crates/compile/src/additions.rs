//! What the compiler adds to classes for whoever needs it, and which of it a method uses.
//!
//! Other code can notice such members: they decide what else is in a class, and what its computed
//! `serialVersionUID` is.

use std::collections::BTreeSet;

use braid_classfile::{Attribute, ClassFile, Error, Member, MemberRef, Operand, OwnedClass};

/// The first version of class files in which an inner class without a use for the object around has no field for it.
const NO_IDLE_OUTER: u16 = 63;

/// A member that the compiler adds.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Addition {
    owner: String,
    name: String,
    descriptor: String,
}

impl Addition {
    /// A member, if its name and descriptor are those of an addition.
    pub(crate) fn of(member: MemberRef<'_>) -> Option<Addition> {
        let name = member.name.to_str_lossy();
        let named = ["access$", "this$", "$SwitchMap$", "$assertionsDisabled"];
        let descriptor = member.descriptor.to_str_lossy();
        let added = named.iter().any(|prefix| name.starts_with(prefix))
            || name == "<init>" && tag(&descriptor).is_some_and(is_numbered);
        added.then(|| Addition {
            owner: member.owner.to_str_lossy().into_owned(),
            name: name.into_owned(),
            descriptor: descriptor.into_owned(),
        })
    }
}

/// The class of a constructor's last parameter. One that the compiler made up to reach a private one has there any
/// anonymous class of the file, or an empty one where there is none.
pub(crate) fn tag(descriptor: &str) -> Option<&str> {
    let parameters = descriptor.strip_suffix(";)V")?;
    let last = parameters.rsplit([';', '(']).next()?;
    last.trim_start_matches(|c| "BCDFIJSZ[".contains(c))
        .strip_prefix('L')
}

fn is_numbered(class: &str) -> bool {
    let number = class.rsplit_once('$').map_or("", |(_, number)| number);
    !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit())
}

/// The additions that an unpatched method uses, its lambdas and local classes included. `open` gives unpatched classes.
pub(crate) fn used_by(
    class: &OwnedClass,
    method: &str,
    descriptor: &str,
    open: impl Fn(&str) -> Result<Option<OwnedClass>, Error>,
) -> Result<BTreeSet<Addition>, Error> {
    let class = class.view();
    let mut used = BTreeSet::new();
    let lambda = match method {
        "<init>" => "lambda$new$".to_owned(), // those of initialisers too
        method => format!("lambda${method}$"),
    };
    for member in class.methods() {
        let name = member.name().to_str_lossy();
        let itself = name == method && member.descriptor() == descriptor;
        if itself || name.starts_with(&lambda) {
            collect(member, &mut used)?;
        }
    }
    let mut parts: Vec<String> = Vec::new();
    for local in locals_of(&class)? {
        let Some(file) = open(&local)? else { continue };
        let file = file.view();
        let nested = |part: &String| local.starts_with(&format!("{part}$"));
        let inside = |around: String| around == method || around.starts_with(&lambda);
        if parts.iter().any(nested) || encloser(&file)?.is_some_and(inside) {
            let mut methods = file.methods();
            methods.try_for_each(|method| collect(method, &mut used))?;
            parts.push(local);
        }
    }
    used.retain(|addition| !parts.contains(&addition.owner));
    if class.major_version() < NO_IDLE_OUTER {
        used.retain(|addition| !addition.name.starts_with("this$"));
    }
    Ok(used)
}

/// The names of local and anonymous classes in a class, those around others first.
fn locals_of(class: &ClassFile<'_>) -> Result<BTreeSet<String>, Error> {
    let prefix = format!("{}$", class.name().to_str_lossy());
    let Some(Attribute::InnerClasses(entries)) = class.attribute("InnerClasses")? else {
        return Ok(BTreeSet::new());
    };
    let mut locals = BTreeSet::new();
    for entry in entries.iter() {
        let name = class.pool().class(entry.inner)?.to_str_lossy();
        let rest = name.strip_prefix(prefix.as_str());
        if rest.is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit())) {
            locals.insert(name.into_owned());
        }
    }
    Ok(locals)
}

/// The method around a class.
fn encloser(class: &ClassFile<'_>) -> Result<Option<String>, Error> {
    let Some(Attribute::EnclosingMethod(around)) = class.attribute("EnclosingMethod")? else {
        return Ok(None);
    };
    let method = around.method;
    Ok(method.map(|method| method.name.to_str_lossy().into_owned()))
}

fn collect(method: Member<'_>, used: &mut BTreeSet<Addition>) -> Result<(), Error> {
    let Some(code) = method.code()? else {
        return Ok(());
    };
    for instruction in code.instructions() {
        if let Operand::Field(index) | Operand::Method(index) = instruction?.operand {
            used.extend(Addition::of(code.pool().member(index)?));
        }
    }
    Ok(())
}
