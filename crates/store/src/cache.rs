//! The database of results by content key.

use std::fs;
use std::path::{Path, PathBuf};

use redb::{Database, DatabaseError, Durability, ReadableDatabase, StorageError, TableDefinition};
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::{Key, StoreError};

/// The table's name carries the version of its layout.
const RESULTS: TableDefinition<&[u8; 32], &[u8]> = TableDefinition::new("results-1");

/// Results by content key. Safe to lose, safe to share between threads.
pub struct Cache {
    database: Option<Database>,
    path: PathBuf,
}

/// What [`Cache::open`] gives.
pub struct CacheOpened {
    /// The cache, which may be one that stores nothing.
    pub cache: Cache,
    /// Why it stores nothing, or that it was started anew.
    pub warning: Option<String>,
}

impl Cache {
    /// A cache that never holds anything.
    pub fn disabled() -> Self {
        Self {
            database: None,
            path: PathBuf::new(),
        }
    }

    /// Opens or creates the database at `path`. Never fails: where the database is in use by another
    /// process or cannot be opened, the cache is disabled; where the file is damaged, it is moved aside.
    pub fn open(path: &Path) -> CacheOpened {
        match open_database(path) {
            Ok(database) => CacheOpened {
                cache: Self {
                    database: Some(database),
                    path: path.to_path_buf(),
                },
                warning: None,
            },
            Err(DatabaseError::DatabaseAlreadyOpen) => disabled(format!(
                "{} is in use by another braid process; going on without stored results",
                path.display()
            )),
            Err(error) if is_damaged(&error) => start_anew(path, &error),
            Err(error) => disabled(format!(
                "cannot open {}: {error}; going on without stored results",
                path.display()
            )),
        }
    }

    /// Whether results are kept at all.
    pub fn is_enabled(&self) -> bool {
        self.database.is_some()
    }

    /// The stored result of `key`. A value written in another form counts as absent.
    pub fn get<T: DeserializeOwned>(&self, key: &Key) -> Result<Option<T>, StoreError> {
        let Some(database) = &self.database else {
            return Ok(None);
        };
        let read = || -> Result<Option<Vec<u8>>, redb::Error> {
            let transaction = database.begin_read()?;
            let table = match transaction.open_table(RESULTS) {
                Ok(table) => table,
                Err(redb::TableError::TableDoesNotExist(_)) => return Ok(None),
                Err(error) => return Err(error.into()),
            };
            Ok(table.get(key.bytes())?.map(|guard| guard.value().to_vec()))
        };
        let bytes = read().map_err(|error| self.database_error(&error))?;
        Ok(bytes.and_then(|bytes| serde_json::from_slice(&bytes).ok()))
    }

    /// Stores a result. Durable after the next [`Cache::sync`] (or when the cache is dropped).
    pub fn put<T: Serialize>(&self, key: &Key, value: &T) -> Result<(), StoreError> {
        let Some(database) = &self.database else {
            return Ok(());
        };
        let bytes = serde_json::to_vec(value).map_err(|source| StoreError::Format {
            path: self.path.clone(),
            source,
        })?;
        let write = || -> Result<(), redb::Error> {
            let mut transaction = database.begin_write()?;
            transaction.set_durability(Durability::None)?;
            transaction
                .open_table(RESULTS)?
                .insert(key.bytes(), bytes.as_slice())?;
            transaction.commit()?;
            Ok(())
        };
        write().map_err(|error| self.database_error(&error))
    }

    /// Makes everything stored so far survive a power failure.
    pub fn sync(&self) -> Result<(), StoreError> {
        let Some(database) = &self.database else {
            return Ok(());
        };
        let write = || -> Result<(), redb::Error> {
            database.begin_write()?.commit()?;
            Ok(())
        };
        write().map_err(|error| self.database_error(&error))
    }

    fn database_error(&self, error: &redb::Error) -> StoreError {
        match error {
            redb::Error::Io(io) if io.kind() == std::io::ErrorKind::StorageFull => {
                StoreError::DiskFull {
                    path: self.path.clone(),
                }
            }
            other => StoreError::Database(other.to_string()),
        }
    }
}

impl Drop for Cache {
    fn drop(&mut self) {
        // A cache that cannot be made durable is only slower next time.
        let _ = self.sync();
    }
}

fn open_database(path: &Path) -> Result<Database, DatabaseError> {
    if let Some(parent) = path.parent() {
        fs::create_dir_all(parent)?;
    }
    Database::create(path)
}

fn is_damaged(error: &DatabaseError) -> bool {
    match error {
        DatabaseError::RepairAborted | DatabaseError::UpgradeRequired(_) => true,
        DatabaseError::Storage(StorageError::Corrupted(_)) => true,
        DatabaseError::Storage(StorageError::Io(io)) => {
            io.kind() == std::io::ErrorKind::InvalidData
        }
        _ => false,
    }
}

fn start_anew(path: &Path, error: &DatabaseError) -> CacheOpened {
    let aside = path.with_extension("redb.damaged");
    let moved = fs::rename(path, &aside);
    match (moved, open_database(path)) {
        (Ok(()), Ok(database)) => CacheOpened {
            cache: Cache {
                database: Some(database),
                path: path.to_path_buf(),
            },
            warning: Some(format!(
                "{} was damaged ({error}) and was moved to {}; starting with no stored results",
                path.display(),
                aside.display()
            )),
        },
        _ => disabled(format!(
            "{} is damaged ({error}); going on without it",
            path.display()
        )),
    }
}

fn disabled(warning: String) -> CacheOpened {
    CacheOpened {
        cache: Cache::disabled(),
        warning: Some(warning),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::KeyBuilder;

    fn key(name: &str) -> Key {
        KeyBuilder::new("test").part("name", name).finish()
    }

    #[test]
    fn what_is_put_is_found_again_in_a_later_process() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("sub/store.redb");
        let cache = Cache::open(&path).cache;
        cache.put(&key("a"), &vec![1, 2, 3]).unwrap();
        assert_eq!(
            cache.get::<Vec<u32>>(&key("a")).unwrap(),
            Some(vec![1, 2, 3])
        );
        drop(cache);
        let cache = Cache::open(&path).cache;
        assert_eq!(
            cache.get::<Vec<u32>>(&key("a")).unwrap(),
            Some(vec![1, 2, 3])
        );
        assert_eq!(cache.get::<Vec<u32>>(&key("b")).unwrap(), None);
        assert_eq!(
            cache.get::<String>(&key("a")).unwrap(),
            None,
            "another form counts as absent"
        );
    }

    #[test]
    fn a_second_opener_goes_on_without_a_cache() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("store.redb");
        let first = Cache::open(&path);
        let second = Cache::open(&path);
        assert!(first.cache.is_enabled() && !second.cache.is_enabled());
        assert!(second.warning.unwrap().contains("another braid process"));
        second.cache.put(&key("a"), &1).unwrap();
        assert_eq!(second.cache.get::<u32>(&key("a")).unwrap(), None);
    }

    #[test]
    fn a_damaged_database_is_moved_aside() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("store.redb");
        fs::write(&path, vec![7u8; 40_000]).unwrap();
        let opened = Cache::open(&path);
        assert!(opened.warning.unwrap().contains("damaged"));
        assert!(opened.cache.is_enabled());
        assert!(dir.path().join("store.redb.damaged").exists());
    }

    #[test]
    fn an_unusable_path_disables_the_cache() {
        let dir = tempfile::tempdir().unwrap();
        fs::write(dir.path().join("file"), "x").unwrap();
        let opened = Cache::open(&dir.path().join("file/store.redb"));
        assert!(!opened.cache.is_enabled() && opened.warning.is_some());
    }
}
