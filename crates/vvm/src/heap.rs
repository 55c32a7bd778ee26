//! The heap: one region of 8-byte words, addressed by 32-bit references.
//!
//! An object is a header of two words, then one slot a field or packed array elements:
//!
//! ```text
//! word 0   class id (lower half) | array length, 31 bits | bit 63: has conditional elements
//! word 1   creation context (lower half) | identity hash
//! word 2…  fields (8 bytes each) or elements (1, 2, 4 or 8 bytes each)
//! ```
//!
//! Elements of arrays whose element takes fewer than 8 bytes cannot hold a choice. Their choices live in a
//! side table, and bit 63 of the array's header says that it must be asked. As a signed number the upper half
//! is then negative, so that one comparison finds null, an index out of bounds and such an array.

use crate::value::{Kind, Ref, Slot, choice, is_choice, node};
use rustc_hash::FxHashMap;

/// Words before the first field or element.
pub const HEADER: u32 = 2;
/// Reference 0 is null.
const FIRST: u32 = 4;
/// Blocks beyond this many words are placed apart.
const LARGE: u32 = 256;
const CONDITIONAL: u64 = 1 << 63;

/// A run of free words that the sweeper found.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Hole {
    pub(crate) start: u32,
    pub(crate) end: u32,
}

/// The heap and its side table.
pub struct Heap {
    words: Vec<u64>,
    top: u32,
    limit: u32,
    /// End of the last allocated object, over all holes: words from here on are fresh zeroes.
    high: u32,
    pub(crate) holes: Vec<Hole>,
    side: FxHashMap<(Ref, u32), u32>,
    hash_seed: u32,
    /// Words handed out since the last collection.
    pub(crate) allocated: u64,
}

/// What is needed to bring the heap back to an earlier state.
pub struct HeapSnapshot {
    words: Vec<u64>,
    hash_seed: u32,
}

impl Heap {
    /// A heap of at most `bytes` bytes; pages are touched as they are used.
    pub fn new(bytes: usize) -> Heap {
        let words = (bytes / 8).clamp(1 << 16, u32::MAX as usize - 1) & !1;
        Heap {
            words: vec![0; words],
            top: FIRST,
            limit: words as u32,
            high: FIRST,
            holes: Vec::new(),
            side: FxHashMap::default(),
            hash_seed: 0x2545_F491,
            allocated: 0,
        }
    }

    /// Words in use below the high-water mark.
    pub fn high(&self) -> u32 {
        self.high
    }

    /// Size of the whole region in words.
    pub fn capacity(&self) -> u32 {
        self.words.len() as u32
    }

    /// Objects take an even number of words, so that every hole can hold its own length.
    #[inline(always)]
    pub(crate) fn rounded(words: u32) -> u32 {
        (words + 1) & !1
    }

    /// The first word that can hold an object.
    pub(crate) fn first(&self) -> u32 {
        FIRST
    }

    /// A zeroed block of `size` words, or `None` when no hole is large enough.
    #[inline]
    pub(crate) fn reserve(&mut self, size: u32) -> Option<Ref> {
        let start = self.top;
        let end = start.checked_add(Self::rounded(size))?;
        if end > self.limit {
            return self.reserve_slow(size);
        }
        self.top = end;
        self.high = self.high.max(end);
        self.allocated += u64::from(size);
        Some(start)
    }

    /// Moves on to another hole. Large blocks take the last hole that fits, so that small ones stay usable.
    #[cold]
    fn reserve_slow(&mut self, size: u32) -> Option<Ref> {
        self.seal();
        self.limit = self.top;
        let fits = |hole: &Hole| hole.end - hole.start >= Self::rounded(size);
        let at = if size > LARGE {
            self.holes.iter().position(fits)?
        } else {
            self.holes.iter().rposition(fits)?
        };
        let hole = self.holes.remove(at);
        let below_high = hole.end.min(self.high);
        if hole.start < below_high {
            self.words[hole.start as usize..below_high as usize].fill(0);
        }
        self.top = hole.start;
        self.limit = hole.end;
        self.reserve(size)
    }

    /// Makes what is left of the present hole recognisable as one.
    pub(crate) fn seal(&mut self) {
        let end = self.limit.min(self.high);
        if self.top < end {
            self.write_hole(self.top, end);
            self.holes.insert(
                0,
                Hole {
                    start: self.top,
                    end: self.limit,
                },
            );
        } else if self.top < self.limit {
            self.holes.insert(
                0,
                Hole {
                    start: self.top,
                    end: self.limit,
                },
            );
        }
        self.limit = self.top;
    }

    fn write_hole(&mut self, start: u32, end: u32) {
        self.words[start as usize] = 0;
        self.words[start as usize + 1] = u64::from(end - start);
    }

    /// Words of the hole that starts here.
    pub(crate) fn hole_words(&self, at: u32) -> u32 {
        (self.words[at as usize + 1] as u32).max(2)
    }

    /// Writes the lengths of holes into them.
    pub(crate) fn retire(&mut self, holes: &[Hole]) {
        for hole in holes {
            let end = hole.end.min(self.high);
            if hole.start < end {
                self.write_hole(hole.start, end);
            }
        }
    }

    /// Starts allocating in the holes found by a collection (the last one is used first).
    pub(crate) fn use_holes(&mut self, holes: Vec<Hole>) {
        self.holes = holes;
        self.top = 0;
        self.limit = 0;
        self.allocated = 0;
    }

    /// Words needed by an array.
    pub fn array_words(kind: Kind, length: u32) -> u64 {
        let bytes = u64::from(length) << kind.shift();
        u64::from(HEADER) + bytes.div_ceil(8)
    }

    /// Allocates; the caller has made sure that the size is right for the class.
    #[inline]
    pub fn allocate(&mut self, class: u32, size: u32, length: u32, context: u32) -> Option<Ref> {
        let at = self.reserve(size)?;
        self.words[at as usize] = u64::from(class) | (u64::from(length) << 32);
        self.words[at as usize + 1] = u64::from(context);
        Some(at)
    }

    /// The word at an absolute index.
    #[inline(always)]
    pub fn word(&self, at: u32) -> u64 {
        self.words[at as usize]
    }

    /// Sets the word at an absolute index.
    #[inline(always)]
    pub fn set_word(&mut self, at: u32, value: u64) {
        self.words[at as usize] = value;
    }

    /// Class id of an object.
    #[inline(always)]
    pub fn class(&self, object: Ref) -> u32 {
        self.words[object as usize] as u32
    }

    /// Length of an array.
    #[inline(always)]
    pub fn length(&self, array: Ref) -> u32 {
        ((self.words[array as usize] & !CONDITIONAL) >> 32) as u32
    }

    /// Whether an element can be read without further ado: the array is not null, the index is in bounds and
    /// no element is conditional.
    #[inline(always)]
    pub fn is_plain_element(&self, array: Ref, index: u32) -> bool {
        i64::from(index) < (self.words[array as usize] as i64) >> 32
    }

    /// The context in which an object was made.
    #[inline(always)]
    pub fn context(&self, object: Ref) -> u32 {
        self.words[object as usize + 1] as u32
    }

    /// A field; `offset` counts words from the object's start.
    #[inline(always)]
    pub fn field(&self, object: Ref, offset: u32) -> Slot {
        self.words[(object + offset) as usize]
    }

    /// Sets a field without regard to contexts.
    #[inline(always)]
    pub fn set_field(&mut self, object: Ref, offset: u32, value: Slot) {
        self.words[(object + offset) as usize] = value;
    }

    /// The identity hash, made on first use.
    pub fn identity_hash(&mut self, object: Ref) -> i32 {
        let header = self.words[object as usize + 1];
        let hash = (header >> 32) as u32;
        if hash != 0 {
            return hash as i32;
        }
        // xorshift, as a JVM does, so that identity order looks as arbitrary as it is
        let mut x = self.hash_seed;
        x ^= x << 13;
        x ^= x >> 17;
        x ^= x << 5;
        self.hash_seed = x;
        let hash = (x & 0x7FFF_FFFF).max(1);
        self.words[object as usize + 1] = header | (u64::from(hash) << 32);
        hash as i32
    }

    /// Whether an array has elements in the side table.
    #[inline(always)]
    pub fn is_conditional(&self, array: Ref) -> bool {
        self.words[array as usize] & CONDITIONAL != 0
    }

    /// All memory as bytes.
    #[inline(always)]
    pub fn bytes(&self) -> &[u8] {
        bytemuck::cast_slice(&self.words)
    }

    /// All memory as bytes.
    #[inline(always)]
    pub fn bytes_mut(&mut self) -> &mut [u8] {
        bytemuck::cast_slice_mut(&mut self.words)
    }

    #[inline(always)]
    fn shorts(&self) -> &[u16] {
        bytemuck::cast_slice(&self.words)
    }

    #[inline(always)]
    fn ints(&self) -> &[u32] {
        bytemuck::cast_slice(&self.words)
    }

    /// Index of the first byte of an array's elements.
    #[inline(always)]
    pub fn data(array: Ref) -> usize {
        (array as usize + HEADER as usize) * 8
    }

    /// The elements of a `byte[]` or `boolean[]` (choices in the side table are not looked at).
    pub fn byte_elements(&self, array: Ref) -> &[u8] {
        let (start, length) = (Self::data(array), self.length(array) as usize);
        &self.bytes()[start..start + length]
    }

    /// The elements of a `byte[]`, to write.
    pub fn byte_elements_mut(&mut self, array: Ref) -> &mut [u8] {
        let (start, length) = (Self::data(array), self.length(array) as usize);
        &mut self.bytes_mut()[start..start + length]
    }

    /// The elements of a `char[]` or `short[]`.
    pub fn char_elements(&self, array: Ref) -> &[u16] {
        let (start, length) = (Self::data(array) / 2, self.length(array) as usize);
        &self.shorts()[start..start + length]
    }

    /// The elements of an `int[]` or `float[]`.
    pub fn int_elements(&self, array: Ref) -> &[u32] {
        let (start, length) = (Self::data(array) / 4, self.length(array) as usize);
        &self.ints()[start..start + length]
    }

    /// A plain element of one byte, sign extended.
    #[inline(always)]
    pub fn byte_at(&self, array: Ref, index: u32) -> i8 {
        self.bytes()[Self::data(array) + index as usize] as i8
    }

    /// A plain element of two bytes.
    #[inline(always)]
    pub fn char_at(&self, array: Ref, index: u32) -> u16 {
        self.shorts()[Self::data(array) / 2 + index as usize]
    }

    /// A plain element of four bytes.
    #[inline(always)]
    pub fn int_at(&self, array: Ref, index: u32) -> u32 {
        self.ints()[Self::data(array) / 4 + index as usize]
    }

    /// Sets a plain element of one byte.
    #[inline(always)]
    pub fn set_byte(&mut self, array: Ref, index: u32, value: u8) {
        self.bytes_mut()[Self::data(array) + index as usize] = value;
    }

    /// Sets a plain element of two bytes.
    #[inline(always)]
    pub fn set_char(&mut self, array: Ref, index: u32, value: u16) {
        bytemuck::cast_slice_mut::<u64, u16>(&mut self.words)
            [Self::data(array) / 2 + index as usize] = value;
    }

    /// Sets a plain element of four bytes.
    #[inline(always)]
    pub fn set_int(&mut self, array: Ref, index: u32, value: u32) {
        bytemuck::cast_slice_mut::<u64, u32>(&mut self.words)
            [Self::data(array) / 4 + index as usize] = value;
    }

    /// The element as a slot, choice or not.
    pub fn element(&self, kind: Kind, array: Ref, index: u32) -> Slot {
        if self.is_conditional(array)
            && let Some(&id) = self.side.get(&(array, index))
        {
            return choice(id);
        }
        match kind {
            Kind::Boolean | Kind::Byte => u64::from(self.byte_at(array, index) as i32 as u32),
            Kind::Char => u64::from(self.char_at(array, index)),
            Kind::Short => u64::from(self.char_at(array, index) as i16 as i32 as u32),
            Kind::Int | Kind::Float => u64::from(self.int_at(array, index)),
            _ => self.words[(array + HEADER + index) as usize],
        }
    }

    /// Sets the element, choice or not, without regard to contexts.
    pub fn set_element(&mut self, kind: Kind, array: Ref, index: u32, value: Slot) {
        if kind.shift() == 3 {
            self.words[(array + HEADER + index) as usize] = value;
            return;
        }
        if is_choice(value) {
            self.words[array as usize] |= CONDITIONAL;
            self.side.insert((array, index), node(value));
            return;
        }
        if self.is_conditional(array) {
            self.side.remove(&(array, index));
        }
        match kind.shift() {
            0 => self.set_byte(array, index, value as u8),
            1 => self.set_char(array, index, value as u16),
            _ => self.set_int(array, index, value as u32),
        }
    }

    /// Copies packed elements between arrays of the same kind when neither has choices in the side table.
    pub fn copy_elements(&mut self, kind: Kind, from: (Ref, u32), to: (Ref, u32), count: u32) {
        debug_assert!(
            !self.is_conditional(from.0) && !self.is_conditional(to.0) || kind.shift() == 3
        );
        let shift = kind.shift();
        let source = Self::data(from.0) + ((from.1 as usize) << shift);
        let target = Self::data(to.0) + ((to.1 as usize) << shift);
        let length = (count as usize) << shift;
        self.bytes_mut()
            .copy_within(source..source + length, target);
    }

    /// Forgets the side entries of arrays for which `keep` is false.
    pub(crate) fn retain_side(&mut self, mut keep: impl FnMut(Ref) -> bool) {
        self.side.retain(|&(array, _), _| keep(array));
    }

    /// Remembers the whole heap.
    ///
    /// Only valid while no collection has run: everything lies below the high-water mark.
    pub fn snapshot(&self) -> HeapSnapshot {
        HeapSnapshot {
            words: self.words[..self.high as usize].to_vec(),
            hash_seed: self.hash_seed,
        }
    }

    /// Brings the heap back to a snapshot of itself.
    pub fn restore(&mut self, snapshot: &HeapSnapshot) {
        let length = snapshot.words.len();
        self.words[..length].copy_from_slice(&snapshot.words);
        self.words[length..self.high as usize].fill(0);
        self.top = length as u32;
        self.high = length as u32;
        self.limit = self.words.len() as u32;
        self.holes.clear();
        self.side.clear();
        self.hash_seed = snapshot.hash_seed;
        self.allocated = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elements_of_every_width_read_back_with_their_sign() {
        let mut heap = Heap::new(1 << 20);
        for (kind, value) in [
            (Kind::Byte, u64::from(-3i32 as u32)),
            (Kind::Short, u64::from(-300i32 as u32)),
            (Kind::Char, 0xFFFE),
            (Kind::Int, u64::from(-70000i32 as u32)),
            (Kind::Long, u64::MAX - 5),
        ] {
            let size = Heap::array_words(kind, 5) as u32;
            let array = heap.allocate(1, size, 5, 0).expect("small");
            heap.set_element(kind, array, 3, value);
            assert_eq!(heap.element(kind, array, 3), value);
            assert_eq!(heap.element(kind, array, 2), 0);
            assert_eq!(heap.element(kind, array, 4), 0);
        }
    }

    #[test]
    fn a_choice_in_a_packed_array_goes_away_when_overwritten() {
        let mut heap = Heap::new(1 << 20);
        let array = heap.allocate(1, 4, 9, 0).expect("small");
        heap.set_element(Kind::Byte, array, 1, choice(42));
        assert_eq!(heap.element(Kind::Byte, array, 1), choice(42));
        assert_eq!(heap.element(Kind::Byte, array, 0), 0);
        heap.set_element(Kind::Byte, array, 1, 7);
        assert_eq!(heap.element(Kind::Byte, array, 1), 7);
    }

    #[test]
    fn restoring_a_snapshot_forgets_later_objects_and_writes() {
        let mut heap = Heap::new(1 << 20);
        let old = heap.allocate(1, 4, 0, 0).expect("small");
        heap.set_field(old, 2, 5);
        let snapshot = heap.snapshot();
        heap.set_field(old, 2, 6);
        let new = heap.allocate(1, 4, 0, 0).expect("small");
        heap.set_field(new, 2, 77);
        heap.restore(&snapshot);
        assert_eq!(heap.field(old, 2), 5);
        assert_eq!(heap.allocate(1, 4, 0, 0), Some(new));
        assert_eq!(heap.field(new, 2), 0);
    }
}
