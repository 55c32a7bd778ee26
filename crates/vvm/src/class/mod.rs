//! Classes, fields and methods at run time.

pub mod layout;
pub mod load;
pub mod lookup;
pub mod mirror;
pub mod resolve;
pub mod synth;

use crate::code::op::Code;
use crate::natives::Native;
use crate::symbol::Sym;
use crate::value::{Kind, Ref, Slot};
use braid_classfile::{AccessFlags, OwnedClass};
use braid_cond::Cond;
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// Index of a class in the VM's table.
pub type ClassId = u32;
/// Index of a method in the VM's table.
pub type MethodId = u32;

/// What sort of type a class stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shape {
    /// A class or interface.
    Instance,
    /// An array with this component type.
    Array {
        /// The component class (of a primitive for `int[]`).
        component: ClassId,
        /// How elements are stored.
        kind: Kind,
    },
    /// A primitive type or `void`.
    Primitive(Kind),
}

/// A field.
#[derive(Debug, Clone)]
pub struct Field {
    /// Name.
    pub name: Sym,
    /// Descriptor.
    pub descriptor: Sym,
    /// Flags.
    pub access: AccessFlags,
    /// How it is stored.
    pub kind: Kind,
    /// Words from the object's start, or the index in the table of static fields.
    pub at: u32,
    /// The value that a constant static field starts with (pool index), 0 for none.
    pub constant: u16,
}

/// Where a class stands with respect to its initialisation, by context.
#[derive(Debug, Clone, Copy)]
pub struct Init {
    /// Contexts in which initialisation has begun (and, unless running, ended).
    pub begun: Cond,
    /// Contexts in which it failed.
    pub failed: Cond,
    /// Exceptions to throw on first use in `failed` contexts.
    pub error: Slot,
}

/// What a method runs.
#[derive(Debug, Clone)]
pub enum Body {
    /// Nothing: abstract.
    Abstract,
    /// Bytecode not yet translated.
    Untranslated,
    /// Bytecode in register form.
    Code(Rc<Code>),
    /// A function of the VM.
    Native(Native),
    /// A native method that the VM does not have.
    Missing,
    /// Bytecode made by the VM, not yet translated.
    Synthetic(Rc<synth::SynthCode>),
}

/// A method.
#[derive(Debug, Clone)]
pub struct Method {
    /// Declaring class.
    pub class: ClassId,
    /// Name.
    pub name: Sym,
    /// Descriptor.
    pub descriptor: Sym,
    /// Flags.
    pub access: AccessFlags,
    /// Kinds of the parameters, receiver first.
    pub params: Rc<[Kind]>,
    /// Kind of the result.
    pub result: Kind,
    /// Position among the class file's methods.
    pub index: u16,
    /// Virtual table index, if it has one.
    pub vtable: Option<u32>,
    /// What it runs.
    pub body: Body,
}

/// A resolved constant.
#[derive(Debug, Clone)]
pub enum Resolved {
    /// A class.
    Class(ClassId),
    /// A field: declaring class and position.
    Field(ClassId, u32),
    /// A method.
    Method(MethodId),
    /// A string literal: index into the table of literals.
    Literal(u32),
    /// A linked call site: the method to call.
    CallSite(MethodId),
    /// A dynamic constant.
    Value(Slot),
}

/// A class or interface, array or primitive type.
pub struct Class {
    /// Binary name with slashes (`[I` for arrays, `int` for primitives).
    pub name: Sym,
    /// Flags.
    pub access: AccessFlags,
    /// What it stands for.
    pub shape: Shape,
    /// Superclass.
    pub superclass: Option<ClassId>,
    /// Direct superinterfaces.
    pub interfaces: Vec<ClassId>,
    /// The class itself and all its supertypes, sorted.
    pub supertypes: Rc<[ClassId]>,
    /// The class file, if it has one.
    pub file: Option<Rc<OwnedClass>>,
    /// The pool of a class made by the VM.
    pub synth_pool: Vec<synth::SynthConst>,
    /// Declared fields.
    pub fields: Vec<Field>,
    /// Ids of declared methods, in the class file's order.
    pub methods: Vec<MethodId>,
    /// Declared methods by name and descriptor.
    pub by_signature: FxHashMap<(Sym, Sym), MethodId>,
    /// Words of an instance, header included.
    pub instance_words: u32,
    /// Offsets of reference fields of an instance, inherited ones included.
    pub ref_offsets: Rc<[u32]>,
    /// Virtual method table.
    pub vtable: Vec<MethodId>,
    /// Selected methods for interface calls (and other lookups by signature).
    pub selected: FxHashMap<(Sym, Sym), Option<MethodId>>,
    /// First static field in the table of static fields, and how many.
    pub statics: (u32, u32),
    /// Initialisation.
    pub init: Init,
    /// The `java.lang.Class` object, 0 until made.
    pub mirror: Ref,
    /// Loaded from the JDK's image rather than the class path.
    pub boot: bool,
    /// Resolved constants.
    pub resolved: FxHashMap<u16, Resolved>,
    /// The array class with this component, once made.
    pub array: Option<ClassId>,
    /// Initialised for good: resets of the program's state leave it alone.
    pub permanent: bool,
    /// The loader that defined it, 0 for the boot loader and for the VM's own application loader.
    pub loader: Ref,
}

impl Class {
    /// Whether it is an interface.
    pub fn is_interface(&self) -> bool {
        self.access.is_interface()
    }

    /// The kind of elements, for an array class.
    pub fn element_kind(&self) -> Option<Kind> {
        match self.shape {
            Shape::Array { kind, .. } => Some(kind),
            _ => None,
        }
    }
}
