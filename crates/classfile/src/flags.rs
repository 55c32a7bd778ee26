//! Access flags of classes, fields, methods, parameters, inner classes and modules.

/// A set of access flags. The same bit means different things on classes, fields and methods.
///
/// ```
/// use braid_classfile::AccessFlags;
/// let flags = AccessFlags(0x0009);
/// assert!(flags.contains(AccessFlags::STATIC) && flags.is_public());
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default, Debug)]
pub struct AccessFlags(pub u16);

macro_rules! flags {
    ($($name:ident = $bit:literal, $test:ident: $doc:literal;)*) => {
        impl AccessFlags {
            $(#[doc = $doc] pub const $name: AccessFlags = AccessFlags($bit);)*
            $(#[doc = concat!("True if this is set: ", $doc)]
            pub const fn $test(self) -> bool { self.0 & $bit != 0 })*
        }
    };
}

flags! {
    PUBLIC = 0x0001, is_public: "public (class, field, method).";
    PRIVATE = 0x0002, is_private: "private (inner class, field, method).";
    PROTECTED = 0x0004, is_protected: "protected (inner class, field, method).";
    STATIC = 0x0008, is_static: "static (inner class, field, method).";
    FINAL = 0x0010, is_final: "final.";
    SUPER = 0x0020, is_super: "the historical superclass-call flag (class).";
    SYNCHRONIZED = 0x0020, is_synchronized: "synchronized (method).";
    OPEN = 0x0020, is_open: "open (module).";
    VOLATILE = 0x0040, is_volatile: "volatile (field).";
    BRIDGE = 0x0040, is_bridge: "bridge (method).";
    TRANSIENT = 0x0080, is_transient: "transient (field).";
    VARARGS = 0x0080, is_varargs: "variable arity (method).";
    NATIVE = 0x0100, is_native: "native (method).";
    INTERFACE = 0x0200, is_interface: "interface (class).";
    ABSTRACT = 0x0400, is_abstract: "abstract (class, method).";
    STRICT = 0x0800, is_strict: "strictfp (method).";
    SYNTHETIC = 0x1000, is_synthetic: "synthetic.";
    ANNOTATION = 0x2000, is_annotation: "annotation interface (class).";
    ENUM = 0x4000, is_enum: "enum (class, field).";
    MODULE = 0x8000, is_module: "module (class).";
    MANDATED = 0x8000, is_mandated: "implicitly declared (parameter, module directive).";
}

impl AccessFlags {
    /// True if every flag of `other` is set here.
    pub const fn contains(self, other: AccessFlags) -> bool {
        self.0 & other.0 == other.0
    }

    /// These flags and those of `other`.
    pub const fn with(self, other: AccessFlags) -> AccessFlags {
        AccessFlags(self.0 | other.0)
    }

    /// These flags without those of `other`.
    pub const fn without(self, other: AccessFlags) -> AccessFlags {
        AccessFlags(self.0 & !other.0)
    }
}
