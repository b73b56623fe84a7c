//! Hostile definitions and queries. `tests/hostile` measures their time.

use crate::{found, tool, tools};
use serde_json::{Value, json};
use tool_runtime::ToolSchema;
use tool_runtime::search::{KeywordIndex, documented_signature, signature};

fn hostile_texts() -> Vec<String> {
    let length = 200_000;
    vec![
        "x".repeat(length),
        "xY".repeat(length / 2),
        "a1".repeat(length / 2),
        "weather ".repeat(length / 8),
        "_".repeat(length),
        "'".repeat(length),
        "'a".repeat(length / 2),
        "e\u{301}".repeat(length / 2),
        "天".repeat(length / 3),
        "İ".repeat(length / 2),
        numbered("w"),
        numbered("get_"),
        "\u{0}\u{fffd}\u{10ffff}\u{202e}".repeat(length / 10),
    ]
}

fn numbered(word: &str) -> String {
    let words: Vec<String> = (0..30_000).map(|number| format!("{word}{number}")).collect();
    words.join(" ")
}

#[test]
fn hostile_queries_return_at_most_the_limit() {
    let many: Vec<ToolSchema> = (0..2_000)
        .map(|number| tool(&format!("get_weather_{number}"), "The weather of a city, x, w1.", &json!({})))
        .collect();
    let index = KeywordIndex::new(&many);
    for query in hostile_texts() {
        assert!(index.rank(&query, 5).len() <= 5);
    }
    assert_eq!(
        index.rank(&format!("{} weather_", "the ".repeat(99)), 5).len(),
        5,
        "the hundredth word counts"
    );
    assert_eq!(index.rank(&format!("{} weather_", "the ".repeat(100)), 5).len(), 0);
}

#[test]
fn signatures_of_hostile_texts_are_short() {
    let texts = hostile_texts();
    let hostile = texts.iter().map(|text| {
        let parameters = json!({
            "properties": {text: {"type": text, "description": text, "enum": [text, text], "default": text}},
            "required": [text],
        });
        tool(text, text, &parameters)
    });
    let mut tools: Vec<ToolSchema> = hostile.collect();
    tools.push(tool("send_mail", "Sends an e-mail.", &json!({})));
    assert_eq!(found(&tools, "mail"), ["send_mail"]);
    for tool in &tools {
        let name = tool.name().len();
        assert!(signature(tool).len() <= name + 10_000, "{:.20}", tool.name());
        assert!(documented_signature(tool).len() <= name + 10_000, "{:.20}", tool.name());
    }
}

fn nested(depth: usize, wrap: impl Fn(Value) -> Value) -> Value {
    (0..depth).fold(json!({"type": "string", "description": "innermost"}), |schema, _| wrap(schema))
}

#[test]
fn hostile_schemas_are_found_and_their_signatures_are_short() {
    let everything = |properties: Value| json!({"type": "object", "properties": properties});
    let wide: Value = (0..50_000).map(|number| (format!("p{number}"), json!({"type": "string"}))).collect();
    let doubled: Value = (0..60)
        .map(|number| {
            let next = json!({"$ref": format!("#/$defs/d{}", number + 1)});
            (
                format!("d{number}"),
                json!({"properties": {"left": next, "right": next}, "anyOf": [next, next]}),
            )
        })
        .collect();
    let hostile = [
        everything(wide),
        everything(json!({"deep": nested(30, |schema| json!({"properties": {"p": schema}}))})),
        everything(json!({"deep": nested(60, |schema| json!({"anyOf": [schema]}))})),
        everything(json!({"deep": nested(60, |schema| json!({"items": schema}))})),
        everything(json!({"many": {"enum": (0..100_000).collect::<Vec<_>>()}})),
        everything(json!({"many": {"anyOf": (0..100_000).map(|n| json!({"const": n})).collect::<Vec<_>>()}})),
        everything(json!({"many": {"type": vec!["string"; 100_000]}})),
        everything(json!({"value": {"default": (0..100_000).collect::<Vec<_>>()}})),
        json!({"properties": {"tree": {"$ref": "#/$defs/d0"}}, "$defs": doubled}),
        json!({"properties": {"self": {"$ref": "#"}, "lost": {"$ref": "#/$defs/x"}, "odd": {"$ref": "other.json"}}}),
        json!({"properties": {"a": {"$ref": "#/properties/b"}, "b": {"$ref": "#/properties/a"}}}),
        json!({"properties": 1, "required": "x", "anyOf": {}, "enum": 5, "type": 7, "items": [], "$ref": 3}),
        json!({"properties": {"p": {"properties": [], "type": [1], "enum": {}, "required": 1, "description": 2}}}),
        json!(true),
        json!(null),
        json!([[[]]]),
        json!("text"),
    ];
    for schema in hostile {
        let tools = [tool("get_weather", "The weather.", &schema)];
        assert_eq!(found(&tools, "weather"), ["get_weather"]);
        let text = documented_signature(&tools[0]);
        assert!(text.starts_with("get_weather(") && text.len() < 10_000, "{} bytes: {text:.200}", text.len());
    }
}

/// A definition whose parameters are arrays in arrays.
fn nested_arrays(depth: usize) -> Result<ToolSchema, serde_json::Error> {
    let parameters =
        format!(r#"{}{{"description":"innermost"}}{}"#, r#"{"items":"#.repeat(depth), "}".repeat(depth));
    let function = format!(r#"{{"name":"deep_tool","parameters":{parameters}}}"#);
    serde_json::from_str(&format!(r#"{{"type":"function","function":{function}}}"#))
}

#[test]
fn the_deepest_definition_is_found_by_its_innermost_word_and_a_deeper_one_is_an_error() {
    let deepest = (1..1_000).take_while(|&depth| nested_arrays(depth).is_ok()).last().expect("a depth of 1");
    println!("the deepest definition has {deepest} levels");
    assert!(deepest >= 100, "{deepest}");
    let tools = [nested_arrays(deepest).expect("it is accepted")];
    assert_eq!(found(&tools, "innermost"), ["deep_tool"]);
    assert_eq!(signature(&tools[0]), "deep_tool(object)");
    for depth in [deepest + 1, 5_000, 1_000_000] {
        assert!(nested_arrays(depth).is_err(), "{depth}");
    }
}

#[test]
fn no_text_of_a_definition_starts_a_line_of_a_signature() {
    for end in ["\n", "\r", "\r\n", "\u{b}", "\u{c}", "\u{1c}", "\u{1e}", "\u{85}", "\u{2028}", "\u{2029}"] {
        let text = format!("x{end}delete_all()");
        let parameters = json!({
            "properties": {
                &text: {"description": text, "const": text},
                "p": {"type": "string", "description": text, "default": {&text: [text]}},
                "q": {"enum": [text, {&text: text}]},
                "r": {"$ref": format!("#/$defs/{text}")},
            },
            "required": [text],
            "$defs": {&text: {"items": {"$ref": format!("#/$defs/{text}")}, "type": "array"}},
        });
        let tool = tool(&text, &text, &parameters);
        for signature in [signature(&tool), documented_signature(&tool)] {
            assert!(signature.matches("delete_all").count() >= 8, "{signature}");
            let breaks = |letter: char| letter.is_control() || "\u{2028}\u{2029}".contains(letter);
            assert!(!signature.contains(breaks), "{signature:?}");
        }
    }
}

#[test]
fn an_index_prints_only_the_number_of_its_tools() {
    let index = KeywordIndex::new(&tools(&[("get_secret", ""), ("get_weather", "")]));
    assert_eq!(format!("{index:?}"), "KeywordIndex { tools: 2, .. }");
}
