//! Exact comparison of numbers: a limit of 64 bits differs from the nearest float.

use serde_json::Number;
use std::cmp::Ordering;

const TWO_POW_127: f64 = 170_141_183_460_469_231_731_687_303_715_884_105_728.0;

pub(super) fn compare_numbers(one: &Number, other: &Number) -> Ordering {
    match (integer(one), integer(other)) {
        (Some(one), Some(other)) => one.cmp(&other),
        // Next to a float with a fraction, 53 bits are enough.
        _ => one.as_f64().partial_cmp(&other.as_f64()).unwrap_or(Ordering::Equal),
    }
}

/// A number without a fraction, also `1.0` and `1e3`.
#[allow(clippy::cast_possible_truncation, reason = "it has neither a fraction nor more than 127 bits")]
fn integer(number: &Number) -> Option<i128> {
    let from_float = |float: &f64| float.fract() == 0.0 && float.abs() < TWO_POW_127;
    number.as_i128().or_else(|| number.as_f64().filter(from_float).map(|float| float as i128))
}

#[cfg(test)]
mod tests {
    use super::compare_numbers;
    use std::cmp::Ordering;

    #[test]
    fn numbers_are_compared_exactly() {
        let compare = |one: &str, other: &str| {
            let [one, other] = [one, other].map(|text| serde_json::from_str(text).expect("it is a number"));
            compare_numbers(&one, &other)
        };
        assert_eq!(compare("9007199254740993", "9007199254740992.0"), Ordering::Greater);
        assert_eq!(compare("18446744073709551615", "18446744073709551614"), Ordering::Greater);
        assert_eq!(compare("-9223372036854775808", "9223372036854775808"), Ordering::Less);
        assert_eq!(compare("1e3", "1000"), Ordering::Equal);
        assert_eq!(compare("0.5", "1"), Ordering::Less);
        assert_eq!(compare("1e40", "1e39"), Ordering::Greater);
    }
}
