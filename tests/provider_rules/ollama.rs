//! The rules of Ollama's own API.

use serde_json::{Value, json};
use tool_runtime::wire::Ollama;
use tool_runtime_testing::check_request;

fn user() -> Value {
    json!({"role": "user", "content": "What time is it?"})
}

fn calls(calls: &[&Value]) -> Value {
    json!({"role": "assistant", "content": "", "tool_calls": calls})
}

fn call(id: Option<&str>, arguments: &Value) -> Value {
    let mut call = json!({"function": {"name": "now", "arguments": arguments}});
    if let Some(id) = id {
        call["id"] = json!(id);
    }
    call
}

fn result(fields: &Value) -> Value {
    let mut result = json!({"role": "tool", "content": "12:00"});
    for (field, value) in fields.as_object().expect("an object") {
        result[field] = value.clone();
    }
    result
}

fn rejection(messages: &Value) -> String {
    let request = json!({"messages": messages});
    check_request(&Ollama::new(), &request).expect_err("the request is invalid").message
}

#[test]
fn valid_requests_are_accepted() {
    let (named, with_id) = (result(&json!({"tool_name": "now"})), result(&json!({"tool_call_id": "a"})));
    let (a, none) = (call(Some("a"), &json!({})), call(None, &json!({})));
    for messages in [
        json!([user(), calls(&[&a]), with_id, user()]),
        json!([user(), calls(&[&a, &none]), with_id, named]),
        json!([calls(&[&none, &none]), named, named]),
        json!([calls(&[&none]), result(&json!({}))]),
        json!([calls(&[&call(Some(&"long".repeat(20)), &json!({}))]), named]),
        json!([{"role": "user", "content": "?", "images": ["AQID"]}, {"role": "assistant", "thinking": "Hm."}]),
    ] {
        assert_eq!(check_request(&Ollama::new(), &json!({"messages": messages})), Ok(()), "{messages}");
    }
}

#[test]
fn values_of_other_types_are_rejected() {
    let field = "Go struct field ChatRequest.messages";
    for (message, expected) in [
        (
            calls(&[&call(None, &json!("{}"))]),
            format!(
                "json: cannot unmarshal string into {field}.tool_calls.function.arguments of type api.ToolCallFunctionArguments"
            ),
        ),
        (
            json!({"role": "user", "content": [{"type": "text", "text": "?"}]}),
            format!("json: cannot unmarshal array into {field}.content of type string"),
        ),
        (
            json!({"role": "user", "content": "?", "images": [{}]}),
            format!("json: cannot unmarshal object into {field}.images of type []uint8"),
        ),
        (
            json!({"role": "assistant", "content": "", "thinking": true}),
            format!("json: cannot unmarshal bool into {field}.thinking of type string"),
        ),
    ] {
        assert_eq!(rejection(&json!([message])), expected);
    }
    assert_eq!(rejection(&json!([{"role": "judge", "content": "?"}])), "Invalid value for 'role'.");
    assert_eq!(rejection(&json!([])), "[] is too short - 'messages'");
}

#[test]
fn calls_and_results_are_paired() {
    let (a, named) = (call(Some("a"), &json!({})), result(&json!({"tool_name": "now"})));
    assert!(rejection(&json!([calls(&[&a])])).contains("did not have response messages: a"));
    assert!(rejection(&json!([calls(&[&a]), user(), named])).contains("did not have response messages: a"));
    assert!(rejection(&json!([user(), named])).contains("must be a response to a preceeding message"));
    let of_other = result(&json!({"tool_call_id": "b"}));
    assert_eq!(rejection(&json!([calls(&[&a]), of_other])), "Unexpected tool call id b in tool results");
    let with_id = result(&json!({"tool_call_id": "a"}));
    let twice = rejection(&json!([calls(&[&a]), with_id, with_id]));
    assert!(twice.starts_with("Duplicate value for 'tool_call_id' of a"), "{twice}");
    let other_tool = result(&json!({"tool_name": "today"}));
    assert!(rejection(&json!([calls(&[&a]), other_tool])).contains("'tool_call_id' is missing"));
}
