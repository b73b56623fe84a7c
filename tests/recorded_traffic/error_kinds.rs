//! Recorded and quoted errors, by kind.

use crate::rows;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use tool_runtime::wire::ErrorKind;

/// Counts the errors of each kind, and prints the ones that are not plainly invalid requests.
fn count(errors: impl Iterator<Item = (u16, String)>) -> BTreeMap<String, usize> {
    let mut counts = BTreeMap::new();
    for (status, error) in errors {
        let kind = ErrorKind::from_response(status, &error);
        if kind != ErrorKind::InvalidRequest {
            println!("{kind:?}: {status}, {}", error.chars().take(200).collect::<String>());
        }
        *counts.entry(format!("{kind:?}")).or_default() += 1;
    }
    println!("{counts:?}");
    counts
}

fn status(row: &Value) -> u16 {
    row["status"].as_u64().and_then(|status| u16::try_from(status).ok()).unwrap_or_default()
}

#[test]
fn rejected_requests_have_the_kinds_that_a_reader_gives_them() {
    let Some(rows) = rows("rejected.jsonl") else { return };
    let error = |row: &Value| {
        // Some recordings have the exception of a client, with the status and the body of the response.
        let exception = &row["error"]["exception_data"];
        if exception.is_object() {
            (400, exception["message"].to_string())
        } else {
            (status(row), row["error"].to_string())
        }
    };
    let counts = count(rows.iter().map(error));
    // Two are errors of a server of llama.cpp with the status 500.
    let expected = [("Authentication", 2), ("ContextTooLong", 7), ("InvalidRequest", 56), ("Overloaded", 2)];
    assert_eq!(json!(counts), json!(BTreeMap::from(expected)));
}

#[test]
fn quoted_errors_are_invalid_requests() {
    let Some(rows) = rows("error_texts.jsonl") else { return };
    let text = |row: &Value| (status(row), row["text"].as_str().unwrap_or_default().to_owned());
    let counts = count(rows.iter().map(text));
    assert_eq!(json!(counts), json!({ "InvalidRequest": rows.len() }));
}
