//! Mutants as options: a woven program whose choices the variational VM makes all at once.
//!
//! On HotSpot one number says which variant of the whole program is active. Here every site has a number of its own,
//! so that mutants of different methods can be on together; those of one method are alternatives of each other.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;

use braid_classfile::{AccessFlags, ClassFile, Code, Editor, Frames, Insn, Op, new_class};
use braid_mutators::{Mutant, Options, mutate};
use braid_vvm::WovenChoice;
use braid_weave::{MethodKey, Woven, weave_program};

use crate::EngineError;
use crate::mutate::weaving::variant;

/// The class whose fields say which alternative of each site runs.
const CHOICES: &str = "braid/Choices";
/// The class that woven code asks for the active variant.
const BRAID: &str = "braid/runtime/Braid";

/// A program with its mutants as options.
#[derive(Clone, Debug, Default)]
pub struct WovenOptions {
    /// The sites with their alternatives.
    pub choices: Vec<WovenChoice>,
    /// The woven classes by name, and those that they need.
    pub classes: BTreeMap<String, Arc<[u8]>>,
    /// What each option stands for.
    pub meanings: BTreeMap<String, String>,
    /// Mutants that are no option, with the reason.
    pub left_out: Vec<String>,
}

/// Makes every mutant of some classes, by name (`a/b/C`), an option `m1`, `m2`, ….
pub fn mutants_as_options(
    classes: &BTreeMap<String, Arc<[u8]>>,
    options: &Options,
) -> Result<WovenOptions, EngineError> {
    let mut made = WovenOptions::default();
    let mut variants = Vec::new();
    for bytes in classes.values() {
        let mutation = mutate(bytes, options)?;
        for mutant in &mutation.mutants {
            let number = variants.len() as u32 + 1;
            made.meanings.insert(option(number), meaning(mutant));
            variants.push(variant(number, bytes, &mutation, mutant)?);
        }
    }
    let original = |name: &str| classes.get(name).map(|bytes| Cow::Borrowed(&**bytes));
    let woven = weave_program(&original, &variants)?;
    for (&number, why) in &woven.unsupported {
        made.leave_out(&option(number), why);
    }
    for (name, class) in &woven.classes {
        if let Some(bytes) = &class.bytes {
            let bytes = made.separate(bytes, class)?;
            made.classes.insert(name.clone(), bytes.into());
        }
    }
    for (name, added) in woven.added {
        // Has no site, so that code in it which asks for the active variant is refused.
        let bytes = made.separate(&added.bytes, &Woven::default())?;
        made.classes.insert(name, bytes.into());
    }
    made.leave_out_unwoven();
    made.add_choices()?;
    Ok(made)
}

fn option(number: u32) -> String {
    format!("m{number}")
}

fn meaning(mutant: &Mutant) -> String {
    let file = mutant.source_file.as_deref().unwrap_or(&mutant.class);
    let line = mutant.line.map(|line| format!(":{line}"));
    let place = line.unwrap_or_default();
    format!("{file}{place} in {}: {}", mutant.method, mutant.description)
}

impl WovenOptions {
    fn leave_out(&mut self, option: &str, why: &str) {
        if let Some(what) = self.meanings.remove(option) {
            self.left_out.push(format!("{what}: {why}"));
        }
    }

    /// An option that no site asks for would seem to be a mutant that no test notices.
    fn leave_out_unwoven(&mut self) {
        let sites = self.choices.iter().flat_map(|site| &site.alternatives);
        let woven: HashSet<String> = sites.map(|(option, _)| option.clone()).collect();
        let named: Vec<String> = self.meanings.keys().cloned().collect();
        for option in named.iter().filter(|&option| !woven.contains(option)) {
            self.leave_out(option, "its code is that of the original");
        }
    }

    /// Gives every site of a woven class a choice of its own.
    fn separate(&mut self, bytes: &[u8], woven: &Woven) -> Result<Vec<u8>, EngineError> {
        let mut fields: HashMap<MethodKey, String> = HashMap::new();
        for site in &woven.sites {
            let name = format!("s{}", self.choices.len());
            let variants = site.alternatives.iter().map(|&(variant, _)| variant);
            let known = variants.filter(|&number| self.meanings.contains_key(&option(number)));
            self.choices.push(WovenChoice {
                field: format!("{}.{name}", CHOICES.replace('/', ".")),
                alternatives: known
                    .map(|number| (option(number), number as i32))
                    .collect(),
            });
            fields.insert(site.method.clone(), name);
        }
        let class = ClassFile::parse(bytes).map_err(unreadable)?;
        let mut editor = Editor::new(&class);
        let mut askers = askers(&class, &mut editor).map_err(unreadable)?;
        hand_down(&askers, &mut fields);
        for (index, asker) in &mut askers {
            let field = fields.remove(&asker.key).ok_or_else(|| {
                let why = "chooses among mutants of which no method is known";
                EngineError::Input(format!("{}.{} {why}", class.name(), asker.key.name))
            })?;
            let own = editor.pool_mut().field(CHOICES, field.as_str(), "I");
            let own = Insn::Field(Op::Getstatic, own.map_err(unreadable)?);
            let code = &mut asker.code;
            code.rewrite(|insn, out| out.push(if is_active(&class, insn) { own } else { insn }));
            let written = editor.write_code(*index, code, Frames::Keep);
            written.map_err(unreadable)?;
        }
        match fields.keys().next() {
            Some(site) => Err(EngineError::Input(format!(
                "{}.{} has mutants, but does not choose among them",
                class.name(),
                site.name
            ))),
            None => editor.finish().map_err(unreadable),
        }
    }

    /// The class with the choices, and an empty one for the signatures of woven constructors.
    fn add_choices(&mut self) -> Result<(), EngineError> {
        let public = AccessFlags::PUBLIC;
        let empty = |name| new_class(52, public, name, Some("java/lang/Object"));
        let bytes = empty(CHOICES).map_err(unreadable)?;
        let class = ClassFile::parse(&bytes).map_err(unreadable)?;
        let mut editor = Editor::new(&class);
        for index in 0..self.choices.len() {
            let name = format!("s{index}");
            let access = AccessFlags(public.0 | AccessFlags::STATIC.0);
            let added = editor.add_field(access, name.as_str(), "I");
            added.map_err(unreadable)?;
        }
        let choices = editor.finish().map_err(unreadable)?;
        let braid = empty(BRAID).map_err(unreadable)?;
        self.classes.insert(CHOICES.into(), choices.into());
        self.classes.insert(BRAID.into(), braid.into());
        Ok(())
    }
}

/// A method that asks for the active variant.
struct Asker {
    key: MethodKey,
    code: Code,
    /// The methods of its class that it calls.
    calls: Vec<MethodKey>,
}

/// The methods of a class that ask for the active variant, by position.
fn askers(
    class: &ClassFile<'_>,
    editor: &mut Editor<'_>,
) -> braid_classfile::Result<BTreeMap<usize, Asker>> {
    let mut found = BTreeMap::new();
    for (index, method) in class.methods().enumerate() {
        let mut code = Code::default();
        if !editor.read_code(index, &mut code)?
            || !code.insns.iter().any(|&insn| is_active(class, insn))
        {
            continue;
        }
        let mut calls = Vec::new();
        for insn in &code.insns {
            if let Insn::Invoke(_, index) = *insn
                && let Ok(callee) = class.pool().member(index)
                && callee.owner == class.name()
            {
                calls.push(MethodKey {
                    name: callee.name.to_string(),
                    descriptor: callee.descriptor.to_string(),
                });
            }
        }
        let key = MethodKey {
            name: method.name().to_string(),
            descriptor: method.descriptor().to_string(),
        };
        found.insert(index, Asker { key, code, calls });
    }
    Ok(found)
}

fn is_active(class: &ClassFile<'_>, insn: Insn) -> bool {
    let Insn::Field(Op::Getstatic, index) = insn else {
        return false;
    };
    let field = class.pool().field(index);
    field.is_ok_and(|field| field.owner == BRAID && field.name == "active")
}

/// A method with many alternatives chooses in methods of their own, which nothing else calls: the choice is the same.
fn hand_down(askers: &BTreeMap<usize, Asker>, fields: &mut HashMap<MethodKey, String>) {
    let mut open: Vec<&Asker> = askers.values().collect();
    open.retain(|asker| fields.contains_key(&asker.key));
    while let Some(asker) = open.pop() {
        let field = fields[&asker.key].clone();
        let callees = askers.values().filter(|it| asker.calls.contains(&it.key));
        for callee in callees {
            if !fields.contains_key(&callee.key) {
                fields.insert(callee.key.clone(), field.clone());
                open.push(callee);
            }
        }
    }
}

fn unreadable(error: braid_classfile::Error) -> EngineError {
    EngineError::Input(format!("a woven class: {error}"))
}
