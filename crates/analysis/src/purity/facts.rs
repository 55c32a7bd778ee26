//! The facts as callers see them, apart from the world they were found in: by method name, with reasons.

use std::path::Path;

use braid_classfile::OwnedClass;
use rayon::prelude::*;

use super::summary::{Cause, Summary};
use super::value::OLD;
use super::{cache, solve};
use crate::{MethodId, World};

const NONE: u32 = u32::MAX;

/// Why a method has an effect: another method, or a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Reason {
    /// The number of the method that has the effect in turn.
    pub next: u32,
    /// Where the text of a first cause begins and ends.
    pub text: (u32, u32),
}

impl Reason {
    const ABSENT: Reason = Reason {
        next: NONE,
        text: (0, 0),
    };
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Record {
    pub flags: u32,
    pub mutated: u32,
    pub reason: Reason,
    pub first_use: Reason,
}

pub(super) const GLOBAL: u32 = 1;
pub(super) const FIRST_USE: u32 = 2;
pub(super) const LOCKS: u32 = 4;

/// The purity of all methods of a program, by name.
#[derive(Debug, PartialEq, Eq)]
pub struct Purity {
    /// All names, sorted, one behind the other.
    pub(super) names: String,
    /// Where each name ends.
    pub(super) ends: Vec<u32>,
    pub(super) records: Vec<Record>,
    pub(super) texts: String,
}

/// What is known of one method.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Fact {
    record: Record,
}

impl Fact {
    /// Whether it writes nothing old, not even by starting a class initialiser that does.
    pub fn is_pure(self) -> bool {
        self.is_pure_once_initialised() && self.record.flags & FIRST_USE == 0
    }

    /// Whether it writes nothing old when the classes it uses are initialised.
    pub fn is_pure_once_initialised(self) -> bool {
        !self.is_global() && self.record.mutated == 0
    }

    /// Whether it may have effects on more than what its parameters lead to: static fields, the outside world, unknown code.
    pub fn is_global(self) -> bool {
        self.record.flags & GLOBAL != 0
    }

    /// The parameters that it may write, or from which it may reach what it writes; the receiver is 0. Not meaningful if
    /// it [`Fact::is_global`].
    pub fn mutated(self) -> Vec<usize> {
        (0..31)
            .filter(|i| self.record.mutated >> i & 1 == 1)
            .collect()
    }

    /// Whether it may enter a monitor.
    pub fn locks(self) -> bool {
        self.record.flags & LOCKS != 0
    }
}

impl Purity {
    /// The facts about a world.
    pub fn new(world: &World) -> Purity {
        Builder::new(world, solve::solve(world)).build()
    }

    /// The facts about these classes: from the cache file if it holds those of exactly these bytes, else found and
    /// written there. A cache that cannot be read or written is as good as none; classes that cannot be parsed are
    /// left out.
    pub fn of_classes(classes: Vec<Vec<u8>>, cache_file: Option<&Path>) -> Purity {
        let key = cache_file.map(|_| cache::key(&classes));
        if let Some(known) = cache_file
            .zip(key)
            .and_then(|(file, key)| cache::read(file, key))
        {
            return known;
        }
        let files: Vec<Option<OwnedClass>> = classes
            .into_par_iter()
            .map(|bytes| OwnedClass::parse(bytes).ok())
            .collect();
        let purity = Purity::new(&World::new(files.into_iter().flatten()));
        if let Some((file, key)) = cache_file.zip(key) {
            // Without it the next run is slow, not wrong.
            let _ = cache::write(file, key, &purity);
        }
        purity
    }

    /// How many methods are known.
    pub fn len(&self) -> usize {
        self.records.len()
    }

    /// Whether none is.
    pub fn is_empty(&self) -> bool {
        self.records.is_empty()
    }

    /// All methods with their facts, by name.
    pub fn iter(&self) -> impl Iterator<Item = (&str, Fact)> {
        let fact = |i: usize| Fact {
            record: self.records[i],
        };
        (0..self.len()).map(move |i| (self.name(i), fact(i)))
    }

    /// The fact about the method `a/b/C.name(descriptor)`.
    pub fn get(&self, method: &str) -> Option<Fact> {
        let record = self.records[self.find(method)?];
        Some(Fact { record })
    }

    /// The way from a method to the first cause of its effect: methods that call each other, then what the last one does. Empty
    /// for pure methods.
    pub fn why(&self, method: &str) -> Vec<&str> {
        let effect = |r: &Record| r.flags & GLOBAL != 0 || r.mutated != 0;
        let Some(start) = self.find(method) else {
            return Vec::new();
        };
        let first_use = !effect(&self.records[start]);
        let mut chain = Vec::new();
        let mut at = start;
        // No longer than there are methods, should a file hold a cycle.
        for _ in 0..self.len() {
            let record = &self.records[at];
            let reason = if first_use && !effect(record) {
                record.first_use
            } else {
                record.reason
            };
            if reason.next == NONE {
                let text = self
                    .texts
                    .get(reason.text.0 as usize..reason.text.1 as usize);
                chain.extend(text.filter(|text| !text.is_empty()));
                break;
            }
            at = reason.next as usize;
            chain.push(self.name(at));
        }
        chain
    }

    pub(super) fn name(&self, index: usize) -> &str {
        let start = match index {
            0 => 0,
            _ => self.ends[index - 1],
        };
        &self.names[start as usize..self.ends[index] as usize]
    }

    fn find(&self, method: &str) -> Option<usize> {
        let mut range = 0..self.len();
        while !range.is_empty() {
            let middle = range.start + range.len() / 2;
            match self.name(middle).cmp(method) {
                std::cmp::Ordering::Equal => return Some(middle),
                std::cmp::Ordering::Less => range.start = middle + 1,
                std::cmp::Ordering::Greater => range.end = middle,
            }
        }
        None
    }
}

/// From summaries by method id to records by name.
struct Builder<'w> {
    world: &'w World,
    summaries: Vec<Summary>,
    /// The place of each method among the sorted names.
    places: Vec<u32>,
    texts: String,
}

impl<'w> Builder<'w> {
    fn new(world: &'w World, summaries: Vec<Summary>) -> Self {
        Builder {
            world,
            summaries,
            places: Vec::new(),
            texts: String::new(),
        }
    }

    fn build(mut self) -> Purity {
        let methods = 0..self.world.method_count() as u32;
        let mut sorted: Vec<(String, u32)> = methods
            .into_par_iter()
            .map(|m| (self.world.method_name(MethodId(m)), m))
            .collect();
        sorted.par_sort_unstable();
        self.places = vec![0; sorted.len()];
        for (place, (_, method)) in sorted.iter().enumerate() {
            self.places[*method as usize] = place as u32;
        }
        let mut names = String::new();
        let mut ends = Vec::with_capacity(sorted.len());
        let mut records = Vec::with_capacity(sorted.len());
        for (name, method) in &sorted {
            names.push_str(name);
            ends.push(names.len() as u32);
            records.push(self.record(*method));
        }
        Purity {
            names,
            ends,
            records,
            texts: self.texts,
        }
    }

    fn record(&mut self, method: u32) -> Record {
        let summary = self.summaries[method as usize];
        let flag = |set: bool, flag: u32| if set { flag } else { 0 };
        let effect = summary.global.or(summary.mutation);
        Record {
            flags: flag(summary.global.is_some(), GLOBAL)
                | flag(summary.first_use.is_some(), FIRST_USE)
                | flag(summary.locks, LOCKS),
            mutated: summary.mutated.bits() & !OLD,
            reason: self.reason(method, effect, |s| s.global.or(s.mutation)),
            first_use: self.reason(method, summary.first_use, |s| s.first_use),
        }
    }

    fn reason(
        &mut self,
        method: u32,
        cause: Option<Cause>,
        of: impl Fn(&Summary) -> Option<Cause>,
    ) -> Reason {
        let mut cause = cause;
        // Through virtual calls, to a method.
        while let Some(Cause::Call(node)) = cause.filter(|c| self.is_virtual(c)) {
            cause = of(&self.summaries[node as usize]);
        }
        let text = match cause {
            None => return Reason::ABSENT,
            Some(Cause::Call(next) | Cause::Initialiser(next)) => {
                let next = self.places[next as usize];
                return Reason { next, text: (0, 0) };
            }
            Some(cause) => self.text(method, cause),
        };
        let start = self.texts.len() as u32;
        self.texts.push_str(&text);
        let text = (start, self.texts.len() as u32);
        Reason { next: NONE, text }
    }

    fn is_virtual(&self, cause: &Cause) -> bool {
        matches!(cause, Cause::Call(node) if *node as usize >= self.places.len())
    }

    fn text(&self, method: u32, cause: Cause) -> String {
        match cause {
            Cause::Static(index) => {
                let file = self.world.file(self.world.declarer(MethodId(method)));
                match file.pool().member(index) {
                    Ok(field) => format!("writes the static field {}.{}", field.owner, field.name),
                    Err(_) => "writes a static field".into(),
                }
            }
            Cause::Write(pc) => format!("writes an object that it did not make, at offset {pc}"),
            Cause::Native => "is native and not in the table".into(),
            Cause::Unknown(pc) => format!("calls what cannot be followed, at offset {pc}"),
            Cause::Nothing => "may call a method that has no implementation here".into(),
            Cause::Unreadable => "has code that cannot be followed".into(),
            Cause::Table => "has this effect according to the table".into(),
            Cause::Call(_) | Cause::Initialiser(_) => String::new(),
        }
    }
}
