//! Which classes, methods and mutants a run is about.

use std::collections::HashMap;

use super::find::Candidate;
use super::request::{Sample, Selection, Shard};
use crate::EngineError;
use crate::select::Globs;

/// What is wanted, by name.
pub(crate) struct Wanted {
    classes: Globs,
    no_classes: Option<Globs>,
    methods: Globs,
    no_methods: Option<Globs>,
    ids: Globs,
    ignored: Vec<Ignored>,
}

/// What `braid.toml` says to leave alone.
struct Ignored {
    classes: Globs,
    methods: Globs,
    operators: Option<braid_mutators::OperatorSet>,
    reason: String,
}

impl Wanted {
    pub(crate) fn new(
        selection: &Selection,
        config: &braid_project::MutateConfig,
    ) -> Result<Self, EngineError> {
        let some = |patterns: &[String], more: Option<&Vec<String>>| {
            let all: Vec<String> = patterns
                .iter()
                .chain(more.into_iter().flatten())
                .cloned()
                .collect();
            (!all.is_empty()).then(|| Globs::new(&all)).transpose()
        };
        let ignored = config.ignore.iter().flatten().map(|rule| {
            let operators = rule
                .operators
                .as_deref()
                .map(braid_mutators::OperatorSet::named);
            let wrong =
                |error| EngineError::Input(format!("braid.toml, [[mutate.ignore]]: {error}"));
            Ok(Ignored {
                classes: Globs::new(rule.classes.as_deref().unwrap_or_default())?,
                methods: Globs::new(rule.methods.as_deref().unwrap_or_default())?,
                operators: operators.transpose().map_err(wrong)?,
                reason: rule.reason.clone().unwrap_or_default(),
            })
        });
        let classes = if selection.classes.is_empty() {
            config.classes.clone().unwrap_or_default()
        } else {
            selection.classes.clone()
        };
        Ok(Self {
            classes: Globs::new(&classes)?,
            no_classes: some(&selection.exclude_classes, config.exclude_classes.as_ref())?,
            methods: Globs::new(&selection.methods)?,
            no_methods: some(&selection.exclude_methods, config.exclude_methods.as_ref())?,
            ids: Globs::new(&selection.ids)?,
            ignored: ignored.collect::<Result<_, EngineError>>()?,
        })
    }

    /// Whether a class (`a.b.C$D`) is wanted: patterns may leave out the package and nested classes.
    pub(crate) fn class(&self, class: &str) -> bool {
        let fits = |globs: &Globs| class_names(class).iter().any(|name| globs.accept(name));
        fits(&self.classes) && !self.no_classes.as_ref().is_some_and(fits)
    }

    /// Whether a method of a class is wanted: patterns are a method's name, or `Class#method`.
    pub(crate) fn method(&self, class: &str, method: &str) -> bool {
        let fits = |globs: &Globs| method_fits(globs, class, method);
        fits(&self.methods) && !self.no_methods.as_ref().is_some_and(fits)
    }

    /// Whether a mutant is wanted by its name.
    pub(crate) fn id(&self, id: &str) -> bool {
        self.ids.accept(id)
    }

    /// Why `braid.toml` leaves a mutant alone, if it does.
    pub(crate) fn ignored(&self, candidate: &Candidate) -> Option<String> {
        let (mutant, class) = (&candidate.mutant, candidate.class());
        let rule = self.ignored.iter().find(|rule| {
            class_names(&class)
                .iter()
                .any(|name| rule.classes.accept(name))
                && method_fits(&rule.methods, &mutant.class, &mutant.method)
                && rule
                    .operators
                    .as_ref()
                    .is_none_or(|set| set.contains(mutant.operator))
        })?;
        Some(match rule.reason.as_str() {
            "" => "suppressed by braid.toml".to_owned(),
            reason => format!("suppressed by braid.toml: {reason}"),
        })
    }
}

/// A class with and without its package, and the class around it.
fn class_names(class: &str) -> Vec<&str> {
    let outer = class.split('$').next().unwrap_or(class);
    let simple = |name: &'_ str| name.rfind('.').map_or(0, |dot| dot + 1);
    vec![
        class,
        &class[simple(class)..],
        outer,
        &outer[simple(outer)..],
    ]
}

fn method_fits(globs: &Globs, class: &str, method: &str) -> bool {
    let class = class.replace('/', ".");
    globs.accept(method)
        || class_names(&class)
            .iter()
            .any(|name| globs.accept(&format!("{name}#{method}")))
}

/// Keeps a sample: those whose names have the smallest hashes, so that any two runs agree.
pub(crate) fn sample(candidates: &mut Vec<Candidate>, sample: Sample) {
    let wanted = match sample {
        Sample::Count(count) => usize::try_from(count).unwrap_or(usize::MAX),
        Sample::Percent(share) => (candidates.len() as f64 * share / 100.0).round() as usize,
    };
    if wanted >= candidates.len() {
        return;
    }
    let mut hashes: Vec<[u8; 32]> = candidates.iter().map(hash).collect();
    hashes.sort_unstable();
    let limit = hashes[wanted];
    candidates.retain(|candidate| hash(candidate) < limit);
}

fn hash(candidate: &Candidate) -> [u8; 32] {
    let mut key = braid_store::KeyBuilder::new("sample");
    key.part("id", &candidate.mutant.id.0);
    *key.finish().bytes()
}

/// Keeps one part of several. The mutants of a method stay together: what killed one helps with the next.
pub(crate) fn shard(candidates: &mut Vec<Candidate>, shard: Shard) {
    let mut methods: HashMap<(String, String, String), u32> = HashMap::new();
    candidates.retain(|candidate| {
        let mutant = &candidate.mutant;
        let key = (
            mutant.class.clone(),
            mutant.method.clone(),
            mutant.descriptor.clone(),
        );
        let next = methods.len() as u32;
        let number = *methods.entry(key).or_insert(next);
        number % shard.of == shard.number - 1
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wanted(selection: &Selection) -> Wanted {
        Wanted::new(selection, &braid_project::MutateConfig::default()).unwrap()
    }

    #[test]
    fn classes_fit_with_and_without_package_and_for_what_is_nested() {
        let only = |pattern: &str| {
            wanted(&Selection {
                classes: vec![pattern.to_owned()],
                ..Selection::default()
            })
        };
        for pattern in ["com.x.*", "Foo", "Foo$Bar", "com.x.Foo", "*Bar"] {
            assert!(only(pattern).class("com.x.Foo$Bar"), "{pattern}");
        }
        assert!(!only("Bar").class("com.x.Foo$Bar"));
    }

    #[test]
    fn methods_fit_by_name_or_with_their_class() {
        let selection = Selection {
            methods: vec!["Foo#get*".to_owned(), "run".to_owned()],
            exclude_methods: vec!["getClass".to_owned()],
            ..Selection::default()
        };
        let wanted = wanted(&selection);
        assert!(wanted.method("com/x/Foo", "getName") && wanted.method("com/x/Bar", "run"));
        assert!(!wanted.method("com/x/Bar", "getName") && !wanted.method("com/x/Foo", "getClass"));
    }
}
