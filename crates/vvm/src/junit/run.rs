//! Running one test in every configuration.

use super::annotations::Value;
use super::discover::{Flavour, JUNIT4, JUPITER, TestMethod};
use crate::class::{ClassId, MethodId};
use crate::interp::thrown::Thrown;
use crate::program::End;
use crate::trap::{Step, Trap};
use crate::value::Slot;
use crate::vm::Vm;
use braid_cond::Cond;

/// How a test ended in some configurations.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// It passed.
    Passed,
    /// It failed with this exception and message.
    Failed(String, Option<String>),
    /// It was not run, with the reason.
    Skipped(String),
    /// It ran longer than allowed.
    Endless,
    /// The VM could not follow it.
    Unknown(String),
}

impl serde::Serialize for Outcome {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        use serde::ser::SerializeMap;
        let mut map = serializer.serialize_map(None)?;
        match self {
            Outcome::Passed => map.serialize_entry("outcome", "passed")?,
            Outcome::Failed(exception, message) => {
                map.serialize_entry("outcome", "failed")?;
                map.serialize_entry("exception", exception)?;
                map.serialize_entry("message", message)?;
            }
            Outcome::Skipped(reason) => {
                map.serialize_entry("outcome", "skipped")?;
                map.serialize_entry("reason", reason)?;
            }
            Outcome::Endless => map.serialize_entry("outcome", "endless")?,
            Outcome::Unknown(reason) => {
                map.serialize_entry("outcome", "unknown")?;
                map.serialize_entry("reason", reason)?;
            }
        }
        map.end()
    }
}

/// The outcomes of a test (or of one invocation of a parameterised test), disjoint by condition.
#[derive(Debug, Clone)]
pub struct TestRun {
    /// `Class#method`, with `[n]` for invocations of a parameterised test.
    pub name: String,
    /// Where which outcome holds.
    pub outcomes: Vec<(Cond, Outcome)>,
}

/// Where a test stands: the contexts in which all went well so far, and the failures.
pub(crate) struct Progress {
    pub(crate) fine: Cond,
    pub(crate) failed: Thrown,
}

impl Vm {
    /// Runs a test; a parameterised one gives several results.
    pub fn run_test(&mut self, test: &TestMethod) -> Vec<TestRun> {
        let name = format!("{}#{}", test.class, test.method);
        if let Some(reason) = &test.skipped {
            return vec![self.whole(name, Outcome::Skipped(reason.clone()))];
        }
        if let Some(reason) = &test.unsupported {
            return vec![self.whole(name, Outcome::Unknown(reason.clone()))];
        }
        self.ctx = self.universe;
        self.refuel();
        match self.invocations(test) {
            Ok(invocations) if invocations.len() == 1 && invocations[0].plain => {
                vec![self.run_invocation(test, name, &invocations[0])]
            }
            Ok(invocations) => {
                // A collection during one invocation must not free the arguments of the next.
                let held = self.held.len();
                for invocation in &invocations {
                    self.held.extend(invocation.slots());
                }
                let mut runs = Vec::new();
                for (index, invocation) in invocations.iter().enumerate() {
                    let name = format!("{name}[{}]", index + 1);
                    runs.push(self.run_invocation(test, name, invocation));
                }
                self.held.truncate(held);
                runs
            }
            Err(Trap::Throw(exception)) => {
                let universe = self.universe;
                let progress = Progress {
                    fine: Cond::FALSE,
                    failed: vec![(universe, exception)],
                };
                vec![self.finish_run(name, test, progress)]
            }
            Err(trap) => {
                let reason = self.explain(trap);
                vec![self.whole(name, Outcome::Unknown(reason))]
            }
        }
    }

    fn whole(&self, name: String, outcome: Outcome) -> TestRun {
        TestRun {
            name,
            outcomes: vec![(self.universe, outcome)],
        }
    }

    fn run_invocation(
        &mut self,
        test: &TestMethod,
        name: String,
        invocation: &super::params::Invocation,
    ) -> TestRun {
        let universe = self.universe;
        self.ctx = universe;
        self.refuel();
        let mut progress = Progress {
            fine: universe,
            failed: Vec::new(),
        };
        let run = if test.by_framework {
            self.run_by_framework(test, &mut progress)
        } else {
            self.run_steps(test, invocation, &mut progress)
        };
        if let Err(trap) = run {
            let reason = self.explain(trap);
            return self.whole(name, Outcome::Unknown(reason));
        }
        self.finish_run(name, test, progress)
    }

    fn run_steps(
        &mut self,
        test: &TestMethod,
        invocation: &super::params::Invocation,
        progress: &mut Progress,
    ) -> Step<()> {
        let class = self.load(&test.class.replace('.', "/"))?;
        let marks = Marks::of(test.flavour);
        let before_all = self.marked(class, marks.before_all, true);
        let is_static = |vm: &Vm, m: MethodId| vm.methods[m as usize].access.is_static();
        let (shared, own): (Vec<MethodId>, Vec<MethodId>) =
            before_all.into_iter().partition(|&m| is_static(self, m));
        for method in shared {
            self.step(progress, method, &[])?;
        }
        let (object, constructor) = self.instance(class, test, invocation)?;
        self.held.push(object);
        if let Some((method, args)) = constructor {
            self.step(progress, method, &args)?;
        }
        // One instance for the class: its class-level methods need not be static.
        for method in own {
            self.step(progress, method, &[object])?;
        }
        let constructed = progress.fine;
        for (at, value) in &invocation.fields {
            self.store_field(object as u32, *at, *value)?;
        }
        for method in self.marked(class, marks.before, true) {
            self.step(progress, method, &[object])?;
        }
        let method = self.select(class, test.id).unwrap_or(test.id);
        let mut args = invocation.args.clone();
        if !self.methods[method as usize].access.is_static() {
            args.insert(0, object);
        }
        self.step_expecting(progress, method, &args, test)?;
        for method in self.marked(class, marks.after, false) {
            self.late_step(progress, constructed, method, &[object])?;
        }
        // Class-level tear-down is the class's, not this test's: its failure would not fail the test, and what
        // it cleans up is gone with the next reset.
        self.held.pop();
        Ok(())
    }

    /// The test object, and the constructor still to be called on it.
    #[allow(clippy::type_complexity)] // a method with its arguments
    fn instance(
        &mut self,
        class: ClassId,
        test: &TestMethod,
        invocation: &super::params::Invocation,
    ) -> Step<(Slot, Option<(MethodId, Vec<Slot>)>)> {
        self.ensure_init(class)?;
        let object = u64::from(self.new_object(class)?);
        let init = self.known.init;
        let constructors: Vec<MethodId> = self.classes[class as usize].methods.clone();
        for method in constructors {
            let entry = &self.methods[method as usize];
            if entry.name != init {
                continue;
            }
            let mut args = vec![object];
            match entry.params.len() {
                1 => {}
                2 if test.flavour == Flavour::JUnit3 => {
                    args.push(u64::from(self.new_string(&test.method)?))
                }
                count if count == invocation.constructor.len() + 1 => {
                    args.extend(&invocation.constructor)
                }
                _ => continue,
            }
            if args.len() == invocation.constructor.len() + 1 || invocation.constructor.is_empty() {
                return Ok((object, Some((method, args))));
            }
        }
        Err(Trap::unknown(
            "the test class has no constructor that the runner can call",
        ))
    }

    /// Methods of a class and its superclasses with an annotation (or, for JUnit 3, a name).
    fn marked(&mut self, class: ClassId, mark: &str, super_first: bool) -> Vec<MethodId> {
        let mut found: Vec<MethodId> = Vec::new();
        let mut lineage = self.lineage(class);
        if super_first {
            lineage.reverse();
        }
        let mut seen: Vec<(crate::symbol::Sym, crate::symbol::Sym)> = Vec::new();
        for owner in lineage {
            for method in self.classes[owner as usize].methods.clone() {
                let entry = &self.methods[method as usize];
                let key = (entry.name, entry.descriptor);
                let by_name = mark.strip_prefix('#') == Some(&**self.symbols.text(entry.name));
                if by_name && entry.params.len() == 1 && !seen.contains(&key) {
                    seen.push(key);
                    found.extend(self.select(class, method));
                } else if !mark.starts_with('#')
                    && self
                        .method_annotations(method)
                        .iter()
                        .any(|annotation| annotation.name == mark)
                    && !seen.contains(&key)
                {
                    seen.push(key);
                    found.push(self.select(class, method).unwrap_or(method));
                }
            }
        }
        if mark.starts_with('#') {
            found.truncate(1);
        }
        found
    }

    /// A call in the contexts that are fine so far.
    fn step(&mut self, progress: &mut Progress, method: MethodId, args: &[Slot]) -> Step<()> {
        if progress.fine.is_false() {
            return Ok(());
        }
        let (returned, thrown) = self.call_in(progress.fine, method, args);
        self.note(progress, returned, thrown)
    }

    fn call_in(&mut self, ctx: Cond, method: MethodId, args: &[Slot]) -> (Cond, Thrown) {
        self.ctx = ctx;
        let class = self.methods[method as usize].class;
        let done = match self.ensure_init(class) {
            Ok(()) | Err(Trap::SplitOn(_)) => self.call(method, args),
            Err(trap) => self.give_up(ctx, None, trap),
        };
        self.ctx = self.universe;
        done.parts(ctx)
    }

    pub(super) fn note(
        &mut self,
        progress: &mut Progress,
        returned: Cond,
        thrown: Thrown,
    ) -> Step<()> {
        progress.fine = returned;
        for (cond, exception) in thrown {
            self.add_thrown(&mut progress.failed, cond, exception)?;
        }
        Ok(())
    }

    /// The test method itself, with JUnit 4's `expected`.
    fn step_expecting(
        &mut self,
        progress: &mut Progress,
        method: MethodId,
        args: &[Slot],
        test: &TestMethod,
    ) -> Step<()> {
        let expected = match test
            .annotation("org/junit/Test")
            .and_then(|test| test.get("expected"))
        {
            Some(Value::Class(descriptor)) if test.flavour == Flavour::JUnit4 => descriptor.clone(),
            _ => return self.step(progress, method, args),
        };
        if progress.fine.is_false() || expected == "Lorg/junit/Test$None;" {
            return self.step(progress, method, args);
        }
        let expected_class = self.load_descriptor(&expected)?;
        let (returned, thrown) = self.call_in(progress.fine, method, args);
        let mut fine = Cond::FALSE;
        let mut other = Vec::new();
        for (cond, object) in self.exceptions(&thrown)? {
            let class = self.class_of(object as u32);
            if class != self.known.abort && self.is_subclass(class, expected_class) {
                fine = self.conds.or(fine, cond)?;
            } else {
                other.push((cond, object));
            }
        }
        self.note(progress, fine, other)?;
        if !returned.is_false() {
            self.ctx = returned;
            let message = format!("Expected exception: {}", self.java_name(expected_class));
            let made = self.make_exception("java/lang/AssertionError", Some(&message));
            self.ctx = self.universe;
            let made = u64::from(made?);
            let fine = progress.fine;
            self.note(progress, fine, vec![(returned, made)])?;
        }
        Ok(())
    }

    /// Tear-down: runs wherever set-up was begun; only the first failure of a context is kept.
    fn late_step(
        &mut self,
        progress: &mut Progress,
        ctx: Cond,
        method: MethodId,
        args: &[Slot],
    ) -> Step<()> {
        if ctx.is_false() {
            return Ok(());
        }
        // A collection during the call must not free the failures.
        let held = self.held.len();
        self.held.extend(progress.failed.iter().map(|part| part.1));
        let (_, mut thrown) = self.call_in(ctx, method, args);
        self.held.truncate(held);
        for part in &mut thrown {
            part.0 = self.conds.and(part.0, progress.fine)?;
        }
        let new = self.thrown_where(&thrown)?;
        let fine = self.conds.minus(progress.fine, new)?;
        self.note(progress, fine, thrown)
    }

    fn finish_run(&mut self, name: String, _test: &TestMethod, progress: Progress) -> TestRun {
        let mut outcomes = Vec::new();
        if !progress.fine.is_false() {
            outcomes.push((progress.fine, Outcome::Passed));
        }
        for (cond, end) in self.ends(Cond::FALSE, &progress.failed) {
            let outcome = match end {
                End::Returned => Outcome::Passed,
                End::Threw(class, message) if is_assumption(&class) => {
                    Outcome::Skipped(message.unwrap_or(class))
                }
                End::Threw(class, message) => Outcome::Failed(class, message),
                End::Exited(status) => {
                    Outcome::Failed("System.exit".into(), Some(status.to_string()))
                }
                End::Endless => Outcome::Endless,
                End::Unknown(reason) => Outcome::Unknown(reason),
            };
            outcomes.push((cond, outcome));
        }
        TestRun { name, outcomes }
    }
}

fn is_assumption(class: &str) -> bool {
    matches!(
        class,
        "org.junit.AssumptionViolatedException"
            | "org.junit.internal.AssumptionViolatedException"
            | "org.opentest4j.TestAbortedException"
    )
}

/// The annotations (or names, with `#`) of set-up and tear-down.
struct Marks {
    before_all: &'static str,
    before: &'static str,
    after: &'static str,
}

impl Marks {
    fn of(flavour: Flavour) -> Marks {
        debug_assert!(JUNIT4 == "org/junit/" && JUPITER == "org/junit/jupiter/api/");
        match flavour {
            Flavour::JUnit3 => Marks {
                before_all: "-",
                before: "#setUp",
                after: "#tearDown",
            },
            Flavour::JUnit4 => Marks {
                before_all: "org/junit/BeforeClass",
                before: "org/junit/Before",
                after: "org/junit/After",
            },
            Flavour::JUnit5 => Marks {
                before_all: "org/junit/jupiter/api/BeforeAll",
                before: "org/junit/jupiter/api/BeforeEach",
                after: "org/junit/jupiter/api/AfterEach",
            },
        }
    }
}
