//! Reading and writing messages in the format of Chat Completions.

use serde_json::{Value, json};
use tool_runtime::message::{Content, Message, Part};
use tool_runtime::{AssistantMessage, ToolCall, ToolChoice, ToolMessage, ToolSchema};

fn read(json: Value) -> AssistantMessage {
    serde_json::from_value(json).expect("it is read")
}

fn written(message: &impl serde::Serialize) -> String {
    serde_json::to_string(message).expect("it is written")
}

#[test]
fn every_role_is_written_role_first() {
    let messages = [
        Message::system("a"),
        Message::developer("b"),
        Message::user("c"),
        AssistantMessage::from_text("d").into(),
        AssistantMessage::from_tool_calls(vec![ToolCall::new("1", "now", "{}")]).into(),
        ToolMessage::new("1", "e").into(),
    ];
    assert_eq!(
        written(&messages),
        concat!(
            r#"[{"role":"system","content":"a"},{"role":"developer","content":"b"},{"role":"user","content":"c"},"#,
            r#"{"role":"assistant","content":"d"},"#,
            r#"{"role":"assistant","content":null,"tool_calls":[{"id":"1","type":"function","#,
            r#""function":{"name":"now","arguments":"{}"}}]},"#,
            r#"{"role":"tool","tool_call_id":"1","content":"e"}]"#,
        )
    );
}

#[test]
fn every_role_survives_a_round_trip() {
    let messages = [
        Message::system("a"),
        Message::developer("b"),
        Message::user(Content::from_parts([Part::image_url("x")])),
        AssistantMessage::from_tool_calls(vec![ToolCall::new("1", "now", "{}")]).into(),
        ToolMessage::new("1", "e").into(),
    ];
    let again: Vec<Message> = serde_json::from_str(&written(&messages)).expect("it is read");
    assert_eq!(again, messages);
}

#[test]
fn a_missing_or_unknown_role_is_a_clear_error() {
    let error = serde_json::from_str::<Message>(r#"{"content":"x"}"#).expect_err("no role");
    assert_eq!(error.to_string(), "missing field `role`");
    let error =
        serde_json::from_str::<Message>(r#"{"role":"function","content":"x"}"#).expect_err("unknown role");
    assert!(error.to_string().contains("unknown variant `function`, expected one of `system`, "), "{error}");
    let error = serde_json::from_str::<AssistantMessage>(r#"{"role":"user"}"#).expect_err("another role");
    assert!(error.to_string().contains("expected a message of role `assistant`, got `user`"), "{error}");
}

#[test]
fn content_may_be_missing_null_empty_or_parts() {
    assert_eq!(read(json!({"role":"assistant"})).content, None);
    assert_eq!(read(json!({"role":"assistant","content":null})).content, None);
    assert_eq!(read(json!({"role":"assistant","content":""})).content, Some("".into()));
    let parts = json!([{"type":"text","text":"sun"},{"type":"text","text":"ny"}]);
    let content = read(json!({"content":parts})).content.expect("there is content");
    assert_eq!(content, "sunny");
    assert_eq!(serde_json::to_value(&content).expect("it is written"), parts);
    let tool: ToolMessage =
        serde_json::from_value(json!({"role":"tool","content":null})).expect("it is read");
    assert_eq!((&*tool.tool_call_id, tool.content.as_str()), ("", ""));
}

#[test]
fn missing_null_and_empty_calls_are_not_written() {
    for json in [
        json!({"content":"x"}),
        json!({"content":"x","tool_calls":null}),
        json!({"content":"x","tool_calls":[]}),
    ] {
        let message = read(json);
        assert!(message.tool_calls.is_empty());
        assert_eq!(written(&message), r#"{"role":"assistant","content":"x"}"#);
    }
}

#[test]
fn arguments_may_be_a_string_an_object_null_or_missing() {
    for (function, arguments) in [
        (json!({"name":"f","arguments":"{\"a\": 1}"}), "{\"a\": 1}"),
        (json!({"name":"f","arguments":{"a":1}}), r#"{"a":1}"#),
        (json!({"name":"f","arguments":null}), ""),
        (json!({"name":"f"}), ""),
    ] {
        let call: ToolCall =
            serde_json::from_value(json!({"id":"1","function":function})).expect("it is read");
        assert_eq!(call, ToolCall::new("1", "f", arguments));
    }
}

#[test]
fn a_call_may_lack_id_type_index_and_function() {
    let calls: Vec<ToolCall> = serde_json::from_value(json!([
        {"function":{"name":"f","arguments":"{}"}},
        {"id":null,"type":null,"index":7,"function":{"name":"f","arguments":"{}"}},
        {"id":"","type":"function","function":{"name":"f","arguments":"{}","index":0}},
        {},
    ]))
    .expect("they are read");
    assert_eq!(
        calls[..3],
        [ToolCall::new("", "f", "{}"), ToolCall::new("", "f", "{}"), ToolCall::new("", "f", "{}")]
    );
    assert_eq!(calls[3], ToolCall::new("", "", ""));
}

#[test]
fn a_reply_may_have_another_role_null_calls_and_numeric_ids() {
    let reply = read(json!({
        "role": "model", "content": null,
        "tool_calls": [null, {"id": 7, "name": "f", "arguments": "{}"}],
    }));
    assert_eq!(reply.tool_calls, [ToolCall::new("7", "f", "{}")]);
}

#[test]
fn unknown_fields_of_a_history_are_kept() {
    let history = json!([
        {"role":"user","content":"x","name":"Ada"},
        {"role":"assistant","content":"y","reasoning_content":"z"},
        {"role":"tool","content":"w","tool_call_id":"1","cache_control":{"type":"ephemeral"}},
    ]);
    let messages: Vec<Message> = serde_json::from_value(history.clone()).expect("it is read");
    assert_eq!(serde_json::to_value(&messages).expect("it is written"), history);
}

#[test]
fn fields_of_another_role_are_kept() {
    let history = json!([
        {"role":"user","content":"x","tool_call_id":"1","tool_calls":[
            {"id":"1","type":"function","function":{"name":"f","arguments":"{}"}}]},
        {"role":"assistant","content":"y","tool_call_id":"1"},
        {"role":"tool","content":"z","tool_call_id":"1","tool_calls":[]},
    ]);
    let messages: Vec<Message> = serde_json::from_value(history.clone()).expect("it is read");
    assert_eq!(serde_json::to_value(&messages).expect("it is written"), history);
}

#[test]
fn the_text_of_a_message_is_its_content() {
    assert_eq!(Message::user("x").text(), "x");
    assert_eq!(Message::from(AssistantMessage::default()).text(), "");
    assert_eq!(Message::from(ToolMessage::new("1", "y")).text(), "y");
}

#[test]
fn a_tool_choice_has_four_values() {
    for (choice, json) in [
        (ToolChoice::Auto, json!("auto")),
        (ToolChoice::None, json!("none")),
        (ToolChoice::Required, json!("required")),
        (ToolChoice::Tool("now".to_owned()), json!({"type":"function","function":{"name":"now"}})),
    ] {
        assert_eq!(serde_json::to_value(&choice).expect("it is written"), json);
        assert_eq!(serde_json::from_value::<ToolChoice>(json).expect("it is read"), choice);
    }
    assert_eq!(serde_json::from_value::<ToolChoice>(json!("any")).expect("it is read"), ToolChoice::Required);
    assert!(serde_json::from_value::<ToolChoice>(json!("sometimes")).is_err());
}

#[test]
fn a_tool_definition_may_lack_parameters() {
    for function in
        [json!({"name":"now"}), json!({"name":"now","description":null,"parameters":null,"strict":true})]
    {
        let schema: ToolSchema =
            serde_json::from_value(json!({"type":"function","function":function})).expect("it is read");
        assert_eq!(schema.name(), "now");
        assert_eq!(schema.description(), "");
        assert_eq!(
            schema.parameters().get(),
            r#"{"type":"object","additionalProperties":false,"properties":{}}"#
        );
    }
}
