//! Costly definitions and queries of a search.

use crate::cases::{Case, Input};
use serde_json::{Value, json};
use std::pin::pin;
use std::task::{Context, Poll, Waker};
use tool_runtime::search::{KeywordIndex, documented_signature};
use tool_runtime::{Registry, ToolCall, ToolSchema};

pub(crate) fn cases() -> Vec<Case> {
    let length = 100_000;
    let texts = [
        ("search: one word", "x".repeat(length)),
        ("search: changes of case", "xY".repeat(length / 2)),
        ("search: numbers in a word", "a1".repeat(length / 2)),
        ("search: repeated words", "weather ".repeat(length / 8)),
        ("search: separators", "_".repeat(length)),
        ("search: apostrophes", "'a".repeat(length / 2)),
        ("search: accents", "e\u{301}".repeat(length / 3)),
        ("search: Chinese", "天".repeat(length / 3)),
        ("search: many words", (0..15_000).map(number).collect()),
    ];
    let texts = texts.into_iter().map(|(name, text)| case(name, text.len(), move || found(&text)));
    let many = (0..5_000).map(|number| (format!("p{number}"), json!({ "type": "string" })));
    let values: Vec<u32> = (0..15_000).collect();
    let doubled = (0..400).map(|number| {
        let next = json!({ "$ref": format!("#/$defs/d{}", number + 1) });
        (
            format!("d{number}"),
            json!({ "properties": { "left": next, "right": next }, "anyOf": [next, next] }),
        )
    });
    let schemas = [
        ("search: many properties", json!({ "properties": many.collect::<Value>() })),
        ("search: many values", json!({ "properties": { "p": { "enum": values } } })),
        (
            "search: doubled references",
            json!({ "properties": { "p": { "$ref": "#/$defs/d0" } }, "$defs": doubled.collect::<Value>() }),
        ),
    ];
    let schemas = schemas.into_iter().map(|(name, schema)| {
        let bytes = schema.to_string().len();
        case(name, bytes, move || found_in(&schema))
    });
    let nested = format!("{}{}", "[".repeat(50_000), "]".repeat(50_000));
    let call = case("call_tool: nested arguments", nested.len(), move || called(&nested));
    texts.chain(schemas).chain([call]).collect()
}

fn case(name: &'static str, bytes: usize, run: impl Fn() -> String + Clone + Send + 'static) -> Case {
    let prepare = move || Input::Text { bytes, run: Box::new(run.clone()) };
    Case { name, prepare: Box::new(prepare) }
}

fn number(number: u32) -> String {
    format!("w{number} ")
}

fn tool(name: &str, text: &str, parameters: &Value) -> ToolSchema {
    let function = json!({ "name": name, "description": text, "parameters": parameters });
    serde_json::from_value(json!({ "type": "function", "function": function })).expect("a definition")
}

/// Searches with a text, among tools of which one has this text.
fn found(text: &str) -> String {
    let parameters = json!({ "properties": { "p": { "description": text, "enum": [text] } } });
    let mut tools: Vec<ToolSchema> = (0..200)
        .map(|number| tool(&format!("get_weather_{number}"), "The weather, x, w1.", &json!({})))
        .collect();
    tools.push(tool("hostile", text, &parameters));
    let found = KeywordIndex::new(&tools).rank(text, 5);
    format!("{} tools, {} bytes", found.len(), documented_signature(&tools[200]).len())
}

/// Indexes and describes a tool with this schema.
fn found_in(schema: &Value) -> String {
    let tools = [tool("hostile", "A tool.", schema)];
    let found = KeywordIndex::new(&tools).rank("hostile", 5);
    format!("{} tools, {} bytes", found.len(), documented_signature(&tools[0]).len())
}

/// Calls a tool with these arguments.
fn called(arguments: &str) -> String {
    let search = tool_runtime::search::Search::new();
    let registry = Registry::builder().search(search).build().expect("a registry may have no tools");
    let call = ToolCall::new("1", "call_tool", format!(r#"{{"name":"x","arguments":{arguments}}}"#));
    // The call fails at once.
    let mut context = Context::from_waker(Waker::noop());
    match pin!(registry.dispatch(&[call])).poll(&mut context) {
        Poll::Ready(messages) => messages[0].text().chars().take(60).collect(),
        Poll::Pending => unreachable!("no tool runs"),
    }
}
