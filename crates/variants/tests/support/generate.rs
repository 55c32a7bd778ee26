//! Random files and edits.

use fastrand::Rng;

/// Lines as Java has them: many that occur again and again, some that occur once. Some files
/// have hardly a line that occurs once.
pub(crate) fn file(rng: &mut Rng, lines: usize) -> Vec<String> {
    let names = if rng.u8(..4) == 0 { 5 } else { 100_000 };
    (0..lines).map(|_| line(rng, names)).collect()
}

fn line(rng: &mut Rng, names: u32) -> String {
    const COMMON: [&str; 12] = [
        "",
        "",
        "    }",
        "    }",
        "}",
        "        }",
        "        return null;",
        "        return result;",
        "    @Override",
        "        } else {",
        "        break;",
        "    /** {@inheritDoc} */",
    ];
    if rng.u8(..100) < 55 {
        COMMON[rng.usize(..COMMON.len())].to_owned()
    } else {
        let indent = " ".repeat(4 * rng.usize(0..3));
        let limit = if rng.bool() { 5 } else { names };
        format!("{indent}int v{} = f({});", rng.u32(..limit), rng.u32(..2))
    }
}

/// One place of a file: lines removed and others put there.
struct Edit {
    at: usize,
    removed: usize,
    added: Vec<String>,
    /// Whether it is wanted; else it is drift.
    wanted: bool,
}

/// Edits at places that do not touch each other, some wanted, some drift.
pub(crate) struct Edits(Vec<Edit>);

impl Edits {
    pub(crate) fn random(rng: &mut Rng, base: &[String]) -> Self {
        let mut edits = Vec::new();
        let gap = if rng.bool() { 25 } else { 8 };
        let mut at = 0;
        while at <= base.len() {
            at += rng.usize(..gap);
            if at > base.len() {
                break;
            }
            let removed = rng.usize(..3).min(base.len() - at);
            let wanted = rng.bool();
            let added = if !wanted && rng.u8(..3) == 0 {
                copied(rng, base)
            } else {
                (0..rng.usize(..4)).map(|_| line(rng, 100_000)).collect()
            };
            edits.push(Edit {
                at,
                removed,
                added,
                wanted,
            });
            at += removed + 1;
        }
        Self(edits)
    }

    /// The file after the wanted edits, the drift, both or none.
    pub(crate) fn carried_out(&self, base: &[String], wanted: bool, drift: bool) -> Vec<String> {
        let mut out = Vec::new();
        let mut from = 0;
        for edit in &self.0 {
            if if edit.wanted { !wanted } else { !drift } {
                continue;
            }
            out.extend_from_slice(&base[from..edit.at]);
            out.extend_from_slice(&edit.added);
            from = edit.at + edit.removed;
        }
        out.extend_from_slice(&base[from..]);
        out
    }
}

/// Some lines of the file once more: drift that makes places look alike.
fn copied(rng: &mut Rng, base: &[String]) -> Vec<String> {
    let from = rng.usize(..=base.len());
    let to = (from + rng.usize(..20)).min(base.len());
    base[from..to].to_vec()
}

/// The lines as a file, perhaps without the last newline.
pub(crate) fn bytes(lines: &[String], eol: &str, last: bool) -> Vec<u8> {
    let mut text = lines.join(eol);
    if last && !lines.is_empty() {
        text.push_str(eol);
    }
    text.into_bytes()
}
