//! The numbered lines of a stored text.

/// The longest line in bytes. A longer one is several lines, so that the model can read a text without line breaks in pieces.
pub(crate) const MAX_LINE: usize = 1_000;

/// One line; its number is its position among the [`lines`], from 1.
#[derive(Clone, Copy)]
pub(crate) struct Line<'t> {
    /// Where it begins in the text, in bytes.
    pub(crate) start: usize,
    /// Without its line break.
    pub(crate) text: &'t str,
    /// Whether it continues the line before it.
    pub(crate) continues: bool,
}

impl Line<'_> {
    pub(crate) fn end(&self) -> usize {
        self.start + self.text.len()
    }
}

pub(crate) fn lines(text: &str) -> impl Iterator<Item = Line<'_>> {
    let (mut next, mut continues) = (0, false);
    std::iter::from_fn(move || {
        let rest = text.get(next..).filter(|rest| !rest.is_empty())?;
        // Only the bytes of this line are read, since the text may be one long line.
        let window = &rest.as_bytes()[..rest.len().min(MAX_LINE + 1)];
        let line_break = window.iter().position(|byte| *byte == b'\n');
        let end = match line_break {
            Some(end) => end,
            None if rest.len() <= MAX_LINE => rest.len(),
            None => boundary_before(rest, MAX_LINE),
        };
        let line = Line { start: next, text: &rest[..end], continues };
        next += end + usize::from(line_break.is_some());
        continues = line_break.is_none();
        Some(line)
    })
}

/// The greatest position up to this one at which a text can be cut.
pub(crate) fn boundary_before(text: &str, position: usize) -> usize {
    (0..=position.min(text.len())).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0)
}

/// The smallest position from this one at which a text can be cut.
pub(crate) fn boundary_after(text: &str, position: usize) -> usize {
    (position..=text.len()).find(|at| text.is_char_boundary(*at)).unwrap_or(text.len())
}
