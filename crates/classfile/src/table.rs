//! Arrays of fixed-size records, read in place.

use std::marker::PhantomData;

use crate::error::Result;
use crate::reader::{Reader, u16_at};

/// A record of fixed size inside a table of a class file.
pub trait Record: Copy {
    /// Bytes that one record takes.
    const SIZE: usize;
    /// Reads it from exactly [`Record::SIZE`] bytes.
    fn read(bytes: &[u8]) -> Self;
}

/// An array of records, decoded as it is read. Cheap to copy.
pub struct Table<'a, T> {
    bytes: &'a [u8],
    record: PhantomData<T>,
}

impl<'a, T: Record> Table<'a, T> {
    /// A table over bytes; an incomplete last record is left out.
    pub(crate) fn new(bytes: &'a [u8]) -> Self {
        let whole = bytes.len() / T::SIZE * T::SIZE;
        Table {
            bytes: &bytes[..whole],
            record: PhantomData,
        }
    }

    /// Reads a two-byte count and that many records.
    pub(crate) fn counted(reader: &mut Reader<'a>) -> Result<Self> {
        let count = usize::from(reader.u16()?);
        Ok(Table::new(reader.take(count * T::SIZE)?))
    }

    /// Reads a one-byte count and that many records.
    pub(crate) fn counted_u8(reader: &mut Reader<'a>) -> Result<Self> {
        let count = usize::from(reader.u8()?);
        Ok(Table::new(reader.take(count * T::SIZE)?))
    }

    /// Number of records.
    pub fn len(self) -> usize {
        self.bytes.len() / T::SIZE
    }

    /// True if there is no record.
    pub fn is_empty(self) -> bool {
        self.bytes.is_empty()
    }

    /// The record at an index.
    pub fn get(self, index: usize) -> Option<T> {
        self.bytes.chunks_exact(T::SIZE).nth(index).map(T::read)
    }

    /// All records in order.
    pub fn iter(self) -> impl ExactSizeIterator<Item = T> + DoubleEndedIterator + Clone + 'a
    where
        T: 'a,
    {
        self.bytes.chunks_exact(T::SIZE).map(T::read)
    }
}

impl<T> Clone for Table<'_, T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Table<'_, T> {}

impl<T> Default for Table<'_, T> {
    fn default() -> Self {
        Table {
            bytes: &[],
            record: PhantomData,
        }
    }
}

impl<T> PartialEq for Table<'_, T> {
    fn eq(&self, other: &Self) -> bool {
        self.bytes == other.bytes
    }
}

impl<T: Record + std::fmt::Debug> std::fmt::Debug for Table<'_, T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}

impl Record for u16 {
    const SIZE: usize = 2;
    fn read(bytes: &[u8]) -> Self {
        u16_at(bytes, 0)
    }
}

/// Declares a record of `u16` items.
macro_rules! record {
    ($(#[$meta:meta])* $name:ident { $($(#[$field_meta:meta])* $field:ident: $ty:ty,)* }) => {
        $(#[$meta])*
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
        pub struct $name {
            $($(#[$field_meta])* pub $field: $ty,)*
        }

        impl $crate::table::Record for $name {
            const SIZE: usize = 2 * [$(stringify!($field)),*].len();
            #[inline]
            fn read(bytes: &[u8]) -> Self {
                let mut items = bytes.chunks_exact(2);
                let mut next = || items.next().map_or(0, |b| $crate::reader::u16_at(b, 0));
                $name { $($field: next().into(),)* }
            }
        }
    };
}
pub(crate) use record;

impl From<u16> for crate::AccessFlags {
    fn from(bits: u16) -> Self {
        crate::AccessFlags(bits)
    }
}
