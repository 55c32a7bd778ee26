//! Strings: literals, interning, conversion from and to Rust.

use crate::trap::{Step, Trap};
use crate::value::{Kind, Ref, Slot};
use crate::vm::Vm;
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// String literals and interned strings, one object a text.
#[derive(Debug, Default)]
pub(crate) struct Literals {
    by_text: FxHashMap<Rc<[u16]>, u32>,
    texts: Vec<Rc<[u16]>>,
    made: Vec<Ref>,
}

impl Literals {
    /// The index of a text, new or known.
    pub(crate) fn add(&mut self, text: Vec<u16>) -> u32 {
        if let Some(&index) = self.by_text.get(&text[..]) {
            return index;
        }
        let index = self.texts.len() as u32;
        let text: Rc<[u16]> = text.into();
        self.texts.push(Rc::clone(&text));
        self.by_text.insert(text, index);
        self.made.push(0);
        index
    }

    /// The object, or 0 if it has not been made.
    #[inline(always)]
    pub(crate) fn made(&self, index: u32) -> Ref {
        self.made[index as usize]
    }

    pub(crate) fn objects(&self) -> impl Iterator<Item = Ref> + '_ {
        self.made.iter().copied().filter(|&object| object != 0)
    }

    /// The objects made so far.
    pub(crate) fn snapshot(&self) -> Vec<Ref> {
        self.made.clone()
    }

    /// Forgets the objects made since a snapshot. Where they lie says nothing: a collection may have freed
    /// words of the heap that was there before.
    pub(crate) fn restore(&mut self, snapshot: &[Ref]) {
        let (old, new) = self.made.split_at_mut(snapshot.len());
        old.copy_from_slice(snapshot);
        new.fill(0);
    }
}

impl Vm {
    /// The object of a literal.
    pub(crate) fn literal(&mut self, index: u32) -> Step<Ref> {
        let made = self.literals.made(index);
        if made != 0 {
            return Ok(made);
        }
        let text = Rc::clone(&self.literals.texts[index as usize]);
        let object = self.everywhere(|vm| vm.new_string_utf16(&text))?;
        self.literals.made[index as usize] = object;
        Ok(object)
    }

    /// `String.intern`.
    pub(crate) fn intern(&mut self, string: Ref) -> Step<Ref> {
        let text = self.utf16(string)?;
        let index = self.literals.add(text);
        if self.literals.made(index) == 0 && self.heap.context(string) == self.universe.to_raw() {
            self.literals.made[index as usize] = string;
        }
        self.literal(index)
    }

    /// A new string.
    pub(crate) fn new_string(&mut self, text: &str) -> Step<Ref> {
        if text.is_ascii() {
            return self.new_string_latin1(text.as_bytes());
        }
        let units: Vec<u16> = text.encode_utf16().collect();
        self.new_string_utf16(&units)
    }

    /// A new string whose characters are below 256.
    pub(crate) fn new_string_latin1(&mut self, bytes: &[u8]) -> Step<Ref> {
        let value = self.new_array(self.known.byte_array, bytes.len() as u32)?;
        self.heap.byte_elements_mut(value).copy_from_slice(bytes);
        self.string_around(value, 0)
    }

    fn string_around(&mut self, value: Ref, coder: u64) -> Step<Ref> {
        let string = self.new_object(self.known.string)?;
        self.heap
            .set_field(string, self.known.string_value, u64::from(value));
        self.heap.set_field(string, self.known.string_coder, coder);
        Ok(string)
    }

    /// A new string of UTF-16 units.
    pub(crate) fn new_string_utf16(&mut self, units: &[u16]) -> Step<Ref> {
        if units.iter().all(|&unit| unit < 256) {
            let bytes: Vec<u8> = units.iter().map(|&unit| unit as u8).collect();
            return self.new_string_latin1(&bytes);
        }
        let value = self.new_array(self.known.byte_array, units.len() as u32 * 2)?;
        let bytes = self.heap.byte_elements_mut(value);
        for (to, unit) in bytes.chunks_exact_mut(2).zip(units) {
            to.copy_from_slice(&unit.to_le_bytes());
        }
        self.string_around(value, 1)
    }

    /// The characters of a string; splits the context where they differ.
    pub(crate) fn utf16(&mut self, string: Ref) -> Step<Vec<u16>> {
        if string == 0 {
            return Err(Trap::null());
        }
        let value = self.plain_ref(self.heap.field(string, self.known.string_value))?;
        let coder = self.plain(self.heap.field(string, self.known.string_coder))?;
        let bytes = self.plain_bytes(value)?;
        Ok(if coder == 0 {
            bytes.iter().map(|&byte| u16::from(byte)).collect()
        } else {
            bytes
                .chunks_exact(2)
                .map(|pair| u16::from_le_bytes([pair[0], pair[1]]))
                .collect()
        })
    }

    /// The elements of a `byte[]`; splits the context where they differ.
    pub(crate) fn plain_bytes(&mut self, array: Ref) -> Step<Vec<u8>> {
        if array == 0 {
            return Err(Trap::null());
        }
        if !self.heap.is_conditional(array) {
            return Ok(self.heap.byte_elements(array).to_vec());
        }
        let length = self.heap.length(array);
        let mut bytes = Vec::with_capacity(length as usize);
        for index in 0..length {
            let element = self.heap.element(Kind::Byte, array, index);
            bytes.push(self.plain(element)? as u8);
        }
        Ok(bytes)
    }

    /// The text of a string object.
    pub(crate) fn string(&mut self, string: Slot) -> Step<String> {
        let string = self.plain_ref(string)?;
        Ok(String::from_utf16_lossy(&self.utf16(string)?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reset_forgets_later_objects_wherever_they_lie() {
        let mut literals = Literals::default();
        let [early, late] = [b'a', b'b'].map(|letter| literals.add(vec![u16::from(letter)]));
        literals.made[early as usize] = 100;
        let snapshot = literals.snapshot();
        literals.made[late as usize] = 50;
        let later = literals.add(vec![u16::from(b'c')]);
        literals.made[later as usize] = 60;
        literals.restore(&snapshot);
        assert_eq!(
            [early, late, later].map(|index| literals.made(index)),
            [100, 0, 0]
        );
    }
}
