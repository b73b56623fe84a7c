//! The notice in place of a text that is left out, and the handles in notices.

use crate::grouped::Grouped;

/// The name of the tool that reads stored results.
pub(crate) const READ_RESULT: &str = "read_result";

const BEFORE_HANDLE: &str = "read_result with handle \"";
const MAX_HANDLE: usize = 64;

/// The numbers and the handle that a notice contains.
pub(crate) struct Notice<'a> {
    /// `None` if the text is not stored.
    pub(crate) handle: Option<&'a str>,
    /// The bytes of the whole text.
    pub(crate) bytes: usize,
    /// The numbered lines of the whole text.
    pub(crate) lines: usize,
}

impl Notice<'_> {
    /// Between the head and the tail of a text: lines from `first` to `last` are missing or incomplete.
    pub(crate) fn between(&self, bytes: usize, first: usize, last: usize) -> String {
        let (bytes, lines) = (Grouped(bytes), Grouped(self.lines));
        let reading = match self.handle {
            Some(handle) => format!("{BEFORE_HANDLE}{handle}\" reads or searches them"),
            None => "they are not stored".to_owned(),
        };
        format!(
            "[... {bytes} bytes left out, lines {} to {} of {lines}: {reading} ...]",
            Grouped(first),
            Grouped(last)
        )
    }

    /// The longest text of [`between`](Notice::between).
    pub(crate) fn max_between(&self) -> usize {
        self.between(self.bytes, self.lines, self.lines).len()
    }

    /// After a JSON value of which this number of bytes is left.
    pub(crate) fn after_json(&self, kept: usize) -> String {
        let (kept, bytes, lines) = (Grouped(kept), Grouped(self.bytes), Grouped(self.lines));
        let reading = match self.handle {
            Some(handle) => format!("{BEFORE_HANDLE}{handle}\" reads or searches all {lines} lines"),
            None => "the rest is not stored".to_owned(),
        };
        format!("[... shortened from {bytes} to {kept} bytes: {reading} ...]")
    }

    /// The longest text of [`after_json`](Notice::after_json).
    pub(crate) fn max_after_json(&self) -> usize {
        self.after_json(self.bytes).len()
    }
}

/// The reference to a stored result, in each text that has one.
pub(crate) fn reference(handle: &str) -> String {
    format!("{BEFORE_HANDLE}{handle}\"")
}

/// The handles of the notices in a text, each once. The text of a tool may imitate notices, so the number is limited.
pub(crate) fn handles(text: &str) -> Vec<&str> {
    const MAX_HANDLES: usize = 64;
    let mut handles = Vec::new();
    for after in text.split(BEFORE_HANDLE).skip(1) {
        let Some((handle, _)) = after.split_once('"') else { continue };
        if is_handle(handle) && !handles.contains(&handle) && handles.len() < MAX_HANDLES {
            handles.push(handle);
        }
    }
    handles
}

pub(crate) fn is_handle(text: &str) -> bool {
    let is_allowed = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
    (1..=MAX_HANDLE).contains(&text.len()) && text.bytes().all(is_allowed)
}
