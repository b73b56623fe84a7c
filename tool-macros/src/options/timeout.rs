//! `timeout = "5s"`.

use super::value;
use syn::meta::ParseNestedMeta;
use syn::{Error, LitStr, Result};

pub(super) fn milliseconds(option: &ParseNestedMeta) -> Result<u64> {
    let wanted = "write a whole number and `ms`, `s` or `m`, for example \"500ms\", \"5s\" or \"2m\"";
    let written: LitStr = value(option, wanted, wanted)?;
    match read(written.value().trim()) {
        Some(0) => Err(Error::new(written.span(), "the timeout must be more than 0")),
        Some(milliseconds) => Ok(milliseconds),
        None => Err(Error::new(written.span(), wanted)),
    }
}

fn read(text: &str) -> Option<u64> {
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
    use super::read;

    #[test]
    fn a_number_and_a_unit_are_a_time() {
        for (text, milliseconds) in
            [("500ms", 500), ("5s", 5_000), ("2m", 120_000), ("1 s", 1_000), ("0s", 0)]
        {
            assert_eq!(read(text), Some(milliseconds), "{text}");
        }
    }

    #[test]
    fn anything_else_is_none() {
        for text in ["", "5", "s", "1.5s", "-1s", "5 hours", "5S", "18446744073709551615m", "５s"] {
            assert_eq!(read(text), None, "{text}");
        }
    }
}
