//! Variants in a warm worker: woven into one program, or swapped in one after the other.

mod support;

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fs;
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::Arc;

use braid_exec::{
    Cancel, PreparedClass, Ran, Redefined, Trial, UnitEnd, WarmEnd, WarmOptions, WarmSpec,
    WarmWorker, write_classes,
};
use braid_weave::{
    Change, ClassChange, Passes, ProbeMap, Variant, World, instrument, weave_program,
};

use support::warm::{spec, summary, unit};
use support::{PATIENCE, Subject};

const CALC: &str = "calc/Calc";
const UNITS: [&str; 3] = [
    "calc.CalcTest#triples",
    "calc.CalcTest#negates",
    "calc.CalcTest#zero",
];

fn class(subject: &Subject, name: &str) -> Vec<u8> {
    fs::read(subject.classes.join(format!("{name}.class"))).unwrap()
}

struct Calc {
    subject: Subject,
    original: Vec<u8>,
    variants: Vec<Vec<u8>>,
}

impl Calc {
    fn compile() -> Self {
        let subject = Subject::compile("calc", braid_subjects::junit4());
        let variants = ["calc-wrong", "calc-endless"].map(|name| {
            let variant = Subject::compile(name, Vec::new());
            class(&variant, CALC)
        });
        Self {
            original: class(&subject, CALC),
            subject,
            variants: variants.to_vec(),
        }
    }

    /// The class with all variants in it, prepared for a worker, and where its probes are.
    fn woven(&self, name: &str) -> (WarmSpec, ProbeMap) {
        let variants: Vec<Variant> = (1..)
            .zip(&self.variants)
            .map(|(number, bytes)| {
                let change = Change::Class(Arc::from(bytes.as_slice()));
                Variant {
                    number,
                    classes: vec![(CALC.to_owned(), ClassChange::Change(change))],
                }
            })
            .collect();
        let original = |name: &str| (name == CALC).then(|| Cow::from(self.original.as_slice()));
        let program = weave_program(&original, &variants).unwrap();
        assert!(program.unsupported.is_empty(), "{:?}", program.unsupported);
        let woven = program.classes[CALC].bytes.clone().unwrap();
        let mut world = World::new();
        world.add(&woven).unwrap();
        world.add(&class(&self.subject, "calc/CalcTest")).unwrap();
        let mut probes = ProbeMap::new();
        let passes = Passes {
            fuel: true,
            reset: Some(&world),
            coverage: Some(probes.add(&self.original).unwrap()),
        };
        let prepared = instrument(&woven, &passes).unwrap().bytes.unwrap();
        let place = |kind: &str| -> PathBuf {
            self.subject
                .classes
                .with_extension(format!("{name}-{kind}"))
        };
        let class = PreparedClass {
            name: CALC,
            original: &self.original,
            woven: &prepared,
        };
        write_classes(&place("classes"), [class]).unwrap();
        fs::write(place("world"), world.encode()).unwrap();
        let mut spec = spec(&self.subject, &braid_subjects::jdk());
        spec.classes = Some(place("classes"));
        spec.world = Some(place("world"));
        spec.probes = probes.len();
        (spec, probes)
    }
}

fn trials(count: u32) -> Vec<Trial> {
    (0..=count)
        .map(|variant| Trial {
            variant,
            units: UNITS.iter().map(|id| unit(id, Some(100_000))).collect(),
            stop_at_failure: false,
        })
        .collect()
}

fn run(worker: &mut WarmWorker, trials: &[Trial], record: bool) -> Vec<Ran> {
    let options = WarmOptions {
        record,
        ..WarmOptions::default()
    };
    let mut all = Vec::new();
    let mut note = |ran: Ran| {
        all.push(ran);
        ControlFlow::Continue(())
    };
    assert_eq!(
        worker.run(trials, &options, &mut note).unwrap(),
        WarmEnd::Done
    );
    all
}

fn verdicts(ran: &[Ran]) -> Vec<&'static str> {
    ran.iter()
        .map(|ran| match ran.end {
            UnitEnd::OutOfFuel { .. } => "endless",
            _ if ran.passed() => "passed",
            _ => "failed",
        })
        .collect()
}

#[test]
fn a_woven_program_behaves_as_each_of_its_variants() {
    let calc = Calc::compile();
    let (spec, probes) = calc.woven("behaves");
    let mut worker = WarmWorker::start(&spec).unwrap();
    let ran = run(&mut worker, &trials(2), true);
    let expected = [
        ["passed", "passed", "passed"],
        ["failed", "failed", "failed"],
        ["endless", "passed", "endless"],
    ];
    assert_eq!(
        verdicts(&ran),
        expected.concat(),
        "{:?}",
        ran.iter().map(summary).collect::<Vec<_>>()
    );
    assert_eq!(worker.notes(), [] as [&str; 0]);

    let probe = |method: &str| probes.probe(CALC, method, "(I)I").unwrap();
    let (triple, negate) = (probe("triple"), probe("negate"));
    let hits = |place: usize| {
        let hits = ran[place].hits.as_ref().unwrap();
        (hits.contains(triple), hits.contains(negate))
    };
    assert_eq!(hits(0), (true, false));
    assert_eq!(hits(1), (false, true));
    assert_eq!(hits(2), (true, true));
    assert_eq!(
        hits(4),
        (false, true),
        "hits of earlier units are forgotten"
    );

    // Again, and backwards.
    let mut backwards = trials(2);
    backwards.reverse();
    let again = run(&mut worker, &backwards, false);
    let expected: Vec<_> = expected.into_iter().rev().flatten().collect();
    assert_eq!(verdicts(&again), expected);
    assert!(again.iter().all(|ran| ran.hits.is_none()));
}

#[test]
fn trials_stop_when_told_and_the_worker_stays() {
    let calc = Calc::compile();
    let (spec, _) = calc.woven("stops");
    let mut worker = WarmWorker::start(&spec).unwrap();
    let mut early = trials(2);
    early
        .iter_mut()
        .for_each(|trial| trial.stop_at_failure = true);
    let ran = run(&mut worker, &early, false);
    let expected = ["passed", "passed", "passed", "failed", "endless"];
    assert_eq!(verdicts(&ran), expected);

    let mut count = 0;
    let end = worker.run(&trials(2), &WarmOptions::default(), &mut |_| {
        count += 1;
        ControlFlow::Break(())
    });
    assert_eq!((end.unwrap(), count), (WarmEnd::Stopped, 1));
    assert_eq!(
        verdicts(&run(&mut worker, &trials(0), false)),
        ["passed"; 3]
    );
}

#[test]
fn classes_swapped_in_behave_as_woven_ones() {
    let calc = Calc::compile();
    let mut spec = spec(&calc.subject, &braid_subjects::jdk());
    // Nothing is instrumented, as in the published way of swapping classes.
    spec.instrument = false;
    let mut worker = WarmWorker::start(&spec).unwrap();
    let mut swap = |bytes: &[u8]| {
        let class = [(CALC.to_owned(), bytes.to_vec())];
        worker.redefine(&class, PATIENCE).unwrap()
    };
    assert_eq!(swap(&calc.variants[0]), Redefined::Done);
    let refused = swap(b"no class");
    assert!(
        matches!(refused, Redefined::Refused { error, .. } if error > 0),
        "{refused:?}"
    );
    let one = |id: &str| Trial {
        variant: 0,
        units: vec![unit(id, None)],
        stop_at_failure: false,
    };
    let wrong = run(&mut worker, &[one(UNITS[2])], false);
    assert_eq!(verdicts(&wrong), ["failed"]);
    let original = [(CALC.to_owned(), calc.original.clone())];
    assert_eq!(
        worker.redefine(&original, PATIENCE).unwrap(),
        Redefined::Done
    );
    assert_eq!(
        verdicts(&run(&mut worker, &[one(UNITS[2])], false)),
        ["passed"]
    );
}

/// The sources of the subjects say what comes of each test.
#[test]
fn every_framework_reports_in_a_warm_worker_what_it_does_in_a_plain_one() {
    let subjects = [
        ("junit3", braid_subjects::junit3()),
        ("junit4", braid_subjects::junit4()),
        ("jupiter", braid_subjects::junit5()),
        ("testng", braid_subjects::testng()),
    ];
    for (name, jars) in subjects {
        let subject = Subject::compile(name, jars);
        let mut worker = WarmWorker::start(&spec(&subject, &braid_subjects::jdk())).unwrap();
        let found = worker.discover(&subject.selection(), PATIENCE, &Cancel::new());
        let found = found.unwrap().units;
        let units: Vec<&str> = found.iter().map(|unit| unit.id.0.as_str()).collect();
        let trial = || support::warm::trial(&units, None);
        let (ran, end) = support::warm::run(&mut worker, &[trial(), trial()]);
        let said = ran.iter().map(summary).collect::<Vec<_>>();
        assert_eq!(end, WarmEnd::Done, "{name}: {said:#?}");
        let (first, second) = ran.split_at(units.len());
        let (mut expected, _) = support::expectations(&subject.sources);
        // Alone, it is without the test that it depends on: such tests are for a plain worker.
        let depends = "testng.BasicTest#depends".to_owned();
        if let Some(outcome) = expected.get_mut(&depends) {
            *outcome = "failed org.testng.TestNGException".to_owned();
        }
        assert_eq!(leaves(first), expected, "{name}");
        assert_eq!(leaves(second), expected, "{name}, again");
    }
}

fn leaves(ran: &[Ran]) -> BTreeMap<String, String> {
    let leaves = ran.iter().flat_map(|ran| &ran.leaves);
    leaves
        .map(|leaf| (leaf.id.0.clone(), support::outcome(&leaf.outcome)))
        .collect()
}
