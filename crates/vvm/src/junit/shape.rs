//! Who runs a test: the VM's own steps do for plain test methods, everything else is left to JUnit.

use super::annotations::{self, Annotation, Value};
use super::discover::{Flavour, JUPITER, Runner, TestMethod};
use crate::class::{ClassId, MethodId};
use crate::value::Kind;
use crate::vm::Vm;

/// Jupiter's annotations that do not change what a test does, or only how long it may take.
const PLAIN: [&str; 14] = [
    "Test",
    "DisplayName",
    "DisplayNameGeneration",
    "Order",
    "Tag",
    "Tags",
    "TestClassOrder",
    "TestInstance",
    "TestMethodOrder",
    "Timeout",
    "parallel/Execution",
    "parallel/Isolated",
    "parallel/ResourceLock",
    "parallel/ResourceLocks",
];

/// What is the same for all tests of a class.
pub(super) struct ClassShape {
    pub(super) is_junit3: bool,
    /// Of the class and its supertypes.
    annotations: Vec<Annotation>,
    /// Why JUnit 4 has to run its tests, as far as it does: a rule, or something that it complains about.
    rule: Option<String>,
    /// Whether only Jupiter knows how its tests are run.
    jupiter: bool,
    /// Whether there are test classes inside it.
    pub(super) has_nested: bool,
}

fn is_plain(annotation: &Annotation) -> bool {
    match annotation.name.strip_prefix(JUPITER) {
        Some(name) => PLAIN.contains(&name),
        None => !annotation.name.starts_with("org/junit/jupiter/"),
    }
}

fn is_lifecycle(annotation: &Annotation) -> bool {
    let name = annotation.name.strip_prefix(JUPITER);
    name.is_some_and(|name| matches!(name, "BeforeAll" | "BeforeEach" | "AfterEach" | "AfterAll"))
}

impl Vm {
    pub(super) fn shape_of(&self, class: ClassId, is_junit3: bool) -> ClassShape {
        let lineage = self.lineage(class);
        let mut all = Vec::new();
        for &owner in &lineage {
            all.extend(self.own_annotations(owner));
        }
        let annotations = self.with_meta(all);
        let jupiter = !annotations.iter().all(is_plain)
            || lineage.iter().any(|&owner| self.has_jupiter_members(owner))
            || self.constructors(class).len() != 1
            || self
                .constructors(class)
                .iter()
                .any(|&m| !self.takes_nothing(m))
            || self.configures_jupiter();
        ClassShape {
            is_junit3,
            annotations,
            rule: self.rule_of(class).or_else(|| self.complaint(class)),
            jupiter,
            has_nested: lineage.iter().any(|&owner| self.has_nested(owner)),
        }
    }

    /// The annotations of the class itself.
    fn own_annotations(&self, class: ClassId) -> Vec<Annotation> {
        let Some(file) = &self.classes[class as usize].file else {
            return Vec::new();
        };
        let view = file.view();
        annotations::read(view.attributes(), view.pool())
    }

    fn constructors(&self, class: ClassId) -> Vec<MethodId> {
        let methods = self.classes[class as usize].methods.iter().copied();
        let init = self.known.init;
        methods
            .filter(|&method| self.methods[method as usize].name == init)
            .collect()
    }

    /// Whether a method has no parameters.
    fn takes_nothing(&self, method: MethodId) -> bool {
        let entry = &self.methods[method as usize];
        entry.params.len() == usize::from(!entry.access.is_static())
    }

    /// Whether a class has extensions, or set-up that is not a plain method.
    fn has_jupiter_members(&self, class: ClassId) -> bool {
        let Some(file) = &self.classes[class as usize].file else {
            return false;
        };
        let view = file.view();
        let extended = view.fields().chain(view.methods()).any(|member| {
            let marks = annotations::read(member.attributes(), view.pool());
            self.with_meta(marks).iter().any(|mark| {
                matches!(
                    mark.name.strip_prefix(JUPITER),
                    Some(
                        "io/TempDir"
                            | "AutoClose"
                            | "extension/RegisterExtension"
                            | "extension/ExtendWith"
                    )
                )
            })
        });
        let mut methods = self.classes[class as usize].methods.iter();
        extended
            || methods.any(|&method| {
                let entry = &self.methods[method as usize];
                let direct = self.method_annotations(method);
                let all = self.with_meta(direct.clone());
                all.iter().any(is_lifecycle)
                    && (self.classes[class as usize].is_interface()
                        || !direct.iter().any(is_lifecycle)
                        || !all.iter().all(|mark| is_lifecycle(mark) || is_plain(mark))
                        || !self.takes_nothing(method)
                        || entry.access.is_private())
            })
    }

    /// Whether a class has inner classes with tests.
    fn has_nested(&self, class: ClassId) -> bool {
        let Some(file) = &self.classes[class as usize].file else {
            return false;
        };
        let view = file.view();
        let Ok(Some(braid_classfile::Attribute::InnerClasses(table))) =
            view.attribute("InnerClasses")
        else {
            return false;
        };
        let pool = view.pool();
        table.iter().any(|entry| {
            let inner = pool
                .class(entry.inner)
                .ok()
                .map(|name| name.to_str_lossy().into_owned());
            let outer = pool.optional_class(entry.outer).ok().flatten();
            outer.is_some_and(|outer| outer.as_bytes() == view.name().as_bytes())
                && inner.is_some_and(|inner| self.is_nested(&inner))
        })
    }

    /// Whether a class says that its tests belong to those of the class around it.
    pub(super) fn is_nested(&self, name: &str) -> bool {
        let Some((bytes, false)) = self.source.class(name) else {
            return false;
        };
        braid_classfile::ClassFile::parse(&bytes).is_ok_and(|class| {
            let marks = annotations::read(class.attributes(), class.pool());
            let mark = format!("{JUPITER}Nested");
            self.with_meta(marks).iter().any(|it| it.name == mark)
        })
    }

    /// A rule of JUnit 4 that a class has, by descriptor.
    fn rule_of(&self, class: ClassId) -> Option<String> {
        for owner in self.lineage(class) {
            let Some(file) = &self.classes[owner as usize].file else {
                continue;
            };
            let view = file.view();
            for member in view.fields().chain(view.methods()) {
                let marks = annotations::read(member.attributes(), view.pool());
                let mut names = marks.iter().map(|mark| mark.name.as_str());
                if names.any(|name| matches!(name, "org/junit/Rule" | "org/junit/ClassRule")) {
                    return Some(member.descriptor().to_str_lossy().into_owned());
                }
            }
        }
        None
    }

    /// What JUnit 4 refuses to run: it reports that in its own way.
    fn complaint(&self, class: ClassId) -> Option<String> {
        let constructors = self.constructors(class);
        let fine = constructors.len() == 1
            && self.methods[constructors[0] as usize].access.is_public()
            && self.takes_nothing(constructors[0])
            && self.classes[class as usize].access.is_public();
        if !fine {
            return Some("the class".to_owned());
        }
        let lineage = self.lineage(class);
        let methods = lineage
            .iter()
            .flat_map(|&owner| &self.classes[owner as usize].methods);
        let mut odd = methods.filter(|&&method| {
            let entry = &self.methods[method as usize];
            let marks = self.method_annotations(method);
            let is = |names: &[&str]| {
                let simple = marks
                    .iter()
                    .filter_map(|mark| mark.name.strip_prefix("org/junit/"));
                simple.into_iter().any(|name| names.contains(&name))
            };
            let of_class = is(&["BeforeClass", "AfterClass"]);
            let own = is(&["Test", "Before", "After"]);
            let plain = entry.access.is_public()
                && entry.result == Kind::Void
                && self.takes_nothing(method);
            (of_class && (!plain || !entry.access.is_static()))
                || (own && (!plain || entry.access.is_static()))
        });
        odd.next().map(|&method| self.short_name(method))
    }

    /// Notes who runs a test, or that nobody does: it is disabled, or needs what the VM does not have.
    pub(super) fn note_runner(&self, class: ClassId, test: &mut TestMethod, shape: &ClassShape) {
        match test.flavour {
            Flavour::JUnit3 => {
                if self.has_suite(class) {
                    test.unsupported = Some("JUnit 3 suites are not supported".to_owned());
                }
            }
            Flavour::JUnit4 => self.note_junit4(class, test, shape),
            Flavour::JUnit5 => {
                let disabled = format!("{JUPITER}Disabled");
                if let Some(disabled) = test.annotation(&disabled) {
                    test.skipped = Some(disabled.text("value").unwrap_or_default());
                }
                let plain = test.annotations.iter().all(is_plain) && self.takes_nothing(test.id);
                if shape.jupiter || !plain {
                    (test.runner, test.skipped) = (Runner::Jupiter, None);
                }
            }
        }
    }

    fn note_junit4(&self, class: ClassId, test: &mut TestMethod, shape: &ClassShape) {
        let own = self.own_annotations(class);
        let ignored = test.annotations.iter().chain(&own);
        test.skipped = ignored
            .filter(|mark| mark.name == "org/junit/Ignore")
            .map(|mark| mark.text("value").unwrap_or_default())
            .next();
        let mut runners = shape.annotations.iter();
        let runner = runners.find(|mark| mark.name == "org/junit/runner/RunWith");
        let runner = match runner.and_then(|runner| runner.get("value")) {
            Some(Value::Class(name)) => name.as_str(),
            _ => "Lorg/junit/runners/JUnit4;",
        };
        match (runner, &shape.rule) {
            ("Lorg/junit/runners/JUnit4;" | "Lorg/junit/runners/BlockJUnit4ClassRunner;", rule) => {
                if rule.is_some() {
                    test.runner = Runner::JUnit4;
                }
            }
            ("Lorg/junit/runners/Parameterized;", _) => {
                test.unsupported = self.odd_parameters(class);
            }
            (name, _) => {
                test.unsupported = Some(format!("the runner {name} is not supported"));
            }
        }
    }

    /// What a parameterised class of JUnit 4 has that only JUnit knows how to run.
    fn odd_parameters(&self, class: ClassId) -> Option<String> {
        if let Some(rule) = self.rule_of(class) {
            return Some(format!("JUnit rules are not supported ({rule})"));
        }
        let lineage = self.lineage(class);
        let methods = lineage
            .iter()
            .flat_map(|&owner| &self.classes[owner as usize].methods);
        let mut marks = methods.flat_map(|&method| self.method_annotations(method));
        let mut marks_of_classes = lineage
            .iter()
            .flat_map(|&owner| self.own_annotations(owner));
        let odd = |mark: &Annotation| {
            let name = mark.name.strip_prefix("org/junit/runners/Parameterized$");
            name.filter(|name| {
                matches!(
                    *name,
                    "BeforeParam" | "AfterParam" | "UseParametersRunnerFactory"
                )
            })
            .map(|name| format!("@{name} is not supported"))
        };
        marks
            .find_map(|mark| odd(&mark))
            .or_else(|| marks_of_classes.find_map(|mark| odd(&mark)))
    }

    /// Whether a JUnit 3 class says itself what to run, or how.
    fn has_suite(&self, class: ClassId) -> bool {
        self.lineage(class).iter().any(|&owner| {
            let framework = self.java_name(owner).starts_with("junit.framework.");
            let mut own = self.classes[owner as usize].methods.iter();
            !framework
                && own.any(|&method| {
                    let entry = &self.methods[method as usize];
                    match &**self.symbols.text(entry.name) {
                        "runTest" | "runBare" | "run" => true,
                        "suite" => {
                            entry.access.is_static()
                                && self.takes_nothing(method)
                                && !self.is_plain_suite(class, method)
                        }
                        _ => false,
                    }
                })
        })
    }

    /// Whether `suite()` is `return new TestSuite(C.class)` for the class itself, which is what is run without it.
    fn is_plain_suite(&self, class: ClassId, method: MethodId) -> bool {
        let entry = &self.methods[method as usize];
        let file = self.classes[entry.class as usize].file.as_ref();
        let Some(view) = file.map(|file| file.view()) else {
            return false;
        };
        let member = view.method_at(usize::from(entry.index));
        let Some(Ok(Some(code))) = member.map(|member| member.code()) else {
            return false;
        };
        // new T; dup; ldc C (or ldc_w); invokespecial; areturn
        let (made, of) = match *code.bytes {
            [0xbb, a, b, 0x59, 0x12, c, 0xb7, _, _, 0xb0] => ([a, b], [0, c]),
            [0xbb, a, b, 0x59, 0x13, c, d, 0xb7, _, _, 0xb0] => ([a, b], [c, d]),
            _ => return false,
        };
        let name = |at: [u8; 2]| code.pool().class(u16::from_be_bytes(at)).ok();
        let own = self.symbols.text(self.classes[class as usize].name);
        name(made).is_some_and(|made| made == "junit/framework/TestSuite")
            && name(of).is_some_and(|of| of == **own)
    }
}
