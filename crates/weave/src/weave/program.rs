//! Weaves a program: every class that some variant changes, and the classes that variants add.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use braid_classfile::{Attribute, ClassFile, Editor};

use crate::error::Result;
use crate::names::MARK;
use crate::weave::class::weave;
use crate::weave::diff::diff;
use crate::weave::model::{Added, Alternative, Change, ClassChange, Nest, Variant, WovenProgram};
use crate::weave::rename::rename;

/// The program's own classes.
type Originals<'o, 'f> = &'f dyn Fn(&str) -> Option<Cow<'o, [u8]>>;

/// Weaves many variants into a program.
///
/// `original` gives the bytes of the program's classes. A variant of which any part cannot be
/// woven is in [`WovenProgram::unsupported`] and must be run in another way.
pub fn weave_program<'o>(
    original: &dyn Fn(&str) -> Option<Cow<'o, [u8]>>,
    variants: &[Variant],
) -> Result<WovenProgram> {
    let mut program = Program {
        original,
        alternatives: BTreeMap::new(),
        out: WovenProgram::default(),
        joins: BTreeMap::new(),
    };
    for variant in variants {
        if let Err(reason) = program.variant(variant)? {
            program.out.unsupported.insert(variant.number, reason);
        }
    }
    program.finish()
}

struct Program<'o, 'f> {
    original: Originals<'o, 'f>,
    alternatives: BTreeMap<String, Vec<Alternative>>,
    out: WovenProgram,
    /// What classes must be told about those that variants add.
    joins: BTreeMap<String, Join>,
}

/// What a class must be told about added classes.
#[derive(Default)]
struct Join {
    /// New members of its nest.
    nest: BTreeSet<String>,
    /// New member classes: simple name and access flags.
    members: BTreeMap<String, (String, u16)>,
}

/// The class files of one variant.
#[derive(Default)]
struct Parts {
    /// Classes that the program has.
    changed: Vec<(String, Change)>,
    /// Classes that it does not have.
    added: BTreeMap<String, Arc<[u8]>>,
}

impl Program<'_, '_> {
    /// Notes what a variant changes; nothing if it cannot be woven.
    fn variant(&mut self, variant: &Variant) -> Result<Result<(), String>> {
        let mut copies: BTreeMap<String, String> = BTreeMap::new();
        let mut parts = Parts::default();
        for (name, change) in &variant.classes {
            match change {
                ClassChange::Remove => {
                    if let Err(reason) = self.may_remove(name) {
                        return Ok(Err(reason));
                    }
                }
                ClassChange::Change(change) => {
                    if let Change::Class(bytes) = change
                        && let Err(error) = ClassFile::parse(bytes)
                    {
                        return Ok(Err(format!("class {name}: {error}")));
                    }
                    if let Change::Copy { method, copy, .. } = change {
                        copies.insert(copy.clone(), method.name.clone());
                    }
                    match (change, (self.original)(name).is_some()) {
                        (Change::Class(bytes), false) => {
                            parts.added.insert(name.clone(), bytes.clone());
                        }
                        (_, false) => return Ok(Err(format!("there is no class {name}"))),
                        (_, true) => parts.changed.push((name.clone(), change.clone())),
                    }
                }
            }
        }
        let renames = self.conflicts(&parts, variant.number)?;
        match apply(parts, &renames, &copies)? {
            Some(parts) => self.accept(variant.number, parts),
            None => Ok(Err(
                "a string of the program is the name of a class it adds".to_owned(),
            )),
        }
    }

    fn may_remove(&self, name: &str) -> std::result::Result<(), String> {
        let Some(bytes) = (self.original)(name) else {
            return Ok(());
        };
        let hidden = ClassFile::parse(&bytes).is_ok_and(|class| is_hidden(&class));
        match hidden {
            true => Ok(()),
            false => Err(format!("removes class {name}")),
        }
    }

    /// New names for classes that clash: added ones with those of other variants, and local ones
    /// that have become something else.
    fn conflicts(&self, parts: &Parts, number: u32) -> Result<BTreeMap<String, String>> {
        let mut renames = BTreeMap::new();
        let fresh = |name: &str| format!("{name}{MARK}v{number}");
        for (name, bytes) in &parts.added {
            let known = self.out.added.get(name);
            if known.is_some_and(|known| known.bytes != *bytes) {
                renames.insert(name.clone(), fresh(name));
            }
        }
        for (name, change) in &parts.changed {
            let (Change::Class(bytes), Some(original)) = (change, (self.original)(name)) else {
                continue;
            };
            let (Ok(old), Ok(new)) = (ClassFile::parse(&original), ClassFile::parse(bytes)) else {
                continue;
            };
            if is_local(&new) && diff(&old, &new)?.is_err() {
                renames.insert(name.clone(), fresh(name));
            }
        }
        Ok(renames)
    }

    fn accept(&mut self, number: u32, parts: Parts) -> Result<Result<(), String>> {
        for (name, bytes) in &parts.added {
            match ClassFile::parse(bytes) {
                Ok(class) => self.join(name, &class)?,
                Err(error) => return Ok(Err(format!("class {name}: {error}"))),
            }
        }
        for (name, bytes) in parts.added {
            let added = self.out.added.entry(name).or_insert_with(|| Added {
                bytes,
                variants: Vec::new(),
            });
            added.variants.push(number);
        }
        for (name, change) in parts.changed {
            let alternatives = self.alternatives.entry(name).or_default();
            alternatives.push(Alternative {
                variant: number,
                change,
            });
        }
        Ok(Ok(()))
    }

    /// Notes whom an added class belongs to.
    fn join(&mut self, name: &str, class: &ClassFile<'_>) -> Result<()> {
        if let Some(Attribute::NestHost(host)) = class.attribute("NestHost")? {
            let join = self.joins.entry(host.to_string()).or_default();
            join.nest.insert(name.to_owned());
        }
        let Some(Attribute::InnerClasses(table)) = class.attribute("InnerClasses")? else {
            return Ok(());
        };
        let pool = class.pool();
        for entry in table.iter() {
            if entry.outer != 0 && entry.name != 0 && pool.class(entry.inner)? == name {
                let outer = pool.class(entry.outer)?.to_string();
                let member = (pool.utf8(entry.name)?.to_string(), entry.access.0);
                let join = self.joins.entry(outer).or_default();
                join.members.insert(name.to_owned(), member);
            }
        }
        Ok(())
    }

    fn finish(mut self) -> Result<WovenProgram> {
        for (name, alternatives) in std::mem::take(&mut self.alternatives) {
            let Some(original) = (self.original)(&name) else {
                continue;
            };
            let woven = weave(&original, &alternatives)?;
            for (variant, reason) in &woven.unsupported {
                let reason = format!("{name}: {reason}");
                self.out.unsupported.entry(*variant).or_insert(reason);
            }
            if woven.bytes.is_some() || !woven.unsupported.is_empty() {
                self.out.classes.insert(name, woven);
            }
        }
        self.join_all()?;
        Ok(self.out)
    }

    /// Tells classes about those that were added to them.
    fn join_all(&mut self) -> Result<()> {
        for (host, join) in std::mem::take(&mut self.joins) {
            if let Some(added) = self.out.added.get_mut(&host) {
                added.bytes = add_members(&added.bytes, &join)?.into();
                continue;
            }
            let Some(original) = (self.original)(&host) else {
                continue;
            };
            let woven = self.out.classes.entry(host.clone()).or_default();
            let bytes = woven.bytes.as_deref().unwrap_or(&original);
            woven.bytes = Some(add_members(bytes, &join)?);
            let nest = |member: String| Nest {
                host: host.clone(),
                member,
            };
            woven.nest.extend(join.nest.into_iter().map(nest));
        }
        Ok(())
    }
}

/// True for classes that only the code around them can name.
fn is_local(class: &ClassFile<'_>) -> bool {
    class.attributes().find_raw("EnclosingMethod").is_some()
}

fn is_hidden(class: &ClassFile<'_>) -> bool {
    is_local(class) || class.access().is_synthetic()
}

type NewNames = BTreeMap<String, String>;

/// The parts of a variant with classes renamed; `None` if that would change a string. Local
/// classes of a copy name the copy as the method they stand in: they get the method's name.
fn apply(parts: Parts, classes: &NewNames, copies: &NewNames) -> Result<Option<Parts>> {
    let both: NewNames = classes.iter().chain(copies).map(owned).collect();
    let mut out = Parts::default();
    let new_name = |name: String| classes.get(&name).cloned().unwrap_or(name);
    for (name, bytes) in parts.added {
        let Some(bytes) = renamed(bytes, &both)? else {
            return Ok(None);
        };
        out.added.insert(new_name(name), bytes);
    }
    for (name, mut change) in parts.changed {
        let (Change::Class(bytes) | Change::Copy { class: bytes, .. }) = &mut change;
        match renamed(bytes.clone(), classes)? {
            Some(new) => *bytes = new,
            None => return Ok(None),
        }
        match change {
            Change::Class(bytes) if classes.contains_key(&name) => {
                out.added.insert(new_name(name), bytes);
            }
            change => out.changed.push((name, change)),
        }
    }
    Ok(Some(out))
}

fn owned((old, new): (&String, &String)) -> (String, String) {
    (old.clone(), new.clone())
}

/// The class with names replaced; itself if there are none to replace.
fn renamed(bytes: Arc<[u8]>, names: &NewNames) -> Result<Option<Arc<[u8]>>> {
    match names.is_empty() {
        true => Ok(Some(bytes)),
        false => Ok(rename(&bytes, names)?.map(Arc::from)),
    }
}

/// The class with more members, and more in its nest.
fn add_members(bytes: &[u8], join: &Join) -> Result<Vec<u8>> {
    let class = ClassFile::parse(bytes)?;
    let mut editor = Editor::new(&class);
    let mut list: Vec<u16> = match class.attribute("NestMembers")? {
        Some(Attribute::NestMembers(table)) => table.iter().collect(),
        _ => Vec::new(),
    };
    for member in &join.nest {
        let index = editor.pool_mut().class(member.as_str())?;
        if !list.contains(&index) {
            list.push(index);
        }
    }
    if !list.is_empty() {
        let content = table_of(list.into_iter().map(|index| [index]));
        editor.set_attribute("NestMembers", Some(content))?;
    }
    let mut inner: Vec<[u16; 4]> = match class.attribute("InnerClasses")? {
        Some(Attribute::InnerClasses(table)) => table
            .iter()
            .map(|entry| [entry.inner, entry.outer, entry.name, entry.access.0])
            .collect(),
        _ => Vec::new(),
    };
    for (member, (name, access)) in &join.members {
        let pool = editor.pool_mut();
        let index = pool.class(member.as_str())?;
        if inner.iter().all(|entry| entry[0] != index) {
            let outer = pool.class(class.name())?;
            inner.push([index, outer, pool.utf8(name.as_str())?, *access]);
        }
    }
    if !join.members.is_empty() {
        editor.set_attribute("InnerClasses", Some(table_of(inner.into_iter())))?;
    }
    Ok(editor.finish()?)
}

/// The content of an attribute that is a counted table.
fn table_of<const N: usize>(rows: impl ExactSizeIterator<Item = [u16; N]>) -> Vec<u8> {
    let mut content = (rows.len() as u16).to_be_bytes().to_vec();
    rows.flatten()
        .for_each(|item| content.extend(item.to_be_bytes()));
    content
}
