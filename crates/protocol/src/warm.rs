//! The messages of warm workers: many trials in one request, one answer for each unit of each trial.

use std::fmt::Write as _;
use std::num::NonZeroU32;

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::error::ProtocolError;
use crate::result::{LeafId, Outcome, UnitId};
use crate::wire::{Reader, Writer};

/// Trials to be made one after the other in the same JVM.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Trials {
    /// The units that trials name by their place here.
    pub units: Vec<TrialUnit>,
    /// The trials in order.
    pub trials: Vec<TrialOrder>,
    /// Whether to report the probes that each unit hits.
    pub record: bool,
}

/// A unit and what it may use.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct TrialUnit {
    /// The unit.
    pub unit: UnitId,
    /// Ticks that it may use; as many as it likes if not given.
    pub fuel: Option<u64>,
    /// How long it may take in all.
    pub wall_ms: u32,
    /// How long it may be stuck: every thread blocked and no tick used.
    pub idle_ms: u32,
    /// The stack of its thread, if it is to have another than the usual one.
    pub stack_kb: Option<NonZeroU32>,
}

/// One variant and the units to run with it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TrialOrder {
    /// The number of the variant; 0 is the original.
    pub variant: u32,
    /// Whether the other units are left out after one that did not pass.
    pub stop_at_failure: bool,
    /// Places in [`Trials::units`].
    pub units: Vec<u32>,
}

/// What came of one unit of one trial.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnitRan {
    /// The place of the trial in the request.
    pub trial: u32,
    /// The place of the unit in [`Trials::units`].
    pub unit: u32,
    /// How it ended.
    pub end: UnitEnd,
    /// Ticks used by all threads.
    pub ticks: u64,
    /// How long it took, without putting things back.
    pub nanos: u64,
    /// Its results.
    pub leaves: Vec<LeafRan>,
    /// The probes that were hit, if coverage was asked for.
    pub hits: Option<Hits>,
    /// Whether all that it ran had the stack that was asked for: the JVM gave it, and no other thread ran code of the
    /// program. False if none was asked for.
    pub had_stack: bool,
    /// Why this JVM cannot be used again, if it cannot.
    pub tainted: Option<String>,
}

/// One result within a unit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LeafRan {
    /// The leaf.
    pub leaf: LeafId,
    /// What came of it.
    pub outcome: Outcome,
    /// How long it took.
    pub nanos: u64,
}

/// How the run of a unit ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum UnitEnd {
    /// By itself.
    Finished,
    /// It wanted more ticks than it was given.
    OutOfFuel {
        /// Loops that were seen to come round.
        rounds: Vec<LoopRound>,
    },
    /// It took too long.
    OverTime {
        /// Where the threads were.
        stack: String,
    },
    /// All its threads were blocked for too long.
    Idle {
        /// Where the threads were.
        stack: String,
        /// Whether nobody is left who could wake them.
        for_good: bool,
    },
}

/// A loop at the same place as before, in one and the same call, with the same local variables but for a few; or with
/// objects that are others, but look the same.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LoopRound {
    /// The class, with dots.
    pub class: String,
    /// The method's name.
    pub method: String,
    /// Its descriptor.
    pub descriptor: String,
    /// Code offsets of ticks: first the one that was seen twice, then all from there on.
    pub places: Vec<u32>,
    /// The slots of local variables that had another value.
    pub changing: Vec<u32>,
    /// If all objects came round that it can get at, through static fields of their classes, too: these classes, with dots.
    pub reach: Option<Vec<String>>,
}

/// The class files that loaded classes are to have from now on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Redefinition {
    /// The binary name, with dots.
    pub class: String,
    /// The class file.
    pub bytes: Vec<u8>,
}

/// The probes that a unit hit.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub struct Hits(Vec<u8>);

impl Hits {
    /// The set with these probes.
    pub fn new(probes: impl IntoIterator<Item = u32>) -> Self {
        let mut bytes: Vec<u8> = Vec::new();
        for probe in probes {
            let place = (probe / 8) as usize;
            if bytes.len() <= place {
                bytes.resize(place + 1, 0);
            }
            bytes[place] |= 1 << (probe % 8);
        }
        Self(bytes)
    }

    fn from_bytes(bytes: &[u8]) -> Self {
        let used = bytes.iter().rposition(|byte| *byte != 0);
        Self(bytes[..used.map_or(0, |last| last + 1)].to_vec())
    }

    /// Whether a probe was hit.
    pub fn contains(&self, probe: u32) -> bool {
        self.0
            .get((probe / 8) as usize)
            .is_some_and(|byte| byte & (1 << (probe % 8)) != 0)
    }

    /// The probes in ascending order.
    pub fn iter(&self) -> impl Iterator<Item = u32> + '_ {
        (0..).zip(&self.0).flat_map(|(place, byte)| {
            (0..8)
                .filter(move |bit| byte & (1 << bit) != 0)
                .map(move |bit| place * 8 + bit)
        })
    }

    /// How many probes were hit.
    pub fn count(&self) -> usize {
        self.0.iter().map(|byte| byte.count_ones() as usize).sum()
    }

    /// Whether none was.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// As a text of hexadecimal digits, which every format can hold.
impl Serialize for Hits {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut text = String::with_capacity(self.0.len() * 2);
        for byte in &self.0 {
            // Writing to a string cannot fail.
            let _ = write!(text, "{byte:02x}");
        }
        serializer.serialize_str(&text)
    }
}

impl<'de> Deserialize<'de> for Hits {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        let digits: Option<Vec<u8>> = text
            .chars()
            .map(|c| c.to_digit(16).and_then(|digit| u8::try_from(digit).ok()))
            .collect();
        let digits = digits
            .filter(|digits| digits.len() % 2 == 0)
            .ok_or_else(|| D::Error::custom("probes are not hexadecimal"))?;
        let bytes: Vec<u8> = digits
            .chunks_exact(2)
            .map(|pair| pair[0] << 4 | pair[1])
            .collect();
        Ok(Self::from_bytes(&bytes))
    }
}

impl Writer {
    pub(crate) fn trials(&mut self, trials: &Trials) {
        self.list(&trials.units, |out, unit| {
            out.text(&unit.unit.0);
            // The worker counts with a signed number.
            let fuel = unit.fuel.unwrap_or(u64::MAX);
            out.u64(fuel.min(i64::MAX as u64));
            out.u32(unit.wall_ms);
            out.u32(unit.idle_ms);
            out.u32(unit.stack_kb.map_or(0, NonZeroU32::get));
        });
        self.list(&trials.trials, |out, trial| {
            out.u32(trial.variant);
            out.bool(trial.stop_at_failure);
            out.list(&trial.units, |out, unit| out.u32(*unit));
        });
        self.bool(trials.record);
    }

    pub(crate) fn redefinitions(&mut self, classes: &[Redefinition]) {
        self.list(classes, |out, class| {
            out.text(&class.class);
            out.bytes(&class.bytes);
        });
    }

    fn round(&mut self, round: &LoopRound) {
        self.text(&round.class);
        self.text(&round.method);
        self.text(&round.descriptor);
        self.list(&round.places, |out, place| out.u32(*place));
        self.list(&round.changing, |out, slot| out.u32(*slot));
        self.bool(round.reach.is_some());
        if let Some(reach) = &round.reach {
            self.list(reach, |out, class| out.text(class));
        }
    }

    pub(crate) fn unit_ran(&mut self, ran: &UnitRan) {
        self.u32(ran.trial);
        self.u32(ran.unit);
        match &ran.end {
            UnitEnd::Finished => self.u8(0),
            UnitEnd::OutOfFuel { rounds } => {
                self.u8(1);
                self.list(rounds, |out, round| out.round(round));
            }
            UnitEnd::OverTime { stack } => self.message(2, &[stack]),
            UnitEnd::Idle { stack, for_good } => {
                self.message(3, &[stack]);
                self.bool(*for_good);
            }
        }
        self.u64(ran.ticks);
        self.u64(ran.nanos);
        self.list(&ran.leaves, |out, leaf| {
            out.text(&leaf.leaf.0);
            out.outcome(&leaf.outcome);
            out.u64(leaf.nanos);
        });
        self.bool(ran.hits.is_some());
        if let Some(hits) = &ran.hits {
            self.bytes(&hits.0);
        }
        self.bool(ran.had_stack);
        self.option(ran.tainted.as_deref());
    }
}

type Read<T> = Result<T, ProtocolError>;

impl Reader<'_> {
    pub(crate) fn trials(&mut self) -> Read<Trials> {
        let units = self.list(|input| {
            Ok(TrialUnit {
                unit: input.unit()?,
                fuel: Some(input.u64()?).filter(|fuel| *fuel < i64::MAX as u64),
                wall_ms: input.u32()?,
                idle_ms: input.u32()?,
                stack_kb: NonZeroU32::new(input.u32()?),
            })
        })?;
        let trials = self.list(|input| {
            Ok(TrialOrder {
                variant: input.u32()?,
                stop_at_failure: input.bool()?,
                units: input.list(Self::u32)?,
            })
        })?;
        let record = self.bool()?;
        Ok(Trials {
            units,
            trials,
            record,
        })
    }

    pub(crate) fn redefinitions(&mut self) -> Read<Vec<Redefinition>> {
        self.list(|input| {
            Ok(Redefinition {
                class: input.text()?,
                bytes: input.bytes()?.to_vec(),
            })
        })
    }

    fn round(&mut self) -> Read<LoopRound> {
        Ok(LoopRound {
            class: self.text()?,
            method: self.text()?,
            descriptor: self.text()?,
            places: self.list(Self::u32)?,
            changing: self.list(Self::u32)?,
            reach: match self.bool()? {
                true => Some(self.list(Self::text)?),
                false => None,
            },
        })
    }

    pub(crate) fn unit_ran(&mut self) -> Read<UnitRan> {
        let (trial, unit) = (self.u32()?, self.u32()?);
        let end = match self.u8()? {
            0 => UnitEnd::Finished,
            1 => UnitEnd::OutOfFuel {
                rounds: self.list(Self::round)?,
            },
            2 => UnitEnd::OverTime {
                stack: self.text()?,
            },
            3 => UnitEnd::Idle {
                stack: self.text()?,
                for_good: self.bool()?,
            },
            _ => {
                return Err(ProtocolError::BadValue {
                    field: "the end of a unit",
                });
            }
        };
        Ok(UnitRan {
            trial,
            unit,
            end,
            ticks: self.u64()?,
            nanos: self.u64()?,
            leaves: self.list(|input| {
                Ok(LeafRan {
                    leaf: input.leaf()?,
                    outcome: input.outcome()?,
                    nanos: input.u64()?,
                })
            })?,
            hits: if self.bool()? {
                Some(Hits::from_bytes(self.bytes()?))
            } else {
                None
            },
            had_stack: self.bool()?,
            tainted: self.option()?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hits_are_a_set_in_order_and_survive_a_text_format() {
        let hits = Hits::new([70, 3, 8, 3]);
        assert_eq!(hits.iter().collect::<Vec<_>>(), [3, 8, 70]);
        assert_eq!(hits.count(), 3);
        assert!(hits.contains(70) && !hits.contains(71) && !hits.contains(7000));
        assert_eq!(Hits::from_bytes(&[8, 1, 0, 0]), Hits::new([3, 8]));
        assert!(Hits::from_bytes(&[0, 0]).is_empty());
    }
}
