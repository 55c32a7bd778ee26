//! Tests over a space: on one thread or several, each with a VM of its own.
//!
//! Tests do not depend on each other, since each starts from the state after start-up; so it does not matter which VM
//! runs which. A thread takes whole classes while some are untouched, then helps with those that others began.

use super::Vary;
use super::report::{ClassProblem, TestReport, TestsReport};
use crate::error::{Result, VmError};
use crate::junit::{Discovery, TestMethod};
use crate::reset::Checkpoint;
use crate::vm::Vm;
use braid_cond::Cond;
use std::collections::BTreeMap;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// How far a class is.
#[derive(Debug, Default, Clone, Copy)]
struct Claim {
    begun: bool,
    /// How many tests it has, once someone has looked.
    total: Option<usize>,
    /// The test to be run next.
    next: usize,
}

/// What is left to do; `None` once a VM failed.
struct Queue(Mutex<Option<Vec<Claim>>>);

impl Queue {
    fn new(classes: usize) -> Queue {
        Queue(Mutex::new(Some(vec![Claim::default(); classes])))
    }

    fn lock(&self) -> MutexGuard<'_, Option<Vec<Claim>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A class that nobody has begun, else (after `after`) one that others have not finished.
    fn class(&self, after: Option<usize>) -> Option<usize> {
        let mut guard = self.lock();
        let claims = guard.as_mut()?;
        if let Some(class) = claims.iter().position(|claim| !claim.begun) {
            claims[class].begun = true;
            return Some(class);
        }
        let first = after.map_or(0, |class| class + 1);
        let left = |claim: &Claim| claim.total.is_none_or(|total| claim.next < total);
        (first..claims.len()).find(|&class| left(&claims[class]))
    }

    /// Notes how many tests a class has; true for the first to do so.
    fn found(&self, class: usize, total: usize) -> bool {
        let mut guard = self.lock();
        guard
            .as_mut()
            .is_some_and(|claims| claims[class].total.replace(total).is_none())
    }

    /// The next test of a class.
    fn test(&self, class: usize) -> Option<usize> {
        let mut guard = self.lock();
        let claim = guard.as_mut()?.get_mut(class)?;
        let test = claim.next;
        (test < claim.total?).then(|| {
            claim.next += 1;
            test
        })
    }

    fn stop(&self) {
        *self.lock() = None;
    }
}

/// What a thread has to tell, by the place of the class in the list.
enum News {
    Class(usize, usize, Option<String>),
    Test(usize, usize, Vec<TestReport>),
}

/// A VM at the start of a test.
struct Station {
    vm: Vm,
    whole: Cond,
    spaces: Vec<Cond>,
    checkpoint: Checkpoint,
}

impl Vary {
    /// The same, and shows each result, in order, as soon as it is there.
    pub fn each_test(
        &self,
        classes: &[String],
        accept: impl Fn(&str) -> bool + Send + Sync,
        show: impl FnMut(&TestReport) + Send,
    ) -> Result<TestsReport> {
        let queue = Queue::new(classes.len());
        let threads = self.threads.max(1);
        let (send, receive) = channel();
        std::thread::scope(|scope| {
            let mut workers = Vec::with_capacity(threads);
            for _ in 0..threads {
                let (send, queue, accept) = (send.clone(), &queue, &accept);
                let work = move || self.work(classes, queue, accept, &send);
                workers.push(self.big_thread(scope, work)?);
            }
            drop(send);
            let (tests, problems) = in_order(classes, &receive, show);
            let mut all: Option<TestsReport> = None;
            for worker in workers {
                let part = worker.join().unwrap_or_else(|_| Err(super::stopped()))?;
                match &mut all {
                    Some(all) => all.add(part),
                    None => all = Some(part),
                }
            }
            let mut all = all.ok_or_else(super::stopped)?;
            (all.tests, all.problems) = (tests, problems);
            Ok(all)
        })
    }

    /// What one thread does. Its report has no tests in it: those were sent.
    fn work(
        &self,
        classes: &[String],
        queue: &Queue,
        accept: &(dyn Fn(&str) -> bool + Sync),
        send: &Sender<News>,
    ) -> Result<TestsReport> {
        let done = self.station().and_then(|mut station| {
            let mut last = None;
            while let Some(class) = queue.class(last) {
                let tests = self.look(&mut station, &classes[class], accept);
                if queue.found(class, tests.tests.len()) {
                    let count = tests.tests.len();
                    let _ = send.send(News::Class(class, count, tests.problem));
                }
                while let Some(index) = queue.test(class) {
                    let reports = self.reports(&mut station, &tests.tests[index])?;
                    let _ = send.send(News::Test(class, index, reports));
                }
                last = Some(class);
            }
            let vm = &mut station.vm;
            Ok(TestsReport {
                options: vm.option_names(),
                meanings: BTreeMap::new(),
                left_out: Vec::new(),
                features: vm.options.foreign.clone(),
                configurations: vm.count(station.whole),
                tests: Vec::new(),
                problems: Vec::new(),
                stats: vm.vary_stats(),
            })
        });
        if done.is_err() {
            queue.stop();
        }
        done
    }

    fn station(&self) -> Result<Station> {
        let mut vm = self.start()?;
        let spaces = vm.spaces(self)?;
        let whole = vm.universe;
        let checkpoint = vm.checkpoint();
        Ok(Station {
            vm,
            whole,
            spaces,
            checkpoint,
        })
    }

    /// The accepted tests of a class.
    fn look(
        &self,
        station: &mut Station,
        class: &str,
        accept: &(dyn Fn(&str) -> bool + Sync),
    ) -> Discovery {
        let vm = &mut station.vm;
        vm.reset(&station.checkpoint, &station.spaces);
        let mut found = vm.discover(class);
        found
            .tests
            .retain(|test| accept(&format!("{}#{}", test.class, test.method)));
        found
    }

    fn reports(&self, station: &mut Station, test: &TestMethod) -> Result<Vec<TestReport>> {
        let vm = &mut station.vm;
        let space = (station.whole, &station.spaces[..]);
        let runs = self.run_test(vm, test, space, &station.checkpoint)?;
        let mut trace = vm.take_trace()?;
        let mut reports = Vec::with_capacity(runs.len());
        for run in runs {
            let mut report = vm.test_report(run.name, run.outcomes, &self.samples)?;
            report.trace = std::mem::take(&mut trace);
            reports.push(report);
        }
        vm.output.take();
        Ok(reports)
    }

    /// A thread with a large stack.
    pub(super) fn big_thread<'scope, T: Send + 'scope>(
        &self,
        scope: &'scope std::thread::Scope<'scope, '_>,
        run: impl FnOnce() -> T + Send + 'scope,
    ) -> Result<std::thread::ScopedJoinHandle<'scope, T>> {
        std::thread::Builder::new()
            .stack_size(super::STACK)
            .spawn_scoped(scope, run)
            .map_err(|error| VmError::Usage(format!("cannot start a thread: {error}")))
    }
}

/// Puts the results of all threads into the order of classes and tests, and shows them.
fn in_order(
    classes: &[String],
    receive: &Receiver<News>,
    mut show: impl FnMut(&TestReport),
) -> (Vec<TestReport>, Vec<ClassProblem>) {
    let (mut tests, mut problems) = (Vec::new(), BTreeMap::new());
    let mut totals: Vec<Option<usize>> = vec![None; classes.len()];
    let mut early: BTreeMap<(usize, usize), Vec<TestReport>> = BTreeMap::new();
    let mut next = (0, 0);
    for news in receive {
        match news {
            News::Class(class, total, problem) => {
                totals[class] = Some(total);
                problems.extend(problem.map(|problem| (class, problem)));
            }
            News::Test(class, index, reports) => {
                early.insert((class, index), reports);
            }
        }
        loop {
            if let Some(reports) = early.remove(&next) {
                reports.iter().for_each(&mut show);
                tests.extend(reports);
                next.1 += 1;
            } else if next.0 < classes.len() && totals[next.0] == Some(next.1) {
                next = (next.0 + 1, 0);
            } else {
                break;
            }
        }
    }
    let problems = problems.into_iter().map(|(class, problem)| ClassProblem {
        class: classes[class].clone(),
        problem,
    });
    (tests, problems.collect())
}
