//! The data of server-sent events.

use super::error::beginning;
use crate::message::{Delta, StreamError};

/// Reads the text after `data:` of a server-sent event. `read` reads an event of this wire; error messages call its format
/// `format`.
pub(super) fn read_data(
    data: &str,
    wire: &'static str,
    format: &'static str,
    read: impl FnOnce(&str) -> serde_json::Result<Delta>,
) -> Delta {
    let delta = match data.trim_start_matches('\u{feff}').trim() {
        "" => Delta::default(),
        // Some gateways end every stream with it, in the format of Chat Completions.
        "[DONE]" => Delta { is_done: true, ..Delta::default() },
        text => read(text).unwrap_or_else(|source| {
            let error = StreamError::NotAChunk { format, beginning: beginning(text), source };
            Delta { error: Some(error), ..Delta::default() }
        }),
    };
    Delta { wire: Some(wire), ..delta }
}
