//! Lines of a streamed reply: each is a response with a piece of the message.

use super::message::ReadMessage;
use super::reply::Response;
use super::{FORMAT, NAME};
use crate::message::{Arguments, CallPiece, ContentPiece, Delta, Finish, ReplyPiece, StreamError, ToolCall};
use crate::wire::error::{beginning, server_message};
use crate::wire::event_data::read_data;
use crate::wire::finish_reason::completeness;
use serde_json::Map;

/// Reads a line.
pub(super) fn read(line: &str) -> Delta {
    read_data(line, NAME, FORMAT, read_line)
}

fn read_line(line: &str) -> serde_json::Result<Delta> {
    let mut response: Response<'_> = serde_json::from_str(line)?;
    if let Some(message) = server_message(&response.error) {
        let error = StreamError::Server { message, error: response.error };
        return Ok(Delta { error: Some(error), ..Delta::default() });
    }
    let finish = response.done_reason.take().map(|reason| Finish {
        completeness: completeness(&reason),
        reason,
        // A call arrives when its arguments are complete.
        may_truncate_objects: false,
    });
    let usage = response.usage();
    let content = response.message.map(read_content);
    let replies = content.map(|content| ReplyPiece { content, finish, ..ReplyPiece::default() });
    Ok(Delta {
        skipped: replies.is_none().then(|| beginning(line)),
        replies: replies.into_iter().collect(),
        model: response.model,
        usage,
        is_done: response.done,
        ..Delta::default()
    })
}

fn read_content(mut message: ReadMessage<'_>) -> ContentPiece {
    let calls = message.take_calls().into_iter().map(whole_call).collect();
    let reasoning = message.thinking.clone().filter(|thinking| !thinking.is_empty());
    let extra = message.take_thinking();
    let text = message.content.map(|content| content.as_str().to_owned());
    ContentPiece { text, reasoning, calls, extra, ..ContentPiece::default() }
}

/// Calls arrive whole, most of them without ids.
fn whole_call(call: ToolCall) -> CallPiece {
    CallPiece {
        index: None,
        id: call.id,
        name: call.name,
        arguments: Arguments::OfNewCall(call.arguments),
        takes_text: false,
        extra: Map::new(),
    }
}
