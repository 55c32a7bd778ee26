//! Which variants could be noticed at all.
//!
//! Most patches that pass all tests do in most of these exactly what the original does: a guard whose condition never
//! holds, a check that never throws, another operator with the same value. [`scouting()`] gives classes that do what the
//! original does and, at every place where a variant parts from it, evaluate both versions *dry*: without changing
//! anything but what they make themselves. If they get to the same place with the same values in all local variables and
//! operands that are used later, they do the same from there on. A test in whose run that is so each time does on the
//! variant exactly what it does on the original.
//!
//! The message of a `NullPointerException` may describe the code that threw it, and neither these classes nor a variant
//! have the original's code there. The JVM that runs these classes must not make such messages
//! (`-XX:-ShowCodeDetailsInExceptionMessages`): then a test that depends on them does not end as before, and has no say.
//!
//! - `cut.rs`: which instructions differ, and that all ways to them begin at one place;
//! - `dry.rs`: that evaluating them changes nothing, with `program.rs` and `jdk.rs` for what they call;
//! - `plan.rs`: what goes in, what comes out, what is compared;
//! - `write.rs`: the method that does it, and its call.

mod cut;
mod dry;
mod jdk;
mod plan;
mod program;
mod write;

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use braid_classfile::{ClassFile, Code, Editor, ErrorKind, Frames, Importer, Insn};

use crate::error::{Result, WeaveError};
use crate::weave::canonical::Canonical;
use crate::weave::diff::diff;
use crate::weave::{Change, ClassChange, MethodKey};
use plan::{Original, Plan, Version, plan};
use program::{Id, Program};
use write::{Insns, Probes, Trial};

/// A variant that may be asked for. The number n has the probes 2n, whose hit says that a place was passed where the
/// variant parts from the original, and 2n + 1: it would have made a difference there.
#[derive(Clone, Copy, Debug)]
pub struct Question<'a> {
    /// Its number.
    pub number: u32,
    /// What the variant does to each class.
    pub classes: &'a [(String, ClassChange)],
}

/// Classes that do what the original does and look at what variants would do.
#[derive(Clone, Debug, Default)]
pub struct Scouting {
    /// By name; to be used in the place of the originals.
    pub classes: BTreeMap<String, Vec<u8>>,
    /// The numbers of the questions that are answered.
    pub asked: BTreeSet<u32>,
    /// The probe that is hit if looking may itself have changed something: then nothing counts that this run says of any
    /// question. There are no probes behind it.
    pub spoiled: u32,
}

/// The program's own classes.
type Originals<'o, 'f> = &'f dyn Fn(&str) -> Option<Cow<'o, [u8]>>;

/// The classes that look at what variants would do.
///
/// `original` gives the bytes of the program's classes, `class` those of any class, and `program` names all classes of
/// the program that are made of sources here, those of the tests among them: of calls that may mean a method of any other
/// class nothing is known. If one of them names a library that makes classes at run time, as for mocks, no call is taken
/// for what it seems. The array of hits needs `spoiled + 1` places. Questions that cannot be answered are not
/// in [`Scouting::asked`].
pub fn scouting<'o>(
    original: Originals<'o, '_>,
    class: &dyn Fn(&str) -> Option<Vec<u8>>,
    program: &BTreeSet<String>,
    questions: &[Question<'_>],
) -> Result<Scouting> {
    let last = questions.iter().map(|question| question.number).max();
    let mut out = Scouting {
        spoiled: 2 * last.map_or(0, |last| last + 1),
        ..Scouting::default()
    };
    let program = Program::new(class, program);
    let mut by_class: BTreeMap<&str, Vec<Changed>> = BTreeMap::new();
    for question in questions {
        let Some(all) = changes(original, question)? else {
            continue;
        };
        out.asked.insert(question.number);
        for (name, changed) in all {
            by_class.entry(name).or_default().push(changed);
        }
    }
    // what keeps one part of a variant from being tried is known only when all are looked at
    let mut asked: BTreeSet<u32> = by_class.values().flatten().map(|c| c.number).collect();
    asked.retain(|number| out.asked.contains(number));
    let mut found = BTreeMap::new();
    for (name, list) in by_class {
        let Some(bytes) = original(name) else {
            continue;
        };
        let planned = plans(&program, name, &bytes, &list)?;
        let failed = list.iter().zip(&planned).filter(|(_, plan)| plan.is_none());
        for (changed, _) in failed {
            asked.remove(&changed.number);
        }
        found.insert(name, (bytes, list, planned));
    }
    refuse_own_calls(&program, &found, &mut asked);
    for (name, (bytes, list, planned)) in found {
        let all = list.iter().zip(&planned);
        let parts: Vec<(&Changed, &Plan)> = all
            .filter(|(changed, _)| asked.contains(&changed.number))
            .filter_map(|(changed, plan)| Some((changed, plan.as_ref()?)))
            .collect();
        let written = write_class(&program, &bytes, &parts, out.spoiled)?;
        asked.retain(|number| !written.left.contains(number));
        if let Some(bytes) = written.bytes {
            out.classes.insert(name.to_owned(), bytes);
        }
    }
    out.asked = asked;
    Ok(out)
}

/// A method that a variant changes.
struct Changed {
    number: u32,
    method: MethodKey,
    /// The class file with the new version.
    source: Arc<[u8]>,
    /// The name of the new version there.
    copy: String,
}

/// The methods that a variant changes, with their classes; none if it changes anything else.
fn changes<'q>(
    original: Originals<'_, '_>,
    question: &Question<'q>,
) -> Result<Option<Vec<(&'q str, Changed)>>> {
    let mut all = Vec::new();
    for (name, change) in question.classes {
        let (ClassChange::Change(change), Some(bytes)) = (change, original(name)) else {
            return Ok(None);
        };
        let changed = |method: MethodKey, source: &Arc<[u8]>, copy: String| Changed {
            number: question.number,
            method,
            source: source.clone(),
            copy,
        };
        match change {
            Change::Copy {
                class,
                method,
                copy,
            } => all.push((name.as_str(), changed(method.clone(), class, copy.clone()))),
            Change::Class(source) => {
                let Some(methods) = bodies(&bytes, source)? else {
                    return Ok(None);
                };
                let same = methods.into_iter().map(|method| {
                    let copy = method.name.clone();
                    (name.as_str(), changed(method, source, copy))
                });
                all.extend(same);
            }
        }
    }
    let initialises = |(_, changed): &(&str, Changed)| changed.method.name == "<clinit>";
    Ok((!all.iter().any(initialises)).then_some(all))
}

/// The methods that have other code in a version of a class; none if anything else differs.
fn bodies(original: &[u8], patched: &[u8]) -> Result<Option<Vec<MethodKey>>> {
    let original = ClassFile::parse(original)?;
    let Ok(patched) = ClassFile::parse(patched) else {
        return Ok(None);
    };
    let Ok(diff) = diff(&original, &patched)? else {
        return Ok(None);
    };
    if !diff.fields.is_empty() || !diff.unfinal.is_empty() || diff.drops_initialiser {
        return Ok(None);
    }
    let mut methods = Vec::new();
    for position in diff.methods {
        let Some(new) = patched.method_at(position) else {
            return Ok(None);
        };
        let method = MethodKey {
            name: new.name().to_string(),
            descriptor: new.descriptor().to_string(),
        };
        match original.method(&method.name, &method.descriptor) {
            Some(old) if old.access() == new.access() => methods.push(method),
            _ => return Ok(None),
        }
    }
    Ok(Some(methods))
}

/// How each change of a class is tried, if it can be.
fn plans(
    program: &Program<'_>,
    name: &str,
    bytes: &[u8],
    list: &[Changed],
) -> Result<Vec<Option<Plan>>> {
    let class = ClassFile::parse(bytes)?;
    let sources = Sources::parse(list)?;
    let mut canonical = Canonical::new(&class)?;
    let mut others: Vec<Option<Canonical<'_>>> = Vec::new();
    for source in &sources.classes {
        others.push(source.as_ref().map(Canonical::new).transpose()?);
    }
    let mut originals: HashMap<&MethodKey, Option<Original<'_>>> = HashMap::new();
    let mut all = Vec::new();
    for (changed, source) in list.iter().zip(&sources.of) {
        let key = &changed.method;
        if !originals.contains_key(key) {
            let method = class.method(&key.name, &key.descriptor);
            // frames say what goes in
            let method = method.filter(|_| class.major_version() >= 50);
            let version = match method {
                Some(method) => Version::read(&class, &mut canonical, method)?,
                None => None,
            };
            let original = version.map(|version| Original {
                version,
                class: name.to_owned(),
                is_static: method.is_some_and(|method| method.access().is_static()),
            });
            originals.insert(key, original);
        }
        let old = originals.get(key).and_then(Option::as_ref);
        let (Some(source), Some(old)) = (&sources.classes[*source], old) else {
            all.push(None);
            continue;
        };
        let Some(canonical) = &mut others[sources.of[all.len()]] else {
            all.push(None);
            continue;
        };
        let new = source.method(&changed.copy, &key.descriptor);
        let new = new.filter(|new| new.access().is_static() == old.is_static);
        let version = match new {
            Some(method) => Version::read(source, canonical, method)?,
            None => None,
        };
        all.push(version.and_then(|new| plan(program, old, &new)));
    }
    Ok(all)
}

/// The class files of new versions, each read once.
struct Sources<'s> {
    classes: Vec<Option<ClassFile<'s>>>,
    of: Vec<usize>,
}

impl<'s> Sources<'s> {
    fn parse<'c: 's>(list: impl IntoIterator<Item = &'c Changed>) -> Result<Self> {
        let mut known: HashMap<*const u8, usize> = HashMap::new();
        let mut sources = Sources {
            classes: Vec::new(),
            of: Vec::new(),
        };
        for changed in list {
            let at = *known.entry(changed.source.as_ptr()).or_insert_with(|| {
                sources.classes.push(ClassFile::parse(&changed.source).ok());
                sources.classes.len() - 1
            });
            sources.of.push(at);
        }
        Ok(sources)
    }
}

/// What was found out of each class.
type Found<'f, 'o> = BTreeMap<&'f str, (Cow<'o, [u8]>, Vec<Changed>, Vec<Option<Plan>>)>;

/// Takes out the variants that would call what they change themselves: what is called dry is the original.
fn refuse_own_calls(program: &Program<'_>, found: &Found<'_, '_>, asked: &mut BTreeSet<u32>) {
    let mut changes: BTreeMap<u32, BTreeSet<Id>> = BTreeMap::new();
    let mut calls: BTreeMap<u32, BTreeSet<Id>> = BTreeMap::new();
    for (name, (_, list, planned)) in found {
        for (changed, plan) in list.iter().zip(planned) {
            let id = Id {
                class: (*name).to_owned(),
                name: changed.method.name.clone(),
                descriptor: changed.method.descriptor.clone(),
            };
            changes.entry(changed.number).or_default().insert(id);
            if let Some(plan) = plan {
                let all = calls.entry(changed.number).or_default();
                all.extend(plan.calls.iter().cloned());
            }
        }
    }
    asked.retain(|number| {
        let calls = calls.remove(number).unwrap_or_default();
        let all = program.closure(&calls);
        let changes = &changes[number];
        all.is_some_and(|all| all.is_disjoint(changes))
    });
}

/// A class with calls of what tries variants.
struct Written {
    bytes: Option<Vec<u8>>,
    /// The questions that are not asked for lack of room.
    left: BTreeSet<u32>,
}

fn write_class(
    program: &Program<'_>,
    original: &[u8],
    parts: &[(&Changed, &Plan)],
    spoiled: u32,
) -> Result<Written> {
    if parts.is_empty() {
        return Ok(Written {
            bytes: None,
            left: BTreeSet::new(),
        });
    }
    match write_all(program, original, parts, spoiled) {
        Err(WeaveError::Class(error)) if matches!(error.kind, ErrorKind::Limit { .. }) => {
            let (first, rest) = parts.split_at(parts.len() / 2);
            let mut written = write_class(program, original, first, spoiled)?;
            written
                .left
                .extend(rest.iter().map(|(changed, _)| changed.number));
            Ok(written)
        }
        other => other,
    }
}

fn write_all(
    program: &Program<'_>,
    original: &[u8],
    parts: &[(&Changed, &Plan)],
    spoiled: u32,
) -> Result<Written> {
    let class = ClassFile::parse(original)?;
    let mut editor = Editor::new(&class);
    let sources = Sources::parse(parts.iter().map(|(changed, _)| *changed))?;
    let mut importers = Vec::new();
    for source in &sources.classes {
        importers.push(source.as_ref().map(Importer::new).transpose()?);
    }
    let mut by_method: BTreeMap<&MethodKey, Vec<usize>> = BTreeMap::new();
    for (number, (changed, _)) in parts.iter().enumerate() {
        by_method.entry(&changed.method).or_default().push(number);
    }
    let mut left = BTreeSet::new();
    for (key, numbers) in by_method {
        let position = class.methods().position(|m| {
            m.name() == key.name.as_str() && m.descriptor() == key.descriptor.as_str()
        });
        let mut code = Code::default();
        let Some(position) = position else {
            continue;
        };
        if !editor.read_code(position, &mut code)? {
            continue;
        }
        let old = Insns::of(&code);
        let mut trials: Vec<(&Plan, Trial)> = Vec::new();
        for number in numbers.iter().copied() {
            let (changed, plan) = parts[number];
            let source = sources.of[number];
            let trial = match (&sources.classes[source], &mut importers[source]) {
                (Some(source), Some(importer)) => {
                    let mut new = Code::default();
                    match read_new(&mut editor, source, importer, changed, plan, &mut new)? {
                        true => {
                            let probes = Probes {
                                question: changed.number,
                                spoiled,
                            };
                            let new = Insns::of(&new);
                            let versions = [&old, &new];
                            let free = code.max_locals;
                            write::add(&mut editor, program, plan, versions, probes, free)?
                        }
                        false => None,
                    }
                }
                _ => None,
            };
            match trial {
                Some(trial) => trials.push((plan, trial)),
                None => {
                    left.insert(changed.number);
                }
            }
        }
        insert(&mut code, &trials);
        match editor.write_code(position, &mut code, Frames::Maxs) {
            Err(error) if matches!(error.kind, ErrorKind::CodeSize { .. }) => {
                for (_, trial) in &trials {
                    editor.remove_method(trial.position)?;
                }
                left.extend(numbers.iter().map(|number| parts[*number].0.number));
            }
            other => other?,
        }
    }
    Ok(Written {
        bytes: Some(editor.finish()?),
        left,
    })
}

/// Reads a new version, of which only what runs dry is taken over; false if it is not there.
fn read_new(
    editor: &mut Editor<'_>,
    source: &ClassFile<'_>,
    importer: &mut Importer<'_>,
    changed: &Changed,
    plan: &Plan,
    new: &mut Code,
) -> Result<bool> {
    let descriptor = changed.method.descriptor.as_str();
    let position = source
        .methods()
        .position(|m| m.name() == changed.copy.as_str() && m.descriptor() == descriptor);
    let Some(position) = position else {
        return Ok(false);
    };
    if !Editor::new(source).read_code(position, new)? {
        return Ok(false);
    }
    let mut at = 0;
    for insn in &mut new.insns {
        if !insn.is_real() {
            continue;
        }
        let runs = at >= plan.new.range.start
            && plan.new.runs.get(at - plan.new.range.start) == Some(&true);
        if !runs {
            *insn = Insn::Plain(braid_classfile::Op::Nop);
        }
        at += 1;
    }
    new.tries.clear();
    new.locals.clear();
    new.local_types.clear();
    importer.code(editor, new)?;
    Ok(true)
}

/// Puts the calls of trials into a method.
fn insert(code: &mut Code, trials: &[(&Plan, Trial)]) {
    let mut at: BTreeMap<usize, Vec<Insn>> = BTreeMap::new();
    let most = trials.iter().map(|(_, trial)| trial.temporaries).max();
    code.max_locals = code.max_locals.saturating_add(most.unwrap_or(0));
    let mut places = Vec::new();
    for (position, insn) in code.insns.iter().enumerate() {
        if insn.is_real() {
            places.push(position);
        }
    }
    for (plan, trial) in trials {
        let Some(mut position) = places.get(plan.cut.from).copied() else {
            continue;
        };
        if plan.cut.falls {
            while position > 0 && !code.insns[position - 1].is_real() {
                position -= 1;
            }
        }
        at.entry(position).or_default().extend(&trial.call);
    }
    for (position, insns) in at.into_iter().rev() {
        code.insert(position, insns);
    }
}
