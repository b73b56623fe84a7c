//! The calls of a session.

use serde_json::Value;
use tool_runtime::message::Message;
use tool_runtime::{Session, ToolCall, ToolMessage};

/// A call with its result.
#[derive(Debug)]
pub(crate) struct CallInSession<'a> {
    /// The number of its reply.
    pub(crate) reply: u64,
    /// The number of user messages before its reply.
    pub(crate) user_messages: usize,
    pub(crate) order: String,
    pub(crate) call: &'a ToolCall,
    pub(crate) result: &'a ToolMessage,
}

/// All calls of a session without pending calls. Each has exactly one result.
pub(crate) fn calls(session: &Session) -> Result<Vec<CallInSession<'_>>, String> {
    let messages = session.messages();
    let results = || {
        messages.iter().filter_map(|message| match message {
            Message::Tool(result) => Some(result),
            _ => None,
        })
    };
    let (mut reply, mut user_messages) = (0, 0);
    let mut calls = Vec::new();
    for message in messages {
        let message = match message {
            Message::User(_) => {
                user_messages += 1;
                continue;
            }
            Message::Assistant(message) => message,
            _ => continue,
        };
        for call in &message.tool_calls {
            let mut of_call = results().filter(|result| result.tool_call_id == call.id);
            let (Some(result), None) = (of_call.next(), of_call.next()) else {
                return Err(format!("{call:?} does not have exactly one result"));
            };
            let arguments: Value =
                serde_json::from_str(&call.arguments).map_err(|error| error.to_string())?;
            let order = arguments["order"].as_str().unwrap_or_default().to_owned();
            calls.push(CallInSession { reply, user_messages, order, call, result });
        }
        reply += 1;
    }
    if results().count() == calls.len() { Ok(calls) } else { Err("a result has no call".to_owned()) }
}
