//! Which methods patches change, as far as their text tells: before anything is compiled, and for all patches in a second.
//!
//! It is good enough to say which tests are worth a run in fresh JVMs before patches are judged. Nothing depends on its being
//! right: what a test does that was only seen in a warm JVM is not believed there.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use braid_classfile::{Attribute, ClassFile};
use braid_project::Project;

use crate::effect::FileEffect;
use crate::strategy::Case;
use crate::strategy::warm::compiling::{Kind, sort};
use crate::strategy::warm::program::Program;
use crate::workspace::Workspace;

/// What patches change, once that is known.
pub(crate) type Surveyed = OnceLock<Survey>;

/// Somebody who finds out. Without a result nothing is known.
pub(crate) struct Surveying<'s>(pub(crate) &'s Surveyed);

impl Surveying<'_> {
    /// This is what patches change.
    pub(crate) fn end(self, survey: Survey) {
        // nobody else sets it
        let _ = self.0.set(survey);
    }
}

impl Drop for Surveying<'_> {
    fn drop(&mut self) {
        let _ = self.0.set(Survey::blind());
    }
}

/// What patches change.
#[derive(Default)]
pub(crate) struct Survey {
    /// Lines of sources, from 1 and to the last, by path below the source root.
    sources: BTreeMap<PathBuf, BTreeSet<(u32, u32)>>,
    /// Whole classes (`a/b/C`).
    classes: BTreeSet<String>,
    /// Where the lines of each source start.
    starts: HashMap<PathBuf, Vec<usize>>,
    /// There are patches that all tests may see, or that are judged by other tests than the others.
    pub(crate) any_test: bool,
    /// Nothing is known.
    blind: bool,
}

impl Survey {
    /// Knows nothing.
    pub(crate) fn blind() -> Self {
        Self {
            any_test: true,
            blind: true,
            ..Self::default()
        }
    }

    /// Takes in one more patch.
    pub(crate) fn add(&mut self, case: &Case, project: &Project, workspace: &Workspace) {
        let known = self.take(case, project, workspace);
        self.any_test |= !known || !case.failing.is_empty();
    }

    /// Takes in what a patch changes; false if that is not known.
    fn take(&mut self, case: &Case, project: &Project, workspace: &Workspace) -> bool {
        match sort(&project.modules, case) {
            Ok(Kind::Sources(module, _)) => case.effect.files.iter().all(|(path, effect)| {
                let mut roots = module.source_roots.iter();
                let below = roots.find_map(|root| path.strip_prefix(root).ok());
                below.is_some_and(|below| self.source(below, effect, &workspace.map(path)))
            }),
            Ok(Kind::Classes(classes)) => {
                self.classes
                    .extend(classes.into_iter().map(|(name, _)| name));
                true
            }
            Err(_) => false,
        }
    }

    /// Takes in what happens to a file; false if it cannot be read.
    fn source(&mut self, below: &Path, effect: &FileEffect, pristine: &Path) -> bool {
        let lines = match effect {
            FileEffect::Delete => (0, u32::MAX),
            FileEffect::Write(_) if !pristine.exists() => return true,
            FileEffect::Write(edit) => {
                if !self.starts.contains_key(below) {
                    let Ok(text) = fs::read(pristine) else {
                        return false;
                    };
                    self.starts.insert(below.to_owned(), line_starts(&text));
                }
                let starts = &self.starts[below];
                let line = |at: usize| starts.partition_point(|start| *start <= at) as u32;
                let changed = edit.replaced(starts.last().copied().unwrap_or(0));
                (
                    line(changed.start),
                    line(changed.end.saturating_sub(1).max(changed.start)),
                )
            }
        };
        self.sources
            .entry(below.to_owned())
            .or_default()
            .insert(lines);
        true
    }

    /// The probes of what is changed; none if nothing is known.
    pub(crate) fn probes(&self, program: &Program) -> Option<BTreeSet<u32>> {
        if self.blind {
            return None;
        }
        let mut probes = BTreeSet::new();
        let mut lines: BTreeMap<&PathBuf, BTreeSet<(u32, u32)>> = BTreeMap::new();
        for (name, bytes) in &program.originals {
            if self.classes.contains(name) {
                probes.extend(program.probes.of_class(name));
                continue;
            }
            let Ok(class) = ClassFile::parse(bytes) else {
                continue;
            };
            if let Some(source) = source_of(&class)
                && let Some((source, _)) = self.sources.get_key_value(&source)
            {
                let methods = methods(&class, program);
                lines.entry(source).or_default().extend(methods);
            }
        }
        for (source, lines) in &lines {
            for (from, to) in &self.sources[*source] {
                probes.extend(at(lines, *from, *to));
            }
        }
        Some(probes)
    }
}

/// Where lines start, and where the last one ends.
fn line_starts(text: &[u8]) -> Vec<usize> {
    let ends = memchr::memchr_iter(b'\n', text).map(|end| end + 1);
    std::iter::once(0).chain(ends).chain([text.len()]).collect()
}

/// The source of a class by its path below the source root.
fn source_of(class: &ClassFile<'_>) -> Option<PathBuf> {
    let Ok(Some(Attribute::SourceFile(file))) = class.attribute("SourceFile") else {
        return None;
    };
    let name = class.name().to_string();
    let package = Path::new(&name).parent()?;
    Some(package.join(file.to_string()))
}

/// The lines of all methods, each with the probe of its method. What runs once for all tests is left out: it says nothing of a
/// single test.
fn methods(class: &ClassFile<'_>, program: &Program) -> Vec<(u32, u32)> {
    let owner = class.name().to_string();
    let of_method = |method: braid_classfile::Member<'_>| {
        let (name, descriptor) = (method.name().to_string(), method.descriptor().to_string());
        let lines = method.code().ok()??.line_numbers().ok()?;
        let probe = program.probes.probe(&owner, &name, &descriptor)?;
        let lines = lines.into_iter().map(move |line| (line.line.into(), probe));
        (!program.builds_once(&owner, &name)).then_some(lines)
    };
    class.methods().filter_map(of_method).flatten().collect()
}

/// The methods that lines belong to, given the lines of all methods with their probes: a line without code belongs to the one
/// before, or stands between two methods.
fn at(lines: &BTreeSet<(u32, u32)>, from: u32, to: u32) -> BTreeSet<u32> {
    let of_line = |line: u32| lines.range((line, 0)..=(line, u32::MAX));
    let last_before = lines.range(..(from, 0)).next_back();
    let before = last_before.map_or(from, |(line, _)| *line);
    let mut probes: BTreeSet<u32> = lines
        .range((from, 0)..=(to, u32::MAX))
        .map(|(_, probe)| *probe)
        .collect();
    let is_inside = !probes.is_empty();
    if of_line(from).next().is_none() {
        probes.extend(of_line(before).map(|(_, probe)| *probe));
    }
    let first_behind = lines.range((to.saturating_add(1), 0)..).next();
    if let Some((behind, _)) = first_behind.filter(|_| !is_inside) {
        probes.extend(of_line(*behind).map(|(_, probe)| *probe));
    }
    probes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_belongs_to_the_methods_it_touches_or_stands_between() {
        // a constructor with a field's initialiser in line 3, methods, one of them around a lambda in lines 9 and 10
        let lines = [
            (3, 0),
            (14, 0),
            (15, 0),
            (6, 1),
            (8, 2),
            (9, 3),
            (10, 3),
            (12, 2),
            (20, 4),
        ];
        let lines: BTreeSet<(u32, u32)> = lines.into_iter().collect();
        let at = |from, to| Vec::from_iter(at(&lines, from, to));
        assert_eq!(at(6, 6), [1]);
        assert_eq!(at(9, 9), [3]);
        assert_eq!(at(8, 12), [2, 3]);
        assert_eq!(at(11, 11), [2, 3], "what goes on from the line before");
        assert_eq!(at(7, 7), [1, 2]);
        assert_eq!(at(17, 18), [0, 4]);
        assert_eq!(at(1, 1), [0]);
        assert_eq!(at(30, 30), [4]);
        assert_eq!(at(0, u32::MAX), [0, 1, 2, 3, 4]);
    }

    #[test]
    fn lines_are_counted_from_one() {
        let starts = line_starts(b"a\nbc\n\nd");
        assert_eq!(starts, [0, 2, 5, 6, 7]);
        let line = |at: usize| starts.partition_point(|start| *start <= at);
        assert_eq!([0, 1, 2, 4, 5, 6].map(line), [1, 1, 2, 2, 3, 4]);
    }
}
