//! Reflection in the program must see what it would see in a new JVM: fields of initialised
//! classes, and no members that weaving added.

use braid_classfile::{Code, Editor, Insn, Op};

use crate::error::Result;
use crate::names::RESET;

/// What to do about a call of the reflection interface.
pub(super) enum Hook {
    /// Call something behind it: name and descriptor in the runtime.
    Behind(&'static str, &'static str),
    /// Call this in its place.
    Instead(&'static str, &'static str),
    /// Touch the `Field` that stands below this many one-slot arguments.
    Field(usize),
}

const CLASS: &str = "java/lang/Class";
const FIELDS: &str = "([Ljava/lang/reflect/Field;)[Ljava/lang/reflect/Field;";
const METHODS: &str = "([Ljava/lang/reflect/Method;)[Ljava/lang/reflect/Method;";
const CONSTRUCTORS: &str = "([Ljava/lang/reflect/Constructor;)[Ljava/lang/reflect/Constructor;";
const FOR_NAME: &str = "(Ljava/lang/String;ZLjava/lang/ClassLoader;)Ljava/lang/Class;";
const TOUCH: &str = "(Ljava/lang/Class;)Ljava/lang/Class;";

/// The hook for a call, if it needs one.
pub(super) fn hook(editor: &Editor<'_>, index: u16) -> Result<Option<Hook>> {
    let member = editor.pool().view().method(index)?;
    if member.owner == "java/lang/reflect/Field" {
        return Ok(match member.name.as_bytes() {
            b"getName" | b"getModifiers" | b"getType" | b"getGenericType" => None,
            name if name.starts_with(b"get")
                && member
                    .descriptor
                    .as_bytes()
                    .starts_with(b"(Ljava/lang/Object;)") =>
            {
                Some(Hook::Field(1))
            }
            // A long or double would need a local; its class is touched by other uses.
            b"setLong" | b"setDouble" => None,
            name if name.starts_with(b"set")
                && member
                    .descriptor
                    .as_bytes()
                    .starts_with(b"(Ljava/lang/Object;") =>
            {
                Some(Hook::Field(2))
            }
            _ => None,
        });
    }
    if member.owner != CLASS {
        return Ok(None);
    }
    Ok(match member.name.as_bytes() {
        b"getDeclaredFields" | b"getFields" => Some(Hook::Behind("visible", FIELDS)),
        b"getDeclaredMethods" | b"getMethods" => Some(Hook::Behind("visible", METHODS)),
        b"getDeclaredConstructors" => Some(Hook::Behind("visible", CONSTRUCTORS)),
        b"forName" if member.descriptor == FOR_NAME => Some(Hook::Instead("forName", FOR_NAME)),
        b"forName" if member.descriptor == "(Ljava/lang/String;)Ljava/lang/Class;" => {
            Some(Hook::Behind("touch", TOUCH))
        }
        _ => None,
    })
}

impl Hook {
    /// Writes the call with what it needs around it.
    pub(super) fn emit(&self, editor: &mut Editor<'_>, call: Insn, code: &mut Code) -> Result<()> {
        let pool = editor.pool_mut();
        let out = &mut code.insns;
        match *self {
            Hook::Behind(name, descriptor) => {
                let method = pool.method(RESET, name, descriptor)?;
                out.extend([call, Insn::Invoke(Op::Invokestatic, method)]);
            }
            Hook::Instead(name, descriptor) => {
                let method = pool.method(RESET, name, descriptor)?;
                out.push(Insn::Invoke(Op::Invokestatic, method));
            }
            Hook::Field(arguments) => {
                let method = pool.method(RESET, "touch", "(Ljava/lang/reflect/Field;)V")?;
                let touch = Insn::Invoke(Op::Invokestatic, method);
                let plain = Insn::Plain;
                if arguments == 1 {
                    // f, o -> f, o, f, o -> f, o, f -> f, o
                    out.extend([plain(Op::Dup2), plain(Op::Pop), touch, call]);
                } else {
                    // f, o, v -> o, v, f, o, v -> o, v, f -> o, v, f, f -> o, v, f
                    out.extend([plain(Op::Dup2X1), plain(Op::Pop2), plain(Op::Dup), touch]);
                    // o, v, f -> f, o, v, f -> f, o, v
                    out.extend([plain(Op::DupX2), plain(Op::Pop), call]);
                }
            }
        }
        Ok(())
    }
}
