//! A hash function with the same result in every build and on every machine.

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
pub(crate) use tool_runtime_schema::fingerprint;

/// A fingerprint that can be stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Fingerprint(u64);

impl Fingerprint {
    /// The fingerprint of some texts. It differs if the same text is split at another place.
    pub(crate) fn new(texts: &[&str]) -> Self {
        // Each text ends with a byte that UTF-8 does not have.
        Fingerprint(fingerprint(texts.iter().flat_map(|text| text.bytes().chain([0xff]))))
    }
}

/// As hexadecimal digits, since JavaScript reads numbers of this size inexactly.
impl Serialize for Fingerprint {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&format_args!("{:016x}", self.0))
    }
}

impl<'de> Deserialize<'de> for Fingerprint {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let digits = String::deserialize(deserializer)?;
        u64::from_str_radix(&digits, 16).map(Fingerprint).map_err(D::Error::custom)
    }
}
