//! Text that is almost JSON: the repairs of `lenient_arguments`, and the text that is never repaired.

use serde_json::{Value, json};
use tool_runtime::{DynamicTool, Registry, ToolCall, ToolMessage};

/// Calls a tool that returns its arguments.
async fn call(arguments: &str, lenient: bool) -> ToolMessage {
    let tool = DynamicTool::new("echo", "", json!({"type": "object"}), |arguments| async {
        Ok::<_, String>(Value::Object(arguments))
    });
    let registry = Registry::builder().dynamic(tool).lenient_arguments(lenient).build().expect("one tool");
    registry.dispatch(&[ToolCall::new("1", "echo", arguments)]).await.remove(0)
}

async fn assert_repaired(arguments: &str, expected: Value, repairs: &[&str]) {
    let strict = call(arguments, false).await;
    assert!(
        strict.content.as_str().starts_with("Error: "),
        "without leniency: {arguments} {}",
        strict.content
    );
    let lenient = call(arguments, true).await;
    assert_eq!(lenient.content, expected.to_string(), "{arguments}");
    assert_eq!(lenient.outcome().expect("it ran").coercions(), repairs, "{arguments}");
}

async fn assert_not_repaired(arguments: &str) {
    let lenient = call(arguments, true).await;
    assert!(lenient.content.as_str().starts_with("Error: "), "{arguments} became {}", lenient.content);
}

#[tokio::test]
async fn control_characters_in_strings_are_escaped() {
    let repair = &["control characters in a string were escaped"][..];
    assert_repaired("{\"text\":\"a\nb\tc\"}", json!({"text": "a\nb\tc"}), repair).await;
    assert_repaired("{\"a\nb\":\"\u{1}\"}", json!({"a\nb": "\u{1}"}), repair).await;
    assert_repaired("{\"text\":\"\\n \\\" \r\n\"}", json!({"text": "\n \" \r\n"}), repair).await;
}

#[tokio::test]
async fn python_literals_are_read() {
    let repair = &["a Python literal was read as a JSON literal"][..];
    assert_repaired(r#"{"a":True,"b":[False, None]}"#, json!({"a": true, "b": [false, null]}), repair).await;
    assert_repaired(r#"{"a": True }"#, json!({"a": true}), repair).await;
}

#[tokio::test]
async fn a_byte_order_mark_is_removed() {
    assert_repaired("\u{feff}{\"a\":1}", json!({"a": 1}), &["a byte order mark was left out"]).await;
    assert_repaired(" \u{feff} {\"a\":1}", json!({"a": 1}), &["a byte order mark was left out"]).await;
}

#[tokio::test]
async fn text_around_one_object_is_removed() {
    let repair = &["text around the arguments was left out"][..];
    for arguments in [
        r#"Here it is: {"a":1}"#,
        r#"{"a":1} That is it."#,
        r#"<tool_call>{"a":1}</tool_call>"#,
        r#"<tool_call> {"a":1}"#,
        r#"{"a":1}<|im_end|>"#,
        r#"{"a":1}</s>"#,
        r#"It's this: {"a":1} isn't it"#,
    ] {
        assert_repaired(arguments, json!({"a": 1}), repair).await;
    }
}

#[tokio::test]
async fn keys_without_quotes_are_read() {
    let repair = &["keys without quotes were read as strings"][..];
    assert_repaired(
        "{a:1,b_2:{$c:[{d-e:2}]},'ü':3}",
        json!({"a": 1, "b_2": {"$c": [{"d-e": 2}]}, "ü": 3}),
        &["keys without quotes were read as strings", "single quotes were read as double quotes"],
    )
    .await;
    assert_repaired(r#"{a : "x"}"#, json!({"a": "x"}), repair).await;
}

#[tokio::test]
async fn one_surplus_closing_bracket_is_removed() {
    let repair = &["a surplus bracket was left out"][..];
    assert_repaired(r#"{"a":1}}"#, json!({"a": 1}), repair).await;
    assert_repaired(r#"{"a":[1,2]]}"#, json!({"a": [1, 2]}), repair).await;
    assert_repaired(r#"{"a":[1,2]],"b":3}"#, json!({"a": [1, 2], "b": 3}), repair).await;
    assert_repaired(r#"{"a":{"b":1}}}"#, json!({"a": {"b": 1}}), repair).await;
    assert_repaired(r#"{"a":1}]"#, json!({"a": 1}), repair).await;
}

#[tokio::test]
async fn several_repairs_can_be_combined() {
    assert_repaired(
        "Sure:\n```json\n{a: True, // yes\n'b': \"x\ny\",}}\n```",
        json!({"a": true, "b": "x\ny"}),
        &[
            "the arguments were in a code fence",
            "keys without quotes were read as strings",
            "a Python literal was read as a JSON literal",
            "a comment was left out",
            "single quotes were read as double quotes",
            "control characters in a string were escaped",
            "a trailing comma was left out",
            "a surplus bracket was left out",
        ],
    )
    .await;
}

#[tokio::test]
async fn truncated_text_is_never_completed() {
    for arguments in [
        r#"{"a":1"#,
        r#"{"a":{"b":1}"#,
        r#"{"a":[1,2}"#,
        r#"{"a":"x"#,
        r#"{"a":"x}"#,
        r#"{"a":'x}"#,
        "{\"a\":\"x\n",
        "{a:1",
        "{a",
        r#"{"a":Tru"#,
        r#"{"a":True"#,
        r#"Here it is: {"a":1"#,
        r#"<tool_call>{"a":{"b":1}</tool_call>"#,
        r#"{"a":1 // }"#,
        r#"{"a":1 /* }"#,
        "\u{feff}{\"a\":1",
        "```json\n{a:1\n```",
        "{\"a\":1,\n```",
        // A fence inside a string.
        r#"{"s":"Use:\n```js\n{n: 7}\n```\nthen"#,
        r#"{"n":5,"s":"```{n:1}```"#,
        r#"{"n":5,"s":"```{}```"#,
    ] {
        assert_not_repaired(arguments).await;
    }
}

#[tokio::test]
async fn text_with_several_readings_is_not_repaired() {
    for arguments in [
        // Two objects.
        r#"{"a":1}{"a":1}"#,
        r#"{"a":1} {"b":2}"#,
        r#"{"a":1} or {"b":2}"#,
        r#"<tool_call>{"a":1}</tool_call><tool_call>{"a":2}</tool_call>"#,
        // The object continues, or is a part of another value.
        r#"{"a":1},"b":2"#,
        r#"{"a":1}, {"b":2}"#,
        r#"{"a":1}:"#,
        r#"[{"a":1}] x"#,
        r#"functools[{"a":1}]"#,
        r#""x": {"a":1}"#,
        // Either bracket may be surplus, or two are.
        r#"{"a":{"b":1},"c":2}}"#,
        r#"{"a":1}}}"#,
        r#"{"a":[1]]}}"#,
        // An object in a comment or in a string.
        r#"// {"a":1}"#,
        r#"/* {"a":1} */"#,
        r#"null // {"a":1}"#,
        r#"{"n":5,"s":"```{}```" "x"}"#,
        // Words that are not literals or keys.
        r#"{"a":yes}"#,
        r#"{"a":NaN}"#,
        r#"{"a":undefined}"#,
        r#"{"a":TRUE}"#,
        "{a b:1}",
        "{1a:1}",
        "{True:1 2}",
        r#"{"a":True False}"#,
        r#"{"a":-True}"#,
    ] {
        assert_not_repaired(arguments).await;
    }
}

/// Calls a tool whose argument `a` has this schema; returns the arguments that it gets.
async fn coerced(schema: Value, arguments: &str) -> Option<Value> {
    let parameters =
        json!({"type": "object", "properties": {"a": schema}, "$defs": {"one": {"maxItems": 1}}});
    let tool = DynamicTool::new("echo", "", parameters, |arguments| async {
        Ok::<_, String>(Value::Object(arguments))
    });
    let registry = Registry::builder().dynamic(tool).lenient_arguments(true).build().expect("one tool");
    let output = registry.call("echo", arguments).await.into_result().ok()?;
    serde_json::from_str(output.text()).ok()
}

#[tokio::test]
async fn a_scalar_becomes_an_array_of_any_length_and_never_one_of_fixed_length() {
    let numbers = || json!({"type": "array", "items": {"type": "number"}});
    let words = || json!({"type": "array", "items": {"type": "string"}});
    assert_eq!(coerced(words(), r#"{"a":"x y"}"#).await, Some(json!({"a": ["x y"]})));
    assert_eq!(coerced(words(), r#"{"a":"x, y"}"#).await, None, "a list that is written as text");
    assert_eq!(coerced(numbers(), r#"{"a":7}"#).await, Some(json!({"a": [7]})));
    for fixed in [
        json!({"type": "array", "items": {"type": "number"}, "minItems": 2, "maxItems": 2}),
        json!({"type": "array", "items": {"type": "number"}, "minItems": 1, "maxItems": 1}),
        json!({"type": "array", "prefixItems": [{"type": "number"}], "items": {"type": "number"}}),
        json!({"type": "array", "items": {"type": "integer"}, "minItems": 1, "allOf": [{"maxItems": 1}]}),
        json!({"type": "array", "items": {"type": "integer"}, "minItems": 1, "$ref": "#/$defs/one"}),
        json!({"type": "array", "items": {"type": "integer"}, "enum": [[7], [8]]}),
    ] {
        assert_eq!(coerced(fixed.clone(), r#"{"a":7}"#).await, None, "{fixed}");
    }
}
