//! The seven errors that are common in real histories.

use crate::{calling, found, read, rejection, text_reply, tool_message, user, written};
use serde_json::json;
use tool_runtime::history::{ViolationKind, validate};
use tool_runtime::message::Message;
use tool_runtime::wire::ChatCompletions;
use tool_runtime_repair::{Repair, possible_violations, repair};

/// The repaired messages, which are valid, and the repairs.
fn repaired(messages: Vec<Message>) -> (Vec<Message>, Vec<Repair>) {
    assert!(rejection(&messages).is_some(), "a strict server rejects them");
    let (messages, repairs) = repair(messages);
    validate(&messages).expect("the messages are valid");
    assert_eq!(rejection(&messages), None);
    (messages, repairs)
}

#[test]
fn tool_calls_dropped_from_the_assistant_message() {
    let lost = |tool_messages: [serde_json::Value; 2]| {
        let [one, two] = tool_messages;
        read(json!([
            {"role": "user", "content": "?"},
            {"role": "assistant", "content": null},
            one, two,
            {"role": "assistant", "content": "!"},
        ]))
    };
    let messages = lost([
        json!({"role": "tool", "tool_call_id": "a", "name": "now", "content": "12:00"}),
        json!({"role": "tool", "tool_call_id": "functions.today:1", "content": "Monday"}),
    ]);
    assert_eq!(
        found(&messages),
        [
            (1, "a".to_owned(), ViolationKind::LostCalls),
            (1, "functions.today:1".to_owned(), ViolationKind::LostCalls)
        ],
    );
    // The tool messages are removed, and the reply stays.
    let (fixed, repairs) = repaired(lost([
        json!({"role": "tool", "tool_call_id": "a", "content": "12:00"}),
        json!({"role": "tool", "tool_call_id": "b", "content": "Monday"}),
    ]));
    assert_eq!(fixed.iter().map(Message::text).collect::<Vec<_>>(), ["?", "", "!"]);
    let report: Vec<String> = repairs.iter().map(ToString::to_string).collect();
    assert_eq!(
        report,
        [
            "messages[1]: the reply was empty: set an empty text",
            "messages[2]: the tool message a had no open call: removed",
            "messages[3]: the tool message b had no open call: removed",
        ],
    );
}

#[test]
fn one_of_three_tool_messages_is_missing() {
    let messages =
        vec![user("?"), calling(&["a", "b", "c"]), tool_message("a"), tool_message("c"), text_reply("!")];
    assert_eq!(found(&messages), [(1, "b".to_owned(), ViolationKind::MissingResult)]);
    let (fixed, repairs) = repaired(messages);
    assert_eq!(fixed[4].text(), "Error: the result of this call was lost");
    assert_eq!(repairs.len(), 1);
    assert_eq!((repairs[0].index(), repairs[0].id()), (1, "b"));
}

#[test]
fn a_mistyped_id() {
    let messages =
        vec![user("?"), calling(&["a", "b"]), tool_message("A"), tool_message("b"), text_reply("!")];
    assert_eq!(
        found(&messages),
        [(1, "a".to_owned(), ViolationKind::MissingResult), (2, "A".to_owned(), ViolationKind::UnknownId)],
    );
    let (fixed, repairs) = repaired(messages);
    assert_eq!(fixed[2].text(), "result of A", "it is kept for the only open call");
    assert_eq!(
        repairs[0].to_string(),
        "messages[2]: the tool message A had no call: set the id of the open call before it, a",
    );
    assert_eq!(repairs.len(), 1);
}

#[test]
fn tool_message_before_its_call() {
    let messages = vec![user("?"), tool_message("a"), calling(&["a"]), text_reply("!")];
    assert_eq!(
        found(&messages),
        [(1, "a".to_owned(), ViolationKind::OrphanResult), (2, "a".to_owned(), ViolationKind::MissingResult)],
    );
    let (fixed, repairs) = repaired(messages);
    assert_eq!(fixed, [user("?"), calling(&["a"]), tool_message("a"), text_reply("!")]);
    assert!(matches!(&*repairs, [Repair::ResultMoved { index: 1, reply: 2, .. }]), "{repairs:?}");
}

#[test]
fn assistant_content_null() {
    let call = json!({"id": "a", "type": "function", "function": {"name": "f", "arguments": "{}"}});
    let tool_message = json!({"role": "tool", "tool_call_id": "a", "content": ""});
    for reply in [
        json!({"role": "assistant", "content": null, "tool_calls": [call]}),
        json!({"role": "assistant", "tool_calls": [call]}),
    ] {
        let messages = read(json!([reply, tool_message]));
        validate(&messages).expect("null content is usual in a reply with calls");
        assert!(written(&messages[0]).starts_with(r#"{"role":"assistant","content":null,"tool_calls""#));
        let (same, repairs) = repair(messages.clone());
        assert_eq!((same, &*repairs), (messages, &[][..]));
    }
    // Without calls, the reply is empty.
    let messages = read(json!([{"role": "user", "content": "?"}, {"role": "assistant", "content": null}]));
    assert_eq!(found(&messages), [(1, String::new(), ViolationKind::EmptyReply)]);
    let (fixed, repairs) = repaired(messages);
    assert_eq!(written(&fixed[1]), r#"{"role":"assistant","content":""}"#);
    assert!(matches!(&*repairs, [Repair::ReplyFilled { index: 1, .. }]));
    let declined = read(json!([{"role": "assistant", "content": null, "refusal": "I cannot."}]));
    validate(&declined).expect("a declined request is not an empty reply");
}

#[test]
fn tool_messages_without_ids() {
    let without = |content| read(json!([{"role": "tool", "content": content}])).remove(0);
    let messages = vec![user("?"), calling(&["a", "b"]), without("1"), without("2"), text_reply("!")];
    let rules: Vec<ViolationKind> = found(&messages).into_iter().map(|(_, _, rule)| rule).collect();
    assert_eq!(
        rules,
        [
            ViolationKind::MissingResult,
            ViolationKind::MissingResult,
            ViolationKind::UnknownId,
            ViolationKind::UnknownId
        ]
    );
    let (fixed, repairs) = repaired(messages);
    let ids: Vec<_> = fixed[2..4]
        .iter()
        .map(|message| match message {
            Message::Tool(tool_message) => (&*tool_message.tool_call_id, tool_message.content.as_str()),
            _ => panic!("expected a tool message"),
        })
        .collect();
    assert_eq!(ids, [("a", "1"), ("b", "2")], "as many tool messages as calls: they are paired in order");
    assert_eq!(repairs[0].to_string(), "messages[2]: the tool message had no id: set the id of its call, a");

    // Fewer tool messages than calls: they cannot be paired.
    let (fixed, repairs) = repaired(vec![user("?"), calling(&["a", "b"]), without("1")]);
    assert!(fixed[2..].iter().all(|message| message.text() == "Error: the result of this call was lost"));
    assert!(repairs.iter().any(|repair| matches!(repair, Repair::ResultDropped { index: 2, .. })));
}

#[test]
fn history_compacted_between_a_call_and_its_tool_message() {
    // The call is part of a summary, its tool message is still there.
    let messages = vec![user("So far: f was called."), tool_message("a"), tool_message("b"), text_reply("!")];
    assert_eq!(
        found(&messages),
        [(1, "a".to_owned(), ViolationKind::OrphanResult), (2, "b".to_owned(), ViolationKind::OrphanResult)],
    );
    let (fixed, repairs) = repaired(messages);
    assert_eq!(fixed, [user("So far: f was called."), text_reply("!")]);
    let Repair::ResultDropped { result: dropped, .. } = &repairs[0] else { panic!("{repairs:?}") };
    assert_eq!(dropped.content, "result of a", "the removed message is in the report");

    // The tool message was removed, its call is still there.
    let messages = vec![calling(&["a"]), user("So far: f was called.")];
    assert_eq!(found(&messages), [(0, "a".to_owned(), ViolationKind::MissingResult)]);
    let (fixed, _) = repaired(messages);
    assert_eq!(fixed[1].text(), "Error: the result of this call was lost");
    assert!(possible_violations(&fixed, &ChatCompletions::new()).is_empty());
}
