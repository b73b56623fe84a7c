//! The script of the approval example.

use super::{Scripted, assistant_calls};
use serde_json::json;

/// Lists the notes, deletes two of them, and reports the results.
#[must_use]
pub fn script() -> Scripted {
    Scripted::new(|results| match results {
        [] => assistant_calls(&[("call_list", "list_notes", json!({}))]),
        [_notes] => assistant_calls(&[
            ("call_draft", "delete_note", json!({ "name": "draft" })),
            ("call_taxes", "delete_note", json!({ "name": "taxes" })),
        ]),
        [_notes, deletions @ ..] => {
            let sentences: Vec<String> = deletions.iter().map(|result| deletion_sentence(result)).collect();
            json!({ "role": "assistant", "content": sentences.join(" ") })
        }
    })
}

fn deletion_sentence(result: &str) -> String {
    match result.strip_prefix("Error: ") {
        None => format!("Done: {result}."),
        Some(reason) => format!("I kept a note: {reason}."),
    }
}
