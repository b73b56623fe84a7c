//! Responses of a server that are not valid messages.

use crate::message_size::limits;
use crate::repaired_reader::RepairLine;
use crate::surrogates::replace_lone_surrogates;
use rmcp::model::{ErrorCode, ServerJsonRpcMessage};
use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::value::RawValue;
use serde_json::{Value, json};
use std::borrow::Cow;

/// The number of characters of a response that an error quotes.
const MAX_QUOTED: usize = 500;

pub(super) const REPAIR_LINE: RepairLine =
    RepairLine { repair: repair_line, replace_too_large: replace_too_large_response };

/// An error in place of a response that is too large. Servers write the id before the result or after it.
fn replace_too_large_response(beginning: &[u8], end: &[u8]) -> Option<Vec<u8>> {
    let (beginning, end) = (String::from_utf8_lossy(beginning), String::from_utf8_lossy(end));
    let after_result = || {
        let fields = end.rsplit_once('}')?.0.rsplit_once('}')?.1;
        find_id(&format!("{{\"id\":{}", fields.split_once("\"id\":")?.1))
    };
    // A request or a notification of the server may contain the id of another message.
    let is_response = !beginning.contains("\"method\"");
    let id = find_id(&beginning).or_else(|| after_result().filter(|_| is_response))?;
    let message = format!("the response of the server is too large: {}", limits());
    let error = json!({"code": ErrorCode::PARSE_ERROR.0, "message": message});
    Some(json!({"jsonrpc": "2.0", "id": id, "error": error}).to_string().into_bytes())
}

/// Repairs a line of a server: lone surrogates are replaced, a batch becomes one line for each message, and a response that is no
/// valid message becomes an error of its request, which would wait for its time limit otherwise. `None` if rmcp can read the
/// line, or if it is no response.
fn repair_line(line: &[u8]) -> Option<Vec<u8>> {
    if line.trim_ascii().is_empty() || is_message(line) {
        return None;
    }
    let line = replace_lone_surrogates(line);
    let text = String::from_utf8_lossy(line.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(&line));
    let messages = match serde_json::from_str::<Vec<&RawValue>>(&text) {
        Ok(batch) => batch.into_iter().filter_map(|message| repair(message.get())).collect(),
        Err(_) => vec![repair(&text)?],
    };
    Some(messages.join("\n").into_bytes())
}

fn is_message(text: &[u8]) -> bool {
    serde_json::from_slice::<ServerJsonRpcMessage>(text).is_ok()
}

/// The fields of a response, of any types.
#[derive(Deserialize)]
struct Fields<'a> {
    id: Option<Value>,
    method: Option<IgnoredAny>,
    #[serde(borrow)]
    result: Option<&'a RawValue>,
    #[serde(borrow)]
    error: Option<&'a RawValue>,
}

/// The message on one line; `None` for a text that is neither a message nor a response with an id.
fn repair(text: &str) -> Option<String> {
    // The text of a batch may have line breaks as white space; those in strings are escaped.
    let line = || text.replace(['\n', '\r'], " ");
    if is_message(text.as_bytes()) {
        return Some(line());
    }
    let unreadable = |error: &dyn std::fmt::Display| {
        let quoted: String = text.chars().take(MAX_QUOTED).collect();
        format!("the response of the server cannot be read ({error}): {quoted}")
    };
    let (id, code, message) = match serde_json::from_str::<Fields>(text) {
        Ok(Fields { method: Some(_), .. }) => return None,
        Ok(Fields { id, error: Some(error), .. }) => {
            let (code, message) = read_error(error.get());
            (number(&id?)?, code, message)
        }
        Ok(Fields { id, result, error: None, .. }) => {
            let id = number(&id?)?;
            let result = result.map_or("null", RawValue::get);
            let response = format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{result}}}"#);
            if result != "null" && is_message(response.as_bytes()) {
                return Some(response.replace(['\n', '\r'], " "));
            }
            let problem = serde_json::from_str::<ServerJsonRpcMessage>(text).err();
            let problem = problem.map_or_else(String::new, |problem| problem.to_string());
            (id, ErrorCode::INTERNAL_ERROR.0, unreadable(&problem))
        }
        Err(error) => (find_id(text)?, ErrorCode::PARSE_ERROR.0, unreadable(&error)),
    };
    let error = json!({"code": code, "message": message});
    Some(json!({"jsonrpc": "2.0", "id": id, "error": error}).to_string())
}

/// The code and the message of an error in any form.
fn read_error(text: &str) -> (i32, String) {
    let error: Value = serde_json::from_str(text).unwrap_or_default();
    let words = match (&error["message"], &error) {
        (Value::String(message), _) | (_, Value::String(message)) => Cow::Borrowed(&**message),
        _ => text.chars().take(MAX_QUOTED).collect(),
    };
    let code = &error["code"];
    match number(code).and_then(|code| i32::try_from(code).ok()) {
        Some(code) => (code, words.into_owned()),
        None => (
            ErrorCode::INTERNAL_ERROR.0,
            match code.as_str() {
                Some(code) if error["message"].is_string() => format!("{words} ({code})"),
                _ => words.into_owned(),
            },
        ),
    }
}

/// A number, which some servers write as a string or with a fraction.
#[allow(clippy::cast_possible_truncation, reason = "the conversion saturates")]
fn number(value: &Value) -> Option<i64> {
    let fraction =
        |value: &Value| value.as_f64().filter(|number| number.fract() == 0.0).map(|number| number as i64);
    value.as_i64().or_else(|| value.as_str()?.parse().ok()).or_else(|| fraction(value))
}

/// The id of a response that is no valid JSON. `None` if it seems to be a request.
fn find_id(text: &str) -> Option<i64> {
    let bytes = text.as_bytes();
    let (mut depth, mut position, mut id) = (0_usize, 0, None);
    while let Some(&byte) = bytes.get(position) {
        position += 1;
        match byte {
            b'{' | b'[' => depth += 1,
            b'}' | b']' => depth = depth.saturating_sub(1),
            b'"' => {
                let start = position;
                while bytes.get(position).is_some_and(|&byte| byte != b'"') {
                    position += if bytes[position] == b'\\' { 2 } else { 1 };
                }
                let Some(key) = bytes.get(start..position) else { break };
                position += 1;
                let value = bytes.get(position..).unwrap_or_default().trim_ascii_start();
                match (value.strip_prefix(b":"), key) {
                    (Some(_), b"method") if depth == 1 => return None,
                    (Some(value), b"id") if depth == 1 => {
                        let value = value.trim_ascii_start();
                        let value = value.strip_prefix(b"\"").unwrap_or(value);
                        let is_digit = |byte: &u8| byte.is_ascii_digit() || *byte == b'-';
                        let digits = value.iter().take_while(|byte| is_digit(byte)).copied().collect();
                        id = String::from_utf8(digits).ok().and_then(|digits| digits.parse().ok());
                    }
                    _ => {}
                }
            }
            _ => {}
        }
    }
    id
}
