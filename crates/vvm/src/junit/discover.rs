//! Finding tests.

use super::annotations::{self, Annotation};
use super::shape::ClassShape;
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

/// What runs a test.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Runner {
    /// The VM, step by step.
    Vm,
    /// `JUnitCore`, for the sake of rules.
    JUnit4,
    /// Jupiter's engine.
    Jupiter,
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
    pub(crate) runner: Runner,
    /// What the engine calls it, where that is how it was found.
    pub(crate) unique_id: Option<String>,
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
    pub(super) fn with_meta(&self, mut annotations: Vec<Annotation>) -> Vec<Annotation> {
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
        if self.is_nested(name) {
            // Found with the class around it.
            return Ok(Vec::new());
        }
        let test_case = self.symbols.find("junit/framework/TestCase");
        let is_junit3 = test_case
            .and_then(|sym| self.class_by_name.get(&sym).copied())
            .is_some_and(|base| self.is_subclass(class, base));
        let shape = self.shape_of(class, is_junit3);
        let mut tests: Vec<TestMethod> = Vec::new();
        for owner in self.lineage(class) {
            for method in self.classes[owner as usize].methods.clone() {
                let Some(test) = self.as_test(class, method, &shape) else {
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
        if shape.has_nested {
            tests.extend(self.nested_tests(&name.replace('/', "."))?);
        }
        Ok(tests)
    }

    fn as_test(&self, class: ClassId, method: MethodId, shape: &ClassShape) -> Option<TestMethod> {
        let is_junit3 = shape.is_junit3;
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
            && !self.classes[entry.class as usize].is_interface()
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
            runner: Runner::Vm,
            unique_id: None,
            unsupported: None,
            skipped: None,
        };
        self.note_runner(class, &mut test, shape);
        Some(test)
    }
}
