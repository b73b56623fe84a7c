//! The order of properties and keywords in requests: a model writes its arguments, and its answer, in the order of the
//! properties, so that one that reads `answer` first answers before it reasons
//! (<https://github.com/maximhq/bifrost/issues/5148>, <https://github.com/mark3labs/mcp-go/issues/983>).

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;
use std::sync::Arc;
use tool_runtime::session::TypedEnd;
use tool_runtime::wire::{
    Anthropic, Bedrock, ChatCompletions, Gemini, GeminiInteractions, Ollama, Responses, UseResponseFormat,
    Wire,
};
use tool_runtime::{AssistantMessage, Conversation, DynamicTool, Registry, Session, ToolSchema, tool, tools};
use tool_runtime_testing::ScriptedModel;

#[derive(Debug, Deserialize, JsonSchema)]
#[allow(dead_code, reason = "it is only decoded")]
struct Verdict {
    /// Step by step.
    reasoning: String,
    sources: Vec<Source>,
    answer: bool,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[allow(dead_code, reason = "it is only decoded")]
struct Source {
    url: String,
    quote: Option<String>,
}

/// Judges a claim.
#[tool]
fn judge(verdict: Verdict, confidence: u8) -> String {
    format!("{verdict:?} {confidence}")
}

#[derive(Debug, Deserialize, JsonSchema)]
#[allow(dead_code, reason = "it is only decoded")]
struct Claim {
    text: String,
    reasons: Vec<Claim>,
    holds: bool,
}

/// Argues.
#[tool]
fn argue(topic: String, claim: Claim) -> String {
    format!("{topic} {claim:?}")
}

const PUBLISHED: &str = concat!(
    r#"{"type":"object","required":["verdict","confidence"],"additionalProperties":false,"properties":{"#,
    r#""verdict":{"type":"object","required":["reasoning","sources","answer"],"properties":{"#,
    r#""reasoning":{"type":"string","description":"Step by step."},"#,
    r#""sources":{"type":"array","items":{"type":"object","required":["url"],"properties":{"#,
    r#""url":{"type":"string"},"quote":{"type":["string","null"]}}}},"#,
    r#""answer":{"type":"boolean"}}},"#,
    r#""confidence":{"type":"integer","minimum":0}}}"#,
);

const OPENAI: &str = concat!(
    r#"{"type":"object","required":["verdict","confidence"],"additionalProperties":false,"properties":{"#,
    r#""verdict":{"type":"object","required":["reasoning","sources","answer"],"additionalProperties":false,"properties":{"#,
    r#""reasoning":{"type":"string","description":"Step by step."},"#,
    r#""sources":{"type":"array","items":{"type":"object","required":["url","quote"],"additionalProperties":false,"#,
    r#""properties":{"url":{"type":"string"},"quote":{"type":["string","null"]}}}},"#,
    r#""answer":{"type":"boolean"}}},"#,
    r#""confidence":{"type":"integer","minimum":0}}}"#,
);

const ANTHROPIC: &str = concat!(
    r#"{"type":"object","required":["verdict","confidence"],"additionalProperties":false,"properties":{"#,
    r#""verdict":{"type":"object","required":["reasoning","sources","answer"],"additionalProperties":false,"properties":{"#,
    r#""reasoning":{"type":"string","description":"Step by step."},"#,
    r#""sources":{"type":"array","items":{"type":"object","required":["url"],"additionalProperties":false,"#,
    r#""properties":{"url":{"type":"string"},"quote":{"anyOf":[{"type":"string"},{"type":"null"}]}}}},"#,
    r#""answer":{"type":"boolean"}}},"#,
    r#""confidence":{"type":"integer","description":"(minimum: 0)"}}}"#,
);

/// Each wire, and the schema of `judge` in its form.
fn wires() -> [(Arc<dyn Wire>, &'static str); 10] {
    [
        (Arc::new(ChatCompletions::new()), PUBLISHED),
        (Arc::new(ChatCompletions::new().strict(true)), OPENAI),
        (Arc::new(Responses::new()), PUBLISHED),
        (Arc::new(Responses::new().strict(true)), OPENAI),
        (Arc::new(Anthropic::new()), PUBLISHED),
        (Arc::new(Anthropic::new().strict(true)), ANTHROPIC),
        (Arc::new(Gemini::new()), PUBLISHED),
        (Arc::new(GeminiInteractions::new()), PUBLISHED),
        (Arc::new(Bedrock::new()), PUBLISHED),
        (Arc::new(Ollama::new()), PUBLISHED),
    ]
}

/// The bytes of a request, which are the same after a conversion to a value.
fn request(registry: &Registry, wire: &Arc<dyn Wire>) -> String {
    let request = Conversation::new().user("?").request(registry).wire(Arc::clone(wire));
    let body = request.body().expect("it is written");
    let text = serde_json::to_string(&body).expect("it is written");
    assert_eq!(serde_json::to_value(&body).expect("it is written").to_string(), text);
    text
}

/// Asserts that these properties have schemas in this order.
fn assert_order(text: &str, names: &[&str]) {
    let places: Vec<Option<usize>> = names.iter().map(|name| text.find(&format!("{name:?}:{{"))).collect();
    assert!(places.iter().all(Option::is_some) && places.is_sorted(), "{names:?} {places:?} {text}");
}

#[test]
fn properties_have_their_declared_order_in_the_request_of_each_wire() {
    let registry = Registry::new(tools![judge]).expect("one tool");
    for (wire, expected) in wires() {
        let text = request(&registry, &wire);
        assert!(text.contains(expected), "{}: {text}", wire.name());
    }
}

#[test]
fn a_dynamic_tool_and_a_definition_that_was_read_have_the_order_of_their_schema() {
    let parameters: Value = serde_json::from_str(PUBLISHED).expect("it is JSON");
    let tool = DynamicTool::new("judge", "Judges a claim.", parameters, |_| async { Ok::<_, String>(()) });
    let registry = Registry::builder().dynamic(tool).build().expect("one tool");
    for (wire, expected) in wires() {
        let text = request(&registry, &wire);
        assert!(text.contains(expected), "{}: {text}", wire.name());
    }
    let written = serde_json::to_string(&registry.schemas()[0]).expect("it is written");
    let read: ToolSchema = serde_json::from_str(&written).expect("it is read");
    assert_eq!(serde_json::to_string(&read).expect("it is written"), written);
    let value: Value = serde_json::from_str(&written).expect("it is JSON");
    let read: ToolSchema = serde_json::from_value(value).expect("it is read");
    assert_eq!(read.parameters().get(), PUBLISHED);
    assert_eq!(read.openai_strict().expect("it has no map").get(), OPENAI);
    assert_eq!(read.anthropic_strict().expect("it has no map").parameters.get(), ANTHROPIC);
}

#[test]
fn definitions_of_recursive_types_have_their_declared_order() {
    let registry = Registry::new(tools![argue]).expect("one tool");
    for (wire, _) in wires() {
        let text = request(&registry, &wire);
        assert_order(&text, &["topic", "claim"]);
        assert_order(&text, &["text", "reasons", "holds"]);
        assert!(text.contains("$defs"), "{}: {text}", wire.name());
    }
}

#[tokio::test]
async fn a_typed_answer_has_its_declared_order_on_each_wire() {
    let registry = Registry::new(tools![argue]).expect("one tool");
    for format in [UseResponseFormat::Always, UseResponseFormat::Never] {
        let wires: [Arc<dyn Wire>; 7] = [
            Arc::new(ChatCompletions::new().response_format(format)),
            Arc::new(Responses::new().response_format(format)),
            Arc::new(Anthropic::new().response_format(format)),
            Arc::new(Gemini::new().response_format(format)),
            Arc::new(GeminiInteractions::new().response_format(format)),
            Arc::new(Bedrock::new()),
            Arc::new(Ollama::new().response_format(format)),
        ];
        for wire in wires {
            let model = ScriptedModel::new([AssistantMessage::from_text(
                r#"{"reasoning":"It is.","sources":[],"answer":true}"#,
            )]);
            let (mut session, mut sent) = (Session::new().user("?"), String::new());
            let run = session.run(&registry).wire(Arc::clone(&wire)).max_replies(1).answer_as::<Verdict>();
            let _: TypedEnd<Verdict> = run
                .complete(|request| {
                    sent = serde_json::to_string(&request).expect("it is written");
                    model.complete(request)
                })
                .await
                .expect("a valid request");
            assert_order(&sent, &["reasoning", "sources", "answer"]);
            assert_order(&sent, &["url", "quote"]);
            let value: Value = serde_json::from_str(&sent).expect("it is JSON");
            assert_eq!(value.to_string(), sent, "{}", wire.name());
        }
    }
}

#[test]
fn two_registries_of_a_program_send_the_same_bytes() {
    let build = || Registry::new(tools![judge, argue]).expect("two tools");
    let first = build();
    for (wire, _) in wires() {
        assert_eq!(request(&first, &wire), request(&build(), &wire));
    }
}

/// The keywords that follow the properties, in any schema in a value, by their path.
fn late_keywords(value: &Value, path: &str, found: &mut Vec<String>) {
    if let (Some(keywords), true) = (value.as_object(), value["properties"].is_object()) {
        let after = keywords.keys().skip_while(|keyword| *keyword != "properties");
        let late = after.filter(|keyword| {
            matches!(&***keyword, "type" | "description" | "required" | "additionalProperties")
        });
        found.extend(late.map(|keyword| format!("{path}/{keyword}")));
    }
    match value {
        Value::Object(entries) => {
            entries.iter().for_each(|(key, value)| late_keywords(value, &format!("{path}/{key}"), found));
        }
        Value::Array(items) => items.iter().for_each(|item| late_keywords(item, path, found)),
        _ => {}
    }
}

#[test]
fn no_keyword_that_a_small_model_copies_follows_the_properties() {
    // A property may have the name of a keyword.
    let parameters = r#"{"properties":{"properties":{"properties":{"required":{},"type":{}},"type":"object"},
        "required":{"type":"boolean"},"type":{"enum":["a"]}},"required":["type","required"],"type":"object"}"#;
    let parameters: Value = serde_json::from_str(parameters).expect("it is JSON");
    let tool = DynamicTool::new("odd", "", parameters, |_| async { Ok::<_, String>(()) });
    let registry =
        Registry::builder().tools(tools![judge, argue]).dynamic(tool).build().expect("three tools");
    assert_eq!(
        registry.tool("odd").expect("it is there").schema.parameters().get(),
        concat!(
            r#"{"type":"object","required":["type","required"],"properties":{"#,
            r#""properties":{"type":"object","properties":{"required":{},"type":{}}},"#,
            r#""required":{"type":"boolean"},"type":{"enum":["a"]}}}"#,
        )
    );
    for (wire, _) in wires() {
        let value = serde_json::from_str(&request(&registry, &wire)).expect("it is JSON");
        let mut found = Vec::new();
        late_keywords(&value, "", &mut found);
        // The properties of `odd` are no keywords.
        found.retain(|path| !path.ends_with("/properties/required") && !path.ends_with("/properties/type"));
        assert_eq!(found, [""; 0], "{}", wire.name());
    }
}
