//! Where a JSON object ends that comes piece by piece.

/// Looks for the brace that closes an object, at each byte once. It knows brackets and strings, and not whether what is
/// between them is JSON.
#[derive(Debug, Default)]
pub(super) enum ObjectEnd {
    /// Nothing but white space came.
    #[default]
    NotBegun,
    Within {
        depth: usize,
        string: InString,
    },
    /// It is closed.
    Found,
    /// What came is no object.
    NoObject,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum InString {
    No,
    Yes,
    /// Behind a backslash.
    Escaped,
}

impl ObjectEnd {
    /// How much of the next piece belongs to the object, if it is closed in this piece.
    pub(super) fn find(&mut self, piece: &str) -> Option<usize> {
        let mut bytes = piece.bytes().enumerate();
        if let ObjectEnd::NotBegun = self {
            match bytes.find(|(_, byte)| !byte.is_ascii_whitespace()) {
                None => return None,
                Some((_, b'{')) => *self = ObjectEnd::Within { depth: 1, string: InString::No },
                Some(_) => *self = ObjectEnd::NoObject,
            }
        }
        let ObjectEnd::Within { depth, string } = self else { return None };
        for (at, byte) in bytes {
            *string = match (*string, byte) {
                (InString::Escaped, _) | (InString::No, b'"') => InString::Yes,
                (InString::Yes, b'\\') => InString::Escaped,
                (InString::Yes, b'"') => InString::No,
                (InString::No, b'{' | b'[') => {
                    *depth += 1;
                    InString::No
                }
                (InString::No, b'}' | b']') => {
                    *depth -= 1;
                    if *depth == 0 {
                        *self = ObjectEnd::Found;
                        return Some(at + 1);
                    }
                    InString::No
                }
                (same, _) => same,
            };
        }
        None
    }
}
