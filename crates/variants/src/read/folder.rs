//! Folders: which files are patches, and which together are one.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use walkdir::WalkDir;

use super::Unit;
use super::classes::class_name;
use super::draft::{Drafts, Place, stem};
use crate::java::package_of;
use crate::{Change, Format, ReadProblem, RelPath, SourceFile};

/// Files that together are one patch.
pub(super) struct Group {
    id: String,
    root: PathBuf,
    format: Format,
    /// On disk, and below the patch's folder.
    files: Vec<(PathBuf, RelPath)>,
}

/// What is in a folder, in the order of the paths.
pub(super) fn units(folder: &Path, project: Option<&Path>) -> io::Result<Vec<Unit>> {
    let name = folder
        .file_name()
        .or_else(|| folder.components().next_back().map(|part| part.as_os_str()));
    let name = name.unwrap_or_default().to_string_lossy().into_owned();
    let files = list(folder)?;
    let mut scan = Scan {
        folder,
        name,
        project,
        depths: BTreeMap::new(),
        units: BTreeMap::new(),
    };
    // Sources and classes first: they tell what other files of their folders belong to them.
    for (path, kind) in &files {
        if *kind != Kind::Other {
            scan.grouped(path, *kind, &files);
        }
    }
    for (path, kind) in &files {
        if *kind == Kind::Other {
            scan.other(path);
        }
    }
    Ok(scan.units.into_values().collect())
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Kind {
    Java,
    Class,
    Other,
}

/// Every file, by its path in the folder. Hidden files and names that are not UTF-8 are left out.
fn list(folder: &Path) -> io::Result<Vec<(RelPath, Kind)>> {
    let hidden = |entry: &walkdir::DirEntry| {
        entry.depth() > 0 && entry.file_name().to_string_lossy().starts_with('.')
    };
    let walk = WalkDir::new(folder)
        .follow_links(true)
        .sort_by_file_name()
        .into_iter();
    let mut out = Vec::new();
    for entry in walk.filter_entry(|entry| !hidden(entry)) {
        let entry = entry?;
        if !entry.file_type().is_file() {
            continue;
        }
        let Ok(path) = entry.path().strip_prefix(folder) else {
            continue;
        };
        let Some(Ok(path)) = path.to_str().map(RelPath::new) else {
            continue;
        };
        let kind = match path.as_str().rsplit_once('.') {
            Some((_, "java")) => Kind::Java,
            Some((_, "class")) => Kind::Class,
            _ => Kind::Other,
        };
        out.push((path, kind));
    }
    Ok(out)
}

struct Scan<'a> {
    folder: &'a Path,
    name: String,
    project: Option<&'a Path>,
    /// For each first folder and kind: how many leading folders name the patch.
    depths: BTreeMap<(String, Kind), usize>,
    /// By path, which is their order.
    units: BTreeMap<(String, Kind), Unit>,
}

impl Scan<'_> {
    /// Adds a source or class file to its patch.
    fn grouped(&mut self, path: &RelPath, kind: Kind, files: &[(RelPath, Kind)]) {
        let depth = match path.as_str().split_once('/') {
            None if kind == Kind::Class => 0,
            // A source file right in the folder is a patch of its own.
            None => return self.add(stem(path.as_str()), kind, path, path.clone()),
            Some((first, _)) => {
                let key = (first.to_owned(), kind);
                match self.depths.get(&key) {
                    Some(&depth) => depth,
                    None => {
                        let depth = self.depth(first, kind, files);
                        self.depths.insert(key, depth);
                        depth
                    }
                }
            }
        };
        let depth = depth.min(path.as_str().matches('/').count());
        let (root, rest) = split(path.as_str(), depth);
        let id = if depth == 0 {
            self.name.clone()
        } else {
            root.to_owned()
        };
        // Splitting at a component leaves a path that is as safe as before.
        if let Ok(rest) = RelPath::new(rest) {
            self.add(id, kind, path, rest);
        }
    }

    fn add(&mut self, id: String, kind: Kind, path: &RelPath, rest: RelPath) {
        let format = if kind == Kind::Class {
            Format::Classes
        } else {
            Format::Sources
        };
        let root = self.folder.to_owned();
        let unit = self.units.entry((id.clone(), kind)).or_insert_with(|| {
            Unit::Group(Group {
                id,
                root,
                format,
                files: Vec::new(),
            })
        });
        if let Unit::Group(group) = unit {
            group.files.push((path.under(self.folder), rest));
        }
    }

    /// How many leading folders of the files in `first` name the patch.
    fn depth(&self, first: &str, kind: Kind, files: &[(RelPath, Kind)]) -> usize {
        let inside = || {
            files.iter().filter(|(path, other)| {
                *other == kind
                    && path
                        .as_str()
                        .split_once('/')
                        .is_some_and(|(head, _)| head == first)
            })
        };
        if kind == Kind::Java
            && let Some(project) = self.project
        {
            // The first file that the project has tells where its tree begins.
            let found = inside()
                .take(32)
                .find_map(|(path, _)| mirrored(path, project));
            if let Some(depth) = found {
                return depth;
            }
        }
        inside().next().map_or(1, |(path, _)| {
            let bytes = fs::read(path.under(self.folder)).unwrap_or_default();
            let tail = match kind {
                Kind::Class => class_name(&bytes)
                    .map(|name| format!("{name}.class"))
                    .unwrap_or_default(),
                _ => source_tail(path, &bytes),
            };
            let all = path.as_str().matches('/').count();
            match path.ends_with(&tail) {
                true if !tail.is_empty() => all - tail.matches('/').count(),
                // Flat files: the folder that holds them.
                _ => all,
            }
        })
    }

    /// A file that is neither source nor class: part of a mirrored tree if the project has it, else
    /// perhaps a patch.
    fn other(&mut self, path: &RelPath) {
        if let Some(project) = self.project
            && let Some((first, _)) = path.as_str().split_once('/')
            && let Some(&depth) = self.depths.get(&(first.to_owned(), Kind::Java))
        {
            let (root, rest) = split(path.as_str(), depth);
            let id = if depth == 0 {
                self.name.clone()
            } else {
                root.to_owned()
            };
            if let Ok(rest) = RelPath::new(rest)
                && rest.under(project).is_file()
                && self.units.contains_key(&(id.clone(), Kind::Java))
            {
                return self.add(id, Kind::Java, path, rest);
            }
        }
        let extension = path
            .file_name()
            .rsplit_once('.')
            .map_or("", |(_, extension)| extension);
        let certain = matches!(
            extension,
            "diff" | "patch" | "json" | "jsonl" | "ndjson" | "mbox"
        );
        let unit = Unit::File {
            file: path.under(self.folder),
            stem: stem(path.as_str()),
            certain,
        };
        // The whole path orders it and keeps `a.diff` and `a.json` apart.
        self.units
            .insert((path.as_str().to_owned(), Kind::Other), unit);
    }
}

/// Splits off the first `depth` components.
fn split(path: &str, depth: usize) -> (&str, &str) {
    if depth == 0 {
        return ("", path);
    }
    match path.match_indices('/').nth(depth - 1) {
        Some((at, _)) => (&path[..at], &path[at + 1..]),
        None => ("", path),
    }
}

/// How many leading folders must go for the path to be one of the project's.
fn mirrored(path: &RelPath, project: &Path) -> Option<usize> {
    let all = path.as_str().matches('/').count();
    (0..all).find(|&depth| {
        RelPath::new(split(path.as_str(), depth).1).is_ok_and(|rest| rest.under(project).is_file())
    })
}

/// The usual ends of source roots, longest first.
const SOURCE_ROOTS: [&str; 5] = [
    "src/main/java/",
    "src/test/java/",
    "src/java/",
    "src/test/",
    "src/",
];

/// The part of a source file's path that comes from the project: its package, and its source root
/// if that is a usual one.
fn source_tail(path: &RelPath, source: &[u8]) -> String {
    let package = package_of(source).replace('.', "/");
    let name = path.file_name();
    let tail = if package.is_empty() {
        name.to_owned()
    } else {
        format!("{package}/{name}")
    };
    SOURCE_ROOTS
        .iter()
        .map(|root| format!("{root}{tail}"))
        .find(|whole| path.ends_with(whole))
        .unwrap_or(tail)
}

impl Group {
    /// Reads the files and makes them one patch.
    pub(super) fn drafts(self, limit: usize) -> Drafts {
        let file = if self.files.len() == 1 {
            self.files[0].0.clone()
        } else {
            self.root.join(&self.id)
        };
        let place = Place {
            file,
            stem: self.id.clone(),
            limit,
            certain: true,
        };
        let change = match self.format {
            Format::Classes => self.classes(limit),
            _ => self.sources(limit),
        };
        Box::new(std::iter::once(place.draft(1, self.format, change)))
    }

    /// The content of every file, if together they are not too much.
    fn contents(&self, limit: usize) -> Result<Vec<Vec<u8>>, ReadProblem> {
        let mut total = 0;
        let mut out = Vec::with_capacity(self.files.len());
        for (file, _) in &self.files {
            let content = fs::read(file).map_err(|error| {
                io::Error::new(error.kind(), format!("{}: {error}", file.display()))
            })?;
            total += content.len();
            if total > limit {
                return Err(ReadProblem::TooLarge { limit });
            }
            out.push(content);
        }
        Ok(out)
    }

    fn sources(&self, limit: usize) -> Result<Change, ReadProblem> {
        let contents = self.contents(limit)?;
        let paths = self.files.iter().map(|(_, path)| path.clone());
        let files = paths
            .zip(contents)
            .map(|(path, content)| SourceFile { path, content });
        Ok(Change::Sources(files.collect()))
    }

    fn classes(&self, limit: usize) -> Result<Change, ReadProblem> {
        let mut classes = BTreeMap::new();
        for ((_, path), bytes) in self.files.iter().zip(self.contents(limit)?) {
            let wrong = |what: &str| ReadProblem::Class {
                path: path.to_string(),
                what: what.to_owned(),
            };
            let name = class_name(&bytes).map_err(wrong)?;
            if classes.insert(name, bytes).is_some() {
                return Err(wrong("another file of the patch holds the same class"));
            }
        }
        Ok(Change::Classes(classes))
    }
}
