//! Running a main class.

use crate::interp::Done;
use crate::interp::raise::AbortKind;
use crate::interp::thrown::Thrown;
use crate::trap::{Step, Trap};
use crate::value::Slot;
use crate::vm::{Counters, Vm};
use braid_cond::Cond;

/// How the program ended in some of its configurations.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum End {
    /// `main` returned.
    Returned,
    /// `System.exit`.
    Exited(i32),
    /// An uncaught exception: class and message.
    Threw(String, Option<String>),
    /// More backward jumps and calls than allowed.
    Endless,
    /// The VM could not follow the program.
    Unknown(String),
}

impl serde::Serialize for End {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        use serde::ser::SerializeMap;
        let mut map = serializer.serialize_map(None)?;
        match self {
            End::Returned => map.serialize_entry("end", "returned")?,
            End::Exited(status) => {
                map.serialize_entry("end", "exited")?;
                map.serialize_entry("status", status)?;
            }
            End::Threw(exception, message) => {
                map.serialize_entry("end", "threw")?;
                map.serialize_entry("exception", exception)?;
                map.serialize_entry("message", message)?;
            }
            End::Endless => map.serialize_entry("end", "endless")?,
            End::Unknown(reason) => {
                map.serialize_entry("end", "unknown")?;
                map.serialize_entry("reason", reason)?;
            }
        }
        map.end()
    }
}

impl Vm {
    /// Writes output through to the process's own streams.
    pub fn echo(&mut self, echo: bool) {
        self.output.echo = echo;
    }

    /// What happened so far.
    pub fn counters(&self) -> Counters {
        self.counters
    }

    /// Runs `main` in every configuration; the ends are disjoint and together cover the universe.
    pub fn run_program(&mut self, main: &str, args: &[String]) -> Vec<(Cond, End)> {
        self.ctx = self.universe;
        self.end_path();
        self.set_fuel(self.limits.fuel);
        let done = match self.prepare_main(main, args) {
            Ok((method, array)) => self.call(method, &[array]),
            Err(trap) => self.give_up(self.universe, None, trap),
        };
        let (returned, thrown) = done.parts(self.universe);
        self.ends(returned, &thrown)
    }

    fn prepare_main(&mut self, main: &str, args: &[String]) -> Step<(u32, Slot)> {
        let class = self.load(&main.replace('.', "/"))?;
        self.ensure_init(class)?;
        let method = self.method_named(class, "main", "([Ljava/lang/String;)V");
        let method =
            method.ok_or_else(|| Trap::unknown(format!("class {main} has no main(String[])")))?;
        let array_class = self.array_of(self.known.string);
        let array = self.new_array(array_class, args.len() as u32)?;
        for (index, arg) in args.iter().enumerate() {
            let string = self.new_string(arg)?;
            self.heap.set_word(
                array + crate::heap::HEADER + index as u32,
                u64::from(string),
            );
        }
        Ok((method, u64::from(array)))
    }

    /// The ends of a call by condition, given where it returned and what it threw.
    pub(crate) fn ends(&mut self, returned: Cond, thrown: &Thrown) -> Vec<(Cond, End)> {
        let universe = self.universe;
        let mut ends = Vec::new();
        if !returned.is_false() {
            ends.push((returned, End::Returned));
        }
        // Asking an exception for its message may start a collection.
        let held = self.held.len();
        self.held.extend(thrown.iter().map(|part| part.1));
        match self.exceptions(thrown) {
            Ok(exceptions) => {
                for (cond, object) in exceptions {
                    self.ends_of(cond, object as u32, &mut ends);
                }
            }
            Err(trap) => {
                let reason = self.explain(trap);
                let parts = thrown.iter().map(|part| part.0);
                ends.extend(parts.map(|cond| (cond, End::Unknown(reason.clone()))));
            }
        }
        self.held.truncate(held);
        self.ctx = universe;
        join_equal(&mut self.conds, ends)
    }

    fn ends_of(&mut self, cond: Cond, object: u32, ends: &mut Vec<(Cond, End)>) {
        if let Some((kind, detail)) = self.abort_of(object) {
            let end = match kind {
                AbortKind::Exit => End::Exited(detail as i32),
                AbortKind::Endless => End::Endless,
                AbortKind::Unknown => End::Unknown(
                    self.reasons
                        .get(detail as usize)
                        .cloned()
                        .unwrap_or_default(),
                ),
            };
            ends.push((cond, end));
            return;
        }
        self.ctx = cond;
        let described = self.describe(object);
        self.ctx = cond;
        let parts = match described {
            Ok((class, message)) => {
                ends.push((cond, End::Threw(class, message)));
                return;
            }
            Err(Trap::Split(slot)) => self
                .leaves(slot)
                .map(|leaves| leaves.into_iter().map(|(part, _)| part).collect::<Vec<_>>()),
            Err(Trap::SplitOn(part)) => self
                .conds
                .minus(cond, part)
                .map(|rest| vec![part, rest])
                .map_err(Trap::from),
            Err(trap) => Err(trap),
        };
        match parts {
            Ok(parts) => {
                for part in parts {
                    let Ok(part) = self.conds.and(part, cond) else {
                        continue;
                    };
                    if part.is_false() {
                        continue;
                    }
                    if part == cond {
                        let class = self.java_name(self.class_of(object));
                        ends.push((cond, End::Threw(class, None)));
                        return;
                    }
                    self.ends_of(part, object, ends);
                }
            }
            Err(_) => ends.push((
                cond,
                End::Threw(self.java_name(self.class_of(object)), None),
            )),
        }
    }

    /// Runs `main` as the `java` command would and returns the exit status. For runs without options.
    pub fn run_main(&mut self, main: &str, args: &[String]) -> i32 {
        self.ctx = self.universe;
        let done = match self.prepare_main(main, args) {
            Ok((method, array)) => self.call(method, &[array]),
            Err(trap) => self.give_up(self.universe, None, trap),
        };
        let Done::Threw(exception) = done else {
            return 0;
        };
        if let Some((AbortKind::Exit, status)) = self.abort_of(exception as u32) {
            return status as i32;
        }
        let text = self.explain(Trap::Throw(exception));
        eprintln!("Exception in thread \"main\" {text}");
        1
    }
}

/// Ends that are the same become one.
pub(crate) fn join_equal(
    conds: &mut braid_cond::Manager,
    ends: Vec<(Cond, End)>,
) -> Vec<(Cond, End)> {
    let mut joined: Vec<(Cond, End)> = Vec::new();
    for (cond, end) in ends {
        let known = joined.iter_mut().find(|(_, other)| *other == end);
        match known {
            Some((old, _)) => {
                if let Ok(both) = conds.or(*old, cond) {
                    *old = both;
                } else {
                    joined.push((cond, end));
                }
            }
            None => joined.push((cond, end)),
        }
    }
    joined
}
