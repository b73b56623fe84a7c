//! A hash function with the same result in every build and on every machine.

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::hash::Hasher;

/// The FNV-1a hash of some bytes: <http://www.isthe.com/chongo/tech/comp/fnv/>.
pub(crate) fn fingerprint(bytes: impl IntoIterator<Item = u8>) -> u64 {
    let mut hasher = FingerprintHasher::default();
    bytes.into_iter().for_each(|byte| hasher.write_u8(byte));
    hasher.finish()
}

/// The FNV-1a hasher. It does not resist collisions by chosen keys.
pub(crate) struct FingerprintHasher(u64);

impl Default for FingerprintHasher {
    fn default() -> Self {
        FingerprintHasher(0xcbf2_9ce4_8422_2325)
    }
}

impl Hasher for FingerprintHasher {
    fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.write_u8(byte);
        }
    }

    fn write_u8(&mut self, byte: u8) {
        self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
    }

    fn finish(&self) -> u64 {
        self.0
    }
}

/// A fingerprint that can be stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Fingerprint(u64);

impl Fingerprint {
    /// The fingerprint of some texts. It differs if the same text is split at another place.
    pub(crate) fn new(texts: &[&str]) -> Self {
        let mut hasher = FingerprintHasher::default();
        for text in texts {
            hasher.write(text.as_bytes());
            // No byte of UTF-8.
            hasher.write_u8(0xff);
        }
        Fingerprint(hasher.finish())
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
