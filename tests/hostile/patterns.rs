//! Regular expressions.

use crate::cases::{Call, Case};
use crate::schemas::{argument, case, object, repeated};
use serde_json::{Map, json};

pub(crate) fn cases() -> Vec<Case> {
    let text = |letters: &str, count: usize| object(&format!("\"{}\"", letters.repeat(count)));
    vec![
        case("pattern of a million states", move || Call {
            schema: argument(json!({"pattern": "((a{1,100}){1,100}){1,100}"})),
            arguments: text("a", 100),
            ..Call::default()
        }),
        case("pattern with many states of its automaton", move || Call {
            schema: argument(json!({"pattern": "(a|b)*a(a|b){14}c"})),
            arguments: text("abaabbab", 12_000),
            ..Call::default()
        }),
        case("pattern with many states and without literals", move || Call {
            schema: argument(json!({"pattern": "[ab]*a[ab]{14}[^ab]"})),
            arguments: text("abaabbab", 12_000),
            ..Call::default()
        }),
        case("pattern with many active states", move || Call {
            schema: argument(json!({"allOf": vec![json!({"pattern": "[ab]*a[ab]{60}[^ab]"}); 20]})),
            arguments: text("abaabbab", 12_000),
            ..Call::default()
        }),
        case("pattern of Unicode classes", move || Call {
            schema: argument(json!({"pattern": "^[\\s\\S]*[^\\s]{0,60}x$"})),
            arguments: text("aé", 30_000),
            ..Call::default()
        }),
        case("many patterns of one string", move || Call {
            schema: argument(json!({"allOf": (0..200).map(|index| {
                json!({"pattern": format!("(a|b)*a(a|b){{10}}{index}")})
            }).collect::<Vec<_>>()})),
            arguments: text("abaabbab", 6_000),
            ..Call::default()
        }),
        case("thousands of patterns", move || Call {
            schema: argument(json!({"type": "array", "prefixItems": (0..4_000).map(|index| {
                json!({"pattern": format!("^{index}$")})
            }).collect::<Vec<_>>()})),
            arguments: object(&repeated("\"123\"", 4_000)),
            ..Call::default()
        }),
        case("large patterns", move || Call {
            schema: argument(json!({"type": "array", "prefixItems": (0..1_000).map(|index| {
                json!({"pattern": format!("^[a-z]{{500}}{index}\\\\s{{40}}$")})
            }).collect::<Vec<_>>()})),
            arguments: object(&repeated("\"123\"", 1_000)),
            ..Call::default()
        }),
        case("patterns x keys", move || Call {
            schema: argument(json!({"type": "object", "patternProperties": (0..300).map(|index| {
                (format!("(a|b)*{index}$"), json!({"type": "string"}))
            }).collect::<Map<_, _>>()})),
            arguments: {
                let pairs = (0..3_000).map(|index| format!("\"{}{index:05}\":1", "ab".repeat(10)));
                object(&format!("{{{}}}", pairs.collect::<Vec<_>>().join(",")))
            },
            ..Call::default()
        }),
    ]
}
