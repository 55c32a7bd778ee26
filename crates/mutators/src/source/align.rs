//! Matches the events of bytecode with those of the source.

use imara_diff::{Algorithm, Diff, InternedInput, Interner};

use super::code::CodeEvent;
use super::event::{Key, SourceEvent};

/// For each event of the code, the event of the source it stands for.
///
/// Both lists are nearly equal: the longest common part is found first, then what is left is
/// matched where key and line leave no choice.
pub(super) fn align(code: &[CodeEvent], source: &[SourceEvent<'_>]) -> Vec<Option<usize>> {
    let mut matched = vec![None; code.len()];
    let mut taken = vec![false; source.len()];
    let mut input: InternedInput<&Key> = InternedInput {
        before: Vec::new(),
        after: Vec::new(),
        interner: Interner::new(code.len() + source.len()),
    };
    input.update_before(code.iter().map(|event| &event.key));
    input.update_after(source.iter().map(|event| &event.key));
    let diff = Diff::compute(Algorithm::MyersMinimal, &input);
    let (mut a, mut b) = (0, 0);
    let mut same = |a: &mut usize, b: &mut usize, until: usize| {
        while *a < until {
            if source
                .get(*b)
                .is_some_and(|event| event.may_be_on(code[*a].line))
            {
                matched[*a] = Some(*b);
                taken[*b] = true;
            }
            *a += 1;
            *b += 1;
        }
    };
    for hunk in diff.hunks() {
        same(&mut a, &mut b, hunk.before.start as usize);
        (a, b) = (hunk.before.end as usize, hunk.after.end as usize);
    }
    same(&mut a, &mut b, code.len());
    by_line(code, source, &mut matched, &mut taken);
    constants(code, source, &mut matched, &mut taken);
    matched
}

/// Matches what is left on a line, if code and source have the same number of such events there.
fn by_line(
    code: &[CodeEvent],
    source: &[SourceEvent<'_>],
    matched: &mut [Option<usize>],
    taken: &mut [bool],
) {
    for index in 0..code.len() {
        if matched[index].is_some() {
            continue;
        }
        let CodeEvent { key, line, .. } = &code[index];
        let alike =
            |i: &usize| matched[*i].is_none() && code[*i].key == *key && code[*i].line == *line;
        let left: Vec<usize> = (index..code.len()).filter(alike).collect();
        let fits = |i: &usize| !taken[*i] && source[*i].key == *key && source[*i].may_be_on(*line);
        let candidates: Vec<usize> = (0..source.len()).filter(fits).collect();
        if left.len() == candidates.len() {
            for (a, b) in left.into_iter().zip(candidates) {
                matched[a] = Some(b);
                taken[b] = true;
            }
        }
    }
}

/// Constants that javac put in the place of a name: the only name left between the neighbours.
fn constants(
    code: &[CodeEvent],
    source: &[SourceEvent<'_>],
    matched: &mut [Option<usize>],
    taken: &mut [bool],
) {
    for index in 0..code.len() {
        if matched[index].is_some() || !matches!(code[index].key, Key::Number(_)) {
            continue;
        }
        let before = matched[..index].iter().rev().find_map(|m| *m);
        let after = matched[index + 1..].iter().find_map(|m| *m);
        let from = before.map_or(0, |before| before + 1);
        let to = after.unwrap_or(source.len());
        let is_constant = |i: &usize| {
            let name = matches!(&source[*i].key, Key::Name(name) if is_constant_name(name));
            name && !taken[*i] && source[*i].may_be_on(code[index].line)
        };
        let mut candidates = (from..to.max(from)).filter(is_constant);
        if let Some(found) = candidates.next() {
            matched[index] = Some(found);
            taken[found] = true;
        }
    }
}

fn is_constant_name(name: &str) -> bool {
    name.bytes()
        .all(|b| b.is_ascii_uppercase() || b.is_ascii_digit() || b == b'_')
}
