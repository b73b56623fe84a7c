//! Lines of a streamed reply: each is a response with a piece of the message.

use super::message::ReadMessage;
use super::reply::Response;
use super::{FORMAT, NAME};
use crate::message::{Arguments, CallKey, CallPiece, Chunk, Finish, Piece, StreamError};
use crate::wire::error::{beginning, server_message};
use crate::wire::event_data::read_data;
use crate::wire::finish_reason::completeness;
use serde_json::Map;

/// Reads a line.
pub(super) fn read(line: &str) -> Chunk {
    read_data(line, NAME, FORMAT, read_line)
}

fn read_line(line: &str) -> serde_json::Result<Vec<Piece>> {
    let mut response: Response<'_> = serde_json::from_str(line)?;
    if let Some(message) = server_message(&response.error) {
        return Ok(vec![Piece::Error(StreamError::Server { message, error: response.error })]);
    }
    let mut pieces = Vec::new();
    pieces.extend(response.model.take().map(Piece::Model));
    pieces.extend(response.usage().map(Piece::Usage));
    match response.message {
        Some(message) => {
            add_content(message, &mut pieces);
            pieces.extend(response.done_reason.map(|reason| {
                let completeness = completeness(&reason);
                // A call arrives when its arguments are complete.
                Piece::Finish(Finish { reason, completeness, may_truncate_objects: false })
            }));
        }
        None => pieces.push(Piece::Skipped(beginning(line))),
    }
    pieces.extend(response.done.then_some(Piece::Done));
    Ok(pieces)
}

fn add_content(mut message: ReadMessage<'_>, pieces: &mut Vec<Piece>) {
    pieces.push(Piece::Reply(None));
    pieces.extend(message.thinking.clone().map(Piece::Reasoning));
    pieces.push(Piece::Extra(message.take_thinking()));
    let calls = message.take_calls();
    pieces.extend(message.content.map(|content| Piece::Text(content.as_str().to_owned())));
    // Calls arrive whole, most of them without ids.
    pieces.extend(calls.into_iter().map(|call| {
        Piece::Call(CallPiece {
            key: CallKey::Alone,
            id: call.id,
            name: call.name,
            arguments: Arguments::Piece(call.arguments),
            takes_text: false,
            extra: Map::new(),
        })
    }));
}
