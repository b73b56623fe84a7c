//! Requests that are too large to be read.

use crate::message_size::limits;
use rmcp::model::ErrorData;
use serde_json::value::RawValue;

/// The method of the request that takes the place of one that is too large.
pub(super) const TOO_LARGE: &str = "tool-runtime/too_large";

/// A request whose response is an error. The id is JSON.
pub(super) fn too_large_request(id: &str) -> Vec<u8> {
    format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"{TOO_LARGE}"}}"#).into_bytes()
}

pub(super) fn error() -> ErrorData {
    ErrorData::invalid_request(format!("the request is too large: {}; send a smaller one", limits()), None)
}

/// The id of a request, which most clients write before the parameters or after them. `None` for a notification, and if the id
/// is not found.
pub(super) fn request_id(beginning: &[u8], end: &[u8]) -> Option<String> {
    let (beginning, end) = (String::from_utf8_lossy(beginning), String::from_utf8_lossy(end));
    let before_params = beginning.split("\"params\"").next().and_then(|text| text.split_once("\"id\""));
    let after_params = || end.rsplit_once('}')?.0.rsplit_once('}')?.1.split_once("\"id\"");
    let (_, value) = before_params.or_else(after_params)?;
    let value = value.trim_start().strip_prefix(':')?;
    let mut values = serde_json::Deserializer::from_str(value).into_iter::<&RawValue>();
    let id = values.next()?.ok()?.get();
    (id.starts_with('"') || id.parse::<i64>().is_ok()).then(|| id.to_owned())
}

#[cfg(test)]
mod tests {
    use super::request_id;

    #[test]
    fn the_id_is_found_before_and_after_the_parameters() {
        for (beginning, end, expected) in [
            (r#"{"jsonrpc":"2.0","id":7,"method":"m","params":{"id":8"#, "", Some("7")),
            (r#"{"id": "a\"b", "method""#, "", Some(r#""a\"b""#)),
            (r#"{"params":{"id":1,"#, r#"xxx"},"id":12,"jsonrpc":"2.0"}"#, Some("12")),
            (r#"{"method":"notifications/x","params":{"#, "xxx\"}}", None),
            (r#"{"method":"notifications/x","params":{"#, r#""id":8}}"#, None),
            (r#"{"id":{},"params""#, "", None),
        ] {
            assert_eq!(request_id(beginning.as_bytes(), end.as_bytes()).as_deref(), expected, "{beginning}");
        }
    }
}
