//! Candidate patches for a Java source tree, generated from a fixed seed.
//!
//! The mix imitates what repair tools and language models hand over: small edits of one method, of which
//! about half do not compile. A generated patch carries no expected verdict; oracles decide that elsewhere.

mod edits;
mod methods;

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use imara_diff::{Algorithm, BasicLineDiffPrinter, Diff, InternedInput, UnifiedDiffConfig};

pub use edits::Edit;
pub use methods::Method;

/// What to generate.
#[derive(Debug, Clone)]
pub struct Request {
    /// The folder that paths in the diffs are relative to.
    pub project: PathBuf,
    /// The source folder to change, below `project`.
    pub sources: PathBuf,
    /// Only files whose path contains one of these (all files when empty).
    pub only: Vec<String>,
    /// Over how many methods the patches are spread.
    pub methods: usize,
    /// How many patches.
    pub patches: usize,
    /// The share of patches made so that they should not compile, in percent.
    pub broken_percent: u8,
    /// The same seed gives the same patches.
    pub seed: u64,
}

/// One generated patch.
#[derive(Debug, Clone)]
pub struct Generated {
    /// A name that says what was done, unique within one request.
    pub id: String,
    /// A unified diff relative to the project's root.
    pub diff: String,
}

/// Generates the patches of a request.
pub fn generate(request: &Request) -> Result<Vec<Generated>> {
    let mut rng = fastrand::Rng::with_seed(request.seed);
    let files = methods::source_files(&request.project.join(&request.sources), &request.only)?;
    let mut pool = Vec::new();
    for file in &files {
        pool.extend(methods::of_file(file)?);
    }
    rng.shuffle(&mut pool);
    pool.truncate(request.methods);
    ensure!(
        !pool.is_empty(),
        "no method with a body of two statements or more below {}",
        request.sources.display()
    );

    let mut patches = Vec::new();
    let mut seen = std::collections::HashSet::new();
    let mut misses = 0;
    while patches.len() < request.patches {
        let method = &pool[patches.len() % pool.len()];
        let broken = rng.u8(0..100) < request.broken_percent;
        match make(request, method, broken, patches.len(), &mut rng)? {
            Some(patch) if seen.insert(patch.diff.clone()) => patches.push(patch),
            _ => misses += 1,
        }
        ensure!(
            misses < 100 * (request.patches + 10),
            "the methods allow only {} different patches; ask for more methods",
            patches.len()
        );
        if misses % 50 == 49 {
            let last = pool.len() - 1;
            pool.swap(patches.len() % (last + 1), rng.usize(0..=last));
        }
    }
    Ok(patches)
}

fn make(
    request: &Request,
    method: &Method,
    broken: bool,
    number: usize,
    rng: &mut fastrand::Rng,
) -> Result<Option<Generated>> {
    let Some(edit) = edits::propose(method, broken, rng) else {
        return Ok(None);
    };
    let before = method.text.as_str();
    let mut after = String::with_capacity(before.len() + edit.text.len());
    after.push_str(&before[..edit.range.start]);
    after.push_str(&edit.text);
    after.push_str(&before[edit.range.end..]);
    if after == before {
        return Ok(None);
    }
    let path = method
        .file
        .strip_prefix(&request.project)
        .context("a source file lies outside the project")?;
    Ok(Some(Generated {
        id: format!("{number:05}-{}-{}", method.name, edit.kind),
        diff: unified(path, before, &after),
    }))
}

fn unified(path: &Path, before: &str, after: &str) -> String {
    let input = InternedInput::new(before, after);
    let mut diff = Diff::compute(Algorithm::Histogram, &input);
    diff.postprocess_lines(&input);
    let printer = BasicLineDiffPrinter(&input.interner);
    let body = diff.unified_diff(&printer, UnifiedDiffConfig::default(), &input);
    let path = path.to_string_lossy().replace('\\', "/");
    format!("--- a/{path}\n+++ b/{path}\n{body}")
}

#[cfg(test)]
mod tests {
    use super::*;

    const SOURCE: &str = "package p;\nclass A {\n    int max(int a, int b) {\n        if (a > b) {\n            \
        return a;\n        }\n        log(a, b);\n        return b;\n    }\n}\n";

    fn patches(seed: u64) -> Vec<Generated> {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let sources = folder.path().join("src");
        std::fs::create_dir(&sources).expect("a source folder");
        std::fs::write(sources.join("A.java"), SOURCE).expect("a source file");
        let request = Request {
            project: folder.path().to_path_buf(),
            sources: "src".into(),
            only: Vec::new(),
            methods: 5,
            patches: 40,
            broken_percent: 40,
            seed,
        };
        generate(&request).expect("patches")
    }

    #[test]
    fn the_same_seed_gives_the_same_patches() {
        let diffs = |seed| {
            patches(seed)
                .into_iter()
                .map(|p| p.diff)
                .collect::<Vec<_>>()
        };
        assert_eq!(diffs(7), diffs(7));
        assert_ne!(diffs(7), diffs(8));
    }

    #[test]
    fn every_patch_differs_and_names_the_file_below_the_root() {
        let patches = patches(1);
        let distinct: std::collections::HashSet<_> = patches.iter().map(|p| &p.diff).collect();
        assert_eq!(distinct.len(), 40);
        assert!(
            patches
                .iter()
                .all(|p| p.diff.starts_with("--- a/src/A.java\n+++ b/src/A.java\n@@"))
        );
    }
}
