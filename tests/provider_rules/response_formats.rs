//! The rules for the schemas of response formats.

use serde_json::{Value, json};
use tool_runtime::wire::{Anthropic, ChatCompletions, Responses, Wire};
use tool_runtime_testing::check_request;

fn error(wire: &dyn Wire, request: &Value) -> Option<String> {
    check_request(wire, request).err().map(|error| error.message)
}

/// The errors of Chat Completions and of Responses for this format.
fn errors(name: &str, strict: bool, schema: &Value) -> [Option<String>; 2] {
    let format = json!({"type": "json_schema", "name": name, "strict": strict, "schema": schema});
    let user = json!([{"role": "user", "content": "?"}]);
    let chat = json!({"messages": user, "response_format": {"type": "json_schema", "json_schema": format}});
    let responses = json!({"input": user, "text": {"format": format}});
    [error(&ChatCompletions::new(), &chat), error(&Responses::new(), &responses)]
}

fn closed() -> Value {
    json!({"type": "object", "properties": {}, "additionalProperties": false})
}

#[test]
fn a_closed_object_is_accepted() {
    assert_eq!(errors("final_answer", true, &closed()), [None, None]);
    assert_eq!(errors("final_answer", false, &json!({"type": "object"})), [None, None]);
}

#[test]
fn an_open_object_is_not_strict() {
    let message = "Invalid schema for response_format 'a': In context=(), 'additionalProperties' is required to be supplied \
                   and to be false.";
    let expected = Some(message.to_owned());
    assert_eq!(errors("a", true, &json!({"type": "object"})), [expected.clone(), expected]);
    let request = |schema: Value| {
        json!({"messages": [{"role": "user", "content": "?"}], "max_tokens": 1,
            "output_config": {"format": {"type": "json_schema", "schema": schema}}})
    };
    assert_eq!(
        error(&Anthropic::new(), &request(json!({"type": "object"}))).as_deref(),
        Some(
            "output_config.format.schema: For 'object' type, 'additionalProperties' must be explicitly set to false"
        )
    );
    assert_eq!(error(&Anthropic::new(), &request(closed())), None);
}

#[test]
fn an_array_is_rejected() {
    let message = "Invalid schema for response_format 'a': schema must be a JSON Schema of 'type: \"object\"', got 'type: \
                   \"array\"'.";
    let expected = Some(message.to_owned());
    assert_eq!(errors("a", true, &json!({"type": "array"})), [expected.clone(), expected]);
}

#[test]
fn a_name_with_spaces_is_rejected() {
    let [chat, responses] = errors("an answer", true, &closed());
    assert!(chat.is_some_and(|error| error.starts_with("Invalid 'response_format.json_schema.name'")));
    assert!(responses.is_some_and(|error| error.starts_with("Invalid 'text.format.name'")));
}
