//! Warm workers: every run as if in a new JVM, and none for ever.

mod support;

use std::num::NonZeroU32;
use std::path::Path;
use std::time::Duration;

use braid_exec::{Cancel, CrashKind, LoopRound, Ran, Selection, UnitEnd, WarmEnd, WarmWorker};

use braid_weave::{Round, is_endless};
use support::warm::{instrumented, run, spec, summary, trial};
use support::{PATIENCE, Subject};

/// All units of a subject, as a warm worker finds them.
fn units(worker: &mut WarmWorker, subject: &Subject) -> Vec<String> {
    let found = worker.discover(&subject.selection(), PATIENCE, &Cancel::new());
    let found = found.unwrap();
    assert_eq!(found.problems, []);
    found.units.into_iter().map(|unit| unit.id.0).collect()
}

fn on_each_jdk(test: impl Fn(&Path)) {
    let runtimes = braid_subjects::runtimes().into_values();
    for jdk in braid_subjects::jdks().into_iter().chain(runtimes) {
        test(&jdk);
    }
}

fn report(ran: &[Ran]) -> Vec<String> {
    ran.iter()
        .map(|ran| format!("{}: {}", ran.unit, summary(ran)))
        .collect()
}

/// The tests of the subject look for traces of themselves: passing twice means that none are left.
#[test]
fn the_second_run_finds_everything_as_the_first() {
    let subject = Subject::compile("state", braid_subjects::junit4());
    on_each_jdk(|jdk| {
        let mut worker = WarmWorker::start(&spec(&subject, jdk)).unwrap();
        let units = units(&mut worker, &subject);
        let units: Vec<&str> = units.iter().map(String::as_str).collect();
        let trials = [
            trial(&units, None),
            trial(&units, None),
            trial(&units, None),
        ];
        let (ran, end) = run(&mut worker, &trials);
        let report = report(&ran);
        let bad: Vec<_> = report
            .iter()
            .filter(|text| !text.ends_with(": passed"))
            .collect();
        assert!(bad.is_empty(), "on {}: {bad:#?} {end:?}", jdk.display());
        assert_eq!(end, WarmEnd::Done);
        assert_eq!(ran.len(), 3 * units.len());
        let ticks = |trial: usize| -> Vec<u64> {
            let of = ran.iter().filter(|ran| ran.trial == trial);
            // The threads of this one tick as long as they live.
            let of = of.filter(|ran| !ran.unit.0.contains("threads"));
            of.map(|ran| ran.ticks).collect()
        };
        assert_eq!(ticks(1), ticks(2), "on {}", jdk.display());
        assert!(!worker.output().stderr.contains("hook ran"));
    });
}

#[test]
fn a_loop_tells_which_of_its_variables_change() {
    let subject = Subject::compile("loops", braid_subjects::junit4());
    on_each_jdk(|jdk| {
        let mut worker = WarmWorker::start(&spec(&subject, jdk)).unwrap();
        // in the interpreter, and later as compiled code
        for fuel in [20, 5_000_000] {
            let order = trial(&["loops.SlotsTest#accumulates"], Some(fuel));
            let (ran, _) = run(&mut worker, &[order]);
            let UnitEnd::OutOfFuel { rounds } = &ran[0].end else {
                panic!("on {}: {:?}", jdk.display(), ran[0]);
            };
            let round = rounds.iter().find(|round| round.reach.is_none());
            let round = round.unwrap();
            assert_eq!(round.method, "spin", "on {}: {round:?}", jdk.display());
            let changes = |slots: [u32; 2]| slots.iter().any(|slot| round.changing.contains(slot));
            assert!(
                changes([4, 5]) && changes([7, 8]),
                "on {}: {round:?}",
                jdk.display()
            );
            let others = round
                .changing
                .iter()
                .filter(|slot| ![4, 5, 7, 8].contains(*slot));
            assert_eq!(others.count(), 0, "on {}: {round:?}", jdk.display());
        }
    });
}

/// The subject says of each loop whether it is endless.
#[test]
fn a_loop_that_writes_is_endless_if_all_comes_round_that_it_can_get_at() {
    let subject = Subject::compile("loops", braid_subjects::junit4());
    let classes = instrumented(&subject);
    on_each_jdk(|jdk| {
        let mut worker = WarmWorker::start(&spec(&subject, jdk)).unwrap();
        let mut units = units(&mut worker, &subject);
        units.retain(|id| id.contains("HeapTest#"));
        assert_eq!(units.len(), 38);
        // nothing is proven as long as what this one made has not been finalized
        units.retain(|id| !id.ends_with("#openFinalizer"));
        let mut look = |id: &str, fuel| {
            let (ran, end) = run(&mut worker, &[trial(&[id], Some(fuel))]);
            assert_eq!(end, WarmEnd::Done, "{id} on {}", jdk.display());
            let what = format!("on {} with {fuel}: {:?}", jdk.display(), ran[0]);
            let UnitEnd::OutOfFuel { rounds } = &ran[0].end else {
                assert!(fuel > 3_000 && id.contains("#open"), "{what}");
                return;
            };
            let is_proven = rounds.iter().any(|round| is_proven(round, &classes));
            assert_eq!(is_proven, id.contains("#proven"), "{what}");
        };
        // in the interpreter, and later as compiled code
        for fuel in [20, 1_500, 3_000_000, 3_000_000] {
            for id in &units {
                look(id, fuel);
            }
        }
        look("loops.HeapTest#openFinalizer", 20);
    });
}

/// The compiler that keeps objects in registers is the only one here.
#[test]
fn what_compiled_code_never_makes_an_object_of_is_not_known() {
    let subject = Subject::compile("loops", braid_subjects::junit4());
    let classes = instrumented(&subject);
    on_each_jdk(|jdk| {
        let mut spec = spec(&subject, jdk);
        let args = ["-XX:-TieredCompilation", "-Xbatch"];
        spec.worker.jvm_args.extend(args.map(str::to_owned));
        let mut worker = WarmWorker::start(&spec).unwrap();
        for _ in 0..6 {
            let unit = "loops.HeapTest#openInRegister";
            let (ran, _) = run(&mut worker, &[trial(&[unit], Some(5_000_000))]);
            let UnitEnd::OutOfFuel { rounds } = &ran[0].end else {
                panic!("on {}: {:?}", jdk.display(), ran[0]);
            };
            let is_proven = rounds.iter().any(|round| is_proven(round, &classes));
            assert!(!is_proven, "on {}: {rounds:?}", jdk.display());
        }
    });
}

fn is_proven(round: &LoopRound, classes: &impl Fn(&str) -> Option<Vec<u8>>) -> bool {
    let class = round.class.replace('.', "/");
    let round = Round {
        class: &class,
        method: &round.method,
        descriptor: &round.descriptor,
        places: &round.places,
        changing: &round.changing,
        reach: round.reach.as_deref(),
    };
    is_endless(&round, 0, classes)
}

#[test]
fn endless_programs_run_out_of_fuel_and_the_worker_goes_on() {
    let subject = Subject::compile("loops", braid_subjects::junit4());
    on_each_jdk(|jdk| {
        let mut worker = WarmWorker::start(&spec(&subject, jdk)).unwrap();
        let mut units = units(&mut worker, &subject);
        units.retain(|id| id.contains("LoopsTest#"));
        let (ran, _) = run(&mut worker, &[trial(&["loops.LoopsTest#ends"], None)]);
        assert_eq!(summary(&ran[0]), "passed");
        assert!(ran[0].ticks > 1000, "{}", ran[0].ticks);
        let fuel = 10 * ran[0].ticks;
        for id in &units {
            let (ran, end) = run(
                &mut worker,
                &[trial(&[id, "loops.LoopsTest#ends"], Some(fuel))],
            );
            let report = report(&ran);
            assert_eq!(end, WarmEnd::Done, "on {}: {report:?}", jdk.display());
            let finished = ran[0].end == UnitEnd::Finished;
            let expected = id.ends_with("#ends");
            assert_eq!(finished, expected, "on {}: {report:?}", jdk.display());
            let tired = matches!(ran[0].end, UnitEnd::OutOfFuel { .. });
            assert_eq!(tired, !expected, "on {}: {report:?}", jdk.display());
            assert!(ran[0].duration < Duration::from_secs(5), "{:?}", ran[0]);
            assert_eq!(
                summary(&ran[1]),
                "passed",
                "after {id} on {}",
                jdk.display()
            );
        }
    });
}

#[test]
fn what_somebody_may_still_wake_does_not_wait_for_good() {
    let subject = Subject::compile("loops", braid_subjects::junit4());
    on_each_jdk(|jdk| {
        let mut worker = WarmWorker::start(&spec(&subject, jdk)).unwrap();
        let mut units = units(&mut worker, &subject);
        units.retain(|id| id.contains("#pauses"));
        assert_eq!(units.len(), 4);
        for unit in &units {
            let (given_up, _) = run(&mut worker, &[trial(&[unit], Some(1_000_000))]);
            let given_up = &given_up[0].end;
            let idle = matches!(
                given_up,
                UnitEnd::Idle {
                    for_good: false,
                    ..
                }
            );
            assert!(idle, "{unit} on {}: {given_up:?}", jdk.display());
            let mut patient = trial(&[unit], Some(1_000_000));
            patient.units[0].idle = PATIENCE;
            let (ended, _) = run(&mut worker, &[patient]);
            assert_eq!(summary(&ended[0]), "passed", "{unit} on {}", jdk.display());
        }
    });
}

#[test]
fn what_blocks_is_interrupted_and_else_given_up() {
    let subject = Subject::compile("loops", braid_subjects::junit4());
    on_each_jdk(|jdk| {
        let mut worker = WarmWorker::start(&spec(&subject, jdk)).unwrap();
        let mut units = units(&mut worker, &subject);
        units.retain(|id| id.contains("#waits"));
        assert_eq!(units.len(), 7);
        let units: Vec<&str> = units.iter().map(String::as_str).collect();
        let (ran, end) = run(&mut worker, &[trial(&units, Some(1_000_000))]);
        assert_eq!(end, WarmEnd::Done, "{:?}", report(&ran));
        for ran in &ran {
            let UnitEnd::Idle { for_good, .. } = ran.end else {
                panic!("{}", summary(ran));
            };
            // time alone ends a sleep
            assert_eq!(for_good, !ran.unit.0.ends_with("Asleep"), "{:?}", ran.unit);
        }
        let given_up = |id: &str, wall| {
            let mut worker = WarmWorker::start(&spec(&subject, jdk)).unwrap();
            let id = format!("loops.WaitsTest#{id}");
            let mut trial = trial(&[&id, &id], Some(1_000_000));
            trial.units[0].wall = wall;
            let (ran, end) = run(&mut worker, &[trial]);
            assert_eq!(ran.len(), 1, "nothing runs in a tainted JVM");
            assert!(matches!(end, WarmEnd::Tainted { .. }), "{end:?}");
            ran.into_iter().next().unwrap().end
        };
        let (second, long) = (Duration::from_secs(1), PATIENCE);
        assert!(matches!(given_up("deadlocks", long), UnitEnd::Idle { .. }));
        let ends = [
            given_up("busyInLibrary", second),
            given_up("stuckInNativeCode", second),
        ];
        for end in ends {
            let UnitEnd::OverTime { stack } = end else {
                panic!("{end:?}");
            };
            assert!(stack.contains("WaitsTest"), "{stack}");
        }
    });
}

#[test]
fn what_ends_or_fills_the_jvm_costs_the_worker() {
    let subject = Subject::compile("loops", braid_subjects::junit4());
    let spec = spec(&subject, &braid_subjects::jdk());
    let mut worker = WarmWorker::start(&spec).unwrap();
    let exit = "loops.WaitsTest#exits";
    let (ran, end) = run(&mut worker, &[trial(&[exit], None)]);
    assert!(ran.is_empty());
    let WarmEnd::Crashed { trial: 0, crash } = end else {
        panic!("{end:?}");
    };
    assert_eq!(crash.kind, CrashKind::Exit { code: 7 });
    assert_eq!(crash.unit, Some(exit.into()));
    let mut worker = WarmWorker::start(&spec).unwrap();
    let memory = "loops.WaitsTest#fillsMemory";
    let (ran, end) = run(&mut worker, &[trial(&[memory], None)]);
    assert!(
        summary(&ran[0]).contains("OutOfMemoryError"),
        "{}",
        summary(&ran[0])
    );
    assert!(matches!(end, WarmEnd::Tainted { .. }), "{end:?}");
}

#[test]
fn a_stack_that_runs_out_costs_the_worker_only_if_a_class_was_lost() {
    let subject = Subject::compile("loops", braid_subjects::junit4());
    on_each_jdk(|jdk| {
        let mut worker = WarmWorker::start(&spec(&subject, jdk)).unwrap();
        let units = ["loops.WaitsTest#overflows", "loops.LoopsTest#ends"];
        let trials = [trial(&units, None), trial(&units, None)];
        let (ran, end) = run(&mut worker, &trials);
        assert_eq!(end, WarmEnd::Done, "{:?}", report(&ran));
        for pair in ran.chunks(2) {
            let why = summary(&pair[0]);
            assert!(why.contains("StackOverflowError"), "{why}");
            assert_eq!(summary(&pair[1]), "passed");
        }
        let lost = trial(&["loops.WaitsTest#overflowsInitialising"], None);
        let (ran, end) = run(&mut worker, &[lost]);
        let WarmEnd::Tainted { reason } = end else {
            panic!("{end:?} {:?}", report(&ran));
        };
        assert!(reason.contains("could not be initialised"), "{reason}");
    });
}

#[test]
fn a_unit_gets_the_stack_that_is_asked_for_and_no_other_thread_does() {
    let subject = Subject::compile("loops", braid_subjects::junit4());
    on_each_jdk(|jdk| {
        let mut worker = WarmWorker::start(&spec(&subject, jdk)).unwrap();
        let names = ["goesDeep", "overflows", "overflowsElsewhere"];
        let units = names.map(|name| format!("loops.WaitsTest#{name}"));
        let usual = trial(&units.each_ref().map(String::as_str), None);
        let mut large = usual.clone();
        for unit in &mut large.units {
            unit.stack_kb = NonZeroU32::new(64 * 1024);
        }
        let (ran, end) = run(&mut worker, &[usual.clone(), large, usual]);
        assert_eq!(end, WarmEnd::Done, "{:?}", report(&ran));
        let overflowed = |ran: &Ran| summary(ran).contains("StackOverflowError");
        let ran: Vec<_> = ran
            .iter()
            .map(|ran| (overflowed(ran), ran.had_stack))
            .collect();
        let on_usual = [(true, false); 3];
        let on_large = [(false, true), (true, true), (true, false)];
        let jdk = jdk.display();
        assert_eq!(ran, [on_usual, on_large, on_usual].concat(), "{jdk}");
    });
}

/// Guards against fixtures that would pass in any JVM.
#[test]
fn without_reset_the_second_run_finds_the_traces_of_the_first() {
    let subject = Subject::compile("state", braid_subjects::junit4());
    let mut spec = spec(&subject, &braid_subjects::jdk());
    spec.world = None;
    let mut worker = WarmWorker::start(&spec).unwrap();
    let mut units = units(&mut worker, &subject);
    units.retain(|id| id.contains("ProgramTest#"));
    let dirty: Vec<&str> = units
        .iter()
        .filter(|id| {
            let (ran, _) = run(&mut worker, &[trial(&[id], None), trial(&[id], None)]);
            ran.iter().any(|ran| !ran.passed())
        })
        .map(|id| id.rsplit_once('#').unwrap().1)
        .collect();
    for id in [
        "lazilyFilledMap",
        "singleton",
        "enumWithState",
        "interfaceConstants",
        "reflection",
    ] {
        assert!(dirty.contains(&id), "{id} notices nothing: {dirty:?}");
    }
}

#[test]
fn a_unit_that_does_not_exist_fails() {
    let subject = Subject::compile("loops", braid_subjects::junit4());
    let mut worker = WarmWorker::start(&spec(&subject, &braid_subjects::jdk())).unwrap();
    let units = ["loops.LoopsTest#nothing", "loops.Missing#nothing"];
    let (ran, end) = run(&mut worker, &[trial(&units, None)]);
    assert_eq!(end, WarmEnd::Done);
    for ran in &ran {
        assert!(!ran.passed(), "{}", summary(ran));
    }
    let nothing = Selection::default();
    assert_eq!(
        worker
            .discover(&nothing, PATIENCE, &Cancel::new())
            .unwrap()
            .units,
        []
    );
}
