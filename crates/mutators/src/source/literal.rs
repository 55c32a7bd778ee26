//! Literals and type names of Java.

use super::event::Key;
use crate::constants::Number;

/// The value of a number, character or boolean literal.
pub(super) fn value(kind: &str, text: &str) -> Option<Key> {
    let number = match kind {
        "true" => Number::Int(1),
        "false" => Number::Int(0),
        "character_literal" => Number::Int(character(text)?),
        "decimal_floating_point_literal" | "hex_floating_point_literal" => fraction(text)?,
        "decimal_integer_literal" => integer(text, 10)?,
        "hex_integer_literal" => integer(&text[2..], 16)?,
        "octal_integer_literal" => integer(text, 8)?,
        "binary_integer_literal" => integer(&text[2..], 2)?,
        _ => return None,
    };
    Some(Key::of_number(number))
}

fn integer(text: &str, radix: u32) -> Option<Number> {
    let digits = text.replace('_', "");
    Some(match digits.strip_suffix(['l', 'L']) {
        Some(digits) => Number::Long(u64::from_str_radix(digits, radix).ok()? as i64),
        // 2147483648 is only written behind a minus.
        None => Number::Int(u32::from_str_radix(&digits, radix).ok()? as i32),
    })
}

fn fraction(text: &str) -> Option<Number> {
    let digits = text.replace('_', "");
    if let Some(digits) = digits.strip_suffix(['f', 'F']) {
        return digits.parse().ok().map(Number::Float);
    }
    let digits = digits.strip_suffix(['d', 'D']).unwrap_or(&digits);
    digits.parse().ok().map(Number::Double)
}

fn character(text: &str) -> Option<i32> {
    let inner = text.strip_prefix('\'')?.strip_suffix('\'')?;
    let Some(escape) = inner.strip_prefix('\\') else {
        let mut units = [0; 2];
        let first = inner.chars().next()?.encode_utf16(&mut units)[0];
        return Some(first.into());
    };
    if let Some(hex) = escape.strip_prefix('u') {
        return i32::from_str_radix(hex.trim_start_matches('u'), 16).ok();
    }
    Some(match escape {
        "n" => 10,
        "t" => 9,
        "r" => 13,
        "b" => 8,
        "f" => 12,
        "s" => 32,
        _ if escape.starts_with(|c: char| c.is_digit(8)) => i32::from_str_radix(escape, 8).ok()?,
        _ => escape.chars().next()? as i32,
    })
}

/// `Entry` for `Map.Entry<K, V>`.
pub(super) fn simple_type(text: &str) -> &str {
    let plain = text.split('<').next().unwrap_or(text).trim();
    let last = plain.rsplit('.').next().unwrap_or(plain);
    last.rsplit(char::is_whitespace).next().unwrap_or(last)
}
