//! Conversions of a value to another type.

use super::TypeSet;
use serde::de::IgnoredAny;

/// The JSON inside a string such as `"42"`, `"true"`, `"[1,2]"` or `"{..}"`, if it has a type that is wanted. A number
/// is never converted to a boolean, nor a number with a fraction to an integer.
#[must_use]
pub fn json_in_string(wanted: TypeSet, json: &str) -> Option<String> {
    let text: String = serde_json::from_str(json).ok()?;
    let inner = text.trim();
    serde_json::from_str::<IgnoredAny>(inner).ok()?;
    let types = TypeSet::from_json(inner);
    let is_other_type = !TypeSet::NULL.union(TypeSet::STRING).intersects(types);
    (is_other_type && wanted.intersects(types)).then(|| inner.to_owned())
}

/// Whether a value may be the only item of an array. A null may not, since it rather means no array, nor may a string
/// that is empty or begins like JSON or a code fence.
#[must_use]
pub fn may_be_only_item(wanted: TypeSet, json: &str) -> bool {
    let is_plain_text = || {
        serde_json::from_str::<String>(json).is_ok_and(|text| {
            let text = text.trim();
            // A list that is written as text is not one item.
            !text.is_empty()
                && !text.contains([',', ';', '\n'])
                && !matches!(text, "null" | "None")
                && !text.starts_with(['[', '{', '"', '\''])
                && !text.starts_with("```")
        })
    };
    wanted.intersects(TypeSet::ARRAY)
        && match TypeSet::from_json(json) {
            TypeSet::NULL | TypeSet::ARRAY => false,
            TypeSet::STRING => is_plain_text(),
            _ => true,
        }
}

/// A float represents every integer up to 2 to the power of 53 exactly.
const MAX_EXACT: f64 = 9_007_199_254_740_992.0;
/// The maximum number of digits that distinguish a float from its neighbours.
const MAX_FLOAT_DIGITS: usize = 17;

/// Rewrites `1.0`, `1e3` and `-0` as integers, digit by digit, so that none is lost by conversion to a float. A number
/// with an exponent and few digits was written from a float, and becomes the integer of that float.
#[must_use]
pub fn integer_from_float(number: &str) -> Option<String> {
    if number.parse().is_ok_and(|float: f64| float == 0.0) {
        return Some("0".to_owned());
    }
    let digits =
        number.bytes().take_while(|byte| !matches!(byte, b'e' | b'E')).filter(u8::is_ascii_digit).count();
    if number.contains(['e', 'E']) && digits <= MAX_FLOAT_DIGITS {
        let float: f64 = number.parse().ok()?;
        if float.fract() == 0.0 && float.abs() > MAX_EXACT {
            return Some(format!("{float:.0}"));
        }
    }
    let (sign, unsigned) = match number.strip_prefix('-') {
        Some(rest) => ("-", rest),
        None => ("", number),
    };
    let (mantissa, exponent) = match unsigned.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, exponent.parse::<i32>().ok()?),
        None => (unsigned, 0),
    };
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let digits = format!("{whole}{fraction}");
    // The position of the decimal point in the digits.
    let point = i32::try_from(whole.len()).ok()?.checked_add(exponent)?;
    let significant = digits.trim_end_matches('0');
    // No integer type has more digits than these.
    let point = usize::try_from(point).ok().filter(|&point| (significant.len()..=40).contains(&point))?;
    let integer = format!("{significant:0<point$}");
    Some(format!("{sign}{}", integer.trim_start_matches('0')))
}
