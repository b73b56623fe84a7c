//! The rules that the scripted model and the stub server hold requests to: one broken request for each.

use examples::provider_rules::check;
use serde_json::{Value, json};

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

fn answer(id: &str) -> Value {
    json!({"role": "tool", "tool_call_id": id, "content": "12:00"})
}

fn refusal(messages: &[Value]) -> String {
    check(&json!({ "messages": messages })).expect_err("a rule is broken").message
}

#[test]
fn a_paired_history_is_taken() {
    let messages = json!([
        {"role": "system", "content": "x"}, user(),
        calls(&["a", "b"]), answer("b"), answer("a"),
        calls(&["a"]), answer("a"),
        {"role": "assistant", "content": "12:00"}, user(),
    ]);
    assert_eq!(check(&json!({ "messages": messages })), Ok(()));
}

#[test]
fn an_answer_without_a_call_is_refused() {
    let words = "Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'.";
    assert_eq!(refusal(&[user(), answer("a")]), words);
    assert_eq!(refusal(&[user(), calls(&["a"]), answer("a"), user(), answer("a")]), words);
}

#[test]
fn a_call_without_an_answer_is_refused() {
    let words = "An assistant message with 'tool_calls' must be followed by tool messages responding to each \
                 'tool_call_id'. The following tool_call_ids did not have response messages: ";
    assert_eq!(refusal(&[user(), calls(&["a", "b", "c"]), answer("b")]), format!("{words}a, c"));
    assert_eq!(refusal(&[user(), calls(&["a"])]), format!("{words}a"));
}

#[test]
fn another_message_between_call_and_answer_is_refused() {
    assert!(
        refusal(&[user(), calls(&["a", "b"]), answer("a"), user(), answer("b")]).ends_with("messages: b")
    );
}

#[test]
fn calls_of_two_messages_answered_together_are_refused() {
    let messages = [user(), calls(&["a"]), calls(&["b"]), answer("a"), answer("b")];
    assert!(refusal(&messages).ends_with("messages: a"));
}

#[test]
fn an_answer_of_an_unknown_id_is_refused() {
    assert_eq!(refusal(&[user(), calls(&["a"]), answer("z")]), "Unexpected tool call id z in tool results");
}

#[test]
fn a_second_answer_is_refused() {
    assert_eq!(
        refusal(&[user(), calls(&["a", "b"]), answer("a"), answer("a"), answer("b")]),
        "Duplicate value for 'tool_call_id' of a in message[3]"
    );
}

#[test]
fn two_calls_of_one_id_are_refused() {
    assert_eq!(
        refusal(&[user(), calls(&["a", "a"]), answer("a")]),
        "Duplicate tool call id a in assistant message"
    );
}

#[test]
fn a_call_with_an_empty_or_too_long_id_is_refused() {
    assert!(refusal(&[user(), calls(&[""]), answer("")]).contains("empty string"));
    let long = "x".repeat(41);
    assert!(refusal(&[user(), calls(&[&long]), answer(&long)]).contains("maximum length 40"));
}

#[test]
fn an_answer_without_an_id_is_refused() {
    let words = "property 'tool_call_id' is missing";
    assert!(refusal(&[user(), calls(&["a"]), answer("")]).contains(words));
    assert!(refusal(&[user(), calls(&["a"]), json!({"role": "tool", "content": "x"})]).contains(words));
}

#[test]
fn arguments_that_are_no_object_are_refused() {
    let mut message = calls(&["a"]);
    message["tool_calls"][0]["function"]["arguments"] = json!("{\"city\":");
    assert_eq!(refusal(&[user(), message, answer("a")]), "invalid tool call arguments");
}

#[test]
fn a_call_without_a_type_is_refused() {
    let mut message = calls(&["a"]);
    message["tool_calls"][0]["type"].take();
    assert!(
        refusal(&[user(), message, answer("a")])
            .starts_with("Failed to parse messages: Missing tool call type")
    );
}

#[test]
fn an_empty_list_of_calls_is_refused() {
    assert_eq!(refusal(&[user(), calls(&[])]), "[] is too short - 'messages.1.tool_calls'");
}

#[test]
fn an_assistant_message_of_nothing_is_refused() {
    let message = json!({"role": "assistant", "content": null});
    assert_eq!(
        refusal(&[user(), message]),
        "Assistant message must contain either 'content' or 'tool_calls'!"
    );
}

#[test]
fn reasoning_that_comes_back_is_refused() {
    let mut message = calls(&["a"]);
    message["reasoning_content"] = json!("Hm.");
    assert_eq!(refusal(&[user(), message, answer("a")]), "Extra inputs are not permitted");
}

#[test]
fn an_answer_without_content_is_refused() {
    let message = json!({"role": "tool", "tool_call_id": "a", "content": null});
    assert!(refusal(&[user(), calls(&["a"]), message]).contains("Content blocks are expected"));
}

#[test]
fn a_prompt_without_content_is_refused() {
    assert!(refusal(&[json!({"role": "user", "content": null})]).starts_with("Invalid value for 'content'"));
}

#[test]
fn an_unknown_role_is_refused() {
    assert_eq!(refusal(&[json!({"role": "robot", "content": "x"})]), "Invalid value for 'role'.");
}

#[test]
fn a_request_without_messages_is_refused() {
    assert_eq!(refusal(&[]), "[] is too short - 'messages'");
}

#[test]
fn an_empty_list_of_tools_is_refused() {
    let refusal = check(&json!({"messages": [user()], "tools": []})).expect_err("a rule is broken");
    assert!(refusal.message.starts_with("`tools` must not be an empty array."));
}

#[test]
fn a_tool_choice_without_tools_is_refused() {
    let refusal = check(&json!({"messages": [user()], "tool_choice": "auto"})).expect_err("a rule is broken");
    assert!(refusal.message.contains("'tool_choice' is only allowed when 'tools' are specified"));
}

#[test]
fn a_tool_choice_that_names_no_tool_of_the_request_is_refused() {
    let request = |name: &str| {
        json!({
            "messages": [user()],
            "tools": [{"type": "function", "function": {"name": "now"}}],
            "tool_choice": {"type": "function", "function": {"name": name}},
        })
    };
    assert_eq!(check(&request("now")), Ok(()));
    let refusal = check(&request("noon")).expect_err("a rule is broken");
    assert_eq!(
        refusal.message,
        "The tool specified in `tool_choice` does not match any of the specified `tools`"
    );
}
