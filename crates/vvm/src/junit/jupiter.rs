//! Jupiter itself as the runner, for all but plain test methods: its engine runs as any other bytecode, and what it
//! tells its listener, by context, are the outcomes.
//!
//! The engine is called without a launcher, since class paths of projects have none. One object of a class that the
//! VM makes is everything that a launcher would give to the engine: request, configuration and listener.

use super::discover::{Flavour, TestMethod};
use super::run::{Outcome, TestRun};
use crate::class::{Body, ClassId};
use crate::interp::thrown::Thrown;
use crate::natives::{Function, Native, nothing};
use crate::trap::{Step, Trap};
use crate::value::{Slot, as_ref};
use crate::vm::Vm;
use braid_classfile::AccessFlags;
use braid_cond::Cond;

const BRIDGE: &str = "braid/Jupiter";
const ENGINE: &str = "org/junit/jupiter/engine/JupiterTestEngine";
const PLATFORM: &str = "org/junit/platform/engine/";
const CONFIGURATION: &str = "junit-platform.properties";

/// What a launcher's part is, as far as a version has it.
const INTERFACES: [&str; 5] = [
    "EngineDiscoveryRequest",
    "EngineExecutionListener",
    "ConfigurationParameters",
    "reporting/OutputDirectoryProvider",
    "OutputDirectoryCreator",
];

/// Their methods, and what does them; `@` is the package of the platform's engines.
const METHODS: [(&str, &str, Function); 17] = [
    (
        "getSelectorsByType",
        "(Ljava/lang/Class;)Ljava/util/List;",
        selectors,
    ),
    (
        "getFiltersByType",
        "(Ljava/lang/Class;)Ljava/util/List;",
        empty_list,
    ),
    (
        "getConfigurationParameters",
        "()L@ConfigurationParameters;",
        itself,
    ),
    (
        "getOutputDirectoryProvider",
        "()L@reporting/OutputDirectoryProvider;",
        itself,
    ),
    (
        "getOutputDirectoryCreator",
        "()L@OutputDirectoryCreator;",
        itself,
    ),
    ("get", "(Ljava/lang/String;)Ljava/util/Optional;", parameter),
    (
        "getBoolean",
        "(Ljava/lang/String;)Ljava/util/Optional;",
        boolean_parameter,
    ),
    ("size", "()I", nothing),
    ("keySet", "()Ljava/util/Set;", empty_set),
    ("dynamicTestRegistered", "(L@TestDescriptor;)V", nothing),
    ("executionStarted", "(L@TestDescriptor;)V", nothing),
    (
        "executionSkipped",
        "(L@TestDescriptor;Ljava/lang/String;)V",
        skipped,
    ),
    (
        "executionFinished",
        "(L@TestDescriptor;L@TestExecutionResult;)V",
        finished,
    ),
    (
        "reportingEntryPublished",
        "(L@TestDescriptor;L@reporting/ReportEntry;)V",
        nothing,
    ),
    (
        "fileEntryPublished",
        "(L@TestDescriptor;L@reporting/FileEntry;)V",
        nothing,
    ),
    ("getRootDirectory", "()Ljava/nio/file/Path;", no_folder),
    (
        "createOutputDirectory",
        "(L@TestDescriptor;)Ljava/nio/file/Path;",
        no_folder,
    ),
];

/// What the engine told its listener in a context.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Event {
    when: Cond,
    descriptor: Slot,
    /// The result, or why there is none.
    what: Slot,
    skipped: bool,
}

fn itself(_: &mut Vm, args: &[Slot]) -> Step<Slot> {
    Ok(args[0])
}

fn no_folder(_: &mut Vm, _: &[Slot]) -> Step<Slot> {
    Err(Trap::unknown(
        "files that tests publish (TestReporter) are not supported",
    ))
}

fn empty_list(vm: &mut Vm, _: &[Slot]) -> Step<Slot> {
    vm.call_static_named("java/util/List", "of", "()Ljava/util/List;", &[])
}

fn empty_set(vm: &mut Vm, _: &[Slot]) -> Step<Slot> {
    vm.call_static_named("java/util/Set", "of", "()Ljava/util/Set;", &[])
}

/// The one selector, where its type is asked for.
fn selectors(vm: &mut Vm, args: &[Slot]) -> Step<Slot> {
    let wanted = vm.class_of_mirror(args[1])?;
    let selector = vm.get_named(as_ref(args[0]), "selector").unwrap_or(0);
    let object = vm.plain_ref(selector)?;
    let class = vm.class_of(object);
    if !vm.is_subclass(class, wanted) {
        return empty_list(vm, args);
    }
    let descriptor = "(Ljava/lang/Object;)Ljava/util/List;";
    vm.call_static_named("java/util/List", "of", descriptor, &[selector])
}

/// What does not depend on the project: there are no threads, and no watch is kept on time.
const FIXED: [(&str, &str); 2] = [
    ("junit.jupiter.execution.parallel.enabled", "false"),
    ("junit.jupiter.execution.timeout.mode", "disabled"),
];

/// A configuration parameter: a system property, or a line of the configuration file.
fn setting(vm: &mut Vm, key: Slot) -> Step<Slot> {
    let name = vm.string(key)?;
    if let Some((_, value)) = FIXED.iter().find(|(fixed, _)| *fixed == name) {
        return Ok(u64::from(vm.new_string(value)?));
    }
    let descriptor = "(Ljava/lang/String;)Ljava/lang/String;";
    let property = vm.call_static_named("java/lang/System", "getProperty", descriptor, &[key])?;
    if property != 0 {
        return Ok(property);
    }
    match vm.jupiter_setting(&name) {
        Some(value) => Ok(u64::from(vm.new_string(&value)?)),
        None => Ok(0),
    }
}

fn parameter(vm: &mut Vm, args: &[Slot]) -> Step<Slot> {
    let value = setting(vm, args[1])?;
    optional(vm, value)
}

fn boolean_parameter(vm: &mut Vm, args: &[Slot]) -> Step<Slot> {
    let value = setting(vm, args[1])?;
    if value == 0 {
        return optional(vm, 0);
    }
    let descriptor = "(Ljava/lang/String;)Ljava/lang/Boolean;";
    let value = vm.call_static_named("java/lang/Boolean", "valueOf", descriptor, &[value])?;
    optional(vm, value)
}

fn optional(vm: &mut Vm, value: Slot) -> Step<Slot> {
    let descriptor = "(Ljava/lang/Object;)Ljava/util/Optional;";
    vm.call_static_named("java/util/Optional", "ofNullable", descriptor, &[value])
}

fn skipped(vm: &mut Vm, args: &[Slot]) -> Step<Slot> {
    vm.note_event(args[1], args[2], true)
}

fn finished(vm: &mut Vm, args: &[Slot]) -> Step<Slot> {
    vm.note_event(args[1], args[2], false)
}

/// A configuration file's lines as keys and values.
fn settings(text: &str) -> impl Iterator<Item = (&str, &str)> {
    let lines = text.lines().map(str::trim);
    let lines = lines.filter(|line| !line.starts_with(['#', '!']));
    lines.filter_map(|line| {
        let (key, value) = line.split_once(['=', ':'])?;
        Some((key.trim(), value.trim()))
    })
}

impl Vm {
    fn note_event(&mut self, descriptor: Slot, what: Slot, skipped: bool) -> Step<Slot> {
        self.kept.extra.extend([as_ref(descriptor), as_ref(what)]);
        self.events.push(Event {
            when: self.ctx,
            descriptor,
            what,
            skipped,
        });
        Ok(0)
    }

    fn jupiter_setting(&self, name: &str) -> Option<String> {
        let bytes = self.source.resource(CONFIGURATION)?;
        let text = String::from_utf8_lossy(&bytes);
        let found = settings(&text).find(|(key, _)| *key == name);
        found.map(|(_, value)| value.to_owned())
    }

    /// Whether the project changes how every test is run.
    pub(super) fn configures_jupiter(&self) -> bool {
        let harmless = [
            "execution.parallel",
            "execution.timeout",
            "displayname",
            "testmethod.order",
            "testclass.order",
        ];
        self.source.resource(CONFIGURATION).is_some_and(|bytes| {
            let text = String::from_utf8_lossy(&bytes);
            settings(&text).any(|(key, _)| {
                key.strip_prefix("junit.jupiter.")
                    .is_some_and(|key| !harmless.iter().any(|known| key.starts_with(known)))
            })
        })
    }

    /// The class of the object that stands for a launcher.
    fn bridge_class(&mut self) -> Step<ClassId> {
        let known = self.symbols.find(BRIDGE);
        if let Some(&class) = known.and_then(|name| self.class_by_name.get(&name)) {
            return Ok(class);
        }
        let mut interfaces = Vec::new();
        for name in INTERFACES {
            let name = format!("{PLATFORM}{name}");
            if self.source.class(&name).is_some() {
                interfaces.push(self.load(&name)?);
            }
        }
        let fields = [("selector", "Ljava/lang/Object;", false)];
        let class = self.make_class(BRIDGE, self.known.object, &interfaces, &fields)?;
        for (name, descriptor, function) in METHODS {
            let name = self.symbols.intern(name);
            let descriptor = self.symbols.intern(&descriptor.replace('@', PLATFORM));
            let lifted = false;
            let body = Body::Native(Native { function, lifted });
            self.add_method(class, name, descriptor, AccessFlags::PUBLIC, body, 0)?;
        }
        self.finish_class(class, Vec::new(), Vec::new())?;
        Ok(class)
    }

    /// An engine, the object that stands for a launcher, and the tests that a selector stands for.
    fn jupiter(&mut self, selector: Slot) -> Step<[Slot; 3]> {
        self.kept.extra.push(as_ref(selector));
        if self.source.class(ENGINE).is_none() {
            return Err(Trap::unknown(
                "this test needs junit-jupiter-engine on the class path",
            ));
        }
        let class = self.bridge_class()?;
        let bridge = self.new_object(class)?;
        self.kept.extra.push(bridge);
        self.set_named(bridge, "selector", selector)?;
        let class = self.load(ENGINE)?;
        self.ensure_init(class)?;
        let engine = self.construct(class, "()V", &[])?;
        self.kept.extra.push(engine);
        let name = u64::from(self.new_string("junit-jupiter")?);
        let descriptor = format!("(Ljava/lang/String;)L{PLATFORM}UniqueId;");
        let id = format!("{PLATFORM}UniqueId");
        let id = self.call_static_named(&id, "forEngine", &descriptor, &[name])?;
        let descriptor = format!(
            "(L{PLATFORM}EngineDiscoveryRequest;L{PLATFORM}UniqueId;)L{PLATFORM}TestDescriptor;"
        );
        let (engine, bridge) = (u64::from(engine), u64::from(bridge));
        let root = self.call_virtual(engine, "discover", &descriptor, &[bridge, id])?;
        let object = self.plain_ref(root)?;
        self.kept.extra.push(object);
        Ok([engine, bridge, root])
    }

    /// All descriptors below a root, parents first.
    fn descendants(&mut self, root: Slot) -> Step<Vec<Slot>> {
        let set = self.call_virtual(root, "getDescendants", "()Ljava/util/Set;", &[])?;
        let array = self.call_virtual(set, "toArray", "()[Ljava/lang/Object;", &[])?;
        self.elements_of(array)
    }

    fn select_with(&mut self, name: &str, kind: &str, args: &[&str]) -> Step<Slot> {
        let mut strings = Vec::with_capacity(args.len());
        for arg in args {
            let string = self.new_string(arg)?;
            self.kept.extra.push(string);
            strings.push(u64::from(string));
        }
        let params = "Ljava/lang/String;".repeat(args.len());
        let descriptor = format!("({params})L{PLATFORM}discovery/{kind};");
        let class = format!("{PLATFORM}discovery/DiscoverySelectors");
        self.call_static_named(&class, name, &descriptor, &strings)
    }

    fn selector_of(&mut self, test: &TestMethod) -> Step<Slot> {
        if let Some(id) = &test.unique_id {
            return self.select_with("selectUniqueId", "UniqueIdSelector", &[id]);
        }
        let text = self.text(self.methods[test.id as usize].descriptor);
        let parts = crate::descriptor::split(&text)?;
        let params: Vec<String> = parts[..parts.len() - 1]
            .iter()
            .map(|part| crate::descriptor::java_name(part))
            .collect();
        let args = [&*test.class, &*test.method, &*params.join(", ")];
        self.select_with("selectMethod", "MethodSelector", &args)
    }

    /// The tests of the classes inside a test class, which only the engine finds.
    pub(super) fn nested_tests(&mut self, class: &str) -> Step<Vec<TestMethod>> {
        self.refuel_with_engine();
        let selector = self.select_with("selectClass", "ClassSelector", &[class])?;
        let [.., root] = self.jupiter(selector)?;
        let mut tests = Vec::new();
        for descriptor in self.descendants(root)? {
            let unique_id = self.unique_id(descriptor)?;
            if !unique_id.contains("/[nested-class:") {
                continue;
            }
            let source =
                self.call_virtual(descriptor, "getSource", "()Ljava/util/Optional;", &[])?;
            let source = self.or_null(source)?;
            let kind = format!("{PLATFORM}support/descriptor/MethodSource");
            if source == 0 || !self.is_instance(self.class_of(as_ref(source)), &kind) {
                continue;
            }
            let get = "()Ljava/lang/String;";
            let class = self.call_virtual(source, "getClassName", get, &[])?;
            let method = self.call_virtual(source, "getMethodName", get, &[])?;
            let (class, method) = (self.string(class)?, self.string(method)?);
            tests.push(TestMethod::by_engine(class, method, unique_id));
        }
        Ok(tests)
    }

    fn or_null(&mut self, optional: Slot) -> Step<Slot> {
        let descriptor = "(Ljava/lang/Object;)Ljava/lang/Object;";
        self.call_virtual(optional, "orElse", descriptor, &[0])
    }

    fn unique_id(&mut self, descriptor: Slot) -> Step<String> {
        let get = format!("()L{PLATFORM}UniqueId;");
        let id = self.call_virtual(descriptor, "getUniqueId", &get, &[])?;
        let text = self.call_virtual(id, "toString", "()Ljava/lang/String;", &[])?;
        self.string(text)
    }

    /// Runs a test by the engine; one result for each invocation.
    pub(super) fn run_by_jupiter(&mut self, name: &str, test: &TestMethod) -> Step<Vec<TestRun>> {
        self.events.clear();
        self.refuel_with_engine();
        let selector = self.selector_of(test)?;
        let [engine, bridge, root] = self.jupiter(selector)?;
        let Some(&found) = self.descendants(root)?.last() else {
            return Err(Trap::unknown("Jupiter does not find this test"));
        };
        let own_id = self.unique_id(found)?;
        let request = self.execution_request(root, bridge)?;
        let class = self.class_of(as_ref(engine));
        let descriptor = format!("(L{PLATFORM}ExecutionRequest;)V");
        let execute = self.method_of(class, "execute", &descriptor)?;
        let (_, thrown) = self.call(execute, &[engine, request]).parts(self.universe);
        self.ctx = self.universe;
        let mut results = Results::new(name, &own_id);
        for event in std::mem::take(&mut self.events) {
            self.read_event(event, &mut results)?;
        }
        self.ctx = self.universe;
        self.complete(results, &thrown)
    }

    /// The request to run what was found; later versions want ever more.
    fn execution_request(&mut self, root: Slot, bridge: Slot) -> Step<Slot> {
        let class = self.load(&format!("{PLATFORM}ExecutionRequest"))?;
        self.ensure_init(class)?;
        let methods = self.classes[class as usize].methods.iter().copied();
        let made = methods.filter(|&method| {
            let entry = &self.methods[method as usize];
            entry.access.is_static() && &*self.text(entry.name) == "create"
        });
        let Some(create) = made.max_by_key(|&method| self.methods[method as usize].params.len())
        else {
            let descriptor = format!(
                "(L{PLATFORM}TestDescriptor;L{PLATFORM}EngineExecutionListener;L{PLATFORM}ConfigurationParameters;)V"
            );
            let made = self.construct(class, &descriptor, &[root, bridge, bridge])?;
            return Ok(u64::from(made));
        };
        let text = self.text(self.methods[create as usize].descriptor);
        let parts = crate::descriptor::split(&text)?;
        let mut args = Vec::with_capacity(parts.len());
        for part in &parts[..parts.len() - 1] {
            let simple = part.trim_end_matches(';').rsplit('/').next().unwrap_or("");
            args.push(match simple {
                "TestDescriptor" => root,
                "NamespacedHierarchicalStore" => self.store(part)?,
                "CancellationToken" => {
                    let name = crate::descriptor::class_name(part).to_owned();
                    self.call_static_named(&name, "disabled", &format!("(){part}"), &[])?
                }
                _ => bridge,
            });
        }
        self.call_value(create, &args)
    }

    /// A store below that of a session.
    fn store(&mut self, descriptor: &str) -> Step<Slot> {
        let class = self.load_descriptor(descriptor)?;
        self.ensure_init(class)?;
        let session = self.construct(class, &format!("({descriptor})V"), &[0])?;
        self.kept.extra.push(session);
        let session = u64::from(session);
        let store = self.call_virtual(session, "newChild", &format!("(){descriptor}"), &[])?;
        let object = self.plain_ref(store)?;
        self.kept.extra.push(object);
        Ok(store)
    }

    fn read_event(&mut self, event: Event, results: &mut Results) -> Step<()> {
        self.ctx = event.when;
        let id = self.unique_id(event.descriptor)?;
        let is_test = self.call_virtual(event.descriptor, "isTest", "()Z", &[])?;
        let is_test = self.plain(is_test)? != 0;
        if event.skipped {
            for (when, reason) in self.leaves(event.what)? {
                self.ctx = when;
                let reason = if reason == 0 {
                    String::new()
                } else {
                    self.string(reason)?
                };
                results.add(&id, when, Outcome::Skipped(reason));
            }
            return Ok(());
        }
        let thrown =
            self.call_virtual(event.what, "getThrowable", "()Ljava/util/Optional;", &[])?;
        for (when, optional) in self.leaves(thrown)? {
            self.ctx = when;
            let exception = self.or_null(optional)?;
            for (when, exception) in self.leaves(exception)? {
                self.ctx = when;
                if exception != 0 {
                    let aborted = self.is_aborted(event.what)?;
                    for (when, outcome) in self.outcomes(&vec![(when, exception)]) {
                        results.add(&id, when, as_reported(outcome, aborted));
                    }
                } else if is_test {
                    results.add(&id, when, Outcome::Passed);
                } else {
                    results.ran(&id, when);
                }
            }
        }
        Ok(())
    }

    fn is_aborted(&mut self, result: Slot) -> Step<bool> {
        let get = format!("()L{PLATFORM}TestExecutionResult$Status;");
        let status = self.call_virtual(result, "getStatus", &get, &[])?;
        let name = self.call_virtual(status, "name", "()Ljava/lang/String;", &[])?;
        Ok(self.string(name)? == "ABORTED")
    }

    /// Adds what happened around the test itself, and where nothing is known.
    fn complete(&mut self, results: Results, thrown: &Thrown) -> Step<Vec<TestRun>> {
        let Results {
            name,
            mut runs,
            above,
            ran,
            ..
        } = results;
        let outcomes = runs.iter().flat_map(|run| run.outcomes.iter().map(|o| o.0));
        let mut known = self.conds.any(outcomes)?;
        let mut own = Vec::new();
        let is_container = !ran.is_empty() || runs.iter().any(|run| run.name != name);
        for (when, outcome) in self.outcomes(thrown) {
            // What follows a single test (class-level tear-down) does not change what it did.
            let when = if is_container {
                when
            } else {
                self.conds.minus(when, known)?
            };
            own.push((when, outcome));
        }
        for (when, outcome) in above {
            own.push((self.conds.minus(when, known)?, outcome));
        }
        own.retain(|(when, _)| !when.is_false());
        let around = self.conds.any(own.iter().map(|o| o.0))?;
        known = self.conds.or(known, around)?;
        let ran = self.conds.any(ran)?;
        let empty = self.conds.minus(ran, known)?;
        own.push((empty, Outcome::Passed));
        known = self.conds.or(known, empty)?;
        let silent = self.conds.minus(self.universe, known)?;
        let why = "Jupiter reports nothing about this test";
        own.push((silent, Outcome::Unknown(why.into())));
        own.retain(|(when, _)| !when.is_false());
        for (when, outcome) in own {
            add(&mut runs, &name, when, outcome);
        }
        for run in &mut runs {
            self.join_outcomes(run)?;
        }
        Ok(runs)
    }

    /// Outcomes that are the same become one; where it passes comes first.
    fn join_outcomes(&mut self, run: &mut TestRun) -> Step<()> {
        let mut joined: Vec<(Cond, Outcome)> = Vec::new();
        for (when, outcome) in run.outcomes.drain(..) {
            match joined.iter_mut().find(|(_, other)| *other == outcome) {
                Some((old, _)) => *old = self.conds.or(*old, when)?,
                None => joined.push((when, outcome)),
            }
        }
        joined.sort_by_key(|(_, outcome)| *outcome != Outcome::Passed);
        run.outcomes = joined;
        Ok(())
    }
}

/// Jupiter decides what an exception means.
fn as_reported(outcome: Outcome, aborted: bool) -> Outcome {
    match outcome {
        Outcome::Failed(class, message) if aborted => Outcome::Skipped(message.unwrap_or(class)),
        Outcome::Skipped(message) if !aborted => {
            Outcome::Failed("org.opentest4j.TestAbortedException".into(), Some(message))
        }
        outcome => outcome,
    }
}

/// Results of a test by its engine's ids.
struct Results {
    name: String,
    own_id: String,
    runs: Vec<TestRun>,
    /// Of the classes around it.
    above: Vec<(Cond, Outcome)>,
    /// Where the test itself, being a container, went well.
    ran: Vec<Cond>,
}

impl Results {
    fn new(name: &str, own_id: &str) -> Results {
        Results {
            name: name.to_owned(),
            own_id: own_id.to_owned(),
            runs: Vec::new(),
            above: Vec::new(),
            ran: Vec::new(),
        }
    }

    fn add(&mut self, id: &str, when: Cond, outcome: Outcome) {
        match id.strip_prefix(&*self.own_id) {
            Some(rest) => {
                let name = format!("{}{}", self.name, numbers(rest));
                add(&mut self.runs, &name, when, outcome);
            }
            None => self.above.push((when, outcome)),
        }
    }

    fn ran(&mut self, id: &str, when: Cond) {
        if id == self.own_id {
            self.ran.push(when);
        }
    }
}

fn add(runs: &mut Vec<TestRun>, name: &str, when: Cond, outcome: Outcome) {
    match runs.iter_mut().find(|run| run.name == name) {
        Some(run) => run.outcomes.push((when, outcome)),
        None => runs.push(TestRun {
            name: name.to_owned(),
            outcomes: vec![(when, outcome)],
        }),
    }
}

/// `[2]` for `/[test-template-invocation:#2]`, `[1.3]` for two segments.
fn numbers(rest: &str) -> String {
    let segments = rest.split('/').filter(|segment| !segment.is_empty());
    let numbers: Vec<&str> = segments
        .map(|segment| segment.rsplit('#').next().unwrap_or(segment))
        .map(|number| number.trim_end_matches(']'))
        .collect();
    if numbers.is_empty() {
        return String::new();
    }
    format!("[{}]", numbers.join("."))
}

impl TestMethod {
    /// A test that only the engine knows how to run.
    fn by_engine(class: String, method: String, unique_id: String) -> TestMethod {
        TestMethod {
            class,
            method,
            flavour: Flavour::JUnit5,
            id: 0,
            annotations: Vec::new(),
            runner: super::discover::Runner::Jupiter,
            unique_id: Some(unique_id),
            unsupported: None,
            skipped: None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn invocations_have_their_numbers() {
        assert_eq!(numbers(""), "");
        assert_eq!(numbers("/[test-template-invocation:#2]"), "[2]");
        assert_eq!(
            numbers("/[dynamic-container:#1]/[dynamic-test:#3]"),
            "[1.3]"
        );
    }

    #[test]
    fn settings_are_read_from_lines() {
        let text = "# none\n junit.a = b \nx:y\n";
        let all: Vec<(&str, &str)> = settings(text).collect();
        assert_eq!(all, [("junit.a", "b"), ("x", "y")]);
    }
}
