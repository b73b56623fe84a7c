//! The calls of a session, as its messages and its pending calls have them.

use crate::plan::number_in;
use std::collections::BTreeMap;
use tool_runtime::message::Message;
use tool_runtime::{AssistantMessage, Session, ToolCall, ToolMessage};

/// A call of a session.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CallInSession<'a> {
    pub(crate) call: &'a ToolCall,
    pub(crate) result: Option<&'a ToolMessage>,
    /// The `n` of its arguments; `None` if it did not arrive.
    pub(crate) n: Option<u64>,
    pub(crate) is_pending: bool,
    pub(crate) is_since_user: bool,
}

/// The calls of a session in their order.
pub(crate) fn calls(session: &Session) -> Vec<CallInSession<'_>> {
    let messages = session.messages();
    let is_user = |message: &Message| matches!(message, Message::User(_));
    let newest_user = messages.iter().rposition(is_user).unwrap_or(0);
    let mut results: BTreeMap<&str, &ToolMessage> = BTreeMap::new();
    for message in messages {
        if let Message::Tool(result) = message {
            assert!(results.insert(&result.tool_call_id, result).is_none(), "two results of {result:?}");
        }
    }
    let mut calls = Vec::new();
    for (index, message) in messages.iter().enumerate() {
        let Message::Assistant(reply) = message else { continue };
        for call in &reply.tool_calls {
            let result = results.get(&*call.id).copied();
            let n = number_in(&call.arguments);
            calls.push(CallInSession {
                call,
                result,
                n,
                is_pending: false,
                is_since_user: index > newest_user,
            });
        }
    }
    if let Some(pending) = session.pending() {
        for call in pending.calls() {
            let (result, n) = (pending.result_of(&call.id), number_in(&call.arguments));
            calls.push(CallInSession { call, result, n, is_pending: true, is_since_user: true });
        }
    }
    calls
}

/// The replies of a session since its last user message.
pub(crate) fn replies_since_user(session: &Session) -> usize {
    let since_user = session.messages().rsplit(|message| matches!(message, Message::User(_))).next();
    replies(since_user.unwrap_or_default()).count() + usize::from(session.pending().is_some())
}

/// All replies of a session.
pub(crate) fn all_replies(session: &Session) -> usize {
    replies(session.messages()).count() + usize::from(session.pending().is_some())
}

fn replies(messages: &[Message]) -> impl Iterator<Item = &AssistantMessage> {
    messages.iter().filter_map(|message| match message {
        Message::Assistant(reply) => Some(reply),
        _ => None,
    })
}
