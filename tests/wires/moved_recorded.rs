//! Recorded histories of each wire, written to each other wire, from the folder that the variable `TOOL_CORPORA` names.

use crate::exchanged::{Entry, exchanged};
use crate::{json, list, rows, write};
use serde_json::Value;
use std::collections::BTreeMap;
use tool_runtime::history;
use tool_runtime::wire::{
    Anthropic, Bedrock, ChatCompletions, Gemini, GeminiInteractions, Ollama, Responses, Wire, detect,
};
use tool_runtime_testing::check_request;

/// The recorded requests of this wire, with their sources.
fn requests(wire: &str) -> Vec<(Value, Value)> {
    if wire == "chat_completions" {
        let rows = rows::rows("transcripts.jsonl").unwrap_or_default();
        let accepted = |row: &Value| {
            let count = row["accepted"].as_u64().and_then(|count| usize::try_from(count).ok());
            list(&row["messages"]).iter().take(count.unwrap_or_default()).cloned().collect::<Value>()
        };
        return rows.iter().map(|row| (row["source"].clone(), accepted(row))).collect();
    }
    let rows = rows::rows("other_wire.jsonl").unwrap_or_default();
    let of_wire = rows.into_iter().filter(|row| row["wire"] == wire);
    of_wire.map(|row| (row["source"].clone(), row["request"].clone())).collect()
}

#[test]
fn every_history_moves_to_each_other_wire_with_its_calls_results_and_texts() {
    let wires: [(&str, &dyn Wire); 6] = [
        ("chat_completions", &ChatCompletions::new()),
        ("anthropic", &Anthropic::new()),
        ("openai-responses", &Responses::new()),
        ("gemini", &Gemini::new()),
        ("ollama", &Ollama::new()),
        ("bedrock", &Bedrock::new()),
    ];
    // There are no recordings of this wire.
    let unrecorded: (&str, &dyn Wire) = ("gemini_interactions", &GeminiInteractions::new());
    for (name, from) in wires {
        for (_, to) in wires.into_iter().chain([unrecorded]).filter(|(other, _)| *other != name) {
            let (mut histories, mut calls) = (0, 0);
            let mut dropped: BTreeMap<String, usize> = BTreeMap::new();
            for (source, request) in requests(name) {
                // Some rows have no request.
                let Ok(messages) = from.read_messages(&request.to_string()) else { continue };
                let body = write(to, &messages);
                let request = json(&body);
                assert_eq!(check_request(to, &request), Ok(()), "{source} to {to:?}");
                let read = to
                    .read_messages(&request.to_string())
                    .unwrap_or_else(|error| panic!("{source} to {to:?}: {error}"));
                history::validate(&read).unwrap_or_else(|error| panic!("{source} to {to:?}: {error}"));
                assert_eq!(exchanged(&read), exchanged(&messages), "{source} to {to:?}");
                for part in &body.report().dropped {
                    *dropped.entry(part.kind.clone()).or_default() += 1;
                }
                calls +=
                    exchanged(&messages).1.iter().filter(|entry| matches!(entry, Entry::Call { .. })).count();
                histories += 1;
            }
            println!(
                "{name} to {}: {histories} histories with {calls} calls, dropped: {dropped:?}",
                to.name()
            );
            assert_eq!(histories == 0, requests(name).is_empty(), "the file has such rows");
        }
    }
}

#[test]
fn the_wire_of_each_history_is_detected() {
    let wires = ["chat_completions", "anthropic", "openai-responses", "gemini", "ollama", "bedrock"];
    for name in wires {
        let requests = requests(name);
        // Some rows have no request.
        let has_messages = |request: &Value| {
            request.is_array()
                || ["messages", "input", "contents"].iter().any(|field| !request[field].is_null())
        };
        let expected = if name == "openai-responses" { "responses" } else { name };
        let mut histories = 0;
        for (source, request) in requests.iter().filter(|(_, request)| has_messages(request)) {
            assert_eq!(detect(&request.to_string()), Some(expected), "{source}");
            histories += 1;
        }
        println!("{histories} histories of {name}");
        assert_eq!(histories == 0, requests.is_empty(), "the file has such rows");
    }
}
