//! References inside a schema.

use serde_json::Value;

/// The values of each `$ref` in a value.
pub(super) fn references_in(value: &Value) -> Vec<&Value> {
    let (mut found, mut rest) = (Vec::new(), vec![value]);
    while let Some(value) = rest.pop() {
        match value {
            Value::Object(entries) => {
                found.extend(entries.get("$ref"));
                rest.extend(entries.values());
            }
            Value::Array(items) => rest.extend(items),
            _ => {}
        }
    }
    found
}

/// The value that a reference such as `#/$defs/stop` points to.
pub(super) fn referenced<'v>(document: &'v Value, reference: &str) -> Option<&'v Value> {
    document.pointer(&percent_decoded(reference.strip_prefix('#')?))
}

/// The name of the definition that a reference such as `#/$defs/stop` refers to; `None` for any other reference.
pub(super) fn definition_name(reference: &str) -> Option<String> {
    let encoded = reference.strip_prefix("#/$defs/").filter(|encoded| !encoded.contains('/'))?;
    Some(percent_decoded(encoded).replace("~1", "/").replace("~0", "~"))
}

/// Decodes the percent-encoded bytes of a reference, which is a URI.
fn percent_decoded(text: &str) -> String {
    let mut parts = text.split('%');
    let mut bytes = parts.next().unwrap_or_default().as_bytes().to_vec();
    for part in parts {
        let digits = part.get(..2).filter(|digits| digits.bytes().all(|digit| digit.is_ascii_hexdigit()));
        match digits.and_then(|digits| u8::from_str_radix(digits, 16).ok()) {
            Some(byte) => bytes.extend(std::iter::once(byte).chain(part.bytes().skip(2))),
            None => bytes.extend(std::iter::once(b'%').chain(part.bytes())),
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::{definition_name, referenced};
    use serde_json::json;

    #[test]
    fn references_are_decoded() {
        let document = json!({ "$defs": { "größe/m": 1, "50%": 2 } });
        assert_eq!(referenced(&document, "#/$defs/gr%C3%B6%C3%9Fe~1m"), Some(&json!(1)));
        assert_eq!(referenced(&document, "#/$defs/50%"), Some(&json!(2)));
        assert_eq!(referenced(&document, "#/$defs/50%25"), Some(&json!(2)));
        assert_eq!(referenced(&document, "other.json#/$defs/50%25"), None);
        assert_eq!(definition_name("#/$defs/gr%C3%B6%C3%9Fe~1m").as_deref(), Some("größe/m"));
        assert_eq!(definition_name("#/$defs/a/b"), None);
    }
}
