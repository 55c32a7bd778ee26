//! Patches that are compiled while the baseline is recorded.

use std::collections::{BTreeMap, HashMap};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use braid_compile::{Batched, Changes, Warm, Way};
use braid_project::Module;
use braid_store::Key;

use crate::early::{self, Early};
use crate::jvms::Common;
use crate::strategy::Case;
use crate::strategy::build::{main_unit, pristine};
use crate::strategy::warm::compiling::{Kind, sort};
use crate::workspace::Workspace;

/// So many patches are compiled together: enough for it to pay, few enough to end soon once the baseline is there.
const TOGETHER: usize = 100;

/// What was done before anybody asked.
#[derive(Default)]
pub(crate) struct Ahead {
    /// The compiler; none if it could not be started, which whoever needs it finds out again.
    pub(super) javac: Option<Warm>,
    /// A compiler on its way that nobody has waited for yet.
    pub(super) early: Option<Early>,
    /// What came of patches, by the key of their cases.
    pub(super) compiled: HashMap<Key, Share>,
}

/// A patch that was compiled with others.
pub(crate) struct Share {
    pub(super) batched: Batched,
    /// Its share of the compiler's time.
    pub(super) compile_ms: u64,
}

/// Patches of a module, each with its files.
type Portion<'c> = Vec<(&'c Case, Changes)>;

impl Ahead {
    /// Nothing but a compiler on its way, for whoever needs one.
    pub(crate) fn idle(early: Option<Early>) -> Self {
        Self {
            early,
            ..Self::default()
        }
    }

    /// Has the compiler on its way, or one that is started now, compile patches until it is `enough`. What goes wrong is left for
    /// later.
    pub(crate) fn compile(
        common: Common<'_>,
        workspace: &Workspace,
        early: Option<Early>,
        cases: &[Case],
        enough: &AtomicBool,
    ) -> Self {
        let mut ahead = Self::default();
        let Ok(mut javac) = early::javac(early, common) else {
            return ahead;
        };
        for (module, portion) in portions(common, workspace, cases) {
            if enough.load(Ordering::Relaxed) || common.stop.is_requested() {
                break;
            }
            let unit = main_unit(workspace, module, &|path| workspace.map(path));
            if !ahead.add(&mut javac, &unit, portion) {
                return ahead;
            }
        }
        ahead.javac = Some(javac);
        ahead
    }

    /// Compiles patches together; false if the compiler is not to be used any more.
    fn add(
        &mut self,
        javac: &mut Warm,
        unit: &braid_compile::Module,
        portion: Portion<'_>,
    ) -> bool {
        let (cases, changes): (Vec<&Case>, Vec<Changes>) = portion.into_iter().unzip();
        let start = Instant::now();
        let Ok(batched) = javac.compile_patches(unit, &changes, Way::Inside) else {
            return false;
        };
        let compile_ms = start.elapsed().as_millis() as u64 / cases.len().max(1) as u64;
        for (case, batched) in cases.into_iter().zip(batched) {
            let share = Share {
                batched,
                compile_ms,
            };
            self.compiled.insert(case.key, share);
        }
        true
    }
}

/// Patches of sources of one module each, those of a file side by side, in portions.
fn portions<'c>(
    common: Common<'c>,
    workspace: &Workspace,
    cases: &'c [Case],
) -> Vec<(&'c Module, Portion<'c>)> {
    let mut by_file: BTreeMap<_, Portion<'c>> = BTreeMap::new();
    let mut modules = HashMap::new();
    for case in cases {
        let Ok(Kind::Sources(module, change)) = sort(&common.project.modules, case) else {
            continue;
        };
        let Ok(changes) = pristine(workspace, case, &change.main) else {
            continue;
        };
        modules.insert(module.name.as_str(), module);
        let file = change.main.written.first();
        let portion = by_file.entry((module.name.as_str(), file)).or_default();
        portion.push((case, changes));
    }
    let mut portions: Vec<(&Module, Portion<'c>)> = Vec::new();
    for ((name, _), patches) in by_file {
        let module = modules[name];
        match portions.last_mut() {
            Some((last, portion)) if last.name == name && portion.len() < TOGETHER => {
                portion.extend(patches);
            }
            _ => portions.push((module, patches)),
        }
    }
    portions
}
