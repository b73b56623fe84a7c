//! Chains of references, deep schemas and deep arguments.

use crate::cases::{Call, Case};
use crate::schemas::{argument, case, chain, deep, nested, object, repeated};
use serde_json::{Value, json};

pub(crate) fn cases() -> Vec<Case> {
    let one = || "{\"a\":1}".to_owned();
    vec![
        case("chain of allOf, 12 kB", move || Call {
            schema: chain(400, |next| json!({"allOf": [next]}), json!({"type": "string"})),
            arguments: one(),
            ..Call::default()
        }),
        case("chain of allOf, 300 kB", move || Call {
            schema: chain(10_000, |next| json!({"allOf": [next]}), json!({"type": "string"})),
            arguments: one(),
            ..Call::default()
        }),
        case("chain of anyOf", move || Call {
            schema: chain(2_000, |next| json!({"anyOf": [next, {"type": "null"}]}), json!({})),
            arguments: one(),
            ..Call::default()
        }),
        case("chain of not", move || Call {
            schema: chain(2_000, |next| json!({"not": next}), json!({})),
            arguments: one(),
            ..Call::default()
        }),
        case("chain of properties", move || Call {
            schema: chain(2_000, |next| json!({"type": "object", "properties": {"a": next}}), json!({})),
            arguments: nested("{\"a\":", "1", "}", 120),
            ..Call::default()
        }),
        case("chain of items with a reference next to keywords", move || Call {
            schema: chain(3_000, |next| json!({"$ref": next["$ref"], "minimum": 1}), json!({})),
            arguments: one(),
            ..Call::default()
        }),
        case("chain of references alone", move || Call {
            schema: chain(5_000, |next| next, json!({"type": "string"})),
            arguments: one(),
            ..Call::default()
        }),
        case("chain of references alone, strict", move || Call {
            schema: chain(1_000, |next| next, json!({"type": "string"})),
            arguments: one(),
            strict: true,
            ..Call::default()
        }),
        case("cycle of references alone", move || Call {
            schema: chain(3_000, |next| next, json!({"$ref": "#/$defs/d0"})),
            arguments: one(),
            ..Call::default()
        }),
        case("cycle of allOf", move || Call {
            schema: chain(3_000, |next| json!({"allOf": [next]}), json!({"$ref": "#/$defs/d0"})),
            arguments: one(),
            ..Call::default()
        }),
        case("references spelt differently", move || Call {
            schema: {
                let spelt = |index: usize| {
                    let letters = (0..12).map(|bit| if index >> bit & 1 == 1 { "%61" } else { "a" });
                    json!({"$ref": format!("#/$defs/{}", letters.collect::<String>())})
                };
                let many: Vec<Value> = (0..2_000).map(spelt).collect();
                let items: Vec<Value> = (0..200).map(spelt).collect();
                json!({"type": "object", "properties": {"a": {"prefixItems": many}},
                    "$defs": {"aaaaaaaaaaaa": {"type": "array", "prefixItems": items}}})
            },
            arguments: object(&repeated("[]", 2_000)),
            ..Call::default()
        }),
        case("nested 3,000 deep", move || Call { schema: deep(3_000), arguments: one(), ..Call::default() }),
        case("nested 3,000 deep, strict", move || Call {
            schema: deep(3_000),
            arguments: one(),
            strict: true,
            ..Call::default()
        }),
        case("nested 120 deep, strict", move || Call {
            schema: deep(60),
            arguments: nested("{\"a\":", "1", "}", 100),
            strict: true,
            ..Call::default()
        }),
        case("recursive type, arguments of 10,000 levels", move || Call {
            schema: argument(json!({"type": "array", "items": {"$ref": "#/properties/a"}})),
            arguments: object(&nested("[", "", "]", 10_000)),
            ..Call::default()
        }),
        case("recursive union, arguments of 126 levels", move || Call {
            schema: argument(json!({"anyOf": [{"type": "array", "items": {"$ref": "#/properties/a"}},
                {"oneOf": [{"type": "array", "items": {"allOf": [{"$ref": "#/properties/a"}]}}, {"type": "null"}]}]})),
            arguments: object(&nested("[", "1", "]", 126)),
            ..Call::default()
        }),
    ]
}
