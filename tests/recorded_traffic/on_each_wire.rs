//! Collected definitions on each wire: how many are changed and left out, and why.

use crate::{list, rows};
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use tool_runtime::message::Message;
use tool_runtime::wire::{RequestParts, Wire, by_name};
use tool_runtime::{DynamicTool, Registry};
use tool_runtime_testing::check_request;

const WIRES: [&str; 7] =
    ["chat_completions", "responses", "anthropic", "gemini", "gemini_interactions", "ollama", "bedrock"];

/// A definition of a collection: the name of its provider's wire, if one accepted it, and its parameters.
struct Definition {
    accepted_by: Option<&'static str>,
    parameters: Value,
}

/// The number of definitions that a wire changes, by kind.
#[derive(Default)]
struct Counts(BTreeMap<String, usize>);

impl Counts {
    fn add(&mut self, what: &str) {
        *self.0.entry(what.to_owned()).or_default() += 1;
    }
}

/// A change without the names of the definition.
fn kind_of(change: &str) -> String {
    change.split('`').step_by(2).collect::<Vec<_>>().join("..")
}

/// The parameters of the only tool of a body.
fn written(wire: &dyn Wire, body: &Value) -> Value {
    let tool = &body["tools"][0];
    match wire.name() {
        "anthropic" => tool["input_schema"].clone(),
        "gemini" => tool["functionDeclarations"][0]["parametersJsonSchema"].clone(),
        "bedrock" => body["toolConfig"]["tools"][0]["toolSpec"]["inputSchema"]["json"].clone(),
        "responses" | "gemini_interactions" => tool["parameters"].clone(),
        _ => tool["function"]["parameters"].clone(),
    }
}

/// The parameters without what has no effect: `$schema`, and the empty `properties` of an object with any keys.
fn without_effect(parameters: &Value) -> Value {
    let mut parameters = if parameters.is_null() { json!({"type": "object"}) } else { parameters.clone() };
    if let Some(keywords) = parameters.as_object_mut() {
        keywords.retain(|keyword, value| {
            keyword != "$schema" && (keyword != "properties" || *value != json!({}))
        });
    }
    parameters
}

fn count(definitions: &[Definition], file: &str) {
    for name in WIRES {
        let wire = by_name(name).expect("its feature is enabled");
        let mut counts = Counts::default();
        for definition in definitions {
            let parameters = definition.parameters.clone();
            let tool = DynamicTool::new("tool", "", parameters, |_| async { Ok::<_, String>(()) });
            let registry = match Registry::builder().dynamic(tool).build() {
                Ok(registry) => registry,
                Err(error) => {
                    counts.add(&format!("not built: {}", kind_of(&error.to_string())));
                    continue;
                }
            };
            let messages = [Message::user("Go.")];
            let body = wire.write(&RequestParts::new(&messages).tools(registry.schemas()));
            let body = body.expect("it is written");
            let json = serde_json::to_value(&body).expect("it is JSON");
            check_request(&wire, &json).unwrap_or_else(|error| panic!("{error}: {}", definition.parameters));
            if let Some(left_out) = body.report().left_out_tools.first() {
                counts.add(&format!("left out: {}", left_out.reason));
                continue;
            }
            let changes = &body.report().changed_definitions;
            if changes.is_empty() {
                counts.add("unchanged");
                let sent = without_effect(&written(&wire, &json));
                assert_eq!(sent, without_effect(&definition.parameters), "{name}");
            } else {
                counts.add("changed");
                assert_ne!(definition.accepted_by, Some(name), "{changes:?}: {}", definition.parameters);
            }
            let mut kinds: Vec<String> = changes.iter().map(|change| kind_of(&change.change)).collect();
            kinds.sort_unstable();
            kinds.dedup();
            for kind in kinds {
                counts.add(&format!("  {kind}"));
            }
        }
        println!("{file}, {name}:");
        for (what, count) in counts.0 {
            println!("    {count}: {what}");
        }
    }
}

#[test]
fn accepted_definitions_stay_as_they_were() {
    let Some(rows) = rows("accepted_tools.jsonl") else { return };
    let definition = |row: &Value| Definition {
        accepted_by: match row["wire"].as_str() {
            Some("openai-chat") => Some("chat_completions"),
            Some("openai-responses") => Some("responses"),
            Some("anthropic") => Some("anthropic"),
            // Gemini accepted the older format, which may have types in capital letters and no `items`.
            _ => None,
        },
        parameters: row["parameters"].clone(),
    };
    let definitions: Vec<Definition> = rows.iter().map(definition).collect();
    count(&definitions, "accepted_tools.jsonl");
}

#[test]
fn definitions_of_servers_and_of_a_benchmark_are_counted() {
    let collected = |parameters: &Value| Definition { accepted_by: None, parameters: parameters.clone() };
    if let Some(rows) = rows("mcp_tools.jsonl") {
        count(&rows.iter().map(|row| collected(&row["inputSchema"])).collect::<Vec<_>>(), "mcp_tools.jsonl");
    }
    if let Some(rows) = rows("bfcl_calls.jsonl") {
        let tools = rows.iter().flat_map(|row| list(&row["tools"]));
        count(
            &tools.map(|tool| collected(&tool["function"]["parameters"])).collect::<Vec<_>>(),
            "bfcl_calls.jsonl",
        );
    }
    // The output of `tests/recorded_traffic/list_server_tools.py`.
    let Some(file) = std::env::var_os("SERVER_TOOLS") else {
        return println!("skipped: SERVER_TOOLS is not set");
    };
    let text = std::fs::read_to_string(file).expect("the file is read");
    let rows = text.lines().map(|line| serde_json::from_str::<Map<_, _>>(line).expect("it is JSON"));
    count(&rows.map(|row| collected(&row["inputSchema"])).collect::<Vec<_>>(), "the definitions of servers");
}
