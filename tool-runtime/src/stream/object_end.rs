//! Where a JSON object ends that comes piece by piece.

use crate::json::Nesting;

/// Looks for the brace that closes an object, at each byte once. It knows brackets and strings, and not whether the text between
/// them is JSON.
#[derive(Debug, Default)]
pub(super) enum ObjectEnd {
    /// Nothing but white space came.
    #[default]
    NotBegun,
    Within {
        nesting: Nesting,
        is_empty: bool,
    },
    /// It is closed.
    Found {
        /// Whether there was nothing in it but white space.
        is_empty: bool,
    },
    /// The text is not an object.
    NoObject,
}

impl ObjectEnd {
    /// How much of the next piece belongs to the object, if it is closed in this piece.
    pub(super) fn find(&mut self, piece: &str) -> Option<usize> {
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
            if nesting.depth() == 0 {
                *self = ObjectEnd::Found { is_empty: *is_empty };
                return Some(index + 1);
            }
            *is_empty &= byte.is_ascii_whitespace();
        }
        None
    }
}
