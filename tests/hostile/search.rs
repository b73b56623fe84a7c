//! Costly definitions and queries of a search.

use crate::cases::{Case, Input};
use serde_json::{Value, json};
use std::pin::pin;
use std::task::{Context, Poll, Waker};
use tool_runtime::search::{KeywordIndex, documented_signature};
use tool_runtime::{Registry, ToolCall, ToolSchema};

/// Builds the text of a schema.
type Schema = fn() -> String;

pub(crate) fn cases() -> Vec<Case> {
    let length = 100_000;
    let texts = [
        ("search: one word", "x", length),
        ("search: changes of case", "xY", length / 2),
        ("search: numbers in a word", "a1", length / 2),
        ("search: repeated words", "weather ", length / 8),
        ("search: separators", "_", length),
        ("search: apostrophes", "'a", length / 2),
        ("search: accents", "e\u{301}", length / 3),
        ("search: Chinese", "天", length / 3),
    ];
    let texts = texts.into_iter().map(|(name, word, count)| case(name, move || word.repeat(count), found));
    let schemas: [(&str, Schema); 3] = [
        ("search: many properties", many_properties),
        ("search: many values", many_values),
        ("search: doubled references", doubled_references),
    ];
    let schemas = schemas.into_iter().map(|(name, schema)| case(name, schema, found_in));
    let others = [
        case("search: many words", || (0..15_000).map(number).collect(), found),
        case(
            "call_tool: nested arguments",
            || format!("{}{}", "[".repeat(50_000), "]".repeat(50_000)),
            called,
        ),
    ];
    texts.chain(schemas).chain(others).collect()
}

/// Builds an input and runs the case with it.
fn case(name: &'static str, input: impl Fn() -> String + Send + 'static, run: fn(&str) -> String) -> Case {
    let prepare = move || {
        let input = input();
        Input::Text { bytes: input.len(), run: Box::new(move || run(&input)) }
    };
    Case { name, prepare: Box::new(prepare) }
}

fn many_properties() -> String {
    let many = (0..5_000).map(|number| (format!("p{number}"), json!({ "type": "string" })));
    json!({ "properties": many.collect::<Value>() }).to_string()
}

fn many_values() -> String {
    json!({ "properties": { "p": { "enum": (0..15_000).collect::<Vec<_>>() } } }).to_string()
}

fn doubled_references() -> String {
    let doubled = (0..400).map(|number| {
        let next = json!({ "$ref": format!("#/$defs/d{}", number + 1) });
        (
            format!("d{number}"),
            json!({ "properties": { "left": next, "right": next }, "anyOf": [next, next] }),
        )
    });
    json!({ "properties": { "p": { "$ref": "#/$defs/d0" } }, "$defs": doubled.collect::<Value>() })
        .to_string()
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
fn found_in(schema: &str) -> String {
    let schema: Value = serde_json::from_str(schema).expect("a schema");
    let tools = [tool("hostile", "A tool.", &schema)];
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
