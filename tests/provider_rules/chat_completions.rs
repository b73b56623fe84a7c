//! The rules of Chat Completions.

use serde_json::{Value, json};
use tool_runtime::wire::ChatCompletions;
use tool_runtime_testing::{RejectedError, check_request};

fn check(request: &Value) -> Result<(), RejectedError> {
    check_request(&ChatCompletions::new(), request)
}

fn user() -> Value {
    json!({"role": "user", "content": "Beijing?"})
}

fn calls(ids: &[&str]) -> Value {
    let calls: Vec<Value> = ids
        .iter()
        .map(|id| json!({"id": id, "type": "function", "function": {"name": "now", "arguments": "{}"}}))
        .collect();
    json!({"role": "assistant", "content": null, "tool_calls": calls})
}

fn tool_message(id: &str) -> Value {
    json!({"role": "tool", "tool_call_id": id, "content": "12:00"})
}

fn rejection(messages: &[Value]) -> String {
    check(&json!({ "messages": messages })).expect_err("the request is invalid").message
}

#[test]
fn a_paired_history_is_accepted() {
    let messages = json!([
        {"role": "system", "content": "x"}, user(),
        calls(&["a", "b"]), tool_message("b"), tool_message("a"),
        calls(&["a"]), tool_message("a"),
        {"role": "assistant", "content": "12:00"}, user(),
    ]);
    assert_eq!(check(&json!({ "messages": messages })), Ok(()));
}

#[test]
fn a_tool_message_without_a_call_is_rejected() {
    let message = "Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'.";
    assert_eq!(rejection(&[user(), tool_message("a")]), message);
    assert_eq!(rejection(&[user(), calls(&["a"]), tool_message("a"), user(), tool_message("a")]), message);
}

#[test]
fn a_call_without_a_tool_message_is_rejected() {
    let message = "An assistant message with 'tool_calls' must be followed by tool messages responding to each \
                 'tool_call_id'. The following tool_call_ids did not have response messages: ";
    assert_eq!(rejection(&[user(), calls(&["a", "b", "c"]), tool_message("b")]), format!("{message}a, c"));
    assert_eq!(rejection(&[user(), calls(&["a"])]), format!("{message}a"));
}

#[test]
fn another_message_between_call_and_tool_message_is_rejected() {
    assert!(
        rejection(&[user(), calls(&["a", "b"]), tool_message("a"), user(), tool_message("b")])
            .ends_with("messages: b")
    );
}

#[test]
fn tool_messages_after_two_replies_with_calls_are_rejected() {
    let messages = [user(), calls(&["a"]), calls(&["b"]), tool_message("a"), tool_message("b")];
    assert!(rejection(&messages).ends_with("messages: a"));
}

#[test]
fn a_tool_message_with_an_unknown_id_is_rejected() {
    assert_eq!(
        rejection(&[user(), calls(&["a"]), tool_message("z")]),
        "Unexpected tool call id z in tool results"
    );
}

#[test]
fn a_second_tool_message_is_rejected() {
    assert_eq!(
        rejection(&[user(), calls(&["a", "b"]), tool_message("a"), tool_message("a"), tool_message("b")]),
        "Duplicate value for 'tool_call_id' of a in message[3]"
    );
}

#[test]
fn two_calls_with_the_same_id_are_rejected() {
    assert_eq!(
        rejection(&[user(), calls(&["a", "a"]), tool_message("a")]),
        "Duplicate tool call id a in assistant message"
    );
}

#[test]
fn a_call_with_an_empty_or_too_long_id_is_rejected() {
    assert!(rejection(&[user(), calls(&[""]), tool_message("")]).contains("empty string"));
    let long = "x".repeat(41);
    assert!(rejection(&[user(), calls(&[&long]), tool_message(&long)]).contains("maximum length 40"));
}

#[test]
fn a_tool_message_without_an_id_is_rejected() {
    let message = "property 'tool_call_id' is missing";
    assert!(rejection(&[user(), calls(&["a"]), tool_message("")]).contains(message));
    assert!(rejection(&[user(), calls(&["a"]), json!({"role": "tool", "content": "x"})]).contains(message));
}

#[test]
fn arguments_that_are_not_an_object_are_rejected() {
    let mut message = calls(&["a"]);
    message["tool_calls"][0]["function"]["arguments"] = json!("{\"city\":");
    assert_eq!(rejection(&[user(), message, tool_message("a")]), "invalid tool call arguments");
}

#[test]
fn a_call_without_a_type_is_rejected() {
    let mut message = calls(&["a"]);
    message["tool_calls"][0]["type"].take();
    assert!(
        rejection(&[user(), message, tool_message("a")])
            .starts_with("Failed to parse messages: Missing tool call type")
    );
}

#[test]
fn an_empty_array_of_calls_is_rejected() {
    assert_eq!(rejection(&[user(), calls(&[])]), "[] is too short - 'messages.1.tool_calls'");
}

#[test]
fn an_empty_assistant_message_is_rejected() {
    let message = json!({"role": "assistant", "content": null});
    assert_eq!(
        rejection(&[user(), message]),
        "Assistant message must contain either 'content' or 'tool_calls'!"
    );
}

#[test]
fn reasoning_in_a_request_is_rejected() {
    let mut message = calls(&["a"]);
    message["reasoning_content"] = json!("Hm.");
    assert_eq!(rejection(&[user(), message, tool_message("a")]), "Extra inputs are not permitted");
}

#[test]
fn a_wire_that_keeps_reasoning_may_send_it() {
    let mut message = calls(&["a"]);
    message["reasoning_content"] = json!("Hm.");
    let request = json!({ "messages": [user(), message, tool_message("a")] });
    assert_eq!(check_request(&ChatCompletions::new().keep_reasoning(true), &request), Ok(()));
}

#[test]
fn an_unknown_field_is_rejected() {
    let mut message = tool_message("a");
    message["is_error"] = json!(true);
    let rejected =
        check(&json!({ "messages": [user(), calls(&["a"]), message] })).expect_err("it is unknown");
    assert_eq!(rejected.message, "Extra inputs are not permitted");
    assert_eq!(rejected.param, "messages.[2].is_error");
}

#[test]
fn a_tool_message_without_content_is_rejected() {
    let message = json!({"role": "tool", "tool_call_id": "a", "content": null});
    assert!(rejection(&[user(), calls(&["a"]), message]).contains("Content blocks are expected"));
}

#[test]
fn a_user_message_without_content_is_rejected() {
    assert!(
        rejection(&[json!({"role": "user", "content": null})]).starts_with("Invalid value for 'content'")
    );
}

#[test]
fn an_unknown_role_is_rejected() {
    assert_eq!(rejection(&[json!({"role": "robot", "content": "x"})]), "Invalid value for 'role'.");
}

#[test]
fn a_request_without_messages_is_rejected() {
    assert_eq!(rejection(&[]), "[] is too short - 'messages'");
}

#[test]
fn an_empty_array_of_tools_is_rejected() {
    let rejection = check(&json!({"messages": [user()], "tools": []})).expect_err("the request is invalid");
    assert!(rejection.message.starts_with("`tools` must not be an empty array."));
}

#[test]
fn a_tool_choice_without_tools_is_rejected() {
    let rejection =
        check(&json!({"messages": [user()], "tool_choice": "auto"})).expect_err("the request is invalid");
    assert!(rejection.message.contains("'tool_choice' is only allowed when 'tools' are specified"));
}

#[test]
fn a_tool_choice_of_an_unknown_tool_is_rejected() {
    let request = |name: &str| {
        json!({
            "messages": [user()],
            "tools": [{"type": "function", "function": {"name": "now"}}],
            "tool_choice": {"type": "function", "function": {"name": name}},
        })
    };
    assert_eq!(check(&request("now")), Ok(()));
    let rejection = check(&request("noon")).expect_err("the request is invalid");
    assert_eq!(
        rejection.message,
        "The tool specified in `tool_choice` does not match any of the specified `tools`"
    );
}
