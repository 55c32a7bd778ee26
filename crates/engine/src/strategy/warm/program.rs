//! The classes of a program as warm JVMs see them.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use braid_classpath::ClassPath;
use braid_exec::{PreparedClass, write_classes};
use braid_project::{Module, Project};
use braid_weave::{Passes, ProbeBase, ProbeMap, State, World, WovenProgram, instrument};

use crate::EngineError;
use crate::jvms::is_framework;
use crate::workspace::Workspace;

/// What the tests of one module run.
pub(crate) struct Program {
    /// The classes that patches can change: those of the project's modules, as they are on this class path.
    pub originals: BTreeMap<String, Arc<[u8]>>,
    /// The methods of these classes, and their blocks, by number.
    pub probes: ProbeMap,
    /// The classes whose constructors run for the first test that needs them and not for the others.
    built_once: HashSet<String>,
    /// All classes of the class path that have state.
    world: World,
}

impl Program {
    /// Reads the classes on the class path of a module's tests.
    pub(crate) fn read(
        project: &Project,
        workspace: &Workspace,
        module: &Module,
    ) -> Result<Self, EngineError> {
        let outputs: Vec<&PathBuf> = project.modules.iter().map(|m| &m.classes).collect();
        let mut originals = BTreeMap::new();
        let mut probes = ProbeMap::with_blocks();
        let mut world = World::new();
        let mut seen = HashSet::new();
        for entry in &module.test_classpath {
            let place = workspace.map(entry);
            if !place.exists() {
                continue;
            }
            let mut path = ClassPath::new();
            path.add(&place)?;
            let is_ours = outputs.contains(&entry);
            let mut found = path.map(|name, bytes| (name.to_owned(), bytes))?;
            found.sort();
            for (name, bytes) in found {
                if !seen.insert(name.clone()) || is_framework(&name) {
                    continue;
                }
                // what cannot be parsed is left as it is, by the agent too
                if world.add(&bytes).is_ok() && is_ours && probes.add(&bytes).is_ok() {
                    originals.insert(name, bytes.into());
                }
            }
        }
        Ok(Self {
            originals,
            probes,
            built_once: world.built_once(),
            world,
        })
    }

    /// The classes that patches can change whose state cannot be put back, with the reasons.
    pub(crate) fn not_resettable(&self) -> Vec<(String, &'static str)> {
        let all = self.world.not_resettable().into_iter();
        all.filter(|(class, _)| self.originals.contains_key(class))
            .collect()
    }

    /// Whether a method makes constants: it runs for the first test that needs them and not for the others.
    pub(crate) fn builds_once(&self, class: &str, method: &str) -> bool {
        matches!(method, "<init>" | "$values") && self.built_once.contains(class)
    }

    /// What a reset does with a class; none if it has no part in this program.
    pub(crate) fn state(&self, class: &str) -> Option<State> {
        self.world.state(class)
    }

    /// Writes what a JVM needs that records which methods are reached, and unless it is `light` also which of their blocks, and
    /// with how much fuel.
    pub(crate) fn write_recording(&self, dir: &Path, light: bool) -> Result<Prepared, EngineError> {
        let covered = |name: &str| {
            let base = self.probes.base(name);
            let methods = |base| ProbeBase {
                blocks: None,
                values: None,
                ..base
            };
            if light { base.map(methods) } else { base }
        };
        let classes = self
            .originals
            .iter()
            .map(|(name, bytes)| (name, bytes, bytes));
        self.write(dir, &self.world, classes, covered, !light)
    }

    /// A class that is to take the place of a loaded one, with what warm JVMs need in it.
    pub(crate) fn instrumented(&self, bytes: &[u8]) -> Result<Vec<u8>, EngineError> {
        instrumented(bytes, &self.world, None, true)
    }

    /// Writes what a JVM needs that runs the program as it is.
    pub(crate) fn write_plain(&self, dir: &Path) -> Result<Prepared, EngineError> {
        self.write(dir, &self.world, std::iter::empty(), |_| None, true)
    }

    /// Writes what a JVM needs that runs the variants of a woven program.
    pub(crate) fn write_woven(
        &self,
        dir: &Path,
        woven: &WovenProgram,
    ) -> Result<Prepared, EngineError> {
        let mut world = self.world.clone();
        let mut classes = Vec::new();
        for (name, class) in &woven.classes {
            let (Some(bytes), Some(original)) = (&class.bytes, self.originals.get(name)) else {
                continue;
            };
            let bytes: Arc<[u8]> = bytes.as_slice().into();
            world.add(&bytes)?;
            classes.push((name, original, bytes));
        }
        let added = dir.join("added");
        fs::create_dir_all(&added).map_err(EngineError::io("create", &added))?;
        for (name, class) in &woven.added {
            world.add(&class.bytes)?;
            let file = added.join(format!("{name}.class"));
            let parent = file.parent().unwrap_or(&added);
            fs::create_dir_all(parent).map_err(EngineError::io("create", parent))?;
            fs::write(&file, &class.bytes).map_err(EngineError::io("write", &file))?;
        }
        let classes = classes
            .iter()
            .map(|(name, original, bytes)| (*name, *original, bytes));
        let mut prepared = self.write(dir, &world, classes, |_| None, true)?;
        prepared.added = Some(added);
        let stays = |name: &String| world.state(name) != Some(State::Resettable);
        prepared.initialised_once = woven.classes.keys().filter(|n| stays(n)).cloned().collect();
        Ok(prepared)
    }

    fn write<'c>(
        &self,
        dir: &Path,
        world: &World,
        classes: impl Iterator<Item = (&'c String, &'c Arc<[u8]>, &'c Arc<[u8]>)>,
        covered: impl Fn(&str) -> Option<ProbeBase>,
        fuel: bool,
    ) -> Result<Prepared, EngineError> {
        fs::create_dir_all(dir).map_err(EngineError::io("create", dir))?;
        let mut prepared = Vec::new();
        for (name, original, bytes) in classes {
            let woven = instrumented(bytes, world, covered(name), fuel)?;
            prepared.push((name, original, woven));
        }
        let pack = dir.join("classes");
        let entries = prepared
            .iter()
            .map(|(name, original, woven)| PreparedClass {
                name,
                original,
                woven,
            });
        write_classes(&pack, entries)?;
        let file = dir.join("world");
        fs::write(&file, world.encode()).map_err(EngineError::io("write", &file))?;
        Ok(Prepared {
            classes: pack,
            world: file,
            added: None,
            probes: self.probes.len(),
            brief: false,
            options: Vec::new(),
            initialised_once: BTreeSet::new(),
        })
    }
}

/// A class with resettable state and, where asked for, fuel and probes.
pub(crate) fn instrumented(
    bytes: &[u8],
    world: &World,
    coverage: Option<ProbeBase>,
    fuel: bool,
) -> Result<Vec<u8>, EngineError> {
    let passes = Passes {
        fuel,
        reset: Some(world),
        coverage,
    };
    let done = instrument(bytes, &passes)?;
    Ok(done.bytes.unwrap_or_else(|| bytes.to_vec()))
}

/// Files that a warm JVM reads its program from.
#[derive(Clone, Debug)]
pub(crate) struct Prepared {
    /// The prepared classes.
    pub classes: PathBuf,
    /// What instrumenting must know of all classes.
    pub world: PathBuf,
    /// A folder of classes that the original program does not have.
    pub added: Option<PathBuf>,
    /// How many probes there are.
    pub probes: u32,
    /// Woven classes that are not initialised anew for each test.
    pub initialised_once: BTreeSet<String>,
    /// Whether JVMs that run this do not live long enough for the slower compiler to be worth its time.
    pub brief: bool,
    /// Further options of these JVMs.
    pub options: Vec<String>,
}
