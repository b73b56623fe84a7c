//! Detection of the end of a JSON object that arrives in pieces.

use super::Nesting;

/// Finds the brace that closes an object; reads each byte once. It checks brackets and strings, but not whether the
/// text is valid JSON.
#[derive(Debug, Default)]
pub enum ObjectEnd {
    /// White space only, so far.
    #[default]
    NotBegun,
    /// Within the object.
    Within {
        /// Of the text so far.
        nesting: Nesting,
        /// Whether it contains only white space so far.
        is_empty: bool,
    },
    /// The object is closed.
    Found {
        /// Whether it contains only white space.
        is_empty: bool,
    },
    /// The text is not an object.
    NoObject,
}

impl ObjectEnd {
    /// The number of bytes of the next piece that belong to the object, if the piece closes it.
    pub fn find(&mut self, piece: &str) -> Option<usize> {
        let mut bytes = piece.bytes().enumerate();
        if let ObjectEnd::NotBegun = self {
            *self = match bytes.find(|(_, byte)| !byte.is_ascii_whitespace())? {
                (_, brace @ b'{') => {
                    let mut nesting = Nesting::default();
                    nesting.step(brace);
                    ObjectEnd::Within { nesting, is_empty: true }
                }
                _ => ObjectEnd::NoObject,
            };
        }
        let ObjectEnd::Within { nesting, is_empty } = self else { return None };
        for (index, byte) in bytes {
            nesting.step(byte);
            if nesting.depth == 0 {
                *self = ObjectEnd::Found { is_empty: *is_empty };
                return Some(index + 1);
            }
            *is_empty &= byte.is_ascii_whitespace();
        }
        None
    }
}
