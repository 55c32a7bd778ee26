//! Mutants as changes of the source.

use std::fs;
use std::path::Path;

use braid_project::Project;

use super::model::MutantResult;
use super::reach::Unit;
use crate::EngineError;

/// The source file of a test, relative to the project.
pub(crate) fn test_file(project: &Project, unit: &Unit) -> Option<String> {
    let module = project.module(&unit.module)?;
    let class = unit.id.class().split('$').next()?.replace('.', "/");
    let mut roots = module.test_roots.iter();
    roots.find_map(|root| {
        let path = ["java", "kt", "groovy"]
            .map(|end| root.join(format!("{class}.{end}")))
            .into_iter()
            .find(|path| path.is_file())?;
        let relative = path.strip_prefix(&project.root).unwrap_or(&path);
        Some(relative.to_string_lossy().replace('\\', "/"))
    })
}

/// What a mutant changes in the source below `root`, as a unified diff.
pub fn diff(root: &Path, mutant: &MutantResult) -> Result<String, EngineError> {
    let (file, before, after) = texts(root, mutant)?;
    Ok(unified(&file, &before, &after, mutant))
}

/// Writes a mutant into the source below `root`; gives the diff.
pub fn apply(root: &Path, mutant: &MutantResult) -> Result<String, EngineError> {
    let (file, before, after) = texts(root, mutant)?;
    let path = root.join(&file);
    fs::write(&path, &after).map_err(EngineError::io("write", &path))?;
    Ok(unified(&file, &before, &after, mutant))
}

/// The file, its text, and its text with the mutant.
fn texts(root: &Path, mutant: &MutantResult) -> Result<(String, String, String), EngineError> {
    let no = |why: &str| {
        EngineError::Input(format!(
            "the mutant {} cannot be written as source: {why}",
            mutant.id
        ))
    };
    let file = mutant
        .file
        .clone()
        .ok_or_else(|| no("its source file was not found"))?;
    let place = mutant.place.as_ref();
    let place = place.ok_or_else(|| no("its place in the source is not sure"))?;
    let replacement = place.replacement.as_ref();
    let replacement = replacement.ok_or_else(|| no("Java has no words for it"))?;
    let path = root.join(&file);
    let before = fs::read_to_string(&path).map_err(EngineError::io("read", &path))?;
    let end = place.byte + place.original.len();
    if before.get(place.byte..end) != Some(place.original.as_str()) {
        return Err(no(&format!("{file} has changed since")));
    }
    let after = format!("{}{replacement}{}", &before[..place.byte], &before[end..]);
    Ok((file, before, after))
}

/// A diff of the lines that a mutant touches, with three lines around them.
fn unified(file: &str, before: &str, after: &str, mutant: &MutantResult) -> String {
    const AROUND: usize = 3;
    let Some(place) = &mutant.place else {
        return String::new();
    };
    let (old, new): (Vec<&str>, Vec<&str>) = (before.lines().collect(), after.lines().collect());
    let first = place.line as usize - 1;
    let last_old = place.end_line as usize; // just behind
    let last_new = (last_old + new.len()).saturating_sub(old.len()).max(first);
    let start = first.saturating_sub(AROUND);
    let end = (last_old + AROUND).min(old.len());
    let around = end - last_old;
    let mut text = format!("--- a/{file}\n+++ b/{file}\n");
    text += &format!(
        "@@ -{},{} +{},{} @@ {}\n",
        start + 1,
        end - start,
        start + 1,
        last_new + around - start,
        mutant.description
    );
    let mut lines = |mark: char, lines: &[&str]| {
        for line in lines {
            text += &format!("{mark}{line}\n");
        }
    };
    lines(' ', &old[start..first]);
    lines('-', &old[first..last_old.min(old.len())]);
    lines('+', &new[first..last_new.min(new.len())]);
    lines(' ', &old[last_old.min(old.len())..end]);
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mutate::{Decision, How, SourcePlace, Status};

    fn mutant(place: Option<SourcePlace>) -> MutantResult {
        MutantResult {
            id: "a/C.f(I)I:math:sub:1".into(),
            seq: 0,
            class: "a.C".into(),
            method: "f".into(),
            descriptor: "(I)I".into(),
            operator: "math".into(),
            description: "replaced + by -".into(),
            module: "m".into(),
            file: Some("C.java".into()),
            line: Some(3),
            insn: 2,
            block: 0,
            place,
            status: Status::Survived,
            reason: String::new(),
            covered_by: vec![0],
            killed_by: Vec::new(),
            timeout_by: Vec::new(),
            error_by: Vec::new(),
            tests_run: 1,
            spared: 0,
            elapsed_us: 5,
            decided: Decision {
                how: How::Warm,
                why: String::new(),
            },
        }
    }

    #[test]
    fn a_mutant_is_a_diff_of_the_source_and_can_be_written() {
        let dir = tempfile::tempdir().unwrap();
        let text = "class C {\n  int f(int n) {\n    return n + 1;\n  }\n}\n";
        fs::write(dir.path().join("C.java"), text).unwrap();
        let at = text.find("n + 1").unwrap();
        let placed = mutant(Some(SourcePlace {
            line: 3,
            column: 12,
            end_line: 3,
            end_column: 17,
            byte: at,
            original: "n + 1".into(),
            replacement: Some("n - 1".into()),
        }));
        let shown = diff(dir.path(), &placed).unwrap();
        assert_eq!(
            shown,
            "--- a/C.java\n+++ b/C.java\n@@ -1,5 +1,5 @@ replaced + by -\n class C {\n   int f(int n) {\n\
             -    return n + 1;\n+    return n - 1;\n   }\n }\n"
        );
        assert_eq!(apply(dir.path(), &placed).unwrap(), shown);
        let written = fs::read_to_string(dir.path().join("C.java")).unwrap();
        assert_eq!(written, text.replace("n + 1", "n - 1"));
        let again = apply(dir.path(), &placed).unwrap_err().to_string();
        assert!(again.contains("has changed since"), "{again}");
        let unsure = diff(dir.path(), &mutant(None)).unwrap_err().to_string();
        assert!(unsure.contains("not sure"), "{unsure}");
    }
}
