//! Two lists whose product is large.

use crate::cases::{Call, Case};
use crate::schemas::{argument, case, chain, names, nested, object, repeated};
use serde_json::{Map, Value, json};

pub(crate) fn cases() -> Vec<Case> {
    let properties = |count: usize| -> Map<String, Value> {
        names(count).into_iter().map(|name| (name, json!({"type": "integer"}))).collect()
    };
    vec![
        case("required x properties", move || Call {
            schema: json!({"type": "object", "properties": properties(2_000), "required": names(2_000)}),
            arguments: "{}".to_owned(),
            ..Call::default()
        }),
        case("required x properties, all given in reverse", move || Call {
            schema: json!({"type": "object", "properties": properties(2_000), "required": names(2_000)}),
            arguments: {
                let pairs: Vec<String> =
                    names(2_000).iter().rev().map(|name| format!("\"{name}\":1")).collect();
                format!("{{{}}}", pairs.join(","))
            },
            ..Call::default()
        }),
        case("unknown arguments x properties", move || Call {
            schema: json!({"type": "object", "properties": properties(2_000), "additionalProperties": false}),
            arguments: {
                let pairs: Vec<String> = names(2_000).iter().map(|name| format!("\"{name}x\":1")).collect();
                format!("{{{}}}", pairs.join(","))
            },
            ..Call::default()
        }),
        case("unknown arguments in open objects", move || Call {
            schema: json!({"type": "object", "properties": properties(2_000), "required": names(2_000)}),
            arguments: {
                let pairs: Vec<String> = names(2_000).iter().map(|name| format!("\"{name}x\":1")).collect();
                format!("{{{}}}", pairs.join(","))
            },
            ..Call::default()
        }),
        case("required names in many objects", move || Call {
            schema: argument(json!({"type": "array", "items": {"anyOf": [
                {"type": "object", "required": names(2_000)},
                {"type": "object", "properties": properties(1_000), "required": ["z"]}]}})),
            arguments: object(&repeated("{\"name_00000\":1}", 3_000)),
            ..Call::default()
        }),
        case("long names", move || Call {
            schema: {
                let names = (0..9).map(|index| (format!("{index}{}", "n".repeat(5_000)), json!({})));
                json!({"type": "object", "properties": names.collect::<Map<_, _>>(), "additionalProperties": false})
            },
            arguments: {
                let pairs = (0..9).map(|index| format!("\"{index}{}\":1", "m".repeat(5_000)));
                format!("{{{}}}", pairs.collect::<Vec<_>>().join(","))
            },
            ..Call::default()
        }),
        case("enum of objects x items", move || Call {
            schema: argument(json!({"type": "array", "items": {"enum": (0..2_000)
                .map(|index| json!({"k": index})).collect::<Vec<_>>()}})),
            arguments: object(&repeated("{\"k\":-1}", 4_000)),
            ..Call::default()
        }),
        case("enum of strings x items", move || Call {
            schema: argument(json!({"type": "array", "items": {"enum": names(3_000)}})),
            arguments: object(&repeated("\"name_x0000\"", 3_000)),
            ..Call::default()
        }),
        case("enum and const of many values", move || Call {
            schema: argument(json!({"enum": names(5_000), "const": "x", "type": "string"})),
            arguments: object("\"x\""),
            ..Call::default()
        }),
        case("unique items", move || Call {
            schema: argument(json!({"type": "array", "uniqueItems": true,
                "items": {"type": "array", "uniqueItems": true, "items": {"$ref": "#/properties/a"}}})),
            arguments: object(&nested("[1,", &repeated("[[],[1]]", 6_000), "]", 100)),
            ..Call::default()
        }),
        case("branches x keys", move || Call {
            schema: argument(json!({"oneOf": names(1_500).iter().map(|name| {
                json!({"type": "object", "properties": {name: {}}, "required": [name]})
            }).collect::<Vec<_>>()})),
            arguments: {
                let pairs: Vec<String> =
                    names(3_000)[1_500..].iter().map(|name| format!("\"{name}\":1")).collect();
                object(&format!("{{{}}}", pairs.join(",")))
            },
            ..Call::default()
        }),
        case("tags x items", move || Call {
            schema: argument(json!({"type": "array", "items": {"oneOf": names(1_000).iter().map(|name| {
                json!({"type": "object", "properties": {"kind": {"const": name}}, "required": ["kind"]})
            }).collect::<Vec<_>>()}})),
            arguments: object(&repeated("{\"kind\":\"name_00999\"}", 2_000)),
            ..Call::default()
        }),
        case("unknown tags x items", move || Call {
            schema: argument(json!({"type": "array", "items": {"oneOf": names(1_000).iter().map(|name| {
                json!({"type": "object", "properties": {"kind": {"const": name}}, "required": ["kind"]})
            }).collect::<Vec<_>>()}})),
            arguments: object(&repeated("{\"kind\":\"name_0099\"}", 2_000)),
            ..Call::default()
        }),
        case("constants that are no tags", move || Call {
            schema: {
                let constants: Map<String, Value> =
                    names(1_000).into_iter().map(|name| (name, json!({"const": "x"}))).collect();
                let required = names(1_000);
                let mut branches =
                    vec![json!({"type": "object", "properties": constants, "required": required})];
                branches.extend(vec![json!({"type": "object"}); 1_000]);
                argument(json!({"anyOf": [{"oneOf": branches}, {"anyOf": branches}]}))
            },
            arguments: object("{}"),
            ..Call::default()
        }),
        case("property names x keys", move || Call {
            schema: argument(json!({"type": "object", "propertyNames": {"anyOf": names(1_000).iter()
                .map(|name| json!({"const": name})).collect::<Vec<_>>()}})),
            arguments: {
                let pairs: Vec<String> =
                    names(3_000)[1_000..].iter().map(|name| format!("\"{name}\":1")).collect();
                object(&format!("{{{}}}", pairs.join(",")))
            },
            ..Call::default()
        }),
        case("long paths", move || Call {
            schema: argument(json!({"type": "object", "additionalProperties": {"anyOf": [
                {"type": "string"}, {"type": "object", "additionalProperties": {"$ref": "#/properties/a"}},
                {"type": "array", "items": {"type": "string"}}]}})),
            arguments: object(&nested(
                &format!("{{\"{}\":", "k".repeat(400)),
                &repeated("1", 20_000),
                "}",
                99,
            )),
            ..Call::default()
        }),
        case("long locations of unsupported keywords", move || Call {
            schema: {
                let deep = (0..60).fold(json!({"contains": 1}), |inner, _| {
                    json!({"properties": {("p".repeat(200)): inner, "b": {"contains": 1}, "c": {"if": 1, "then": 2}}})
                });
                let unsupported: Map<String, Value> =
                    names(3_000).into_iter().map(|name| (name, json!({"x-unknown": 1}))).collect();
                argument(
                    json!({"properties": {("q".repeat(20_000)): {"properties": unsupported}}, "not": deep}),
                )
            },
            arguments: object("1"),
            ..Call::default()
        }),
        case("closed, with many references", move || Call {
            schema: {
                let mut schema =
                    chain(3_000, |next| json!({"properties": {"x": {}}, "allOf": [next]}), json!({}));
                schema["allOf"] = json!([{"$ref": "#/$defs/d0"}]);
                schema
            },
            arguments: object("1"),
            closed: true,
            ..Call::default()
        }),
    ]
}
