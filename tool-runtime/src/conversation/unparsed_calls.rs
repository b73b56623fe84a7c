//! Detection of tool calls in the format of a model's template, which the server should have parsed.

use serde_json::{Map, Value};

/// Markers of calls in the templates of well-known models, which are rare in prose.
const MARKERS: [&str; 13] = [
    "<tool_call>",                         // Hermes, Qwen, GLM
    "<|tool_call|>",                       // Granite
    "<tool_calls>",                        // Jamba
    "<minimax:tool_call>",                 // MiniMax
    "<function=",                          // Llama 3, Qwen Coder
    "<function_call>",                     // Granite, older ones
    "<|python_tag|>",                      // Llama 3
    "[TOOL_CALLS]",                        // Mistral
    "functools[",                          // Phi 4
    "<｜tool▁calls▁begin｜>",              // DeepSeek
    "<｜tool▁call▁begin｜>",               // DeepSeek
    "<|tool_calls_section_begin|>",        // Kimi
    "<|channel|>commentary to=functions.", // gpt-oss
];

/// The marker of a call in this text. A marker counts only if it is followed by text that can be a call, unlike in an
/// explanation of the format.
pub(super) fn begins_call(text: &str) -> Option<&'static str> {
    let is_call = |words: &&&str| {
        text.match_indices(**words).any(|(at, words)| {
            let rest = &text[at + words.len()..];
            rest.starts_with(char::is_alphanumeric)
                || rest.trim_start().starts_with(['{', '[', '<'])
                || begins_with_name(rest.trim_start())
        })
    };
    MARKERS
        .iter()
        .find(is_call)
        .copied()
        .or_else(|| is_bare_call(text).then_some("{\"name\": .., \"parameters\": ..}"))
}

/// Whether the first line is a name. Stops as early as possible, since a text may contain thousands of markers.
fn begins_with_name(text: &str) -> bool {
    let is_of_name = |letter: char| letter.is_alphanumeric() || matches!(letter, '_' | '-' | '.');
    let rest = text.trim_start_matches(is_of_name);
    rest.len() < text.len() && rest.chars().take_while(|&letter| letter != '\n').all(char::is_whitespace)
}

/// Whether the complete text is one call in JSON, as Llama 3 writes them.
fn is_bare_call(text: &str) -> bool {
    let Ok(call) = serde_json::from_str::<Map<String, Value>>(text) else { return false };
    let given = call.get("parameters").or_else(|| call.get("arguments"));
    call.get("name").is_some_and(Value::is_string)
        && given.is_some_and(Value::is_object)
        && call.keys().all(|key| matches!(&**key, "name" | "parameters" | "arguments" | "type" | "id"))
}
