//! From an answer to its call, and back.

use crate::{answer, calling, saying, user};
use tool_runtime::history::{find, find_answer};
use tool_runtime::message::Message;
use tool_runtime::{AssistantMessage, ToolCall};

fn history() -> Vec<Message> {
    let first = vec![ToolCall::new("call_0", "now", r#"{"zone":"UTC"}"#)];
    let second = vec![ToolCall::new("call_0", "today", "{}"), ToolCall::new("call_1", "now", "{}")];
    vec![
        user("?"),
        AssistantMessage::calling(first).into(),
        answer("call_0"),
        AssistantMessage::calling(second).into(),
        answer("call_1"),
        answer("call_0"),
        saying("!"),
    ]
}

#[test]
fn an_answer_leads_to_its_call_with_tool_and_arguments_though_ids_come_again() {
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
fn a_call_leads_to_its_answer_and_back() {
    let history = history();
    for (reply, position, place) in [(1, 0, 2), (3, 0, 5), (3, 1, 4)] {
        let pair = find_answer(&history, reply, position).expect("it is answered");
        assert_eq!(pair.answer_index, place);
        assert_eq!(find(&history, place), Some(pair));
    }
}

#[test]
fn what_is_no_pair_is_not_found() {
    let history = history();
    for place in [0, 1, 3, 6, 7, usize::MAX] {
        assert_eq!(find(&history, place), None, "{place}");
    }
    for (reply, position) in [(0, 0), (1, 1), (2, 0), (6, 0), (9, 0)] {
        assert_eq!(find_answer(&history, reply, position), None, "{reply} {position}");
    }
    assert_eq!(find(&[answer("a")], 0), None);
    assert_eq!(find(&[calling(&["a"]), answer("b")], 1), None);
    assert_eq!(find(&[calling(&["a"]), answer("a"), answer("a")], 2), None);
    assert_eq!(find_answer(&[calling(&["a"])], 0, 0), None);
}
