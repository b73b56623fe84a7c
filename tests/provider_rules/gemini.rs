//! The rules of the Gemini API.

use serde_json::{Value, json};
use tool_runtime::wire::Gemini;
use tool_runtime_testing::check_request;

fn user() -> Value {
    json!({"role": "user", "parts": [{"text": "Beijing?"}]})
}

fn calls(names: &[&str]) -> Value {
    let calls: Vec<Value> =
        names.iter().map(|name| json!({"functionCall": {"name": name, "args": {}}})).collect();
    json!({"role": "model", "parts": calls})
}

fn results(names: &[&str]) -> Value {
    let result = |name| json!({"functionResponse": {"name": name, "response": {"output": "12:00"}}});
    json!({"role": "user", "parts": names.iter().map(result).collect::<Vec<Value>>()})
}

fn rejection(contents: &[Value]) -> String {
    rejection_of(&json!({ "contents": contents }))
}

fn rejection_of(request: &Value) -> String {
    check_request(&Gemini::new(), request).expect_err("the request is invalid").message
}

/// The message for a content of the model with this part.
fn rejection_of_part(part: &Value) -> String {
    rejection(&[user(), json!({"role": "model", "parts": [part]}), user()])
}

#[test]
fn valid_requests_are_accepted() {
    let mut with_image = results(&["a"]);
    let image = json!({"inline_data": {"mime_type": "image/png", "data": "cG5n"}});
    with_image["parts"].as_array_mut().expect("parts").push(image);
    let signed = json!({"role": "model", "parts": [{"text": "", "thoughtSignature": "c2ln"}, {"text": "Hm.", "thought": true}]});
    for contents in [
        json!([user(), calls(&["a", "b"]), results(&["a", "b"]), user()]),
        json!([user(), calls(&["a"]), with_image, calls(&["b"]), results(&["b"])]),
        json!([user(), signed, user()]),
        json!([{"parts": [{"text": "Beijing?"}]}]),
    ] {
        assert_eq!(check_request(&Gemini::new(), &json!({ "contents": contents })), Ok(()));
    }
    let declaration = json!({"name": "_get.weather:now-1", "description": ""});
    let request = json!({
        "contents": [user()],
        "system_instruction": {"parts": [{"text": "Be brief."}]},
        "tools": [{"functionDeclarations": [declaration]}, {"googleSearch": {}}],
        "toolConfig": {"functionCallingConfig": {"mode": "ANY"}},
        "generationConfig": {"temperature": 0},
    });
    assert_eq!(check_request(&Gemini::new(), &request), Ok(()));
}

#[test]
fn another_number_of_results_is_rejected() {
    let message = "Please ensure that the number of function response parts is equal to the number of function call \
                   parts of the function call turn.";
    for contents in [
        vec![user(), calls(&["a"])],
        vec![user(), calls(&["a"]), user()],
        vec![user(), calls(&["a", "b"]), results(&["a"]), results(&["b"])],
        vec![user(), calls(&["a"]), results(&["a", "a"])],
        vec![user(), calls(&["a"]), user(), results(&["a"])],
    ] {
        assert_eq!(rejection(&contents), message, "{contents:?}");
    }
}

#[test]
fn calls_and_results_in_another_order_are_rejected() {
    let message = "Please ensure that function response turn comes immediately after a function call turn.";
    assert_eq!(rejection(&[results(&["a"])]), message);
    assert_eq!(rejection(&[user(), calls(&["a"]), results(&["a"]), results(&["a"])]), message);
    let message = "Please ensure that function call turn comes immediately after a user turn or after a function \
                   response turn.";
    assert_eq!(rejection(&[calls(&["a"]), results(&["a"])]), message);
    let text = json!({"role": "model", "parts": [{"text": "I look."}]});
    assert_eq!(rejection(&[user(), text, calls(&["a"]), results(&["a"])]), message);
}

#[test]
fn empty_contents_and_parts_are_rejected() {
    assert_eq!(rejection(&[]), "* GenerateContentRequest.contents: contents is not specified");
    assert_eq!(
        rejection(&[user(), json!({"role": "model", "parts": []})]),
        "* GenerateContentRequest.contents[1].parts: contents.parts must not be empty."
    );
    let message = "* GenerateContentRequest.contents[1].parts[0].data: required oneof field 'data' must have one \
                   initialized field";
    assert_eq!(rejection_of_part(&json!({"text": ""})), message);
    assert_eq!(rejection_of_part(&json!({"thought": true})), message);
    let system = json!({"contents": [user()], "systemInstruction": {"parts": [{"text": ""}]}});
    assert!(rejection_of(&system).contains("system_instruction.parts[0].data"));
}

#[test]
fn unknown_fields_and_roles_are_rejected() {
    let message = |name: &str, path: &str| {
        format!("Invalid JSON payload received. Unknown name \"{name}\" at '{path}': Cannot find field.")
    };
    let openai = json!({"role": "user", "parts": [{"text": "Hi"}], "content": "Hi"});
    assert_eq!(rejection(&[openai]), message("content", "contents[0]"));
    let path = "contents[1].parts[0]";
    assert_eq!(rejection_of_part(&json!({"type": "text", "text": "Hi"})), message("type", path));
    let call = json!({"functionCall": {"name": "f", "arguments": {}}});
    assert_eq!(rejection_of_part(&call), message("arguments", &format!("{path}.function_call")));
    let result = json!({"functionResponse": {"name": "f", "response": {}, "error": true}});
    assert_eq!(rejection_of_part(&result), message("error", &format!("{path}.function_response")));
    let assistant = json!({"role": "assistant", "parts": [{"text": "Hi"}]});
    assert_eq!(rejection(&[assistant]), "Please use a valid role: user, model.");
}

#[test]
fn arguments_and_results_that_are_no_objects_are_rejected() {
    let call = json!({"functionCall": {"name": "f", "args": "{}"}});
    assert_eq!(
        rejection_of_part(&call),
        "Invalid value at 'contents[1].parts[0].function_call.args' (type.googleapis.com/google.protobuf.Struct), \"{}\""
    );
    let result = json!({"functionResponse": {"name": "f", "response": ["sunny"]}});
    assert!(rejection_of_part(&result).contains("function_response.response' (type.googleapis.com"));
    let nameless = json!({"functionCall": {"args": {}}});
    assert!(rejection_of_part(&nameless).ends_with("function_call.name: Name cannot be empty."));
}

#[test]
fn invalid_tools_are_rejected() {
    let with_tools = |names: &[&str]| {
        let tools: Vec<Value> = names.iter().map(|name| json!({ "name": name })).collect();
        rejection_of(&json!({"contents": [user()], "tools": [{"functionDeclarations": tools}]}))
    };
    assert_eq!(with_tools(&["f", "f"]), "Duplicate function declaration found: f");
    let long = "f".repeat(65);
    for name in ["2fa", "-f", "a b", "", &*long] {
        let path = "* GenerateContentRequest.tools[0].function_declarations[1].name: Invalid function name. Must start";
        assert!(with_tools(&["f", name]).starts_with(path), "{name}");
    }
    let request = json!({"contents": [user()], "toolConfig": {"functionCallingConfig": {"mode": "AUTO"}}});
    assert_eq!(rejection_of(&request), "Function calling config is set without function_declarations.");
}
