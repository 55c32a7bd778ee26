//! Field and method descriptors.

use crate::attribute::RawType;
use crate::error::{ErrorKind, Result};
use crate::jstr::JStr;

/// One type of a descriptor.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[allow(missing_docs)]
pub enum FieldType<'a> {
    Boolean,
    Byte,
    Char,
    Short,
    Int,
    Long,
    Float,
    Double,
    /// A class or interface by its internal name.
    Object(JStr<'a>),
    /// An array by its whole descriptor: `[[I`.
    Array(JStr<'a>),
}

impl<'a> FieldType<'a> {
    /// Slots it takes on the stack and in locals.
    pub fn slots(self) -> u16 {
        if matches!(self, FieldType::Long | FieldType::Double) {
            2
        } else {
            1
        }
    }

    /// True for classes and arrays.
    pub fn is_reference(self) -> bool {
        matches!(self, FieldType::Object(_) | FieldType::Array(_))
    }

    /// The name under which a class constant names this type, if it is a reference.
    pub fn class_name(self) -> Option<JStr<'a>> {
        match self {
            FieldType::Object(name) | FieldType::Array(name) => Some(name),
            _ => None,
        }
    }

    /// Reads a whole field descriptor.
    ///
    /// ```
    /// use braid_classfile::{FieldType, JStr};
    /// let parsed = FieldType::parse(JStr::from("Ljava/lang/String;")).unwrap();
    /// assert_eq!(parsed, FieldType::Object(JStr::from("java/lang/String")));
    /// ```
    pub fn parse(descriptor: JStr<'a>) -> Result<FieldType<'a>> {
        match split(descriptor.as_bytes()) {
            Some((ty, [])) => Ok(ty),
            _ => Err(bad(descriptor)),
        }
    }
}

fn bad(descriptor: JStr<'_>) -> crate::Error {
    ErrorKind::BadDescriptor(descriptor.to_str_lossy().into_owned()).at(0)
}

/// The first type of a descriptor and what follows it.
#[inline]
pub(crate) fn split(bytes: &[u8]) -> Option<(FieldType<'_>, &[u8])> {
    let ty = match bytes.first()? {
        b'Z' => FieldType::Boolean,
        b'B' => FieldType::Byte,
        b'C' => FieldType::Char,
        b'S' => FieldType::Short,
        b'I' => FieldType::Int,
        b'J' => FieldType::Long,
        b'F' => FieldType::Float,
        b'D' => FieldType::Double,
        b'L' => {
            let end = bytes
                .iter()
                .position(|b| *b == b';')
                .filter(|end| *end > 1)?;
            return Some((
                FieldType::Object(JStr::new(&bytes[1..end])),
                &bytes[end + 1..],
            ));
        }
        b'[' => {
            let dimensions = bytes
                .iter()
                .position(|b| *b != b'[')
                .filter(|d| *d <= 255)?;
            let (_, rest) = split(&bytes[dimensions..])?;
            let len = bytes.len() - rest.len();
            return Some((FieldType::Array(JStr::new(&bytes[..len])), rest));
        }
        _ => return None,
    };
    Some((ty, &bytes[1..]))
}

/// A method descriptor, split as it is read.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct MethodDescriptor<'a> {
    descriptor: JStr<'a>,
}

impl<'a> MethodDescriptor<'a> {
    /// Checks a whole method descriptor.
    ///
    /// ```
    /// use braid_classfile::{FieldType, JStr, MethodDescriptor};
    /// let parsed = MethodDescriptor::parse(JStr::from("(IJ[B)V")).unwrap();
    /// assert_eq!(parsed.parameters().count(), 3);
    /// assert_eq!(parsed.parameter_slots(), 4);
    /// assert_eq!(parsed.return_type(), None);
    /// ```
    pub fn parse(descriptor: JStr<'a>) -> Result<MethodDescriptor<'a>> {
        let mut rest = match descriptor.as_bytes() {
            [b'(', rest @ ..] => rest,
            _ => return Err(bad(descriptor)),
        };
        while rest.first() != Some(&b')') {
            rest = split(rest).ok_or_else(|| bad(descriptor))?.1;
        }
        match &rest[1..] {
            b"V" => {}
            ret if matches!(split(ret), Some((_, []))) => {}
            _ => return Err(bad(descriptor)),
        }
        Ok(MethodDescriptor { descriptor })
    }

    /// The text.
    pub fn as_jstr(self) -> JStr<'a> {
        self.descriptor
    }

    /// The parameter types.
    pub fn parameters(self) -> impl Iterator<Item = FieldType<'a>> + Clone {
        let mut rest = &self.descriptor.as_bytes()[1..];
        std::iter::from_fn(move || {
            let (ty, after) = split(rest)?;
            rest = after;
            Some(ty)
        })
    }

    /// The slots that all parameters take, without the receiver.
    pub fn parameter_slots(self) -> u16 {
        self.parameters()
            .fold(0, |sum, ty| sum.saturating_add(ty.slots()))
    }

    /// The return type, `None` for void.
    pub fn return_type(self) -> Option<FieldType<'a>> {
        let bytes = self.descriptor.as_bytes();
        let mut rest = &bytes[1..];
        while let Some((_, after)) = split(rest) {
            rest = after;
        }
        split(rest.get(1..)?).map(|(ty, _)| ty)
    }
}

/// The locals a method starts with, as verification types; `class_index` gives the class index
/// for a reference's name, `this` is the receiver's type (`None` for static methods).
pub fn initial_locals(
    descriptor: MethodDescriptor<'_>,
    this: Option<RawType>,
    mut class_index: impl FnMut(JStr<'_>) -> u16,
) -> Vec<RawType> {
    let parameters = descriptor.parameters().map(|ty| match ty {
        FieldType::Long => RawType::Long,
        FieldType::Float => RawType::Float,
        FieldType::Double => RawType::Double,
        FieldType::Object(name) | FieldType::Array(name) => RawType::Object(class_index(name)),
        _ => RawType::Integer,
    });
    this.into_iter().chain(parameters).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn malformed_descriptors_are_errors() {
        for text in [
            "",
            "(",
            "()",
            "()VV",
            "(V)V",
            "(L;)V",
            "([)V",
            "(Ljava/lang/String)V",
            "()[",
        ] {
            assert!(MethodDescriptor::parse(JStr::from(text)).is_err(), "{text}");
        }
        for text in ["", "V", "L;", "[", "II", "Lx"] {
            assert!(FieldType::parse(JStr::from(text)).is_err(), "{text}");
        }
    }

    #[test]
    fn return_types_are_found_behind_any_parameters() {
        let of = |text| {
            MethodDescriptor::parse(JStr::from(text))
                .unwrap()
                .return_type()
        };
        assert_eq!(
            of("(La;[[Lb;D)[[J"),
            Some(FieldType::Array(JStr::from("[[J")))
        );
        assert_eq!(of("()Z"), Some(FieldType::Boolean));
        assert_eq!(of("(I)V"), None);
    }
}
