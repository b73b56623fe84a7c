//! Text with any characters, in arguments and results.

use crate::message_text;
use tool_runtime::message::Message;
use tool_runtime::{Registry, ToolCall, tool, tools};

/// Look up the weather.
#[tool]
fn get_weather(city: &str, #[arg(name = "备注")] note: Option<String>) -> Result<String, String> {
    match note {
        Some(note) => Err(format!("{city}: {note}")),
        None => Ok(format!("{city} ☀️")),
    }
}

#[tokio::test]
async fn chinese_text_is_unchanged() {
    assert_eq!(message_text(tools![get_weather], "get_weather", r#"{"city":"北京"}"#).await, "北京 ☀️");
}

#[tokio::test]
async fn escaped_chinese_text_is_decoded() {
    assert_eq!(
        message_text(tools![get_weather], "get_weather", r#"{"city":"\u5317\u4eac"}"#).await,
        "北京 ☀️"
    );
    assert_eq!(
        message_text(tools![get_weather], "get_weather", r#"{"\u0063ity":"上海","\u5907\u6ce8":"雨"}"#).await,
        "Error: 上海: 雨"
    );
}

#[tokio::test]
async fn surrogate_pairs_are_decoded() {
    assert_eq!(
        message_text(tools![get_weather], "get_weather", r#"{"city":"\ud83c\udf06🌃"}"#).await,
        "🌆🌃 ☀️"
    );
}

#[tokio::test]
async fn a_lone_surrogate_is_an_error_of_its_argument() {
    let message = message_text(tools![get_weather], "get_weather", r#"{"city":"\ud83c"}"#).await;
    assert!(message.starts_with("Error: invalid arguments for `get_weather`: `city`: "), "{message}");
}

#[tokio::test]
async fn escaped_control_characters_are_accepted_and_raw_ones_are_rejected() {
    let escaped = message_text(tools![get_weather], "get_weather", r#"{"city":"a\u0000\n\u007f\tb"}"#).await;
    assert_eq!(escaped, "a\0\n\u{7f}\tb ☀️");
    let raw = message_text(tools![get_weather], "get_weather", "{\"city\":\"a\nb\"}").await;
    assert!(raw.contains("not valid JSON (control character"), "{raw}");
}

#[tokio::test]
async fn a_result_with_any_character_is_one_json_string_on_the_wire() {
    let registry = Registry::new(tools![get_weather]).expect("one tool");
    let call = ToolCall::new("call_北京", "get_weather", r#"{"city":"\u0001\u2028\"\\北🌆"}"#);
    let messages = registry.dispatch(&[call]).await;
    let wire = serde_json::to_string(&messages[0]).expect("a message serializes");
    let Message::Tool(read) = serde_json::from_str(&wire).expect("a message deserializes") else {
        panic!("not a tool message: {wire}")
    };
    assert_eq!(read.content, "\u{1}\u{2028}\"\\北🌆 ☀️");
    assert_eq!(read.tool_call_id, "call_北京");
}

#[tokio::test]
async fn a_name_of_any_characters_is_an_unknown_tool() {
    let message = message_text(tools![get_weather], "获取\u{0}天气🌆", "{}").await;
    assert_eq!(message, r"Error: there is no tool `获取\u0000天气🌆`. Available: `get_weather`.");
}
