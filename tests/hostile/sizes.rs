//! Large schemas and arguments.

use crate::cases::{Call, Case};
use crate::schemas::{argument, case, object, repeated};
use serde_json::json;

pub(crate) fn cases() -> Vec<Case> {
    vec![
        case("schema of 3 MB", || Call {
            schema: json!({"type": "object", "description": "x".repeat(3_000_000)}),
            arguments: "{}".to_owned(),
            ..Call::default()
        }),
        case("schema of 100,000 values", || Call {
            schema: argument(json!({"enum": (0..100_000).collect::<Vec<_>>()})),
            arguments: object("-1"),
            ..Call::default()
        }),
        case("a hundred thousand wrong items", || Call {
            schema: argument(json!({"type": "array", "items": {"type": "string"}})),
            arguments: object(&repeated("1", 100_000)),
            ..Call::default()
        }),
        case("a hundred thousand objects with a missing key", || Call {
            schema: argument(json!({"type": "array", "items": {"type": "object", "required": ["x"],
                "properties": {"x": {}, "y": {}}, "additionalProperties": false}})),
            arguments: object(&repeated("{\"z\":1}", 100_000)),
            ..Call::default()
        }),
        case("a hundred thousand repeated keys", || Call {
            schema: argument(json!({"type": "object"})),
            arguments: object(&format!("{{{}\"k\":1}}", "\"k\":1,".repeat(100_000))),
            ..Call::default()
        }),
        case("a hundred thousand unknown arguments", || Call {
            schema: json!({"type": "object", "properties": {"x": {}}, "additionalProperties": false}),
            arguments: {
                let pairs: Vec<String> = (0..100_000).map(|index| format!("\"k{index}\":1")).collect();
                format!("{{{}}}", pairs.join(","))
            },
            ..Call::default()
        }),
    ]
}
