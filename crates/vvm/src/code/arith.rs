//! Arithmetic of the JVM on plain slots: what a pure operator computes.
//!
//! The interpreter's fast path and the choice-aware slow path share these functions; the operators double
//! as keys of the cache of operations on choices.

use crate::value::{Slot, as_double, as_float, as_int, double, float, int};

/// Pure operators with two operands. Division is here too; its caller has excluded a zero divisor.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[repr(u8)]
#[allow(missing_docs)] // the names are the JVM's
pub enum Binary {
    IAdd,
    ISub,
    IMul,
    IDiv,
    IRem,
    IAnd,
    IOr,
    IXor,
    IShl,
    IShr,
    IUshr,
    LAdd,
    LSub,
    LMul,
    LDiv,
    LRem,
    LAnd,
    LOr,
    LXor,
    LShl,
    LShr,
    LUshr,
    FAdd,
    FSub,
    FMul,
    FDiv,
    FRem,
    DAdd,
    DSub,
    DMul,
    DDiv,
    DRem,
    LCmp,
    FCmpL,
    FCmpG,
    DCmpL,
    DCmpG,
}

/// Pure operators with one operand.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[repr(u8)]
#[allow(missing_docs)] // the names are the JVM's
pub enum Unary {
    INeg,
    LNeg,
    FNeg,
    DNeg,
    I2L,
    I2F,
    I2D,
    L2I,
    L2F,
    L2D,
    F2I,
    F2L,
    F2D,
    D2I,
    D2L,
    D2F,
    I2B,
    I2C,
    I2S,
}

/// Comparisons of two `int`s or two references (only `Eq` and `Ne`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[repr(u8)]
#[allow(missing_docs)] // the names are the JVM's
pub enum Compare {
    Eq,
    Ne,
    Lt,
    Ge,
    Gt,
    Le,
}

impl Compare {
    /// The comparison that holds when this one does not.
    pub fn inverted(self) -> Compare {
        match self {
            Compare::Eq => Compare::Ne,
            Compare::Ne => Compare::Eq,
            Compare::Lt => Compare::Ge,
            Compare::Ge => Compare::Lt,
            Compare::Gt => Compare::Le,
            Compare::Le => Compare::Gt,
        }
    }

    /// Decides the comparison.
    #[inline(always)]
    pub fn eval(self, a: Slot, b: Slot) -> bool {
        let (a, b) = (as_int(a), as_int(b));
        match self {
            Compare::Eq => a == b,
            Compare::Ne => a != b,
            Compare::Lt => a < b,
            Compare::Ge => a >= b,
            Compare::Gt => a > b,
            Compare::Le => a <= b,
        }
    }

    /// Decides the comparison of two `long`s.
    #[inline(always)]
    pub fn eval_long(self, a: i64, b: i64) -> bool {
        match self {
            Compare::Eq => a == b,
            Compare::Ne => a != b,
            Compare::Lt => a < b,
            Compare::Ge => a >= b,
            Compare::Gt => a > b,
            Compare::Le => a <= b,
        }
    }
}

impl Binary {
    /// Whether the operands are 32 bits wide (the shift distance of a long shift is not looked at here).
    pub fn is_int(self) -> bool {
        (self as u8) <= Binary::IUshr as u8
    }

    /// Whether the second operand must not be zero.
    pub fn divides(self) -> bool {
        matches!(
            self,
            Binary::IDiv | Binary::IRem | Binary::LDiv | Binary::LRem
        )
    }

    /// Computes the result; a `long` result may collide with the choice tag, which the caller handles.
    #[inline(always)]
    pub fn eval(self, a: Slot, b: Slot) -> Slot {
        use Binary::*;
        match self {
            IAdd => int(as_int(a).wrapping_add(as_int(b))),
            ISub => int(as_int(a).wrapping_sub(as_int(b))),
            IMul => int(as_int(a).wrapping_mul(as_int(b))),
            IDiv => int(as_int(a).wrapping_div(as_int(b))),
            IRem => int(as_int(a).wrapping_rem(as_int(b))),
            IAnd => a & b,
            IOr => a | b,
            IXor => a ^ b,
            IShl => int(as_int(a).wrapping_shl(b as u32)),
            IShr => int(as_int(a).wrapping_shr(b as u32)),
            IUshr => u64::from((a as u32).wrapping_shr(b as u32)),
            LAdd => a.wrapping_add(b),
            LSub => a.wrapping_sub(b),
            LMul => a.wrapping_mul(b),
            LDiv => (a as i64).wrapping_div(b as i64) as u64,
            LRem => (a as i64).wrapping_rem(b as i64) as u64,
            LAnd => a & b,
            LOr => a | b,
            LXor => a ^ b,
            LShl => a.wrapping_shl(b as u32),
            LShr => (a as i64).wrapping_shr(b as u32) as u64,
            LUshr => a.wrapping_shr(b as u32),
            FAdd => float(as_float(a) + as_float(b)),
            FSub => float(as_float(a) - as_float(b)),
            FMul => float(as_float(a) * as_float(b)),
            FDiv => float(as_float(a) / as_float(b)),
            FRem => float(as_float(a) % as_float(b)),
            DAdd => double(as_double(a) + as_double(b)),
            DSub => double(as_double(a) - as_double(b)),
            DMul => double(as_double(a) * as_double(b)),
            DDiv => double(as_double(a) / as_double(b)),
            DRem => double(as_double(a) % as_double(b)),
            LCmp => order((a as i64).partial_cmp(&(b as i64)), 0),
            FCmpL => order(as_float(a).partial_cmp(&as_float(b)), -1),
            FCmpG => order(as_float(a).partial_cmp(&as_float(b)), 1),
            DCmpL => order(as_double(a).partial_cmp(&as_double(b)), -1),
            DCmpG => order(as_double(a).partial_cmp(&as_double(b)), 1),
        }
    }
}

#[inline(always)]
fn order(ordering: Option<std::cmp::Ordering>, unordered: i32) -> Slot {
    int(ordering.map_or(unordered, |ordering| ordering as i32))
}

impl Unary {
    /// Computes the result. Rust's `as` from floating point saturates and maps NaN to 0, as Java does.
    #[inline(always)]
    pub fn eval(self, a: Slot) -> Slot {
        use Unary::*;
        match self {
            INeg => int(as_int(a).wrapping_neg()),
            LNeg => (a as i64).wrapping_neg() as u64,
            FNeg => float(-as_float(a)),
            DNeg => double(-as_double(a)),
            I2L => i64::from(as_int(a)) as u64,
            I2F => float(as_int(a) as f32),
            I2D => double(f64::from(as_int(a))),
            L2I => int(a as i32),
            L2F => float(a as i64 as f32),
            L2D => double(a as i64 as f64),
            F2I => int(as_float(a) as i32),
            F2L => as_float(a) as i64 as u64,
            F2D => double(f64::from(as_float(a))),
            D2I => int(as_double(a) as i32),
            D2L => as_double(a) as i64 as u64,
            D2F => float(as_double(a) as f32),
            I2B => int(i32::from(a as i8)),
            I2C => u64::from(a as u16),
            I2S => int(i32::from(a as i16)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integer_overflow_wraps_and_shifts_are_masked() {
        assert_eq!(as_int(Binary::IAdd.eval(int(i32::MAX), int(1))), i32::MIN);
        assert_eq!(as_int(Binary::IDiv.eval(int(i32::MIN), int(-1))), i32::MIN);
        assert_eq!(as_int(Binary::IShl.eval(int(1), int(33))), 2);
        assert_eq!(as_int(Binary::IUshr.eval(int(-1), int(28))), 15);
        assert_eq!(Binary::LShl.eval(1, int(65)), 2);
    }

    #[test]
    fn comparisons_with_nan_follow_their_suffix() {
        let nan = double(f64::NAN);
        assert_eq!(as_int(Binary::DCmpL.eval(nan, 0)), -1);
        assert_eq!(as_int(Binary::DCmpG.eval(nan, 0)), 1);
    }

    #[test]
    fn conversions_saturate_and_map_nan_to_zero() {
        assert_eq!(as_int(Unary::D2I.eval(double(1e300))), i32::MAX);
        assert_eq!(as_int(Unary::F2I.eval(float(f32::NAN))), 0);
        assert_eq!(Unary::D2L.eval(double(-1e300)) as i64, i64::MIN);
        assert_eq!(as_int(Unary::I2B.eval(int(200))), -56);
    }
}
