//! A patch's identity by content.

use std::collections::BTreeMap;

use blake3::Hasher;

use crate::diff::Diff;
use crate::{Change, FileState, Patch, Position, Region, RelPath};

/// Hash of what the patch changes, whatever its id, origin and notes.
///
/// Two patches with the same hash have the same effect on every tree. The reverse does not hold:
/// the same change in another form, or with other context lines, has another hash.
pub fn content_hash(patch: &Patch) -> [u8; 32] {
    let mut hash = Fields(Hasher::new());
    match &patch.change {
        Change::Diff(change) => diff(&mut hash, change),
        Change::SearchReplace(changes) => {
            hash.text("search_replace");
            for change in changes {
                hash.text(&change.path)
                    .text(&change.search)
                    .text(&change.replace);
                hash.text(&format!("{:?}", change.occurrence));
            }
        }
        Change::Methods(methods) => {
            hash.text("methods");
            for method in methods {
                hash.text(&method.class)
                    .text(&method.signature)
                    .text(&method.source);
            }
        }
        Change::Files(list) => files(&mut hash, list),
        Change::Edits(edits) => {
            hash.text("edits");
            for edit in edits {
                hash.text(&edit.path)
                    .position(edit.start)
                    .position(edit.end)
                    .text(&edit.text);
            }
        }
        Change::Sources(files) => {
            hash.text("sources");
            for file in files {
                hash.text(file.path.as_str()).bytes(&file.content);
            }
        }
        Change::Region(change) => region(&mut hash, change),
        Change::Classes(classes) => {
            hash.text("classes");
            for (name, bytes) in classes {
                hash.text(name).bytes(bytes);
            }
        }
    }
    *hash.0.finalize().as_bytes()
}

fn files(hash: &mut Fields, files: &BTreeMap<RelPath, FileState>) {
    hash.text("files");
    for (path, state) in files {
        hash.text(path.as_str());
        match state {
            FileState::Write(content) => hash.text("write").bytes(content),
            FileState::Delete => hash.text("delete"),
        };
    }
}

fn region(hash: &mut Fields, region: &Region) {
    let site = &region.site;
    hash.text("region")
        .text(&site.path)
        .text(&site.above)
        .text(&site.unpatched);
    hash.text(&site.below).text(&region.replacement);
}

fn diff(hash: &mut Fields, diff: &Diff) {
    hash.text("diff");
    for file in &diff.files {
        hash.text(&format!("{:?}", file.operation));
        for name in [&file.old, &file.new] {
            match name {
                Some(name) => hash.text(&name.text).number(name.prefix as u64),
                None => hash.text("").number(u64::MAX),
            };
        }
        hash.number(file.hunks.len() as u64);
        for hunk in &file.hunks {
            hash.number(hunk.old_start.map_or(u64::MAX, |start| start as u64));
            hash.number(u64::from(hunk.counted))
                .number(hunk.lines.len() as u64);
            for line in &hunk.lines {
                hash.number(((line.kind as u64) << 8) | line.eol as u64)
                    .bytes(diff.content(line));
            }
        }
    }
}

/// Hashes fields so that no two lists of fields look the same.
struct Fields(Hasher);

impl Fields {
    fn bytes(&mut self, bytes: &[u8]) -> &mut Self {
        self.number(bytes.len() as u64);
        self.0.update(bytes);
        self
    }

    fn text(&mut self, text: &str) -> &mut Self {
        self.bytes(text.as_bytes())
    }

    fn number(&mut self, number: u64) -> &mut Self {
        self.0.update(&number.to_le_bytes());
        self
    }

    fn position(&mut self, position: Position) -> &mut Self {
        match position {
            Position::Offset(offset) => self.number(0).number(offset as u64),
            Position::LineColumn(line, column) => {
                self.number(1).number(line as u64).number(column as u64)
            }
        }
    }
}
