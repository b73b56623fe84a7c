//! Integers that are written as floats.

use std::fmt::Write as _;

/// `1.0`, `1e3` and `-0` as the integers that they are, digit by digit, so that none is lost in a float.
pub(super) fn of_float(number: &str) -> Option<String> {
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
    if !digits.bytes().all(|digit| digit.is_ascii_digit()) {
        return None;
    }
    // Where the point stands among the digits.
    let point = i32::try_from(whole.len()).ok()?.checked_add(exponent)?;
    let significant = digits.trim_end_matches('0');
    if significant.is_empty() {
        return Some("0".to_owned());
    }
    // No integer type has more digits than these.
    let point = usize::try_from(point).ok().filter(|&point| (significant.len()..=40).contains(&point))?;
    let mut integer = sign.to_owned();
    write!(integer, "{significant:0<point$}").ok()?;
    let bare = integer.trim_start_matches('-').trim_start_matches('0');
    Some(format!("{sign}{bare}"))
}
