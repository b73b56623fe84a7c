//! The rules of Gemini's Interactions API.

use serde_json::{Value, json};
use tool_runtime::wire::GeminiInteractions;
use tool_runtime_testing::check_request;

const WRONG_NUMBER: &str = "Please ensure that the number of function response parts is equal to the number of function call \
                            parts of the function call turn.";
const WRONG_ORDER: &str =
    "Please ensure that function response turn comes immediately after a function call turn.";

fn user() -> Value {
    json!({"type": "user_input", "content": [{"type": "text", "text": "Beijing?"}]})
}

fn text() -> Value {
    json!({"type": "model_output", "content": [{"type": "text", "text": "It is sunny."}]})
}

fn thought() -> Value {
    json!({"type": "thought", "signature": "c2ln"})
}

fn call(id: &str) -> Value {
    json!({"type": "function_call", "id": id, "name": "now", "arguments": {}})
}

fn result(id: &str) -> Value {
    json!({"type": "function_result", "call_id": id, "name": "now", "result": "12:00"})
}

fn accepted(request: &Value) {
    assert_eq!(check_request(&GeminiInteractions::new(), request), Ok(()), "{request}");
}

fn rejection(steps: &[Value]) -> String {
    rejection_of(&json!({ "input": steps }))
}

fn rejection_of(request: &Value) -> String {
    check_request(&GeminiInteractions::new(), request).expect_err("the request is invalid").message
}

/// The message for this step after a message of the user.
fn rejection_of_step(step: &Value) -> String {
    rejection(&[user(), thought(), step.clone()])
}

#[test]
fn valid_requests_are_accepted() {
    let failed = json!({"type": "function_result", "call_id": "a", "name": "now", "result": [
        {"type": "text", "text": "Error: no"}, {"type": "image", "mime_type": "image/png", "data": "cG5n"},
    ], "is_error": true});
    let object =
        json!({"type": "function_result", "call_id": "b", "name": "now", "result": {"time": "12:00"}});
    let search = json!({"type": "google_search_call", "id": "s", "arguments": {"queries": ["x"]}});
    let summary =
        json!({"type": "thought", "signature": "c2ln", "summary": [{"type": "text", "text": "Hm."}]});
    for steps in [
        vec![user(), thought(), call("a"), call("b"), result("b"), result("a"), text()],
        vec![
            user(),
            summary,
            text(),
            call("a"),
            call("b"),
            failed,
            object,
            thought(),
            call("c"),
            result("c"),
        ],
        vec![user(), search, json!({"type": "google_search_result", "call_id": "s", "result": []}), text()],
        // An id may repeat in a later reply.
        vec![user(), thought(), call("a"), result("a"), thought(), call("a"), result("a")],
        vec![user(), user()],
        vec![text(), user()],
    ] {
        accepted(&json!({ "input": steps }));
    }
    accepted(&json!({"input": "Beijing?"}));
    accepted(&json!({"input": {"type": "text", "text": "Beijing?"}}));
    accepted(
        &json!({"input": [{"type": "text", "text": "?"}, {"type": "document", "uri": "https://example.com/a.pdf"}]}),
    );
    // The server has the calls.
    accepted(&json!({"input": [result("a")], "previous_interaction_id": "i"}));
    accepted(&json!({"input": [], "previous_interaction_id": "i"}));
    accepted(&json!({
        "model": "m",
        "input": [user()],
        "system_instruction": "Be brief.",
        "store": false,
        "tools": [{"type": "function", "name": "_get.weather:now-1", "parameters": {"type": "object"}}, {"type": "google_search"}],
        "generation_config": {"tool_choice": {"allowed_tools": {"mode": "any", "tools": ["_get.weather:now-1"]}}},
    }));
}

#[test]
fn another_number_of_results_is_rejected() {
    for steps in [
        vec![user(), thought(), call("a")],
        vec![user(), thought(), call("a"), user()],
        vec![user(), thought(), call("a"), call("b"), result("a")],
        vec![user(), thought(), call("a"), call("b"), result("a"), text()],
        vec![user(), thought(), call("a"), user(), result("a")],
    ] {
        assert_eq!(rejection(&steps), WRONG_NUMBER, "{steps:?}");
    }
}

#[test]
fn results_without_their_call_are_rejected() {
    assert_eq!(rejection(&[result("a")]), WRONG_ORDER);
    assert_eq!(rejection(&[user(), result("a")]), WRONG_ORDER);
    assert_eq!(rejection(&[user(), thought(), call("a"), result("b")]), WRONG_ORDER);
    assert_eq!(rejection(&[user(), thought(), call("a"), result("a"), result("a")]), WRONG_ORDER);
    let mut other = result("a");
    other["name"] = "today".into();
    assert_eq!(
        rejection(&[user(), thought(), call("a"), other]),
        "input[3].name: the function of the call is \"now\"."
    );
}

#[test]
fn a_call_needs_a_thought_and_an_id_of_its_own() {
    let message = "Function call is missing a thought_signature in functionCall parts.";
    assert_eq!(rejection(&[user(), call("a"), result("a")]), message);
    assert_eq!(rejection(&[user(), thought(), call("a"), result("a"), call("b"), result("b")]), message);
    assert_eq!(rejection(&[user(), thought(), text(), user(), call("a"), result("a")]), message);
    let twice = [user(), thought(), call("a"), call("a"), result("a"), result("a")];
    assert_eq!(rejection(&twice), "Duplicate function call id.");
    let without = json!({"type": "function_call", "name": "now", "arguments": {}});
    assert_eq!(rejection_of_step(&without), "input[2].id is required.");
    assert_eq!(rejection_of_step(&call("")), "input[2].id is required.");
}

#[test]
fn an_empty_input_is_rejected() {
    assert_eq!(rejection(&[]), "`input` must not be empty.");
    assert_eq!(rejection_of(&json!({"model": "m"})), "`input` is required.");
    assert_eq!(rejection_of(&json!({"input": 7})), "`input` is required.");
    let empty = json!({"type": "user_input", "content": []});
    assert_eq!(rejection(&[user(), empty]), "input[1].content must not be empty.");
}

#[test]
fn unknown_fields_and_types_are_rejected() {
    let unknown = |name: &str, path: &str| {
        format!("Invalid JSON payload received. Unknown name \"{name}\" at '{path}': Cannot find field.")
    };
    let mut with_role = user();
    with_role["role"] = "user".into();
    assert_eq!(rejection(&[with_role]), unknown("role", "input[0]"));
    let mut of_openai = result("a");
    of_openai["output"] = "12:00".into();
    assert_eq!(rejection(&[user(), thought(), call("a"), of_openai]), unknown("output", "input[3]"));
    let mut with_content = thought();
    with_content["thought"] = true.into();
    assert_eq!(rejection(&[user(), with_content]), unknown("thought", "input[1]"));
    let mime_type = json!({"type": "user_input", "content": [{"type": "image", "mimeType": "image/png"}]});
    assert_eq!(rejection(&[mime_type]), unknown("mimeType", "input[0]"));
    let content = json!([{"type": "text", "text": "?", "thought": true}]);
    assert_eq!(rejection_of(&json!({ "input": content })), unknown("thought", "input[0]"));
    let message = json!({"role": "user", "content": "?"});
    assert_eq!(rejection(&[message]), "Invalid value at 'input[0].type', null");
    let part = json!({"type": "user_input", "content": [{"text": "?"}]});
    assert_eq!(rejection(&[part]), "Invalid value at 'input[0].type', null");
    let output = json!({"type": "function_call_output", "call_id": "a", "output": "1"});
    assert_eq!(rejection(&[output]), "Invalid value at 'input[0].type', \"function_call_output\"");
    let system = json!({"input": [user()], "system_instruction": {"parts": [{"text": "Be brief."}]}});
    assert!(rejection_of(&system).starts_with("Invalid value at 'system_instruction', {"));
}

#[test]
fn arguments_and_results_of_other_types_are_rejected() {
    for arguments in [json!("{}"), json!([]), Value::Null] {
        let step = json!({"type": "function_call", "id": "a", "name": "now", "arguments": arguments});
        assert_eq!(rejection_of_step(&step), format!("Invalid value at 'input[2].arguments', {arguments}"));
    }
    let of = |field: &str, value: Value| {
        let mut result = result("a");
        result[field] = value;
        rejection(&[user(), thought(), call("a"), result])
    };
    for value in [json!(7), json!(true), Value::Null] {
        assert_eq!(of("result", value.clone()), format!("Invalid value at 'input[3].result', {value}"));
    }
    assert_eq!(of("name", Value::Null), "input[3].name is required.");
    assert_eq!(of("result", json!([{"text": "1"}])), "Invalid value at 'input[3].type', null");
}

#[test]
fn invalid_tools_are_rejected() {
    let with_tools = |tools: Value| rejection_of(&json!({"input": [user()], "tools": tools}));
    let function = |name: &str| json!({"type": "function", "name": name, "parameters": {"type": "object"}});
    assert_eq!(with_tools(json!([function("f"), function("f")])), "Duplicate function declaration found: f");
    let long = "f".repeat(65);
    for name in ["2fa", "-f", "a b", "", &*long] {
        let message = with_tools(json!([function("f"), function(name)]));
        let expected = "tools[1].name: Invalid function name. Must start with a letter or an underscore.";
        assert!(message.starts_with(expected), "{name}: {message}");
    }
    let mut strict = function("f");
    strict["strict"] = true.into();
    assert!(with_tools(json!([strict])).contains("Unknown name \"strict\" at 'tools[0]'"));
    // The Gemini API requires the items of an array.
    let schema = json!({"type": "object", "properties": {"a": {"type": "array"}}});
    let broken = json!([{"type": "function", "name": "f", "parameters": schema}]);
    assert!(with_tools(broken.clone()).starts_with("tools[0].parameters"), "{}", with_tools(broken));
}

#[test]
fn invalid_tool_choices_are_rejected() {
    let choice = |tools: Value, choice: Value| {
        rejection_of(
            &json!({"input": [user()], "tools": tools, "generation_config": {"tool_choice": choice}}),
        )
    };
    let function = json!([{"type": "function", "name": "f", "parameters": {"type": "object"}}]);
    let without = "Function calling config is set without function_declarations.";
    assert_eq!(choice(json!([]), json!("any")), without);
    assert_eq!(choice(json!([{"type": "google_search"}]), json!("none")), without);
    let path = "Invalid value at 'generation_config.tool_choice'";
    assert_eq!(choice(function.clone(), json!("required")), format!("{path}, \"required\""));
    let mode = json!({"allowed_tools": {"mode": "ANY", "tools": ["f"]}});
    assert!(choice(function.clone(), mode).starts_with(path));
    let other = json!({"allowed_tools": {"mode": "any", "tools": ["g"]}});
    assert_eq!(choice(function, other), "allowed_tools contains a function that is not declared.");
}
