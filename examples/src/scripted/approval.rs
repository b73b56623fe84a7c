//! The script of the approval example.

use super::{Scripted, assistant_calls};
use serde_json::json;

/// Looks what there is, deletes two notes at once, and says what came of it.
#[must_use]
pub fn script() -> Scripted {
    Scripted::new(|answers| match answers {
        [] => assistant_calls(&[("call_list", "list_notes", json!({}))]),
        [_notes] => assistant_calls(&[
            ("call_draft", "delete_note", json!({ "name": "draft" })),
            ("call_taxes", "delete_note", json!({ "name": "taxes" })),
        ]),
        [_notes, deletions @ ..] => {
            let sentences: Vec<String> = deletions.iter().map(|answer| deletion_sentence(answer)).collect();
            json!({ "role": "assistant", "content": sentences.join(" ") })
        }
    })
}

fn deletion_sentence(answer: &str) -> String {
    match answer.strip_prefix("Error: ") {
        None => format!("Done: {answer}."),
        Some(reason) => format!("I left a note where it was: {reason}."),
    }
}
