//! Lines of a streamed reply: each is a response with a piece of the message.

use super::message::ReadMessage;
use super::reply::Response;
use super::{FORMAT, NAME};
use crate::message::{CallPiece, Chunk, Finish, Piece, StreamError};
use crate::wire::error::{beginning, server_message};
use crate::wire::event_data::read_data;

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
            // A call arrives when its arguments are complete.
            let finish = response.done_reason.map(Finish::new);
            pieces.extend(finish.map(Piece::Finish));
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
    let calls = calls.iter().map(|call| CallPiece::from_call(call, NAME));
    pieces.extend(calls.map(Piece::Call));
}
