//! Putting a patch into a worker's copy of the project: files, compiled classes, resources.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::Duration;

use braid_compile::{
    Changes, CompileError, Diagnostic, Javac, PatchCompiled, PatchOutcome, Processing, Recompiled,
    Setup, compile_all, compile_patch,
};
use braid_project::Module;
use braid_variants::FileState;
use globset::Glob;
use walkdir::WalkDir;

use crate::EngineError;
use crate::strategy::{Case, Context};
use crate::verdict::SourceDiagnostic;
use crate::workspace::Slot;

/// What came of building a patch.
pub(crate) enum Built {
    /// It is in place.
    Done {
        /// Modules whose tests were compiled anew.
        tests_compiled: BTreeSet<String>,
    },
    /// It does not compile.
    Errors(Vec<SourceDiagnostic>),
    /// The compiler did not come to its end.
    TimedOut(Duration),
}

/// Puts a patch into `slot`. What others could notice of a module's classes has its tests and all modules
/// downstream compiled again.
pub(crate) fn build(
    context: &Context<'_>,
    javac: &mut dyn Javac,
    slot: &mut Slot,
    case: &Case,
) -> Result<Built, EngineError> {
    for (path, state) in &case.applied.files {
        slot.put(&path.under(&context.project.root), state)?;
    }
    let mut builder = Builder {
        context,
        javac,
        slot,
        noticed: BTreeSet::new(),
    };
    let mut tests_compiled = BTreeSet::new();
    for module in &context.project.modules {
        match builder.module(module, case) {
            Ok(Step::Errors(errors)) => return Ok(Built::Errors(errors)),
            Ok(Step::Compiled { tests: true }) => {
                tests_compiled.insert(module.name.clone());
            }
            Ok(Step::Compiled { tests: false }) => {}
            Err(_) if context.stop.is_requested() => return Err(EngineError::Interrupted),
            Err(EngineError::Compile(CompileError::TimedOut(limit))) => {
                return Ok(Built::TimedOut(limit));
            }
            Err(error) => return Err(error),
        }
    }
    for change in case.change.modules.values() {
        for (path, state) in &change.outputs {
            slot.put(path, state)?;
        }
    }
    Ok(Built::Done { tests_compiled })
}

enum Step {
    Compiled { tests: bool },
    Errors(Vec<SourceDiagnostic>),
}

struct Builder<'a> {
    context: &'a Context<'a>,
    javac: &'a mut dyn Javac,
    slot: &'a mut Slot,
    /// Modules of which others could notice a change.
    noticed: BTreeSet<String>,
}

impl Builder<'_> {
    fn module(&mut self, module: &Module, case: &Case) -> Result<Step, EngineError> {
        let none = crate::change::ModuleChange::default();
        let change = case.change.modules.get(&module.name).unwrap_or(&none);
        let stale = module
            .depends_on
            .iter()
            .any(|name| self.noticed.contains(name));
        let main = main_unit(self.context, module, &|path| self.slot.map(path));
        let outcome = self.compile(&main, &change.main, stale)?;
        let recompiled = match self.put(outcome, &module.classes)? {
            Ok(recompiled) => recompiled,
            Err(errors) => return Ok(Step::Errors(errors)),
        };
        let noticed = stale || recompiled == Recompiled::All;
        let tests = self.test_unit(module);
        let outcome = self.compile(&tests, &change.test, noticed)?;
        let tests_recompiled = match self.put(outcome, &module.test_classes)? {
            Ok(recompiled) => recompiled,
            Err(errors) => return Ok(Step::Errors(errors)),
        };
        if noticed || tests_recompiled == Recompiled::All {
            self.noticed.insert(module.name.clone());
        }
        let has_test_changes = !change.test.written.is_empty() || !change.test.deleted.is_empty();
        Ok(Step::Compiled {
            tests: has_test_changes,
        })
    }

    fn compile(
        &mut self,
        unit: &braid_compile::Module,
        changes: &Changes,
        all: bool,
    ) -> Result<PatchOutcome, EngineError> {
        let unchanged = changes.written.is_empty() && changes.deleted.is_empty();
        let no_sources = unit.source_roots.is_empty();
        if unchanged && (!all || no_sources) {
            return Ok(PatchOutcome::Compiled(PatchCompiled {
                classes: Default::default(),
                removed: BTreeSet::new(),
                recompiled: Recompiled::Nothing,
                remarks: Vec::new(),
            }));
        }
        let changes = pristine(self.context, changes);
        let javac = &mut *self.javac;
        let compile = if all { compile_all } else { compile_patch };
        Ok(compile(javac, unit, &changes)?)
    }

    /// Writes what was compiled into the slot's output folder.
    fn put(
        &mut self,
        outcome: PatchOutcome,
        output: &Path,
    ) -> Result<Result<Recompiled, Vec<SourceDiagnostic>>, EngineError> {
        match outcome {
            PatchOutcome::Errors(errors) => Ok(Err(diagnostics(self.context, &errors))),
            PatchOutcome::Compiled(compiled) => {
                for (class, bytes) in compiled.classes {
                    let path = output.join(format!("{class}.class"));
                    self.slot.put(&path, &FileState::Write(bytes))?;
                }
                for class in compiled.removed {
                    let path = output.join(format!("{class}.class"));
                    self.slot.put(&path, &FileState::Delete)?;
                }
                Ok(Ok(compiled.recompiled))
            }
        }
    }

    fn test_unit(&self, module: &Module) -> braid_compile::Module {
        let own = &module.test_classes;
        let class_path = module.test_classpath.iter().filter(|path| *path != own);
        let sources = Sources {
            roots: &module.test_roots,
            classes: own,
            class_path: class_path.cloned().collect(),
            javac_args: &module.test_javac_args,
        };
        unit(self.context, module, sources, &|path| self.slot.map(path))
    }
}

/// Changes by their paths in the pristine copy, which is what they are compared with.
pub(crate) fn pristine(context: &Context<'_>, changes: &Changes) -> Changes {
    let map = |path: &Path| context.workspace.map(path);
    let written = changes.written.iter();
    Changes {
        written: written
            .map(|(path, bytes)| (map(path), bytes.clone()))
            .collect(),
        deleted: changes.deleted.iter().map(|path| map(path)).collect(),
    }
}

/// The compiler's messages, with files by their paths in the project.
pub(crate) fn diagnostics(context: &Context<'_>, errors: &[Diagnostic]) -> Vec<SourceDiagnostic> {
    let one = |error: &Diagnostic| {
        let file = error.file.as_deref();
        SourceDiagnostic {
            file: file.map_or_else(String::new, |file| context.workspace.relative(file)),
            line: error.line,
            column: error.column,
            message: error.message.clone(),
            code: error.code.clone(),
        }
    };
    errors.iter().map(one).collect()
}

/// A module's main sources, compiled against class path entries where `place` has them.
pub(crate) fn main_unit(
    context: &Context<'_>,
    module: &Module,
    place: &dyn Fn(&Path) -> PathBuf,
) -> braid_compile::Module {
    let sources = Sources {
        roots: &module.source_roots,
        classes: &module.classes,
        class_path: module.compile_classpath.clone(),
        javac_args: &module.javac_args,
    };
    unit(context, module, sources, place)
}

struct Sources<'a> {
    roots: &'a [PathBuf],
    classes: &'a Path,
    class_path: Vec<PathBuf>,
    javac_args: &'a [String],
}

/// Sources and old classes are those of the pristine copy; what they are compiled against may be a slot's, where
/// modules upstream are patched already.
fn unit(
    context: &Context<'_>,
    module: &Module,
    sources: Sources<'_>,
    place: &dyn Fn(&Path) -> PathBuf,
) -> braid_compile::Module {
    let placed = |paths: &[PathBuf]| paths.iter().map(|path| place(path)).collect();
    let processing = match (
        module.annotation_processors,
        module.processor_path.is_empty(),
    ) {
        (false, _) => Processing::None,
        (true, true) => Processing::ClassPath,
        (true, false) => Processing::Path(placed(&module.processor_path)),
    };
    let roots = sources.roots.iter();
    let source_roots: Vec<PathBuf> = roots.map(|root| context.workspace.map(root)).collect();
    braid_compile::Module {
        left_out: left_out(&source_roots, &module.source_excludes),
        source_roots,
        classes: context.workspace.map(sources.classes),
        setup: Setup {
            class_path: placed(&sources.class_path),
            encoding: module.encoding.clone(),
            javac_args: sources.javac_args.to_vec(),
            processing,
        },
    }
}

/// The files below source roots that fit a pattern of what the build leaves out.
fn left_out(roots: &[PathBuf], patterns: &[String]) -> BTreeSet<PathBuf> {
    let globs = patterns
        .iter()
        .filter_map(|pattern| Glob::new(pattern).ok());
    let matchers: Vec<_> = globs.map(|glob| glob.compile_matcher()).collect();
    if matchers.is_empty() {
        return BTreeSet::new();
    }
    let below = |root: &PathBuf| {
        let files = WalkDir::new(root).into_iter().flatten();
        let root = root.clone();
        files.filter_map(move |file| {
            let inside = file.path().strip_prefix(&root).ok()?.to_owned();
            Some((file.into_path(), inside))
        })
    };
    let files = roots.iter().flat_map(below);
    files
        .filter(|(_, inside)| matchers.iter().any(|matcher| matcher.is_match(inside)))
        .map(|(path, _)| path)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_build_leaves_out_is_no_source() {
        let temp = tempfile::tempdir().unwrap();
        let root = temp.path().join("src");
        for name in ["a/A.java", "a/gen/G.java", "b/package-info.java"] {
            std::fs::create_dir_all(root.join(name).parent().unwrap()).unwrap();
            std::fs::write(root.join(name), "").unwrap();
        }
        let patterns = ["**/gen/**".to_owned(), "b/package-info.java".to_owned()];
        let found = left_out(std::slice::from_ref(&root), &patterns);
        let expected = [root.join("a/gen/G.java"), root.join("b/package-info.java")];
        assert!(
            expected.iter().all(|file| found.contains(file)),
            "{found:?}"
        );
        assert!(!found.contains(&root.join("a/A.java")));
    }
}
