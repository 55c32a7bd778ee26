//! JUnit 4 itself as the runner, for tests that its rules surround: `JUnitCore` runs as any other bytecode, and its
//! result says for each configuration what went wrong first.

use super::discover::TestMethod;
use super::run::Progress;
use crate::interp::Done;
use crate::trap::{Step, Trap};
use crate::value::{Slot, as_int};
use crate::vm::Vm;
use braid_cond::Cond;

const CORE: &str = "org/junit/runner/JUnitCore";
const REQUEST: &str = "org/junit/runner/Request";
const RESULT: &str = "org/junit/runner/Result";

impl Vm {
    /// Runs a test by `JUnitCore`, in the contexts that are fine so far.
    pub(super) fn run_by_framework(
        &mut self,
        test: &TestMethod,
        progress: &mut Progress,
    ) -> Step<()> {
        self.need_assumptions()?;
        let held = self.held.len();
        let (core, request) = self.request(test)?;
        self.held.extend([core, request]);
        let class = self.load(CORE)?;
        let descriptor = format!("(L{REQUEST};)L{RESULT};");
        let run = self.method_of(class, "run", &descriptor)?;
        self.ctx = progress.fine;
        let ((returned, result), thrown) = match self.call(run, &[core, request]) {
            Done::Value(result) => ((progress.fine, result), Vec::new()),
            Done::Threw(exception) => ((Cond::FALSE, 0), vec![(progress.fine, exception)]),
            Done::Mixed(mixed) => (mixed.returned, mixed.thrown),
        };
        self.note(progress, returned, thrown)?;
        if !returned.is_false() {
            self.held.push(result);
            self.read_result(result, progress)?;
        }
        self.held.truncate(held);
        self.ctx = self.universe;
        Ok(())
    }

    /// Older versions do not say where an assumption failed.
    fn need_assumptions(&mut self) -> Step<()> {
        let class = self.load(RESULT)?;
        match self.method_named(class, "getAssumptionFailureCount", "()I") {
            Some(_) => Ok(()),
            None => Err(Trap::unknown(
                "JUnit rules are not supported before JUnit 4.13",
            )),
        }
    }

    /// A new `JUnitCore`, and the request for one test.
    fn request(&mut self, test: &TestMethod) -> Step<(Slot, Slot)> {
        let class = self.load(&test.class.replace('.', "/"))?;
        let mirror = u64::from(self.mirror(class)?);
        let name = u64::from(self.new_string(&test.method)?);
        self.held.push(name);
        let descriptor = format!("(Ljava/lang/Class;Ljava/lang/String;)L{REQUEST};");
        let request = self.call_static_named(REQUEST, "method", &descriptor, &[mirror, name])?;
        self.held.push(request);
        let class = self.load(CORE)?;
        self.ensure_init(class)?;
        let core = self.construct(class, "()V", &[])?;
        Ok((u64::from(core), request))
    }

    /// Moves the contexts with a failure from those that are fine.
    fn read_result(&mut self, result: Slot, progress: &mut Progress) -> Step<()> {
        self.ctx = progress.fine;
        let failures = self.call_virtual(result, "getFailures", "()Ljava/util/List;", &[])?;
        self.held.push(failures);
        let count = self.call_virtual(failures, "size", "()I", &[])?;
        for (failed, count) in self.leaves(count)? {
            if as_int(count) > 0 {
                self.first_failure(failures, failed, progress)?;
            }
        }
        self.ctx = progress.fine;
        let skipped = self.call_virtual(result, "getAssumptionFailureCount", "()I", &[])?;
        for (skipped, count) in self.leaves(skipped)? {
            if as_int(count) > 0 {
                self.ctx = skipped;
                let class = "org/junit/AssumptionViolatedException";
                let made = self.make_exception(class, Some("an assumption failed"));
                let made = u64::from(made?);
                let fine = self.conds.minus(progress.fine, skipped)?;
                self.note(progress, fine, vec![(skipped, made)])?;
            }
        }
        Ok(())
    }

    fn first_failure(&mut self, failures: Slot, failed: Cond, progress: &mut Progress) -> Step<()> {
        self.ctx = failed;
        let first = self.call_virtual(failures, "get", "(I)Ljava/lang/Object;", &[0])?;
        for (part, failure) in self.leaves(first)? {
            self.ctx = part;
            let get = "()Ljava/lang/Throwable;";
            let exception = self.call_virtual(failure, "getException", get, &[])?;
            let fine = self.conds.minus(progress.fine, part)?;
            self.note(progress, fine, vec![(part, exception)])?;
        }
        Ok(())
    }
}
