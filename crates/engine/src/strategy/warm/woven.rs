//! The woven strategy: all patches are compiled together and woven into one program, in which a number says which
//! of them is active. Warm JVMs run it.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};
use std::path::PathBuf;

use braid_variants::FileState;
use braid_weave::{
    Change, ClassChange, MethodKey, Region, Variant, WovenProgram, plain, weave_program,
};

use crate::strategy::warm::base::{Base, Shared};
use crate::strategy::warm::compiling::{Compiled, Kind, compile, sort};
use crate::strategy::warm::scout::{self, Asked, Long};
use crate::strategy::warm::slot::{Good, Tried, Waiting, WarmSlot};
use crate::strategy::{Case, Deferred, Findings, Judge, Judgement, Strategy};
use crate::{EngineError, StrategyKind, Technique, text};

/// So many patches are woven together at most: all their classes are in memory at once.
const MOST: usize = 2_000;

/// With fewer patches than this the quick compiler is done with them before the slower one has warmed up.
const LASTING: usize = 1_500;

/// The woven strategy.
pub(crate) struct Woven<'a> {
    shared: Shared<'a>,
    batch: usize,
}

impl<'a> Woven<'a> {
    /// `total` says how many patches there are.
    pub(crate) fn new(shared: Shared<'a>, total: u64) -> Self {
        let context = shared.context;
        let jobs = context.settings.jobs.max(1) as u64;
        let share = usize::try_from(total.div_ceil(jobs)).unwrap_or(MOST);
        Self {
            shared,
            batch: share.clamp(1, MOST),
        }
    }
}

impl Strategy for Woven<'_> {
    fn kind(&self) -> StrategyKind {
        StrategyKind::Woven
    }

    fn batch(&self) -> usize {
        self.batch
    }

    fn open(&self, slot: usize) -> Result<Box<dyn Judge + '_>, EngineError> {
        let warm = WarmSlot::open(&self.shared, StrategyKind::Woven, slot)?;
        Ok(Box::new(WovenSlot {
            warm,
            slot,
            round: 0,
        }))
    }
}

struct WovenSlot<'a> {
    warm: WarmSlot<'a>,
    slot: usize,
    round: usize,
}

/// A variant of the woven program.
struct Strand<'c> {
    case: &'c Case,
    number: u32,
    compile_ms: u64,
    code: Code,
    /// What it changes, as it was compiled.
    classes: Vec<(String, ClassChange)>,
}

/// The code that a variant has of its own. Variants with the same are the same.
pub(crate) type Code = Vec<Piece>;

/// The code of one method.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Piece {
    pub(crate) class: String,
    pub(crate) method: MethodKey,
    /// What of the method differs.
    pub(crate) region: Region,
    number: u32,
}

/// A patch that nothing speaks against in a warm JVM.
struct Promising<'s, 'c> {
    strand: &'s Strand<'c>,
    good: Good,
}

/// Patches that came out as the same code as another one, by that one's place in the input.
type Twins<'c> = HashMap<u64, Vec<&'c Case>>;

/// What is found of a patch holds for its twins.
struct WithTwins<'c, 'f> {
    twins: Twins<'c>,
    findings: &'f mut dyn Findings,
}

impl Findings for WithTwins<'_, '_> {
    fn judged(&mut self, case: &Case, judgement: Judgement) {
        for twin in self.twins.get(&case.patch.seq).into_iter().flatten() {
            self.findings.judged(twin, judgement.for_twin_of(case));
        }
        self.findings.judged(case, judgement);
    }

    fn deferred(&mut self, mut deferred: Deferred) {
        let twins = self.twins.get(&deferred.case.patch.seq).into_iter();
        deferred.twins = twins.flatten().map(|twin| Case::clone(twin)).collect();
        self.findings.deferred(deferred);
    }
}

impl Judge for WovenSlot<'_> {
    fn judge(&mut self, cases: &[Case], findings: &mut dyn Findings) -> Result<(), EngineError> {
        let shared = self.warm.shared;
        if self.slot % 2 == 1 {
            // while another slot compiles
            shared.base()?;
        }
        let compiled = compile(shared, StrategyKind::Woven, cases, findings)?;
        let base = shared.base()?;
        let mut waiting = Waiting::default();
        let strands = self.weave(&base, compiled, findings)?;
        let (strands, twins) = if shared.context.settings.uses(Technique::Sharing) {
            without_twins(strands)
        } else {
            (strands, Twins::new())
        };
        let mut findings = WithTwins { twins, findings };
        let others = strands.len().saturating_sub(1);
        let how = format!("woven into one program with {others} others");
        let mut left: Vec<&Strand<'_>> = strands.iter().collect();
        let long = Long::of(shared.context, &base);
        let mut later = self.run((&base, &long), &left, &mut waiting, &how, &mut findings)?;
        if let Some(again) = waiting.take_again() {
            left.retain(|strand| again.contains(&strand.case.patch.seq));
            later.extend(self.run((&base, &long), &left, &mut waiting, &how, &mut findings)?);
        }
        self.confirm((&base, &long), later, &how, &mut findings)
    }

    fn decide(&mut self, deferred: &Deferred) -> Result<Judgement, EngineError> {
        self.warm.decide(deferred)
    }
}

impl WovenSlot<'_> {
    /// Weaves what was compiled and has the warm JVMs run it from now on.
    fn weave<'c>(
        &mut self,
        base: &Base,
        mut compiled: Vec<Compiled<'c>>,
        findings: &mut dyn Findings,
    ) -> Result<Vec<Strand<'c>>, EngineError> {
        if compiled.is_empty() {
            return Ok(Vec::new());
        }
        // neighbours in the program get neighbouring numbers
        compiled.sort_by(|a, b| place(a).cmp(&place(b)));
        let variants: Vec<Variant> = (1u32..)
            .zip(&compiled)
            .map(|(number, one)| Variant {
                number,
                classes: one.classes.clone(),
            })
            .collect();
        let original = |name: &str| base.original(name).map(|bytes| Cow::Borrowed(&**bytes));
        let woven = weave_program(&original, &variants)?;
        drop(variants);
        self.round += 1;
        let context = self.warm.shared.context;
        let name = format!("woven-{}-{}", self.slot, self.round);
        let dir = context.temp_root.join(name);
        for (module, program) in &base.programs {
            let mut prepared = program.write_woven(&dir.join(module), &woven)?;
            prepared.brief = compiled.len() < LASTING;
            self.warm.pool.prepare(module, prepared);
        }
        let mut codes = codes(&woven);
        let mut strands = Vec::new();
        for (number, one) in (1u32..).zip(compiled) {
            match refusal(&woven, number) {
                Some(why) => findings.deferred(Deferred::new(one.case, why)),
                None => strands.push(Strand {
                    case: one.case,
                    number,
                    compile_ms: one.compile_ms,
                    code: codes.remove(&number).unwrap_or_default(),
                    classes: one.classes,
                }),
            }
        }
        Ok(strands)
    }

    /// Tries patches and confirms the good ones; gives those of them that long tests reach, to be confirmed later.
    fn run<'s, 'c>(
        &mut self,
        (base, long): (&Base, &Long<'_>),
        strands: &[&'s Strand<'c>],
        waiting: &mut Waiting<'c>,
        how: &str,
        findings: &mut dyn Findings,
    ) -> Result<Vec<Promising<'s, 'c>>, EngineError> {
        let mut later = Vec::new();
        for strand in strands {
            let case = strand.case;
            let reaches = base.reaching(&strand.code);
            let mut tried = self.warm.try_variant(base, case, strand.number, &reaches)?;
            match tried {
                Tried::Bad(ref mut judgement, _) => judgement.compile_ms = strand.compile_ms,
                Tried::Good(mut good) => {
                    good.seen.compile_ms = strand.compile_ms;
                    if self.can_ask(base, strand) && long.has_any(&good.units) {
                        waiting.pass(&mut self.warm, base, findings)?;
                        later.push(Promising { strand, good });
                        continue;
                    }
                    good.classes = self.plain_classes(base, strand)?;
                    tried = Tried::Good(good);
                }
                Tried::Settled(_) | Tried::Doubt(_) => {}
            }
            waiting.take(&mut self.warm, base, (case, tried), how, findings)?;
        }
        waiting.settle(&mut self.warm, base, findings)?;
        Ok(later)
    }

    /// Whether it can be asked which tests could notice a patch: it makes no constants, and names no tests of its own.
    fn can_ask(&self, base: &Base, strand: &Strand<'_>) -> bool {
        strand.case.failing.is_empty() && !base.builds_once(&strand.code)
    }

    /// Confirms patches that nothing speaks against, without long tests that cannot notice them.
    fn confirm(
        &mut self,
        (base, long): (&Base, &Long<'_>),
        promising: Vec<Promising<'_, '_>>,
        how: &str,
        findings: &mut dyn Findings,
    ) -> Result<(), EngineError> {
        let asked: Vec<Asked<'_>> = promising
            .iter()
            .map(|Promising { strand, good }| Asked {
                classes: &strand.classes,
                units: &good.units,
            })
            .collect();
        let context = self.warm.shared.context;
        let dir = context
            .temp_root
            .join(format!("scout-{}-{}", self.slot, self.round));
        let mut blind = scout::look(context, base, &mut self.warm.pool, long, &asked, &dir)?;
        for (place, Promising { strand, mut good }) in promising.into_iter().enumerate() {
            if let Some(blind) = blind.remove(&place) {
                good.units.retain(|unit| !blind.contains(unit));
                let tests = text::count(blind.len() as u64, "test method");
                let note = format!("{tests} that cannot notice what it changes: not run again");
                good.seen.notes.push(note);
            }
            good.classes = self.plain_classes(base, strand)?;
            findings.judged(strand.case, self.warm.confirm(strand.case, good, how)?);
        }
        Ok(())
    }

    /// The class files of a variant, by their paths in the user's tree; none where they are not known without
    /// compiling.
    fn plain_classes(
        &self,
        base: &Base,
        strand: &Strand<'_>,
    ) -> Result<Option<Vec<(PathBuf, FileState)>>, EngineError> {
        let modules = &self.warm.shared.context.project.modules;
        let Ok(Kind::Sources(module, _)) = sort(modules, strand.case) else {
            return Ok(None);
        };
        let file = |name: &str| module.classes.join(format!("{name}.class"));
        let mut changes: BTreeMap<&str, Vec<&Change>> = BTreeMap::new();
        let mut files = Vec::new();
        for (name, change) in &strand.classes {
            match change {
                ClassChange::Change(change) => changes.entry(name).or_default().push(change),
                ClassChange::Remove => files.push((file(name), FileState::Delete)),
            }
        }
        let copied = |change: &&Change| matches!(change, Change::Copy { .. });
        let whole = |change: &&Change| matches!(change, Change::Class(_));
        if changes.values().flatten().any(copied) && changes.values().flatten().any(whole) {
            // local classes of a copy name the copy, not its method
            return Ok(None);
        }
        for (name, changes) in changes {
            let original = base.original(name).map_or(&[][..], |bytes| bytes);
            let Some(bytes) = plain(original, &changes)? else {
                return Ok(None);
            };
            files.push((file(name), FileState::Write(bytes)));
        }
        Ok(Some(files))
    }
}

/// Parts the variants from those that have the very code of another one.
fn without_twins(strands: Vec<Strand<'_>>) -> (Vec<Strand<'_>>, Twins<'_>) {
    let mut first: HashMap<(Code, Vec<String>), u64> = HashMap::new();
    let mut twins = Twins::new();
    let mut own = Vec::new();
    for strand in strands {
        let key = (strand.code.clone(), strand.case.failing.clone());
        match first.get(&key) {
            Some(seq) => twins.entry(*seq).or_default().push(strand.case),
            None => {
                first.insert(key, strand.case.patch.seq);
                own.push(strand);
            }
        }
    }
    (own, twins)
}

/// Where a patch changes the program first.
fn place<'c>(compiled: &'c Compiled<'_>) -> Option<(&'c str, Option<&'c MethodKey>)> {
    let (class, change) = compiled.classes.first()?;
    let method = match change {
        ClassChange::Change(Change::Copy { method, .. }) => Some(method),
        _ => None,
    };
    Some((class, method))
}

/// Why a variant is not part of the woven program.
fn refusal(woven: &WovenProgram, number: u32) -> Option<String> {
    if let Some(why) = woven.unsupported.get(&number) {
        return Some(format!("it cannot be woven: {why}"));
    }
    let initialised = |class: &braid_weave::Woven| class.needs_reset.contains(&number);
    woven
        .classes
        .values()
        .any(initialised)
        .then(|| "it changes how a class is initialised".to_owned())
}

/// The code that each variant has of its own.
pub(crate) fn codes(woven: &WovenProgram) -> BTreeMap<u32, Code> {
    let mut codes: BTreeMap<u32, Code> = BTreeMap::new();
    for (class, woven) in &woven.classes {
        for site in &woven.sites {
            for (variant, code) in &site.alternatives {
                codes.entry(*variant).or_default().push(Piece {
                    class: class.clone(),
                    method: site.method.clone(),
                    region: site.regions[*code as usize],
                    number: *code,
                });
            }
        }
    }
    codes
}
