//! Running one test in every configuration.

use super::annotations::Value;
use super::discover::{Flavour, Runner, TestMethod};
use super::order::Stage;
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

/// Parts of the space that a test is run in apart from each other, since its parameters differ.
const MOST_PARTS: usize = 256;

/// Where a test stands: the contexts in which all went well so far, and the failures.
pub(crate) struct Progress {
    pub(crate) fine: Cond,
    pub(crate) failed: Thrown,
}

impl Vm {
    /// Runs a test; a parameterised one gives several results. Where the space has to be split before the test can
    /// begin, the parts in which it has to be run instead.
    pub fn run_test(&mut self, test: &TestMethod) -> std::result::Result<Vec<TestRun>, Vec<Cond>> {
        let name = format!("{}#{}", test.class, test.method);
        if let Some(reason) = &test.skipped {
            return Ok(vec![self.whole(name, Outcome::Skipped(reason.clone()))]);
        }
        if let Some(reason) = &test.unsupported {
            return Ok(vec![self.whole(name, Outcome::Unknown(reason.clone()))]);
        }
        self.ctx = self.universe;
        self.refuel();
        let run = match test.runner {
            Runner::Jupiter => self.run_by_jupiter(&name, test),
            _ => self.run_invocations(&name, test),
        };
        match run {
            Ok(runs) => Ok(runs),
            Err(Trap::Throw(exception)) => {
                let universe = self.universe;
                let progress = Progress {
                    fine: Cond::FALSE,
                    failed: vec![(universe, exception)],
                };
                Ok(vec![self.finish_run(name, progress)])
            }
            Err(trap) if is_split(&trap) => match self.parts_of(&trap) {
                Some(parts) => Err(parts),
                None => {
                    let reason = "a test that begins in too many ways is not supported".to_owned();
                    Ok(vec![self.whole(name, Outcome::Unknown(reason))])
                }
            },
            Err(trap) => {
                let reason = self.explain(trap);
                Ok(vec![self.whole(name, Outcome::Unknown(reason))])
            }
        }
    }

    fn run_invocations(&mut self, name: &str, test: &TestMethod) -> Step<Vec<TestRun>> {
        let invocations = self.invocations(test)?;
        if let [single] = &invocations[..]
            && single.plain
        {
            return Ok(vec![self.run_invocation(test, name.to_owned(), single)?]);
        }
        // A collection during one invocation must not free the arguments of the next.
        let held = self.held.len();
        for invocation in &invocations {
            self.held.extend(invocation.slots());
        }
        let mut runs = Vec::new();
        for (index, invocation) in invocations.iter().enumerate() {
            let name = format!("{name}[{}]", index + 1);
            runs.push(self.run_invocation(test, name, invocation)?);
        }
        self.held.truncate(held);
        Ok(runs)
    }

    /// The parts of the space in which a value that a trap is about is plain.
    fn parts_of(&mut self, trap: &Trap) -> Option<Vec<Cond>> {
        self.ctx = self.universe;
        let parts = match trap {
            Trap::Split(slot) => {
                let leaves = self.leaves(*slot).ok()?;
                leaves.into_iter().map(|(part, _)| part).collect()
            }
            Trap::SplitOn(part) => {
                let inside = self.conds.and(*part, self.universe).ok()?;
                vec![inside, self.conds.minus(self.universe, inside).ok()?]
            }
            Trap::Parts(parts) => parts.clone(),
            _ => return None,
        };
        let empty = parts.iter().any(|part| part.is_false());
        (!empty && (2..=MOST_PARTS).contains(&parts.len())).then_some(parts)
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
    ) -> Step<TestRun> {
        let universe = self.universe;
        self.ctx = universe;
        self.refuel();
        let mut progress = Progress {
            fine: universe,
            failed: Vec::new(),
        };
        let run = match test.runner {
            Runner::JUnit4 => self.run_by_framework(test, &mut progress),
            _ => self.run_steps(test, invocation, &mut progress),
        };
        match run {
            Ok(()) => Ok(self.finish_run(name, progress)),
            Err(trap) if is_split(&trap) => Err(trap),
            // The class of the test cannot be initialised.
            Err(Trap::Throw(exception)) => {
                let fine = progress.fine;
                self.note(&mut progress, Cond::FALSE, vec![(fine, exception)])?;
                Ok(self.finish_run(name, progress))
            }
            Err(trap) => {
                let reason = self.explain(trap);
                Ok(self.whole(name, Outcome::Unknown(reason)))
            }
        }
    }

    fn run_steps(
        &mut self,
        test: &TestMethod,
        invocation: &super::params::Invocation,
        progress: &mut Progress,
    ) -> Step<()> {
        let class = self.load(&test.class.replace('.', "/"))?;
        let before_all = self.stage(class, test, Stage::BeforeAll);
        let is_static = |vm: &Vm, m: MethodId| vm.methods[m as usize].access.is_static();
        let (shared, own): (Vec<MethodId>, Vec<MethodId>) =
            before_all.into_iter().partition(|&m| is_static(self, m));
        for method in shared {
            self.step(progress, method, &[])?;
        }
        let (object, constructor) = self.instance(class, test, invocation)?;
        let held = self.held.len();
        self.held.push(object);
        let (method, args) = constructor;
        self.step(progress, method, &args)?;
        if test.flavour == Flavour::JUnit3 && args.len() == 1 {
            let name = u64::from(self.new_string(&test.method)?);
            let set_name = self.method_of(class, "setName", "(Ljava/lang/String;)V")?;
            self.step(progress, set_name, &[object, name])?;
        }
        // One instance for the class: its class-level methods need not be static.
        for method in own {
            self.step(progress, method, &[object])?;
        }
        let constructed = progress.fine;
        for (at, value) in &invocation.fields {
            self.store_field(object as u32, *at, *value)?;
        }
        for method in self.stage(class, test, Stage::Before) {
            self.step(progress, method, &[object])?;
        }
        let method = self.select(class, test.id).unwrap_or(test.id);
        self.step_expecting(progress, method, &[object], test)?;
        for method in self.stage(class, test, Stage::After) {
            self.late_step(progress, constructed, method, &[object])?;
        }
        // Class-level tear-down is the class's, not this test's: its failure would not fail the test, and what
        // it cleans up is gone with the next reset.
        self.held.truncate(held);
        Ok(())
    }

    /// The test object, and the constructor still to be called on it.
    fn instance(
        &mut self,
        class: ClassId,
        test: &TestMethod,
        invocation: &super::params::Invocation,
    ) -> Step<(Slot, (MethodId, Vec<Slot>))> {
        self.ensure_init(class)?;
        let object = u64::from(self.new_object(class)?);
        let init = self.known.init;
        if test.flavour == Flavour::JUnit3 {
            let named = self.method_named(class, "<init>", "(Ljava/lang/String;)V");
            if let Some(method) = named.filter(|&m| self.methods[m as usize].class == class) {
                let name = u64::from(self.new_string(&test.method)?);
                return Ok((object, (method, vec![object, name])));
            }
        }
        let constructors: Vec<MethodId> = self.classes[class as usize].methods.clone();
        for method in constructors {
            let entry = &self.methods[method as usize];
            if entry.name != init {
                continue;
            }
            let mut args = vec![object];
            match entry.params.len() {
                1 => {}
                count if count == invocation.constructor.len() + 1 => {
                    args.extend(&invocation.constructor)
                }
                _ => continue,
            }
            if args.len() == invocation.constructor.len() + 1 || invocation.constructor.is_empty() {
                return Ok((object, (method, args)));
            }
        }
        Err(Trap::unknown(
            "the test class has no constructor that the runner can call",
        ))
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
        // Making exceptions may start a collection.
        self.held.extend(thrown.iter().map(|part| part.1));
        let wanted = self.java_name(expected_class);
        for (cond, object) in self.exceptions(&thrown)? {
            let class = self.class_of(object as u32);
            let name = self.java_name(class);
            if class == self.known.abort {
                other.push((cond, object));
            } else if self.is_subclass(class, expected_class) {
                fine = self.conds.or(fine, cond)?;
            } else if is_assumption(&name) {
                other.push((cond, object));
            } else {
                let message = format!("Unexpected exception, expected<{wanted}> but was<{name}>");
                let made = self.make_in(cond, "java/lang/Exception", &message)?;
                self.held.push(made);
                other.push((cond, made));
            }
        }
        self.note(progress, fine, other)?;
        if !returned.is_false() {
            let message = format!("Expected exception: {wanted}");
            let made = self.make_in(returned, "java/lang/AssertionError", &message)?;
            let fine = progress.fine;
            self.note(progress, fine, vec![(returned, made)])?;
        }
        Ok(())
    }

    /// A new exception in a context.
    fn make_in(&mut self, ctx: Cond, class: &str, message: &str) -> Step<Slot> {
        self.ctx = ctx;
        let made = self.make_exception(class, Some(message));
        self.ctx = self.universe;
        Ok(u64::from(made?))
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
        // A failure counts for more than an assumption that did not hold.
        let skipped = self.skipped_where(&progress.failed)?;
        let open = self.conds.or(progress.fine, skipped)?;
        for part in &mut thrown {
            part.0 = self.conds.and(part.0, open)?;
        }
        let new = self.thrown_where(&thrown)?;
        for part in &mut progress.failed {
            part.0 = self.conds.minus(part.0, new)?;
        }
        progress.failed.retain(|part| !part.0.is_false());
        let fine = self.conds.minus(progress.fine, new)?;
        self.note(progress, fine, thrown)
    }

    /// Where an assumption did not hold.
    fn skipped_where(&mut self, failed: &Thrown) -> Step<Cond> {
        let mut skipped = Cond::FALSE;
        for (cond, exception) in self.exceptions(failed)? {
            let class = self.class_of(exception as u32);
            if is_assumption(&self.java_name(class)) {
                skipped = self.conds.or(skipped, cond)?;
            }
        }
        Ok(skipped)
    }

    fn finish_run(&mut self, name: String, progress: Progress) -> TestRun {
        let mut outcomes = Vec::new();
        if !progress.fine.is_false() {
            outcomes.push((progress.fine, Outcome::Passed));
        }
        outcomes.extend(self.outcomes(&progress.failed));
        TestRun { name, outcomes }
    }

    /// What exceptions mean for a test.
    pub(super) fn outcomes(&mut self, thrown: &Thrown) -> Vec<(Cond, Outcome)> {
        let ends = self.ends(Cond::FALSE, thrown).into_iter();
        ends.map(|(cond, end)| (cond, outcome(end))).collect()
    }
}

/// Whether the space has to be split to go on.
fn is_split(trap: &Trap) -> bool {
    matches!(trap, Trap::Split(_) | Trap::SplitOn(_) | Trap::Parts(_))
}

fn outcome(end: End) -> Outcome {
    match end {
        End::Returned => Outcome::Passed,
        End::Threw(class, message) if is_assumption(&class) => {
            Outcome::Skipped(message.unwrap_or(class))
        }
        End::Threw(class, message) => Outcome::Failed(class, message),
        End::Exited(status) => Outcome::Failed("System.exit".into(), Some(status.to_string())),
        End::Endless => Outcome::Endless,
        End::Unknown(reason) => Outcome::Unknown(reason),
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
