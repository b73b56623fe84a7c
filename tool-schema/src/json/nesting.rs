//! The nesting of brackets, tracked byte by byte, even in text that arrives in pieces.

/// How many brackets are open.
#[derive(Debug, Default)]
pub struct Nesting {
    /// The number of open brackets.
    pub depth: usize,
    string: StringState,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum StringState {
    #[default]
    Outside,
    Inside,
    AfterBackslash,
}

/// How deep the arrays and objects of a JSON text are nested.
#[must_use]
pub fn nesting(json: &str) -> usize {
    let mut nesting = Nesting::default();
    let depths = json.bytes().map(|byte| {
        nesting.step(byte);
        nesting.depth
    });
    depths.max().unwrap_or(0)
}

impl Nesting {
    /// Reads the next byte.
    #[inline]
    pub fn step(&mut self, byte: u8) {
        self.string = match (self.string, byte) {
            (StringState::Outside, b'"') | (StringState::AfterBackslash, _) => StringState::Inside,
            (StringState::Inside, b'\\') => StringState::AfterBackslash,
            (StringState::Inside, b'"') => StringState::Outside,
            (StringState::Outside, b'{' | b'[') => {
                self.depth += 1;
                StringState::Outside
            }
            (StringState::Outside, b'}' | b']') => {
                self.depth = self.depth.saturating_sub(1);
                StringState::Outside
            }
            (unchanged, _) => unchanged,
        };
    }
}
