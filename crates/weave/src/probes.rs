//! Numbers of coverage probes: one for each method and, if asked for, for each basic block behind its entry and for the
//! values of methods that nobody in their class looks at; dense over the program.

use std::collections::BTreeMap;

use braid_classfile::{ClassFile, Code, Editor};

use crate::error::Result;
use crate::instrument::{block_starts, dropped_values};
use crate::names::is_ours;
use crate::weave::{MethodKey, Region};

/// The probes of a class: the method at position `i < count` of the class file has probe
/// `first + i`. Methods behind those were added by weaving and have none.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub struct ProbeBase {
    /// The number of the first probe.
    pub first: u32,
    /// How many there are.
    pub count: u32,
    /// The number of the first probe of a block: blocks are numbered method by method. None if only methods have
    /// probes. Only for the original class, whose blocks are known.
    pub blocks: Option<u32>,
    /// The number of the first probe that says whether somebody has looked at a method's value; none as for blocks.
    pub values: Option<u32>,
}

/// The probes of a program. Numbers depend only on the classes and the order in which they were
/// added, so every JVM that runs the program has the same ones.
///
/// Add the *original* classes: weaving appends methods, and those have no probes.
#[derive(Clone, Debug, Default)]
pub struct ProbeMap {
    classes: BTreeMap<String, Entry>,
    /// Class of each range of probes, by its end.
    ends: BTreeMap<u32, String>,
    count: u32,
    with_blocks: bool,
}

#[derive(Clone, Debug)]
struct Entry {
    base: ProbeBase,
    methods: Vec<(String, String)>,
    /// Where the blocks of each method start, see [`ProbeMap::block`].
    blocks: Vec<Vec<u32>>,
    /// The methods whose values have probes, by position, see [`ProbeMap::value`].
    values: Vec<usize>,
}

impl ProbeMap {
    /// A map without classes.
    pub fn new() -> ProbeMap {
        ProbeMap::default()
    }

    /// A map without classes that will have probes for blocks too.
    pub fn with_blocks() -> ProbeMap {
        ProbeMap {
            with_blocks: true,
            ..ProbeMap::default()
        }
    }

    /// Adds a class; a class of that name which was added before keeps its probes.
    pub fn add(&mut self, bytes: &[u8]) -> Result<ProbeBase> {
        let class = ClassFile::parse(bytes)?;
        let name = class.name().to_string();
        if let Some(entry) = self.classes.get(&name) {
            return Ok(entry.base);
        }
        let methods: Vec<_> = class
            .methods()
            .filter(|method| !is_ours(method.name().as_bytes()))
            .map(|method| (method.name().to_string(), method.descriptor().to_string()))
            .collect();
        let blocks = match self.with_blocks {
            true => blocks(&class, methods.len())?,
            false => Vec::new(),
        };
        let values = match self.with_blocks {
            true => dropped_values(&class)?,
            false => Vec::new(),
        };
        let count = methods.len() as u32;
        let first_block = self.count + count;
        let first_value =
            first_block + blocks.iter().map(|starts| starts.len() as u32).sum::<u32>();
        let base = ProbeBase {
            first: self.count,
            count,
            blocks: self.with_blocks.then_some(first_block),
            values: self.with_blocks.then_some(first_value),
        };
        self.count = first_value + values.len() as u32;
        if !methods.is_empty() {
            self.ends.insert(self.count, name.clone());
        }
        let entry = Entry {
            base,
            methods,
            blocks,
            values,
        };
        self.classes.insert(name, entry);
        Ok(base)
    }

    /// Number of probes, which is the length that `Braid.hits` needs.
    pub fn len(&self) -> u32 {
        self.count
    }

    /// True if there is no probe.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// The first probe of a class.
    pub fn base(&self, class: &str) -> Option<ProbeBase> {
        self.classes.get(class).map(|entry| entry.base)
    }

    /// All classes with their first probes.
    pub fn bases(&self) -> impl Iterator<Item = (&str, ProbeBase)> {
        self.classes
            .iter()
            .map(|(name, entry)| (name.as_str(), entry.base))
    }

    /// The probe of a method.
    pub fn probe(&self, class: &str, method: &str, descriptor: &str) -> Option<u32> {
        let entry = self.classes.get(class)?;
        let position = entry
            .methods
            .iter()
            .position(|(name, desc)| name == method && desc == descriptor)?;
        Some(entry.base.first + position as u32)
    }

    /// The probe of the block of a method that the instruction stands in which has `insn` others before it: the
    /// method's own for the first block, and where blocks have no probes.
    pub fn block(&self, class: &str, method: &str, descriptor: &str, insn: u32) -> Option<u32> {
        let own = self.probe(class, method, descriptor)?;
        let entry = self.classes.get(class)?;
        let (Some(first), position) = (entry.base.blocks, own - entry.base.first) else {
            return Some(own);
        };
        let (before, rest) = entry.blocks.split_at_checked(position as usize)?;
        let inside = rest.first()?.partition_point(|start| *start <= insn);
        let before: usize = before.iter().map(Vec::len).sum();
        Some(match inside {
            0 => own,
            n => first + (before + n - 1) as u32,
        })
    }

    /// The probe that a run hits in which somebody looks at a value that this method returns; none if that cannot be
    /// told.
    pub fn value(&self, class: &str, method: &str, descriptor: &str) -> Option<u32> {
        let own = self.probe(class, method, descriptor)?;
        let entry = self.classes.get(class)?;
        let position = (own - entry.base.first) as usize;
        let place = entry.values.iter().position(|one| *one == position)?;
        Some(entry.base.values? + place as u32)
    }

    /// The probes of which a run hits one that does something else with this part of a method changed.
    pub fn region(&self, class: &str, method: &MethodKey, region: Region) -> Vec<u32> {
        let (name, descriptor) = (method.name.as_str(), method.descriptor.as_str());
        let block = |insn: u32| self.block(class, name, descriptor, insn);
        let mut probes: Vec<u32> = match region {
            Region::Whole => self.probe(class, name, descriptor).into_iter().collect(),
            // what is put in is reached from the instruction before it
            Region::Part { from, to } if from == to => {
                block(from.saturating_sub(1)).into_iter().collect()
            }
            Region::Part { from, to } => (from..to).filter_map(block).collect(),
        };
        probes.dedup();
        probes
    }

    /// The probes of all methods of a class.
    pub fn of_class(&self, class: &str) -> std::ops::Range<u32> {
        let entry = self.classes.get(class);
        entry.map_or(0..0, |entry| {
            entry.base.first..entry.base.first + entry.methods.len() as u32
        })
    }

    /// Class, method and descriptor of a probe.
    pub fn method(&self, probe: u32) -> Option<(&str, &str, &str)> {
        let (_, class) = self.ends.range(probe + 1..).next()?;
        let entry = self.classes.get(class)?;
        let (method, descriptor) = entry
            .methods
            .get(probe.checked_sub(entry.base.first)? as usize)?;
        Some((class, method, descriptor))
    }
}

/// Where the blocks of the first `count` methods of a class start.
fn blocks(class: &ClassFile<'_>, count: usize) -> Result<Vec<Vec<u32>>> {
    let mut editor = Editor::new(class);
    let mut code = Code::default();
    let mut blocks = Vec::new();
    for method in 0..count {
        blocks.push(match editor.read_code(method, &mut code)? {
            true => block_starts(&code),
            false => Vec::new(),
        });
    }
    Ok(blocks)
}
