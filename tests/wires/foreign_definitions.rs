//! Foreign definitions: each wire writes only what its provider accepts, and reports what it changes. The tool
//! validates against the original. The cases are in `tests/foreign_tools.json`, each with a public report.

use serde_json::{Map, Value, json};
use std::sync::{Arc, Mutex};
use tool_runtime::message::Message;
use tool_runtime::registry::BuildErrorKind;
use tool_runtime::wire::{
    Anthropic, Bedrock, ChatCompletions, Gemini, GeminiInteractions, LeftOutTool, Ollama, RequestParts,
    Responses, Wire,
};
use tool_runtime::{DynamicTool, Registry, RegistryBuilder, ToolCall, ToolChoice, ToolSchema};
use tool_runtime_testing::check_request;

pub(crate) fn wires() -> [Box<dyn Wire>; 10] {
    [
        Box::new(ChatCompletions::new()),
        Box::new(ChatCompletions::new().strict(true)),
        Box::new(Responses::new()),
        Box::new(Responses::new().strict(true)),
        Box::new(Anthropic::new()),
        Box::new(Anthropic::new().strict(true)),
        Box::new(Gemini::new()),
        Box::new(GeminiInteractions::new()),
        Box::new(Bedrock::new()),
        Box::new(Ollama::new()),
    ]
}

pub(crate) fn cases() -> Vec<Value> {
    serde_json::from_str(include_str!("../foreign_tools.json")).expect("it is a list")
}

pub(crate) type Seen = Arc<Mutex<Vec<Map<String, Value>>>>;

pub(crate) fn tool(name: &str, parameters: &Value, seen: &Seen) -> DynamicTool {
    let seen = Arc::clone(seen);
    DynamicTool::new(name, "Takes.", parameters.clone(), move |arguments| {
        seen.lock().expect("nobody panicked").push(arguments);
        std::future::ready(Ok::<_, String>("done"))
    })
}

pub(crate) fn registry(parameters: &Value) -> Registry {
    let tool = tool("take", parameters, &Seen::default());
    Registry::builder().dynamic(tool).build().unwrap_or_else(|error| panic!("{error}"))
}

/// The tools of a body, each with its description and its parameters.
pub(crate) fn written(wire: &dyn Wire, body: &Value) -> Vec<(String, Value)> {
    let tools = match wire.name() {
        "gemini" => &body["tools"][0]["functionDeclarations"],
        "bedrock" => &body["toolConfig"]["tools"],
        _ => &body["tools"],
    };
    let one = |tool: &Value| match wire.name() {
        "anthropic" => (tool["description"].clone(), tool["input_schema"].clone()),
        "gemini" => (tool["description"].clone(), tool["parametersJsonSchema"].clone()),
        "bedrock" => {
            (tool["toolSpec"]["description"].clone(), tool["toolSpec"]["inputSchema"]["json"].clone())
        }
        "responses" | "gemini_interactions" => (tool["description"].clone(), tool["parameters"].clone()),
        _ => (tool["function"]["description"].clone(), tool["function"]["parameters"].clone()),
    };
    let text = |(description, parameters): (Value, Value)| {
        (description.as_str().unwrap_or_default().to_owned(), parameters)
    };
    tools.as_array().into_iter().flatten().map(one).map(text).collect()
}

/// The body of a request with these tools, and the lines of its report.
pub(crate) fn request(wire: &dyn Wire, tools: &[ToolSchema]) -> (Value, Vec<String>) {
    let messages = [Message::user("Go.")];
    let body = wire.write(&RequestParts::new(&messages).tools(tools)).expect("it is written");
    let report = body.report().to_string().lines().map(str::to_owned).collect();
    (serde_json::to_value(&body).expect("it is JSON"), report)
}

/// The description and the parameters of the only tool.
pub(crate) fn definition(wire: &dyn Wire, parameters: &Value) -> (String, Value) {
    let (body, _) = request(wire, registry(parameters).schemas());
    written(wire, &body).remove(0)
}

/// Every value in a schema.
fn values(schema: &Value) -> Vec<&Value> {
    let mut found = vec![schema];
    let mut next = 0;
    while let Some(value) = found.get(next).copied() {
        next += 1;
        match value {
            Value::Object(entries) => found.extend(entries.values()),
            Value::Array(items) => found.extend(items),
            _ => {}
        }
    }
    found
}

#[test]
fn each_wire_writes_what_its_provider_accepts_and_reports_the_changes() {
    for case in cases() {
        let name = case["name"].as_str().expect("a name");
        let registry = registry(&case["parameters"]);
        for wire in wires() {
            let (body, report) = request(&wire, registry.schemas());
            check_request(&wire, &body).unwrap_or_else(|error| panic!("{name}, {wire:?}: {error}"));
            let [(_, parameters)] = &written(&wire, &body)[..] else { panic!("{name}: one tool") };
            assert_eq!(parameters["type"], "object", "{name}");
            assert!(parameters["properties"].is_object(), "{name}: {parameters}");
            for keyword in ["anyOf", "oneOf", "allOf", "enum", "const", "not", "$ref"] {
                assert_eq!(parameters.get(keyword), None, "{name}, {wire:?}");
            }
            for reference in values(parameters).iter().filter_map(|value| value.get("$ref")?.as_str()) {
                let target = reference.strip_prefix('#').and_then(|pointer| parameters.pointer(pointer));
                assert!(target.is_some_and(Value::is_object), "{name}, {wire:?}: {reference}");
            }
            let is_strict = format!("{wire:?}").contains("strict: true");
            // The original goes to a provider that accepts it.
            let is_changed = case["parameters"] != *parameters && !is_strict;
            assert!(!is_changed || !report.is_empty(), "{name}, {wire:?}: {parameters}");
        }
    }
}

#[tokio::test]
async fn a_tool_gets_the_arguments_of_its_own_schema() {
    for case in cases() {
        let seen = Seen::default();
        let take = tool("take", &case["parameters"], &seen);
        let registry = Registry::builder().dynamic(take).build().expect("it is valid");
        let list = |key: &str| case[key].as_array().cloned().unwrap_or_default();
        for arguments in list("valid") {
            let answers = registry.dispatch(&[ToolCall::new("1", "take", arguments.to_string())]).await;
            assert_eq!(answers[0].text(), "done", "{}: {arguments}", case["name"]);
            let got = seen.lock().expect("nobody panicked").pop().map(Value::Object);
            assert_eq!(got, Some(arguments), "{}", case["name"]);
        }
        for arguments in list("invalid") {
            let answers = registry.dispatch(&[ToolCall::new("1", "take", arguments.to_string())]).await;
            assert!(answers[0].is_error(), "{}: {arguments}", case["name"]);
        }
    }
}

/// jsonschema.net writes `$id: "#/properties/a"`.
#[test]
fn identifiers_that_the_metaschema_rejects_are_left_out() {
    let parameters = json!({"$id": "https://example.com/s.json#", "type": "object",
        "properties": {"a": {"$id": "#/properties/a", "type": "string"}, "b": {"$anchor": "1b"}}});
    let expected = json!({"$id": "https://example.com/s.json#", "type": "object", "properties": {"a": {"type": "string"}, "b": {}}});
    let (body, report) = request(&Anthropic::new(), registry(&parameters).schemas());
    assert_eq!(written(&Anthropic::new(), &body)[0].1, expected);
    let reason = "is left out, since references refer to definitions at the root";
    let a = format!("the tool `take` at `/properties/a`: `$id` {reason}");
    assert_eq!(report, [a, format!("the tool `take` at `/properties/b`: `$anchor` {reason}")]);
}

#[test]
fn definitions_without_references_are_left_out() {
    let cases = cases();
    let parameters =
        |name: &str| &cases.iter().find(|case| case["name"] == name).expect("it is a case")["parameters"];
    for wire in wires() {
        let (_, written) = definition(&wire, parameters("openapi_document"));
        assert_eq!(written.get("components"), None);
        // Ollama gets no references.
        let definitions = if wire.name() == "ollama" { None } else { Some(2) };
        assert_eq!(written.get("$defs").and_then(Value::as_object).map(Map::len), definitions, "{written}");
        let (_, written) = definition(&wire, parameters("root_reference"));
        assert_eq!((written.get("definitions"), written.get("$defs")), (None, None));
    }
    // Without a change, the definitions stay.
    let unused = json!({"type": "object", "properties": {}, "$defs": {"a": {}}});
    assert_eq!(definition(&Anthropic::new(), &unused).1, unused);
}

/// <https://github.com/cline/cline/issues/7339>
#[test]
fn a_tool_keeps_the_arrays_of_its_schema_and_each_wire_reports_the_completed_ones() {
    let pair = json!({"type": "array", "prefixItems": [{"type": "string"}], "items": false});
    let parameters =
        json!({"type": "object", "properties": {"any": {"type": "array"}, "yes": true, "pair": pair}});
    let registry = registry(&parameters);
    let own: Value = serde_json::from_str(registry.schemas()[0].parameters().get()).expect("it is JSON");
    assert_eq!(own, parameters);
    for wire in wires() {
        let (body, report) = request(&wire, registry.schemas());
        let properties = &written(&wire, &body)[0].1["properties"];
        assert!(properties["any"]["items"].is_object() && properties["yes"] != true, "{wire:?}");
        assert!(report.iter().any(|line| line.contains("arrays get `items`")), "{report:?}");
    }
}

#[test]
fn nested_unions_stay() {
    let value = json!({"anyOf": [{"type": "string"}, {"type": "integer"}]});
    let parameters = json!({"type": "object", "properties": {"value": value}, "required": ["value"]});
    for wire in [
        Box::new(ChatCompletions::new()) as Box<dyn Wire>,
        Box::new(Anthropic::new()),
        Box::new(Gemini::new()),
    ] {
        let (body, report) = request(&wire, registry(&parameters).schemas());
        assert_eq!(written(&wire, &body)[0].1, parameters);
        assert_eq!(report, [""; 0]);
    }
}

#[test]
fn the_report_names_the_tool_the_place_and_the_reason() {
    let parameters = json!({"type": "object", "properties": {"a/b": {"type": "string", "pattern": "x"}}});
    let (_, report) = request(&ChatCompletions::new(), registry(&parameters).schemas());
    assert_eq!(
        report,
        [
            "the tool `take` at `/properties/a~1b`: `pattern` moves into the description, since grammar engines do not compile it"
        ]
    );
    let messages = [Message::user("Go.")];
    let registry = registry(&parameters);
    let body = ChatCompletions::new().write(&RequestParts::new(&messages).tools(registry.schemas()));
    let body = body.expect("it is written");
    let [change] = &body.report().changed_definitions[..] else { panic!("one change") };
    assert_eq!((&*change.tool, &*change.place), ("take", "/properties/a~1b"));
    assert!(!body.report().is_empty());
}

/// <https://github.com/zed-industries/zed/issues/42393>
#[test]
fn tools_after_the_maximum_number_are_left_out_and_reported() {
    let tools =
        (0..130).map(|number| tool(&format!("t{number:03}"), &json!({"type": "object"}), &Seen::default()));
    let registry = tools.fold(Registry::builder(), RegistryBuilder::dynamic).build();
    let registry = registry.expect("the names differ");
    let messages = [Message::user("Go.")];
    let choice = ToolChoice::Tool("t129".to_owned());
    let parts = RequestParts::new(&messages).tools(registry.schemas());
    for wire in [Box::new(ChatCompletions::new()) as Box<dyn Wire>, Box::new(Responses::new())] {
        let body = wire.write(&parts.tool_choice(&choice)).expect("it is written");
        let LeftOutTool { tool, reason, .. } = &body.report().left_out_tools[1];
        assert_eq!((&**tool, &**reason), ("t129", "a request may have at most 128 tools"));
        assert_eq!(body.report().ignored_choice, Some(choice.clone()));
        let sent = serde_json::to_value(&body).expect("it is JSON");
        assert_eq!((sent["tools"].as_array().map(Vec::len), sent.get("tool_choice")), (Some(128), None));
        check_request(&wire, &sent).expect("it is accepted");
    }
    let wire = ChatCompletions::new().max_tools(None);
    let (body, report) = request(&wire, registry.schemas());
    assert_eq!((body["tools"].as_array().map(Vec::len), report.len()), (Some(130), 0));
    check_request(&wire, &body).expect("the server has no limit");
    let rejected = check_request(&ChatCompletions::new(), &body).expect_err("OpenAI has one");
    assert_eq!(
        rejected.message,
        "Invalid 'tools': array too long. Expected an array with maximum length 128, but got an array with length 130 instead."
    );
}

#[test]
fn a_definition_that_no_provider_accepts_is_left_out() {
    let schema = |parameters: Value| -> ToolSchema {
        let function = json!({"name": "odd", "description": "", "parameters": parameters});
        serde_json::from_value(json!({"type": "function", "function": function})).expect("it is a definition")
    };
    for parameters in
        [json!({"type": "string"}), json!({"type": "object", "properties": {"a": {"type": "text"}}})]
    {
        let tools = [schema(parameters), schema(json!({}))];
        for wire in wires() {
            let (body, report) = request(&wire, &tools);
            assert_eq!(written(&wire, &body).len(), 1, "{body}");
            assert!(
                report.iter().any(|line| line.starts_with("the tool `odd` is left out: its parameters")),
                "{report:?}"
            );
            let (body, _) = request(&wire, &tools[..1]);
            assert_eq!(body.get("tools"), None);
            check_request(&wire, &body).expect("it has no tools");
        }
    }
}

#[test]
fn a_dynamic_tool_must_be_valid_under_the_metaschema() {
    let cases = [
        (json!({"type": "object", "properties": {"a": {"type": "text"}}}), "`properties.a.type`"),
        (json!({"type": "object", "properties": {"a": {"minLength": -1}}}), "`properties.a.minLength`"),
        (json!({"type": "object", "properties": {"a": "string"}}), "`properties.a`"),
        (json!({"type": "object", "properties": {"a": {"minimum": "1"}}}), "`properties.a.minimum`"),
        (json!({"type": "object", "required": "a"}), "`required`"),
    ];
    for (parameters, place) in cases {
        let build = |skips: bool| {
            let builder = Registry::builder().skip_invalid_tools(skips);
            builder.dynamic(tool("odd", &parameters, &Seen::default())).build()
        };
        let error = build(false).expect_err("it is no schema");
        let [BuildErrorKind::InvalidSchema { tool, errors, .. }] = error.errors() else { panic!("{error}") };
        assert!(tool == "odd" && errors[0].contains(place), "{errors:?}");
        let registry = build(true).expect("the tool is skipped");
        assert!(registry.names().is_empty() && registry.skipped_tools().len() == 1);
    }
}

#[test]
fn the_rules_of_providers_reject_other_definitions() {
    let any_of = json!({"type": "object", "properties": {}, "anyOf": [{"required": ["a"]}]});
    let draft_4 = json!({"type": "object", "properties": {"a": {"minimum": 0, "exclusiveMinimum": true}}});
    let pattern = json!({"type": "object", "properties": {"a": {"type": "string", "pattern": "x"}}});
    let nowhere = json!({"type": "object", "properties": {"a": {"$ref": "#/$defs/a"}}});
    let chat = |parameters: &Value| {
        let function = json!({"name": "take", "parameters": parameters});
        let tools = json!([{"type": "function", "function": function}]);
        let body = json!({"messages": [{"role": "user", "content": "Go."}], "tools": tools});
        check_request(&ChatCompletions::new(), &body).expect_err("it is rejected").message
    };
    let anthropic = |parameters: &Value| {
        let tools = json!([{"name": "take", "input_schema": parameters}]);
        let body = json!({"messages": [{"role": "user", "content": "Go."}], "tools": tools});
        check_request(&Anthropic::new(), &body).expect_err("it is rejected").message
    };
    assert_eq!(
        chat(&any_of),
        "Invalid schema for function 'take': schema must have type 'object' and not have \
         'oneOf'/'anyOf'/'allOf'/'enum'/'not' at the top level."
    );
    assert!(chat(&pattern).ends_with("failed to parse grammar"));
    assert!(chat(&nowhere).contains("was not found in the schema"));
    assert_eq!(
        anthropic(&any_of),
        "tools.0.custom.input_schema: input_schema does not support oneOf, allOf, or anyOf at the top level"
    );
    for parameters in [draft_4, nowhere] {
        assert!(anthropic(&parameters).contains("It must match JSON Schema draft 2020-12"));
    }
}

/// The server of Ollama reads neither references nor constants:
/// <https://github.com/ollama/ollama/blob/main/api/types.go>.
#[test]
fn ollama_gets_schemas_in_place_of_references() {
    let point = json!({"type": "object", "properties": {"x": {"const": 1}}, "required": ["x"]});
    let node = json!({"type": "object", "properties": {"next": {"$ref": "#/$defs/Node"}}});
    let at = json!({"$ref": "#/$defs/Point", "description": "The place."});
    let parameters = json!({"type": "object", "properties": {"at": at}, "$defs": {"Point": point}});
    let (_, written) = definition(&Ollama::new(), &parameters);
    let expected = json!({"type": "object", "description": "The place.", "properties": {"x": {"enum": [1]}}, "required": ["x"]});
    assert_eq!(written, json!({"type": "object", "properties": {"at": expected}}));
    // A recursive reference stays.
    let recursive =
        json!({"type": "object", "properties": {"node": {"$ref": "#/$defs/Node"}}, "$defs": {"Node": node}});
    let (_, written) = definition(&Ollama::new(), &recursive);
    assert_eq!(written["properties"]["node"], node);
    assert_eq!(written["$defs"], recursive["$defs"]);
}

/// A definition may be a reference, and Go decodes no boolean into a schema.
#[test]
fn ollama_gets_no_reference_to_a_reference_and_no_boolean() {
    let parameters = json!({
        "type": "object",
        "properties": {"a": {"$ref": "#/$defs/A"}, "legacy": false, "u": {"anyOf": [{"type": "string"}, false]}},
        "$defs": {"A": {"$ref": "#/$defs/B", "description": "An A."}, "B": {"type": "string"}},
    });
    let (_, written) = definition(&Ollama::new(), &parameters);
    let a = json!({"type": "string", "description": "An A."});
    let expected = json!({"type": "object", "properties": {"a": a, "u": {"anyOf": [{"type": "string"}]}}});
    assert_eq!(written, expected);
}

/// The lists and objects of PHP, where an empty one may be the other, and OpenAPI's null.
#[tokio::test]
async fn what_generators_write_almost_right_has_its_meaning() {
    let properties = json!({"a": {"type": "string", "required": true}, "b": {"type": "string", "nullable": true},
        "c": {"type": ["string", "null"], "nullable": true}});
    let parameters = json!({"type": "object", "properties": properties, "required": {}});
    let registry = registry(&parameters);
    let text = async |arguments: Value| registry.call("take", arguments).await.text().into_owned();
    assert_eq!(text(json!({"a": "", "b": null, "c": null})).await, "done");
    assert!(text(json!({"b": ""})).await.contains("`a` is missing"));
    let (_, written) = definition(&Anthropic::new(), &parameters);
    assert_eq!(written["required"], json!(["a"]));
    let (_, written) = definition(&Anthropic::new(), &json!({"type": "object", "properties": null}));
    assert_eq!(written, json!({"type": "object", "properties": {}}));
}
