//! Schemas and arguments.

use crate::cases::{Call, Case, Input};
use serde_json::{Map, Value, json};

fn case(name: &'static str, call: impl Fn() -> Call + Send + 'static) -> Case {
    Case { name, prepare: Box::new(move || Input::Call(call())) }
}

/// A schema whose argument `a` refers to the first of these definitions.
fn defined(definitions: impl Iterator<Item = (String, Value)>) -> Value {
    let definitions: Map<String, Value> = definitions.collect();
    json!({"type": "object", "properties": {"a": {"$ref": "#/$defs/d0"}}, "$defs": definitions})
}

/// A definition for each level, made of the reference to the next one; the last is `end`.
fn chain(levels: usize, level: impl Fn(Value) -> Value, end: Value) -> Value {
    let definition = |index: usize| {
        let next = json!({"$ref": format!("#/$defs/d{}", index + 1)});
        (format!("d{index}"), if index + 1 == levels { end.clone() } else { level(next) })
    };
    defined((0..levels).map(definition))
}

fn argument(schema: Value) -> Value {
    json!({"type": "object", "properties": {"a": schema}})
}

/// A schema of objects in objects.
fn deep(levels: usize) -> Value {
    // `json!` would copy each level, with recursion.
    let object = |inner: Value| {
        let properties = Map::from_iter([("a".to_owned(), inner)]);
        let keywords = [("type", Value::from("object")), ("properties", Value::Object(properties))];
        keywords.into_iter().map(|(keyword, value)| (keyword.to_owned(), value)).collect()
    };
    (0..levels).fold(json!({}), |inner, _| object(inner))
}

fn names(count: usize) -> Vec<String> {
    (0..count).map(|index| format!("name_{index:05}")).collect()
}

fn repeated(item: &str, count: usize) -> String {
    let items = vec![item; count];
    format!("[{}]", items.join(","))
}

fn nested(open: &str, inner: &str, close: &str, depth: usize) -> String {
    format!("{}{inner}{}", open.repeat(depth), close.repeat(depth))
}

/// `{"a": ..}`
fn object(value: &str) -> String {
    format!("{{\"a\":{value}}}")
}

pub(crate) fn cases() -> Vec<Case> {
    let mut cases = chains();
    cases.extend(doublings());
    cases.extend(products());
    cases.extend(patterns());
    cases.extend(sizes());
    cases.extend(coercions());
    cases
}

fn chains() -> Vec<Case> {
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

fn doublings() -> Vec<Case> {
    let shapes: [(&'static str, fn(Value) -> Value); 6] = [
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
    let shapes: [(&'static str, fn(Value) -> Value); 3] = [
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

fn products() -> Vec<Case> {
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

fn patterns() -> Vec<Case> {
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

fn sizes() -> Vec<Case> {
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

fn coercions() -> Vec<Case> {
    let lenient =
        |schema: Value, arguments: String| Call { schema, arguments, lenient: true, ..Call::default() };
    vec![
        case("JSON in strings in strings", move || {
            let inner = (0..12).fold("1".to_owned(), |inner, _| json!([inner]).to_string());
            lenient(
                argument(json!({"type": "array", "items": {"$ref": "#/properties/a"}})),
                object(&Value::from(inner).to_string()),
            )
        }),
        case("unions of arrays of unions, coerced", move || {
            let wrapped = json!({"anyOf": [{"type": "array", "items": {"$ref": "#/properties/a"}},
                {"type": "object", "properties": {"a": {"$ref": "#/properties/a"}}},
                {"type": "object", "properties": {"b": {"$ref": "#/properties/a"}}}, {"type": "integer"}]});
            lenient(argument(wrapped), object(&nested("[{\"a\":", "\"1\"", "}]", 40)))
        }),
        case("types behind a doubling allOf, coerced", move || {
            let mut schema = chain(28, |next| json!({"allOf": [next, next]}), json!({"type": "integer"}));
            schema["properties"]["a"] = json!({"type": "array", "items": {"$ref": "#/$defs/d0"}});
            lenient(schema, object("\"x\""))
        }),
        case("many strings that are numbers", move || {
            lenient(
                argument(
                    json!({"type": "array", "items": {"anyOf": [{"type": "integer"}, {"type": "number"}]}}),
                ),
                object(&repeated("\"1\"", 20_000)),
            )
        }),
        case("opening brackets, repaired", move || {
            lenient(argument(json!({})), format!("{{{}", "[".repeat(100_000)))
        }),
        case("closing brackets, repaired", move || {
            lenient(argument(json!({})), format!("{{\"a\":[{}1]}}}}", "[1],".repeat(20_000)))
        }),
        case("a hundred closing brackets, repaired", move || {
            lenient(
                argument(json!({})),
                format!("{{\"a\":[{}1],\"b\":\"{}\"}}}}", "[1],".repeat(90), "x".repeat(90_000)),
            )
        }),
        case("words, repaired", move || {
            lenient(argument(json!({})), format!("{{a:[{}True]}}", "True,".repeat(20_000)))
        }),
        case("comments, repaired", move || {
            lenient(argument(json!({})), format!("{{{}\"a\":1}}", "/**/".repeat(25_000)))
        }),
        case("open comments, repaired", move || {
            lenient(argument(json!({})), format!("{{{}", "/* ".repeat(33_000)))
        }),
        case("quotes, repaired", move || lenient(argument(json!({})), format!("{{{}", "'".repeat(100_000)))),
        case("fences, repaired", move || lenient(argument(json!({})), "```{".repeat(25_000))),
        case("encoded again and again, repaired", move || {
            let text = (0..10).fold("{a:1}".to_owned(), |text, _| Value::from(text).to_string());
            lenient(argument(json!({})), text)
        }),
    ]
}
