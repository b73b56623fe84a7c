//! The requests of runs with a typed answer.

use super::{Invoice, VALID, find, has_response_format, invoice, wires};
use schemars::JsonSchema;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::sync::Arc;
use tool_runtime::conversation::Request;
use tool_runtime::session::TypedEnd;
use tool_runtime::wire::{
    Anthropic, Bedrock, ChatCompletions, Gemini, GeminiInteractions, Ollama, Responses, UseResponseFormat,
    Wire,
};
use tool_runtime::{AssistantMessage, DynamicTool, Registry, Session, ToolCall, ToolChoice, tools};
use tool_runtime_testing::ScriptedModel;

/// The request for an answer of this type.
async fn request<T: DeserializeOwned + JsonSchema>(wire: impl Wire + 'static, registry: &Registry) -> Value {
    prepared::<T>(wire, registry, |request| request).await
}

async fn prepared<T: DeserializeOwned + JsonSchema>(
    wire: impl Wire + 'static,
    registry: &Registry,
    prepare: impl FnMut(Request) -> Request,
) -> Value {
    let model = ScriptedModel::new([AssistantMessage::from_text(VALID)]);
    let mut session = Session::new().user("Go on.");
    let run = session.run(registry).wire(wire).max_replies(1).map_request(prepare).answer_as::<T>();
    let _: TypedEnd<T> = run.complete(|request| model.complete(request)).await.expect("a valid request");
    model.requests().remove(0)
}

fn one_tool() -> Registry {
    Registry::new(tools![find]).expect("one tool")
}

fn no_tools() -> Registry {
    Registry::new(tools![]).expect("no tools")
}

/// The schema in the response format of a request; null if it has none.
fn response_format(wire: &dyn Wire, request: &Value) -> Value {
    match wire.name() {
        "anthropic" => request["output_config"]["format"]["schema"].clone(),
        "responses" => request["text"]["format"]["schema"].clone(),
        "gemini" => request["generationConfig"]["responseJsonSchema"].clone(),
        "gemini_interactions" => request["response_format"]["schema"].clone(),
        "ollama" => request["format"].clone(),
        _ => request["response_format"]["json_schema"]["schema"].clone(),
    }
}

/// The names of the tools of a request.
fn tool_names(wire: &dyn Wire, request: &Value) -> Vec<String> {
    let tools = match wire.name() {
        "bedrock" => &request["toolConfig"]["tools"],
        "gemini" => &request["tools"][0]["functionDeclarations"],
        _ => &request["tools"],
    };
    let name = |tool: &Value| match wire.name() {
        "chat_completions" | "ollama" => tool["function"]["name"].clone(),
        "bedrock" => tool["toolSpec"]["name"].clone(),
        _ => tool["name"].clone(),
    };
    let names = tools.as_array().into_iter().flatten().map(name);
    names.filter_map(|name| Some(name.as_str()?.to_owned())).collect()
}

#[tokio::test]
async fn by_default_a_response_format_is_used_where_servers_accept_it_together_with_tools() {
    let wires: [(Arc<dyn Wire>, bool); 7] = [
        (Arc::new(ChatCompletions::new()), false),
        (Arc::new(Anthropic::new()), true),
        (Arc::new(Responses::new()), true),
        (Arc::new(Gemini::new()), false),
        (Arc::new(Ollama::new()), false),
        (Arc::new(GeminiInteractions::new()), false),
        (Arc::new(Bedrock::new()), false),
    ];
    for (wire, has_format_with_tools) in wires {
        let has_format = has_response_format(&wire);
        let without = request::<Invoice>(Arc::clone(&wire), &no_tools()).await;
        assert_eq!(response_format(&wire, &without)["type"] == "object", has_format, "{}", wire.name());
        let expected: &[&str] = if has_format { &[] } else { &["final_answer"] };
        assert_eq!(tool_names(&wire, &without), expected);
        let with = request::<Invoice>(Arc::clone(&wire), &one_tool()).await;
        assert_eq!(response_format(&wire, &with).is_object(), has_format_with_tools, "{}", wire.name());
        let expected: &[&str] = if has_format_with_tools { &["find"] } else { &["find", "final_answer"] };
        assert_eq!(tool_names(&wire, &with), expected);
        // The same without a tool that may be called.
        let none = |request: Request| request.allowed_tools([] as [&str; 0]);
        let without = prepared::<Invoice>(Arc::clone(&wire), &one_tool(), none).await;
        assert_eq!(response_format(&wire, &without)["type"] == "object", has_format, "{}", wire.name());
    }
    for wire in self::wires(UseResponseFormat::Never) {
        let request = request::<Invoice>(Arc::clone(&wire), &no_tools()).await;
        assert_eq!(response_format(&wire, &request), Value::Null);
        assert_eq!(tool_names(&wire, &request), ["final_answer"]);
    }
}

#[tokio::test]
async fn the_schema_is_strict_where_the_api_has_strict_schemas() {
    let [chat, anthropic, responses, gemini, _, interactions, _] = wires(UseResponseFormat::Always);
    let all = json!(["lines", "note", "number", "total"]);
    let required = |schema: &Value| {
        let mut names: Vec<String> = serde_json::from_value(schema["required"].clone()).expect("names");
        names.sort();
        json!(names)
    };
    let chat = request::<Invoice>(chat, &one_tool()).await;
    let format = &chat["response_format"];
    assert_eq!(
        (&format["type"], &format["json_schema"]["name"]),
        (&json!("json_schema"), &json!("final_answer"))
    );
    assert_eq!(format["json_schema"]["strict"], true);
    assert_eq!(required(&format["json_schema"]["schema"]), all);
    assert_eq!(format["json_schema"]["schema"]["description"], "An invoice.");
    let responses = request::<Invoice>(responses, &one_tool()).await;
    let format = &responses["text"]["format"];
    assert_eq!(
        (&format["type"], &format["name"], &format["strict"]),
        (&json!("json_schema"), &json!("final_answer"), &json!(true))
    );
    assert_eq!(required(&format["schema"]), all);
    let anthropic = request::<Invoice>(anthropic, &one_tool()).await;
    let format = &anthropic["output_config"]["format"];
    assert_eq!(format["type"], "json_schema");
    assert_eq!(format["schema"]["additionalProperties"], false);
    assert_eq!(required(&format["schema"]), json!(["lines", "number", "total"]));
    let gemini = request::<Invoice>(gemini, &one_tool()).await;
    assert_eq!(gemini["generationConfig"]["responseMimeType"], "application/json");
    assert_eq!(
        gemini["generationConfig"]["responseJsonSchema"]["properties"]["total"]["description"],
        "In cents."
    );
    let interactions = request::<Invoice>(interactions, &one_tool()).await;
    let format = &interactions["response_format"];
    assert_eq!((&format["type"], &format["mime_type"]), (&json!("text"), &json!("application/json")));
    assert_eq!(format["schema"]["properties"]["total"]["description"], "In cents.");
}

/// A map has no strict form.
#[tokio::test]
async fn a_type_without_a_strict_form_is_reported_and_is_a_tool_for_anthropic() {
    #[derive(Deserialize, JsonSchema)]
    #[allow(dead_code, reason = "only its schema is used")]
    struct Prices {
        prices: BTreeMap<String, u32>,
    }
    let [chat, anthropic, responses, ..] = wires(UseResponseFormat::Always);
    for wire in [chat, responses] {
        let mut reasons = Vec::new();
        let body = prepared::<Prices>(Arc::clone(&wire), &no_tools(), |request| {
            let report = request.body().expect("it is written").report().clone();
            reasons.push(report.to_string());
            request
        })
        .await;
        let format = if wire.name() == "responses" {
            &body["text"]["format"]
        } else {
            &body["response_format"]["json_schema"]
        };
        assert_eq!(format["strict"], false);
        assert_eq!(reasons, ["the answer is not strict: `prices` is a map, whose keys are not fixed"]);
    }
    let body = request::<Prices>(Arc::clone(&anthropic), &no_tools()).await;
    assert_eq!(tool_names(&anthropic, &body), ["final_answer"]);
    assert_eq!(body.get("output_config"), None);
}

#[tokio::test]
async fn settings_of_the_program_keep_the_response_format() {
    let [_, anthropic, responses, gemini, ..] = wires(UseResponseFormat::Always);
    let bodies = [
        (anthropic, "output_config", json!({"effort": "low"})),
        (responses, "text", json!({"verbosity": "low"})),
        (gemini, "generationConfig", json!({"maxOutputTokens": 100, "responseMimeType": "application/json"})),
    ];
    for (wire, field, settings) in bodies {
        let mut session = Session::new().user("Go on.");
        let run = session.run(&one_tool()).wire(Arc::clone(&wire)).answer_as::<Invoice>();
        let end = run.complete(async |request: Request| {
            let body = request.body().expect("it is written").with(field, &settings);
            let body = serde_json::to_value(body).expect("it is JSON");
            for (name, value) in settings.as_object().expect("an object") {
                assert_eq!(body[field][name], *value, "{body}");
            }
            assert_eq!(response_format(&wire, &body)["type"], "object", "{body}");
            // Another field, and a value that is not an object, replace the field.
            let body = request.body().expect("it is written").with(field, 7);
            assert_eq!(body.get(field).map(serde_json::value::RawValue::get), Some("7"));
            Ok::<_, std::io::Error>(AssistantMessage::from_text(VALID))
        });
        assert_eq!(end.await.expect("valid"), TypedEnd::Answered(invoice()));
    }
}

#[tokio::test]
async fn the_tool_for_the_answer_is_always_allowed_and_can_be_chosen() {
    for wire in wires(UseResponseFormat::Never) {
        let body = prepared::<Invoice>(Arc::clone(&wire), &one_tool(), |request| {
            request.allowed_tools(["find"]).tool_choice(ToolChoice::Required)
        })
        .await;
        assert_eq!(tool_names(&wire, &body), ["find", "final_answer"]);
        let body = prepared::<Invoice>(Arc::clone(&wire), &one_tool(), |request| {
            request.allowed_tools(["other"]).tool_choice(ToolChoice::Tool("final_answer".to_owned()))
        })
        .await;
        assert_eq!(tool_names(&wire, &body), ["final_answer"]);
        let choice = match wire.name() {
            "bedrock" => body["toolConfig"].get("toolChoice"),
            "gemini_interactions" => body["generation_config"].get("tool_choice"),
            _ => body.get("tool_choice").or(body.get("toolConfig")),
        };
        let choice = choice.map(ToString::to_string);
        // Ollama's API has no tool choice.
        let has_choice = choice.is_some_and(|choice| choice.contains("final_answer"));
        assert_eq!(has_choice, wire.name() != "ollama", "{body}");
    }
}

#[tokio::test]
async fn a_tool_of_the_program_with_this_name_keeps_it() {
    let own =
        DynamicTool::new("final_answer", "", json!({"type": "object"}), |_| async { Ok::<_, String>("own") });
    let registry = Registry::builder().dynamic(own).build().expect("one tool");
    let call =
        |name: &str, json: &str| AssistantMessage::from_tool_calls(vec![ToolCall::new("a", name, json)]);
    let model = ScriptedModel::new([call("final_answer", "{}"), call("final_answer_2", VALID)]);
    let mut session = Session::new().user("Go on.");
    let end = session.run(&registry).answer_as::<Invoice>().complete(|request| model.complete(request)).await;
    assert_eq!(end.expect("valid"), TypedEnd::Answered(invoice()));
    assert_eq!(session.messages()[2].text(), "own");
}

/// The provider continues its own copy of the conversation, which has the call without a result.
#[tokio::test]
async fn an_answer_that_was_a_call_is_sent_again_instead_of_the_previous_response() {
    let wire = Responses::new().previous_response(true).response_format(UseResponseFormat::Never);
    let call =
        json!({"type": "function_call", "call_id": "call_1", "name": "final_answer", "arguments": VALID});
    let model = ScriptedModel::new([
        json!({"id": "resp_1", "status": "completed", "output": [call]}),
        json!({"id": "resp_2", "status": "completed", "output": [
            {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "Yes."}]}
        ]}),
    ]);
    let mut session = Session::new().user("Go on.");
    let run = session.run(&no_tools()).wire(wire.clone()).answer_as::<Invoice>();
    assert_eq!(
        run.complete(|request| model.complete(request)).await.expect("valid").into_answer(),
        Some(invoice())
    );
    session.push_user("Sure?");
    let run = session.run(&no_tools()).wire(wire);
    let _ = run.complete(|request| model.complete(request)).await.expect("valid");
    let request = &model.requests()[1];
    assert_eq!(request.get("previous_response_id"), None);
    assert_eq!(request["input"].as_array().map(Vec::len), Some(3), "{request}");
}
