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
use crate::strategy::warm::pile::{Begin, Pile};
use crate::strategy::warm::program::Prepared;
use crate::strategy::warm::sightings::work_off_for;
use crate::workspace::Workspace;

/// The JVMs that are there anyway.
const OWN: usize = 2;
/// So many more there may be at most while processors have nothing to do.
const MOST_SPARE: usize = 4;
/// How often somebody looks for something to do.
const LOOK: Duration = Duration::from_millis(20);
/// A processor has to be free for so long before another JVM is started.
const WINDOW: Duration = Duration::from_secs(1);
/// The same while there are tests that may wait.
const SHORT: Duration = Duration::from_millis(250);
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
        self.is_wanted_after(WINDOW)
    }

    /// Whether there was room for so long.
    fn is_wanted_after(self, window: Duration) -> bool {
        self.idle.is_none_or(|idle| idle.has_room(window))
    }

    /// Whether this one is wanted for a pile's units. While tests may wait nobody thinks about it for long, and who takes part
    /// does so as long as somebody waits.
    fn is_wanted_by(self, pile: &Pile, takes_part: bool) -> bool {
        let window = if pile.may_wait() { SHORT } else { WINDOW };
        takes_part && pile.is_asleep() || self.is_wanted_after(window)
    }
}

/// Takes part in running the tests until all are run, in fresh JVMs first; true if those in warm JVMs left files behind.
pub(crate) fn lend(
    common: Common<'_>,
    workspace: &Workspace,
    relief: &Relief<'_>,
    pile: &Pile,
    hand: Hand<'_>,
) -> Result<bool, EngineError> {
    let mut warm: Option<WarmHand<'_>> = None;
    while !(relief.is_over() && pile.is_over()) {
        if relief.is_offering() {
            if hand.is_wanted() {
                take_fresh(common, workspace, relief, hand)?;
            }
        } else if let Some((module, files)) = pile.offer(WORTH_UNITS)
            && hand.is_wanted_by(pile, warm.is_some())
        {
            let warm = match &mut warm {
                Some(warm) => warm,
                none => none.insert(WarmHand {
                    pool: WarmPool::open(common, workspace, "warm-baseline-help")?,
                    module: String::new(),
                }),
            };
            warm.prepare(&module, files);
            work_off_for(&mut warm.pool, &module, pile, (Begin::Working, STINT))?;
        }
        std::thread::sleep(LOOK);
    }
    warm.map_or(Ok(false), |mut warm| {
        warm.pool.end_all();
        warm.pool.restore()
    })
}

/// Runs classes in a fresh JVM.
fn take_fresh(
    common: Common<'_>,
    workspace: &Workspace,
    relief: &Relief<'_>,
    hand: Hand<'_>,
) -> Result<(), EngineError> {
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

/// A warm JVM that takes part.
struct WarmHand<'a> {
    pool: WarmPool<'a>,
    /// The module that it runs tests of.
    module: String,
}

impl WarmHand<'_> {
    fn prepare(&mut self, module: &str, files: Prepared) {
        if self.module != module {
            self.pool.end_all();
            self.pool.prepare(module, files);
            self.module = module.to_owned();
        }
    }
}
