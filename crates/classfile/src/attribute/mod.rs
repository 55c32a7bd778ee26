//! Attributes: typed for everything Java 1.1 to 25 defines, bytes for the rest.

mod annotation;
mod class;
mod debug;
mod module;
mod stack_map;

pub use annotation::{
    Annotation, ElementValue, TypeAnnotation, TypePath, TypePathKind, TypeTarget,
};
pub use class::{BootstrapMethod, EnclosingMethod, InnerClass, RecordComponent};
pub use debug::{LineNumber, LocalRange, LocalVariable, MethodParameter};
pub use module::{Module, ModuleExports, ModuleHash, ModuleOpens, ModuleProvides, ModuleRequires};
pub use stack_map::{Frame, FrameDelta, FrameForm, FrameIter, RawType, StackMapTable};

use crate::code::CodeAttribute;
use crate::error::{ErrorKind, Result};
use crate::jstr::JStr;
use crate::pool::ConstantPool;
use crate::reader::{Reader, u16_at};
use crate::table::Table;

/// The attributes of a class, member, code or record component. Cheap to copy.
#[derive(Clone, Copy)]
pub struct Attributes<'a> {
    pool: ConstantPool<'a>,
    /// Offset of the count.
    start: usize,
    end: usize,
}

/// An attribute that has not been read yet.
#[derive(Clone, Copy)]
pub struct RawAttribute<'a> {
    pool: ConstantPool<'a>,
    /// Its name.
    pub name: JStr<'a>,
    /// Offset in the class file of its header (the name index).
    pub offset: usize,
    /// Its content, without name and length.
    pub info: &'a [u8],
}

impl<'a> Attributes<'a> {
    /// Attributes whose count stands at `start`; their headers have been checked.
    pub(crate) fn new(pool: ConstantPool<'a>, start: usize, end: usize) -> Self {
        Attributes { pool, start, end }
    }

    /// Reads an attribute list of checked structure at the reader.
    pub(crate) fn read(pool: ConstantPool<'a>, reader: &mut Reader<'a>) -> Result<Self> {
        let start = reader.pos();
        for _ in 0..reader.u16()? {
            pool.utf8(reader.u16()?)?;
            let len = reader.u32()?;
            reader.skip(len as usize)?;
        }
        Ok(Attributes {
            pool,
            start,
            end: reader.pos(),
        })
    }

    /// How many there are.
    pub fn len(self) -> usize {
        usize::from(u16_at(self.pool.bytes, self.start))
    }

    /// True if there are none.
    pub fn is_empty(self) -> bool {
        self.len() == 0
    }

    /// All attributes, unread, in file order.
    pub fn iter(self) -> impl Iterator<Item = RawAttribute<'a>> + Clone {
        let pool = self.pool;
        let mut reader = Reader::new(pool.bytes, self.start + 2, self.end);
        std::iter::from_fn(move || {
            let offset = reader.pos();
            let name = reader.u16().ok()?;
            let len = reader.u32().ok()?;
            let info = reader.take(len as usize).ok()?;
            Some(RawAttribute {
                pool,
                name: pool.utf8(name).ok()?,
                offset,
                info,
            })
        })
    }

    /// The first attribute with this name, unread.
    pub fn find_raw(self, name: &str) -> Option<RawAttribute<'a>> {
        self.iter().find(|attribute| attribute.name == name)
    }

    /// The first attribute with this name, read.
    pub fn find(self, name: &str) -> Result<Option<Attribute<'a>>> {
        self.find_raw(name).map(RawAttribute::parse).transpose()
    }
}

impl std::fmt::Debug for Attributes<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_list().entries(self.iter().map(|a| a.name)).finish()
    }
}

impl PartialEq for Attributes<'_> {
    /// Equal if the bytes are.
    fn eq(&self, other: &Self) -> bool {
        self.pool.bytes[self.start..self.end] == other.pool.bytes[other.start..other.end]
    }
}

/// A read attribute.
#[derive(Clone, PartialEq, Debug)]
#[non_exhaustive]
pub enum Attribute<'a> {
    /// Index of the constant that a static field starts with.
    ConstantValue(u16),
    /// A method's instructions.
    Code(CodeAttribute<'a>),
    /// Verification types at branch targets.
    StackMapTable(StackMapTable<'a>),
    /// Class indices of the declared exceptions.
    Exceptions(Table<'a, u16>),
    /// Every nested class this class mentions.
    InnerClasses(Table<'a, InnerClass>),
    /// Where a local or anonymous class stands.
    EnclosingMethod(EnclosingMethod<'a>),
    /// Made by the compiler (before the flag existed).
    Synthetic,
    /// Generic signature.
    Signature(JStr<'a>),
    /// Name of the source file.
    SourceFile(JStr<'a>),
    /// Debug information of other languages (JSR 45), as bytes.
    SourceDebugExtension(&'a [u8]),
    /// Lines of code offsets.
    LineNumberTable(Table<'a, LineNumber>),
    /// Names and descriptors of locals.
    LocalVariableTable(Table<'a, LocalVariable>),
    /// Names and generic signatures of locals.
    LocalVariableTypeTable(Table<'a, LocalVariable>),
    /// Marked `@deprecated` in its comment.
    Deprecated,
    /// `RuntimeVisibleAnnotations` or `RuntimeInvisibleAnnotations`.
    Annotations {
        /// Kept for reflection.
        visible: bool,
        /// In file order.
        annotations: Vec<Annotation<'a>>,
    },
    /// `RuntimeVisibleParameterAnnotations` or `RuntimeInvisibleParameterAnnotations`.
    ParameterAnnotations {
        /// Kept for reflection.
        visible: bool,
        /// One list for each parameter.
        parameters: Vec<Vec<Annotation<'a>>>,
    },
    /// `RuntimeVisibleTypeAnnotations` or `RuntimeInvisibleTypeAnnotations`.
    TypeAnnotations {
        /// Kept for reflection.
        visible: bool,
        /// In file order.
        annotations: Vec<TypeAnnotation<'a>>,
    },
    /// Default value of an annotation's element.
    AnnotationDefault(ElementValue<'a>),
    /// Bootstrap methods of dynamic constants and call sites.
    BootstrapMethods(Vec<BootstrapMethod<'a>>),
    /// Names and flags of a method's parameters.
    MethodParameters(Table<'a, MethodParameter>),
    /// A module declaration.
    Module(Box<Module<'a>>),
    /// Package indices of all packages of a module.
    ModulePackages(Table<'a, u16>),
    /// The main class of a module.
    ModuleMainClass(JStr<'a>),
    /// The platform a module is for (JDK-specific).
    ModuleTarget(Option<JStr<'a>>),
    /// Hashes of dependent modules (JDK-specific).
    ModuleHashes {
        /// Name of the hash algorithm.
        algorithm: JStr<'a>,
        /// One for each module.
        hashes: Vec<ModuleHash<'a>>,
    },
    /// Resolution flags of a module (JDK-specific).
    ModuleResolution(u16),
    /// The nest's host class.
    NestHost(JStr<'a>),
    /// Class indices of the nest's members.
    NestMembers(Table<'a, u16>),
    /// Components of a record class.
    Record(Vec<RecordComponent<'a>>),
    /// Class indices of the permitted subclasses.
    PermittedSubclasses(Table<'a, u16>),
    /// Anything else, as bytes.
    Unknown(RawAttribute<'a>),
}

impl<'a> RawAttribute<'a> {
    /// Offset in the class file of its content.
    pub fn info_offset(self) -> usize {
        self.offset + 6
    }

    /// The pool its indices refer to.
    pub fn pool(self) -> ConstantPool<'a> {
        self.pool
    }

    /// Reads the content by the attribute's name.
    pub fn parse(self) -> Result<Attribute<'a>> {
        let start = self.info_offset();
        let mut reader = Reader::new(self.pool.bytes, start, start + self.info.len());
        let attribute = self.read(&mut reader)?;
        if !reader.at_end() {
            let name = self.name.to_str_lossy().into_owned();
            return Err(ErrorKind::AttributeLength { name }.at(self.offset));
        }
        Ok(attribute)
    }

    fn read(self, r: &mut Reader<'a>) -> Result<Attribute<'a>> {
        let pool = self.pool;
        Ok(match self.name.as_bytes() {
            b"ConstantValue" => Attribute::ConstantValue(r.u16()?),
            b"Code" => Attribute::Code(CodeAttribute::read_from(pool, r)?),
            b"StackMapTable" => Attribute::StackMapTable(StackMapTable::read(r)?),
            b"Exceptions" => Attribute::Exceptions(Table::counted(r)?),
            b"InnerClasses" => Attribute::InnerClasses(Table::counted(r)?),
            b"EnclosingMethod" => Attribute::EnclosingMethod(EnclosingMethod::read(pool, r)?),
            b"Synthetic" => Attribute::Synthetic,
            b"Signature" => Attribute::Signature(pool.utf8(r.u16()?)?),
            b"SourceFile" => Attribute::SourceFile(pool.utf8(r.u16()?)?),
            b"SourceDebugExtension" => Attribute::SourceDebugExtension(r.take(r.remaining())?),
            b"LineNumberTable" => Attribute::LineNumberTable(Table::counted(r)?),
            b"LocalVariableTable" => Attribute::LocalVariableTable(Table::counted(r)?),
            b"LocalVariableTypeTable" => Attribute::LocalVariableTypeTable(Table::counted(r)?),
            b"Deprecated" => Attribute::Deprecated,
            b"MethodParameters" => Attribute::MethodParameters(Table::counted_u8(r)?),
            b"BootstrapMethods" => Attribute::BootstrapMethods(class::bootstrap_methods(r)?),
            b"NestHost" => Attribute::NestHost(pool.class(r.u16()?)?),
            b"NestMembers" => Attribute::NestMembers(Table::counted(r)?),
            b"Record" => Attribute::Record(class::record_components(pool, r)?),
            b"PermittedSubclasses" => Attribute::PermittedSubclasses(Table::counted(r)?),
            name if name.starts_with(b"Module") => return self.read_module(r),
            _ => return self.read_annotations(r),
        })
    }

    fn read_module(self, r: &mut Reader<'a>) -> Result<Attribute<'a>> {
        let pool = self.pool;
        Ok(match self.name.as_bytes() {
            b"Module" => Attribute::Module(Box::new(Module::read(pool, r)?)),
            b"ModulePackages" => Attribute::ModulePackages(Table::counted(r)?),
            b"ModuleMainClass" => Attribute::ModuleMainClass(pool.class(r.u16()?)?),
            b"ModuleTarget" => Attribute::ModuleTarget(pool.optional_utf8(r.u16()?)?),
            b"ModuleHashes" => {
                let algorithm = pool.utf8(r.u16()?)?;
                Attribute::ModuleHashes {
                    algorithm,
                    hashes: module::hashes(pool, r)?,
                }
            }
            b"ModuleResolution" => Attribute::ModuleResolution(r.u16()?),
            _ => self.unknown(r)?,
        })
    }

    fn read_annotations(self, r: &mut Reader<'a>) -> Result<Attribute<'a>> {
        let pool = self.pool;
        let visible = self.name.as_bytes().starts_with(b"RuntimeVisible");
        Ok(match self.name.as_bytes() {
            b"RuntimeVisibleAnnotations" | b"RuntimeInvisibleAnnotations" => {
                Attribute::Annotations {
                    visible,
                    annotations: Annotation::list(pool, r)?,
                }
            }
            b"RuntimeVisibleParameterAnnotations" | b"RuntimeInvisibleParameterAnnotations" => {
                let count = r.u8()?;
                let parameters = (0..count)
                    .map(|_| Annotation::list(pool, r))
                    .collect::<Result<_>>()?;
                Attribute::ParameterAnnotations {
                    visible,
                    parameters,
                }
            }
            b"RuntimeVisibleTypeAnnotations" | b"RuntimeInvisibleTypeAnnotations" => {
                let annotations = TypeAnnotation::list(pool, r)?;
                Attribute::TypeAnnotations {
                    visible,
                    annotations,
                }
            }
            b"AnnotationDefault" => Attribute::AnnotationDefault(ElementValue::read(pool, r, 0)?),
            _ => self.unknown(r)?,
        })
    }

    fn unknown(self, r: &mut Reader<'a>) -> Result<Attribute<'a>> {
        r.skip(r.remaining())?;
        Ok(Attribute::Unknown(self))
    }
}

impl PartialEq for RawAttribute<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name && self.info == other.info
    }
}

impl std::fmt::Debug for RawAttribute<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}[{} bytes]", self.name, self.info.len())
    }
}
