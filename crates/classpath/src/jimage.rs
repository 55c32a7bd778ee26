//! The JDK's `lib/modules` file: a perfect-hash index followed by the resources.
//!
//! The index is read into memory when the image is opened; a resource is read from the file when
//! it is asked for. Compressed images (`jlink --compress`) are decompressed, both the `zip` and
//! the `compact-cp` way.

use std::collections::HashMap;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::strings::expand_shared_strings;
use crate::{Error, Result};

const MAGIC: u32 = 0xcafe_dada;
const RESOURCE_MAGIC: u32 = 0xcafe_fafa;
const HEADER_SIZE: usize = 28;
const RESOURCE_HEADER_SIZE: usize = 29;
const HASH_SEED: u32 = 0x0100_0193;

/// An open JDK image.
#[derive(Clone)]
pub struct JdkImage {
    shared: Arc<Shared>,
}

struct Shared {
    path: PathBuf,
    file: File,
    size: u64,
    index: Index,
    /// Package (`java/lang`) to offset of its module's name in the strings.
    packages: HashMap<Vec<u8>, u32>,
}

/// The index part of the file.
struct Index {
    bytes: Vec<u8>,
    little_endian: bool,
    /// Entries of the redirect and offset tables.
    table_length: usize,
    locations: usize,
    strings: usize,
}

/// Where a resource stands in the image.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Resource {
    module: u32,
    parent: u32,
    base: u32,
    extension: u32,
    offset: u64,
    compressed: u64,
    size: u64,
}

impl Resource {
    /// Bytes it has when decompressed.
    pub fn size(&self) -> u64 {
        self.size
    }
}

impl JdkImage {
    /// Opens the image of the JDK at `home`.
    pub fn open(home: &Path) -> Result<JdkImage> {
        JdkImage::open_file(&home.join("lib").join("modules"))
    }

    /// Opens an image file.
    pub fn open_file(path: &Path) -> Result<JdkImage> {
        let file = File::open(path).map_err(Error::io(path))?;
        let size = file.metadata().map_err(Error::io(path))?.len();
        let index = Index::read(&file, path, size)?;
        let packages = index.packages();
        let path = path.to_path_buf();
        Ok(JdkImage {
            shared: Arc::new(Shared {
                path,
                file,
                size,
                index,
                packages,
            }),
        })
    }

    /// The image file.
    pub fn path(&self) -> &Path {
        &self.shared.path
    }

    /// The module that has a package (`java/lang`).
    pub fn module_of(&self, package: &str) -> Option<&str> {
        let name = *self.shared.packages.get(package.as_bytes())?;
        std::str::from_utf8(self.shared.index.string(name)).ok()
    }

    /// Where the class file of `java/lang/Object` stands.
    pub fn locate(&self, name: &str) -> Option<Resource> {
        let (package, base) = name.rsplit_once('/')?;
        let module = *self.shared.packages.get(package.as_bytes())?;
        let module = self.shared.index.string(module);
        self.shared
            .index
            .lookup(module, package.as_bytes(), base.as_bytes(), b"class")
    }

    /// The bytes of a class.
    pub fn find(&self, name: &str) -> Result<Option<Vec<u8>>> {
        self.locate(name)
            .map(|resource| self.read(&resource))
            .transpose()
    }

    /// The bytes of any resource by module, folder, name and extension.
    pub fn find_resource(
        &self,
        module: &str,
        parent: &str,
        base: &str,
        extension: &str,
    ) -> Result<Option<Vec<u8>>> {
        let [m, p, b, e] = [module, parent, base, extension].map(str::as_bytes);
        self.shared
            .index
            .lookup(m, p, b, e)
            .map(|r| self.read(&r))
            .transpose()
    }

    /// The bytes of a resource.
    pub fn read(&self, resource: &Resource) -> Result<Vec<u8>> {
        let stored = if resource.compressed == 0 {
            resource.size
        } else {
            resource.compressed
        };
        let start = self.shared.index.bytes.len() as u64 + resource.offset;
        if start
            .checked_add(stored)
            .is_none_or(|end| end > self.shared.size)
        {
            return Err(self.broken("a resource lies outside of the file"));
        }
        let mut bytes = vec![0; stored as usize];
        read_at(&self.shared.file, &mut bytes, start).map_err(Error::io(self.path()))?;
        if resource.compressed == 0 {
            Ok(bytes)
        } else {
            self.decompress(bytes, resource.size)
        }
    }

    /// The names of all classes, grouped by module and package, in no particular order.
    pub fn class_names(&self) -> Vec<String> {
        self.classes().map(|(name, _)| name).collect()
    }

    /// The module, name and place of every class that is on some package (no `module-info`).
    pub fn classes(&self) -> impl Iterator<Item = (String, Resource)> + '_ {
        let index = &self.shared.index;
        index.resources().filter_map(move |resource| {
            if index.string(resource.extension) != b"class" || resource.parent == 0 {
                return None;
            }
            let module = index.string(resource.module);
            if module.is_empty() || module == b"modules" || module == b"packages" {
                return None;
            }
            let parent = std::str::from_utf8(index.string(resource.parent)).ok()?;
            let base = std::str::from_utf8(index.string(resource.base)).ok()?;
            if parent.is_empty() {
                return None;
            }
            Some((format!("{parent}/{base}"), resource))
        })
    }

    /// The name of the module a resource is in.
    pub fn module(&self, resource: &Resource) -> String {
        String::from_utf8_lossy(self.shared.index.string(resource.module)).into_owned()
    }

    /// The modules of the image, sorted.
    pub fn modules(&self) -> Vec<String> {
        let index = &self.shared.index;
        let mut names: Vec<_> = self
            .shared
            .packages
            .values()
            .map(|name| String::from_utf8_lossy(index.string(*name)).into_owned())
            .collect();
        names.sort_unstable();
        names.dedup();
        names
    }

    fn broken(&self, message: impl Into<String>) -> Error {
        Error::Image {
            path: self.shared.path.clone(),
            message: message.into(),
        }
    }

    /// Undoes the compressions of a resource, outermost first.
    fn decompress(&self, mut bytes: Vec<u8>, size: u64) -> Result<Vec<u8>> {
        let index = &self.shared.index;
        while bytes.len() >= RESOURCE_HEADER_SIZE && index.u32(&bytes, 0) == RESOURCE_MAGIC {
            let stored = index.u64(&bytes, 4) as usize;
            let full = index.u64(&bytes, 12) as usize;
            let body = bytes[RESOURCE_HEADER_SIZE..].get(..stored);
            let body = body.ok_or_else(|| self.broken("a compressed resource is cut off"))?;
            let way = index.string(index.u32(&bytes, 20));
            bytes = match way {
                b"zip" => {
                    let mut out = Vec::with_capacity(full.min(1 << 20));
                    flate2::read::ZlibDecoder::new(body)
                        .read_to_end(&mut out)
                        .map_err(|e| self.broken(format!("cannot inflate a resource: {e}")))?;
                    out
                }
                b"compact-cp" => expand_shared_strings(body, |offset| index.string(offset))
                    .ok_or_else(|| self.broken("malformed compact-cp resource"))?,
                other => {
                    let name = String::from_utf8_lossy(other);
                    return Err(self.broken(format!("unknown compression {name:?}")));
                }
            };
        }
        if bytes.len() as u64 != size {
            return Err(self.broken("a resource has another size than the index says"));
        }
        Ok(bytes)
    }
}

impl std::fmt::Debug for JdkImage {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("JdkImage")
            .field("path", &self.shared.path)
            .finish()
    }
}

impl Index {
    fn read(file: &File, path: &Path, file_size: u64) -> Result<Index> {
        let broken = |message: &str| Error::Image {
            path: path.into(),
            message: message.into(),
        };
        let mut header = [0; HEADER_SIZE];
        read_at(file, &mut header, 0).map_err(Error::io(path))?;
        let little_endian = match u32::from_le_bytes([header[0], header[1], header[2], header[3]]) {
            MAGIC => true,
            other if other.swap_bytes() == MAGIC => false,
            _ => return Err(broken("bad magic number")),
        };
        let mut index = Index {
            bytes: Vec::new(),
            little_endian,
            table_length: 0,
            locations: 0,
            strings: 0,
        };
        let version = index.u32(&header, 4);
        if version >> 16 != 1 {
            return Err(broken(&format!(
                "unknown version {}.{}",
                version >> 16,
                version & 0xffff
            )));
        }
        let [table, locations, strings] = [16, 20, 24].map(|at| index.u32(&header, at) as usize);
        index.table_length = table;
        index.locations = HEADER_SIZE + 8 * table;
        index.strings = index.locations + locations;
        let end = index.strings + strings;
        if end as u64 > file_size || table == 0 {
            return Err(broken("the index is larger than the file"));
        }
        index.bytes = vec![0; end];
        read_at(file, &mut index.bytes, 0).map_err(Error::io(path))?;
        Ok(index)
    }

    fn u32(&self, bytes: &[u8], at: usize) -> u32 {
        let Some([a, b, c, d]) = bytes.get(at..at + 4) else {
            return 0;
        };
        let quad = [*a, *b, *c, *d];
        if self.little_endian {
            u32::from_le_bytes(quad)
        } else {
            u32::from_be_bytes(quad)
        }
    }

    fn u64(&self, bytes: &[u8], at: usize) -> u64 {
        let (first, second) = (
            u64::from(self.u32(bytes, at)),
            u64::from(self.u32(bytes, at + 4)),
        );
        if self.little_endian {
            second << 32 | first
        } else {
            first << 32 | second
        }
    }

    /// The zero-terminated string at an offset of the string table.
    fn string(&self, offset: u32) -> &[u8] {
        let rest = self
            .bytes
            .get(self.strings + offset as usize..)
            .unwrap_or_default();
        let end = rest.iter().position(|b| *b == 0).unwrap_or(rest.len());
        &rest[..end]
    }

    /// The resource that the offset table's entry names.
    fn resource(&self, entry: usize) -> Resource {
        let at = self.u32(&self.bytes, HEADER_SIZE + 4 * (self.table_length + entry));
        let locations = self
            .bytes
            .get(self.locations..self.strings)
            .unwrap_or_default();
        let mut rest = locations.get(at as usize..).unwrap_or_default();
        let mut resource = Resource::default();
        while let [head, tail @ ..] = rest {
            let (kind, len) = (head >> 3, usize::from(head & 7) + 1);
            let Some(value) = tail.get(..len).filter(|_| kind != 0) else {
                break;
            };
            let value = value
                .iter()
                .fold(0u64, |sum, byte| sum << 8 | u64::from(*byte));
            match kind {
                1 => resource.module = value as u32,
                2 => resource.parent = value as u32,
                3 => resource.base = value as u32,
                4 => resource.extension = value as u32,
                5 => resource.offset = value,
                6 => resource.compressed = value,
                7 => resource.size = value,
                _ => {}
            }
            rest = &tail[len..];
        }
        resource
    }

    fn resources(&self) -> impl Iterator<Item = Resource> + '_ {
        (0..self.table_length).map(|entry| self.resource(entry))
    }

    /// Finds `/module/parent/base.extension` through the perfect hash.
    fn lookup(&self, module: &[u8], parent: &[u8], base: &[u8], ext: &[u8]) -> Option<Resource> {
        // A name without folder or extension lacks the separator too.
        let slash: &[u8] = if parent.is_empty() { b"" } else { b"/" };
        let dot: &[u8] = if ext.is_empty() { b"" } else { b"." };
        let parts: [&[u8]; 8] = [b"/", module, b"/", parent, slash, base, dot, ext];
        let redirect = self.u32(
            &self.bytes,
            HEADER_SIZE + 4 * self.bucket(&parts, HASH_SEED),
        );
        let entry = match redirect as i32 {
            0 => return None,
            seed if seed > 0 => self.bucket(&parts, seed as u32),
            direct => (-1 - direct) as usize,
        };
        let found = self.resource(entry);
        let same = self.is_string(found.base, base)
            && self.is_string(found.parent, parent)
            && self.is_string(found.module, module)
            && self.is_string(found.extension, ext);
        same.then_some(found)
    }

    /// The table entry that a name hashes to.
    fn bucket(&self, parts: &[&[u8]], seed: u32) -> usize {
        let mut hash = seed;
        for part in parts {
            for byte in *part {
                hash = hash.wrapping_mul(HASH_SEED) ^ u32::from(*byte);
            }
        }
        (hash & 0x7fff_ffff) as usize % self.table_length
    }

    /// True if the string at an offset is this one.
    fn is_string(&self, offset: u32, text: &[u8]) -> bool {
        let rest = self
            .bytes
            .get(self.strings + offset as usize..)
            .unwrap_or_default();
        rest.starts_with(text) && rest.get(text.len()) == Some(&0)
    }

    fn packages(&self) -> HashMap<Vec<u8>, u32> {
        let mut packages = HashMap::new();
        let mut last = (0, 0);
        for resource in self.resources() {
            let place = (resource.module, resource.parent);
            if place != last && self.string(resource.extension) == b"class" {
                last = place;
                packages.insert(self.string(resource.parent).to_vec(), resource.module);
            }
        }
        packages
    }
}

#[cfg(unix)]
fn read_at(file: &File, buffer: &mut [u8], offset: u64) -> std::io::Result<()> {
    std::os::unix::fs::FileExt::read_exact_at(file, buffer, offset)
}

#[cfg(windows)]
fn read_at(file: &File, mut buffer: &mut [u8], mut offset: u64) -> std::io::Result<()> {
    while !buffer.is_empty() {
        let read = std::os::windows::fs::FileExt::seek_read(file, buffer, offset)?;
        if read == 0 {
            return Err(std::io::ErrorKind::UnexpectedEof.into());
        }
        buffer = &mut buffer[read..];
        offset += read as u64;
    }
    Ok(())
}
