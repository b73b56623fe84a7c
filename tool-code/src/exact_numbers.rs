//! Integers that a number of JavaScript cannot represent.

use serde_json::Value;

/// The largest integer that a number of JavaScript represents together with its neighbours.
const MAX_SAFE_INTEGER: u64 = (1 << 53) - 1;
/// Shorter integers are exact.
const MIN_DIGITS: usize = 16;

/// The JSON text with each integer beyond 2^53 - 1 as a string: JavaScript would silently read another number, and an order with a
/// wrong number is worse than an error.
pub(crate) fn exact_numbers(json: &str) -> String {
    let has_long_number = || {
        let mut runs =
            json.as_bytes().chunk_by(|first, second| first.is_ascii_digit() == second.is_ascii_digit());
        runs.any(|run| run.len() >= MIN_DIGITS && run[0].is_ascii_digit())
    };
    match has_long_number().then(|| serde_json::from_str::<Value>(json)) {
        Some(Ok(mut value)) => {
            write_exactly(&mut value);
            value.to_string()
        }
        _ => json.to_owned(),
    }
}

/// The depth is limited by the parser.
fn write_exactly(value: &mut Value) {
    match value {
        Value::Number(number) => {
            let is_safe = |integer: u64| integer <= MAX_SAFE_INTEGER;
            let size = number.as_u64().or_else(|| Some(number.as_i64()?.unsigned_abs()));
            if !size.is_none_or(is_safe) {
                *value = Value::String(number.to_string());
            }
        }
        Value::Array(items) => items.iter_mut().for_each(write_exactly),
        Value::Object(entries) => entries.values_mut().for_each(write_exactly),
        Value::Null | Value::Bool(_) | Value::String(_) => {}
    }
}

#[cfg(test)]
mod tests {
    use super::exact_numbers;

    #[test]
    fn only_integers_that_javascript_would_round_become_strings() {
        let cases = [
            (r#"{"id":9007199254740993}"#, r#"{"id":"9007199254740993"}"#),
            (r#"{"id":9007199254740991}"#, r#"{"id":9007199254740991}"#),
            (r"[-9007199254740993,18446744073709551615]", r#"["-9007199254740993","18446744073709551615"]"#),
            (r#"{ "text": "9007199254740993" }"#, r#"{"text":"9007199254740993"}"#),
            (r#"{ "x": 1.5 }"#, r#"{ "x": 1.5 }"#),
        ];
        for (json, expected) in cases {
            assert_eq!(exact_numbers(json), expected);
        }
    }
}
