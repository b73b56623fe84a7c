//! Names of tools as the API accepts them.

use std::borrow::Cow;

/// The prefix of names that would not start with a letter or `_`.
const PREFIX: &str = "n_";

/// The name in a request: a name that starts with a digit or `-` gets a prefix, since the API rejects it ("Invalid function
/// name. Must start with a letter or an underscore"). A name that has this
/// form already gets a second prefix, so that different names stay different.
pub(in crate::wire) fn written(name: &str) -> Cow<'_, str> {
    if needs_prefix(name) { Cow::Owned([PREFIX, name].concat()) } else { Cow::Borrowed(name) }
}

/// The name whose written form this is.
pub(in crate::wire) fn read(written: &str) -> &str {
    written.strip_prefix(PREFIX).filter(|name| needs_prefix(name)).unwrap_or(written)
}

/// Whether the name starts with a digit or `-` after any number of prefixes.
fn needs_prefix(name: &str) -> bool {
    name.trim_start_matches(PREFIX).starts_with(|first: char| first.is_ascii_digit() || first == '-')
}

#[cfg(test)]
mod tests {
    use super::{read, written};

    #[test]
    fn every_name_has_one_written_form() {
        let names = [
            ("get_weather", "get_weather"),
            ("n_weather", "n_weather"),
            ("n_", "n_"),
            ("", ""),
            ("2fa", "n_2fa"),
            ("-x", "n_-x"),
            ("n_2fa", "n_n_2fa"),
            ("n_n_-", "n_n_n_-"),
            ("nn_2fa", "nn_2fa"),
        ];
        for (name, in_a_request) in names {
            assert_eq!(written(name), in_a_request);
            assert_eq!(read(in_a_request), name);
        }
        assert_eq!(read("2fa"), "2fa", "the model invented it");
    }
}
