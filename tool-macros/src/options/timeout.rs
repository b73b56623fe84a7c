//! `timeout = "5s"`.

use super::text;
use std::time::Duration;
use syn::meta::ParseNestedMeta;
use syn::{Error, Result};

pub(crate) struct Timeout {
    pub(crate) allowed: Duration,
}

pub(super) fn read(option: &ParseNestedMeta) -> Result<Timeout> {
    let written = text(option)?;
    match duration(written.value().trim()) {
        Some(allowed) if !allowed.is_zero() => Ok(Timeout { allowed }),
        Some(_) => Err(Error::new(written.span(), "no tool can end in no time; give it more than 0")),
        None => Err(Error::new(
            written.span(),
            "write a whole number and `ms`, `s` or `m`, for example \"500ms\", \"5s\" or \"2m\"",
        )),
    }
}

fn duration(text: &str) -> Option<Duration> {
    let unit = text.trim_start_matches(|c: char| c.is_ascii_digit());
    let number: u64 = text[..text.len() - unit.len()].parse().ok()?;
    let milliseconds = match unit.trim_start() {
        "ms" => 1,
        "s" => 1_000,
        "m" => 60_000,
        _ => return None,
    };
    number.checked_mul(milliseconds).map(Duration::from_millis)
}

#[cfg(test)]
mod tests {
    use super::duration;
    use std::time::Duration;

    #[test]
    fn a_number_and_a_unit_are_a_duration() {
        for (text, milliseconds) in
            [("500ms", 500), ("5s", 5_000), ("2m", 120_000), ("1 s", 1_000), ("0s", 0)]
        {
            assert_eq!(duration(text), Some(Duration::from_millis(milliseconds)), "{text}");
        }
    }

    #[test]
    fn anything_else_is_none() {
        for text in ["", "5", "s", "1.5s", "-1s", "5 hours", "5S", "18446744073709551615m", "５s"] {
            assert_eq!(duration(text), None, "{text}");
        }
    }
}
