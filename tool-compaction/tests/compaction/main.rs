//! Sessions that become too long, as a program and a model see them.

mod provider_items;
mod random_sessions;
mod removed_messages;
mod results;
mod runs;

use tool_runtime::history::Trimmed;
use tool_runtime::message::Message;
use tool_runtime::session::{Compact, CompactReason};
use tool_runtime::{AssistantMessage, Session, ToolCall, ToolMessage};
use tool_runtime_compaction::Compaction;

/// The bytes of the text of a message, and 1.
fn bytes(message: &Message) -> usize {
    message.text().len() + 1
}

fn session(messages: Vec<Message>) -> Session {
    let mut session = Session::new();
    session.edit(|old| *old = messages).expect("the messages are valid");
    session
}

/// A reply with one call of the tool `look`, and its result.
fn step(id: &str, result: impl Into<tool_runtime::message::Content>) -> [Message; 2] {
    let reply = AssistantMessage::from_tool_calls([ToolCall::new(id, "look", "{}")]);
    [reply.into(), ToolMessage::new(id, result).into()]
}

/// The notice in a result that is stored with this handle.
fn notice(handle: &str) -> String {
    format!(
        "[... 9 bytes left out, lines 1 to 2 of 3,000: read_result with handle \"{handle}\" reads or searches them ...]"
    )
}

async fn compact(compaction: &mut Compaction<'_>, session: &mut Session) -> Option<Trimmed> {
    let compacted = compaction.compact(session, CompactReason::BeforeRequest).await;
    compacted.expect("the summary has no error")
}

/// Compacts a session that is too long.
async fn shorten(compaction: &mut Compaction<'_>, session: &mut Session) {
    assert!(compact(compaction, session).await.is_some());
}

fn texts(session: &Session) -> Vec<&str> {
    session.messages().iter().map(Message::text).collect()
}
