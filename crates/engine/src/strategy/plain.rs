//! The plain strategy: a private copy, a fresh compiler and fresh JVMs for each patch. Slow and obviously right;
//! the oracle of all others.

use std::time::Duration;

use braid_compile::{Plain as PlainJavac, Tool};
use braid_payload::Payload;
use braid_project::Jdk;

use crate::expect::Expectations;
use crate::strategy::build::Making;
use crate::strategy::fresh::Fresh;
use crate::strategy::{Case, Context, Deferred, Findings, Judge, Judgement, Strategy};
use crate::{EngineError, StrategyKind};

/// How long the compiler may take for a patch.
const COMPILE_LIMIT: Duration = Duration::from_secs(180);

/// The plain strategy.
pub(crate) struct Plain<'a> {
    context: &'a Context<'a>,
    expect: Expectations,
}

impl<'a> Plain<'a> {
    pub(crate) fn new(context: &'a Context<'a>) -> Self {
        let expect = context.expectations();
        Self { context, expect }
    }
}

impl Strategy for Plain<'_> {
    fn kind(&self) -> StrategyKind {
        StrategyKind::Plain
    }

    fn open(&self, slot: usize) -> Result<Box<dyn Judge + '_>, EngineError> {
        Ok(Box::new(PlainSlot {
            fresh: Fresh::open(self.context, &self.expect, &slot.to_string())?,
            javac: PlainJavac::new(self.context.common().javac_tool()),
        }))
    }
}

/// How the compiler is started.
pub(crate) fn javac_tool(jdk: &Jdk, payload: &Payload) -> Tool {
    let mut tool = Tool::new(&jdk.home, &payload.compiler);
    tool.timeout = COMPILE_LIMIT;
    tool
}

struct PlainSlot<'a> {
    fresh: Fresh<'a>,
    javac: PlainJavac,
}

impl Judge for PlainSlot<'_> {
    fn judge(&mut self, cases: &[Case], findings: &mut dyn Findings) -> Result<(), EngineError> {
        for case in cases {
            let judgement = self.decide(&Deferred::new(case, "asked for"))?;
            findings.judged(case, judgement);
        }
        Ok(())
    }

    fn decide(&mut self, deferred: &Deferred) -> Result<Judgement, EngineError> {
        let making = Making::Compile(&mut self.javac);
        let units = deferred.units.as_ref();
        let mut judgement = self.fresh.judge(&deferred.case, making, units, None)?;
        judgement.reason.clone_from(&deferred.why);
        Ok(judgement)
    }
}
