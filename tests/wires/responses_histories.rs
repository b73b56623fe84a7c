//! The wire of the Responses API: histories that are read.

use crate::json;
use crate::responses::{accepted, call, custom_call, input, reasoning, text};
use serde_json::{Value, json};
use tool_runtime::history;
use tool_runtime::message::Message;
use tool_runtime::wire::{RequestParts, Responses, Wire};

fn read(body: &Value) -> Vec<Message> {
    let messages = Responses::new().read_messages(&body.to_string()).expect("it is read");
    history::validate(&messages).expect("it is valid");
    messages
}

fn user() -> Value {
    json!({ "role": "user", "content": "?" })
}

#[test]
fn a_text_is_a_message_of_the_user() {
    let messages = read(&json!({ "instructions": "Be brief.", "input": "Hello!" }));
    assert_eq!(messages, [Message::system("Be brief."), Message::user("Hello!")]);
}

#[test]
fn items_between_inputs_are_one_reply() {
    let output = |number: u32, kind: &str, text: &str| json!({ "type": kind, "call_id": format!("call_{number}"), "output": text });
    let items = json!([
        user(),
        reasoning(1),
        call(1, "delete", "{}"),
        custom_call(2, "sql", "SELECT 1"),
        output(1, "function_call_output", "Error: not found"),
        output(2, "custom_tool_call_output", "1"),
        { "type": "web_search_call", "id": "ws_1", "status": "completed" },
        text(1, "Done."),
        { "role": "assistant", "content": "Really." },
        user(),
    ]);
    let messages = read(&items);
    assert_eq!(messages.len(), 6);
    let Message::Assistant(reply) = &messages[1] else { panic!("a reply") };
    assert_eq!(reply.tool_calls.len(), 2);
    let Message::Tool(result) = &messages[2] else { panic!("a result") };
    assert!(result.is_error() && result.tool() == Some("delete"));
    let Message::Assistant(reply) = &messages[4] else { panic!("a reply") };
    assert_eq!(reply.text(), "Done.Really.");
    assert_eq!(input(&Responses::new(), &messages), items);
}

#[test]
fn fields_and_parts_without_a_neutral_meaning_go_back() {
    let items = json!([
        { "type": "message", "role": "system", "content": "Be brief." },
        { "role": "user", "content": [
            { "type": "input_text", "text": "See:" },
            { "type": "input_image", "file_id": "file_1", "detail": "high" },
            { "type": "input_audio", "input_audio": { "data": "AQID", "format": "wav" } },
        ] },
        call(1, "delete", "{}"),
        { "type": "function_call_output", "id": "fco_1", "call_id": "call_1", "status": "completed",
          "output": [{ "type": "input_file", "file_id": "file_2" }] },
    ]);
    let mut expected = items.clone();
    // The reasoning of the call is not known.
    expected[2].as_object_mut().expect("an object").remove("id");
    assert_eq!(input(&Responses::new(), &read(&items)), expected);
}

#[test]
fn instructions_and_a_system_message_stay_in_their_places() {
    let request = json!({ "instructions": "One", "input": [{ "role": "system", "content": "Two" }, user()] });
    let body = Responses::new().write(&RequestParts::new(&read(&request))).expect("it is written");
    let written = accepted(&Responses::new(), &body);
    assert_eq!(written, request);
    assert_eq!(json(&read(&request)[1]), json!({ "role": "system", "content": "Two" }));
}

#[test]
fn errors_name_what_is_wrong() {
    for (body, expected) in [
        ("{\"input\":", "the text is not JSON"),
        ("{}", "expected the input of a request of the Responses API: missing field `input`"),
        (r#"{"input":5}"#, "expected the input of a request of the Responses API: invalid type: integer `5`"),
        (r#"{"messages":[]}"#, "this is in the format of `chat_completions`"),
        (r#"[{"role":"tool","content":"x"}]"#, "this is in the format of `chat_completions`"),
        (
            r#"[{"role":"robot","content":"x"}]"#,
            "expected the input of a request of the Responses API: the role `robot`",
        ),
        (
            r#"[{"id":"x"}]"#,
            "expected the input of a request of the Responses API: an item without `type` and `role`",
        ),
        (
            r#"[{"type":"function_call_output","output":"x"}]"#,
            "expected the input of a request of the Responses API: a result without `call_id`",
        ),
        (
            r#"[{"role":"user","content":5}]"#,
            "expected the input of a request of the Responses API: the content of",
        ),
    ] {
        let error = Responses::new().read_messages(body).expect_err(body).to_string();
        assert!(error.starts_with(expected), "{error}");
    }
}
