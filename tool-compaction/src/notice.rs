//! The notice in place of a text that is left out, and the handles in notices.

use crate::grouped::Grouped;
use tool_runtime::message::{Content, Part};

/// The name of the tool that reads stored results.
pub(crate) const READ_RESULT: &str = "read_result";

const BEFORE_HANDLE: &str = "read_result with handle \"";
const MAX_HANDLE: usize = 64;
/// Around the references in place of a removed result.
const REMOVED_RESULT: &str = "[result removed: ";
const REMOVED_END: &str = " reads or searches it]";
/// The prefix of a failed call, by which some formats recognize it.
pub(crate) const ERROR: &str = "Error: ";

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

/// The text in place of a removed result that is stored with these handles.
pub(crate) fn removed_result(handles: &[&str]) -> String {
    let references: Vec<String> = handles.iter().map(|handle| format!("{BEFORE_HANDLE}{handle}\"")).collect();
    format!("{REMOVED_RESULT}{}{REMOVED_END}", references.join(", "))
}

/// The handles of the notices in a result, each once. Only a complete notice at its place counts: between two lines, after the one
/// line of a JSON value, or in place of the whole text. A tool can still imitate one, so the number is limited.
pub(crate) fn handles(content: &Content) -> Vec<&str> {
    const MAX_HANDLES: usize = 64;
    let texts: Vec<&str> = match content.parts() {
        None => vec![content.as_str()],
        Some(parts) => parts.iter().filter_map(text_of).collect(),
    };
    let mut handles: Vec<&str> = Vec::new();
    for handle in texts.into_iter().flat_map(handles_in) {
        if handles.len() < MAX_HANDLES && is_handle(handle) && !handles.contains(&handle) {
            handles.push(handle);
        }
    }
    handles
}

fn text_of(part: &Part) -> Option<&str> {
    match part {
        Part::Text { text, .. } => Some(text),
        _ => None,
    }
}

fn handles_in(text: &str) -> Vec<&str> {
    let lines = text.split('\n').enumerate();
    let in_lines = lines.filter_map(|(index, line)| handle_of(line, index == 1)).collect();
    let removed = || -> Option<Vec<&str>> {
        let references = text
            .strip_prefix(ERROR)
            .unwrap_or(text)
            .strip_prefix(REMOVED_RESULT)?
            .strip_suffix(REMOVED_END)?;
        references
            .split(", ")
            .map(|reference| reference.strip_prefix(BEFORE_HANDLE)?.strip_suffix('"'))
            .collect()
    };
    removed().unwrap_or(in_lines)
}

/// The handle of a line that is exactly a notice. The one after a JSON value is the second line.
fn handle_of(line: &str, is_second: bool) -> Option<&str> {
    let (before, after) = line.split_once(BEFORE_HANDLE)?;
    let (handle, end) = after.split_once('"')?;
    let is_other = |character: char| !(character.is_ascii_digit() || character == ',');
    let digits = [before, end].into_iter().flat_map(|text| text.split(is_other));
    let numbers: Vec<usize> = digits.filter_map(|digits| digits.replace(',', "").parse().ok()).collect();
    let written = match numbers[..] {
        [bytes, first, last, lines] => {
            Notice { handle: Some(handle), bytes, lines }.between(bytes, first, last)
        }
        [bytes, kept, lines] if is_second => Notice { handle: Some(handle), bytes, lines }.after_json(kept),
        _ => return None,
    };
    (written == line).then_some(handle)
}

pub(crate) fn is_handle(text: &str) -> bool {
    let is_allowed = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
    (1..=MAX_HANDLE).contains(&text.len()) && text.bytes().all(is_allowed)
}
