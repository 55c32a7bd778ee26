//! The Java side of the protocol says and understands the same.

use std::io::Read;
use std::net::TcpListener;
use std::num::NonZeroU32;
use std::path::Path;
use std::time::Duration;

use braid_process::{Finished, Spawn};
use braid_protocol::{
    FoundUnit, FrameReader, FromWorker, Hits, LeafRan, Outcome, Redefinition, TagFilter, ToWorker,
    TrialOrder, TrialUnit, Trials, UnitEnd, UnitId, UnitRan, VERSION,
};

const PATIENCE: Duration = Duration::from_secs(120);

/// A folder with the compiled mirror, and the class path to run it.
fn mirror() -> (tempfile::TempDir, String) {
    let dir = tempfile::tempdir().unwrap();
    let runner = braid_payload::unpack(dir.path()).unwrap().runner;
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/java/Mirror.java");
    let javac = Spawn::new(braid_subjects::jdk().join("bin/javac"))
        .args([
            "-Xlint:-options",
            "--release",
            "8",
            "-encoding",
            "UTF-8",
            "-cp",
        ])
        .args([&runner, Path::new("-d"), dir.path(), &source]);
    let finished = javac.run(PATIENCE).unwrap();
    assert!(finished.success(), "{}", finished.stderr.text());
    let class_path = format!("{}:{}", runner.display(), dir.path().display());
    (dir, class_path)
}

fn java(class_path: &str) -> Spawn {
    let java = braid_subjects::jdk().join("bin/java");
    Spawn::new(java).args(["-Xmx64m", "-cp", class_path, "braid.runner.Mirror"])
}

fn trial_unit(unit: &str, fuel: Option<u64>, wall_ms: u32, idle_ms: u32) -> TrialUnit {
    TrialUnit {
        unit: unit.into(),
        fuel,
        wall_ms,
        idle_ms,
        stack_kb: NonZeroU32::new(wall_ms),
    }
}

#[test]
fn requests_are_understood_as_they_were_meant() {
    let texts = |count: usize| {
        (0..count)
            .map(|i| format!("é😀\u{0}{i}"))
            .collect::<Vec<_>>()
    };
    let tags = TagFilter {
        include: texts(1),
        exclude: texts(2),
    };
    let requests = [
        ToWorker::Discover {
            classes: texts(3),
            tags,
        },
        ToWorker::Discover {
            classes: vec!["x".repeat(100_000)],
            tags: TagFilter::default(),
        },
        ToWorker::Run {
            units: texts(1000).into_iter().map(UnitId).collect(),
        },
        ToWorker::Dump,
        ToWorker::Exit,
        ToWorker::Renew {
            classpath: texts(4),
        },
        ToWorker::RunTrials(Trials {
            units: vec![
                trial_unit("T#é", Some(7), u32::MAX, 1),
                trial_unit("T#b", None, 0, u32::MAX),
            ],
            trials: vec![
                TrialOrder {
                    variant: u32::MAX,
                    stop_at_failure: true,
                    units: vec![0, 1],
                },
                TrialOrder {
                    variant: 0,
                    stop_at_failure: false,
                    units: vec![],
                },
            ],
            record: true,
        }),
        ToWorker::Redefine {
            classes: vec![Redefinition {
                class: "a.B".to_owned(),
                bytes: vec![0, 255, 1],
            }],
        },
        ToWorker::Halt,
    ];
    let stream: Vec<u8> = requests.iter().flat_map(|r| r.encode().unwrap()).collect();
    let (_dir, class_path) = mirror();
    let finished = java(&class_path)
        .stdin(stream.clone())
        .run(PATIENCE)
        .unwrap();
    assert!(finished.success(), "{}", finished.stderr.text());
    assert_eq!(finished.stdout.bytes(), stream);
}

/// Everything that the mirror says on its connection.
fn answers() -> (Vec<FromWorker>, Finished) {
    let (_dir, class_path) = mirror();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port().to_string();
    let running = java(&class_path).arg(port).start().unwrap();
    let mut stream = Vec::new();
    listener
        .accept()
        .unwrap()
        .0
        .read_to_end(&mut stream)
        .unwrap();
    let mut frames = FrameReader::new();
    frames.push(&stream);
    let mut answers = Vec::new();
    while let Some(body) = frames.next_body().unwrap() {
        answers.push(FromWorker::decode(body).unwrap());
    }
    (answers, running.finish(Some(PATIENCE)).unwrap())
}

/// Replaces what differs from run to run.
fn without_times(mut message: FromWorker) -> FromWorker {
    match &mut message {
        FromWorker::LeafFinished { nanos, outcome, .. } => {
            *nanos = 0;
            if let Outcome::Failed(failure) = outcome {
                failure.trace = failure.trace.lines().next().unwrap().to_owned();
            }
        }
        FromWorker::UnitFinished { nanos, .. } => *nanos = 0,
        FromWorker::UnitRan(ran) => ran.leaves.iter_mut().for_each(|leaf| leaf.nanos = 0),
        FromWorker::Hello { java, .. } => java.clear(),
        _ => {}
    }
    message
}

/// What the mirror says of a unit.
fn unit_ran() -> UnitRan {
    let leaf = |leaf: &str, outcome| LeafRan {
        leaf: leaf.into(),
        outcome,
        nanos: 0,
    };
    let reason = "why".to_owned();
    UnitRan {
        trial: 3,
        unit: 4,
        end: UnitEnd::Idle {
            stack: "where".to_owned(),
            for_good: true,
        },
        ticks: 5,
        nanos: 6,
        leaves: vec![
            leaf("T#a[0]", Outcome::Passed),
            leaf("T#a[1]", Outcome::Skipped { reason }),
        ],
        hits: Some(Hits::new([0, 3])),
        had_stack: true,
        tainted: Some("why".to_owned()),
    }
}

#[test]
fn answers_are_what_java_has_said() {
    let (answers, finished) = answers();
    assert_eq!(finished.code(), Some(86));
    let answers: Vec<_> = answers.into_iter().map(without_times).collect();
    let failed = |exception: &str, assertion, message: &str| {
        Outcome::Failed(braid_protocol::Failure {
            assertion,
            exception: exception.to_owned(),
            message: Some(message.to_owned()),
            trace: format!("{exception}: {message}"),
        })
    };
    let finished = |unit: &str, leaf: &str, outcome| FromWorker::LeafFinished {
        unit: unit.into(),
        leaf: leaf.into(),
        outcome,
        nanos: 0,
    };
    let not_run = "the framework did not run T#c";
    let expected = [
        FromWorker::Hello {
            version: VERSION,
            token: "secret".to_owned(),
            java: String::new(),
        },
        FromWorker::Found(FoundUnit {
            id: "T#a".into(),
            framework: "junit4".to_owned(),
        }),
        FromWorker::Problem {
            class: "T".to_owned(),
            message: "why".to_owned(),
        },
        FromWorker::Discovered,
        FromWorker::UnitStarted { unit: "T#a".into() },
        FromWorker::LeafStarted {
            unit: "T#a".into(),
            leaf: "T#a[0]".into(),
        },
        finished("T#a", "T#a[0]", Outcome::Passed),
        finished(
            "T#a",
            "T#a[1]",
            failed("java.lang.AssertionError", true, "é😀 ?"),
        ),
        FromWorker::UnitFinished {
            unit: "T#a".into(),
            nanos: 0,
        },
        FromWorker::UnitStarted { unit: "T#b".into() },
        finished(
            "T#b",
            "T#b",
            Outcome::Skipped {
                reason: String::new(),
            },
        ),
        FromWorker::UnitFinished {
            unit: "T#b".into(),
            nanos: 0,
        },
        FromWorker::UnitStarted { unit: "T#c".into() },
        finished(
            "T#c",
            "T#c",
            failed("braid.runner.NotFound", false, not_run),
        ),
        FromWorker::UnitFinished {
            unit: "T#c".into(),
            nanos: 0,
        },
        FromWorker::RunFinished,
        FromWorker::Stack {
            text: "here".to_owned(),
        },
        FromWorker::Exiting {
            stack: "there".to_owned(),
        },
        FromWorker::TrialStarted { trial: 1, unit: 2 },
        FromWorker::UnitRan(Box::new(unit_ran())),
        FromWorker::TrialsFinished,
        FromWorker::Redefined {
            error: -1,
            message: "why".to_owned(),
        },
        FromWorker::Note {
            text: "note".to_owned(),
        },
        FromWorker::Renewed {
            unfit: Some("why".to_owned()),
        },
        FromWorker::Renewed { unfit: None },
        FromWorker::Broken {
            message: "java.lang.OutOfMemoryError".to_owned(),
        },
    ];
    assert_eq!(answers, expected);
}
