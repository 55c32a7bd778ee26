//! Many patches of one module, compiled together in the warm JVM.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use crate::copies::Round;
use crate::edit::{Common, common_lines, is_simple};
use crate::patch::{beside_originals, is_source, read};
use crate::wire::{Reader, Writer};
use crate::{
    Changes, CompileError, Diagnostic, MethodCopy, Module, PatchCompiled, PatchOutcome, Processing,
    Setup, Warm, compile_patch, request,
};

/// The request's number on the wire.
const BULK: u8 = 2;
/// A request holds so many patches and bytes at most.
const MOST_PATCHES: usize = 4000;
const MOST_BYTES: usize = 24 << 20;

/// How the bulk road works in the compiler.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Way {
    /// In one round, by the compiler's insides; the next way where they are missing.
    #[default]
    Inside,
    /// In several rounds, by its public interface. Slower, and lines in the copies' code are not
    /// those of the patched file.
    Outside,
}

/// A patch compiled with others.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Batched {
    /// What came out.
    pub outcome: BatchOutcome,
    /// Why it had to be compiled alone, if it had to.
    pub alone: Option<String>,
}

/// What compiling a patch with others gave.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum BatchOutcome {
    /// The patch changes these methods only; nobody else can notice.
    Copies(Vec<MethodCopy>),
    /// The class files of the patch compiled alone.
    Classes(PatchCompiled),
    /// The patch does not compile: the errors of compiling it alone.
    Errors(Vec<Diagnostic>),
}

/// What is known of a patch before those that must be alone are compiled.
enum Answer {
    Errors(Vec<Diagnostic>),
    Copies(Vec<MethodCopy>),
    Alone(String),
}

impl Warm {
    /// Compiles each patch of a module as if it were alone, most of them together.
    ///
    /// The outcomes are in the order of the patches and the same as [`compile_patch`] gives, but for
    /// patches of method bodies, whose code comes as [`MethodCopy`]. The classes of many patches
    /// are in memory at once: hand over some thousands at a time.
    pub fn compile_patches(
        &mut self,
        module: &Module,
        patches: &[Changes],
        way: Way,
    ) -> Result<Vec<Batched>, CompileError> {
        let mut answers: Vec<Answer> = Vec::new();
        answers.resize_with(patches.len(), || Answer::Alone("no answer".into()));
        if let Some(reason) = refusal(&module.setup) {
            answers
                .iter_mut()
                .for_each(|answer| *answer = Answer::Alone(reason.into()));
        } else {
            self.ask_about(module, patches, way, &mut answers)?;
        }
        let both = answers.into_iter().zip(patches);
        both.map(|(answer, patch)| self.conclude(module, patch, answer))
            .collect()
    }

    fn ask_about(
        &mut self,
        module: &Module,
        patches: &[Changes],
        way: Way,
        answers: &mut [Answer],
    ) -> Result<(), CompileError> {
        let mut originals = HashMap::new();
        let mut order: Vec<usize> = (0..patches.len()).collect();
        order.sort_by_key(|at| patches[*at].written.keys().next());
        let mut portion = Portion::default();
        for at in order {
            if let Some(reason) = portion.add(at, module, &patches[at], &mut originals)? {
                answers[at] = Answer::Alone(reason.into());
            }
            if portion.is_full() {
                self.settle(
                    module,
                    way,
                    std::mem::take(&mut portion),
                    &originals,
                    answers,
                )?;
            }
        }
        self.settle(module, way, portion, &originals, answers)
    }

    /// Asks about a portion. The service's death is nobody's verdict: all go on alone then.
    fn settle(
        &mut self,
        module: &Module,
        way: Way,
        portion: Portion,
        originals: &HashMap<PathBuf, Vec<u8>>,
        answers: &mut [Answer],
    ) -> Result<(), CompileError> {
        use CompileError::{Died, Fault, TimedOut};
        if portion.patches.is_empty() {
            return Ok(());
        }
        match self.ask(&portion.frame(module, way, originals)?) {
            Ok(answer) => {
                let told = read_answers(answer, module)?;
                for (at, told) in portion.patches.into_iter().zip(told) {
                    answers[at] = told;
                }
            }
            Err(error @ (Died(_) | Fault(_) | TimedOut(_))) => {
                for at in portion.patches {
                    answers[at] = Answer::Alone(error.to_string());
                }
            }
            Err(error) => return Err(error),
        }
        Ok(())
    }

    fn conclude(
        &mut self,
        module: &Module,
        patch: &Changes,
        answer: Answer,
    ) -> Result<Batched, CompileError> {
        Ok(match answer {
            Answer::Errors(errors) => Batched {
                outcome: BatchOutcome::Errors(errors),
                alone: None,
            },
            Answer::Copies(copies) => Batched {
                outcome: BatchOutcome::Copies(copies),
                alone: None,
            },
            Answer::Alone(reason) => {
                let outcome = match compile_patch(self, module, patch)? {
                    PatchOutcome::Compiled(patch) => BatchOutcome::Classes(patch),
                    PatchOutcome::Errors(errors) => BatchOutcome::Errors(errors),
                };
                Batched {
                    outcome,
                    alone: Some(reason),
                }
            }
        })
    }
}

/// Why no patch of a module can be compiled with others, if so.
fn refusal(setup: &Setup) -> Option<&'static str> {
    let has = |prefix: &str| setup.javac_args.iter().any(|arg| arg.starts_with(prefix));
    if setup.processing != Processing::None {
        Some("annotation processors may look at every method")
    } else if has("-Werror") {
        Some("warnings are errors")
    } else if has("-Xplugin") {
        Some("a compiler plug-in may look at every method")
    } else {
        None
    }
}

/// Patches that are sent together.
#[derive(Default)]
struct Portion {
    /// Their places in the caller's list.
    patches: Vec<usize>,
    /// The files they change.
    files: Vec<PathBuf>,
    numbers: HashMap<PathBuf, usize>,
    original_bytes: usize,
    /// The patches as fields of a frame.
    fields: Writer,
}

impl Portion {
    fn is_full(&self) -> bool {
        let bytes = self.fields.len() + self.original_bytes;
        self.patches.len() >= MOST_PATCHES || bytes >= MOST_BYTES
    }

    /// Takes in a patch, or tells why it must be compiled alone.
    fn add(
        &mut self,
        at: usize,
        module: &Module,
        patch: &Changes,
        originals: &mut HashMap<PathBuf, Vec<u8>>,
    ) -> Result<Option<&'static str>, CompileError> {
        let deleted = patch.deleted.iter();
        if deleted
            .filter(|path| is_source(module, path))
            .any(|path| path.is_file())
        {
            return Ok(Some("files that are gone"));
        }
        let mut changed = Vec::new();
        for (path, new) in patch
            .written
            .iter()
            .filter(|(path, _)| is_source(module, path))
        {
            if !originals.contains_key(path) {
                if !path.is_file() {
                    return Ok(Some("files that are new"));
                }
                originals.insert(path.clone(), read(path)?);
            }
            if originals[path] != *new {
                changed.push((path, new));
            }
        }
        if changed.is_empty() {
            return Ok(Some("no source that changes"));
        }
        self.patches.push(at);
        self.fields.number(changed.len());
        let simple = is_simple(&module.setup.encoding);
        for (path, new) in changed {
            let old = &originals[path];
            let number = self.number(path, old);
            self.edit(number, old, new, simple);
        }
        Ok(None)
    }

    /// The number of a file in this portion.
    fn number(&mut self, path: &Path, old: &[u8]) -> usize {
        if let Some(number) = self.numbers.get(path) {
            return *number;
        }
        self.original_bytes += old.len();
        self.files.push(path.to_owned());
        self.numbers.insert(path.to_owned(), self.files.len() - 1);
        self.files.len() - 1
    }

    /// Writes what becomes of a file: its number, common bytes at both ends, what is between.
    fn edit(&mut self, number: usize, old: &[u8], new: &[u8], simple: bool) {
        let common = if simple {
            common_lines(old, new)
        } else {
            Common {
                before: 0,
                after: 0,
            }
        };
        self.fields.number(number);
        self.fields.number(common.before);
        self.fields.number(common.after);
        let between = common.before..new.len() - common.after;
        self.fields.blob(&new[between]);
    }

    fn frame(
        &self,
        module: &Module,
        way: Way,
        originals: &HashMap<PathBuf, Vec<u8>>,
    ) -> Result<Writer, CompileError> {
        let mut out = Writer::default();
        out.byte(BULK);
        request::write_setup(&beside_originals(module), &mut out)?;
        out.byte(match way {
            Way::Inside => 0,
            Way::Outside => 1,
        });
        out.number(self.files.len());
        for path in &self.files {
            out.path(path)?;
            out.blob(&originals[path]);
        }
        out.number(self.patches.len());
        out.append(&self.fields);
        Ok(out)
    }
}

/// Reads what the service says of the patches of a portion, in order.
fn read_answers(mut answer: Reader, module: &Module) -> Result<Vec<Answer>, CompileError> {
    let rounds = answer.list(|answer| {
        let classes = answer.list(|answer| Ok((answer.text()?, answer.blob()?)))?;
        Round::open(classes.into_iter().collect(), &module.classes).map_err(unreadable)
    })?;
    answer.list(|answer| {
        let road = answer.byte()?;
        let reason = answer.text()?;
        Ok(match road {
            0 => Answer::Errors(answer.list(Reader::diagnostic)?),
            1 => read_copies(answer, &rounds)?,
            _ => Answer::Alone(reason),
        })
    })
}

/// Reads the copies of a patch, which goes alone if one of them does not stand on its own.
fn read_copies(answer: &mut Reader, rounds: &[Round]) -> Result<Answer, CompileError> {
    let mut obstacle = None;
    let copies = answer.list(|answer| {
        let round = rounds.get(answer.number()? as usize);
        let round = round.ok_or_else(|| CompileError::Protocol("no such round".into()))?;
        let (class, method, copy) = (answer.text()?, answer.text()?, answer.text()?);
        let copy = match answer.number()? {
            0 => round.copy(class, method, copy),
            number => round.constructor(class, number as usize),
        };
        Ok(copy
            .map_err(unreadable)?
            .map_err(|reason| obstacle = Some(reason))
            .ok())
    })?;
    Ok(match obstacle {
        Some(reason) => Answer::Alone(reason),
        None => Answer::Copies(copies.into_iter().flatten().collect()),
    })
}

fn unreadable(error: braid_classfile::Error) -> CompileError {
    CompileError::Protocol(format!("a bulk class cannot be read: {error}"))
}
