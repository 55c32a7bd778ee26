//! Editing everything about a class that is not code, and writing the class.

use std::ops::Range;

use crate::attribute::Attributes;
use crate::class::MemberIndex;
use crate::edit::editor::{Editor, Workspace, no_method};
use crate::edit::pool::PoolBuilder;
use crate::error::{ErrorKind, Result};
use crate::flags::AccessFlags;
use crate::jstr::JStr;
use crate::reader::u16_at;

/// Changed and new attributes: name index and content, `None` if removed.
pub(crate) type AttributeEdits = Vec<(u16, Option<Vec<u8>>)>;

/// Changes to the class's header.
#[derive(Default)]
pub(crate) struct Header {
    /// Major and minor version.
    pub(crate) version: Option<(u16, u16)>,
    access: Option<AccessFlags>,
    super_class: Option<u16>,
    added_interfaces: Vec<u16>,
}

/// Changes to a field or method; for an added one access, name and descriptor are all set.
#[derive(Clone, Default)]
pub(crate) struct MemberEdit {
    removed: bool,
    pub(crate) access: Option<AccessFlags>,
    pub(crate) name: Option<u16>,
    pub(crate) descriptor: Option<u16>,
    /// Where its new code stands in [`Workspace::codes`].
    pub(crate) code: Option<Range<usize>>,
    attributes: AttributeEdits,
}

impl MemberEdit {
    fn is_unchanged(&self) -> bool {
        !self.removed
            && self.access.is_none()
            && self.name.is_none()
            && self.descriptor.is_none()
            && self.code.is_none()
            && self.attributes.is_empty()
    }
}

/// Bootstrap methods that were added.
#[derive(Default)]
pub(crate) struct Bootstraps {
    added: Vec<Vec<u8>>,
}

impl<'a> Editor<'a> {
    /// Sets the class file version.
    pub fn set_version(&mut self, major: u16, minor: u16) {
        self.header.version = Some((major, minor));
    }

    /// Sets the class's access flags.
    pub fn set_access(&mut self, access: AccessFlags) {
        self.header.access = Some(access);
    }

    /// Sets the superclass.
    pub fn set_super_class<'s>(&mut self, name: impl Into<JStr<'s>>) -> Result<()> {
        self.header.super_class = Some(self.pool.class(name)?);
        Ok(())
    }

    /// Adds a direct superinterface.
    pub fn add_interface<'s>(&mut self, name: impl Into<JStr<'s>>) -> Result<()> {
        let index = self.pool.class(name)?;
        self.header.added_interfaces.push(index);
        Ok(())
    }

    /// Adds a field; returns its position.
    pub fn add_field<'s>(
        &mut self,
        access: AccessFlags,
        name: impl Into<JStr<'s>>,
        descriptor: impl Into<JStr<'s>>,
    ) -> Result<usize> {
        let edit = self.new_member(access, name.into(), descriptor.into())?;
        self.fields.push(edit);
        Ok(self.fields.len() - 1)
    }

    /// Adds a method; returns its position, for [`Editor::write_code`].
    pub fn add_method<'s>(
        &mut self,
        access: AccessFlags,
        name: impl Into<JStr<'s>>,
        descriptor: impl Into<JStr<'s>>,
    ) -> Result<usize> {
        let edit = self.new_member(access, name.into(), descriptor.into())?;
        self.methods.push(edit);
        Ok(self.methods.len() - 1)
    }

    fn new_member(
        &mut self,
        access: AccessFlags,
        name: JStr<'_>,
        descriptor: JStr<'_>,
    ) -> Result<MemberEdit> {
        Ok(MemberEdit {
            access: Some(access),
            name: Some(self.pool.utf8(name)?),
            descriptor: Some(self.pool.utf8(descriptor)?),
            ..MemberEdit::default()
        })
    }

    fn method_edit(&mut self, method: usize) -> Result<&mut MemberEdit> {
        self.methods
            .get_mut(method)
            .ok_or_else(|| no_method(method))
    }

    fn field_edit(&mut self, field: usize) -> Result<&mut MemberEdit> {
        let missing = || ErrorKind::Encode("a field that is not there").at(field);
        self.fields.get_mut(field).ok_or_else(missing)
    }

    /// Removes the method at a position; other positions stay.
    pub fn remove_method(&mut self, method: usize) -> Result<()> {
        self.method_edit(method)?.removed = true;
        Ok(())
    }

    /// Removes the field at a position; other positions stay.
    pub fn remove_field(&mut self, field: usize) -> Result<()> {
        self.field_edit(field)?.removed = true;
        Ok(())
    }

    /// Sets a method's access flags.
    pub fn set_method_access(&mut self, method: usize, access: AccessFlags) -> Result<()> {
        self.method_edit(method)?.access = Some(access);
        Ok(())
    }

    /// Sets a field's access flags.
    pub fn set_field_access(&mut self, field: usize, access: AccessFlags) -> Result<()> {
        self.field_edit(field)?.access = Some(access);
        Ok(())
    }

    /// Renames a method; what refers to it is not changed.
    pub fn rename_method<'s>(&mut self, method: usize, name: impl Into<JStr<'s>>) -> Result<()> {
        let index = self.pool.utf8(name)?;
        self.method_edit(method)?.name = Some(index);
        Ok(())
    }

    /// Sets an attribute of a method (not its code), or removes it.
    pub fn set_method_attribute(
        &mut self,
        method: usize,
        name: &str,
        content: Option<Vec<u8>>,
    ) -> Result<()> {
        let name = self.pool.utf8(name)?;
        set(&mut self.method_edit(method)?.attributes, name, content);
        Ok(())
    }

    /// Sets an attribute of a field, or removes it.
    pub fn set_field_attribute(
        &mut self,
        field: usize,
        name: &str,
        content: Option<Vec<u8>>,
    ) -> Result<()> {
        let name = self.pool.utf8(name)?;
        set(&mut self.field_edit(field)?.attributes, name, content);
        Ok(())
    }

    /// Sets an attribute of the class, or removes it.
    pub fn set_attribute(&mut self, name: &str, content: Option<Vec<u8>>) -> Result<()> {
        let name = self.pool.utf8(name)?;
        set(&mut self.attributes, name, content);
        Ok(())
    }

    /// The position of a bootstrap method with this handle and these arguments, added if there
    /// is none.
    pub fn bootstrap(&mut self, handle: u16, arguments: &[u16]) -> Result<u16> {
        let mut entry = handle.to_be_bytes().to_vec();
        entry.extend((arguments.len() as u16).to_be_bytes());
        arguments
            .iter()
            .for_each(|argument| entry.extend(argument.to_be_bytes()));
        let old = self.original_bootstraps()?;
        let known = old
            .iter()
            .chain(&self.bootstraps.added)
            .position(|e| *e == entry);
        let position = match known {
            Some(position) => position,
            None => {
                self.bootstraps.added.push(entry);
                old.len() + self.bootstraps.added.len() - 1
            }
        };
        let what = "bootstrap methods";
        u16::try_from(position).map_err(|_| {
            ErrorKind::Limit {
                what,
                limit: 0xffff,
            }
            .at(0)
        })
    }

    /// The entries of the class's own `BootstrapMethods`.
    fn original_bootstraps(&self) -> Result<Vec<Vec<u8>>> {
        let Some(raw) = self.class.attributes().find_raw("BootstrapMethods") else {
            return Ok(Vec::new());
        };
        raw.parse()?;
        let mut rest = raw.info.get(2..).unwrap_or_default();
        let mut entries = Vec::new();
        while rest.len() >= 4 {
            let len = 4 + 2 * usize::from(u16_at(rest, 2));
            entries.push(rest[..len].to_vec());
            rest = &rest[len..];
        }
        Ok(entries)
    }

    fn is_unchanged(&self) -> bool {
        let header = &self.header;
        self.pool.is_unchanged()
            && header.version.is_none()
            && header.access.is_none()
            && header.super_class.is_none()
            && header.added_interfaces.is_empty()
            && self.attributes.is_empty()
            && self.bootstraps.added.is_empty()
            && self
                .fields
                .iter()
                .chain(&self.methods)
                .all(MemberEdit::is_unchanged)
    }

    /// Writes the class. Without any edit the bytes are those that were read.
    pub fn finish(mut self) -> Result<Vec<u8>> {
        self.write()
    }

    /// Writes the class and gives the memory back, for [`Editor::with_workspace`].
    pub fn finish_reusing(mut self) -> (Result<Vec<u8>>, Workspace) {
        (self.write(), self.work)
    }

    fn write(&mut self) -> Result<Vec<u8>> {
        let class = self.class;
        if self.is_unchanged() {
            return Ok(class.bytes().to_vec());
        }
        if !self.bootstraps.added.is_empty() {
            let mut entries = self.original_bootstraps()?;
            entries.append(&mut self.bootstraps.added);
            let mut content = (entries.len() as u16).to_be_bytes().to_vec();
            entries.iter().for_each(|entry| content.extend(entry));
            self.set_attribute("BootstrapMethods", Some(content))?;
        }
        let has_new_code = |(position, edit): (usize, &MemberEdit)| {
            let original = class.index.methods.get(position);
            edit.code.is_some() && original.is_none_or(|index| index.code == 0)
        };
        let code_name = match self.methods.iter().enumerate().any(has_new_code) {
            true => self.pool.utf8("Code")?,
            false => 0,
        };
        let bytes = class.bytes();
        let mut out =
            Vec::with_capacity(bytes.len() + self.work.codes.len() + self.pool.added().len());
        out.extend_from_slice(&bytes[..4]);
        let version = (class.major_version(), class.minor_version());
        let (major, minor) = self.header.version.unwrap_or(version);
        out.extend(minor.to_be_bytes());
        out.extend(major.to_be_bytes());
        out.extend(self.pool.count().to_be_bytes());
        out.extend_from_slice(&bytes[10..class.index.header as usize]);
        out.extend_from_slice(self.pool.added());
        self.write_header(&mut out);
        self.write_members(&mut out, &self.fields, &class.index.fields, code_name)?;
        self.write_members(&mut out, &self.methods, &class.index.methods, code_name)?;
        self.write_attributes(&mut out, Some(class.attributes()), &self.attributes, None)?;
        Ok(out)
    }

    fn write_header(&self, out: &mut Vec<u8>) {
        let class = self.class;
        let access = self.header.access.unwrap_or(class.access());
        out.extend(access.0.to_be_bytes());
        out.extend(class.this_index().to_be_bytes());
        let bytes = class.bytes();
        let at = class.index.header as usize + 4;
        let super_class = self.header.super_class.unwrap_or(u16_at(bytes, at));
        out.extend(super_class.to_be_bytes());
        let count = u16_at(bytes, at + 2);
        let added = &self.header.added_interfaces;
        out.extend((count + added.len() as u16).to_be_bytes());
        out.extend_from_slice(&bytes[at + 4..at + 4 + 2 * usize::from(count)]);
        added
            .iter()
            .for_each(|interface| out.extend(interface.to_be_bytes()));
    }

    fn write_members(
        &self,
        out: &mut Vec<u8>,
        edits: &[MemberEdit],
        originals: &[MemberIndex],
        code_name: u16,
    ) -> Result<()> {
        let count = edits.iter().filter(|edit| !edit.removed).count();
        let what = "members";
        let count = u16::try_from(count).map_err(|_| {
            ErrorKind::Limit {
                what,
                limit: 0xffff,
            }
            .at(0)
        })?;
        out.extend(count.to_be_bytes());
        let bytes = self.class.bytes();
        for (position, edit) in edits.iter().enumerate() {
            let original = originals.get(position);
            match original {
                _ if edit.removed => continue,
                Some(index) if edit.is_unchanged() => {
                    out.extend_from_slice(&bytes[index.start as usize..index.end as usize]);
                    continue;
                }
                _ => {}
            }
            let start = original.map(|index| index.start as usize);
            let item = |i: usize| start.map_or(0, |start| u16_at(bytes, start + i));
            out.extend(edit.access.map_or(item(0), |access| access.0).to_be_bytes());
            out.extend(edit.name.unwrap_or(item(2)).to_be_bytes());
            out.extend(edit.descriptor.unwrap_or(item(4)).to_be_bytes());
            let attributes = original.map(|index| {
                Attributes::new(
                    self.class.pool(),
                    index.start as usize + 6,
                    index.end as usize,
                )
            });
            let code = edit.code.clone().map(|range| {
                let place = original.map_or(0, |index| index.code as usize);
                NewCode {
                    place,
                    name: if place == 0 {
                        code_name
                    } else {
                        u16_at(bytes, place)
                    },
                    content: &self.work.codes[range],
                }
            });
            self.write_attributes(out, attributes, &edit.attributes, code)?;
        }
        Ok(())
    }

    /// Writes attributes: the original ones, except those that were changed or removed, then the
    /// new ones. Code keeps its place.
    fn write_attributes(
        &self,
        out: &mut Vec<u8>,
        originals: Option<Attributes<'_>>,
        edits: &[(u16, Option<Vec<u8>>)],
        mut code: Option<NewCode<'_>>,
    ) -> Result<()> {
        let at = out.len();
        out.extend([0, 0]);
        let mut count = 0u32;
        let mut done = vec![false; edits.len()];
        let view = self.pool.view();
        for raw in originals.iter().flat_map(|list| list.iter()) {
            if let Some(new) = code.take_if(|code| code.place == raw.offset) {
                write_attribute(out, new.name, new.content);
                count += 1;
                continue;
            }
            let edit = edits
                .iter()
                .position(|(name, _)| view.utf8(*name) == Ok(raw.name));
            match edit {
                Some(edit) if done[edit] => {}
                Some(edit) => {
                    done[edit] = true;
                    if let (name, Some(content)) = &edits[edit] {
                        write_attribute(out, *name, content);
                        count += 1;
                    }
                }
                None => {
                    let end = raw.info_offset() + raw.info.len();
                    out.extend_from_slice(&self.class.bytes()[raw.offset..end]);
                    count += 1;
                }
            }
        }
        if let Some(new) = code {
            write_attribute(out, new.name, new.content);
            count += 1;
        }
        for ((name, content), _) in edits.iter().zip(done).filter(|(_, done)| !done) {
            if let Some(content) = content {
                write_attribute(out, *name, content);
                count += 1;
            }
        }
        let what = "attributes";
        let count = u16::try_from(count).map_err(|_| {
            ErrorKind::Limit {
                what,
                limit: 0xffff,
            }
            .at(0)
        })?;
        out[at..at + 2].copy_from_slice(&count.to_be_bytes());
        Ok(())
    }
}

/// The new content of a `Code` attribute.
struct NewCode<'c> {
    /// Offset of the attribute it replaces, 0 if there is none.
    place: usize,
    name: u16,
    content: &'c [u8],
}

fn set(edits: &mut AttributeEdits, name: u16, content: Option<Vec<u8>>) {
    edits.retain(|(old, _)| *old != name);
    edits.push((name, content));
}

fn write_attribute(out: &mut Vec<u8>, name: u16, content: &[u8]) {
    out.extend(name.to_be_bytes());
    out.extend((content.len() as u32).to_be_bytes());
    out.extend_from_slice(content);
}

/// The bytes of a class without members, to be filled by an [`Editor`].
///
/// ```
/// use braid_classfile::{AccessFlags, ClassFile, new_class};
/// let bytes = new_class(61, AccessFlags::PUBLIC, "a/B", Some("java/lang/Object")).unwrap();
/// assert_eq!(ClassFile::parse(&bytes).unwrap().name(), "a/B");
/// ```
pub fn new_class<'s>(
    major_version: u16,
    access: AccessFlags,
    name: impl Into<JStr<'s>>,
    super_name: Option<&'s str>,
) -> Result<Vec<u8>> {
    let mut pool = PoolBuilder::empty();
    let this = pool.class(name)?;
    let parent = super_name.map_or(Ok(0), |name| pool.class(name))?;
    let mut out = vec![0xca, 0xfe, 0xba, 0xbe, 0, 0];
    out.extend(major_version.to_be_bytes());
    out.extend(pool.count().to_be_bytes());
    out.extend_from_slice(pool.added());
    for item in [access.0, this, parent, 0, 0, 0, 0] {
        out.extend(item.to_be_bytes());
    }
    Ok(out)
}
