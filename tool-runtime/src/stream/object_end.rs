//! Where a JSON object ends that comes piece by piece.

/// Looks for the brace that closes an object, at each byte once. It knows brackets and strings, and not whether what is
/// between them is JSON.
#[derive(Debug, Default)]
pub(super) enum ObjectEnd {
    /// Nothing but white space came.
    #[default]
    NotBegun,
    Within(Inside),
    /// It is closed.
    Found {
        /// Whether there was nothing in it but white space.
        is_empty: bool,
    },
    /// What came is no object.
    NoObject,
}

#[derive(Debug)]
pub(super) struct Inside {
    depth: usize,
    string: InString,
    is_empty: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum InString {
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
            *self = match bytes.find(|(_, byte)| !byte.is_ascii_whitespace())? {
                (_, b'{') => ObjectEnd::Within(Inside { depth: 1, string: InString::No, is_empty: true }),
                _ => ObjectEnd::NoObject,
            };
        }
        let ObjectEnd::Within(inside) = self else { return None };
        let (end, _) = bytes.find(|&(_, byte)| inside.is_closed_by(byte))?;
        *self = ObjectEnd::Found { is_empty: inside.is_empty };
        Some(end + 1)
    }
}

impl Inside {
    fn is_closed_by(&mut self, byte: u8) -> bool {
        match (self.string, byte) {
            (InString::Escaped, _) | (InString::No, b'"') => self.string = InString::Yes,
            (InString::Yes, b'\\') => self.string = InString::Escaped,
            (InString::Yes, b'"') => self.string = InString::No,
            (InString::No, b'{' | b'[') => self.depth += 1,
            (InString::No, b'}' | b']') => self.depth -= 1,
            _ => {}
        }
        if self.depth > 0 {
            self.is_empty &= byte.is_ascii_whitespace();
        }
        self.depth == 0
    }
}
