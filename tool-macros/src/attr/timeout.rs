//! `timeout = "5s"`.

use super::parse_value;
use syn::meta::ParseNestedMeta;
use syn::{Error, LitStr, Result};

/// The timeout in milliseconds.
pub(super) fn parse(option: &ParseNestedMeta) -> Result<u64> {
    let expected =
        "expected a whole number and `ms`, `s` or `m` in quotes, for example \"500ms\", \"5s\" or \"2m\"";
    let literal: LitStr = parse_value(option, expected, expected)?;
    match parse_milliseconds(literal.value().trim()) {
        Some(0) => Err(Error::new(literal.span(), "the timeout must be more than 0")),
        Some(milliseconds) => Ok(milliseconds),
        None => Err(Error::new(literal.span(), expected)),
    }
}

fn parse_milliseconds(text: &str) -> Option<u64> {
    let unit = text.trim_start_matches(|c: char| c.is_ascii_digit());
    let number: u64 = text[..text.len() - unit.len()].parse().ok()?;
    number.checked_mul(match unit.trim_start() {
        "ms" => 1,
        "s" => 1_000,
        "m" => 60_000,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::parse_milliseconds;

    #[test]
    fn a_whole_number_and_a_unit_are_accepted() {
        for (text, milliseconds) in
            [("500ms", 500), ("5s", 5_000), ("2m", 120_000), ("1 s", 1_000), ("0s", 0)]
        {
            assert_eq!(parse_milliseconds(text), Some(milliseconds), "{text}");
        }
    }

    #[test]
    fn other_text_is_rejected() {
        for text in ["", "5", "s", "1.5s", "-1s", "5 hours", "5S", "18446744073709551615m", "５s"] {
            assert_eq!(parse_milliseconds(text), None, "{text}");
        }
    }
}
