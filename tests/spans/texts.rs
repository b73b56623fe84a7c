//! Texts of models and tools in spans: which characters are escaped, and how long a text may be.

use crate::{attribute, span_of};
use opentelemetry::trace::Status;
use opentelemetry_sdk::trace::SpanData;
use tool_runtime::{Registry, ToolCall, tool, tools};

/// Returns a text that forges a line of a log.
#[tool]
fn repeat(text: &str) -> String {
    text.to_owned()
}

/// Fails with the text.
#[tool]
fn fail_with(text: String) -> Result<(), String> {
    Err(text)
}

/// Panics with the text.
#[tool]
fn panic_with(text: String) {
    std::panic::panic_any(text);
}

/// All texts of a span and its events.
fn texts(span: &SpanData) -> Vec<String> {
    let events = span.events.iter().flat_map(|event| &event.attributes);
    let attributes = span.attributes.iter().chain(events);
    let mut texts: Vec<String> = attributes.map(|attribute| attribute.value.as_str().into_owned()).collect();
    if let Status::Error { description } = &span.status {
        texts.push(description.to_string());
    }
    texts.push(span.name.to_string());
    texts.extend(span.events.iter().map(|event| event.name.to_string()));
    texts
}

#[tokio::test]
async fn no_text_of_a_model_or_a_tool_forges_a_line_of_a_log() {
    let forged = "no\r\nINFO all is well\u{1b}[2K\u{7}\u{9b}\u{85}\u{2028}\u{2029}\u{202e}\u{2066}\u{feff}";
    // JSON that contains the characters, which is valid, and white space between its values.
    let arguments = serde_json::json!({ "text": forged }).to_string().replace(':', ":\r\n\t");
    let forged_arguments = arguments.replace(r"\u001b", "\u{1b}").replace("\\n", "\n");
    let described = || {
        let schema = serde_json::json!({"type": "object"});
        tool_runtime::DynamicTool::new("described", forged, schema, |_| async {
            Err::<(), _>("no\nINFO all is well")
        })
    };
    for traced in [true, false] {
        let registry = Registry::builder().tools(tools![repeat, fail_with, panic_with]).dynamic(described());
        let registry = registry.trace_content(traced).build().expect("a registry");
        for tool in ["repeat", "fail_with", "panic_with", "described", forged] {
            for arguments in [&*arguments, &*forged_arguments] {
                for text in texts(&span_of(&registry, ToolCall::new(forged, tool, arguments)).await) {
                    let is_unsafe = |letter: char| {
                        letter.is_control()
                            || ('\u{2028}'..='\u{202e}').contains(&letter)
                            || letter == '\u{2066}'
                    };
                    assert!(!text.contains(is_unsafe), "{tool}: {text:?}");
                }
            }
        }
        let span = span_of(&registry, ToolCall::new("1", "repeat", &*arguments)).await;
        let sent = attribute(&span, "gen_ai.tool.call.arguments");
        assert_eq!(sent.is_some(), traced);
        if let Some(sent) = sent {
            let sent: serde_json::Value = serde_json::from_str(&sent).expect("it is still JSON");
            assert_eq!(sent["text"], forged, "nothing is lost");
        }
    }
}

#[tokio::test]
async fn texts_in_spans_have_a_limit() {
    let long = "a\n".repeat(5 << 20);
    let registry = Registry::builder().tools(tools![repeat, fail_with, panic_with]).trace_content(true);
    let registry = registry.build().expect("a registry");
    let arguments = serde_json::json!({ "text": long }).to_string();
    for tool in ["repeat", "fail_with", "panic_with", &long] {
        for text in texts(&span_of(&registry, ToolCall::new(&*long, tool, &*arguments)).await) {
            assert!(text.len() < 200_000, "{}", text.len());
        }
    }
}
