//! Definitions that are costly to convert for a provider.

use crate::cases::{Case, Input};
use crate::schemas::{chain, size};
use serde_json::{Map, Value, json};
use tool_runtime::message::Message;
use tool_runtime::wire::{Anthropic, ChatCompletions, Gemini, Ollama, RequestParts, Responses, Wire};
use tool_runtime::{DynamicTool, Registry};

pub(crate) fn cases() -> Vec<Case> {
    vec![
        case("references into 4,000 properties of one name", || {
            let property =
                |number: usize| (format!("p{number}"), json!({"type": "array", "items": {"type": "string"}}));
            let reference = |number: usize| json!({"$ref": format!("#/properties/p{number}/items")});
            let mut schema = object((0..4_000).map(property));
            schema["properties"]["all"] =
                json!({"type": "object", "anyOf": (0..4_000).map(reference).collect::<Vec<_>>()});
            schema
        }),
        case("9,000 changes inside a key of 600 kB", || {
            let property =
                |number: usize| (format!("p{number}"), json!({"minimum": 0, "exclusiveMinimum": true}));
            object([("k".repeat(600_000), object((0..9_000).map(property)))])
        }),
        case("9,000 anchors inside a key of 60 kB", || {
            let property = |number: usize| (format!("p{number}"), json!({"$anchor": format!("a{number}")}));
            object([("k".repeat(60_000), object((0..9_000).map(property)))])
        }),
        case("references in schemas of 120 levels", || {
            let nested = |inner: Value| (0..110).fold(inner, |inner, _| json!({"items": inner}));
            chain(20, nested, json!({"type": "string"}))
        }),
        case("4,000 definitions that nothing names", || {
            let definition =
                |number: usize| (format!("d{number}"), json!({"$ref": format!("#/$defs/d{}", number + 1)}));
            let definitions: Map<String, Value> = (0..4_000).map(definition).collect();
            json!({"type": "object", "properties": {"a": {"minimum": 0, "exclusiveMinimum": true}}, "$defs": definitions})
        }),
        case("alternatives of parts of parts", || {
            let parts = |next: Value| json!({"allOf": [next, next, next]});
            let mut schema =
                chain(12, parts, json!({"properties": {"a": {"type": "string"}}, "required": ["a"]}));
            schema["anyOf"] = json!([{"$ref": "#/$defs/d0"}, {"required": ["b"]}]);
            schema
        }),
    ]
}

fn object(properties: impl IntoIterator<Item = (String, Value)>) -> Value {
    json!({"type": "object", "properties": properties.into_iter().collect::<Map<_, _>>()})
}

/// Builds a registry, and writes the definition on each wire.
fn case(name: &'static str, schema: fn() -> Value) -> Case {
    let prepare = move || {
        let schema = schema();
        let bytes = size(&schema);
        Input::Text { bytes, run: Box::new(move || write(schema)) }
    };
    Case { name, prepare: Box::new(prepare) }
}

fn write(schema: Value) -> String {
    let tool = DynamicTool::new("take", "", schema, |_| async { Ok::<_, String>(()) });
    let registry = match Registry::builder().dynamic(tool).build() {
        Ok(registry) => registry,
        Err(error) => return error.to_string(),
    };
    let messages = [Message::user("Go.")];
    let parts = RequestParts::new(&messages).tools(registry.schemas());
    // `Bedrock` converts by the rules of `Anthropic`, and `GeminiInteractions` by those of `Gemini`.
    let wires: [&dyn Wire; 5] =
        [&ChatCompletions::new(), &Responses::new(), &Anthropic::new(), &Gemini::new(), &Ollama::new()];
    for wire in wires {
        if let Err(error) = wire.write(&parts) {
            return error.to_string();
        }
    }
    "written".to_owned()
}
