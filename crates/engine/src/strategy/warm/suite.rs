//! What tests call, as far as their class files tell, before any of them is run.
//!
//! It is good enough to say with which tests to begin, and which of them patches are sure to reach. Nothing depends on its being
//! right.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::path::Path;

use braid_classfile::{
    Attribute, ClassFile, CodeAttribute, Constant, ConstantPool, MemberRef, Operand,
};
use braid_classpath::ClassPath;
use braid_protocol::UnitId;

/// The test classes of a module.
#[derive(Default)]
pub(super) struct Suite {
    /// By internal name.
    classes: HashMap<String, TestClass>,
    /// Everything that is called, by number.
    calls: Vec<Call>,
}

/// One class of them.
struct TestClass {
    parent: Option<String>,
    /// Its methods by name; those of one name are taken together.
    methods: HashMap<String, Body>,
}

/// What a method does, or several.
#[derive(Default)]
pub(super) struct Body {
    /// The numbers of what is called.
    pub calls: BTreeSet<usize>,
    /// The whole numbers that are named.
    pub constants: BTreeSet<i64>,
}

/// A method as code names it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Call {
    /// The class that is named (`a/b/C`), which need not be the one that declares it.
    pub owner: String,
    pub name: String,
    pub descriptor: String,
}

impl Call {
    pub(super) fn of(member: MemberRef<'_>) -> Self {
        Self {
            owner: member.owner.to_string(),
            name: member.name.to_string(),
            descriptor: member.descriptor.to_string(),
        }
    }
}

impl Suite {
    /// Reads the classes of a folder; what cannot be read calls nothing.
    pub(super) fn read(folder: &Path) -> Self {
        let mut path = ClassPath::new();
        let read = |_: &str, bytes: Vec<u8>| {
            let class = ClassFile::parse(&bytes).ok()?;
            let parent = class.super_name().map(|name| name.to_string());
            Some((class.name().to_string(), parent, methods_of(&class)))
        };
        let found = path.add(folder).and_then(|()| path.map(read));
        let mut suite = Self::default();
        let mut numbers = HashMap::new();
        for (name, parent, bodies) in found.unwrap_or_default().into_iter().flatten() {
            let mut methods: HashMap<String, Body> = HashMap::new();
            for (method, calls, constants) in bodies {
                let body = methods.entry(method).or_default();
                body.constants.extend(constants);
                for call in calls {
                    let number = *numbers.entry(call).or_insert_with_key(|call: &Call| {
                        suite.calls.push(call.clone());
                        suite.calls.len() - 1
                    });
                    body.calls.insert(number);
                }
            }
            suite.classes.insert(name, TestClass { parent, methods });
        }
        suite
    }

    /// For each call what is thought of it.
    pub(super) fn judge<T>(&self, judge: impl FnMut(&Call) -> T) -> Vec<T> {
        self.calls.iter().map(judge).collect()
    }

    /// What a unit may do, by itself or by way of other code of the tests.
    pub(super) fn body(&self, unit: &UnitId) -> Body {
        let class = unit.class().replace('.', "/");
        let method = unit.method();
        let method = method.split_once('(').map_or(method, |(name, _)| name);
        let mut todo = vec![(class.as_str(), method), (class.as_str(), "<clinit>")];
        let (mut whole, mut seen) = (Body::default(), HashSet::new());
        while let Some((from, name)) = todo.pop() {
            let Some((declaring, body)) = self.find(from, name) else {
                continue;
            };
            if !seen.insert((declaring, name)) {
                continue;
            }
            whole.constants.extend(&body.constants);
            for number in &body.calls {
                whole.calls.insert(*number);
                let Call { owner, name, .. } = &self.calls[*number];
                let Some(called) = self.classes.get(owner) else {
                    continue;
                };
                todo.push((owner, name));
                // it may be overridden
                if self.parents(&class).any(|(parent, _)| parent == owner) {
                    todo.push((&class, name));
                }
                // whoever gets the object calls what it is for
                if name == "<init>"
                    && outermost(owner) == outermost(declaring)
                    && owner.contains('$')
                {
                    todo.extend(
                        called
                            .methods
                            .keys()
                            .map(|name| (owner.as_str(), name.as_str())),
                    );
                }
            }
        }
        whole
    }

    /// The class that declares a method, and what that does.
    fn find<'s>(&'s self, class: &'s str, method: &str) -> Option<(&'s str, &'s Body)> {
        self.parents(class)
            .find_map(|(name, class)| Some((name, class.methods.get(method)?)))
    }

    /// A class and its superclasses, as far as they belong to the tests.
    fn parents<'s>(&'s self, class: &'s str) -> impl Iterator<Item = (&'s str, &'s TestClass)> {
        let with_class = |name: &'s str| Some((name, self.classes.get(name)?));
        std::iter::successors(with_class(class), move |(_, class)| {
            with_class(class.parent.as_deref()?)
        })
    }
}

/// The outermost class of one that may be nested.
fn outermost(class: &str) -> &str {
    class.split_once('$').map_or(class, |(outer, _)| outer)
}

/// The methods of a class, with what they call and the numbers that they name.
fn methods_of(class: &ClassFile<'_>) -> Vec<(String, Vec<Call>, BTreeSet<i64>)> {
    let mut methods = Vec::new();
    for method in class.methods() {
        let Ok(Some(code)) = method.code() else {
            continue;
        };
        let mut calls = Vec::new();
        each_call(class, code, &mut |call| calls.push(Call::of(call)));
        let instructions = code.instructions().map_while(Result::ok);
        let constants = instructions.filter_map(|it| constant(class.pool(), &it.operand));
        methods.push((method.name().to_string(), calls, constants.collect()));
    }
    methods
}

/// The whole number that an instruction names.
fn constant(pool: ConstantPool<'_>, operand: &Operand<'_>) -> Option<i64> {
    match operand {
        Operand::Int(value) => Some((*value).into()),
        Operand::Const(index) => match pool.get(*index) {
            Ok(Constant::Integer(value)) => Some(value.into()),
            Ok(Constant::Long(value)) => Some(value),
            _ => None,
        },
        _ => None,
    }
}

/// All methods that code calls or refers to.
pub(super) fn each_call(
    class: &ClassFile<'_>,
    code: CodeAttribute<'_>,
    found: &mut dyn FnMut(MemberRef<'_>),
) {
    let pool = class.pool();
    for instruction in code.instructions().map_while(Result::ok) {
        match instruction.operand {
            Operand::Method(index) | Operand::InterfaceMethod(index, _) => {
                if let Ok(member) = pool.member(index) {
                    found(member);
                }
            }
            Operand::Dynamic(index) => {
                let Ok(Some(Attribute::BootstrapMethods(all))) =
                    class.attribute("BootstrapMethods")
                else {
                    continue;
                };
                let site = pool.dynamic(index).ok();
                let bootstrap = site.and_then(|site| all.get(usize::from(site.bootstrap)));
                for argument in bootstrap.iter().flat_map(|it| it.arguments.iter()) {
                    if let Ok(Constant::MethodHandle(handle)) = pool.get(argument) {
                        found(handle.member);
                    }
                }
            }
            _ => {}
        }
    }
}
