//! The hotswap strategy: each patch is compiled alone in a warm compiler and its classes take the place of the loaded
//! ones in a warm JVM. Slower than weaving, but there is nothing to wait for: it serves patches that come one by one.

use braid_compile::{PatchOutcome, Recompiled, compile_patch};

use crate::strategy::build::{diagnostics, main_unit, pristine};
use crate::strategy::warm::base::{Base, Shared, SharedJavac};
use crate::strategy::warm::compiling::{Kind, sort};
use crate::strategy::warm::slot::{Doubt, Tried, Waiting, WarmSlot};
use crate::strategy::{Case, Deferred, Findings, Judge, Judgement, Strategy};
use crate::{EngineError, StrategyKind};

/// So many patches are handed to a slot at once.
const BATCH: usize = 32;

/// The hotswap strategy.
pub(crate) struct Hotswap<'a> {
    shared: Shared<'a>,
}

impl<'a> Hotswap<'a> {
    pub(crate) fn new(shared: Shared<'a>) -> Self {
        Self { shared }
    }
}

impl Strategy for Hotswap<'_> {
    fn kind(&self) -> StrategyKind {
        StrategyKind::Hotswap
    }

    fn batch(&self) -> usize {
        BATCH
    }

    fn open(&self, slot: usize) -> Result<Box<dyn Judge + '_>, EngineError> {
        let mut warm = WarmSlot::open(&self.shared, StrategyKind::Hotswap, slot)?;
        let base = self.shared.base()?;
        for (module, program) in &base.programs {
            let name = format!("hotswap-{slot}");
            let dir = self.shared.context.temp_root.join(name).join(module);
            warm.pool.prepare(module, program.write_plain(&dir)?);
        }
        Ok(Box::new(HotswapSlot { warm }))
    }
}

struct HotswapSlot<'a> {
    warm: WarmSlot<'a>,
}

/// Classes by name (`a/b/C`).
type Classes = Vec<(String, Vec<u8>)>;

/// What compiling a patch alone came to.
enum Alone {
    Errors(Box<Judgement>),
    Classes(Classes),
    Refused(&'static str),
}

impl Judge for HotswapSlot<'_> {
    fn judge(&mut self, cases: &[Case], findings: &mut dyn Findings) -> Result<(), EngineError> {
        let base = self.warm.shared.base()?;
        let mut waiting = Waiting::default();
        let mut left: Vec<&Case> = cases.iter().collect();
        loop {
            for case in &left {
                match self.compile(case)? {
                    Alone::Errors(judgement) => findings.judged(case, *judgement),
                    Alone::Refused(why) => findings.deferred(Deferred::new(case, why)),
                    Alone::Classes(classes) => {
                        self.swap(&base, case, &classes, &mut waiting, findings)?
                    }
                }
            }
            waiting.settle(&mut self.warm, &base, findings)?;
            let Some(again) = waiting.take_again() else {
                break;
            };
            left.retain(|case| again.contains(&case.patch.seq));
        }
        Ok(())
    }

    fn decide(&mut self, deferred: &Deferred) -> Result<Judgement, EngineError> {
        self.warm.decide(deferred)
    }
}

impl HotswapSlot<'_> {
    fn compile(&mut self, case: &Case) -> Result<Alone, EngineError> {
        let shared = self.warm.shared;
        let context = shared.context;
        let (module, change) = match sort(&context.project.modules, case) {
            Ok(Kind::Sources(module, change)) => (module, change),
            Ok(Kind::Classes(_)) => {
                let classes = case.effect.classes.iter();
                let classes = classes.map(|(name, bytes)| (name.clone(), bytes.clone()));
                return Ok(Alone::Classes(classes.collect()));
            }
            Err(why) => return Ok(Alone::Refused(why)),
        };
        let unit = main_unit(context.workspace, module, &|path| {
            context.workspace.map(path)
        });
        let changes = pristine(context.workspace, case, &change.main)?;
        let compiled = compile_patch(&mut SharedJavac(shared), &unit, &changes)?;
        Ok(match compiled {
            PatchOutcome::Errors(errors) => {
                let mut judgement = Judgement::compile_error(diagnostics(context, &errors));
                judgement.strategy = Some(StrategyKind::Hotswap);
                judgement.reason = "compiled alone".to_owned();
                Alone::Errors(Box::new(judgement))
            }
            PatchOutcome::Compiled(compiled) if compiled.recompiled == Recompiled::All => {
                Alone::Refused("it changes what other classes are compiled against")
            }
            PatchOutcome::Compiled(compiled) if !compiled.removed.is_empty() => {
                Alone::Refused("it removes a class")
            }
            PatchOutcome::Compiled(compiled) => {
                Alone::Classes(compiled.classes.into_iter().collect())
            }
        })
    }

    fn swap<'c>(
        &mut self,
        base: &Base,
        case: &'c Case,
        classes: &Classes,
        waiting: &mut Waiting<'c>,
        findings: &mut dyn Findings,
    ) -> Result<(), EngineError> {
        let originals: Option<Classes> = classes
            .iter()
            .map(|(name, _)| Some((name.clone(), base.original(name)?.to_vec())))
            .collect();
        let Some(originals) = originals else {
            findings.deferred(Deferred::new(case, "it adds a class"));
            return Ok(());
        };
        if let Some(why) = self.redefine(base, classes)? {
            if self.redefine(base, &originals)?.is_some() {
                self.warm.pool.end_all();
            }
            let doubt = Doubt::new(format!("the JVM does not take its classes: {why}"));
            let tried = (case, Tried::Doubt(doubt));
            return waiting.take(&mut self.warm, base, tried, "", findings);
        }
        // which methods differ is not known, and a constant may hold what an old constructor built
        let tried = self.warm.try_variant(base, case, 0, &|_, _| true)?;
        let lost = self.warm.pool.is_lost();
        if !lost && self.redefine(base, &originals)?.is_some() {
            self.warm.pool.end_all();
        }
        let how = "its classes took the place of the loaded ones";
        waiting.take(&mut self.warm, base, (case, tried), how, findings)
    }

    /// Gives the JVM of every module that has the classes their new bytes; why it cannot be done, if so.
    fn redefine(&mut self, base: &Base, classes: &Classes) -> Result<Option<String>, EngineError> {
        for (module, program) in &base.programs {
            let mut known = Classes::new();
            for (name, bytes) in classes {
                if program.originals.contains_key(name) {
                    known.push((name.clone(), program.instrumented(bytes)?));
                }
            }
            if !known.is_empty()
                && let Some(why) = self.warm.pool.redefine(module, &known)?
            {
                return Ok(Some(why));
            }
        }
        Ok(None)
    }
}
