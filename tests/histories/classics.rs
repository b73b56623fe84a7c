//! The seven ways in which histories are broken in the wild.

use crate::{answer, calling, found, read, refusal, saying, user, written};
use serde_json::json;
use tool_runtime::history::{Repair, ViolationKind, repair, validate, warnings};
use tool_runtime::message::Message;

/// The repaired messages, which are valid, and what was done.
fn repaired(messages: Vec<Message>) -> (Vec<Message>, Vec<Repair>) {
    assert!(refusal(&messages).is_some(), "a strict server refuses them");
    let (messages, repairs) = repair(messages);
    validate(&messages).expect("they are valid");
    assert_eq!(refusal(&messages), None);
    (messages, repairs)
}

#[test]
fn tool_calls_dropped_from_the_assistant_message() {
    let lost = |answers: [serde_json::Value; 2]| {
        let [one, two] = answers;
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
    // The answers name the tools, by a field or by the id: the calls are made anew.
    let (mended, repairs) = repaired(messages);
    assert_eq!(mended.len(), 5);
    assert!(
        repairs.iter().all(|repair| matches!(repair, Repair::CallRebuilt { index: 1, .. })),
        "{repairs:?}"
    );
    let Message::Assistant(reply) = &mended[1] else { panic!("it is the reply") };
    let calls: Vec<_> =
        reply.tool_calls.iter().map(|call| (&*call.id, &*call.name, &*call.arguments)).collect();
    assert_eq!(calls, [("a", "now", "{}"), ("functions.today:1", "today", "{}")]);

    // They do not: what is left is a reply, and no answers to it.
    let (mended, repairs) = repaired(lost([
        json!({"role": "tool", "tool_call_id": "a", "content": "12:00"}),
        json!({"role": "tool", "tool_call_id": "b", "content": "Monday"}),
    ]));
    assert_eq!(mended.iter().map(Message::text).collect::<Vec<_>>(), ["?", "", "!"]);
    let said: Vec<String> = repairs.iter().map(ToString::to_string).collect();
    assert_eq!(
        said,
        [
            "messages[1]: the reply is empty: it gets an empty text",
            "messages[2]: the answer a is for no call that lacks one: it is taken out",
            "messages[3]: the answer b is for no call that lacks one: it is taken out",
        ],
    );
}

#[test]
fn one_of_three_answers_missing() {
    let messages = vec![user("?"), calling(&["a", "b", "c"]), answer("a"), answer("c"), saying("!")];
    assert_eq!(found(&messages), [(1, "b".to_owned(), ViolationKind::MissingAnswer)]);
    let (mended, repairs) = repaired(messages);
    assert_eq!(mended[4].text(), "Error: the result of this call was lost");
    assert_eq!(repairs.len(), 1);
    assert_eq!((repairs[0].index(), repairs[0].id()), (1, "b"));
}

#[test]
fn a_mistyped_id() {
    let messages = vec![user("?"), calling(&["a", "b"]), answer("A"), answer("b"), saying("!")];
    assert_eq!(
        found(&messages),
        [(1, "a".to_owned(), ViolationKind::MissingAnswer), (2, "A".to_owned(), ViolationKind::UnknownId)],
    );
    let (mended, repairs) = repaired(messages);
    assert_eq!(mended[2].text(), "result of A", "it is kept, for the one call that it can be for");
    assert_eq!(
        repairs[0].to_string(),
        "messages[2]: the answer A is for no call: it gets the id of the one beside it, a",
    );
    assert_eq!(repairs.len(), 1);
}

#[test]
fn answer_before_its_call() {
    let messages = vec![user("?"), answer("a"), calling(&["a"]), saying("!")];
    assert_eq!(
        found(&messages),
        [(1, "a".to_owned(), ViolationKind::OrphanAnswer), (2, "a".to_owned(), ViolationKind::MissingAnswer)],
    );
    let (mended, repairs) = repaired(messages);
    assert_eq!(mended, [user("?"), calling(&["a"]), answer("a"), saying("!")]);
    assert!(matches!(&*repairs, [Repair::AnswerMoved { index: 1, reply: 2, .. }]), "{repairs:?}");
}

#[test]
fn assistant_content_null() {
    let call = json!({"id": "a", "type": "function", "function": {"name": "f", "arguments": "{}"}});
    let answer = json!({"role": "tool", "tool_call_id": "a", "content": ""});
    for reply in [
        json!({"role": "assistant", "content": null, "tool_calls": [call]}),
        json!({"role": "assistant", "tool_calls": [call]}),
    ] {
        let messages = read(json!([reply, answer]));
        validate(&messages).expect("null is usual beside calls");
        assert!(written(&messages[0]).starts_with(r#"{"role":"assistant","content":null,"tool_calls""#));
        let (same, repairs) = repair(messages.clone());
        assert_eq!((same, &*repairs), (messages, &[][..]));
    }
    // Without calls, it says nothing at all.
    let messages = read(json!([{"role": "user", "content": "?"}, {"role": "assistant", "content": null}]));
    assert_eq!(found(&messages), [(1, String::new(), ViolationKind::EmptyReply)]);
    let (mended, repairs) = repaired(messages);
    assert_eq!(written(&mended[1]), r#"{"role":"assistant","content":""}"#);
    assert!(matches!(&*repairs, [Repair::ReplyFilled { index: 1, .. }]));
    let refusal = read(json!([{"role": "assistant", "content": null, "refusal": "I cannot."}]));
    validate(&refusal).expect("a refusal is something");
}

#[test]
fn answers_without_ids() {
    let without = |content| read(json!([{"role": "tool", "content": content}])).remove(0);
    let messages = vec![user("?"), calling(&["a", "b"]), without("1"), without("2"), saying("!")];
    let rules: Vec<ViolationKind> = found(&messages).into_iter().map(|(_, _, rule)| rule).collect();
    assert_eq!(
        rules,
        [
            ViolationKind::MissingAnswer,
            ViolationKind::MissingAnswer,
            ViolationKind::UnknownId,
            ViolationKind::UnknownId
        ]
    );
    let (mended, repairs) = repaired(messages);
    let ids: Vec<_> = mended[2..4]
        .iter()
        .map(|message| match message {
            Message::Tool(answer) => (&*answer.tool_call_id, answer.content.as_str()),
            _ => panic!("an answer"),
        })
        .collect();
    assert_eq!(ids, [("a", "1"), ("b", "2")], "as many as calls: they are in order");
    assert_eq!(repairs[0].to_string(), "messages[2]: the answer has no id: it gets that of its call, a");

    // Fewer than calls: nobody knows whose they are.
    let (mended, repairs) = repaired(vec![user("?"), calling(&["a", "b"]), without("1")]);
    assert!(mended[2..].iter().all(|message| message.text() == "Error: the result of this call was lost"));
    assert!(repairs.iter().any(|repair| matches!(repair, Repair::AnswerDropped { index: 2, .. })));
}

#[test]
fn history_compacted_between_a_call_and_its_answer() {
    // The call went into a summary, its answer stayed.
    let messages = vec![user("So far: f was called."), answer("a"), answer("b"), saying("!")];
    assert_eq!(
        found(&messages),
        [(1, "a".to_owned(), ViolationKind::OrphanAnswer), (2, "b".to_owned(), ViolationKind::OrphanAnswer)],
    );
    let (mended, repairs) = repaired(messages);
    assert_eq!(mended, [user("So far: f was called."), saying("!")]);
    let Repair::AnswerDropped { answer: dropped, .. } = &repairs[0] else { panic!("{repairs:?}") };
    assert_eq!(dropped.content, "result of a", "what was taken out is handed back");

    // The answer went, and its call stayed.
    let messages = vec![calling(&["a"]), user("So far: f was called.")];
    assert_eq!(found(&messages), [(0, "a".to_owned(), ViolationKind::MissingAnswer)]);
    let (mended, _) = repaired(messages);
    assert_eq!(mended[1].text(), "Error: the result of this call was lost");
    assert!(warnings(&mended).is_empty());
}
