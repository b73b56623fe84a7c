//! Repairs of histories in which several repairs are possible.

use crate::{calling, found, read, rejection, text_reply, tool_message, user, written};
use serde_json::json;
use tool_runtime::history::{pairs, validate};
use tool_runtime::message::Message;
use tool_runtime::{AssistantMessage, ToolCall, ToolMessage};
use tool_runtime_repair::{Orphans, Repair, repair, repair_with};

fn repaired(messages: Vec<Message>) -> Vec<Message> {
    let (messages, _) = repair(messages);
    validate(&messages).expect("the messages are valid");
    messages
}

#[test]
fn a_tool_message_is_moved_before_later_messages() {
    let messages = vec![
        calling(&["a", "b"]),
        tool_message("b"),
        user("?"),
        text_reply("!"),
        tool_message("a"),
        user("??"),
    ];
    assert_eq!(
        repaired(messages),
        [calling(&["a", "b"]), tool_message("b"), tool_message("a"), user("?"), text_reply("!"), user("??")],
    );
}

#[test]
fn two_consecutive_replies_get_their_own_tool_messages() {
    let messages = vec![calling(&["a"]), calling(&["b"]), tool_message("a"), tool_message("b")];
    assert_eq!(repaired(messages), [calling(&["a"]), tool_message("a"), calling(&["b"]), tool_message("b")]);
}

#[test]
fn a_tool_message_is_paired_with_the_nearest_open_call_of_its_id() {
    let messages = vec![
        calling(&["call_0"]),
        calling(&["call_0"]),
        user("?"),
        tool_message("call_0"),
        tool_message("call_0"),
    ];
    let fixed = repaired(messages);
    assert_eq!(
        fixed,
        [
            calling(&["call_0"]),
            tool_message("call_0"),
            calling(&["call_0"]),
            tool_message("call_0"),
            user("?"),
        ]
    );
}

#[test]
fn a_second_tool_message_is_removed_and_reported() {
    let mut second = tool_message("a");
    if let Message::Tool(second) = &mut second {
        second.content = "later".into();
    }
    let (fixed, repairs) = repair(vec![calling(&["a"]), tool_message("a"), second]);
    assert_eq!(fixed, [calling(&["a"]), tool_message("a")]);
    let Repair::ResultDropped { index: 2, result: tool_message, .. } = &repairs[0] else {
        panic!("{repairs:?}")
    };
    assert_eq!(tool_message.content, "later");
}

#[test]
fn repeated_and_missing_ids_are_replaced_in_calls_and_tool_messages() {
    let (fixed, repairs) = repair(vec![
        calling(&["a", "a", "", ""]),
        tool_message("a"),
        read(json!([{"role": "tool", "tool_call_id": "a", "content": "second"}])).remove(0),
        tool_message(""),
        tool_message(""),
    ]);
    validate(&fixed).expect("the messages are valid");
    let Message::Assistant(reply) = &fixed[0] else { panic!("expected a reply") };
    let ids: Vec<&str> = reply.tool_calls.iter().map(|call| &*call.id).collect();
    assert_eq!(ids[0], "a");
    assert_eq!(
        fixed.iter().map(Message::text).collect::<Vec<_>>(),
        ["", "result of a", "second", "result of ", "result of "]
    );
    let Message::Tool(second) = &fixed[2] else { panic!("expected a tool message") };
    assert_eq!(second.tool_call_id, ids[1]);
    let report: Vec<String> = repairs.iter().map(ToString::to_string).collect();
    assert_eq!(
        report[0],
        format!("messages[0]: two calls had the id a: set the new id {} for a later one", ids[1])
    );
    assert_eq!(report[1], format!("messages[0]: a call had no id: set the new id {}", ids[2]));
    assert_eq!(report.len(), 3);
}

fn named(id: &str, tool: &str, content: &str) -> Message {
    read(json!([{"role": "tool", "tool_call_id": id, "name": tool, "content": content}])).remove(0)
}

fn calls(calls: &[(&str, &str)]) -> Message {
    AssistantMessage::from_tool_calls(calls.iter().map(|(id, tool)| ToolCall::new(*id, *tool, "{}"))).into()
}

#[test]
fn a_result_is_not_paired_with_a_call_after_a_user_message() {
    // Earlier messages were removed, and the server counts from `call_0` in each reply.
    let messages =
        vec![tool_message("call_0"), text_reply("5 degrees."), user("And in Rome?"), calling(&["call_0"])];
    let fixed = repaired(messages);
    assert_eq!(fixed[..3], [text_reply("5 degrees."), user("And in Rome?"), calling(&["call_0"])]);
    assert_eq!(fixed[3].text(), "Error: the result of this call was lost");
}

#[test]
fn a_result_is_not_paired_with_another_tool_or_an_earlier_call_of_its_id() {
    let messages = vec![
        calls(&[("call_0", "get_weather")]),
        user("Delete a."),
        calls(&[("call_0", "delete")]),
        named("call_0", "delete", "a is deleted"),
        tool_message("call_0"),
    ];
    let fixed = repaired(messages);
    assert_eq!(fixed[1].text(), "Error: the result of this call was lost");
    assert_eq!(fixed.len(), 5, "the second tool message is removed");

    let messages = vec![calls(&[("call_0", "f")]), user("?"), text_reply("!"), named("call_0", "g", "1")];
    assert_eq!(repaired(messages)[1].text(), "Error: the result of this call was lost");
}

#[test]
fn tool_messages_with_a_tool_name_are_paired_with_calls_of_that_tool() {
    for id in ["", "x"] {
        let messages = vec![
            calls(&[(id, "a"), (id, "b"), (id, "b")]),
            named(id, "b", "1"),
            named(id, "a", "2"),
            named(id, "b", "3"),
        ];
        let fixed = repaired(messages);
        let expected =
            [("a", "2"), ("b", "1"), ("b", "3")].map(|(tool, text)| (tool.to_owned(), text.to_owned()));
        assert_eq!(named_pairs(&fixed), expected, "{id}");
    }
    let fixed = repaired(vec![calls(&[("1", "a"), ("2", "b")]), named("zz", "b", "of b")]);
    assert_eq!(fixed.len(), 3);
    let (call, result) = pairs(&fixed).find(|(call, _)| call.name == "b").expect("the messages are paired");
    assert_eq!((&*call.id, result.text()), ("2", "of b"));
}

/// The tool and the result of each pair.
fn named_pairs(messages: &[Message]) -> Vec<(String, String)> {
    pairs(messages).map(|(call, result)| (call.name.clone(), result.content.to_string())).collect()
}

#[test]
fn separated_tool_messages_of_one_id_keep_their_order() {
    let calling_twice = calls(&[("call_0", "a"), ("call_0", "b")]);
    let nameless = |content: &str| ToolMessage::new("call_0", content).into();
    let expected = [("a".to_owned(), "first".to_owned()), ("b".to_owned(), "second".to_owned())];
    let late = vec![calling_twice.clone(), user("?"), nameless("first"), nameless("second")];
    assert_eq!(named_pairs(&repaired(late)), expected);
    let early = vec![user("?"), nameless("first"), nameless("second"), calling_twice.clone()];
    assert_eq!(named_pairs(&repaired(early)), expected);
    for between in [vec![], vec![user("?")]] {
        let one_named = vec![nameless("second"), named("call_0", "a", "first")];
        let mut found = named_pairs(&repaired([vec![calling_twice.clone()], between, one_named].concat()));
        found.sort();
        assert_eq!(found, expected, "the one that names its tool is paired first");
    }
    let named_late =
        vec![calling_twice, user("?"), named("call_0", "b", "second"), named("call_0", "a", "first")];
    let mut found = named_pairs(&repaired(named_late));
    found.sort();
    assert_eq!(found, expected);
}

#[test]
fn a_tool_name_selects_the_call_among_calls_of_one_id() {
    let messages = vec![
        user("?"),
        calls(&[("call_0", "a")]),
        user("?"),
        calls(&[("call_0", "b")]),
        user("?"),
        named("call_0", "a", "of a"),
    ];
    let found = named_pairs(&repaired(messages));
    assert_eq!(found[0], ("a".to_owned(), "of a".to_owned()));
    assert_eq!(found[1].1, "Error: the result of this call was lost");

    let messages = vec![calls(&[("x", "a"), ("x", "b")]), named("x", "b", "of b"), named("x", "b", "again")];
    let found = named_pairs(&repaired(messages));
    assert!(found.contains(&("b".to_owned(), "of b".to_owned())));
    assert!(found.contains(&("a".to_owned(), "Error: the result of this call was lost".to_owned())));
}

#[test]
fn a_tool_message_with_the_id_of_another_call_is_not_renamed() {
    let messages = vec![calling(&["b"]), tool_message("b"), calling(&["a"]), tool_message("b")];
    let fixed = repaired(messages);
    assert_eq!(fixed[..3], [calling(&["b"]), tool_message("b"), calling(&["a"])]);
    assert_eq!(fixed[3].text(), "Error: the result of this call was lost");
}

#[test]
fn a_repeated_tool_message_is_removed() {
    let messages = vec![
        calls(&[("call_1", "delete_all")]),
        named("call_1", "delete_all", "all"),
        text_reply("Done."),
        named("call_1", "delete_all", "all"),
        user("?"),
    ];
    let (fixed, repairs) = repair(messages.clone());
    assert_eq!(fixed, [&messages[..3], &messages[4..]].concat());
    assert!(matches!(&*repairs, [Repair::ResultDropped { index: 3, .. }]), "{repairs:?}");
}

#[test]
fn a_tool_message_of_another_tool_is_not_renamed() {
    let (fixed, repairs) = repair(vec![calling(&["a"]), named("x", "g", "1")]);
    assert_eq!(
        fixed.iter().map(Message::text).collect::<Vec<_>>(),
        ["", "Error: the result of this call was lost"]
    );
    assert!(
        matches!(&*repairs, [Repair::ResultAdded { .. }, Repair::ResultDropped { index: 1, .. }]),
        "{repairs:?}"
    );
    let (fixed, _) = repair(vec![calling(&["a"]), named("x", "f", "1")]);
    assert_eq!(fixed[1].text(), "1");
}

#[test]
fn orphans_are_converted_to_user_messages_after_the_exchange() {
    let orphan =
        read(json!([{"role": "tool", "tool_call_id": "x", "content": [{"type": "text", "text": "42"}]}]));
    let messages = vec![
        calling(&["a", "b"]),
        tool_message("a"),
        orphan[0].clone(),
        tool_message("b"),
        user("?"),
        tool_message("y"),
    ];
    let (fixed, repairs) = repair_with(messages, Orphans::ConvertToUser);
    validate(&fixed).expect("the messages are valid");
    assert_eq!(rejection(&fixed), None);
    assert_eq!(fixed[1..3], [tool_message("a"), tool_message("b")]);
    assert_eq!(
        written(&fixed[3]),
        r#"{"role":"user","content":[{"type":"text","text":"The result of a call that is no longer in this conversation:"},{"type":"text","text":"42"}]}"#,
    );
    assert_eq!(fixed[4], user("?"));
    assert_eq!(fixed[5].text(), "The result of a call that is no longer in this conversation:\nresult of y");
    assert!(matches!(&repairs[0], Repair::ResultConvertedToUser { index: 2, id, .. } if id == "x"));
    assert_eq!(
        repairs[0].to_string(),
        "messages[2]: the tool message x had no open call: converted to a user message"
    );
}

#[test]
fn the_text_of_a_reply_with_lost_calls_is_kept() {
    let (fixed, _) = repair(vec![user("?"), text_reply("Let me see."), tool_message("a"), text_reply("!")]);
    assert_eq!(fixed, [user("?"), text_reply("Let me see."), text_reply("!")]);
}

#[test]
fn other_fields_are_kept() {
    let messages = read(json!([
        {"role": "assistant", "content": null, "reasoning_content": "Hm.", "tool_calls": [
            {"id": "a", "type": "function", "function": {"name": "f", "arguments": "{ }"}, "extra_content": {"s": 1}},
        ]},
        {"role": "user", "content": "?", "name": "Ada"},
        {"role": "tool", "tool_call_id": "a", "content": "1", "name": "f"},
    ]));
    let fixed = repaired(messages.clone());
    assert_eq!(fixed, [messages[0].clone(), messages[2].clone(), messages[1].clone()]);
}

#[test]
fn a_long_list_with_many_violations_is_repaired() {
    let ids: Vec<String> = (0..100_000).map(|id| id.to_string()).collect();
    let calls = ids.iter().map(|id| ToolCall::new(&**id, "f", "{}"));
    let mut messages = vec![Message::from(AssistantMessage::from_tool_calls(calls))];
    messages
        .extend(ids.iter().rev().step_by(2).flat_map(|id| [tool_message(id), user("?"), tool_message(id)]));
    assert_eq!(found(&messages).len(), 149_999);
    let (fixed, repairs) = repair(messages);
    validate(&fixed).expect("the messages are valid");
    assert_eq!(fixed.len(), 1 + 100_000 + 50_000);
    assert_eq!(repairs.len(), 49_999 + 50_000 + 50_000);
}
