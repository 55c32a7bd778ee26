//! From cases to changed classes: all patches of a module go through the warm compiler together.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;
use std::time::Instant;

use braid_compile::{
    BatchOutcome, Batched, Changes, Classes, MethodCopy, PatchCompiled, PatchOutcome, Recompiled,
    Way, compile_patch,
};
use braid_project::Module;
use braid_variants::FileState;
use braid_weave::{Change, ClassChange, MethodKey};

use crate::change::{ModuleChange, SourceChanges};
use crate::strategy::build::{diagnostics, main_unit, pristine};
use crate::strategy::warm::ahead::Share;
use crate::strategy::warm::base::{Shared, SharedJavac};
use crate::strategy::{Case, Deferred, Findings, Judgement};
use crate::{EngineError, StrategyKind, Technique};

/// So much of patched files is in memory at once at most.
const MOST_BYTES: usize = 32 << 20;

/// A patch as the classes it changes.
pub(crate) struct Compiled<'c> {
    pub(crate) case: &'c Case,
    /// By class name (`a/b/C`).
    pub(crate) classes: Vec<(String, ClassChange)>,
    /// Its share of the compiler's time.
    pub(crate) compile_ms: u64,
}

/// Compiles patches. Those that do not compile have their verdict at once, those that are not for warm JVMs are put off.
pub(crate) fn compile<'c>(
    shared: &Shared<'_>,
    kind: StrategyKind,
    cases: &'c [Case],
    findings: &mut dyn Findings,
) -> Result<Vec<Compiled<'c>>, EngineError> {
    let context = shared.context;
    let mut compiling = Compiling {
        shared,
        kind,
        compiled: Vec::new(),
        bulks: Bulks::default(),
        findings,
    };
    let mut by_module: BTreeMap<&str, Vec<(&Case, &SourceChanges)>> = BTreeMap::new();
    for case in cases {
        match sort(context.project.modules.as_slice(), case) {
            Ok(Kind::Sources(module, change)) => match shared.take_ahead(&case.key) {
                Some(share) => compiling.conclude(case, share),
                None => {
                    let patches = by_module.entry(&module.name).or_default();
                    patches.push((case, &change.main));
                }
            },
            Ok(Kind::Classes(classes)) => compiling.compiled.push(Compiled {
                case,
                classes,
                compile_ms: 0,
            }),
            Err(why) => compiling.findings.deferred(Deferred::new(case, why)),
        }
    }
    for (name, mut patches) in by_module {
        let Some(module) = context.project.module(name) else {
            continue;
        };
        let unit = main_unit(context.workspace, module, &|path| {
            context.workspace.map(path)
        });
        // those of a file share what is compiled for it
        patches.sort_by(|(_, a), (_, b)| a.written.first().cmp(&b.written.first()));
        let mut portion = Vec::new();
        let mut bytes = 0;
        for (case, sources) in patches {
            let changes = pristine(context.workspace, case, sources)?;
            bytes += changes.written.values().map(Vec::len).sum::<usize>();
            portion.push((case, changes));
            if bytes >= MOST_BYTES {
                bytes = 0;
                compiling.portion(&unit, std::mem::take(&mut portion))?;
            }
        }
        compiling.portion(&unit, portion)?;
    }
    Ok(compiling.compiled)
}

/// Patches on their way through the compiler.
struct Compiling<'s, 'a, 'c, 'f> {
    shared: &'s Shared<'a>,
    kind: StrategyKind,
    compiled: Vec<Compiled<'c>>,
    bulks: Bulks,
    findings: &'f mut dyn Findings,
}

impl<'c> Compiling<'_, '_, 'c, '_> {
    /// Compiles patches of a module, whose files are in memory now.
    fn portion(
        &mut self,
        unit: &braid_compile::Module,
        patches: Vec<(&'c Case, Changes)>,
    ) -> Result<(), EngineError> {
        let shared = self.shared;
        let (cases, changes): (Vec<&Case>, Vec<Changes>) = patches.into_iter().unzip();
        let start = Instant::now();
        let batched = if shared.context.settings.uses(Technique::Bulk) {
            shared.with_javac(|javac| javac.compile_patches(unit, &changes, Way::Inside))?
        } else {
            let alone = changes
                .iter()
                .map(|changes| one_alone(shared, unit, changes));
            alone.collect::<Result<_, _>>()?
        };
        drop(changes);
        let compile_ms = start.elapsed().as_millis() as u64 / cases.len().max(1) as u64;
        for (case, batched) in cases.into_iter().zip(batched) {
            let share = Share {
                batched,
                compile_ms,
            };
            self.conclude(case, share);
        }
        Ok(())
    }

    /// Sorts a patch by what the compiler said.
    fn conclude(&mut self, case: &'c Case, share: Share) {
        let Share {
            batched,
            compile_ms,
        } = share;
        let classes = match batched.outcome {
            BatchOutcome::Errors(errors) => {
                let errors = diagnostics(self.shared.context, &errors);
                let mut judgement = Judgement::compile_error(errors);
                judgement.compile_ms = compile_ms;
                judgement.strategy = Some(self.kind);
                judgement.reason = batched.alone.map_or_else(
                    || "compiled together with other patches".to_owned(),
                    |why| format!("compiled alone: {why}"),
                );
                self.findings.judged(case, judgement);
                return;
            }
            BatchOutcome::Classes(compiled) if compiled.recompiled == Recompiled::All => {
                let why = "it changes what other classes are compiled against";
                self.findings.deferred(Deferred::new(case, why));
                return;
            }
            BatchOutcome::Copies(copies) => self.bulks.changes(&copies),
            BatchOutcome::Classes(compiled) => whole(compiled),
        };
        self.compiled.push(Compiled {
            case,
            classes,
            compile_ms,
        });
    }
}

fn one_alone(
    shared: &Shared<'_>,
    unit: &braid_compile::Module,
    changes: &Changes,
) -> Result<Batched, EngineError> {
    let outcome = match compile_patch(&mut SharedJavac(shared), unit, changes)? {
        PatchOutcome::Errors(errors) => BatchOutcome::Errors(errors),
        PatchOutcome::Compiled(compiled) => BatchOutcome::Classes(compiled),
    };
    Ok(Batched {
        outcome,
        alone: Some("asked for".to_owned()),
    })
}

/// What a patch is made of.
pub(crate) enum Kind<'p> {
    /// Sources of one module.
    Sources(&'p Module, &'p ModuleChange),
    /// Class files.
    Classes(Vec<(String, ClassChange)>),
}

/// What a patch is made of, or why it is not for warm JVMs.
pub(crate) fn sort<'p>(modules: &'p [Module], case: &'p Case) -> Result<Kind<'p>, &'static str> {
    let mut changed = case.change.modules.iter();
    let (Some((name, change)), None) = (changed.next(), changed.next()) else {
        return Err("it changes several modules");
    };
    let module = modules.iter().find(|module| module.name == *name);
    let module = module.ok_or("its module is not known")?;
    if case.change.test_file.is_some() || !change.test.is_empty() {
        return Err("it changes tests");
    }
    if change.outputs.is_empty() {
        return Ok(Kind::Sources(module, change));
    }
    if !change.main.is_empty() {
        return Err("it changes sources and other files");
    }
    let class_of = |(path, state): &(std::path::PathBuf, FileState)| {
        let inside = path.strip_prefix(&module.classes).ok()?;
        let name = inside.to_str()?.strip_suffix(".class")?.replace('\\', "/");
        let change = match state {
            FileState::Write(bytes) => ClassChange::Change(Change::Class(bytes.as_slice().into())),
            FileState::Delete => ClassChange::Remove,
        };
        Some((name, change))
    };
    let classes: Option<Vec<_>> = change.outputs.iter().map(class_of).collect();
    classes.map(Kind::Classes).ok_or("it changes resources")
}

/// The class files of a patch that was compiled alone.
fn whole(compiled: PatchCompiled) -> Vec<(String, ClassChange)> {
    let written = compiled
        .classes
        .into_iter()
        .map(|(name, bytes)| (name, ClassChange::Change(Change::Class(bytes.into()))));
    let removed = compiled
        .removed
        .into_iter()
        .map(|name| (name, ClassChange::Remove));
    written.chain(removed).collect()
}

/// Class files that many patches share, each in memory once.
#[derive(Default)]
struct Bulks {
    /// By where they are, which is theirs alone as long as they are kept.
    known: HashMap<*const Classes, Bulk>,
}

struct Bulk {
    all: Arc<Classes>,
    taken: HashMap<String, Arc<[u8]>>,
}

impl Bulks {
    fn changes(&mut self, copies: &[MethodCopy]) -> Vec<(String, ClassChange)> {
        let mut changes = Vec::new();
        for copy in copies {
            let change = Change::Copy {
                class: self.class(copy, &copy.class),
                method: MethodKey {
                    name: copy.method.clone(),
                    descriptor: copy.descriptor.clone(),
                },
                copy: copy.copy.clone(),
            };
            changes.push((copy.class.clone(), ClassChange::Change(change)));
            for class in &copy.classes {
                let bytes = self.class(copy, class);
                changes.push((class.clone(), ClassChange::Change(Change::Class(bytes))));
            }
        }
        changes
    }

    fn class(&mut self, copy: &MethodCopy, class: &str) -> Arc<[u8]> {
        let bulk = self.known.entry(Arc::as_ptr(&copy.bulk));
        let bulk = bulk.or_insert_with(|| Bulk {
            all: Arc::clone(&copy.bulk),
            taken: HashMap::new(),
        });
        let bytes = bulk.taken.entry(class.to_owned()).or_insert_with(|| {
            let bytes = bulk.all.get(class);
            bytes.map_or_else(Default::default, |bytes| bytes.as_slice().into())
        });
        Arc::clone(bytes)
    }
}
