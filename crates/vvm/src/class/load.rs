//! Loading classes: from class files to the VM's table.

use super::{Body, Class, ClassId, Field, Init, Method, MethodId, Shape};
use crate::descriptor;
use crate::symbol::Sym;
use crate::trap::{Step, Trap};
use crate::value::{Kind, Ref};
use crate::vm::Vm;
use braid_classfile::{AccessFlags, Attribute, ClassFile, OwnedClass};
use braid_cond::Cond;
use rustc_hash::FxHashMap;
use std::rc::Rc;
use std::sync::Arc;

impl Vm {
    /// The class with this binary name (slashes; `[…` for arrays), loaded if need be.
    pub fn load(&mut self, name: &str) -> Step<ClassId> {
        if let Some(sym) = self.symbols.find(name)
            && let Some(&class) = self.class_by_name.get(&sym)
        {
            return Ok(class);
        }
        if let Some(component) = name.strip_prefix('[') {
            let component = self.load_descriptor(component)?;
            return Ok(self.array_of(component));
        }
        let Some((bytes, boot)) = self.source.class(name) else {
            return Err(Trap::new("java/lang/NoClassDefFoundError", name));
        };
        self.define(name, bytes, boot, 0)
    }

    /// The class that a field descriptor names.
    pub fn load_descriptor(&mut self, descriptor: &str) -> Step<ClassId> {
        match Kind::of(descriptor) {
            Kind::Ref => self.load(descriptor::class_name(descriptor)),
            kind => Ok(self.primitive(kind)),
        }
    }

    /// The class of a primitive type or `void`.
    pub fn primitive(&self, kind: Kind) -> ClassId {
        self.primitives[kind as usize]
    }

    /// The array class with this component.
    pub fn array_of(&mut self, component: ClassId) -> ClassId {
        if let Some(array) = self.classes[component as usize].array {
            return array;
        }
        let element = &self.classes[component as usize];
        let kind = match element.shape {
            Shape::Primitive(kind) => kind,
            _ => Kind::Ref,
        };
        let text = self.symbols.text(element.name).to_string();
        let name = match element.shape {
            Shape::Primitive(kind) => format!("[{}", kind.descriptor()),
            Shape::Array { .. } => format!("[{text}"),
            Shape::Instance => format!("[L{text};"),
        };
        let access = AccessFlags((element.access.0 & 0x0007) | 0x0411);
        let (boot, loader) = (element.boot, element.loader);
        let object = self.known.object;
        let interfaces = vec![self.known.cloneable, self.known.serializable];
        let mut supers = vec![object, self.known.cloneable, self.known.serializable];
        if let Shape::Instance | Shape::Array { .. } = self.classes[component as usize].shape {
            // String[] is an Object[], a Comparable[], …
            for supertype in self.classes[component as usize]
                .supertypes
                .iter()
                .copied()
                .collect::<Vec<_>>()
            {
                if supertype != component {
                    supers.push(self.array_of(supertype));
                }
            }
        }
        let mut class = self.blank_class(&name, access, Shape::Array { component, kind });
        class.superclass = Some(object);
        class.interfaces = interfaces;
        class.vtable = self.classes[object as usize].vtable.clone();
        class.boot = boot;
        class.loader = loader;
        class.init.begun = Cond::TRUE;
        let id = self.add_class(class, supers);
        self.classes[component as usize].array = Some(id);
        id
    }

    /// A class without members.
    pub(crate) fn blank_class(&mut self, name: &str, access: AccessFlags, shape: Shape) -> Class {
        Class {
            name: self.symbols.intern(name),
            access,
            shape,
            superclass: None,
            interfaces: Vec::new(),
            supertypes: Rc::new([]),
            file: None,
            synth_pool: Vec::new(),
            fields: Vec::new(),
            methods: Vec::new(),
            by_signature: FxHashMap::default(),
            instance_words: crate::heap::HEADER,
            ref_offsets: Rc::new([]),
            vtable: Vec::new(),
            selected: FxHashMap::default(),
            statics: (0, 0),
            init: Init {
                begun: Cond::FALSE,
                failed: Cond::FALSE,
                error: 0,
            },
            mirror: 0,
            boot: true,
            resolved: FxHashMap::default(),
            array: None,
            permanent: false,
            loader: 0,
        }
    }

    /// Enters a class in the table; `supers` are its other supertypes.
    pub(crate) fn add_class(&mut self, mut class: Class, mut supers: Vec<ClassId>) -> ClassId {
        let id = self.classes.len() as ClassId;
        supers.push(id);
        supers.sort_unstable();
        supers.dedup();
        class.supertypes = supers.into();
        self.class_by_name.insert(class.name, id);
        self.classes.push(class);
        id
    }

    /// Defines a class from its bytes.
    pub fn define(
        &mut self,
        name: &str,
        bytes: Arc<[u8]>,
        boot: bool,
        loader: Ref,
    ) -> Step<ClassId> {
        let file = Rc::new(OwnedClass::parse(bytes)?);
        let view = file.view();
        let found = view.name().to_str_lossy().into_owned();
        if !name.is_empty() && found != name {
            let message = format!("{name} (wrong name: {found})");
            return Err(Trap::new("java/lang/NoClassDefFoundError", message));
        }
        let superclass = match view.super_name() {
            Some(text) => Some(self.load(&text.to_str_lossy())?),
            None => None,
        };
        let names: Vec<String> = view
            .interfaces()
            .map(|text| text.to_str_lossy().into_owned())
            .collect();
        let mut interfaces = Vec::new();
        for name in names {
            interfaces.push(self.load(&name)?);
        }
        let mut supers = Vec::new();
        for &parent in superclass.iter().chain(&interfaces) {
            supers.extend_from_slice(&self.classes[parent as usize].supertypes);
        }
        let mut class = self.blank_class(&found, view.access(), Shape::Instance);
        class.superclass = superclass;
        class.interfaces = interfaces;
        class.boot = boot;
        class.loader = loader;
        class.file = Some(Rc::clone(&file));
        class.fields = self.read_fields(&view)?;
        let id = self.add_class(class, supers);
        self.lay_out_fields(id);
        self.read_methods(id, &view)?;
        self.link_methods(id);
        Ok(id)
    }

    fn read_fields(&mut self, view: &ClassFile<'_>) -> Step<Vec<Field>> {
        let mut fields = Vec::with_capacity(view.fields().len());
        for member in view.fields() {
            let descriptor = member.descriptor().to_str_lossy();
            let constant = match member.attribute("ConstantValue")? {
                Some(Attribute::ConstantValue(index)) if member.access().is_static() => index,
                _ => 0,
            };
            fields.push(Field {
                name: self.symbols.intern(&member.name().to_str_lossy()),
                descriptor: self.symbols.intern(&descriptor),
                access: member.access(),
                kind: Kind::of(&descriptor),
                at: 0,
                constant,
            });
        }
        if view.name() == "java/lang/Class" {
            fields.push(Field {
                name: self.symbols.intern(super::mirror::INJECTED),
                descriptor: self.symbols.intern("J"),
                access: AccessFlags(0x1012),
                kind: Kind::Long,
                at: 0,
                constant: 0,
            });
        }
        Ok(fields)
    }

    fn read_methods(&mut self, id: ClassId, view: &ClassFile<'_>) -> Step<()> {
        for (index, member) in view.methods().enumerate() {
            let name = self.symbols.intern(&member.name().to_str_lossy());
            let descriptor = self.symbols.intern(&member.descriptor().to_str_lossy());
            let access = member.access();
            let body = if access.is_abstract() {
                Body::Abstract
            } else {
                Body::Untranslated
            };
            self.add_method(id, name, descriptor, access, body, index as u16)?;
        }
        Ok(())
    }

    /// Adds a method to a class.
    pub(crate) fn add_method(
        &mut self,
        class: ClassId,
        name: Sym,
        descriptor: Sym,
        access: AccessFlags,
        mut body: Body,
        index: u16,
    ) -> Step<MethodId> {
        let (params, result) = self.signature(descriptor, access.is_static())?;
        let class_name = self.classes[class as usize].name;
        if let Some(native) = self.natives.find(class_name, name, descriptor) {
            body = Body::Native(native);
        } else if access.is_native() {
            body = Body::Missing;
        }
        let id = self.methods.len() as MethodId;
        self.methods.push(Method {
            class,
            name,
            descriptor,
            access,
            params,
            result,
            index,
            vtable: None,
            body,
        });
        let class = &mut self.classes[class as usize];
        class.methods.push(id);
        class.by_signature.insert((name, descriptor), id);
        Ok(id)
    }

    /// Parameter kinds and result of a descriptor; cached, since few distinct ones exist.
    fn signature(&mut self, descriptor: Sym, is_static: bool) -> Step<(Rc<[Kind]>, Kind)> {
        if let Some(found) = self.signatures.get(&(descriptor, is_static)) {
            return Ok(found.clone());
        }
        let (mut params, result) = descriptor::parse(self.symbols.text(descriptor))?;
        if !is_static {
            params.insert(0, Kind::Ref);
        }
        let entry = (Rc::from(params), result);
        self.signatures
            .insert((descriptor, is_static), entry.clone());
        Ok(entry)
    }
}
