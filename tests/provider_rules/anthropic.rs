//! The rules of Anthropic's Messages API.

use serde_json::{Value, json};
use tool_runtime::wire::Anthropic;
use tool_runtime_testing::check_request;

fn user() -> Value {
    json!({"role": "user", "content": "Beijing?"})
}

fn calls(ids: &[&str]) -> Value {
    let calls: Vec<Value> =
        ids.iter().map(|id| json!({"type": "tool_use", "id": id, "name": "now", "input": {}})).collect();
    json!({"role": "assistant", "content": calls})
}

fn results(ids: &[&str]) -> Value {
    let results: Vec<Value> =
        ids.iter().map(|id| json!({"type": "tool_result", "tool_use_id": id, "content": "12:00"})).collect();
    json!({"role": "user", "content": results})
}

fn rejection(messages: &[Value]) -> String {
    rejection_of(&json!({ "messages": messages }))
}

fn rejection_of(request: &Value) -> String {
    check_request(&Anthropic::new(), request).expect_err("the request is invalid").message
}

/// The error for a second message of the user with this block.
fn rejection_of_block(block: &Value) -> String {
    rejection(&[user(), json!({"role": "assistant", "content": [block]}), user()])
}

#[test]
fn a_paired_history_is_accepted() {
    let mut both = results(&["b", "a"]);
    let text = json!({"type": "text", "text": "And now?"});
    both["content"].as_array_mut().expect("blocks").push(text);
    let thinking = json!({"type": "thinking", "thinking": "", "signature": "x"});
    let searched = json!({"type": "server_tool_use", "id": "srvtoolu_1", "name": "web_search", "input": {}});
    for messages in [
        json!([user(), calls(&["a", "b"]), both, calls(&["c"]), results(&["c"])]),
        json!([{"role": "assistant", "content": [thinking, searched]}, user()]),
        json!([user(), {"role": "assistant", "content": ""}]),
        json!([user(), {"role": "system", "content": "Be brief."}]),
    ] {
        assert_eq!(check_request(&Anthropic::new(), &json!({ "messages": messages })), Ok(()));
    }
}

#[test]
fn calls_without_results_are_rejected() {
    let message = |ids: &str| {
        format!(
            "messages.1: `tool_use` ids were found without `tool_result` blocks immediately after: {ids}. Each `tool_use` \
             block must have a corresponding `tool_result` block in the next message."
        )
    };
    assert_eq!(rejection(&[user(), calls(&["a"])]), message("a"));
    assert_eq!(rejection(&[user(), calls(&["a", "b", "c"]), results(&["b"])]), message("a, c"));
    assert_eq!(rejection(&[user(), calls(&["a"]), user(), results(&["a"])]), message("a"));
    let mut after_text = results(&["a"]);
    after_text["content"].as_array_mut().expect("blocks").insert(0, json!({"type": "text", "text": "Here:"}));
    assert_eq!(rejection(&[user(), calls(&["a"]), after_text]), message("a"));
}

#[test]
fn a_result_without_a_call_is_rejected() {
    let message = |path: &str| {
        format!(
            "{path}: unexpected `tool_use_id` found in `tool_result` blocks: z. Each `tool_result` block must have a \
             corresponding `tool_use` block in the previous message."
        )
    };
    assert_eq!(rejection(&[results(&["z"])]), message("messages.0.content.0"));
    assert_eq!(rejection(&[user(), calls(&["a"]), results(&["a", "z"])]), message("messages.2.content.1"));
}

#[test]
fn a_second_result_is_rejected() {
    assert_eq!(
        rejection(&[user(), calls(&["a"]), results(&["a", "a"])]),
        "messages.2.content.1: each tool_use must have a single result. Found multiple `tool_result` blocks with id: a"
    );
}

#[test]
fn a_repeated_id_is_rejected_in_a_reply() {
    let message = "`tool_use` ids must be unique";
    assert_eq!(rejection(&[user(), calls(&["a", "a"])]), format!("messages.1.content.1: {message}"));
    let again = [user(), calls(&["a"]), results(&["a"]), calls(&["a"]), results(&["a"])];
    let accepted = check_request(&Anthropic::new(), &json!({"messages": again}));
    assert_eq!(accepted, Ok(()), "recorded: the id of a call of an earlier reply is accepted");
}

#[test]
fn blocks_in_a_message_of_the_other_role_are_rejected() {
    let mut message = calls(&["a"]);
    message["role"] = json!("user");
    assert_eq!(rejection(&[message]), "messages.0: `tool_use` blocks can only be in `assistant` messages");
    let mut message = results(&["a"]);
    message["role"] = json!("assistant");
    assert_eq!(rejection(&[message]), "messages.0: `tool_result` blocks can only be in `user` messages");
}

#[test]
fn empty_texts_are_rejected() {
    let block = |text: &str| json!({"type": "text", "text": text});
    let message = "messages: text content blocks must be non-empty";
    assert_eq!(rejection_of_block(&block("")), message);
    let mut result = results(&["a"]);
    result["content"][0]["content"] = json!([block("")]);
    assert_eq!(rejection(&[user(), calls(&["a"]), result]), message);
    assert_eq!(
        rejection_of_block(&block(" \n")),
        "messages: text content blocks must contain non-whitespace text"
    );
    let request = json!({"system": [block("")], "messages": [user()]});
    assert_eq!(rejection_of(&request), "system: text content blocks must be non-empty");
}

#[test]
fn empty_messages_are_rejected() {
    assert_eq!(rejection(&[]), "messages: at least one message is required");
    let message = "all messages must have non-empty content except for the optional final assistant message";
    assert_eq!(rejection(&[json!({"role": "user", "content": ""})]), format!("messages.0: {message}"));
    let empty = json!({"role": "assistant", "content": []});
    assert_eq!(rejection(&[user(), empty, user()]), format!("messages.1: {message}"));
}

#[test]
fn roles_of_other_formats_are_rejected() {
    assert!(
        rejection(&[json!({"role": "system", "content": "x"}), user()]).starts_with(
            "messages: Unexpected role \"system\". The Messages API accepts a top-level `system`"
        )
    );
    let tool = json!({"role": "tool", "tool_call_id": "a", "content": "x"});
    assert_eq!(rejection(&[user(), tool]), "messages.1.tool_call_id: Extra inputs are not permitted");
    let robot = json!({"role": "robot", "content": "x"});
    assert_eq!(rejection(&[robot]), "messages.0.role: Input should be 'user' or 'assistant'");
}

#[test]
fn invalid_calls_are_rejected() {
    let call = |id: Value, name: Value, input: Value| json!({"type": "tool_use", "id": id, "name": name, "input": input});
    let path = "messages.1.content.0.tool_use";
    for (block, message) in [
        (call(json!("a.b"), json!("f"), json!({})), "id: String should match pattern '^[a-zA-Z0-9_-]+$'"),
        (call(json!("a"), json!(""), json!({})), "name: String should have at least 1 character"),
        (
            call(json!("a"), json!("f".repeat(201)), json!({})),
            "name: String should have at most 200 characters",
        ),
        (call(json!("a"), json!("f"), json!("{}")), "input: Input should be a valid dictionary"),
    ] {
        assert_eq!(rejection_of_block(&block), format!("{path}.{message}"));
    }
    let mut block = call(json!("a"), json!("f"), json!({}));
    block["text"] = json!("x");
    assert_eq!(rejection_of_block(&block), format!("{path}.text: Extra inputs are not permitted"));
}

#[test]
fn invalid_tools_are_rejected() {
    let with_tools = |tools: Value| rejection_of(&json!({"messages": [user()], "tools": tools}));
    let tool = |name: &str| json!({"name": name, "input_schema": {"type": "object"}});
    assert_eq!(with_tools(json!([tool("f"), tool("f")])), "tools: Tool names must be unique.");
    let message = "tools.1.custom.name: String should match pattern '^[a-zA-Z0-9_-]{1,128}$'";
    assert_eq!(with_tools(json!([tool("f"), tool("a.b")])), message);
    let untyped = json!({"name": "f", "input_schema": {}});
    assert_eq!(with_tools(json!([untyped])), "tools.0.custom.input_schema.type: Field required");
    let text = json!({"name": "f", "input_schema": {"type": "string"}});
    assert_eq!(with_tools(json!([text])), "tools.0.custom.input_schema.type: Input should be 'object'");
    let strict = (0..21).map(
        |number| json!({"name": format!("f{number}"), "strict": true, "input_schema": {"type": "object"}}),
    );
    assert!(with_tools(strict.collect()).starts_with("Too many strict tools (21). "));
}

#[test]
fn a_tool_choice_that_no_tool_satisfies_is_rejected() {
    let request = |choice: Value| json!({"messages": [user()], "tool_choice": choice});
    assert_eq!(check_request(&Anthropic::new(), &request(json!({"type": "auto"}))), Ok(()));
    assert_eq!(
        rejection_of(&request(json!({"type": "any"}))),
        "tool_choice.any may only be specified while providing tools"
    );
    assert_eq!(
        rejection_of(&request(json!({"type": "tool", "name": "now"}))),
        "Tool 'now' not found in provided tools"
    );
}

#[test]
fn thinking_without_a_signature_or_at_the_end_is_rejected() {
    let unsigned = json!({"type": "thinking", "thinking": "Hm.", "signature": ""});
    assert_eq!(
        rejection_of_block(&unsigned),
        "messages.1.content.0: Invalid `signature` in `thinking` block"
    );
    assert_eq!(
        rejection_of_block(&json!({"type": "redacted_thinking", "data": "x"})),
        "messages.1: The final block in an assistant message cannot be `thinking`."
    );
}

#[test]
fn an_error_without_text_or_with_an_image_is_rejected() {
    let rejection = |content: Value| {
        let result = json!({"type": "tool_result", "tool_use_id": "a", "is_error": true, "content": content});
        rejection(&[user(), calls(&["a"]), json!({"role": "user", "content": [result]})])
    };
    assert!(rejection(json!([])).ends_with("content cannot be empty if `is_error` is true"));
    assert!(rejection(json!("")).ends_with("content cannot be empty if `is_error` is true"));
    assert!(
        rejection(json!([{"type": "image"}]))
            .ends_with("all content must be type 'text' if 'is_error' is true")
    );
}

#[test]
fn a_request_of_deferred_tools_alone_and_a_cached_deferred_tool_are_rejected() {
    let tool = |name: &str| json!({"name": name, "input_schema": {"type": "object"}, "defer_loading": true});
    let request = |tools: Value| json!({"messages": [user()], "tools": tools});
    let message = "All tools have defer_loading set. At least one tool must be non-deferred.";
    assert_eq!(rejection_of(&request(json!([tool("a"), tool("b")]))), message);
    let mut cached = tool("a");
    cached["cache_control"] = json!({"type": "ephemeral"});
    let pinned = json!({"name": "now", "input_schema": {"type": "object"}});
    let message = "Tool 'a' cannot have both defer_loading=true and cache_control set. Tools with defer_loading cannot use \
                   prompt caching.";
    assert_eq!(rejection_of(&request(json!([pinned, cached]))), message);
    assert_eq!(check_request(&Anthropic::new(), &request(json!([pinned, tool("a")]))), Ok(()));
}

#[test]
fn a_reference_to_a_tool_that_the_request_does_not_have_is_rejected() {
    let mut found = results(&["a"]);
    found["content"][0]["content"] = json!([{"type": "tool_reference", "tool_name": "get_tides"}]);
    let now = json!({"name": "now", "input_schema": {"type": "object"}});
    let tides = json!({"name": "get_tides", "input_schema": {"type": "object"}, "defer_loading": true});
    let mut request = json!({"messages": [user(), calls(&["a"]), found], "tools": [now, tides]});
    assert_eq!(check_request(&Anthropic::new(), &request), Ok(()));
    request["tools"].as_array_mut().expect("tools").pop();
    assert_eq!(rejection_of(&request), "Tool reference 'get_tides' not found in available tools");
}

/// <https://github.com/anthropics/claude-code/issues/34771>, <https://github.com/beautyfree/appstore-connect-mcp/issues/2>
#[test]
fn keys_of_properties_have_letters_of_ascii() {
    let long = "a".repeat(65);
    for key in ["$.alt", "filter[city]", "größe", "@id", "", &long] {
        let properties = json!({ key: { "type": "string" } });
        let nested =
            json!({ "stops": { "type": "array", "items": { "type": "object", "properties": properties } } });
        for properties in [properties, nested] {
            let schema = json!({ "type": "object", "properties": properties });
            let tools = json!([{ "name": "now", "input_schema": schema }]);
            assert_eq!(
                rejection_of(&json!({ "tools": tools, "messages": [user()] })),
                "tools.0.custom.input_schema.properties: Property keys should match pattern '^[a-zA-Z0-9_.-]{1,64}$'",
                "{key}"
            );
        }
    }
    // A definition and a pattern are not keys of properties.
    let schema = json!({
        "type": "object",
        "properties": { "a.b-c_D9": { "enum": [{ "properties": { "größe": 1 } }] } },
        "patternProperties": { "^ö$": {} },
        "$defs": { "größe": {} },
    });
    let tools = json!([{ "name": "now", "input_schema": schema }]);
    assert_eq!(check_request(&Anthropic::new(), &json!({ "tools": tools, "messages": [user()] })), Ok(()));
}

#[test]
fn five_breakpoints_and_a_breakpoint_of_thinking_are_rejected() {
    let mark = json!({"type": "ephemeral"});
    let block = json!({"type": "text", "text": "a", "cache_control": mark});
    let tool = json!({"name": "now", "input_schema": {"type": "object"}, "cache_control": mark});
    let mut request = json!({"system": [block], "tools": [tool], "messages": [
        {"role": "user", "content": [block, block]}]});
    assert_eq!(check_request(&Anthropic::new(), &request), Ok(()));
    request["cache_control"] = mark.clone();
    let message = "A maximum of 4 blocks with cache_control may be provided. Found 5.";
    assert_eq!(rejection_of(&request), message);
    let thinking = json!({"type": "thinking", "thinking": "a", "signature": "s", "cache_control": mark});
    let messages =
        json!([user(), {"role": "assistant", "content": [thinking, {"type": "text", "text": "b"}]}, user()]);
    assert_eq!(
        rejection_of(&json!({ "messages": messages })),
        "thinking blocks cannot be marked with cache_control"
    );
}
