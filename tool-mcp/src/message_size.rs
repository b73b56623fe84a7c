//! The sizes of messages, and texts that are truncated.

use serde::Serialize;
#[cfg(feature = "client")]
use serde_json::Value;
use std::io::{self, Write};

/// The size of a message over a stream, that of rmcp.
pub(crate) const MAX_MESSAGE_BYTES: usize = rmcp::transport::async_rw::DEFAULT_MAX_LINE_LENGTH - 1;

/// The size of the URI of a resource, or of a template of URIs, in bytes. It also limits the time of a comparison.
pub(crate) const MAX_URI_BYTES: usize = 2 * 1024;

/// The number of values of a message, where an object counts as `VALUES_PER_OBJECT`.
const MAX_VALUES: usize = 1_000_000;
const VALUES_PER_OBJECT: usize = 20;

/// The limits of a message, for errors.
pub(crate) fn limits() -> String {
    format!(
        "a message may have {MAX_MESSAGE_BYTES} bytes and {MAX_VALUES} values, where an object counts as {VALUES_PER_OBJECT}"
    )
}

/// Whether the values of the text take too much memory when they are parsed: 16 MiB of small objects would take more than 2 GiB.
pub(crate) fn has_too_many_values(json: &[u8]) -> bool {
    if json.len() * VALUES_PER_OBJECT <= MAX_VALUES {
        return false;
    }
    let mut size = TextSize::default();
    size.add(json);
    size.values > MAX_VALUES
}

/// The size of a text of JSON, whose pieces are added one after the other.
#[derive(Default)]
struct TextSize {
    bytes: usize,
    values: usize,
    quotes: usize,
    is_string: bool,
    is_escaped: bool,
}

impl TextSize {
    fn add(&mut self, json: &[u8]) {
        self.bytes += json.len();
        for &byte in json {
            match byte {
                _ if self.is_escaped => self.is_escaped = false,
                b'\\' => self.is_escaped = self.is_string,
                b'"' => {
                    self.is_string = !self.is_string;
                    self.quotes += 1;
                }
                b'{' if !self.is_string => self.values += VALUES_PER_OBJECT,
                b',' | b'[' if !self.is_string => self.values += 1,
                _ => {}
            }
        }
    }

    /// The bytes of the text, or a quarter of the memory of its values if that is more. A quote counts like a value, since each
    /// name of a field and each string has its own allocation.
    #[cfg(feature = "server")]
    fn request_bytes(&self) -> usize {
        self.bytes.max((self.values + self.quotes) * size_of::<serde_json::Value>() / 4)
    }
}

impl Write for TextSize {
    fn write(&mut self, json: &[u8]) -> io::Result<usize> {
        self.add(json);
        Ok(json.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// The size of a request while it runs, in bytes: that of its text, or a quarter of the memory of its values if that is more. An
/// array of small numbers takes sixteen times the memory of its text.
#[cfg(feature = "server")]
pub(crate) fn request_bytes(request: &impl Serialize) -> usize {
    let mut size = TextSize::default();
    // Counting does not fail.
    serde_json::to_writer(&mut size, request).ok();
    size.request_bytes()
}

/// Like [`request_bytes`], of a request that is not parsed yet.
#[cfg(feature = "http-server")]
pub(crate) fn text_request_bytes(json: &[u8]) -> usize {
    let mut size = TextSize::default();
    size.add(json);
    size.request_bytes()
}

/// The number of bytes of the value as JSON, which is not kept.
pub(crate) fn json_bytes(value: &impl Serialize) -> usize {
    let mut size = TextSize::default();
    // Counting does not fail.
    serde_json::to_writer(&mut size, value).ok();
    size.bytes
}

/// The number of bytes of the value as JSON, or an eighth of the memory that it takes if that is more: small objects take up to a
/// hundred times the memory of their text.
#[cfg(feature = "client")]
pub(crate) fn value_bytes(value: &Value) -> usize {
    json_bytes(value).max(memory(value) / 8)
}

/// The memory of the value, about. Values that were parsed are at most 128 levels deep.
#[cfg(feature = "client")]
fn memory(value: &Value) -> usize {
    const OBJECT: usize = 600;
    size_of::<Value>()
        + match value {
            Value::Object(fields) if fields.is_empty() => 0,
            Value::Object(fields) => {
                OBJECT + fields.iter().map(|(name, value)| name.len() + memory(value)).sum::<usize>()
            }
            Value::Array(items) => items.iter().map(memory).sum(),
            Value::String(text) => text.len(),
            _ => 0,
        }
}

/// The text, truncated after this number of bytes.
pub(crate) fn truncated(text: &str, limit: usize) -> String {
    if text.len() <= limit {
        return text.to_owned();
    }
    let mut end = limit;
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    format!("{} [truncated]", &text[..end])
}
