//! The rules of Amazon's Converse API.

use serde_json::{Value, json};
use tool_runtime::wire::Bedrock;
use tool_runtime_testing::check_request;

fn user() -> Value {
    json!({"role": "user", "content": [{"text": "Beijing?"}]})
}

fn text(text: &str) -> Value {
    json!({"role": "assistant", "content": [{"text": text}]})
}

fn calls(ids: &[&str]) -> Value {
    let call = |id| json!({"toolUse": {"toolUseId": id, "name": "now", "input": {}}});
    json!({"role": "assistant", "content": ids.iter().map(call).collect::<Vec<Value>>()})
}

fn results(ids: &[&str]) -> Value {
    let result = |id| json!({"toolResult": {"toolUseId": id, "content": [{"text": "12:00"}]}});
    json!({"role": "user", "content": ids.iter().map(result).collect::<Vec<Value>>()})
}

fn tool(name: &str) -> Value {
    json!({"toolSpec": {"name": name, "description": "Tells.", "inputSchema": {"json": {"type": "object"}}}})
}

/// A request with one tool.
fn request(messages: &[Value]) -> Value {
    json!({"messages": messages, "toolConfig": {"tools": [tool("now")]}})
}

fn rejection(messages: &[Value]) -> String {
    rejection_of(&request(messages))
}

fn rejection_of(request: &Value) -> String {
    check_request(&Bedrock::new(), request).expect_err("the request is invalid").message
}

/// The message for a message of the user with this block.
fn rejection_of_block(block: &Value) -> String {
    rejection(&[json!({"role": "user", "content": [block]})])
}

/// The message for a message of the user with this configuration of tools.
fn rejection_of_tools(config: &Value) -> String {
    rejection_of(&json!({"messages": [user()], "toolConfig": config}))
}

#[test]
fn valid_requests_are_accepted() {
    let mut with_text = results(&["a"]);
    with_text["content"].as_array_mut().expect("blocks").push(json!({"text": "Thanks!"}));
    let reasoning = json!({"reasoningContent": {"reasoningText": {"text": "Hm.", "signature": "c2ln"}}});
    let mut thinking = calls(&["a"]);
    thinking["content"].as_array_mut().expect("blocks").insert(0, reasoning);
    let search = json!({"role": "assistant", "content": [
        {"toolUse": {"toolUseId": "s", "name": "nova_grounding", "input": {}, "type": "server_tool_use"}},
        {"toolResult": {"toolUseId": "s", "content": [{"json": {}}], "type": "nova_grounding_result"}},
        {"text": "4"},
    ]});
    let document = json!({"document": {"format": "pdf", "name": "a", "source": {"bytes": "AQID"}}});
    let with_document =
        json!({"role": "user", "content": [document, {"text": "?"}, {"cachePoint": {"type": "default"}}]});
    let failed = json!({"role": "user", "content": [
        {"toolResult": {"toolUseId": "a", "status": "error", "content": [{"text": "Error: no"}]}}]});
    let empty = json!({"role": "user", "content": [{"toolResult": {"toolUseId": "a", "content": []}}]});
    for messages in [
        vec![user(), calls(&["a", "b"]), results(&["b", "a"]), text("It is 12:00.")],
        vec![user(), thinking, with_text, calls(&["a"]), results(&["a"])],
        vec![user(), search, user()],
        vec![with_document],
        vec![user(), calls(&["a"]), failed],
        vec![user(), calls(&["a"]), empty],
        vec![
            user(),
            calls(&["tooluse_kZJMlvQmRJ6eAyJE5GIl7Q"]),
            results(&["tooluse_kZJMlvQmRJ6eAyJE5GIl7Q"]),
        ],
    ] {
        assert_eq!(check_request(&Bedrock::new(), &request(&messages)), Ok(()), "{messages:?}");
    }
    let with_settings = json!({
        "messages": [user()],
        "system": [{"text": "Be brief."}, {"cachePoint": {"type": "default"}}],
        "inferenceConfig": {"maxTokens": 9},
        "toolConfig": {"tools": [tool("now"), {"cachePoint": {"type": "default"}}], "toolChoice": {"tool": {"name": "now"}}},
    });
    assert_eq!(check_request(&Bedrock::new(), &with_settings), Ok(()));
    assert_eq!(check_request(&Bedrock::new(), &json!({"messages": [user()]})), Ok(()));
}

#[test]
fn a_call_without_its_result_is_rejected() {
    let missing = |index: usize, ids: &str| {
        format!("Expected toolResult blocks at messages.{index}.content for the following Ids: {ids}")
    };
    assert_eq!(rejection(&[user(), calls(&["a"])]), missing(2, "a"));
    assert_eq!(rejection(&[user(), calls(&["a"]), user()]), missing(2, "a"));
    assert_eq!(rejection(&[user(), calls(&["a", "b", "c"]), results(&["b"])]), missing(2, "a, c"));
    let later = [user(), calls(&["a"]), user(), text("Hm."), results(&["a"])];
    assert_eq!(rejection(&later), missing(2, "a"));
}

#[test]
fn a_result_without_its_call_is_rejected() {
    let exceeds = |index: usize| {
        format!(
            "The number of toolResult blocks at messages.{index}.content exceeds the number of toolUse blocks of previous turn."
        )
    };
    assert_eq!(rejection(&[results(&["a"])]), exceeds(0));
    assert_eq!(rejection(&[user(), text("Hm."), results(&["a"])]), exceeds(2));
    assert_eq!(rejection(&[user(), calls(&["a"]), results(&["a", "a"])]), exceeds(2));
    assert_eq!(rejection(&[user(), calls(&["a"]), results(&["a", "b"])]), exceeds(2));
    assert_eq!(
        rejection(&[user(), calls(&["a"]), results(&["a"]), text("Hm."), results(&["a"])]),
        exceeds(4)
    );
    assert_eq!(rejection(&[user(), calls(&["a", "a"]), results(&["a"])]), "`tool_use` ids must be unique");
}

#[test]
fn roles_alternate_and_the_user_begins() {
    let begins = "A conversation must start with a user message. Try again with a conversation that starts with a user message.";
    assert_eq!(rejection(&[]), begins);
    assert_eq!(rejection(&[text("Hello!"), user()]), begins);
    let alternates = "A conversation must alternate between user and assistant roles. Make sure the conversation alternates \
                      between user and assistant roles and try again.";
    assert_eq!(rejection(&[user(), user()]), alternates);
    assert_eq!(rejection(&[user(), text("Hm."), text("4"), user()]), alternates);
    assert_eq!(rejection(&[user(), calls(&["a"]), results(&["a"]), user()]), alternates);
    let system = json!({"role": "system", "content": [{"text": "Be brief."}]});
    let message = "Value at 'messages.2.member.role' failed to satisfy constraint";
    assert_eq!(rejection(&[user(), system]), message);
}

#[test]
fn empty_messages_and_blank_texts_are_rejected() {
    let empty = json!({"role": "assistant", "content": []});
    assert_eq!(
        rejection(&[user(), empty]),
        "The content field in the Message object at messages.1 is empty. Add a ContentBlock object to the content field and \
         try again."
    );
    for blank in ["", " \n"] {
        assert_eq!(
            rejection(&[user(), text(blank), user()]),
            "The text field in the ContentBlock object at messages.1.content.0 is blank. Add text to the text field, and try \
             again."
        );
        let system = json!({"messages": [user()], "system": [{"text": blank}]});
        assert!(rejection_of(&system).contains("at system.0 is blank"), "{blank:?}");
        let result = json!({"role": "user", "content": [{"toolResult": {"toolUseId": "a", "content": [{"text": blank}]}}]});
        let message = rejection(&[user(), calls(&["a"]), result]);
        assert!(message.contains("at messages.2.content.0.toolResult.content is blank"), "{message}");
    }
    let error = json!({"role": "user", "content": [{"toolResult": {"toolUseId": "a", "status": "error", "content": []}}]});
    assert_eq!(
        rejection(&[user(), calls(&["a"]), error]),
        "The content field at messages.2.content.0.toolResult cannot be empty when status value is error."
    );
}

#[test]
fn documents_have_a_text_and_different_names() {
    let document = json!({"document": {"format": "pdf", "name": "a", "source": {"bytes": "AQID"}}});
    let alone = json!({"role": "user", "content": [document]});
    assert_eq!(rejection(&[alone]), "A text block must be included when using documents.");
    let twice = json!({"role": "user", "content": [document, document, {"text": "?"}]});
    let message =
        "Messages can't contain duplicate document names. Rename the document and retry your request.";
    assert_eq!(rejection(&[twice]), message);
    let one = json!({"role": "user", "content": [document, {"text": "?"}]});
    assert_eq!(rejection(&[one.clone(), text("4"), one]), message);
    let result = json!({"role": "user", "content": [{"toolResult": {"toolUseId": "a", "content": [document, document]}}]});
    assert_eq!(rejection(&[user(), calls(&["a"]), result]), message);
}

#[test]
fn unknown_fields_and_blocks_of_several_kinds_are_rejected() {
    let unknown = |path: &str, field: &str| {
        format!(
            "Malformed input request: #/{path}: extraneous key [{field}] is not permitted, please reformat your input and try \
             again."
        )
    };
    let path = "messages.0.content.0";
    assert_eq!(rejection_of_block(&json!({"type": "text", "text": "?"})), unknown(path, "type"));
    assert_eq!(rejection_of_block(&json!({"thinking": "Hm."})), unknown(path, "thinking"));
    let both = json!({"text": "?", "cachePoint": {"type": "default"}});
    let invalid = "The format of the value at messages.0.content.0 is invalid.";
    assert_eq!(rejection_of_block(&both), invalid);
    assert_eq!(rejection_of_block(&json!({})), invalid);
    assert_eq!(rejection_of_block(&json!("Beijing?")), invalid);
    let system = json!({"messages": [user()], "system": [{"image": {}}]});
    assert_eq!(rejection_of(&system), unknown("system.0", "image"));
    let call = json!({"toolUse": {"toolUseId": "a", "name": "now", "input": {}, "cache_control": {}}});
    let message = json!({"role": "assistant", "content": [call]});
    assert_eq!(rejection(&[user(), message]), unknown("messages.1.content.0.toolUse", "cache_control"));
    let result = json!({"toolUseId": "a", "content": [{"text": "1"}], "is_error": true});
    let message = json!({"role": "user", "content": [{"toolResult": result}]});
    let of_result = unknown("messages.2.content.0.toolResult", "is_error");
    assert_eq!(rejection(&[user(), calls(&["a"]), message]), of_result);
    let nested = json!({"toolUseId": "a", "content": [{"toolUse": {}}]});
    let message = json!({"role": "user", "content": [{"toolResult": nested}]});
    let of_content = unknown("messages.2.content.0.toolResult.content", "toolUse");
    assert_eq!(rejection(&[user(), calls(&["a"]), message]), of_content);
}

#[test]
fn invalid_ids_names_and_inputs_are_rejected() {
    let constraint = |value: &str, path: &str, text: &str| {
        format!(
            "1 validation error detected: Value '{value}' at '{path}' failed to satisfy constraint: Member must {text}"
        )
    };
    let path = "messages.1.content.0.toolUse";
    let long = "a".repeat(65);
    for (id, text) in [
        ("", "have length greater than or equal to 1"),
        (&*long, "have length less than or equal to 64"),
        ("functions now", "satisfy regular expression pattern: [a-zA-Z0-9_.:-]+"),
        ("é", "satisfy regular expression pattern: [a-zA-Z0-9_.:-]+"),
    ] {
        let message = rejection(&[user(), calls(&[id]), results(&[id])]);
        assert_eq!(message, constraint(id, &format!("{path}.toolUseId"), text));
        let message = rejection(&[user(), calls(&["a"]), results(&[id])]);
        assert_eq!(message, constraint(id, "messages.2.content.0.toolResult.toolUseId", text));
    }
    let call = |name: &str, input: Value| {
        let call = json!({"toolUse": {"toolUseId": "a", "name": name, "input": input}});
        rejection(&[user(), json!({"role": "assistant", "content": [call]}), results(&["a"])])
    };
    for name in ["get.weather", "a b"] {
        let pattern = "satisfy regular expression pattern: [a-zA-Z0-9_-]+";
        assert_eq!(call(name, json!({})), constraint(name, &format!("{path}.name"), pattern));
    }
    for input in [json!("{}"), json!([]), Value::Null] {
        assert_eq!(
            call("now", input),
            "The format of the value at messages.1.content.0.toolUse.input is invalid. Provide a json object for the field \
             and try again."
        );
    }
}

#[test]
fn calls_need_a_configuration_of_tools() {
    let messages = [user(), calls(&["a"]), results(&["a"])];
    assert_eq!(
        rejection_of(&json!({"messages": messages})),
        "The toolConfig field must be defined when using toolUse and toolResult content blocks."
    );
}

#[test]
fn invalid_tools_are_rejected() {
    let spec = |spec: Value| rejection_of_tools(&json!({"tools": [tool("now"), {"toolSpec": spec}]}));
    let schema = json!({"json": {"type": "object"}});
    let path = "toolConfig.tools.2.member.toolSpec";
    assert_eq!(
        rejection_of_tools(&json!({"tools": []})),
        "1 validation error detected: Value '[]' at 'toolConfig.tools' failed to satisfy constraint: Member must have length \
         greater than or equal to 1"
    );
    let long = "a".repeat(65);
    for name in ["get.weather", "", &*long] {
        let message = spec(json!({"name": name, "inputSchema": schema}));
        assert!(message.contains(&format!("at '{path}.name' failed to satisfy constraint")), "{message}");
    }
    assert_eq!(spec(json!({"name": "now", "inputSchema": schema})), "tools: Tool names must be unique.");
    let message = spec(json!({"name": "f", "description": "", "inputSchema": schema}));
    assert!(message.contains(&format!("at '{path}.description'")), "{message}");
    let message = spec(json!({"name": "f", "inputSchema": schema, "parameters": {}}));
    assert!(message.contains("extraneous key [parameters] is not permitted"), "{message}");
    let message = spec(json!({"name": "f", "inputSchema": {"json": {"type": "string"}}}));
    assert_eq!(
        message,
        format!("The value at {path}.inputSchema.json.type must be one of the following: object.")
    );
    let key = json!({"type": "object", "properties": {"a b": {"type": "string"}}});
    let message = spec(json!({"name": "f", "inputSchema": {"json": key}}));
    assert!(message.starts_with("tools.1.custom.input_schema"), "{message}");
}

#[test]
fn invalid_tool_choices_are_rejected() {
    let choice = |choice: Value| rejection_of_tools(&json!({"tools": [tool("now")], "toolChoice": choice}));
    assert_eq!(choice(json!({"tool": {"name": "f"}})), "Tool \"f\" not found in provided tools");
    assert!(choice(json!({"none": {}})).contains("#/toolConfig.toolChoice: extraneous key [none]"));
}

#[test]
fn five_cache_points_are_rejected() {
    let point = json!({"cachePoint": {"type": "default"}});
    let content = |points: usize| -> Vec<Value> {
        std::iter::once(json!({"text": "a"})).chain(std::iter::repeat_n(point.clone(), points)).collect()
    };
    let request = |points| json!({"messages": [{"role": "user", "content": content(points)}]});
    assert_eq!(check_request(&Bedrock::new(), &request(4)), Ok(()));
    let rejected = check_request(&Bedrock::new(), &request(5)).expect_err("there are five");
    assert_eq!(rejected.message, "A request may have at most 4 cache points, and this one has 5.");
}
