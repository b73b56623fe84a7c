//! The calls of a history, each with its tool message.

use crate::{calling, text_reply, tool_message, user};
use tool_runtime::history::pairs;
use tool_runtime::message::Message;
use tool_runtime::{AssistantMessage, ToolCall};

/// The index of the tool message of each call, with the name of its tool.
fn found(messages: &[Message]) -> Vec<(&str, usize)> {
    let index = |result| {
        let is_result =
            |message: &Message| matches!(message, Message::Tool(other) if std::ptr::eq(other, result));
        messages.iter().position(is_result).expect("it is in the list")
    };
    pairs(messages).map(|(call, result)| (&*call.name, index(result))).collect()
}

#[test]
fn calls_are_paired_within_their_reply_even_if_ids_repeat() {
    let first = vec![ToolCall::new("call_0", "now", r#"{"zone":"UTC"}"#)];
    let second = vec![ToolCall::new("call_0", "today", "{}"), ToolCall::new("call_1", "now", "{}")];
    let history = [
        user("?"),
        AssistantMessage::from_tool_calls(first).into(),
        tool_message("call_0"),
        AssistantMessage::from_tool_calls(second).into(),
        tool_message("call_1"),
        tool_message("call_0"),
        text_reply("!"),
    ];
    assert_eq!(found(&history), [("now", 2), ("today", 5), ("now", 4)]);
}

#[test]
fn calls_and_tool_messages_without_a_pair_are_left_out() {
    assert_eq!(found(&[]), []);
    assert_eq!(found(&[tool_message("a")]), []);
    assert_eq!(found(&[calling(&["a"])]), []);
    assert_eq!(found(&[calling(&["a"]), tool_message("b")]), []);
    assert_eq!(found(&[calling(&["a"]), user("?"), tool_message("a")]), []);
    assert_eq!(found(&[calling(&["a"]), tool_message("a"), tool_message("a")]).len(), 1);
}
