//! The data of server-sent events.

use super::error::beginning;
use crate::json::{SplitPairs, replace_lone_surrogates};
use crate::message::{Chunk, Piece, StreamError};
use serde_json::{Value, json};
use std::borrow::Cow;

/// Reads the text after `data:` of a server-sent event. `read` reads an event of this wire; error messages call its format
/// `format`.
pub(super) fn read_data(
    data: &str,
    wire: &'static str,
    format: &'static str,
    read: impl FnOnce(&str) -> serde_json::Result<Vec<Piece>>,
) -> Chunk {
    let (data, split_pairs) = whole_characters(data);
    let pieces = match data.trim_start_matches('\u{feff}').trim() {
        "" => Vec::new(),
        // Some gateways end every stream with it, in the format of Chat Completions.
        "[DONE]" => vec![Piece::Done],
        text => read(text).unwrap_or_else(|source| {
            vec![Piece::Error(StreamError::NotAChunk { format, beginning: beginning(text), source })]
        }),
    };
    Chunk { split_pairs, ..Chunk::read(wire, pieces) }
}

/// The text with U+FFFD in place of halves of surrogate pairs, and the halves that the chunks before and after may complete.
pub(super) fn whole_characters(data: &str) -> (Cow<'_, str>, SplitPairs) {
    match replace_lone_surrogates(data) {
        Cow::Owned(replaced) => (Cow::Owned(replaced), SplitPairs::find(data)),
        Cow::Borrowed(data) => (Cow::Borrowed(data), SplitPairs::default()),
    }
}

/// A piece of JSON text. A server that sends a value in place of the text states the whole JSON.
#[cfg(any(feature = "bedrock", feature = "gemini_interactions"))]
pub(super) fn json_piece(piece: Option<&Value>) -> String {
    match piece {
        Some(Value::String(text)) => text.clone(),
        None | Some(Value::Null) => String::new(),
        Some(value) => value.to_string(),
    }
}

/// The arguments that the start of a call states, if it does. A missing value becomes an empty object: a request must have one, and
/// no piece of empty arguments need follow.
#[cfg(any(feature = "bedrock", feature = "gemini_interactions"))]
pub(super) fn stated_arguments(arguments: &mut Value) -> Option<Value> {
    if arguments.is_null() {
        *arguments = json!({});
    }
    Some(arguments.clone()).filter(|stated| *stated != json!({}))
}
