//! Each kind of violation, with its index and the error message of a provider.

use crate::{calling, found, read, rejection, text_reply, tool_message, user, violations, written};
use serde_json::json;
use tool_runtime::history::{Violation, ViolationKind, validate};
use tool_runtime::message::Message;
use tool_runtime::wire::{
    Anthropic, Bedrock, ChatCompletions, Gemini, GeminiInteractions, Ollama, RequestParts, Responses, Wire,
};
use tool_runtime::{AssistantMessage, ToolCall};
use tool_runtime_repair::{possible_violations, quoted_error, rejected_by};
use tool_runtime_testing::check_request;

/// The name of the provider, and its error message.
fn quoted(violation: &Violation, wire: &dyn Wire) -> String {
    let quoted = quoted_error(violation, wire).expect("a provider rejects it");
    format!("{}: {}", quoted.by, quoted.text)
}

/// The text with `N` in place of the indices of messages.
fn without_indices(text: &str) -> String {
    let mut parts = text.split("messages.");
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |text, part| {
        text + "messages.N" + part.trim_start_matches(|letter: char| letter.is_ascii_digit())
    })
}

#[test]
fn each_violation_has_its_index_its_id_and_the_message_of_a_provider() {
    for (messages, index, id, rule, provider_message) in [
        (
            vec![user("?"), tool_message("a")],
            1,
            "a",
            ViolationKind::OrphanResult,
            "OpenAI: Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'.",
        ),
        (
            vec![user("?"), calling(&["a"])],
            1,
            "a",
            ViolationKind::MissingResult,
            "OpenAI: An assistant message with 'tool_calls' must be followed by tool messages responding to each \
             'tool_call_id'. The following tool_call_ids did not have response messages: a",
        ),
        (
            vec![calling(&["a"]), tool_message("a"), tool_message("b")],
            2,
            "b",
            ViolationKind::UnknownId,
            "Mistral: Unexpected tool call id b in tool results",
        ),
        (
            vec![calling(&["a"]), tool_message("a"), tool_message("")],
            2,
            "",
            ViolationKind::UnknownId,
            "Groq: 'messages.2' : for 'role:tool' the following must be satisfied[('messages.2.tool_call_id' : property \
             'tool_call_id' is missing)]",
        ),
        (
            vec![calling(&["a"]), tool_message("a"), tool_message("a")],
            2,
            "a",
            ViolationKind::DuplicateResult,
            "Mistral: Duplicate tool call id a in tool results",
        ),
        (
            vec![calling(&["a", "a"]), tool_message("a"), tool_message("a")],
            0,
            "a",
            ViolationKind::DuplicateCallId,
            "Mistral: Duplicate tool call id a in assistant message",
        ),
        (
            vec![calling(&[""]), tool_message("")],
            0,
            "",
            ViolationKind::MissingCallId,
            "Kimi: Invalid request: tool_call_id  is not found",
        ),
        (
            vec![calling(&["a", "b"]), tool_message("a"), user("?"), tool_message("b")],
            2,
            "b",
            ViolationKind::MessageBetween,
            "OpenAI: An assistant message with 'tool_calls' must be followed by tool messages responding to each \
             'tool_call_id'. The following tool_call_ids did not have response messages: b",
        ),
        (
            vec![user("?"), text_reply("Let me see."), tool_message("a")],
            1,
            "a",
            ViolationKind::LostCalls,
            "OpenAI: Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'.",
        ),
        (
            vec![user("?"), AssistantMessage::default().into()],
            1,
            "",
            ViolationKind::EmptyReply,
            "llama.cpp: Assistant message must contain either 'content' or 'tool_calls'!",
        ),
    ] {
        assert_eq!(found(&messages), [(index, id.to_owned(), rule)]);
        let violation = &violations(&messages)[0];
        assert_eq!(quoted(violation, &ChatCompletions::new()), provider_message);
        assert!(violation.to_string().starts_with(&format!("messages[{index}]: {rule}")), "{violation}");
        assert!(rejection(&messages).is_some(), "{rule:?}: a strict server rejects it too");
        let provider = provider_message.split_once(':').expect("a provider").0;
        assert!(rejected_by(rule).contains(&provider), "{rule:?}");
    }
}

#[test]
fn the_error_messages_of_each_wire_are_those_by_which_its_provider_rejects_the_request() {
    let wires: [(&str, &dyn Wire); 4] = [
        ("Anthropic", &Anthropic::new()),
        ("OpenAI", &Responses::new()),
        ("Gemini", &Gemini::new()),
        ("Bedrock", &Bedrock::new()),
    ];
    for (provider, wire) in wires {
        for messages in [
            vec![user("?"), tool_message("a")],
            vec![user("?"), calling(&["a"])],
            vec![user("?"), calling(&["a"]), tool_message("a"), tool_message("b")],
            vec![user("?"), calling(&["a"]), tool_message("a"), tool_message("a")],
            vec![user("?"), text_reply("Let me see."), tool_message("a")],
        ] {
            let error = validate(&messages).expect_err("they are invalid");
            let [found] = error.violations() else { panic!("not one violation: {error}") };
            let quoted = quoted_error(found, wire).expect("a provider rejects it");
            assert_eq!(quoted.by, provider);
            let body = wire.write(&RequestParts::new(&messages)).expect("invalid messages are written");
            let rejected = check_request(wire, &json!(body)).expect_err("it is rejected").message;
            // The messages of a request of Bedrock have other indices.
            let rejected = if provider == "Bedrock" { without_indices(&rejected) } else { rejected };
            assert!(rejected.ends_with(&quoted.text), "{rejected}\n{}", quoted.text);
        }
    }
}

#[test]
fn a_violation_without_an_error_of_the_wire_quotes_a_provider_of_chat_completions() {
    let messages = [user("?"), calling(&["a", "a"]), tool_message("a")];
    let error = validate(&messages).expect_err("two calls have one id");
    let repeated = |found: &&Violation| found.kind == ViolationKind::DuplicateCallId;
    let found = error.violations().iter().find(repeated).expect("it is found");
    assert_eq!(quoted(found, &Anthropic::new()), "Anthropic: `tool_use` ids must be unique");
    let of_mistral = "Mistral: Duplicate tool call id a in assistant message";
    let without: [&dyn Wire; 4] =
        [&Gemini::new(), &GeminiInteractions::new(), &Bedrock::new(), &Ollama::new()];
    for wire in without {
        assert_eq!(quoted(found, wire), of_mistral, "{wire:?}");
    }
}

#[test]
fn warnings_quote_the_provider_of_the_wire() {
    let id = "a".repeat(65);
    let messages = [calling(&[&id]), tool_message(&id), calling(&[&id]), tool_message(&id)];
    let warnings = |wire: &dyn Wire| -> Vec<String> {
        let found = possible_violations(&messages, wire);
        found.iter().map(|found| quoted(found, wire)).collect()
    };
    assert_eq!(warnings(&Anthropic::new()), ["Anthropic: `tool_use` ids must be unique"]);
    let long = "OpenAI: string too long. Expected a string with maximum length 64, but got a string with length 65 instead.";
    let repeated = format!("OpenAI: Duplicate item found with call_id {id}.");
    assert_eq!(warnings(&Responses::new()), [long, long, &repeated]);
    let long = format!(
        "Bedrock: 1 validation error detected: Value '{id}' at 'messages.N.member.content.N.member.toolUse.toolUseId' failed to \
         satisfy constraint: Member must have length less than or equal to 64"
    );
    assert_eq!(warnings(&Bedrock::new())[..2], [&*long, &long]);
}

#[test]
fn tool_messages_in_another_order_are_valid() {
    let messages = [
        user("?"),
        calling(&["a", "b", "c"]),
        tool_message("c"),
        tool_message("a"),
        tool_message("b"),
        text_reply("!"),
    ];
    validate(&messages).expect("the messages are valid");
}

#[test]
fn an_id_may_repeat_in_a_later_reply() {
    let messages =
        [calling(&["call_0"]), tool_message("call_0"), calling(&["call_0"]), tool_message("call_0")];
    validate(&messages).expect("the messages are valid");
    let found = possible_violations(&messages, &ChatCompletions::new());
    assert_eq!((found.len(), found[0].index, found[0].kind), (1, 2, ViolationKind::RepeatedId));
    assert_eq!(rejected_by(found[0].kind), ["Anthropic", "DeepSeek"]);
}

#[test]
fn a_reply_between_a_call_and_its_tool_message_is_a_violation() {
    let messages = [calling(&["a"]), calling(&["b"]), tool_message("a"), tool_message("b")];
    assert_eq!(found(&messages), [(1, "a".to_owned(), ViolationKind::MessageBetween)]);
}

#[test]
fn a_second_tool_message_does_not_belong_to_an_earlier_call() {
    let messages = [
        calling(&["call_0"]),
        user("?"),
        calling(&["call_0"]),
        tool_message("call_0"),
        tool_message("call_0"),
    ];
    let id = "call_0".to_owned();
    assert_eq!(
        found(&messages),
        [(0, id.clone(), ViolationKind::MissingResult), (4, id, ViolationKind::DuplicateResult)]
    );
}

#[test]
fn violations_are_ordered_by_index() {
    let messages = [
        tool_message("x"),
        calling(&["a", "b", "c"]),
        tool_message("a"),
        tool_message("a"),
        user("?"),
        tool_message("b"),
        AssistantMessage::default().into(),
    ];
    let found = found(&messages);
    let expected = [
        (0, "x", ViolationKind::OrphanResult),
        (1, "c", ViolationKind::MissingResult),
        (3, "a", ViolationKind::DuplicateResult),
        (4, "b", ViolationKind::MessageBetween),
        (6, "", ViolationKind::EmptyReply),
    ];
    assert_eq!(found, expected.map(|(index, id, rule)| (index, id.to_owned(), rule)));
}

#[test]
fn violations_of_one_reply_are_in_call_order() {
    let ids = ["d", "aa", "ccc", "bbbb", "e"];
    let expected: Vec<_> = ids.iter().map(|id| (0, (*id).to_owned(), ViolationKind::MissingResult)).collect();
    assert_eq!(found(&[calling(&ids)]), expected);
}

#[test]
fn an_empty_history_and_one_that_begins_with_calls_are_valid() {
    validate(&[]).expect("an empty history is valid");
    validate(&[calling(&["a"]), tool_message("a")]).expect("servers accept it");
}

#[test]
fn messages_that_some_servers_reject_are_warnings_with_their_names() {
    let long = "x".repeat(41);
    let messages = [calling(&["a", &long]), tool_message("a"), tool_message(&long)];
    validate(&messages).expect("calls and tool messages are paired");
    let found = possible_violations(&messages, &ChatCompletions::new());
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!((found[0].index, &*found[0].id, found[0].kind), (0, &*long, ViolationKind::LongId));
    assert_eq!(rejected_by(ViolationKind::LongId), ["OpenAI", "Azure"]);
    assert_eq!(
        quoted(&found[0], &ChatCompletions::new()),
        "OpenAI: Invalid 'messages[0].tool_calls[1].id': string too long. Expected a string with maximum length 40, but got a \
         string with length 41"
    );
}

#[test]
fn names_and_arguments_are_written_in_a_form_that_all_servers_accept() {
    let calls =
        [("a", "f", "{\"cut"), ("b", "f", "null"), ("c", "f", "[]"), ("d", "f.g", "{}"), ("e", "f", " {} ")];
    let expected = [
        ("f", r#"{"invalid_json":"{\"cut"}"#),
        ("f", "{}"),
        ("f", r#"{"invalid_json":"[]"}"#),
        ("f_g", "{}"),
        ("f", " {} "),
    ];
    let constructed = calls.map(|(id, name, arguments)| ToolCall::new(id, name, arguments));
    let of_a_history = calls.map(|(id, name, arguments)| {
        json!({ "id": id, "type": "function", "function": { "name": name, "arguments": arguments } })
    });
    for reply in [
        Message::from(AssistantMessage::from_tool_calls(constructed)),
        read(json!([{ "role": "assistant", "content": null, "tool_calls": of_a_history }])).remove(0),
    ] {
        let mut messages = vec![reply];
        messages.extend(calls.map(|(id, ..)| tool_message(id)));
        assert!(possible_violations(&messages, &ChatCompletions::new()).is_empty());
        assert_eq!(rejection(&messages), None);
        let written: serde_json::Value =
            serde_json::from_str(&written(&messages[0])).expect("a message is JSON");
        for (index, (name, arguments)) in expected.into_iter().enumerate() {
            let function = &written["tool_calls"][index]["function"];
            assert_eq!(*function, json!({ "name": name, "arguments": arguments }));
        }
    }
}

#[test]
fn every_kind_of_violation_has_a_unique_name() {
    let rules = [
        ViolationKind::OrphanResult,
        ViolationKind::MissingResult,
        ViolationKind::UnknownId,
        ViolationKind::DuplicateResult,
        ViolationKind::DuplicateCallId,
        ViolationKind::MissingCallId,
        ViolationKind::MessageBetween,
        ViolationKind::LostCalls,
        ViolationKind::EmptyReply,
        ViolationKind::LongId,
        ViolationKind::RepeatedId,
    ];
    let names: std::collections::HashSet<&str> = rules.iter().map(|rule| rule.name()).collect();
    assert_eq!(names.len(), rules.len());
    assert!(rules.iter().all(|rule| !rejected_by(*rule).is_empty()));
}

#[test]
fn parts_and_other_fields_are_valid() {
    let messages = read(json!([
        {"role": "assistant", "content": [{"type": "text", "text": "Hm."}], "prefix": false, "tool_calls": [
            {"index": 0, "id": "a", "type": "function", "function": {"name": "f", "arguments": {"x": 1}}},
        ]},
        {"role": "tool", "tool_call_id": "a", "content": [{"type": "text", "text": "1"}]},
    ]));
    validate(&messages).expect("the messages are valid");
    assert!(possible_violations(&messages, &ChatCompletions::new()).is_empty());
}
