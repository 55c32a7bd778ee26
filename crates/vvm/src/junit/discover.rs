//! Finding tests.

use super::annotations::{self, Annotation, Value};
use crate::class::{ClassId, MethodId};
use crate::trap::Step;
use crate::vm::Vm;

/// Which JUnit a test is written for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Flavour {
    /// `junit.framework.TestCase`.
    JUnit3,
    /// `org.junit.Test`.
    JUnit4,
    /// `org.junit.jupiter.api.Test`.
    JUnit5,
}

/// A test method.
#[derive(Debug, Clone)]
pub struct TestMethod {
    /// Class name with dots.
    pub class: String,
    /// Method name.
    pub method: String,
    /// Which JUnit.
    pub flavour: Flavour,
    pub(crate) id: MethodId,
    pub(crate) annotations: Vec<Annotation>,
    /// Whether JUnit itself has to run it, for the sake of its rules.
    pub(crate) by_framework: bool,
    /// Why it cannot be run here.
    pub(crate) unsupported: Option<String>,
    pub(crate) skipped: Option<String>,
}

impl TestMethod {
    pub(crate) fn annotation(&self, name: &str) -> Option<&Annotation> {
        self.annotations
            .iter()
            .find(|annotation| annotation.name == name)
    }
}

/// The tests of a class.
#[derive(Debug, Default)]
pub struct Discovery {
    /// In the order of the class file, superclasses last.
    pub tests: Vec<TestMethod>,
    /// Why the class could not be looked at.
    pub problem: Option<String>,
}

/// Annotations of one member that are looked at; types may annotate each other in circles.
const MOST_ANNOTATIONS: usize = 50;

pub(crate) const JUNIT4: &str = "org/junit/";
pub(crate) const JUPITER: &str = "org/junit/jupiter/api/";
pub(crate) const PARAMS: &str = "org/junit/jupiter/params/";

impl Vm {
    /// Finds the tests of a class (name with dots or slashes).
    pub fn discover(&mut self, class: &str) -> Discovery {
        let name = class.replace('.', "/");
        match self.discover_class(&name) {
            Ok(tests) => Discovery {
                tests,
                problem: None,
            },
            Err(trap) => {
                let problem = self.explain(trap);
                Discovery {
                    tests: Vec::new(),
                    problem: Some(problem),
                }
            }
        }
    }

    pub(crate) fn class_annotations(&self, class: ClassId) -> Vec<Annotation> {
        let mut found = Vec::new();
        let mut current = Some(class);
        while let Some(id) = current {
            if let Some(file) = &self.classes[id as usize].file {
                let view = file.view();
                found.extend(annotations::read(view.attributes(), view.pool()));
            }
            current = self.classes[id as usize].superclass;
        }
        found
    }

    pub(crate) fn method_annotations(&self, method: MethodId) -> Vec<Annotation> {
        let entry = &self.methods[method as usize];
        let Some(file) = &self.classes[entry.class as usize].file else {
            return Vec::new();
        };
        let view = file.view();
        match view.method_at(usize::from(entry.index)) {
            Some(member) => annotations::read(member.attributes(), view.pool()),
            None => Vec::new(),
        }
    }

    /// The annotations, and those that stand on the program's own annotation types (`@FastTest` for `@Test`).
    fn with_meta(&self, mut annotations: Vec<Annotation>) -> Vec<Annotation> {
        let mut at = 0;
        while at < annotations.len() && at < MOST_ANNOTATIONS {
            let name = annotations[at].name.clone();
            at += 1;
            if ["org/junit/", "java/", "junit/"]
                .iter()
                .any(|start| name.starts_with(start))
            {
                continue;
            }
            let Some((bytes, false)) = self.source.class(&name) else {
                continue;
            };
            if let Ok(class) = braid_classfile::ClassFile::parse(&bytes) {
                annotations.extend(annotations::read(class.attributes(), class.pool()));
            }
        }
        annotations
    }

    /// The class and its superclasses from the program.
    pub(crate) fn lineage(&self, class: ClassId) -> Vec<ClassId> {
        let mut all = Vec::new();
        let mut current = Some(class);
        while let Some(id) = current.filter(|&id| !self.classes[id as usize].boot) {
            all.push(id);
            current = self.classes[id as usize].superclass;
        }
        // Default methods of interfaces can be tests too.
        for &supertype in self.classes[class as usize].supertypes.iter() {
            if self.classes[supertype as usize].is_interface()
                && !self.classes[supertype as usize].boot
            {
                all.push(supertype);
            }
        }
        all
    }

    fn discover_class(&mut self, name: &str) -> Step<Vec<TestMethod>> {
        let class = self.load(name)?;
        let access = self.classes[class as usize].access;
        if access.is_abstract() || access.is_interface() {
            return Ok(Vec::new());
        }
        let test_case = self.symbols.find("junit/framework/TestCase");
        let is_junit3 = test_case
            .and_then(|sym| self.class_by_name.get(&sym).copied())
            .is_some_and(|base| self.is_subclass(class, base));
        let class_annotations = self.with_meta(self.class_annotations(class));
        let mut tests: Vec<TestMethod> = Vec::new();
        for owner in self.lineage(class) {
            for method in self.classes[owner as usize].methods.clone() {
                let Some(test) = self.as_test(class, method, is_junit3, &class_annotations) else {
                    continue;
                };
                let text = self.methods[method as usize].descriptor;
                let overridden = tests.iter().any(|other| {
                    other.method == test.method
                        && self.methods[other.id as usize].descriptor == text
                });
                if !overridden {
                    tests.push(test);
                }
            }
        }
        Ok(tests)
    }

    fn as_test(
        &self,
        class: ClassId,
        method: MethodId,
        is_junit3: bool,
        class_annotations: &[Annotation],
    ) -> Option<TestMethod> {
        let entry = &self.methods[method as usize];
        if entry.access.is_abstract() {
            return None;
        }
        let name = self.symbols.text(entry.name).to_string();
        let annotations = self.with_meta(self.method_annotations(method));
        let has = |name: &str| annotations.iter().any(|annotation| annotation.name == name);
        let jupiter = ["Test", "RepeatedTest", "TestFactory", "TestTemplate"]
            .iter()
            .any(|kind| has(&format!("{JUPITER}{kind}")))
            || has(&format!("{PARAMS}ParameterizedTest"));
        // Jupiter passes over what it could not call as a test.
        if jupiter && (entry.access.is_private() || entry.access.is_static()) {
            return None;
        }
        let flavour = if jupiter {
            Flavour::JUnit5
        } else if (has("org/junit/Test") || has("org/junit/experimental/theories/Theory"))
            && !is_junit3
        {
            Flavour::JUnit4
        } else if is_junit3
            && name.starts_with("test")
            && entry.params.len() == 1
            && entry.access.is_public()
        {
            Flavour::JUnit3
        } else {
            return None;
        };
        let mut test = TestMethod {
            class: self.java_name(class),
            method: name,
            flavour,
            id: method,
            annotations,
            by_framework: false,
            unsupported: None,
            skipped: None,
        };
        self.note_limits(class, &mut test, class_annotations);
        Some(test)
    }

    /// Notes what keeps a test from running: it is disabled, or needs what the VM's runner does not have.
    fn note_limits(&self, class: ClassId, test: &mut TestMethod, class_annotations: &[Annotation]) {
        let all: Vec<&Annotation> = test.annotations.iter().chain(class_annotations).collect();
        let mut skipped = None;
        let mut unsupported = None;
        let mut parameterized = false;
        for annotation in all {
            match annotation.name.as_str() {
                "org/junit/Ignore" | "org/junit/jupiter/api/Disabled" => {
                    skipped = Some(annotation.text("value").unwrap_or_default());
                }
                "org/junit/jupiter/api/TestFactory" | "org/junit/jupiter/api/TestTemplate" => {
                    unsupported = Some("dynamic tests are not supported".to_owned());
                }
                "org/junit/jupiter/api/extension/ExtendWith"
                | "org/junit/jupiter/api/extension/Extensions" => {
                    unsupported = Some("JUnit extensions are not supported".to_owned());
                }
                "org/junit/runner/RunWith" => match annotation.get("value") {
                    Some(Value::Class(name)) if name == "Lorg/junit/runners/JUnit4;" => {}
                    Some(Value::Class(name)) if name == "Lorg/junit/runners/Parameterized;" => {
                        parameterized = true;
                    }
                    Some(Value::Class(name)) => {
                        unsupported = Some(format!("the runner {name} is not supported"));
                    }
                    _ => {}
                },
                name if name.starts_with("org/junit/jupiter/api/condition/")
                    || name.starts_with("org/junitpioneer/") =>
                {
                    unsupported = Some(format!(
                        "@{} is not supported",
                        name.rsplit('/').next().unwrap_or(name)
                    ));
                }
                _ => {}
            }
        }
        match self.rule_of(class) {
            Some((_, true)) if test.flavour == Flavour::JUnit4 && !parameterized => {
                test.by_framework = true;
            }
            Some((rule, _)) => {
                unsupported = Some(format!("JUnit rules are not supported ({rule})"));
            }
            None => {}
        }
        if test.flavour == Flavour::JUnit3 && self.has_suite(class) {
            unsupported = Some("JUnit 3 suites are not supported".to_owned());
        }
        test.skipped = skipped;
        test.unsupported = unsupported;
    }

    /// Whether a JUnit 3 class says itself what to run, or how.
    fn has_suite(&self, class: ClassId) -> bool {
        self.lineage(class).iter().any(|&owner| {
            let framework = self.java_name(owner).starts_with("junit.framework.");
            let own = self.classes[owner as usize].methods.iter();
            let mut names =
                own.map(|&method| self.symbols.text(self.methods[method as usize].name));
            !framework && names.any(|name| matches!(&**name, "runTest" | "runBare" | "run"))
        })
    }

    /// A field or method of a class that changes how its tests run, by descriptor, and whether it is a rule of JUnit 4.
    fn rule_of(&self, class: ClassId) -> Option<(String, bool)> {
        for owner in self.lineage(class) {
            let Some(file) = &self.classes[owner as usize].file else {
                continue;
            };
            let view = file.view();
            for member in view.fields().chain(view.methods()) {
                for mark in annotations::read(member.attributes(), view.pool()) {
                    let rule = match mark.name.as_str() {
                        "org/junit/Rule" | "org/junit/ClassRule" => true,
                        "org/junit/jupiter/api/io/TempDir"
                        | "org/junit/jupiter/api/extension/RegisterExtension" => false,
                        _ => continue,
                    };
                    return Some((member.descriptor().to_str_lossy().into_owned(), rule));
                }
            }
        }
        None
    }
}
