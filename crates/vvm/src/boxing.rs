//! Wrapper objects.

use crate::trap::{Step, Trap};
use crate::value::{Kind, Ref, Slot, as_float, as_int, as_ref, double, float};
use crate::vm::Vm;

impl Vm {
    /// The wrapper object of a primitive value, through `valueOf` so that caches are respected.
    pub(crate) fn boxed(&mut self, kind: Kind, value: Slot) -> Step<Slot> {
        let Some(wrapper) = kind.wrapper().filter(|_| kind != Kind::Void) else {
            return Ok(value);
        };
        let class = self.load(wrapper)?;
        self.ensure_init(class)?;
        let descriptor = format!("({})L{wrapper};", kind.descriptor());
        let method = self.method_named(class, "valueOf", &descriptor);
        let method = method.ok_or_else(|| Trap::unknown("class library: valueOf"))?;
        self.call_value(method, &[value])
    }

    /// Kind and value of a wrapper object.
    pub(crate) fn unwrap_box(&mut self, object: Ref) -> Step<Option<(Kind, Slot)>> {
        let class = self.text(self.classes[self.class_of(object) as usize].name);
        let Some(kind) = Kind::PRIMITIVES
            .into_iter()
            .find(|kind| kind.wrapper() == Some(&*class))
        else {
            return Ok(None);
        };
        let value = self.get_named(object, "value").unwrap_or(0);
        Ok(Some((kind, value)))
    }

    /// A wrapper object's value as another primitive type, if that is a widening.
    pub(crate) fn widened(&mut self, to: Kind, object: Ref) -> Step<Option<Slot>> {
        let Some((from, value)) = self.unwrap_box(object)? else {
            return Ok(None);
        };
        if from == to {
            return Ok(Some(value));
        }
        let value = self.plain(value)?;
        use Kind::{Byte, Char, Double, Float, Int, Long, Short};
        Ok(match (from, to) {
            (Byte, Short | Int) | (Short, Int) | (Char, Int) => Some(value),
            (Byte | Short | Char | Int, Long) => Some(i64::from(as_int(value)) as u64),
            (Byte | Short | Char | Int, Float) => Some(float(as_int(value) as f32)),
            (Byte | Short | Char | Int, Double) => Some(double(f64::from(as_int(value)))),
            (Long, Float) => Some(float(value as i64 as f32)),
            (Long, Double) => Some(double(value as i64 as f64)),
            (Float, Double) => Some(double(f64::from(as_float(value)))),
            _ => None,
        })
    }

    /// The primitive value in a wrapper object, for reflection.
    pub(crate) fn unboxed(&mut self, kind: Kind, object: Slot) -> Step<Slot> {
        let object = as_ref(object);
        if object == 0 {
            return Err(Trap::null());
        }
        match self.widened(kind, object)? {
            Some(value) => Ok(value),
            None => Err(Trap::new(
                "java/lang/IllegalArgumentException",
                "argument type mismatch",
            )),
        }
    }
}
