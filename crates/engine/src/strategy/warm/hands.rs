//! More JVMs for the tests of the unpatched program, where there are processors for them.
//!
//! One JVM runs all tests in fresh state and one in warm; that is as much as two processors can do. With more of them, or
//! while tests sleep, others take tests off both.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use crate::EngineError;
use crate::idle::Idle;
use crate::jvms::{Common, SlotJvms};
use crate::record::{UNIT_LIMIT, run_taken};
use crate::relief::Relief;
use crate::strategy::warm::jvms::WarmPool;
use crate::strategy::warm::pile::Pile;
use crate::strategy::warm::sightings::work_off_for;
use crate::workspace::Workspace;

/// The JVMs that are there anyway.
const OWN: usize = 2;
/// So many more there may be at most while processors have nothing to do.
const MOST_SPARE: usize = 4;
/// How often somebody looks for something to do.
const LOOK: Duration = Duration::from_millis(20);
/// So long it is not asked again whether there is room.
const STINT: Duration = Duration::from_secs(3);
/// With fewer units left than this no further JVM is started for warm ones.
const WORTH_UNITS: usize = 64;

/// Who may take tests off the others, and when.
pub(crate) struct Hands {
    idle: Idle,
    /// Those for which there is a processor.
    steady: usize,
    /// Those that wait for one to be idle.
    spare: usize,
}

/// One of them.
#[derive(Clone, Copy)]
pub(crate) struct Hand<'h> {
    idle: Option<&'h Idle>,
}

impl Hands {
    /// For so many processors.
    pub(crate) fn new(jobs: usize) -> Self {
        Self {
            idle: Idle::new(jobs),
            steady: jobs.saturating_sub(OWN),
            spare: if jobs < OWN { 0 } else { jobs.min(MOST_SPARE) },
        }
    }

    /// All of them.
    pub(crate) fn iter(&self) -> impl Iterator<Item = Hand<'_>> {
        let idle = |number| (number >= self.steady).then_some(&self.idle);
        (0..self.steady + self.spare).map(move |number| Hand { idle: idle(number) })
    }
}

impl Hand<'_> {
    fn is_wanted(self) -> bool {
        self.idle.is_none_or(Idle::has_room)
    }
}

/// Takes part in running the tests until all are run; true if those in warm JVMs left files behind.
pub(crate) fn lend(
    common: Common<'_>,
    workspace: &Workspace,
    relief: &Relief,
    pile: &Pile,
    hand: Hand<'_>,
) -> Result<bool, EngineError> {
    let mut writes_files = false;
    while !(relief.is_over() && pile.is_over()) {
        let something = relief.is_offering() || pile.offer(WORTH_UNITS).is_some();
        if something && hand.is_wanted() {
            take_fresh(common, workspace, relief, hand)?;
            writes_files |= take_warm(common, workspace, pile, hand)?;
        }
        std::thread::sleep(LOOK);
    }
    Ok(writes_files)
}

/// Runs classes in a fresh JVM.
fn take_fresh(
    common: Common<'_>,
    workspace: &Workspace,
    relief: &Relief,
    hand: Hand<'_>,
) -> Result<(), EngineError> {
    if !relief.is_offering() {
        return Ok(());
    }
    let slot = workspace.slot("baseline-help")?;
    let mut jvms = SlotJvms::new(common, &slot, HashMap::new(), UNIT_LIMIT);
    let mut asked = Instant::now();
    while let Some(taken) = relief.take() {
        run_taken(&mut jvms, taken)?;
        while asked.elapsed() >= STINT && relief.is_offering() {
            if hand.is_wanted() {
                asked = Instant::now();
            } else {
                std::thread::sleep(LOOK);
            }
        }
    }
    Ok(())
}

/// Runs units in a warm JVM; true if they left files behind.
fn take_warm(
    common: Common<'_>,
    workspace: &Workspace,
    pile: &Pile,
    hand: Hand<'_>,
) -> Result<bool, EngineError> {
    let mut pool: Option<WarmPool<'_>> = None;
    while let Some((module, files)) = pile.offer(WORTH_UNITS) {
        let pool = match &mut pool {
            Some(pool) => pool,
            none => none.insert(WarmPool::open(common, workspace, "warm-baseline-help")?),
        };
        pool.prepare(&module, files);
        work_off_for(pool, &module, pile, STINT)?;
        while !hand.is_wanted() && pile.offer(WORTH_UNITS).is_some() {
            std::thread::sleep(LOOK);
        }
    }
    pool.map_or(Ok(false), |mut pool| {
        pool.end_all();
        pool.restore()
    })
}
