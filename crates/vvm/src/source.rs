//! Where classes and resources come from.

use crate::error::{Result, VmError};
use braid_classfile::{Attribute, ClassFile};
use braid_classpath::{ClassPath, Entry};
use std::cell::{OnceCell, RefCell};
use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A provider of class files and resources.
pub trait ClassSource {
    /// The bytes of a class named `a/b/C`, and whether the JDK (rather than the class path) has it.
    fn class(&self, name: &str) -> Option<(Arc<[u8]>, bool)>;
    /// A resource of the class path.
    fn resource(&self, name: &str) -> Option<Arc<[u8]>>;
    /// The file or folder that a resource of the class path is; `None` if a jar has it or nothing does.
    fn resource_file(&self, name: &str) -> Option<PathBuf>;
    /// A resource of the JDK, by path within its module.
    fn jdk_resource(&self, name: &str) -> Option<Arc<[u8]>>;
    /// Every resource of this name on the class path.
    fn resources(&self, name: &str) -> Vec<Arc<[u8]>>;
    /// The classes that the JDK's modules provide for a service.
    fn jdk_providers(&self, service: &str) -> Vec<String>;
}

/// Class files in directories: for tests and for an unpacked JDK.
pub struct Directories {
    /// Roots of the JDK's classes.
    pub boot: Vec<PathBuf>,
    /// Roots of the program's classes.
    pub app: Vec<PathBuf>,
}

impl ClassSource for Directories {
    fn class(&self, name: &str) -> Option<(Arc<[u8]>, bool)> {
        let read = |roots: &[PathBuf]| {
            roots
                .iter()
                .find_map(|root| std::fs::read(root.join(format!("{name}.class"))).ok())
        };
        if let Some(bytes) = read(&self.boot) {
            return Some((bytes.into(), true));
        }
        read(&self.app).map(|bytes| (bytes.into(), false))
    }

    fn resource(&self, name: &str) -> Option<Arc<[u8]>> {
        let found = self
            .app
            .iter()
            .find_map(|root| std::fs::read(root.join(name)).ok());
        found.map(Arc::from)
    }

    fn resource_file(&self, name: &str) -> Option<PathBuf> {
        let mut files = self.app.iter().map(|root| root.join(name));
        files.find(|file| file.exists())
    }

    fn jdk_resource(&self, name: &str) -> Option<Arc<[u8]>> {
        let found = self
            .boot
            .iter()
            .find_map(|root| std::fs::read(root.join(name)).ok());
        found.map(Arc::from)
    }

    fn resources(&self, name: &str) -> Vec<Arc<[u8]>> {
        let found = self
            .app
            .iter()
            .filter_map(|root| std::fs::read(root.join(name)).ok());
        found.map(Arc::from).collect()
    }

    fn jdk_providers(&self, _: &str) -> Vec<String> {
        Vec::new()
    }
}

/// A JDK and a class path, as a JVM would be given them.
pub struct JdkAndPath {
    jdk: ClassPath,
    path: ClassPath,
    /// Classes that stand in for those of the class path, or are added to it.
    instead: BTreeMap<String, Arc<[u8]>>,
    /// Jars that were asked for resources.
    jars: RefCell<HashMap<PathBuf, Option<Archive>>>,
    /// Services of the JDK's modules, read on first use.
    providers: OnceCell<HashMap<String, Vec<String>>>,
}

type Archive = zip::ZipArchive<std::io::BufReader<std::fs::File>>;

impl JdkAndPath {
    /// Opens the JDK's image and the entries of the class path.
    pub fn open(jdk_home: &Path, java_version: u32, entries: &[PathBuf]) -> Result<JdkAndPath> {
        let failed = |error: braid_classpath::Error| VmError::ClassPath(error.to_string());
        let mut jdk = ClassPath::new();
        jdk.add_jdk(jdk_home).map_err(failed)?;
        let mut path = ClassPath::for_java(java_version);
        for entry in entries {
            path.add(entry).map_err(failed)?;
        }
        Ok(JdkAndPath {
            jdk,
            path,
            instead: BTreeMap::new(),
            jars: RefCell::default(),
            providers: OnceCell::new(),
        })
    }

    /// The same with classes, by name (`a/b/C`), that the class path has otherwise or not at all.
    pub fn with(mut self, instead: BTreeMap<String, Arc<[u8]>>) -> JdkAndPath {
        self.instead = instead;
        self
    }

    /// The classes of the class path (not of the JDK) by name.
    pub fn program_classes(&self) -> Result<Vec<String>> {
        let mut names = Vec::new();
        for entry in self.path.entries() {
            names.extend(
                entry
                    .class_names()
                    .map_err(|error| VmError::ClassPath(error.to_string()))?,
            );
        }
        Ok(names)
    }
}

impl ClassSource for JdkAndPath {
    fn class(&self, name: &str) -> Option<(Arc<[u8]>, bool)> {
        if let Ok(Some(bytes)) = self.jdk.find(name) {
            return Some((bytes.into(), true));
        }
        if let Some(bytes) = self.instead.get(name) {
            return Some((Arc::clone(bytes), false));
        }
        match self.path.find(name) {
            Ok(Some(bytes)) => Some((bytes.into(), false)),
            _ => None,
        }
    }

    fn resource(&self, name: &str) -> Option<Arc<[u8]>> {
        let mut entries = self.path.entries().iter();
        let bytes = entries.find_map(|entry| self.entry_resource(entry, name));
        bytes.map(Arc::from)
    }

    fn resource_file(&self, name: &str) -> Option<PathBuf> {
        for entry in self.path.entries() {
            match entry {
                Entry::Dir(dir) if dir.root().join(name).exists() => {
                    return Some(dir.root().join(name));
                }
                entry if self.entry_resource(entry, name).is_some() => return None,
                _ => {}
            }
        }
        None
    }

    fn resources(&self, name: &str) -> Vec<Arc<[u8]>> {
        let entries = self.path.entries().iter();
        let found = entries.filter_map(|entry| self.entry_resource(entry, name));
        found.map(Arc::from).collect()
    }

    fn jdk_providers(&self, service: &str) -> Vec<String> {
        let table = self.providers.get_or_init(|| self.read_providers());
        table.get(service).cloned().unwrap_or_default()
    }

    fn jdk_resource(&self, name: &str) -> Option<Arc<[u8]>> {
        let (parent, file) = name.rsplit_once('/').unwrap_or(("", name));
        let (base, extension) = file.rsplit_once('.').unwrap_or((file, ""));
        let images = self.jdk.entries().iter();
        let mut images = images.filter_map(|entry| match entry {
            Entry::Image(image) => Some(image),
            _ => None,
        });
        images.find_map(|image| {
            let own = image.module_of(parent).map(str::to_owned);
            let modules = own.into_iter().chain(image.modules());
            let mut modules = modules.filter_map(|module| {
                image
                    .find_resource(&module, parent, base, extension)
                    .ok()
                    .flatten()
            });
            modules.next().map(Arc::from)
        })
    }
}

impl JdkAndPath {
    fn entry_resource(&self, entry: &Entry, name: &str) -> Option<Vec<u8>> {
        if name.is_empty() || name.split('/').any(|part| part == "..") {
            return None;
        }
        match entry {
            Entry::Dir(dir) => std::fs::read(dir.root().join(name)).ok(),
            entry => self.jar_resource(entry.path(), name),
        }
    }

    /// What the modules of the JDK declare.
    fn read_providers(&self) -> HashMap<String, Vec<String>> {
        let mut table: HashMap<String, Vec<String>> = HashMap::new();
        for entry in self.jdk.entries() {
            let Entry::Image(image) = entry else { continue };
            for module in image.modules() {
                let Ok(Some(bytes)) = image.find_resource(&module, "", "module-info", "class")
                else {
                    continue;
                };
                let Ok(class) = ClassFile::parse(&bytes) else {
                    continue;
                };
                let Ok(Some(Attribute::Module(module))) = class.attribute("Module") else {
                    continue;
                };
                for provided in &module.provides {
                    let classes = provided.with.iter();
                    let classes = classes.filter_map(|index| class.pool().class(index).ok());
                    let names = classes.map(|name| name.to_str_lossy().into_owned());
                    let service = provided.service.to_str_lossy().into_owned();
                    table.entry(service).or_default().extend(names);
                }
            }
        }
        table
    }

    fn jar_resource(&self, jar: &Path, name: &str) -> Option<Vec<u8>> {
        let mut jars = self.jars.borrow_mut();
        let archive = jars.entry(jar.to_owned()).or_insert_with(|| {
            let file = std::fs::File::open(jar).ok()?;
            zip::ZipArchive::new(std::io::BufReader::new(file)).ok()
        });
        let mut file = archive.as_mut()?.by_name(name).ok()?;
        let mut bytes = Vec::new();
        std::io::Read::read_to_end(&mut file, &mut bytes).ok()?;
        Some(bytes)
    }
}

/// The major version of the JDK at a path, from its `release` file.
pub fn jdk_version(home: &Path) -> Option<u32> {
    let text = std::fs::read_to_string(home.join("release")).ok()?;
    let line = text
        .lines()
        .find_map(|line| line.strip_prefix("JAVA_VERSION=\""))?;
    let number: String = line.chars().take_while(char::is_ascii_digit).collect();
    number.parse().ok()
}
