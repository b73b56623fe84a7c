//! Unions and references that double the work at each level.

use crate::cases::{Call, Case};
use crate::schemas::{argument, case, chain, names, nested, object};
use serde_json::{Value, json};

/// A name, and a function that builds the schema of a level from that of the next level.
type Shape = (&'static str, fn(Value) -> Value);

pub(crate) fn cases() -> Vec<Case> {
    let shapes: [Shape; 6] = [
        ("doubling allOf", |next| json!({"allOf": [next, next]})),
        ("doubling anyOf", |next| json!({"anyOf": [next, next]})),
        ("doubling oneOf", |next| json!({"oneOf": [next, {"allOf": [next]}]})),
        ("doubling not", |next| json!({"not": {"allOf": [next, next]}})),
        ("doubling anyOf of objects", |next| {
            json!({"anyOf": [{"type": "object", "properties": {"a": next}, "required": ["b"]},
                {"type": "object", "properties": {"a": next}, "required": ["c"]}, next]})
        }),
        (
            "doubling allOf of arrays",
            |next| json!({"allOf": [{"type": "array", "items": next}, {"type": "array", "items": next}]}),
        ),
    ];
    let mut cases = Vec::new();
    for (name, shape) in shapes {
        for lenient in [false, true] {
            let name: &'static str = if lenient { format!("{name}, lenient").leak() } else { name };
            cases.push(case(name, move || Call {
                schema: chain(28, shape, json!({"type": "string", "minLength": 3})),
                arguments: object(&nested("[", "\"1\"", "]", 20)),
                lenient,
                ..Call::default()
            }));
            let name: &'static str = format!("{name}, object").leak();
            cases.push(case(name, move || Call {
                schema: chain(14, shape, json!({"type": "string", "minLength": 3})),
                arguments: object(&nested("{\"a\":", "{}", "}", 60)),
                lenient,
                ..Call::default()
            }));
        }
    }
    let around = |applicator: fn(Value) -> Value| {
        let mut schema = chain(25, applicator, json!({"type": "array", "items": {"$ref": "#/$defs/d0"}}));
        schema["properties"]["b"] = json!({});
        schema
    };
    let shapes: [Shape; 3] = [
        ("allOf at each of 126 levels", |next| json!({"allOf": [next]})),
        ("anyOf at each of 126 levels", |next| json!({"anyOf": [next, {"type": "null"}]})),
        ("oneOf at each of 126 levels", |next| json!({"oneOf": [next, {"type": "array", "maxItems": 0}]})),
    ];
    for (name, shape) in shapes {
        for (lenient, inner) in [(false, "1"), (true, "\"1\""), (true, "1.0")] {
            let name: &'static str = format!("{name}, {inner} inside").leak();
            cases.push(case(name, move || Call {
                schema: around(shape),
                arguments: object(&nested("[", inner, "]", 126)),
                lenient,
                ..Call::default()
            }));
        }
    }
    cases.push(case("wide unions in an error message", || Call {
        schema: chain(5, |next| json!({"anyOf": vec![next; 100]}), json!({"enum": names(100)})),
        arguments: object("[]"),
        ..Call::default()
    }));
    cases.push(case("unions of long arrays", || Call {
        schema: argument(json!({"anyOf": vec![json!({"type": "array", "items": {"type": "integer"}}); 500]})),
        arguments: object(&format!("[{}\"x\"]", "1,".repeat(40_000))),
        ..Call::default()
    }));
    cases
}
