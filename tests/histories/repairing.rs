//! What repair does where there is more than one way.

use crate::{answer, calling, found, read, refusal, saying, user, written};
use serde_json::json;
use tool_runtime::history::{Orphans, Repair, find, repair, repair_with, validate};
use tool_runtime::message::Message;
use tool_runtime::{AssistantMessage, ToolCall, ToolMessage};

fn repaired(messages: Vec<Message>) -> Vec<Message> {
    let (messages, _) = repair(messages);
    validate(&messages).expect("they are valid");
    messages
}

#[test]
fn an_answer_goes_back_over_what_was_said_between() {
    let messages = vec![calling(&["a", "b"]), answer("b"), user("?"), saying("!"), answer("a"), user("??")];
    assert_eq!(
        repaired(messages),
        [calling(&["a", "b"]), answer("b"), answer("a"), user("?"), saying("!"), user("??")],
    );
}

#[test]
fn two_replies_one_behind_the_other_get_their_own_answers() {
    let messages = vec![calling(&["a"]), calling(&["b"]), answer("a"), answer("b")];
    assert_eq!(repaired(messages), [calling(&["a"]), answer("a"), calling(&["b"]), answer("b")]);
}

#[test]
fn an_answer_goes_to_the_nearest_call_of_its_id_that_has_none() {
    let messages =
        vec![calling(&["call_0"]), calling(&["call_0"]), user("?"), answer("call_0"), answer("call_0")];
    let mended = repaired(messages);
    assert_eq!(
        mended,
        [calling(&["call_0"]), answer("call_0"), calling(&["call_0"]), answer("call_0"), user("?"),]
    );
}

#[test]
fn a_second_answer_to_one_call_is_taken_out_and_handed_back() {
    let mut second = answer("a");
    if let Message::Tool(second) = &mut second {
        second.content = "later".into();
    }
    let (mended, repairs) = repair(vec![calling(&["a"]), answer("a"), second]);
    assert_eq!(mended, [calling(&["a"]), answer("a")]);
    let Repair::AnswerDropped { index: 2, answer, .. } = &repairs[0] else { panic!("{repairs:?}") };
    assert_eq!(answer.content, "later");
}

#[test]
fn calls_of_one_id_or_of_none_get_ids_of_their_own_with_their_answers() {
    let (mended, repairs) = repair(vec![
        calling(&["a", "a", "", ""]),
        answer("a"),
        read(json!([{"role": "tool", "tool_call_id": "a", "content": "second"}])).remove(0),
        answer(""),
        answer(""),
    ]);
    validate(&mended).expect("they are valid");
    let Message::Assistant(reply) = &mended[0] else { panic!("it is the reply") };
    let ids: Vec<&str> = reply.tool_calls.iter().map(|call| &*call.id).collect();
    assert_eq!(ids[0], "a");
    assert_eq!(
        mended.iter().map(Message::text).collect::<Vec<_>>(),
        ["", "result of a", "second", "result of ", "result of "]
    );
    let Message::Tool(second) = &mended[2] else { panic!("it is an answer") };
    assert_eq!(second.tool_call_id, ids[1]);
    let said: Vec<String> = repairs.iter().map(ToString::to_string).collect();
    assert_eq!(said[0], format!("messages[0]: two calls have the id a: the second gets its own, {}", ids[1]));
    assert_eq!(said[1], format!("messages[0]: a call has no id: it gets one, {}", ids[2]));
    assert_eq!(said.len(), 3);
}

fn named(id: &str, tool: &str, content: &str) -> Message {
    read(json!([{"role": "tool", "tool_call_id": id, "name": tool, "content": content}])).remove(0)
}

fn calls(calls: &[(&str, &str)]) -> Message {
    AssistantMessage::calling(calls.iter().map(|(id, tool)| ToolCall::new(*id, *tool, "{}")).collect()).into()
}

#[test]
fn a_result_is_not_taken_for_that_of_a_later_question() {
    // What was said before was cut off, and the server counts from `call_0` in each reply.
    let messages = vec![answer("call_0"), saying("5 degrees."), user("And in Rome?"), calling(&["call_0"])];
    let mended = repaired(messages);
    assert_eq!(mended[..3], [saying("5 degrees."), user("And in Rome?"), calling(&["call_0"])]);
    assert_eq!(mended[3].text(), "Error: the result of this call was lost");
}

#[test]
fn a_result_is_not_taken_for_that_of_another_tool_or_of_an_earlier_call_with_the_same_id() {
    let messages = vec![
        calls(&[("call_0", "get_weather")]),
        user("Delete a."),
        calls(&[("call_0", "delete")]),
        named("call_0", "delete", "a is deleted"),
        answer("call_0"),
    ];
    let mended = repaired(messages);
    assert_eq!(mended[1].text(), "Error: the result of this call was lost");
    assert_eq!(mended.len(), 5, "the second answer goes");

    let messages = vec![calls(&[("call_0", "f")]), user("?"), saying("!"), named("call_0", "g", "1")];
    assert_eq!(repaired(messages)[1].text(), "Error: the result of this call was lost");
}

#[test]
fn answers_that_name_their_tools_go_to_calls_of_these() {
    for id in ["", "x"] {
        let messages = vec![
            calls(&[(id, "a"), (id, "b"), (id, "b")]),
            named(id, "b", "1"),
            named(id, "a", "2"),
            named(id, "b", "3"),
        ];
        let mended = repaired(messages);
        let pairs: Vec<_> = (1..4)
            .map(|place| find(&mended, place).map(|pair| (&*pair.call.name, pair.answer.content.as_str())))
            .collect();
        assert_eq!(pairs, [Some(("b", "1")), Some(("a", "2")), Some(("b", "3"))], "{id}");
    }
    let mended = repaired(vec![calls(&[("1", "a"), ("2", "b")]), named("zz", "b", "of b")]);
    assert_eq!(mended.len(), 3);
    let pair = find(&mended, 1).expect("it is paired");
    assert_eq!((&*pair.call.id, pair.answer.content.as_str()), ("2", "of b"));
}

/// The tool and the result of each pair.
fn pairs(messages: &[Message]) -> Vec<(String, String)> {
    let pairs = (0..messages.len()).filter_map(|place| find(messages, place));
    pairs.map(|pair| (pair.call.name.clone(), pair.answer.content.to_string())).collect()
}

#[test]
fn a_lost_call_is_made_anew_though_its_id_was_used_before_by_a_server_that_counts() {
    let messages = vec![
        calls(&[("call_0", "f")]),
        answer("call_0"),
        calls(&[("call_0", "g")]),
        answer("call_0"),
        saying("Once more."),
        named("call_0", "g", "2"),
    ];
    let (mended, repairs) = repair(messages);
    assert!(matches!(&*repairs, [Repair::CallRebuilt { index: 4, .. }]), "{repairs:?}");
    assert_eq!(pairs(&mended)[2], ("g".to_owned(), "2".to_owned()));
}

#[test]
fn answers_that_were_parted_from_calls_of_one_id_keep_their_order() {
    let asking = calls(&[("call_0", "a"), ("call_0", "b")]);
    let nameless = |content: &str| ToolMessage::new("call_0", content).into();
    let expected = [("a".to_owned(), "first".to_owned()), ("b".to_owned(), "second".to_owned())];
    let late = vec![asking.clone(), user("?"), nameless("first"), nameless("second")];
    assert_eq!(pairs(&repaired(late)), expected);
    let early = vec![user("?"), nameless("first"), nameless("second"), asking.clone()];
    assert_eq!(pairs(&repaired(early)), expected);
    for between in [vec![], vec![user("?")]] {
        let one_named = vec![nameless("second"), named("call_0", "a", "first")];
        let mut found = pairs(&repaired([vec![asking.clone()], between, one_named].concat()));
        found.sort();
        assert_eq!(found, expected, "the one that says whose it is goes first");
    }
    let named_late = vec![asking, user("?"), named("call_0", "b", "second"), named("call_0", "a", "first")];
    let mut found = pairs(&repaired(named_late));
    found.sort();
    assert_eq!(found, expected);
}

#[test]
fn an_answer_that_names_its_tool_finds_its_call_among_those_of_one_id() {
    let messages = vec![
        user("?"),
        calls(&[("call_0", "a")]),
        user("?"),
        calls(&[("call_0", "b")]),
        user("?"),
        named("call_0", "a", "of a"),
    ];
    let found = pairs(&repaired(messages));
    assert_eq!(found[0], ("a".to_owned(), "of a".to_owned()));
    assert_eq!(found[1].1, "Error: the result of this call was lost");

    let messages = vec![calls(&[("x", "a"), ("x", "b")]), named("x", "b", "of b"), named("x", "b", "again")];
    let found = pairs(&repaired(messages));
    assert!(found.contains(&("b".to_owned(), "of b".to_owned())));
    assert!(found.contains(&("a".to_owned(), "Error: the result of this call was lost".to_owned())));
}

#[test]
fn an_answer_with_the_id_of_another_call_is_not_taken_for_a_mistyped_one() {
    let messages = vec![calling(&["b"]), answer("b"), calling(&["a"]), answer("b")];
    let mended = repaired(messages);
    assert_eq!(mended[..3], [calling(&["b"]), answer("b"), calling(&["a"])]);
    assert_eq!(mended[3].text(), "Error: the result of this call was lost");
}

#[test]
fn a_second_answer_that_stands_elsewhere_is_no_call_that_was_lost() {
    let messages = vec![
        calls(&[("call_1", "delete_all")]),
        named("call_1", "delete_all", "all"),
        saying("Done."),
        named("call_1", "delete_all", "all"),
        user("?"),
    ];
    let (mended, repairs) = repair(messages.clone());
    assert_eq!(mended, [&messages[..3], &messages[4..]].concat());
    assert!(matches!(&*repairs, [Repair::AnswerDropped { index: 3, .. }]), "{repairs:?}");
}

#[test]
fn an_answer_that_names_another_tool_is_not_taken_for_that_of_the_call_beside_it() {
    let (mended, repairs) = repair(vec![calling(&["a"]), named("x", "g", "1")]);
    let Message::Assistant(reply) = &mended[0] else { panic!("it is the reply") };
    let calls: Vec<_> = reply.tool_calls.iter().map(|call| (&*call.id, &*call.name)).collect();
    assert_eq!(calls, [("a", "f"), ("x", "g")], "its own call was lost");
    assert_eq!(mended.len(), 3);
    assert!(matches!(&*repairs, [Repair::AnswerMade { .. } | Repair::CallRebuilt { .. }, _]), "{repairs:?}");
    let (mended, _) = repair(vec![calling(&["a"]), named("x", "f", "1")]);
    assert_eq!(mended[1].text(), "1");
}

#[test]
fn a_call_that_was_lost_from_among_others_is_made_anew() {
    let messages = read(json!([
        {"role": "assistant", "content": null, "tool_calls": [
            {"id": "a", "type": "function", "function": {"name": "f", "arguments": "{\"x\":1}"}},
        ]},
        {"role": "tool", "tool_call_id": "a", "content": "1"},
        {"role": "tool", "tool_call_id": "b", "tool_name": "g", "content": "2"},
    ]));
    let mended = repaired(messages.clone());
    assert_eq!(mended[1..], messages[1..]);
    let Message::Assistant(reply) = &mended[0] else { panic!("it is the reply") };
    assert_eq!(reply.tool_calls, [ToolCall::new("a", "f", "{\"x\":1}"), ToolCall::new("b", "g", "{}")]);
}

#[test]
fn two_answers_to_one_lost_call_make_it_anew_once() {
    let named = |content: &str| json!({"role": "tool", "tool_call_id": "a", "name": "f", "content": content});
    let (mended, repairs) = repair(read(json!([
        {"role": "assistant", "content": null}, named("first"), named("second"),
    ])));
    assert_eq!(mended.iter().map(Message::text).collect::<Vec<_>>(), ["", "first"]);
    assert!(
        matches!(&*repairs, [Repair::CallRebuilt { .. }, Repair::AnswerDropped { index: 2, .. }]),
        "{repairs:?}"
    );
}

#[test]
fn orphans_become_user_text_on_request_behind_the_answers_among_which_they_stood() {
    let orphan =
        read(json!([{"role": "tool", "tool_call_id": "x", "content": [{"type": "text", "text": "42"}]}]));
    let messages =
        vec![calling(&["a", "b"]), answer("a"), orphan[0].clone(), answer("b"), user("?"), answer("y")];
    let (mended, repairs) = repair_with(messages, Orphans::ConvertToUser);
    validate(&mended).expect("they are valid");
    assert_eq!(refusal(&mended), None);
    assert_eq!(mended[1..3], [answer("a"), answer("b")]);
    assert_eq!(
        written(&mended[3]),
        r#"{"role":"user","content":[{"text":"The result of a call that is no longer in this conversation:","type":"text"},{"text":"42","type":"text"}]}"#,
    );
    assert_eq!(mended[4], user("?"));
    assert_eq!(mended[5].text(), "The result of a call that is no longer in this conversation:\nresult of y");
    assert!(matches!(&repairs[0], Repair::AnswerIntoUserText { index: 2, id, .. } if id == "x"));
    assert_eq!(
        repairs[0].to_string(),
        "messages[2]: the answer x is for no call that lacks one: it becomes a user message"
    );
}

#[test]
fn what_a_reply_says_beside_its_lost_calls_stays() {
    let (mended, _) = repair(vec![user("?"), saying("Let me see."), answer("a"), saying("!")]);
    assert_eq!(mended, [user("?"), saying("Let me see."), saying("!")]);
}

#[test]
fn fields_of_the_wire_survive() {
    let messages = read(json!([
        {"role": "assistant", "content": null, "reasoning_content": "Hm.", "tool_calls": [
            {"id": "a", "type": "function", "function": {"name": "f", "arguments": "{ }"}, "extra_content": {"s": 1}},
        ]},
        {"role": "user", "content": "?", "name": "Ada"},
        {"role": "tool", "tool_call_id": "a", "content": "1", "name": "f"},
    ]));
    let mended = repaired(messages.clone());
    assert_eq!(mended, [messages[0].clone(), messages[2].clone(), messages[1].clone()]);
}

#[test]
fn a_very_long_and_very_broken_list_is_repaired() {
    let ids: Vec<String> = (0..100_000).map(|id| id.to_string()).collect();
    let calls = ids.iter().map(|id| ToolCall::new(&**id, "f", "{}")).collect();
    let mut messages = vec![Message::from(AssistantMessage::calling(calls))];
    messages.extend(ids.iter().rev().step_by(2).flat_map(|id| [answer(id), user("?"), answer(id)]));
    assert_eq!(found(&messages).len(), 149_999);
    let (mended, repairs) = repair(messages);
    validate(&mended).expect("they are valid");
    assert_eq!(mended.len(), 1 + 100_000 + 50_000);
    assert_eq!(repairs.len(), 49_999 + 50_000 + 50_000);
}
