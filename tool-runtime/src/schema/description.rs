//! Additions to the description of a schema: what its keywords cannot say everywhere.

use serde_json::{Map, Value};

/// Appends a sentence. A space joins it: a line break costs more tokens.
pub(super) fn append(keywords: &mut Map<String, Value>, sentence: &str) {
    if sentence.is_empty() {
        return;
    }
    let description = match keywords.get("description").and_then(Value::as_str) {
        Some(description) => sentences([description, sentence].into_iter()),
        None => sentence.to_owned(),
    };
    keywords.insert("description".to_owned(), description.into());
}

/// Moves keywords out of the schema and into its description: `(minLength: 2, maxLength: 5)`.
pub(super) fn move_in(keywords: &mut Map<String, Value>, moved: &[&str]) {
    let removed =
        moved.iter().filter_map(|keyword| Some(format!("{keyword}: {}", keywords.remove(*keyword)?)));
    let removed: Vec<String> = removed.collect();
    if removed.is_empty() {
        return;
    }
    let hint = format!("({})", removed.join(", "));
    let description = match keywords.get("description").and_then(Value::as_str) {
        Some(description) => format!("{description} {hint}"),
        None => hint,
    };
    keywords.insert("description".to_owned(), description.into());
}

/// Joins sentences that may lack their full stop.
pub(super) fn sentences<S: AsRef<str>>(parts: impl Iterator<Item = S>) -> String {
    parts.fold(String::new(), |mut text, part| {
        if !text.is_empty() {
            text.push_str(if text.ends_with(['.', '!', '?', ';', ':']) { " " } else { "; " });
        }
        text + part.as_ref()
    })
}
