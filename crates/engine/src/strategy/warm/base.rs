//! What all slots of a warm strategy share: the compiler, the programs, what their tests do unpatched.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use braid_compile::{CompileError, Javac, Request, Response, Warm};
use braid_protocol::UnitId;
use braid_store::{Cache, Key};
use braid_weave::Region;

use crate::EngineError;
use crate::baseline::Baseline;
use crate::early::{self, Early};
use crate::expect::Expectations;
use crate::strategy::Context;
use crate::strategy::warm::ahead::{Ahead, Share};
use crate::strategy::warm::facts::UnitFacts;
use crate::strategy::warm::pile::Pile;
use crate::strategy::warm::program::Program;
use crate::strategy::warm::sightings::{Sightings, units_of};
use crate::strategy::warm::woven::Piece;
use crate::strategy::warm::{Facts, facts};

/// What the slots of a warm strategy share.
pub(crate) struct Shared<'a> {
    pub(crate) context: &'a Context<'a>,
    /// What is expected of patches that name no tests.
    pub(crate) expect: Expectations,
    javac: Mutex<Option<Warm>>,
    /// A compiler on its way, until somebody needs one.
    early: Mutex<Option<Early>>,
    /// Patches that were compiled before anybody asked, by the key of their cases.
    ahead: Mutex<HashMap<Key, Share>>,
    base: Mutex<Option<Arc<Base>>>,
    cache: &'a Cache,
    /// The key of the baseline.
    key: Key,
    /// Whether it is enough to know in detail what units do that patches reach.
    coarse: bool,
}

/// The unpatched program in warm JVMs.
pub(crate) struct Base {
    /// What the tests of each module run, by its name.
    pub(crate) programs: BTreeMap<String, Program>,
    /// What they do.
    pub(crate) facts: Facts,
}

impl<'a> Shared<'a> {
    /// `key` is that of the baseline, `base` what was recorded together with it, `ahead` what was compiled meanwhile.
    pub(crate) fn new(
        context: &'a Context<'a>,
        (cache, key): (&'a Cache, &Key),
        base: Option<Base>,
        ahead: Ahead,
    ) -> Self {
        Self {
            context,
            expect: context.expectations(),
            javac: Mutex::new(ahead.javac),
            early: Mutex::new(ahead.early),
            ahead: Mutex::new(ahead.compiled),
            base: Mutex::new(base.map(Arc::new)),
            cache,
            key: *key,
            coarse: false,
        }
    }

    /// With what is known in detail only of units that patches reach.
    pub(crate) fn coarse(self, coarse: bool) -> Self {
        Self { coarse, ..self }
    }

    /// Works with the warm compiler, which is started if there is none. One at a time.
    pub(crate) fn with_javac<T>(
        &self,
        work: impl FnOnce(&mut Warm) -> Result<T, CompileError>,
    ) -> Result<T, CompileError> {
        let mut guard = lock(&self.javac);
        let javac = match &mut *guard {
            Some(javac) => javac,
            none => {
                let early = lock(&self.early).take();
                none.insert(early::javac(early, self.context.common())?)
            }
        };
        work(javac)
    }

    /// What came of a patch that was compiled before anybody asked. It is given away once.
    pub(super) fn take_ahead(&self, key: &Key) -> Option<Share> {
        lock(&self.ahead).remove(key)
    }

    /// The unpatched program: known to the store, or recorded now by the first who asks.
    pub(crate) fn base(&self) -> Result<Arc<Base>, EngineError> {
        let mut guard = lock(&self.base);
        if let Some(base) = &*guard {
            return Ok(Arc::clone(base));
        }
        let base = Arc::new(match facts::stored(self.cache, &self.key, self.coarse) {
            Some(facts) => Base {
                programs: self.programs()?,
                facts,
            },
            _ => {
                let base = self.record()?;
                base.store(self.cache, &self.key);
                base
            }
        });
        *guard = Some(Arc::clone(&base));
        Ok(base)
    }

    fn programs(&self) -> Result<BTreeMap<String, Program>, EngineError> {
        let context = self.context;
        let with_units = context.baseline.modules.iter();
        let with_units = with_units.filter(|module| !module.units.is_empty());
        with_units
            .filter_map(|module| context.project.module(&module.name))
            .map(|module| {
                let program = Program::read(context.project, context.workspace, module)?;
                Ok((module.name.clone(), program))
            })
            .collect()
    }

    fn record(&self) -> Result<Base, EngineError> {
        let context = self.context;
        let modules = context.baseline.modules.iter().map(units_of);
        let sightings = Sightings::watch(
            context.common(),
            context.workspace,
            modules,
            &Pile::default(),
            false,
        )?;
        Ok(Base::new(context.baseline, sightings))
    }
}

impl Base {
    /// What was seen of the tests, by what they do in fresh JVMs.
    pub(crate) fn new(baseline: &Baseline, sightings: Sightings<'_>) -> Self {
        let facts = Facts::new(baseline, &sightings);
        Self {
            programs: sightings.into_programs(),
            facts,
        }
    }

    /// Keeps the facts for the next run; without a store that records again. `key` is that of the baseline.
    pub(crate) fn store(&self, cache: &Cache, key: &Key) {
        self.facts.store(cache, key);
    }

    /// The original of a class that patches may change.
    pub(crate) fn original(&self, class: &str) -> Option<&Arc<[u8]>> {
        self.programs
            .values()
            .find_map(|program| program.originals.get(class))
    }

    /// Whether this code makes constants: it runs for the first unit that needs them and not for the others.
    pub(crate) fn builds_once(&self, code: &[Piece]) -> bool {
        let once = |program: &Program| {
            let mut pieces = code.iter();
            pieces.any(|piece| program.builds_once(&piece.class, &piece.method.name))
        };
        self.programs.values().any(once)
    }

    /// The units that reach what this code changes of the original; all units where that is not known. It is not for what
    /// constants are made of: that is built once, for the first unit that uses it.
    pub(crate) fn reaching(&self, code: &[Piece]) -> impl Fn(&str, &UnitId) -> bool {
        let builds = self.builds_once(code);
        let probes = |coarse: bool| -> HashMap<&str, Vec<u32>> {
            let probes = self.programs.iter().map(|(name, program)| {
                let probes = code.iter().flat_map(|piece| {
                    let Piece { class, method, .. } = piece;
                    let region = if coarse { Region::Whole } else { piece.region };
                    program.probes.region(class, method, region)
                });
                (name.as_str(), probes.collect())
            });
            probes.collect()
        };
        let (fine, coarse) = (probes(false), probes(true));
        move |module, unit| match self.facts.of(unit) {
            Some(UnitFacts {
                hits: Some(hits),
                coarse: is_coarse,
                ..
            }) if !builds => {
                let probes = if *is_coarse { &coarse } else { &fine }.get(module);
                probes.is_some_and(|probes| probes.iter().any(|probe| hits.contains(*probe)))
            }
            _ => true,
        }
    }
}

/// The shared compiler as anybody's.
pub(crate) struct SharedJavac<'s, 'a>(pub(crate) &'s Shared<'a>);

impl Javac for SharedJavac<'_, '_> {
    fn compile(&mut self, request: &Request) -> Result<Response, CompileError> {
        self.0.with_javac(|javac| javac.compile(request))
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
