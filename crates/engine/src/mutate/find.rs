//! From the project's classes to the mutants of a run: made, placed in the source, selected.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use braid_classpath::ClassPath;
use braid_mutators::source::{Source, Suppression, suppressions};
use braid_mutators::{Filters, Mutant, Mutation, OperatorSet, Options, operators};
use braid_project::{Module, Project};

use super::changed::ChangedLines;
use super::model::{NotMade, SourcePlace};
use super::select::Wanted;
use crate::EngineError;

/// A mutant to run.
pub(crate) struct Candidate {
    pub mutant: Mutant,
    /// The mutants of its class.
    pub mutation: Arc<Mutation>,
    /// Its class as it is.
    pub original: Arc<[u8]>,
    /// The module that the class belongs to.
    pub module: String,
    /// The source file, relative to the project.
    pub file: Option<String>,
    pub place: Option<SourcePlace>,
}

impl Candidate {
    /// Its class with just this mutant.
    pub(crate) fn alone(&self) -> Result<Vec<u8>, EngineError> {
        let alone = braid_mutators::alone(&self.original, &self.mutation, &self.mutant);
        Ok(alone?)
    }

    /// `a.b.C`.
    pub(crate) fn class(&self) -> String {
        self.mutant.class.replace('/', ".")
    }
}

/// The mutants of a project and what was left out.
#[derive(Default)]
pub(crate) struct Found {
    pub candidates: Vec<Candidate>,
    pub not_made: Vec<NotMade>,
}

/// How to look for mutants.
pub(crate) struct Search<'a> {
    pub project: &'a Project,
    pub operators: OperatorSet,
    pub wanted: &'a Wanted,
    /// Only these lines, if given.
    pub changed: Option<&'a ChangedLines>,
    /// Whether junk is left out.
    pub filters: bool,
}

/// A source file.
struct SourceFile {
    relative: String,
    parsed: Source,
    suppressions: Vec<Suppression>,
}

impl Search<'_> {
    /// The mutants of all modules, class by class.
    pub(crate) fn run(&self) -> Result<Found, EngineError> {
        let mut found = Found::default();
        let mut seen = std::collections::HashSet::new();
        for module in &self.project.modules {
            if !module.classes.is_dir() {
                continue;
            }
            let mut path = ClassPath::new();
            path.add(&module.classes)?;
            let mut classes = path.map(|name, bytes| (name.to_owned(), bytes))?;
            classes.sort();
            let mut files = HashMap::new();
            for (name, bytes) in classes {
                if seen.insert(name.clone()) && self.wanted.class(&name.replace('/', ".")) {
                    self.class(module, &name, bytes.into(), &mut files, &mut found)?;
                }
            }
        }
        Ok(found)
    }

    fn class(
        &self,
        module: &Module,
        name: &str,
        original: Arc<[u8]>,
        files: &mut HashMap<PathBuf, Option<Arc<SourceFile>>>,
        found: &mut Found,
    ) -> Result<(), EngineError> {
        let last = name.rsplit('/').next().unwrap_or(name);
        if matches!(last, "module-info" | "package-info") {
            return Ok(());
        }
        let file_name = source_file(&original);
        let file = file_name.and_then(|file| self.source(module, name, &file, files));
        let mut options = self.options();
        if let Some(changed) = self.changed {
            let lines = file.as_ref().map(|file| changed.of(&file.relative));
            match lines {
                Some(lines) if !lines.is_empty() => options.only.lines = Some(lines),
                _ => return Ok(()),
            }
        }
        let mutation = match braid_mutators::mutate(&original, &options) {
            Ok(mutation) => Arc::new(mutation),
            Err(error) => {
                found
                    .not_made
                    .push(whole_class(name, file.as_deref(), &error));
                return Ok(());
            }
        };
        let relative = file.as_ref().map(|file| file.relative.clone());
        for left in &mutation.left_out {
            if self.wanted.method(name, &left.method) {
                found.not_made.push(NotMade {
                    class: name.replace('/', "."),
                    method: left.method.clone(),
                    operator: left.operator.unwrap_or_default().to_owned(),
                    file: relative.clone(),
                    line: left.line,
                    description: left.description.clone(),
                    reason: left.reason.to_string(),
                });
            }
        }
        let places = match &file {
            Some(file) => file.parsed.locate(&original, &mutation.mutants),
            None => Vec::new(),
        };
        let mut places = places.into_iter().map(|place| place.map(source_place));
        for mutant in &mutation.mutants {
            let place = places.next().flatten();
            let candidate = Candidate {
                mutant: mutant.clone(),
                mutation: Arc::clone(&mutation),
                original: Arc::clone(&original),
                module: module.name.clone(),
                file: relative.clone(),
                place,
            };
            self.choose(candidate, file.as_deref(), found);
        }
        Ok(())
    }

    fn options(&self) -> Options {
        Options {
            operators: self.operators.clone(),
            filters: if self.filters {
                Filters::default()
            } else {
                Filters::none()
            },
            ..Options::default()
        }
    }

    /// Takes a mutant, unless it is not wanted or a comment or `braid.toml` suppresses it.
    fn choose(&self, candidate: Candidate, file: Option<&SourceFile>, found: &mut Found) {
        let mutant = &candidate.mutant;
        if !self.wanted.method(&mutant.class, &mutant.method) || !self.wanted.id(&mutant.id.0) {
            return;
        }
        let operator = operators().iter().find(|one| one.id == mutant.operator);
        let comment = file
            .zip(mutant.line)
            .zip(operator)
            .and_then(|((file, line), operator)| {
                let mut all = file.suppressions.iter();
                all.find(|one| one.covers(line, operator))
            });
        let why = match comment {
            Some(comment) if comment.reason.is_empty() => {
                Some("suppressed by a comment".to_owned())
            }
            Some(comment) => Some(format!("suppressed by a comment: {}", comment.reason)),
            None => self.wanted.ignored(&candidate),
        };
        match why {
            None => found.candidates.push(candidate),
            Some(reason) => found.not_made.push(NotMade {
                class: candidate.class(),
                method: mutant.method.clone(),
                operator: mutant.operator.to_owned(),
                file: candidate.file.clone(),
                line: mutant.line,
                description: mutant.description.clone(),
                reason,
            }),
        }
    }

    /// The source file of a class, read once.
    fn source(
        &self,
        module: &Module,
        class: &str,
        file: &str,
        files: &mut HashMap<PathBuf, Option<Arc<SourceFile>>>,
    ) -> Option<Arc<SourceFile>> {
        let package = class.rsplit_once('/').map_or("", |(package, _)| package);
        let inside = Path::new(package).join(file);
        let known = files.entry(inside.clone()).or_insert_with(|| {
            let roots = module.source_roots.iter();
            let path = roots
                .map(|root| root.join(&inside))
                .find(|path| path.is_file())?;
            let text = String::from_utf8_lossy(&std::fs::read(&path).ok()?).into_owned();
            let relative = path.strip_prefix(&self.project.root).unwrap_or(&path);
            Some(Arc::new(SourceFile {
                relative: relative.to_string_lossy().replace('\\', "/"),
                suppressions: suppressions(&text),
                parsed: Source::parse(&text),
            }))
        });
        known.clone()
    }
}

/// The name of a class's source file, as the class says.
fn source_file(bytes: &[u8]) -> Option<String> {
    let class = braid_classfile::ClassFile::parse(bytes).ok()?;
    match class.attribute("SourceFile") {
        Ok(Some(braid_classfile::Attribute::SourceFile(name))) => Some(name.to_string()),
        _ => None,
    }
}

fn source_place(place: braid_mutators::source::Place) -> SourcePlace {
    SourcePlace {
        line: place.start.line,
        column: place.start.column,
        end_line: place.end.line,
        end_column: place.end.column,
        byte: place.start.byte,
        original: place.original,
        replacement: place.replacement,
    }
}

fn whole_class(
    name: &str,
    file: Option<&SourceFile>,
    error: &braid_mutators::MutatorsError,
) -> NotMade {
    NotMade {
        class: name.replace('/', "."),
        method: String::new(),
        operator: String::new(),
        file: file.map(|file| file.relative.clone()),
        line: None,
        description: String::new(),
        reason: format!("the class cannot be mutated: {error}"),
    }
}
