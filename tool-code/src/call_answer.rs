//! The result of a call, for the program.

use crate::engine::CallAnswer;
use serde::de::IgnoredAny;
use std::borrow::Cow;
use tool_runtime::ToolOutput;
use tool_runtime::dispatch::ToolResult;

/// The largest integer that a number of JavaScript represents together with its neighbours, 2^53 - 1, as digits.
const MAX_SAFE_INTEGER: &[u8] = b"9007199254740991";

/// The result of a call for the program: JSON as a value, and any other text unchanged.
pub(crate) fn call_answer(result: &ToolResult, max_bytes: usize) -> CallAnswer {
    if let Some(failure) = result.failure() {
        let message = without_corrected_call(failure.kind(), failure.message());
        return CallAnswer::Failed { kind: failure.kind().to_owned(), message };
    }
    let Some(content) = result.output().map(ToolOutput::content) else {
        return CallAnswer::Text(String::new());
    };
    let text = content.as_str();
    if text.len() > max_bytes {
        let message = format!("the result has {} bytes, and a program can read {max_bytes}", text.len());
        return CallAnswer::Failed { kind: "result_too_long".to_owned(), message };
    }
    // Many tools, such as those of MCP servers, return JSON as text.
    if !content.is_json() && !text.starts_with(['{', '[']) {
        return CallAnswer::Text(text.to_owned());
    }
    match serde_json::from_str::<IgnoredAny>(text) {
        Ok(_) => CallAnswer::Json(exact_numbers(text).into_owned()),
        Err(_) => CallAnswer::Text(text.to_owned()),
    }
}

/// The message of a failure. The corrected call at its end is left out: it is JSON for the model, and a program needs code.
fn without_corrected_call(kind: &str, message: &str) -> String {
    if kind != "invalid_arguments" {
        return message.to_owned();
    }
    let is_call = |&at: &usize| serde_json::from_str::<IgnoredAny>(&message[at + 1..]).is_ok();
    let mut starts = message.match_indices(": {\"name\": ").map(|(at, _)| at);
    match starts.find(is_call) {
        Some(at) => format!("{}.", &message[..at]),
        None => message.to_owned(),
    }
}

/// The JSON text with each integer beyond 2^53 - 1 as a text: JavaScript would silently read another number, and a call with a wrong
/// number is worse than an error.
fn exact_numbers(json: &str) -> Cow<'_, str> {
    let bytes = json.as_bytes();
    let (mut exact, mut copied, mut at, mut is_text) = (String::new(), 0, 0, false);
    while let Some(&byte) = bytes.get(at) {
        match byte {
            b'\\' if is_text => at += 1,
            b'"' => is_text = !is_text,
            b'-' | b'0'..=b'9' if !is_text => {
                let is_part = |byte: &u8| matches!(byte, b'-' | b'+' | b'.' | b'e' | b'E' | b'0'..=b'9');
                let end = at + bytes[at..].iter().take_while(|byte| is_part(byte)).count();
                if is_rounded(&bytes[at..end]) {
                    exact.extend([&json[copied..at], "\"", &json[at..end], "\""]);
                    copied = end;
                }
                at = end - 1;
            }
            _ => {}
        }
        at += 1;
    }
    if copied == 0 { Cow::Borrowed(json) } else { Cow::Owned(exact + &json[copied..]) }
}

/// Whether JavaScript rounds this number, which is an integer.
fn is_rounded(number: &[u8]) -> bool {
    let digits = number.strip_prefix(b"-").unwrap_or(number);
    let is_integer = digits.iter().all(u8::is_ascii_digit);
    is_integer && (digits.len(), digits) > (MAX_SAFE_INTEGER.len(), MAX_SAFE_INTEGER)
}

#[cfg(test)]
mod tests {
    use super::exact_numbers;

    #[test]
    fn only_integers_that_javascript_would_round_become_texts() {
        let cases = [
            (r#"{"id":9007199254740993}"#, r#"{"id":"9007199254740993"}"#),
            (r#"{"id": 9007199254740991 }"#, r#"{"id": 9007199254740991 }"#),
            ("[-9007199254740993,18446744073709551616]", r#"["-9007199254740993","18446744073709551616"]"#),
            ("123456789012345678901234567890", r#""123456789012345678901234567890""#),
            (
                r#"{"a\\\"9007199254740993":"9007199254740993"}"#,
                r#"{"a\\\"9007199254740993":"9007199254740993"}"#,
            ),
            ("[1.5,1e30,12345678901234567890.5]", "[1.5,1e30,12345678901234567890.5]"),
        ];
        for (json, expected) in cases {
            assert_eq!(exact_numbers(json), expected);
        }
    }
}
