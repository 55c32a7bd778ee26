//! A world as bytes, for the agent. Only what is needed for guards is kept.

use crate::error::{Result, WeaveError};
use crate::world::facts::OLD_INTERFACE;
use crate::world::{Facts, State, StaticField, World};

const MAGIC: &[u8; 8] = b"braidW02";

impl World {
    /// The world as bytes, the same for the same classes.
    pub fn encode(&self) -> Vec<u8> {
        let mut out = MAGIC.to_vec();
        let mut names: Vec<_> = self.classes.keys().collect();
        names.sort();
        put_len(&mut out, names.len());
        for name in names {
            put(&mut out, name);
            self.encode_facts(&mut out, &self.classes[name]);
        }
        out
    }

    fn encode_facts(&self, out: &mut Vec<u8>, facts: &Facts) {
        let bit = |flag: bool, bit: u8| if flag { 1 << bit } else { 0 };
        let state = self.state_of(facts);
        let number = match state {
            State::Nothing => 0,
            State::Constant => 1,
            State::Resettable => 2,
            State::Not(_) => 3,
        };
        out.push(
            number
                | bit(facts.public, 2)
                | bit(facts.interface, 3)
                | bit(facts.has_defaults, 4)
                | bit(facts.builds_simply, 5)
                | bit(facts.superclass.is_some(), 6),
        );
        facts.superclass.iter().for_each(|name| put(out, name));
        put_len(out, facts.interfaces.len());
        facts.interfaces.iter().for_each(|name| put(out, name));
        put_len(out, facts.statics.len());
        for field in &facts.statics {
            put(out, &field.name);
            put(out, &field.descriptor);
            put_len(out, field.cell.map_or(0, |cell| cell + 1));
            out.push(u8::from(field.constant));
        }
        if state == State::Constant {
            let built = facts.constant_if.as_deref().unwrap_or_default();
            put_len(out, built.len());
            built.iter().for_each(|name| put(out, name));
        }
    }

    /// Reads what [`World::encode`] wrote.
    pub fn decode(bytes: &[u8]) -> Result<World> {
        let Some(rest) = bytes.strip_prefix(MAGIC) else {
            return Err(WeaveError::World("not written by this version"));
        };
        let mut reader = Reader { rest };
        let mut world = World::new();
        for _ in 0..reader.len()? {
            let name = reader.text()?;
            let facts = reader.facts()?;
            world.classes.insert(name, facts);
        }
        Ok(world)
    }
}

fn put_len(out: &mut Vec<u8>, len: usize) {
    out.extend((len as u32).to_be_bytes());
}

fn put(out: &mut Vec<u8>, text: &[u8]) {
    out.extend((text.len() as u16).to_be_bytes());
    out.extend(text);
}

struct Reader<'b> {
    rest: &'b [u8],
}

impl Reader<'_> {
    fn take<const N: usize>(&mut self) -> Result<[u8; N]> {
        let (head, rest) = self
            .rest
            .split_first_chunk::<N>()
            .ok_or(WeaveError::World("unexpected end"))?;
        self.rest = rest;
        Ok(*head)
    }

    fn len(&mut self) -> Result<usize> {
        Ok(u32::from_be_bytes(self.take()?) as usize)
    }

    fn text(&mut self) -> Result<Box<[u8]>> {
        let len = usize::from(u16::from_be_bytes(self.take()?));
        let (head, rest) = self
            .rest
            .split_at_checked(len)
            .ok_or(WeaveError::World("unexpected end"))?;
        self.rest = rest;
        Ok(head.into())
    }

    fn texts(&mut self) -> Result<Vec<Box<[u8]>>> {
        (0..self.len()?).map(|_| self.text()).collect()
    }

    fn facts(&mut self) -> Result<Facts> {
        let [flags] = self.take()?;
        let state = match flags & 3 {
            0 => State::Nothing,
            1 => State::Constant,
            2 => State::Resettable,
            _ => State::Not(OLD_INTERFACE),
        };
        let bit = |bit: u8| flags & (1 << bit) != 0;
        let superclass = match bit(6) {
            true => Some(self.text()?),
            false => None,
        };
        let interfaces = self.texts()?;
        let statics = (0..self.len()?)
            .map(|_| self.field())
            .collect::<Result<_>>()?;
        let constant_if = match state {
            State::Constant => Some(self.texts()?),
            _ => None,
        };
        Ok(Facts {
            public: bit(2),
            interface: bit(3),
            superclass,
            interfaces,
            statics,
            has_defaults: bit(4),
            builds_simply: bit(5),
            fallback: state.clone(),
            state,
            constant_if,
        })
    }

    fn field(&mut self) -> Result<StaticField> {
        let (name, descriptor) = (self.text()?, self.text()?);
        let cell = self.len()?.checked_sub(1);
        let [constant] = self.take()?;
        Ok(StaticField {
            name,
            descriptor,
            constant: constant != 0,
            cell,
        })
    }
}
