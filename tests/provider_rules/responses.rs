//! The rules of the Responses API.

use serde_json::{Value, json};
use tool_runtime::wire::Responses;
use tool_runtime_testing::check_request;

fn user() -> Value {
    json!({"role": "user", "content": "Beijing?"})
}

fn call(id: &str) -> Value {
    json!({"type": "function_call", "id": "fc_1", "call_id": id, "name": "now", "arguments": "{}", "status": "completed"})
}

fn result(id: &str) -> Value {
    json!({"type": "function_call_output", "call_id": id, "output": "12:00"})
}

fn custom_call(id: &str) -> Value {
    json!({"type": "custom_tool_call", "call_id": id, "name": "sql", "input": "SELECT 1"})
}

fn reasoning(id: &str) -> Value {
    json!({"type": "reasoning", "id": id, "summary": [], "encrypted_content": "x"})
}

fn with(mut item: Value, field: &str, value: Value) -> Value {
    item[field] = value;
    item
}

fn rejection(items: &[Value]) -> String {
    rejection_of(&json!({ "input": items }))
}

fn rejection_of(request: &Value) -> String {
    check_request(&Responses::new(), request).expect_err("the request is invalid").message
}

#[test]
fn paired_items_are_accepted() {
    let custom_result = with(result("b"), "type", json!("custom_tool_call_output"));
    let answer =
        json!({"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "x"}]});
    for request in [
        json!({"input": "Beijing?", "instructions": "Be brief."}),
        json!({"input": [user(), reasoning("rs_1"), call("a"), custom_call("b"), custom_result, result("a"), answer]}),
        json!({"input": [user(), call("a"), user(), result("a")]}),
        json!({"input": [result("a")], "previous_response_id": "resp_1"}),
        json!({"input": [with(reasoning(""), "id", Value::Null), answer], "store": false}),
        json!({"input": [{"type": "web_search_call", "id": "ws_1"}, {"type": "item_reference", "id": "x"}]}),
    ] {
        assert_eq!(check_request(&Responses::new(), &request), Ok(()), "{request}");
    }
}

#[test]
fn a_missing_input_is_rejected() {
    assert_eq!(rejection_of(&json!({})), "Missing required parameter: 'input'.");
}

#[test]
fn a_call_without_a_result_is_rejected() {
    let message = |id: &str| format!("No tool output found for function call {id}.");
    assert_eq!(rejection(&[user(), call("a")]), message("a"));
    assert_eq!(rejection(&[call("a"), call("b"), call("c"), result("b")]), message("a"));
    assert_eq!(rejection(&[custom_call("a"), user()]), "No tool output found for custom tool call a.");
}

#[test]
fn a_result_without_a_call_before_it_and_a_second_result_are_rejected() {
    let message = "No tool call found for function call output with call_id a.";
    assert_eq!(rejection(&[user(), result("a")]), message);
    assert_eq!(rejection(&[result("a"), call("a")]), message);
    assert_eq!(rejection(&[call("a"), result("a"), result("a")]), message);
    let again = json!({"input": [call("a"), result("a"), result("a")], "previous_response_id": "resp_1"});
    assert_eq!(rejection_of(&again), message);
}

#[test]
fn a_result_of_the_other_kind_of_tool_is_rejected() {
    let custom_result = |id: &str| with(result(id), "type", json!("custom_tool_call_output"));
    assert_eq!(
        rejection(&[call("a"), custom_result("a")]),
        "No tool call found for custom tool call output with call_id a."
    );
    assert_eq!(
        rejection(&[custom_call("a"), result("a")]),
        "No tool call found for function call output with call_id a."
    );
}

#[test]
fn a_repeated_id_is_rejected() {
    let again = [call("a"), result("a"), call("a"), result("a")];
    assert_eq!(rejection(&again), "Duplicate item found with call_id a.");
}

#[test]
fn ids_have_1_to_64_bytes() {
    assert!(
        rejection(&[call("")]).starts_with("Invalid 'input[0].call_id': empty string. Expected a string")
    );
    let message = "Invalid 'input[1].call_id': string too long. Expected a string with maximum length 64, but got a string \
                   with length 65 instead.";
    assert_eq!(rejection(&[user(), result(&"a".repeat(65))]), message);
    assert_eq!(
        rejection(&[with(call("a"), "call_id", Value::Null)]),
        "Missing required parameter: 'input[0].call_id'."
    );
}

#[test]
fn invalid_calls_are_rejected() {
    for name in ["", "functions.now", "a b"] {
        assert!(
            rejection(&[with(call("a"), "name", json!(name))])
                .starts_with("Invalid 'input[0].name': string does not match pattern.")
        );
    }
    for (item, field) in [(call("a"), "arguments"), (call("a"), "name"), (custom_call("a"), "input")] {
        let message = format!("Missing required parameter: 'input[0].{field}'.");
        assert_eq!(rejection(&[with(item.clone(), field, Value::Null)]), message);
        assert_eq!(rejection(&[with(item, field, json!({}))]), message);
    }
}

#[test]
fn invalid_results_are_rejected() {
    let missing = with(result("a"), "output", Value::Null);
    assert_eq!(rejection(&[call("a"), missing]), "Missing required parameter: 'input[1].output'.");
    let text = with(result("a"), "output", json!([{"type": "output_text", "text": "x"}]));
    assert_eq!(
        rejection(&[call("a"), text]),
        "Invalid value: 'output_text'. Supported values are: 'input_text', 'input_image', 'input_file'."
    );
}

#[test]
fn fields_of_other_formats_are_rejected() {
    for (item, field) in [
        (with(call("a"), "function", json!({})), "function"),
        (with(custom_call("a"), "arguments", json!("{}")), "arguments"),
        (with(result("a"), "tool_call_id", json!("a")), "tool_call_id"),
        (with(reasoning("rs_1"), "text", json!("x")), "text"),
        (with(user(), "tool_calls", json!([])), "tool_calls"),
    ] {
        assert_eq!(rejection(&[item]), format!("Unknown parameter: 'input[0].{field}'."));
    }
}

#[test]
fn reasoning_without_its_following_item_is_rejected() {
    let message = "Item 'rs_1' of type 'reasoning' was provided without its required following item.";
    for items in [vec![], vec![user()], vec![result("a")]] {
        let items = [vec![call("a"), reasoning("rs_1")], items].concat();
        assert_eq!(rejection(&items), message);
    }
}

#[test]
fn reasoning_needs_an_id_that_the_provider_stored_or_encrypted_content() {
    let mut request = json!({"input": [reasoning("rs_1"), call("a"), result("a")], "store": false});
    request["input"][0]["encrypted_content"] = json!("c2ln");
    assert_eq!(check_request(&Responses::new(), &request), Ok(()), "it is recorded");
    request["input"][0]["encrypted_content"] = Value::Null;
    assert!(rejection_of(&request).starts_with("Item with id 'rs_1' not found. Items are not persisted"));
    let reply = json!({"role": "assistant", "content": "4"});
    let message = "Item 'rs_1' of type 'reasoning' was provided without its required following item.";
    assert_eq!(rejection(&[reasoning("rs_1"), reply]), message);
    let neither = json!({"type": "reasoning", "summary": []});
    assert_eq!(rejection(&[neither, call("a"), result("a")]), "Missing required parameter: 'input[0].id'.");
}

#[test]
fn invalid_messages_are_rejected() {
    assert_eq!(
        rejection(&[with(user(), "role", json!("tool"))]),
        "Invalid value: \"tool\". Supported values are: 'assistant', 'system', 'developer', and 'user'."
    );
    let empty = with(user(), "content", Value::Null);
    assert_eq!(rejection(&[empty]), "Missing required parameter: 'input[0].content'.");
    let part = |kind: &str| json!([{"type": kind}]);
    for (role, kind, supported) in [
        ("user", "output_text", "'input_text', 'input_image', 'input_file', 'input_audio'"),
        ("user", "image_url", "'input_text', 'input_image', 'input_file', 'input_audio'"),
        ("assistant", "input_text", "'output_text', 'refusal'"),
    ] {
        assert_eq!(
            rejection(&[json!({"role": role, "content": part(kind)})]),
            format!("Invalid value: '{kind}'. Supported values are: {supported}.")
        );
    }
}

#[test]
fn invalid_tools_and_choices_are_rejected() {
    let tools = json!([{"type": "function", "name": "now", "parameters": {}, "strict": false}]);
    let request = |choice: Value| json!({"input": "x", "tools": tools, "tool_choice": choice});
    for choice in [json!("auto"), json!({"type": "function", "name": "now"})] {
        assert_eq!(check_request(&Responses::new(), &request(choice)), Ok(()));
    }
    let unknown = json!({"type": "function", "name": "later"});
    let message = "Tool choice 'later' not found in 'tools' parameter.";
    assert_eq!(rejection_of(&request(unknown.clone())), message);
    let allowed = json!({"type": "allowed_tools", "mode": "auto", "tools": [unknown]});
    assert_eq!(rejection_of(&request(allowed)), message);

    let with_tool = |tool: Value| rejection_of(&json!({"input": "x", "tools": [tool]}));
    let nested = json!({"type": "function", "function": {"name": "now"}});
    assert_eq!(with_tool(nested), "Missing required parameter: 'tools[0].name'.");
    let more = json!({"type": "function", "name": "now", "input_schema": {}});
    assert_eq!(with_tool(more), "Unknown parameter: 'tools[0].input_schema'.");
}

fn search(id: &str) -> Value {
    json!({"type": "tool_search_call", "call_id": id, "execution": "client", "arguments": {"query": "time"}})
}

fn found(id: &str, tools: &Value) -> Value {
    json!({"type": "tool_search_output", "call_id": id, "execution": "client", "tools": tools})
}

#[test]
fn a_search_without_its_result_and_a_result_without_its_search_are_rejected() {
    let message = "No tool call found for tool search output with call_id a.";
    assert_eq!(rejection(&[user(), search("a")]), "No tool output found for tool search call a.");
    assert_eq!(rejection(&[user(), found("a", &json!([]))]), message);
    assert_eq!(rejection(&[call("a"), found("a", &json!([]))]), message);
    // Recorded: the output of a function is accepted for a search.
    assert_eq!(check_request(&Responses::new(), &json!({"input": [search("a"), result("a")]})), Ok(()));
    let without = |mut item: Value, field: &str| {
        item[field] = Value::Null;
        item
    };
    let message = |field: &str| format!("Missing required parameter: 'input[0].{field}'.");
    assert_eq!(rejection(&[without(search("a"), "arguments")]), message("arguments"));
    assert_eq!(rejection(&[without(search("a"), "call_id")]), message("call_id"));
    assert_eq!(rejection(&[without(found("a", &json!([])), "tools")]), message("tools"));
    // The provider runs other searches itself.
    let hosted = json!({"type": "tool_search_call", "call_id": null, "execution": "server", "arguments": {}});
    assert_eq!(check_request(&Responses::new(), &json!({"input": [user(), hosted]})), Ok(()));
}

#[test]
fn a_call_of_a_tool_that_a_search_loaded_needs_its_namespace() {
    let now = json!({"type": "function", "name": "now", "parameters": {}});
    let group = json!({"type": "namespace", "name": "clock", "description": "Time.", "tools": [now]});
    for tools in [json!([now]), json!([group])] {
        let items = [search("a"), found("a", &tools), call("b"), result("b")];
        let mut request = json!({"input": items});
        let rejected = check_request(&Responses::new(), &request).expect_err("there is no namespace");
        let message = "Missing namespace for function_call 'now'. It does not exist in the default namespace. Round-trip the \
                       model's function_call item with its namespace field included.";
        assert_eq!((&*rejected.message, &*rejected.param), (message, "input[2].namespace"));
        request["input"][2]["namespace"] = json!("clock");
        assert_eq!(check_request(&Responses::new(), &request), Ok(()));
    }
    let items = [search("a"), found("a", &json!([now])), call("b"), result("b")];
    let request = json!({"input": items, "tools": [now]});
    assert_eq!(check_request(&Responses::new(), &request), Ok(()));
}

#[test]
fn a_deferred_tool_without_a_search_is_rejected() {
    let tool = json!({"type": "function", "name": "now", "parameters": {}, "defer_loading": true});
    let message = "Invalid Value: 'tools.defer_loading'. Deferred tools require tools.tool_search.";
    assert_eq!(rejection_of(&json!({"input": "?", "tools": [tool]})), message);
    let request = json!({"input": "?", "tools": [tool, {"type": "tool_search"}]});
    assert_eq!(check_request(&Responses::new(), &request), Ok(()));
}

#[test]
fn calls_that_the_api_defines_have_their_results() {
    let shell = json!({"type": "shell_call", "call_id": "a", "action": {"commands": ["ls"]}});
    let output = json!({"type": "shell_call_output", "call_id": "a", "output": []});
    assert_eq!(check_request(&Responses::new(), &json!({"input": [shell, output]})), Ok(()));
    assert_eq!(rejection(std::slice::from_ref(&shell)), "No tool output found for shell call a.");
    assert_eq!(
        rejection(std::slice::from_ref(&output)),
        "No tool call found for shell call output with call_id a."
    );
    let mut screenshot = output;
    screenshot["output"] = json!({"type": "computer_screenshot"});
    assert_eq!(rejection(&[shell, screenshot]), "Missing required parameter: 'input[1].output'.");
}

#[test]
fn a_result_without_the_caller_of_its_call_is_rejected() {
    let mut called = call("a");
    called["caller"] = json!({"type": "program", "caller_id": "p"});
    let mut ended = result("a");
    assert_eq!(
        rejection(&[called.clone(), ended.clone()]),
        "The output with call_id a does not have the caller of its call."
    );
    ended["caller"] = called["caller"].clone();
    assert_eq!(check_request(&Responses::new(), &json!({"input": [called, ended]})), Ok(()));
}

#[test]
fn a_response_to_an_approval_follows_its_request() {
    let request = json!({"type": "mcp_approval_request", "id": "r", "server_label": "s", "name": "n", "arguments": "{}"});
    let response = json!({"type": "mcp_approval_response", "approval_request_id": "r", "approve": true});
    assert_eq!(rejection(std::slice::from_ref(&response)), "There is no approval request with id r.");
    assert_eq!(check_request(&Responses::new(), &json!({"input": [request, response]})), Ok(()));
}
