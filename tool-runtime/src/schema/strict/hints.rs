//! Keywords that a strict schema may not have and that need not be lost: the model reads them in the description, and the
//! arguments are held to them here.

use serde_json::{Map, Value};

/// What `format` may be: others the server refuses.
const FORMATS: [&str; 9] =
    ["date-time", "time", "date", "duration", "email", "hostname", "ipv4", "ipv6", "uuid"];

const HINTS: [&str; 8] = [
    "examples",
    "minLength",
    "maxLength",
    "uniqueItems",
    "minProperties",
    "maxProperties",
    "propertyNames",
    "not",
];

pub(super) fn describe_what_is_not_known(keywords: &mut Map<String, Value>) {
    let mut hints = Vec::new();
    for keyword in HINTS {
        if let Some(value) = keywords.remove(keyword) {
            hints.push(format!("{keyword}: {value}"));
        }
    }
    let is_unknown = |format: &Value| !format.as_str().is_some_and(|format| FORMATS.contains(&format));
    // Servers' engines look neither ahead nor back.
    let looks_around = |pattern: &Value| {
        pattern.as_str().is_some_and(|text| ["(?=", "(?!", "(?<"].iter().any(|look| text.contains(look)))
    };
    let removed = [
        ("format", keywords.get("format").is_some_and(is_unknown)),
        ("pattern", keywords.get("pattern").is_some_and(looks_around)),
    ];
    for (keyword, _) in removed.into_iter().filter(|&(_, is_removed)| is_removed) {
        if let Some(value) = keywords.remove(keyword) {
            hints.push(format!("{keyword}: {value}"));
        }
    }
    if hints.is_empty() {
        return;
    }
    let hints = format!("({})", hints.join(", "));
    let description = match keywords.get("description").and_then(Value::as_str) {
        Some(description) => format!("{description} {hints}"),
        None => hints,
    };
    keywords.insert("description".to_owned(), description.into());
}
