//! Finding the call of a tool message, and the tool message of a call.

use crate::{calling, text_reply, tool_message, user};
use tool_runtime::history::{find, find_result};
use tool_runtime::message::Message;
use tool_runtime::{AssistantMessage, ToolCall};

fn history() -> Vec<Message> {
    let first = vec![ToolCall::new("call_0", "now", r#"{"zone":"UTC"}"#)];
    let second = vec![ToolCall::new("call_0", "today", "{}"), ToolCall::new("call_1", "now", "{}")];
    vec![
        user("?"),
        AssistantMessage::from_tool_calls(first).into(),
        tool_message("call_0"),
        AssistantMessage::from_tool_calls(second).into(),
        tool_message("call_1"),
        tool_message("call_0"),
        text_reply("!"),
    ]
}

#[test]
fn find_returns_the_call_even_if_ids_repeat() {
    let history = history();
    let found = |place| {
        let pair = find(&history, place)?;
        Some((pair.reply_index, pair.call_position, &*pair.call.name, &*pair.call.arguments))
    };
    assert_eq!(found(2), Some((1, 0, "now", r#"{"zone":"UTC"}"#)));
    assert_eq!(found(4), Some((3, 1, "now", "{}")));
    assert_eq!(found(5), Some((3, 0, "today", "{}")));
}

#[test]
fn find_result_returns_the_tool_message_of_a_call() {
    let history = history();
    for (reply, position, place) in [(1, 0, 2), (3, 0, 5), (3, 1, 4)] {
        let pair = find_result(&history, reply, position).expect("the call has a tool message");
        assert_eq!(pair.result_index, place);
        assert_eq!(find(&history, place), Some(pair));
    }
}

#[test]
fn messages_without_a_pair_are_not_found() {
    let history = history();
    for place in [0, 1, 3, 6, 7, usize::MAX] {
        assert_eq!(find(&history, place), None, "{place}");
    }
    for (reply, position) in [(0, 0), (1, 1), (2, 0), (6, 0), (9, 0)] {
        assert_eq!(find_result(&history, reply, position), None, "{reply} {position}");
    }
    assert_eq!(find(&[tool_message("a")], 0), None);
    assert_eq!(find(&[calling(&["a"]), tool_message("b")], 1), None);
    assert_eq!(find(&[calling(&["a"]), tool_message("a"), tool_message("a")], 2), None);
    assert_eq!(find_result(&[calling(&["a"])], 0, 0), None);
}
