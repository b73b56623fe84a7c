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
fn queries() {
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
fn texts_of_definitions() {
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
fn schemas() {
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

#[test]
fn a_schema_that_is_too_deep_for_the_parser_has_no_words() {
    let deep = format!("{}{}", r#"{"items":"#.repeat(5_000), "}".repeat(5_000)).replace(":}", ":1}");
    let definition =
        format!(r#"{{"type":"function","function":{{"name":"deep_tool","parameters":{deep}}}}}"#);
    // A parser with the usual limit rejects the definition; one without a limit accepts it.
    if let Ok(tool) = serde_json::from_str::<ToolSchema>(&definition) {
        assert_eq!(signature(&tool), "deep_tool()");
    }
    assert_eq!(found(&tools(&[("deep_tool", "")]), "deep"), ["deep_tool"]);
}
