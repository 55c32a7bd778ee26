//! Putting a patch into a worker's copy of the project: files, compiled classes, resources.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;
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
use crate::change::SourceChanges;
use crate::strategy::{Case, Context};
use crate::verdict::SourceDiagnostic;
use crate::workspace::{Slot, Workspace};

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

/// Where the classes of a patch come from.
pub(crate) enum Making<'m> {
    /// They are compiled.
    Compile(&'m mut dyn Javac),
    /// They are at hand, by their paths in the user's tree, and nobody else can notice that they are others.
    Ready(&'m [(PathBuf, FileState)]),
}

/// Puts a patch into `slot`.
pub(crate) fn make(
    context: &Context<'_>,
    making: Making<'_>,
    slot: &mut Slot,
    case: &Case,
) -> Result<Built, EngineError> {
    for file in case.effect.states(context.workspace) {
        let (path, state) = file?;
        slot.put(path, &state)?;
    }
    match making {
        Making::Compile(javac) => build(context, javac, slot, case),
        Making::Ready(classes) => {
            for (path, state) in classes {
                slot.put(path, state)?;
            }
            Ok(Built::Done {
                tests_compiled: BTreeSet::new(),
            })
        }
    }
}

/// Compiles a patch whose sources are in `slot`. What others could notice of a module's classes has its tests and all modules
/// downstream compiled again.
fn build(
    context: &Context<'_>,
    javac: &mut dyn Javac,
    slot: &mut Slot,
    case: &Case,
) -> Result<Built, EngineError> {
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
        let main = main_unit(self.context.workspace, module, &|path| self.slot.map(path));
        let outcome = self.compile(&main, (case, &change.main), stale)?;
        let recompiled = match self.put(outcome, &module.classes)? {
            Ok(recompiled) => recompiled,
            Err(errors) => return Ok(Step::Errors(errors)),
        };
        let noticed = stale || recompiled == Recompiled::All;
        let tests = self.test_unit(module);
        let outcome = self.compile(&tests, (case, &change.test), noticed)?;
        let tests_recompiled = match self.put(outcome, &module.test_classes)? {
            Ok(recompiled) => recompiled,
            Err(errors) => return Ok(Step::Errors(errors)),
        };
        if noticed || tests_recompiled == Recompiled::All {
            self.noticed.insert(module.name.clone());
        }
        Ok(Step::Compiled {
            tests: !change.test.is_empty(),
        })
    }

    fn compile(
        &mut self,
        unit: &braid_compile::Module,
        (case, changes): (&Case, &SourceChanges),
        all: bool,
    ) -> Result<PatchOutcome, EngineError> {
        let unchanged = changes.is_empty();
        let no_sources = unit.source_roots.is_empty();
        if unchanged && (!all || no_sources) {
            return Ok(PatchOutcome::Compiled(PatchCompiled {
                classes: Default::default(),
                removed: BTreeSet::new(),
                recompiled: Recompiled::Nothing,
                remarks: Vec::new(),
            }));
        }
        let changes = pristine(self.context.workspace, case, changes)?;
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
        unit(self.context.workspace, module, sources, &|path| {
            self.slot.map(path)
        })
    }
}

/// Changes by their paths in the pristine copy, which is what they are compared with.
pub(crate) fn pristine(
    workspace: &Workspace,
    case: &Case,
    changes: &SourceChanges,
) -> Result<Changes, EngineError> {
    let written = changes.written.iter().map(|path| {
        let content = case.effect.written(path, workspace)?;
        Ok((workspace.map(path), content))
    });
    let deleted = changes.deleted.iter().map(|path| workspace.map(path));
    Ok(Changes {
        written: written.collect::<Result<_, EngineError>>()?,
        deleted: deleted.collect(),
    })
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
    workspace: &Workspace,
    module: &Module,
    place: &dyn Fn(&Path) -> PathBuf,
) -> braid_compile::Module {
    let sources = Sources {
        roots: &module.source_roots,
        classes: &module.classes,
        class_path: module.compile_classpath.clone(),
        javac_args: &module.javac_args,
    };
    unit(workspace, module, sources, place)
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
    workspace: &Workspace,
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
    let classes = workspace.map(sources.classes);
    let roots = sources.roots.iter();
    let source_roots: Vec<PathBuf> = roots.map(|root| workspace.map(root)).collect();
    braid_compile::Module {
        left_out: left_out(&source_roots, &module.source_excludes),
        source_roots,
        setup: Setup {
            class_path: placed(&sources.class_path),
            encoding: module.encoding.clone(),
            javac_args: [debug_args(&classes), sources.javac_args].concat(),
            processing,
        },
        classes,
    }
}

/// How many class files are looked at for what the build's compiler was told.
const LOOKED_AT: usize = 32;

/// What has the compiler name local variables if the build's compiler did: the JVM's own messages have these names.
fn debug_args(classes: &Path) -> &'static [String] {
    static NAMES: LazyLock<[String; 1]> = LazyLock::new(|| ["-g".to_owned()]);
    let files = WalkDir::new(classes).into_iter().flatten();
    let files = files.filter(|file| file.path().extension().is_some_and(|end| end == "class"));
    let named = |file: walkdir::DirEntry| {
        let attribute = b"LocalVariableTable";
        let bytes = std::fs::read(file.path()).unwrap_or_default();
        bytes.windows(attribute.len()).any(|part| part == attribute)
    };
    if files.take(LOOKED_AT).any(named) {
        &*NAMES
    } else {
        &[]
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
