//! A conversation is always valid for servers.

use crate::{assert_accepted, contents_of, messages_on};
use serde_json::{Value, json};
use tool_runtime::conversation::Received;
use tool_runtime::history::ViolationKind;
use tool_runtime::message::Message;
use tool_runtime::wire::ChatCompletions;
use tool_runtime::{AssistantMessage, Conversation, Registry, ToolCall, ToolMessage, tools};

fn reply(message: Value) -> AssistantMessage {
    serde_json::from_value(message).expect("it is read")
}

fn wire(value: &impl serde::Serialize) -> Value {
    serde_json::to_value(value).expect("it is written")
}

#[test]
fn a_conversation_serializes_as_the_messages_array() {
    let chat = Conversation::new().system("Be brief.").developer("Be kind.").user("Hello!");
    let array = json!([
        {"role": "system", "content": "Be brief."},
        {"role": "developer", "content": "Be kind."},
        {"role": "user", "content": "Hello!"},
    ]);
    assert_eq!(wire(&chat), array);
    assert_eq!(serde_json::from_value::<Conversation>(array).expect("it is valid"), chat);
}

#[test]
fn a_reply_without_calls_returns_the_conversation() {
    let Received::Answer(chat) =
        Conversation::new().user("Hello!").receive(AssistantMessage::from_text("Hi."))
    else {
        panic!("it calls nothing")
    };
    assert_eq!(chat.final_text(), "Hi.");
    assert_eq!(contents_of(&chat.user("And now?")), ["Hello!", "Hi.", "And now?"]);
}

#[test]
fn the_final_text_is_empty_before_the_first_reply() {
    assert_eq!(Conversation::new().user("Hello!").final_text(), "");
}

#[tokio::test]
async fn results_are_in_call_order_even_for_invalid_calls() {
    let registry = Registry::new(tools![crate::schemas::now]).expect("one tool");
    let calls = reply(json!({"role": "assistant", "content": null, "tool_calls": [
        {"id": "a", "function": {"name": "nowhere", "arguments": "{}"}},
        {"id": "", "function": {"name": "now", "arguments": "{"}},
        {"id": "a", "function": {"name": "now", "arguments": ""}},
    ]}));
    let Received::ToolCalls(pending) = Conversation::new().user("What time is it?").receive(calls) else {
        panic!("it calls")
    };
    let chat = pending.dispatch(&registry).await;
    assert_eq!(chat.messages().len(), 5);
    assert!(chat.messages()[2].text().starts_with("Error: there is no tool `nowhere`"));
    assert!(chat.messages()[3].text().starts_with("Error: the arguments of `now` are truncated."));
    assert!(!chat.messages()[4].text().starts_with("Error: "), "{}", chat.messages()[4].text());
    assert_eq!(Conversation::try_from(chat.messages().to_vec()).expect("it is valid"), chat);
    assert_accepted(&chat);
}

#[test]
fn invalid_messages_are_rejected_with_all_violations() {
    let calls = vec![ToolCall::new("a", "now", "{}"), ToolCall::new("b", "now", "{}")];
    let messages: Vec<Message> = vec![
        ToolMessage::new("x", "lost").into(),
        AssistantMessage::from_tool_calls(calls).into(),
        ToolMessage::new("a", "12:00").into(),
        Message::user("Well?"),
    ];
    let rejected = Conversation::try_from(messages.clone()).expect_err("two messages are invalid");
    let found: Vec<_> = rejected
        .violations()
        .iter()
        .map(|violation| (violation.index, &*violation.id, violation.kind))
        .collect();
    assert_eq!(found, [(0, "x", ViolationKind::OrphanResult), (1, "b", ViolationKind::MissingResult)]);
    let error =
        serde_json::from_value::<Conversation>(wire(&messages)).expect_err("the same messages are invalid");
    assert_eq!(error.to_string(), rejected.to_string());
    assert_eq!(
        rejected.to_string(),
        "providers reject these messages: messages[0]: a tool message without tool calls before it (x); \
         messages[1]: a tool call without a tool message (b)",
    );
}

#[test]
fn editing_messages_keeps_the_other_messages() {
    let chat = Conversation::new().system("Monday").user("Hello!").assistant("Hi.");
    let mut changed = chat.clone();
    changed.edit(|messages| messages[0] = Message::system("Tuesday")).expect("it is valid");
    assert_eq!(contents_of(&chat)[0], "Monday");
    assert_eq!(contents_of(&changed), ["Tuesday", "Hello!", "Hi."]);
    let Received::Answer(mut chat) = changed.receive(reply(json!({"content": "!", "reasoning": "Hm."})))
    else {
        panic!("it calls nothing")
    };
    let keeping = ChatCompletions::new().keep_reasoning(true);
    assert_eq!(messages_on(&keeping, chat.messages())[3]["reasoning"], "Hm.");
    let edited = chat.edit(|messages| messages.push(ToolMessage::new("a", "1").into()));
    assert_eq!(edited.expect_err("there is no such call").violations()[0].kind, ViolationKind::LostCalls);
    assert_eq!(chat.messages().len(), 4, "the conversation is unchanged");
}

#[test]
fn half_of_a_surrogate_pair_in_arguments_is_repaired_in_the_next_request() {
    let calls =
        vec![ToolCall::new("a", "now", r#"{"a":"\ud800"}"#), ToolCall::new("b", "now", r#"{"a":"\u00e9"}"#)];
    let Received::ToolCalls(pending) =
        Conversation::new().user("?").receive(AssistantMessage::from_tool_calls(calls))
    else {
        panic!("it calls")
    };
    let chat = wire(&pending.skip_calls("skipped"));
    assert_accepted(&chat);
    assert_eq!(chat[1]["tool_calls"][1]["function"]["arguments"], r#"{"a":"\u00e9"}"#);
}

#[test]
fn a_declined_request_is_an_answer() {
    for declined in [
        json!({"content": null, "refusal": "I cannot."}),
        json!({"content": "", "refusal": "I cannot."}),
        json!({"content": [{"type": "refusal", "refusal": "I cannot."}]}),
    ] {
        let Received::Answer(chat) = Conversation::new().user("Hello!").receive(reply(declined)) else {
            panic!("it calls nothing")
        };
        assert_eq!(chat.final_text(), "I cannot.");
        assert!(chat.warnings().is_empty());
    }
}

#[test]
fn a_clone_changes_independently() {
    let chat = Conversation::new().user("Hello!");
    let other = chat.clone().user("Are you there?");
    assert_eq!((chat.messages().len(), other.messages().len()), (1, 2));
}

#[test]
fn the_wire_decides_whether_reasoning_is_sent_back() {
    let reasoning = reply(json!({"content": "Hi.", "reasoning_content": "Hm.", "annotations": []}));
    let Received::Answer(chat) = Conversation::new().user("Hello!").receive(reasoning) else {
        panic!("it calls nothing")
    };
    let without = json!({"role": "assistant", "content": "Hi."});
    let with = json!({"role": "assistant", "content": "Hi.", "reasoning_content": "Hm."});
    assert_eq!(wire(&chat)[1], without);
    let request = chat.request(&Registry::new(tools![]).expect("no tools"));
    assert_eq!(wire(&request)["messages"][1], without);
    let keeping = ChatCompletions::new().keep_reasoning(true);
    let request = request.wire(keeping);
    assert_eq!(wire(&request.body().expect("it is written"))["messages"][1], with);
    assert_eq!(wire(&request)["messages"][1], with);
}

#[test]
fn an_empty_reply_is_written_with_empty_text() {
    let Received::Answer(chat) = Conversation::new().user("Hello!").receive(reply(json!({"content": null})))
    else {
        panic!("it calls nothing")
    };
    assert_eq!(wire(&chat)[1], json!({"role": "assistant", "content": ""}));
    assert_eq!(chat.final_text(), "");
}

#[tokio::test]
async fn an_invalid_tool_name_is_reported_unchanged_and_written_in_a_valid_form() {
    let registry = Registry::new(tools![crate::schemas::now]).expect("one tool");
    let names = ["functions.now", "now<|channel|>commentary", "", "jetzt bitte", "now"];
    let calls = names.iter().map(|name| ToolCall::new(*name, *name, "{}"));
    let Received::ToolCalls(pending) =
        Conversation::new().user("?").receive(AssistantMessage::from_tool_calls(calls))
    else {
        panic!("it calls")
    };
    assert_eq!(pending.calls()[0].name, "functions.now");
    let chat = pending.dispatch(&registry).await;
    assert!(chat.messages()[2].text().starts_with("Error: there is no tool `functions.now`"));
    let written = wire(&chat);
    let written: Vec<&str> = written[1]["tool_calls"]
        .as_array()
        .expect("there are calls")
        .iter()
        .map(|call| call["function"]["name"].as_str().expect("a name"))
        .collect();
    assert_eq!(&written[..2], ["functions_now", "now__channel__commentary"]);
    assert!(!written[2].is_empty());
    assert_eq!(&written[3..], ["jetzt_bitte", "now"]);
    assert!(tool_runtime_repair::possible_violations(chat.messages(), &ChatCompletions::new()).is_empty());
}

#[test]
fn calls_of_another_type_are_sent_back_unchanged() {
    let call = json!({"id": "call_1", "type": "custom", "custom": {"name": "shell", "input": "ls -l"}});
    let Received::ToolCalls(pending) =
        Conversation::new().user("?").receive(reply(json!({"content": null, "tool_calls": [call]})))
    else {
        panic!("it calls")
    };
    assert_eq!((&*pending.calls()[0].name, &*pending.calls()[0].arguments), ("shell", "ls -l"));
    let chat = pending.skip_calls("there is no shell");
    assert_eq!(wire(&chat)[1]["tool_calls"], json!([call]));
}
