//! Detection of pieces that each repeat the whole text so far.

/// Whether each piece of a text begins with the piece before, so that the newest piece may be the whole text: some servers
/// repeat all arguments in each piece (<https://github.com/vercel/ai/issues/12052>).
#[derive(Debug, Default)]
pub(super) struct Snapshots {
    /// Where the newest piece begins in the text.
    newest: usize,
    are_different: bool,
}

impl Snapshots {
    /// Compares a piece with the piece before, which ends the text.
    pub(super) fn compare(&mut self, text: &str, piece: &str) {
        if !piece.is_empty() && !self.are_different {
            self.are_different = !text.get(self.newest..).is_some_and(|previous| piece.starts_with(previous));
            self.newest = text.len();
        }
    }

    /// The newest piece, if each piece begins with the piece before, and the text otherwise.
    pub(super) fn newest<'a>(&self, text: &'a str) -> &'a str {
        let newest = text.get(self.newest..).filter(|_| !self.are_different);
        newest.unwrap_or(text)
    }
}
