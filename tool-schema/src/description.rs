//! Additions to a description, in place of keywords that a server or an engine rejects.

use crate::json::to_text;
use serde_json::{Map, Value};

/// Appends a sentence, after a space or, if the description does not end like a sentence, after `; `. A line break would
/// cost more tokens.
pub(crate) fn append(keywords: &mut Map<String, Value>, sentence: &str) {
    if !sentence.is_empty() {
        add(keywords, sentence, |description| join_sentences([description, sentence].into_iter()));
    }
}

/// Moves keywords out of the schema and into its description: `(minLength: 2, maxLength: 5)`.
pub fn move_keywords(keywords: &mut Map<String, Value>, moved: &[&str]) {
    let removed = moved.iter().filter_map(|keyword| Some((keyword, keywords.get(*keyword)?)));
    let removed: Vec<String> =
        removed.map(|(keyword, value)| format!("{keyword}: {}", to_text(value))).collect();
    if !removed.is_empty() {
        keywords.retain(|keyword, _| !moved.contains(&keyword.as_str()));
        let hint = format!("({})", removed.join(", "));
        add(keywords, &hint, |description| format!("{description} {hint}"));
    }
}

fn add(keywords: &mut Map<String, Value>, text: &str, join: impl Fn(&str) -> String) {
    let description =
        keywords.get("description").and_then(Value::as_str).map_or_else(|| text.to_owned(), join);
    keywords.insert("description".to_owned(), description.into());
}

/// Joins sentences that may lack their full stop.
pub(crate) fn join_sentences<S: AsRef<str>>(parts: impl Iterator<Item = S>) -> String {
    parts.fold(String::new(), |mut text, part| {
        if !text.is_empty() {
            text.push_str(if text.ends_with(['.', '!', '?', ';', ':']) { " " } else { "; " });
        }
        text + part.as_ref()
    })
}
