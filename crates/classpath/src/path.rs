//! A class path: several sources, the first that has a class wins.

use std::collections::HashSet;
use std::path::Path;

use rayon::prelude::*;

use crate::{Dir, Jar, JdkImage, Resource, Result, jdk_entries};

/// One source of classes.
#[derive(Debug, Clone)]
pub enum Entry {
    /// A JDK's module image.
    Image(JdkImage),
    /// A jar.
    Jar(Jar),
    /// A folder.
    Dir(Dir),
}

impl Entry {
    /// The bytes of a class.
    pub fn find(&self, name: &str) -> Result<Option<Vec<u8>>> {
        match self {
            Entry::Image(image) => image.find(name),
            Entry::Jar(jar) => jar.find(name),
            Entry::Dir(dir) => dir.find(name),
        }
    }

    /// The names of all classes.
    pub fn class_names(&self) -> Result<Vec<String>> {
        match self {
            Entry::Image(image) => Ok(image.class_names()),
            Entry::Jar(jar) => Ok(jar.class_names()),
            Entry::Dir(dir) => dir.class_names(),
        }
    }

    /// The file or folder.
    pub fn path(&self) -> &Path {
        match self {
            Entry::Image(image) => image.path(),
            Entry::Jar(jar) => jar.path(),
            Entry::Dir(dir) => dir.root(),
        }
    }

    /// Every class with what is needed to read it.
    fn classes(&self) -> Result<Vec<(String, Option<Resource>)>> {
        Ok(match self {
            Entry::Image(image) => image.classes().map(|(n, r)| (n, Some(r))).collect(),
            _ => self
                .class_names()?
                .into_iter()
                .map(|name| (name, None))
                .collect(),
        })
    }

    fn read(&self, name: &str, resource: Option<&Resource>) -> Result<Option<Vec<u8>>> {
        match (self, resource) {
            (Entry::Image(image), Some(resource)) => image.read(resource).map(Some),
            _ => self.find(name),
        }
    }
}

/// A list of class sources; the first that has a class wins.
#[derive(Debug, Clone, Default)]
pub struct ClassPath {
    entries: Vec<Entry>,
    java: Option<u32>,
}

impl ClassPath {
    /// An empty class path.
    pub fn new() -> ClassPath {
        ClassPath::default()
    }

    /// An empty class path whose multi-release jars are read as this Java version reads them.
    pub fn for_java(version: u32) -> ClassPath {
        ClassPath {
            entries: Vec::new(),
            java: Some(version),
        }
    }

    /// Adds the classes of the JDK at `home`.
    pub fn add_jdk(&mut self, home: &Path) -> Result<()> {
        self.entries.extend(jdk_entries(home)?);
        Ok(())
    }

    /// Adds a jar, or else a folder. As on a JVM's class path, what does not exist is empty.
    pub fn add(&mut self, path: &Path) -> Result<()> {
        let entry = if path.is_file() {
            Entry::Jar(Jar::open_for(path, self.java.unwrap_or(u32::MAX))?)
        } else {
            Entry::Dir(Dir::new(path))
        };
        self.entries.push(entry);
        Ok(())
    }

    /// Adds a source.
    pub fn push(&mut self, entry: Entry) {
        self.entries.push(entry);
    }

    /// The sources in order.
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// The bytes of a class from the first source that has it.
    pub fn find(&self, name: &str) -> Result<Option<Vec<u8>>> {
        for entry in &self.entries {
            if let Some(bytes) = entry.find(name)? {
                return Ok(Some(bytes));
            }
        }
        Ok(None)
    }

    /// Reads every class in parallel and collects what `work` makes of it, in the order of the
    /// sources. Classes hidden by an earlier source are left out.
    pub fn map<T: Send>(&self, work: impl Fn(&str, Vec<u8>) -> T + Sync) -> Result<Vec<T>> {
        let mut seen = HashSet::new();
        let mut classes = Vec::new();
        for entry in &self.entries {
            for (name, resource) in entry.classes()? {
                if seen.insert(name.clone()) {
                    classes.push((entry, name, resource));
                }
            }
        }
        let done: Result<Vec<Option<T>>> = classes
            .into_par_iter()
            .with_min_len(16)
            .map(|(entry, name, resource)| {
                let bytes = entry.read(&name, resource.as_ref())?;
                Ok(bytes.map(|bytes| work(&name, bytes)))
            })
            .collect();
        Ok(done?.into_iter().flatten().collect())
    }

    /// Reads every class in parallel. Classes hidden by an earlier source are left out.
    pub fn for_each(&self, work: impl Fn(&str, &[u8]) + Sync) -> Result<()> {
        self.map(|name, bytes| work(name, &bytes)).map(|_| ())
    }
}
