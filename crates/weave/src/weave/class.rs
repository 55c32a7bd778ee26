//! Weaves the alternatives of one class.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use braid_classfile::{AccessFlags, ClassFile, Editor, ErrorKind, Op};

use crate::error::{Result, WeaveError};
use crate::weave::canonical::Canonical;
use crate::weave::diff::diff;
use crate::weave::import::Import;
use crate::weave::model::{Alternative, Change, MethodKey, Region, SiteMap, Woven};
use crate::weave::region::Steps;
use crate::weave::write::{Body, Changed, Output};

/// Weaves the alternatives of one class.
///
/// Alternatives that cannot be woven are reported in [`Woven::unsupported`]; the error is for an
/// original that is no class file.
pub fn weave(original: &[u8], alternatives: &[Alternative]) -> Result<Woven> {
    let class = ClassFile::parse(original)?;
    let mut kept: Vec<&Alternative> = alternatives.iter().collect();
    let mut dropped: Vec<(u32, String)> = Vec::new();
    loop {
        match weave_all(&class, &kept) {
            Ok(mut woven) => {
                woven.unsupported.append(&mut dropped);
                woven.unsupported.sort();
                return Ok(woven);
            }
            Err(error) if kept.is_empty() => return Err(error),
            Err(error) if is_full(&error) && kept.len() > 1 => {
                let reason = format!("no room in the woven class: {error}");
                let rest = kept.split_off(kept.len() / 2);
                dropped.extend(rest.iter().map(|a| (a.variant, reason.clone())));
            }
            Err(_) => {
                let before = kept.len();
                kept.retain(|alternative| match weave_all(&class, &[alternative]) {
                    Ok(_) => true,
                    Err(error) => {
                        dropped.push((alternative.variant, error.to_string()));
                        false
                    }
                });
                if kept.len() == before {
                    // Each fits alone, but not all together.
                    let rest = kept.split_off(kept.len() / 2);
                    let reason = "no room in the woven class".to_owned();
                    dropped.extend(rest.iter().map(|a| (a.variant, reason.clone())));
                }
            }
        }
    }
}

fn is_full(error: &WeaveError) -> bool {
    matches!(error, WeaveError::Class(error) if matches!(error.kind, ErrorKind::Limit { .. }))
}

/// A field that a variant adds.
#[derive(Clone, Copy)]
struct NewField {
    source: usize,
    position: usize,
    access: AccessFlags,
}

/// Methods by name and descriptor.
type Positions<'a> = HashMap<(&'a [u8], &'a [u8]), usize>;

struct Weaver<'a> {
    class: &'a ClassFile<'a>,
    sources: &'a [ClassFile<'a>],
    canonical: Vec<Canonical<'a>>,
    original: Canonical<'a>,
    methods: Positions<'a>,
    source_methods: Vec<Positions<'a>>,
    sites: BTreeMap<MethodKey, Changed>,
    /// New fields by name and descriptor.
    fields: BTreeMap<(Vec<u8>, Vec<u8>), NewField>,
    unfinal: Vec<usize>,
    woven: Woven,
}

/// The class files of the alternatives, each once.
struct Sources {
    bytes: Vec<Arc<[u8]>>,
    /// For each alternative its source, or what is wrong with it.
    of: Vec<usize>,
}

fn sources(alternatives: &[&Alternative]) -> Sources {
    let mut known: HashMap<(*const u8, usize), usize> = HashMap::new();
    let mut list = Sources {
        bytes: Vec::new(),
        of: Vec::new(),
    };
    for alternative in alternatives {
        let (Change::Copy { class, .. } | Change::Class(class)) = &alternative.change;
        let number = *known
            .entry((class.as_ptr(), class.len()))
            .or_insert_with(|| {
                list.bytes.push(class.clone());
                list.bytes.len() - 1
            });
        list.of.push(number);
    }
    list
}

fn by_key<'a>(class: &'a ClassFile<'a>) -> Positions<'a> {
    class
        .methods()
        .enumerate()
        .map(|(position, m)| ((m.name().as_bytes(), m.descriptor().as_bytes()), position))
        .collect()
}

fn weave_all(class: &ClassFile<'_>, alternatives: &[&Alternative]) -> Result<Woven> {
    let list = sources(alternatives);
    let classes: Vec<ClassFile<'_>> = list
        .bytes
        .iter()
        .map(|bytes| ClassFile::parse(bytes))
        .collect::<Result<_, _>>()?;
    let mut weaver = Weaver {
        class,
        sources: &classes,
        canonical: classes.iter().map(Canonical::new).collect::<Result<_>>()?,
        original: Canonical::new(class)?,
        methods: by_key(class),
        source_methods: classes.iter().map(by_key).collect(),
        sites: BTreeMap::new(),
        fields: BTreeMap::new(),
        unfinal: Vec::new(),
        woven: Woven::default(),
    };
    for (alternative, source) in alternatives.iter().zip(&list.of) {
        if let Err(reason) = weaver.add(alternative, *source)? {
            weaver.woven.unsupported.push((alternative.variant, reason));
        }
    }
    weaver.finish()
}

impl<'a> Weaver<'a> {
    /// Notes what an alternative changes.
    fn add(&mut self, alternative: &Alternative, source: usize) -> Result<Result<(), String>> {
        let variant = alternative.variant;
        if i32::try_from(variant).is_err() || variant == 0 {
            return Ok(Err("variant numbers start at 1".to_owned()));
        }
        match &alternative.change {
            Change::Copy { method, copy, .. } => {
                let key = (copy.as_bytes(), method.descriptor.as_bytes());
                let Some(&position) = self.source_methods[source].get(&key) else {
                    return Ok(Err(format!("the copy {copy} is not in its class file")));
                };
                self.body(variant, method, source, Some(position), true)
            }
            Change::Class(_) => self.diff(variant, source),
        }
    }

    fn diff(&mut self, variant: u32, source: usize) -> Result<Result<(), String>> {
        let patched = &self.sources[source];
        let changes = match diff(self.class, patched)? {
            Ok(changes) => changes,
            Err(reason) => return Ok(Err(reason)),
        };
        for position in changes.fields {
            let Some(field) = patched.fields().nth(position) else {
                continue;
            };
            let key = (
                field.name().as_bytes().to_vec(),
                field.descriptor().as_bytes().to_vec(),
            );
            let access = field.access();
            let new = NewField {
                source,
                position,
                access,
            };
            if self.fields.entry(key).or_insert(new).access != access {
                return Ok(Err(format!("adds field {} in another way", field.name())));
            }
        }
        self.unfinal.extend(changes.unfinal);
        for position in changes.methods {
            let Some(method) = patched.method_at(position) else {
                continue;
            };
            let key = MethodKey {
                name: method.name().to_string(),
                descriptor: method.descriptor().to_string(),
            };
            if let Err(reason) = self.body(variant, &key, source, Some(position), false)? {
                return Ok(Err(reason));
            }
        }
        if changes.drops_initialiser {
            let key = MethodKey {
                name: "<clinit>".to_owned(),
                descriptor: "()V".to_owned(),
            };
            return self.body(variant, &key, source, None, false);
        }
        Ok(Ok(()))
    }

    /// Notes that a variant has a body of its own for a method.
    fn body(
        &mut self,
        variant: u32,
        key: &MethodKey,
        source: usize,
        position: Option<usize>,
        copy: bool,
    ) -> Result<Result<(), String>> {
        let patched = &self.sources[source];
        let method = position.and_then(|position| patched.method_at(position));
        let code = match method {
            Some(method) => self.canonical[source].method(method)?,
            None => vec![Op::Return as u8],
        };
        let interface = self.class.access().is_interface();
        if let Err(reason) = weavable(key, &code, interface, self.class.major_version()) {
            return Ok(Err(reason));
        }
        if !self.sites.contains_key(key) {
            let changed = self.changed(key, method.map(|m| m.access()))?;
            match changed {
                Some(changed) => self.sites.insert(key.clone(), changed),
                None => return Ok(Err(format!("there is no method {}", key.name))),
            };
        }
        let Some(changed) = self.sites.get_mut(key) else {
            return Ok(Err(format!("there is no method {}", key.name)));
        };
        // A copy has other modifiers than its method, which keeps its monitor.
        let synchronized = match method {
            Some(method) if !copy => method.access().is_synchronized(),
            _ => changed.access.is_synchronized(),
        };
        if let Some(method) = method
            && changed.position.is_none()
            && method.access() != changed.access
        {
            return Ok(Err(format!("adds method {} in another way", key.name)));
        }
        if changed.original.as_ref() == Some(&(synchronized, code.clone())) {
            return Ok(Ok(()));
        }
        let next = changed.bodies.len() as u32;
        let number = *changed.known.entry((synchronized, code)).or_insert(next);
        if number == next {
            changed.bodies.push(Body {
                source,
                position,
                synchronized,
            });
        }
        changed.variants.push((variant, number));
        if key.name == "<clinit>" {
            self.woven.needs_reset.push(variant);
        }
        Ok(Ok(()))
    }

    /// A site without bodies; `None` if there is no such method.
    fn changed(&mut self, key: &MethodKey, added: Option<AccessFlags>) -> Result<Option<Changed>> {
        let found = self
            .methods
            .get(&(key.name.as_bytes(), key.descriptor.as_bytes()))
            .copied();
        let (access, original) = match found.and_then(|position| self.class.method_at(position)) {
            Some(method) => {
                let code = self.original.method(method)?;
                (
                    method.access(),
                    Some((method.access().is_synchronized(), code)),
                )
            }
            None => match added {
                Some(access) => (access, None),
                None => return Ok(None),
            },
        };
        Ok(Some(Changed {
            position: found,
            access,
            variants: Vec::new(),
            bodies: Vec::new(),
            known: HashMap::new(),
            original,
        }))
    }

    /// Writes the class.
    fn finish(mut self) -> Result<Woven> {
        let mut editor = Editor::new(self.class);
        let mut imports: Vec<Import<'_>> = self
            .sources
            .iter()
            .map(Import::new)
            .collect::<Result<_>>()?;
        let mut out = Output::default();
        let failed: Vec<u32> = self.woven.unsupported.iter().map(|(v, _)| *v).collect();
        let mut changed_anything = false;
        for (key, mut changed) in std::mem::take(&mut self.sites) {
            changed
                .variants
                .retain(|(variant, _)| !failed.contains(variant));
            if changed.variants.is_empty() {
                continue;
            }
            changed.variants.sort_unstable();
            changed.variants.dedup_by_key(|(variant, _)| *variant);
            changed_anything = true;
            out.site(&mut editor, &mut imports, &key, &changed)?;
            let regions = self.regions(&changed)?;
            self.woven.sites.push(SiteMap {
                method: key,
                alternatives: changed.variants,
                regions,
            });
        }
        self.woven
            .needs_reset
            .retain(|variant| !failed.contains(variant));
        out.lambda_bodies(&mut editor, &mut imports)?;
        changed_anything |= self.edit_fields(&mut editor, &mut imports, &mut out)?;
        if changed_anything {
            self.woven.bytes = Some(editor.finish()?);
        }
        Ok(self.woven)
    }

    /// What each body of a method changes.
    fn regions(&mut self, changed: &Changed) -> Result<Vec<Region>> {
        let own = changed.position.and_then(|at| self.class.method_at(at));
        let original = match own {
            Some(method) => Steps::read(self.class, &mut self.original, method)?,
            None => None,
        };
        let mut regions = Vec::with_capacity(changed.bodies.len());
        for body in &changed.bodies {
            let source = &self.sources[body.source];
            let method = body.position.and_then(|at| source.method_at(at));
            let same_lock = body.synchronized == changed.access.is_synchronized();
            regions.push(match (&original, method.filter(|_| same_lock)) {
                (Some(original), Some(method)) => {
                    let canonical = &mut self.canonical[body.source];
                    let steps = Steps::read(source, canonical, method)?;
                    steps.map_or(Region::Whole, |steps| original.region(&steps))
                }
                _ => Region::Whole,
            });
        }
        Ok(regions)
    }

    fn edit_fields(
        &self,
        editor: &mut Editor<'_>,
        imports: &mut [Import<'_>],
        out: &mut Output,
    ) -> Result<bool> {
        let initialiser = !self.woven.needs_reset.is_empty();
        for (position, field) in self.class.fields().enumerate() {
            // A companion of the initialiser sets them.
            let set =
                initialiser && field.access().is_static() && !crate::world::is_constant(field);
            if field.access().is_final() && (set || self.unfinal.contains(&position)) {
                let access = field.access().without(AccessFlags::FINAL);
                editor.set_field_access(position, access)?;
            }
        }
        for ((name, descriptor), new) in &self.fields {
            let constant = constant_index(&self.sources[new.source], new.position)?;
            let mut access = new.access.with(AccessFlags::SYNTHETIC);
            if constant.is_none() {
                access = access.without(AccessFlags::FINAL);
            }
            let (name, descriptor) = (name.as_slice(), descriptor.as_slice());
            let field = editor.add_field(
                access,
                braid_classfile::JStr::new(name),
                braid_classfile::JStr::new(descriptor),
            )?;
            if let Some(index) = constant {
                let index = imports[new.source].constant(editor, &mut out.lambdas, index)?;
                let content = Some(index.to_be_bytes().to_vec());
                editor.set_field_attribute(field, "ConstantValue", content)?;
            }
        }
        Ok(!self.fields.is_empty())
    }
}

fn constant_index(class: &ClassFile<'_>, field: usize) -> Result<Option<u16>> {
    let Some(field) = class.fields().nth(field) else {
        return Ok(None);
    };
    Ok(match field.attribute("ConstantValue")? {
        Some(braid_classfile::Attribute::ConstantValue(index)) => Some(index),
        _ => None,
    })
}

/// Why a body cannot be a companion, if so.
fn weavable(key: &MethodKey, code: &[u8], interface: bool, major: u16) -> Result<(), String> {
    let slots = braid_classfile::MethodDescriptor::parse((&*key.descriptor).into())
        .map_or(0, |descriptor| descriptor.parameter_slots());
    if key.name == "<init>" && slots > 240 {
        return Err("changes a constructor with too many parameters".to_owned());
    }
    if key.name == "<clinit>" && interface {
        return Err("changes the initialiser of an interface".to_owned());
    }
    if interface && major < 52 {
        return Err("changes an interface of a class file version before Java 8".to_owned());
    }
    if code.is_empty() {
        return Err(format!("method {} has no code", key.name));
    }
    let serialised = b"altMetafactory";
    if code
        .windows(serialised.len())
        .any(|part| part == serialised)
    {
        return Err("has lambdas that are serialisable or implement several interfaces".to_owned());
    }
    Ok(())
}
