//! Which tests may wait, for time to pass or for another thread.

use std::cmp::Reverse;
use std::collections::HashMap;

use braid_classfile::ClassFile;
use braid_protocol::UnitId;

use crate::strategy::warm::program::Program;
use crate::strategy::warm::suite::{Call, Suite, each_call};

/// What a test waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Wait {
    /// Until time has passed.
    Time,
    /// For another thread or a process, which may be at work.
    Other,
}

/// No test waits for longer, so that larger numbers mean something else.
const LONGEST_MS: i64 = 600_000;

/// Splits units into those that may wait and the others. Of the former those that wait for time come first, and of these those
/// that name the largest numbers: one of them may be how long.
pub(super) fn split(
    suite: &Suite,
    program: &Program,
    units: Vec<UnitId>,
) -> (Vec<UnitId>, Vec<UnitId>) {
    let mut helpers = Helpers {
        program,
        known: HashMap::new(),
    };
    let calls = suite.judge(|call| Wait::of(call).or_else(|| helpers.wait(call)));
    let mut waiting: Vec<(Wait, Reverse<i64>, UnitId)> = Vec::new();
    let mut others = Vec::new();
    for unit in units {
        let body = suite.body(&unit);
        match body.calls.iter().filter_map(|call| calls[*call]).min() {
            Some(wait) => {
                let longest = body.constants.range(..=LONGEST_MS).next_back();
                waiting.push((wait, Reverse(longest.copied().unwrap_or(0)), unit));
            }
            None => others.push(unit),
        }
    }
    waiting.sort_by_key(|(wait, longest, _)| (*wait, *longest));
    let waiting = waiting.into_iter().map(|(_, _, unit)| unit);
    (waiting.collect(), others)
}

impl Wait {
    /// What a call waits for, by its name: most who wait for something of their own end up with such a one.
    fn of(call: &Call) -> Option<Self> {
        let Call {
            owner,
            name,
            descriptor,
        } = call;
        let concurrent = owner.starts_with("java/util/concurrent/");
        match name.as_str() {
            "sleep" | "parkNanos" | "parkUntil" => Some(Self::Time),
            "schedule" | "scheduleAtFixedRate" | "scheduleWithFixedDelay" => Some(Self::Time),
            "join" | "wait" if descriptor.ends_with(")V") => Some(Self::Other),
            "get" if owner.ends_with("Future") || owner.ends_with("FutureTask") => {
                Some(Self::Other)
            }
            "park" | "waitFor" | "invokeAll" | "invokeAny" => Some(Self::Other),
            "take" | "poll" | "acquire" | "tryAcquire" | "join" if concurrent => Some(Self::Other),
            name if name.starts_with("await") => Some(Self::Other),
            _ => None,
        }
    }
}

/// Methods of the program that wait themselves.
struct Helpers<'p> {
    program: &'p Program,
    /// By class, name and descriptor.
    known: HashMap<String, HashMap<(String, String), Wait>>,
}

impl Helpers<'_> {
    fn wait(&mut self, call: &Call) -> Option<Wait> {
        let bytes = self.program.originals.get(&call.owner)?;
        let known = self.known.entry(call.owner.clone()).or_insert_with(|| {
            ClassFile::parse(bytes).map_or_else(|_| HashMap::new(), |it| waits(&it))
        });
        known
            .get(&(call.name.clone(), call.descriptor.clone()))
            .copied()
    }
}

/// The methods of a class that wait.
fn waits(class: &ClassFile<'_>) -> HashMap<(String, String), Wait> {
    let mut waits = HashMap::new();
    for method in class.methods() {
        let Ok(Some(code)) = method.code() else {
            continue;
        };
        let mut found = None;
        each_call(class, code, &mut |member| {
            found = found.into_iter().chain(Wait::of(&Call::of(member))).min();
        });
        if let Some(wait) = found {
            let key = (method.name().to_string(), method.descriptor().to_string());
            waits.insert(key, wait);
        }
    }
    waits
}

#[cfg(test)]
mod tests {
    use super::*;

    fn call(owner: &str, name: &str, descriptor: &str) -> Call {
        Call {
            owner: owner.to_owned(),
            name: name.to_owned(),
            descriptor: descriptor.to_owned(),
        }
    }

    #[test]
    fn calls_that_wait_are_told_by_their_names() {
        let wait = |owner, name, descriptor| Wait::of(&call(owner, name, descriptor));
        assert_eq!(wait("java/lang/Thread", "sleep", "(J)V"), Some(Wait::Time));
        assert_eq!(wait("a/Worker", "join", "()V"), Some(Wait::Other));
        assert_eq!(wait("java/lang/Object", "wait", "(J)V"), Some(Wait::Other));
        let latch = "java/util/concurrent/CountDownLatch";
        assert_eq!(wait(latch, "await", "()V"), Some(Wait::Other));
        let get = "()Ljava/lang/Object;";
        let future = "java/util/concurrent/Future";
        assert_eq!(wait(future, "get", get), Some(Wait::Other));
        assert_eq!(wait("java/util/function/Supplier", "get", get), None);
        let join = "(Ljava/lang/CharSequence;)Ljava/lang/String;";
        assert_eq!(wait("java/lang/String", "join", join), None);
        assert_eq!(wait("java/util/Deque", "poll", get), None);
    }
}
