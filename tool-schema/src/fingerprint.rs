//! A hash function with the same result in every build and on every machine.

/// The FNV-1a hash of some bytes: <http://www.isthe.com/chongo/tech/comp/fnv/>.
pub fn fingerprint(bytes: impl IntoIterator<Item = u8>) -> u64 {
    bytes.into_iter().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    })
}
