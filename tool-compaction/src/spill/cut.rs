//! The head and the tail of a text, with a notice between them.

use super::json;
use super::lines::{Line, boundary_after, boundary_before, lines};
use crate::notice::Notice;

/// A text in its stored form: JSON objects and arrays have line breaks, so that their lines can be read and searched.
pub(crate) struct StoredText {
    pub(crate) text: String,
    /// Whether the text is one JSON object or array.
    is_json: bool,
}

impl StoredText {
    pub(crate) fn new(text: &str) -> Self {
        let is_json = json::is_container(text);
        let text = if is_json { json::indented(text) } else { text.to_owned() };
        StoredText { text, is_json }
    }

    /// The text for the model, with at most this number of bytes, which is less than the text has.
    pub(crate) fn cut(&self, handle: Option<&str>, limit: usize) -> String {
        let lines: Vec<Line<'_>> = lines(&self.text).collect();
        let notice = Notice { handle, bytes: self.text.len(), lines: lines.len() };
        let shortened = self.is_json.then(|| self.shortened_json(&notice, limit)).flatten();
        shortened.unwrap_or_else(|| self.head_and_tail(&lines, &notice, limit))
    }

    /// `None` if too little of the value would be left.
    fn shortened_json(&self, notice: &Notice<'_>, limit: usize) -> Option<String> {
        const MIN_SHARE_DIVISOR: usize = 4;
        let limit = limit.checked_sub(notice.max_after_json() + "\n".len())?;
        let shortened = json::shortened(&json::compact(&self.text), limit)?;
        (shortened.len() >= limit / MIN_SHARE_DIVISOR)
            .then(|| [&*shortened, "\n", &notice.after_json(shortened.len())].concat())
    }

    fn head_and_tail(&self, lines: &[Line<'_>], notice: &Notice<'_>, limit: usize) -> String {
        let text = &*self.text;
        let kept = limit.saturating_sub(notice.max_between() + "\n\n".len());
        let head = head_end(text, lines, kept.div_ceil(2));
        let tail = tail_start(text, lines, kept / 2).max(head);
        // A line that is cut counts as missing, since the tool reads only whole lines.
        let first = lines.partition_point(|line| line.end() <= head);
        let last = lines.partition_point(|line| line.start < tail);
        let left_out = notice.between(tail - head, first + 1, last.max(first + 1));
        [&text[..head], "\n", &left_out, "\n", &text[tail..]].concat()
    }
}

/// The end of the last line that is within this number of bytes. Within a line, if the lines before it have less than half of
/// them.
fn head_end(text: &str, lines: &[Line<'_>], bytes: usize) -> usize {
    let whole = lines.partition_point(|line| line.end() <= bytes);
    let end = whole.checked_sub(1).map_or(0, |last| lines[last].end());
    if end >= bytes / 2 { end } else { boundary_before(text, bytes) }
}

/// The start of the first line of the last bytes, like [`head_end`].
fn tail_start(text: &str, lines: &[Line<'_>], bytes: usize) -> usize {
    let earliest = text.len().saturating_sub(bytes);
    let first = lines.partition_point(|line| line.start < earliest);
    let start = lines.get(first).map_or(text.len(), |line| line.start);
    if text.len() - start >= bytes / 2 { start } else { boundary_after(text, earliest) }
}
