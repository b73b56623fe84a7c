//! The data of server-sent events.

use super::error::beginning;
use crate::message::{Chunk, Piece, StreamError};

/// Reads the text after `data:` of a server-sent event. `read` reads an event of this wire; error messages call its format
/// `format`.
pub(super) fn read_data(
    data: &str,
    wire: &'static str,
    format: &'static str,
    read: impl FnOnce(&str) -> serde_json::Result<Vec<Piece>>,
) -> Chunk {
    let pieces = match data.trim_start_matches('\u{feff}').trim() {
        "" => Vec::new(),
        // Some gateways end every stream with it, in the format of Chat Completions.
        "[DONE]" => vec![Piece::Done],
        text => read(text).unwrap_or_else(|source| {
            vec![Piece::Error(StreamError::NotAChunk { format, beginning: beginning(text), source })]
        }),
    };
    Chunk::read(wire, pieces)
}
