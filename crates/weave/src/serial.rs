//! The default `serialVersionUID` of a class depends on its members, and resetting adds some. So
//! that serialised objects still fit, classes without an explicit number get the one they had.
//!
//! Follows the Java Object Serialization Specification, section 4.6, with the details of
//! `ObjectStreamClass.computeDefaultSUID`.

use braid_classfile::{AccessFlags, Attribute, ClassFile, Editor, Member};

use crate::error::Result;
use crate::world::World;

const NAME: &str = "serialVersionUID";

/// True if the class may be serialised and has no number of its own.
pub(crate) fn needs_version_id(class: &ClassFile<'_>, world: &World) -> bool {
    let plain = !class.access().is_interface() && !class.access().is_enum();
    plain && class.field(NAME, "J").is_none() && world.may_be_serializable(class)
}

/// Adds the number as a constant.
pub(crate) fn add(editor: &mut Editor<'_>, id: i64) -> Result<()> {
    let access = AccessFlags(0x101a); // private static final synthetic
    let field = editor.add_field(access, NAME, "J")?;
    let index = editor.pool_mut().long(id)?;
    editor.set_field_attribute(field, "ConstantValue", Some(index.to_be_bytes().to_vec()))?;
    Ok(())
}

/// The number that the JVM computes for a class.
pub(crate) fn version_id(class: &ClassFile<'_>) -> Result<i64> {
    let mut text = Text(Vec::new());
    text.utf(&dotted(class.name().as_bytes()));
    text.int(class_modifiers(class)?);
    let mut interfaces: Vec<_> = class.interfaces().map(|i| dotted(i.as_bytes())).collect();
    interfaces.sort();
    interfaces.iter().for_each(|name| text.utf(name));
    text.fields(class);
    if class.method("<clinit>", "()V").is_some() {
        text.member(b"<clinit>", 8, b"()V");
    }
    text.methods(class);
    let digest = sha1_smol::Sha1::from(&text.0).digest().bytes();
    let first: [u8; 8] = std::array::from_fn(|i| digest[i]);
    Ok(i64::from_le_bytes(first))
}

/// The modifiers as the source has them: those of `InnerClasses` for a nested class.
fn class_modifiers(class: &ClassFile<'_>) -> Result<u32> {
    let mut access = class.access();
    if let Some(Attribute::InnerClasses(table)) = class.attribute("InnerClasses")? {
        for entry in table.iter() {
            if class.pool().class(entry.inner)? == class.name() {
                access = entry.access;
            }
        }
    }
    // public final interface abstract
    Ok(u32::from(access.0 & 0x0611))
}

fn dotted(name: &[u8]) -> Vec<u8> {
    let dot = |byte: &u8| if *byte == b'/' { b'.' } else { *byte };
    name.iter().map(dot).collect()
}

struct Text(Vec<u8>);

impl Text {
    fn utf(&mut self, text: &[u8]) {
        self.0.extend((text.len() as u16).to_be_bytes());
        self.0.extend(text);
    }

    fn int(&mut self, value: u32) {
        self.0.extend(value.to_be_bytes());
    }

    fn member(&mut self, name: &[u8], modifiers: u32, descriptor: &[u8]) {
        self.utf(name);
        self.int(modifiers);
        self.utf(descriptor);
    }

    fn fields(&mut self, class: &ClassFile<'_>) {
        let mut fields: Vec<Member<'_>> = class.fields().collect();
        fields.sort_by_key(|field| field.name().as_bytes());
        for field in fields {
            let access = field.access();
            let hidden = access.is_private() && (access.is_static() || access.is_transient());
            if !hidden {
                let modifiers = u32::from(access.0 & 0x00df);
                let descriptor = field.descriptor().as_bytes();
                self.member(field.name().as_bytes(), modifiers, descriptor);
            }
        }
    }

    /// Constructors by descriptor, then methods by name and descriptor.
    fn methods(&mut self, class: &ClassFile<'_>) {
        let mut methods: Vec<Member<'_>> = class
            .methods()
            .filter(|method| method.name() != "<clinit>" && !method.access().is_private())
            .collect();
        methods.sort_by_key(|method| {
            let constructor = method.name() == "<init>";
            (
                !constructor,
                method.name().as_bytes(),
                method.descriptor().as_bytes(),
            )
        });
        for method in methods {
            let modifiers = u32::from(method.access().0 & 0x0d3f);
            let descriptor = dotted(method.descriptor().as_bytes());
            self.member(method.name().as_bytes(), modifiers, &descriptor);
        }
    }
}
