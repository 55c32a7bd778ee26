//! Reading patches from files, folders and standard input.
//!
//! The format is recognised by content; the name of a file is only a hint.
//!
//! | input | patches | id |
//! | --- | --- | --- |
//! | unified or git diff, also in Markdown fences | one | file name without extension |
//! | mails of `git format-patch` | one a mail; a series `[PATCH n/m]` is one | file name, `#n` if several |
//! | JSON Lines, JSON array, JSON objects one after another | one an object | `id`, `instance_id`, else file name `#n` |
//! | ExpressAPR's JSON | one an element of `patches` | file name `#n` |
//! | a `.java` file | one | file name without extension |
//! | a `.class` file | one | file name without extension |
//! | a folder | those of every file in it, in the order of their paths | path in the folder without extension |
//! | folders of `.java` files in a folder | one a folder | path of that folder |
//! | folders of `.class` files in a folder (UniAPR's pool) | one a folder | path of that folder |
//!
//! A folder of patched files may mirror the project from its root, from a source root, or hold
//! the files flat; see [`ReadOptions::project`]. Ids that occur twice get `-2`, `-3` … and a note.
//!
//! # The JSON form
//!
//! One object is one patch. It has exactly one of these keys, which say what changes:
//!
//! - `diff`: a string with a unified or git diff.
//! - `search_replace`: an array of `{path, search, replace, occurrence?}`, carried out in order.
//!   `search` must be in the file exactly once, or `occurrence` says which place is meant (a number
//!   from 1, or `"all"`). If it is not there byte for byte, it is compared line by line without
//!   regard to space at line ends. An empty `search` creates the file.
//! - `method`: `{class, signature, source}` or an array of those. `class` is a binary or canonical
//!   name; `signature` is `name(Type, Type)` with simple or qualified types, a JVM name and
//!   descriptor, or the bare name if it is not overloaded (`<init>` or the class's name for
//!   constructors); `source` is the full text of the new method, with its header. A documentation
//!   comment is replaced if `source` begins with one.
//! - `files`: an object from path to the whole new content, or to `null` to delete the file.
//! - `edits`: an array of `{path, start, end, text}`: ranges of the files as they are before the
//!   patch, which must not overlap. A position is a byte offset, or `{line, col}` counted from 1 in
//!   characters; `offset` may stand for `start`; without `end` the text is inserted.
//! - `model_patch`, `fix_patch` or `patch`: the same as `diff`, as in SWE-bench and
//!   Multi-SWE-bench.
//!
//! Optional: `id` (or `instance_id`, `patch_id`; Multi-SWE-bench's `org`, `repo`, `number`), and
//! `failing` (or `FAIL_TO_PASS`), the tests that fail before the patch. Other keys are ignored. An
//! object whose values are such objects or diffs maps ids to patches; an object with only `patches`
//! holds an array of such objects. Paths are relative to the project's root.

mod classes;
mod detect;
mod draft;
mod folder;
mod json;
mod mail;
mod text;

use std::collections::VecDeque;
use std::fs::File;
use std::io::{self, BufReader, Read};
use std::path::{Path, PathBuf};

use crate::{Format, Origin, Patch, PatchReadError, ReadProblem};
use draft::{Draft, Drafts, Ids, Place};

/// Where patches are read from.
#[derive(Clone, Debug)]
pub enum Input {
    /// A file or folder.
    Path(PathBuf),
    /// Standard input.
    Stdin,
    /// Bytes at hand, under the name of the file they would have.
    Bytes {
        /// The name, whose extension is only a hint.
        name: String,
        /// The content.
        data: Vec<u8>,
    },
}

impl From<&Path> for Input {
    /// The file or folder; `-` is standard input.
    fn from(path: &Path) -> Self {
        if path == Path::new("-") {
            Self::Stdin
        } else {
            Self::Path(path.to_owned())
        }
    }
}

/// How patches are read.
#[derive(Clone, Debug)]
pub struct ReadOptions {
    /// The project's root: tells where in a folder of patched files the project's tree begins.
    /// Without it the files' package declarations tell, which finds source roots but not modules.
    pub project: Option<PathBuf>,
    /// Refuse single patches larger than this.
    pub max_patch_bytes: usize,
}

impl Default for ReadOptions {
    fn default() -> Self {
        Self {
            project: None,
            max_patch_bytes: 512 << 20,
        }
    }
}

/// The patches of `inputs`, one at a time and in a stable order.
///
/// A patch that cannot be read is an error with the id it would have had; reading goes on after it.
/// Memory is bounded by the largest single patch (for ExpressAPR and for maps of patches: file),
/// the names of the files in a folder and the ids.
///
/// ```
/// use braid_variants::{Input, ReadOptions, read};
/// let data = br#"{"id": "one", "files": {"A.java": "class A {}"}}
/// {"id": "two", "search_replace": [{"path": "A.java", "search": "x", "replace": "y"}]}
/// {"id": "three"}"#;
/// let input = Input::Bytes { name: "patches.jsonl".into(), data: data.to_vec() };
/// let patches: Vec<_> = read(&[input], &ReadOptions::default()).collect();
/// assert_eq!(patches[1].as_ref().unwrap().id.0, "two");
/// assert_eq!(patches[2].as_ref().unwrap_err().id.0, "three");
/// ```
pub fn read(inputs: &[Input], options: &ReadOptions) -> Patches {
    Patches {
        pending: inputs.iter().cloned().map(Unit::Input).collect(),
        current: None,
        ids: Ids::default(),
        options: options.clone(),
    }
}

/// Iterator over patches; see [`read`].
pub struct Patches {
    pending: VecDeque<Unit>,
    current: Option<Drafts>,
    ids: Ids,
    options: ReadOptions,
}

/// Something to read next.
enum Unit {
    Input(Input),
    /// A file of a folder, named by its path there. If not `certain`, it may be no patch at all.
    File {
        file: PathBuf,
        stem: String,
        certain: bool,
    },
    /// Files of a folder that together are one patch.
    Group(folder::Group),
}

impl Iterator for Patches {
    type Item = Result<Patch, PatchReadError>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            if let Some(draft) = self.current.as_mut().and_then(Iterator::next) {
                return Some(self.finish(draft));
            }
            let unit = self.pending.pop_front()?;
            self.current = Some(self.open(unit));
        }
    }
}

impl Patches {
    fn open(&mut self, unit: Unit) -> Drafts {
        let limit = self.options.max_patch_bytes;
        match unit {
            Unit::Input(Input::Path(path)) => self.open_path(path),
            Unit::Input(Input::Stdin) => {
                let place = Place {
                    file: PathBuf::from("-"),
                    stem: "stdin".into(),
                    limit,
                    certain: true,
                };
                detect::drafts(place, Box::new(BufReader::new(io::stdin())))
            }
            Unit::Input(Input::Bytes { name, data }) => {
                let stem = draft::stem(&name);
                let place = Place {
                    file: PathBuf::from(name),
                    stem,
                    limit,
                    certain: true,
                };
                detect::drafts(place, Box::new(io::Cursor::new(data)))
            }
            Unit::File {
                file,
                stem,
                certain,
            } => open_file(Place {
                file,
                stem,
                limit,
                certain,
            }),
            Unit::Group(group) => group.drafts(limit),
        }
    }

    fn open_path(&mut self, path: PathBuf) -> Drafts {
        let stem = draft::stem(&path.file_name().unwrap_or_default().to_string_lossy());
        let place = Place {
            file: path.clone(),
            stem,
            limit: self.options.max_patch_bytes,
            certain: true,
        };
        if !path.is_dir() {
            return open_file(place);
        }
        match folder::units(&path, self.options.project.as_deref()) {
            Ok(units) => {
                for unit in units.into_iter().rev() {
                    self.pending.push_front(unit);
                }
                Box::new(std::iter::empty())
            }
            Err(error) => place.fail(error.into()),
        }
    }

    fn finish(&mut self, draft: Draft) -> Result<Patch, PatchReadError> {
        let (id, duplicate) = self.ids.unique(&draft.id);
        let Draft {
            file,
            line,
            format,
            failing,
            mut notes,
            change,
            ..
        } = draft;
        let origin = Origin { file, line, format };
        notes.extend(duplicate);
        match change {
            Ok(change) => Ok(Patch {
                id,
                origin,
                change,
                failing,
                notes,
            }),
            Err(problem) => Err(PatchReadError {
                id,
                origin,
                problem,
            }),
        }
    }
}

fn open_file(place: Place) -> Drafts {
    match File::open(&place.file) {
        Ok(file) => detect::drafts(place, Box::new(BufReader::with_capacity(1 << 16, file))),
        Err(error) => place.fail(error.into()),
    }
}

/// Everything that is left, if it is not too much.
fn slurp(reader: &mut dyn Read, limit: usize) -> Result<Vec<u8>, ReadProblem> {
    let mut data = Vec::new();
    reader.take(limit as u64 + 1).read_to_end(&mut data)?;
    if data.len() > limit {
        Err(ReadProblem::TooLarge { limit })
    } else {
        Ok(data)
    }
}

impl Place {
    /// One error.
    fn fail(self, problem: ReadProblem) -> Drafts {
        Box::new(std::iter::once(self.draft(
            1,
            Format::Unknown,
            Err(problem),
        )))
    }
}
