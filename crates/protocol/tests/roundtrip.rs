//! Messages survive encoding, in pieces of any size; bytes that are no messages are refused.

use braid_protocol::{
    Failure, FoundUnit, FrameReader, FromWorker, Hits, LeafId, LeafRan, LoopRound, MAX_FRAME,
    Outcome, ProtocolError, Redefinition, TagFilter, ToWorker, TrialOrder, TrialUnit, Trials,
    UnitEnd, UnitId, UnitRan,
};
use proptest::collection::vec;
use proptest::prelude::*;

fn unit() -> impl Strategy<Value = UnitId> {
    any::<String>().prop_map(UnitId)
}

fn leaf() -> impl Strategy<Value = LeafId> {
    any::<String>().prop_map(LeafId)
}

fn outcome() -> impl Strategy<Value = Outcome> {
    let failure = (
        any::<bool>(),
        any::<String>(),
        any::<Option<String>>(),
        any::<String>(),
    );
    prop_oneof![
        Just(Outcome::Passed),
        failure.prop_map(|(assertion, exception, message, trace)| {
            Outcome::Failed(Failure {
                assertion,
                exception,
                message,
                trace,
            })
        }),
        any::<String>().prop_map(|reason| Outcome::Skipped { reason }),
    ]
}

fn trials() -> impl Strategy<Value = Trials> {
    let unit = (
        unit(),
        proptest::option::of(0..i64::MAX as u64),
        any::<u32>(),
        any::<u32>(),
        any::<Option<std::num::NonZeroU32>>(),
    )
        .prop_map(|(unit, fuel, wall_ms, idle_ms, stack_kb)| TrialUnit {
            unit,
            fuel,
            wall_ms,
            idle_ms,
            stack_kb,
        });
    let trial = (any::<u32>(), any::<bool>(), vec(any::<u32>(), 0..4)).prop_map(
        |(variant, stop_at_failure, units)| TrialOrder {
            variant,
            stop_at_failure,
            units,
        },
    );
    (vec(unit, 0..4), vec(trial, 0..4), any::<bool>()).prop_map(|(units, trials, record)| Trials {
        units,
        trials,
        record,
    })
}

fn round() -> impl Strategy<Value = LoopRound> {
    let names = (any::<String>(), any::<String>(), any::<String>());
    let numbers = (vec(any::<u32>(), 0..4), vec(any::<u32>(), 0..4));
    let reach = proptest::option::of(vec(any::<String>(), 0..4));
    (names, numbers, reach).prop_map(|((class, method, descriptor), (places, changing), reach)| {
        LoopRound {
            class,
            method,
            descriptor,
            places,
            changing,
            reach,
        }
    })
}

fn unit_ran() -> impl Strategy<Value = UnitRan> {
    let end = prop_oneof![
        Just(UnitEnd::Finished),
        vec(round(), 0..3).prop_map(|rounds| UnitEnd::OutOfFuel { rounds }),
        any::<String>().prop_map(|stack| UnitEnd::OverTime { stack }),
        any::<(String, bool)>().prop_map(|(stack, for_good)| UnitEnd::Idle { stack, for_good }),
    ];
    let leaf = (leaf(), outcome(), any::<u64>()).prop_map(|(leaf, outcome, nanos)| LeafRan {
        leaf,
        outcome,
        nanos,
    });
    let hits = proptest::option::of(vec(0..2000_u32, 0..9).prop_map(Hits::new));
    (
        any::<(u32, u32, u64, u64)>(),
        end,
        vec(leaf, 0..4),
        hits,
        any::<(bool, Option<String>)>(),
    )
        .prop_map(
            |((trial, unit, ticks, nanos), end, leaves, hits, (had_stack, tainted))| UnitRan {
                trial,
                unit,
                end,
                ticks,
                nanos,
                leaves,
                hits,
                had_stack,
                tainted,
            },
        )
}

fn to_worker() -> impl Strategy<Value = ToWorker> {
    let names = || vec(any::<String>(), 0..5);
    prop_oneof![
        (names(), names(), names()).prop_map(|(classes, include, exclude)| {
            ToWorker::Discover {
                classes,
                tags: TagFilter { include, exclude },
            }
        }),
        vec(unit(), 0..5).prop_map(|units| ToWorker::Run { units }),
        Just(ToWorker::Dump),
        Just(ToWorker::Exit),
        names().prop_map(|classpath| ToWorker::Renew { classpath }),
        trials().prop_map(ToWorker::RunTrials),
        vec((any::<String>(), vec(any::<u8>(), 0..50)), 0..3).prop_map(|classes| {
            let classes = classes.into_iter();
            let classes = classes.map(|(class, bytes)| Redefinition { class, bytes });
            ToWorker::Redefine {
                classes: classes.collect(),
            }
        }),
        Just(ToWorker::Halt),
    ]
}

fn from_worker() -> impl Strategy<Value = FromWorker> {
    let text = any::<String>;
    prop_oneof![
        (any::<u16>(), text(), text()).prop_map(|(version, token, java)| FromWorker::Hello {
            version,
            token,
            java
        }),
        (unit(), text()).prop_map(|(id, framework)| FromWorker::Found(FoundUnit { id, framework })),
        (text(), text()).prop_map(|(class, message)| FromWorker::Problem { class, message }),
        Just(FromWorker::Discovered),
        unit().prop_map(|unit| FromWorker::UnitStarted { unit }),
        (unit(), leaf()).prop_map(|(unit, leaf)| FromWorker::LeafStarted { unit, leaf }),
        (unit(), leaf(), outcome(), any::<u64>()).prop_map(|(unit, leaf, outcome, nanos)| {
            FromWorker::LeafFinished {
                unit,
                leaf,
                outcome,
                nanos,
            }
        }),
        (unit(), any::<u64>()).prop_map(|(unit, nanos)| FromWorker::UnitFinished { unit, nanos }),
        Just(FromWorker::RunFinished),
        text().prop_map(|text| FromWorker::Stack { text }),
        text().prop_map(|stack| FromWorker::Exiting { stack }),
        text().prop_map(|message| FromWorker::Broken { message }),
        any::<Option<String>>().prop_map(|unfit| FromWorker::Renewed { unfit }),
        any::<(u32, u32)>().prop_map(|(trial, unit)| FromWorker::TrialStarted { trial, unit }),
        unit_ran().prop_map(|ran| FromWorker::UnitRan(Box::new(ran))),
        Just(FromWorker::TrialsFinished),
        (any::<i32>(), text())
            .prop_map(|(error, message)| FromWorker::Redefined { error, message }),
        text().prop_map(|text| FromWorker::Note { text }),
    ]
}

/// The bodies in a stream that comes in pieces of `piece` bytes.
fn bodies(stream: &[u8], piece: usize) -> Vec<Vec<u8>> {
    let mut reader = FrameReader::new();
    let mut bodies = Vec::new();
    for bytes in stream.chunks(piece) {
        reader.push(bytes);
        while let Some(body) = reader.next_body().unwrap() {
            bodies.push(body.to_vec());
        }
    }
    bodies
}

proptest! {
    #[test]
    fn requests_come_back_as_they_were(
        messages in vec(to_worker(), 0..6),
        piece in 1_usize..80,
    ) {
        let stream: Vec<u8> = messages.iter().flat_map(|m| m.encode().unwrap()).collect();
        let back: Vec<_> =
            bodies(&stream, piece).iter().map(|body| ToWorker::decode(body).unwrap()).collect();
        prop_assert_eq!(back, messages);
    }

    #[test]
    fn answers_come_back_as_they_were(
        messages in vec(from_worker(), 0..6),
        piece in 1_usize..80,
    ) {
        let stream: Vec<u8> = messages.iter().flat_map(|m| m.encode().unwrap()).collect();
        let back: Vec<_> =
            bodies(&stream, piece).iter().map(|body| FromWorker::decode(body).unwrap()).collect();
        prop_assert_eq!(back, messages);
    }

    #[test]
    fn any_bytes_are_a_message_or_an_error(body in vec(any::<u8>(), 0..200)) {
        // What decodes must encode to the same bytes: there is one encoding only.
        if let Ok(message) = FromWorker::decode(&body) {
            prop_assert_eq!(&message.encode().unwrap()[4..], &body[..]);
        }
        if let Ok(message) = ToWorker::decode(&body) {
            prop_assert_eq!(&message.encode().unwrap()[4..], &body[..]);
        }
    }

    #[test]
    fn a_message_cut_short_is_refused(message in from_worker(), cut in 1_usize..1000) {
        let frame = message.encode().unwrap();
        let body = &frame[4..];
        let cut = cut.min(body.len());
        prop_assert_eq!(
            FromWorker::decode(&body[..body.len() - cut]),
            Err(ProtocolError::Truncated)
        );
    }
}

#[test]
fn wrong_bytes_are_named() {
    assert_eq!(
        FromWorker::decode(&[200]),
        Err(ProtocolError::UnknownMessage { number: 200 })
    );
    assert_eq!(
        FromWorker::decode(&[4, 0, 0]),
        Err(ProtocolError::Trailing { extra: 2 })
    );
    let not_utf8 = [5, 0, 0, 0, 1, 0xff];
    assert_eq!(
        FromWorker::decode(&not_utf8),
        Err(ProtocolError::BadValue { field: "a text" })
    );
    let endless_list = [2, 0xff, 0xff, 0xff, 0xff];
    assert_eq!(
        ToWorker::decode(&endless_list),
        Err(ProtocolError::Truncated)
    );
}

#[test]
fn frames_that_are_too_long_are_refused_on_both_sides() {
    let mut reader = FrameReader::new();
    reader.push(&[0xff; 8]);
    assert_eq!(
        reader.next_body(),
        Err(ProtocolError::TooLong { length: u32::MAX })
    );
    let long = "x".repeat(MAX_FRAME as usize);
    assert_eq!(FromWorker::Stack { text: long }.encode(), None);
}
