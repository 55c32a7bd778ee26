//! `Math` and `StrictMath`.
//!
//! `StrictMath` is fdlibm, which the `libm` crate ports; `Math` uses the platform's functions, which like
//! HotSpot's stubs are within one unit in the last place.

use super::Entry;
use crate::value::{as_double, double};

macro_rules! unary {
    ($class:literal, $name:literal, $function:expr) => {
        ($class, $name, "(D)D", |_, args| {
            Ok(double($function(as_double(args[0]))))
        })
    };
}

macro_rules! binary {
    ($class:literal, $name:literal, $function:expr) => {
        ($class, $name, "(DD)D", |_, args| {
            Ok(double($function(as_double(args[0]), as_double(args[1]))))
        })
    };
}

pub(super) const NATIVES: &[Entry] = &[
    unary!("java/lang/StrictMath", "sin", libm::sin),
    unary!("java/lang/StrictMath", "cos", libm::cos),
    unary!("java/lang/StrictMath", "tan", libm::tan),
    unary!("java/lang/StrictMath", "asin", libm::asin),
    unary!("java/lang/StrictMath", "acos", libm::acos),
    unary!("java/lang/StrictMath", "atan", libm::atan),
    unary!("java/lang/StrictMath", "log", libm::log),
    unary!("java/lang/StrictMath", "log10", libm::log10),
    unary!("java/lang/StrictMath", "sqrt", f64::sqrt),
    unary!("java/lang/StrictMath", "sinh", libm::sinh),
    unary!("java/lang/StrictMath", "cosh", libm::cosh),
    unary!("java/lang/StrictMath", "tanh", libm::tanh),
    unary!("java/lang/StrictMath", "expm1", libm::expm1),
    unary!("java/lang/StrictMath", "log1p", libm::log1p),
    binary!("java/lang/StrictMath", "atan2", libm::atan2),
    binary!("java/lang/StrictMath", "IEEEremainder", libm::remainder),
    unary!("java/lang/Math", "sin", f64::sin),
    unary!("java/lang/Math", "cos", f64::cos),
    unary!("java/lang/Math", "tan", f64::tan),
    unary!("java/lang/Math", "exp", f64::exp),
    unary!("java/lang/Math", "log", f64::ln),
    unary!("java/lang/Math", "log10", f64::log10),
    unary!("java/lang/Math", "sqrt", f64::sqrt),
    unary!("java/lang/Math", "floor", f64::floor),
    unary!("java/lang/Math", "ceil", f64::ceil),
    unary!("java/lang/Math", "rint", f64::round_ties_even),
    binary!("java/lang/Math", "pow", pow),
];

/// C's `pow` says that 1 to anything and -1 to infinity is 1; Java says NaN where an infinity or NaN is the
/// exponent.
fn pow(base: f64, exponent: f64) -> f64 {
    if exponent.is_nan() || (base.abs() == 1.0 && exponent.is_infinite()) {
        return f64::NAN;
    }
    base.powf(exponent)
}
