//! Foreign definitions: each wire writes only what its provider accepts, and reports what it changes. The tool
//! validates against the original. The cases are in `tests/foreign_tools.json`, each with a public report.

use serde_json::{Map, Value, json};
use std::sync::{Arc, Mutex};
use tool_runtime::message::Message;
use tool_runtime::registry::BuildErrorKind;
use tool_runtime::testing::check_request;
use tool_runtime::wire::{
    Anthropic, ChatCompletions, Gemini, LeftOutTool, Ollama, RequestParts, Responses, Wire,
};
use tool_runtime::{DynamicTool, Registry, RegistryBuilder, ToolCall, ToolChoice, ToolSchema, tool, tools};

fn wires() -> [Box<dyn Wire>; 8] {
    [
        Box::new(ChatCompletions::new()),
        Box::new(ChatCompletions::new().strict(true)),
        Box::new(Responses::new()),
        Box::new(Responses::new().strict(true)),
        Box::new(Anthropic::new()),
        Box::new(Anthropic::new().strict(true)),
        Box::new(Gemini::new()),
        Box::new(Ollama::new()),
    ]
}

fn cases() -> Vec<Value> {
    serde_json::from_str(include_str!("../foreign_tools.json")).expect("it is a list")
}

type Seen = Arc<Mutex<Vec<Map<String, Value>>>>;

fn tool(name: &str, parameters: &Value, seen: &Seen) -> DynamicTool {
    let seen = Arc::clone(seen);
    DynamicTool::new(name, "Takes.", parameters.clone(), move |arguments| {
        seen.lock().expect("nobody panicked").push(arguments);
        std::future::ready(Ok::<_, String>("done"))
    })
}

fn registry(parameters: &Value) -> Registry {
    let tool = tool("take", parameters, &Seen::default());
    Registry::builder().dynamic(tool).build().unwrap_or_else(|error| panic!("{error}"))
}

/// The tools of a body, each with its description and its parameters.
fn written(wire: &dyn Wire, body: &Value) -> Vec<(String, Value)> {
    let tools = match wire.name() {
        "gemini" => &body["tools"][0]["functionDeclarations"],
        _ => &body["tools"],
    };
    let one = |tool: &Value| match wire.name() {
        "anthropic" => (tool["description"].clone(), tool["input_schema"].clone()),
        "gemini" => (tool["description"].clone(), tool["parametersJsonSchema"].clone()),
        "responses" => (tool["description"].clone(), tool["parameters"].clone()),
        _ => (tool["function"]["description"].clone(), tool["function"]["parameters"].clone()),
    };
    let text = |(description, parameters): (Value, Value)| {
        (description.as_str().unwrap_or_default().to_owned(), parameters)
    };
    tools.as_array().into_iter().flatten().map(one).map(text).collect()
}

/// The body of a request with these tools, and the lines of its report.
fn request(wire: &dyn Wire, tools: &[ToolSchema]) -> (Value, Vec<String>) {
    let messages = [Message::user("Go.")];
    let body = wire.write(&RequestParts::new(&messages).with_tools(tools)).expect("it is written");
    let report = body.report().to_string().lines().map(str::to_owned).collect();
    (serde_json::to_value(&body).expect("it is JSON"), report)
}

/// The description and the parameters of the only tool.
fn definition(wire: &dyn Wire, parameters: &Value) -> (String, Value) {
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

#[test]
fn a_union_at_the_root_is_one_object() {
    let circle = json!({"type": "object", "description": "A round shape.",
        "properties": {"shape": {"const": "circle"}, "radius": {"type": "number"}}, "required": ["shape", "radius"], "additionalProperties": false});
    let square = json!({"type": "object",
        "properties": {"shape": {"const": "square"}, "width": {"type": "number"}}, "required": ["shape", "width"], "additionalProperties": false});
    for wire in wires() {
        let (description, parameters) = definition(&wire, &json!({"oneOf": [circle, square]}));
        assert_eq!(
            description,
            "Takes. The arguments must match exactly one of: `shape` \"circle\" and `radius` (A round shape); \
             `shape` \"square\" and `width`."
        );
        assert_eq!(
            parameters,
            json!({
                "type": "object",
                "properties": {"shape": {"type": "string", "enum": ["circle", "square"]}, "radius": {"type": "number"}, "width": {"type": "number"}},
                "required": ["shape"],
                "additionalProperties": false,
            })
        );
    }
}

#[test]
fn a_closed_root_gets_no_further_properties() {
    let parameters = json!({"type": "object", "properties": {"a": {"type": "string"}}, "additionalProperties": false,
        "anyOf": [{"required": ["a"]}, {"properties": {"b": {"type": "string"}}, "required": ["b"]}]});
    let (_, written) = definition(&Anthropic::new(), &parameters);
    assert_eq!(
        written,
        json!({"type": "object", "properties": {"a": {"type": "string"}}, "additionalProperties": false})
    );
}

/// The work grows with the size of a schema, not with the number of paths through it.
#[test]
fn references_inside_alternatives_are_followed_once() {
    let definition_of = |number: usize| match number {
        40 => json!({"properties": {"last": {"type": "string"}}}),
        number => {
            let next = json!({"$ref": format!("#/$defs/D{}", number + 1)});
            json!({"anyOf": [next, next, {"allOf": [next]}]})
        }
    };
    let definitions: Map<String, Value> =
        (0..=40).map(|number| (format!("D{number}"), definition_of(number))).collect();
    let parameters = json!({"type": "object", "anyOf": [{"$ref": "#/$defs/D0"}, {"required": ["a"]}], "$defs": definitions});
    let function = json!({"name": "take", "description": "Takes.", "parameters": parameters});
    let tool: ToolSchema = serde_json::from_value(json!({"type": "function", "function": function}))
        .expect("it is a definition");
    let (body, _) = request(&ChatCompletions::new(), &[tool]);
    let (_, written) = written(&ChatCompletions::new(), &body).remove(0);
    assert_eq!(written["properties"], json!({"last": {"type": "string"}}));
    let all = json!([{"$ref": "#"}, {"$ref": "#"}, {"$ref": "#"}]);
    let (_, written) =
        definition(&Anthropic::new(), &json!({"type": "object", "properties": {"a": {}}, "anyOf": all}));
    assert_eq!(written, json!({"type": "object", "properties": {"a": {}}}));
}

#[test]
fn a_reference_at_the_root_is_merged_with_the_keywords_next_to_it() {
    let foo = json!({"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]});
    let next_to_it = json!({"type": "object", "properties": {"limit": {"type": "integer"}}, "required": ["limit"],
        "$ref": "#/definitions/Foo", "definitions": {"Foo": foo}});
    let type_only = json!({"type": "object", "default": {"city": "Rome"}, "$ref": "#/definitions/Foo", "definitions": {"Foo": foo}});
    let nothing = json!({"type": "object", "properties": {"a": {}}, "$recursiveRef": "#"});
    for wire in wires().iter().filter(|wire| !format!("{wire:?}").contains("strict: true")) {
        let (_, written) = definition(wire, &next_to_it);
        let properties = json!({"limit": {"type": "integer"}, "city": {"type": "string"}});
        assert_eq!(
            written,
            json!({"type": "object", "properties": properties, "required": ["limit", "city"]})
        );
        let (_, written) = definition(wire, &type_only);
        let mut expected = foo.clone();
        expected["default"] = json!({"city": "Rome"});
        assert_eq!(written, expected);
        assert_eq!(definition(wire, &nothing).1, json!({"type": "object", "properties": {"a": {}}}));
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
fn sentences_about_rules_have_the_written_keys() {
    let parameters = json!({"type": "object", "properties": {"filter[city]": {}, "name": {}},
        "oneOf": [{"required": ["filter[city]"]}, {"required": ["name"]}], "not": {"required": ["filter[city]", "name"]}});
    let (description, written) = definition(&Anthropic::new(), &parameters);
    assert_eq!(written["properties"], json!({"filter_city_": {}, "name": {}}));
    assert_eq!(
        description,
        "Takes. The arguments must match {\"not\":{\"required\":[\"filter_city_\",\"name\"]}}. \
         The arguments must match exactly one of: `filter_city_`; `name`."
    );
    let (description, _) = definition(&ChatCompletions::new(), &parameters);
    assert!(description.ends_with("exactly one of: `filter[city]`; `name`."));
}

#[test]
fn the_description_has_the_rules_of_alternatives() {
    let del = json!({"properties": {"op": {"const": "del", "description": "Deletes."}}, "required": ["op"], "additionalProperties": {"type": "integer"}});
    let add = json!({"properties": {"op": {"const": "add"}}, "required": ["op"]});
    let open = json!({"properties": {"a": {}, "b": {}}});
    let any_of = json!([del, add, open, {"type": "null"}, {"type": "string"}, false]);
    let (description, written) = definition(&Anthropic::new(), &json!({"type": "object", "anyOf": any_of}));
    assert_eq!(
        description,
        "Takes. The arguments must match at least one of: `op` \"del\" with {\"additionalProperties\":{\"type\":\"integer\"}}; \
         `op` \"add\"; optional `a` and `b`."
    );
    assert_eq!(
        written["properties"]["op"],
        json!({"type": "string", "description": "del: Deletes.", "enum": ["del", "add"]})
    );
    // The merged object has all rules of these.
    let id = |kind: &str| json!({"properties": {"id": {"type": kind}}, "required": ["id"]});
    let parameters = json!({"type": "object", "oneOf": [id("string"), id("integer")]});
    assert_eq!(definition(&Anthropic::new(), &parameters).0, "Takes.");
}

#[test]
fn the_rules_in_a_description_have_a_maximum_length() {
    let condition = |number: usize| json!({"if": {"properties": {"kind": {"const": number}}}, "then": {"required": [format!("key_{number}")]}});
    let conditions: Vec<Value> = (0..199).map(condition).collect();
    let (description, _) =
        definition(&Anthropic::new(), &json!({"type": "object", "properties": {}, "allOf": conditions}));
    assert!((3_500..4_500).contains(&description.len()), "{}", description.len());
    assert!(description.ends_with(" other rules"), "{description}");
    let branch = |number: usize| json!({"properties": {format!("key_{number}"): {}}, "required": [format!("key_{number}")]});
    let branches: Vec<Value> = (0..1_000).map(branch).collect();
    let (description, _) = definition(&Anthropic::new(), &json!({"type": "object", "anyOf": branches}));
    assert!((2_500..4_500).contains(&description.len()), "{}", description.len());
    assert!(description.ends_with(" other alternatives."), "{description}");
}

#[test]
fn what_only_references_needed_is_left_out() {
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
        assert!(report.iter().any(|line| line.contains("each array has `items`")), "{report:?}");
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

/// The patterns that llama.cpp rejects: <https://github.com/openclaw/openclaw/issues/113562>,
/// <https://github.com/ggml-org/llama.cpp/issues/16714>.
#[test]
fn a_pattern_goes_to_engines_in_a_form_that_they_compile() {
    let cases = [
        (r"^\d{4}-\d{2}$", Some(r"^[0-9]{4}-[0-9]{2}$")),
        (r"^[a-z]+$", Some(r"^[a-z]+$")),
        (r"^a$|^b$", Some(r"^(a|b)$")),
        (r"\S", None),
        (r"^(?!con$)[a-z]+$", None),
        (r"^\p{L}+$", None),
    ];
    for (pattern, expected) in cases {
        let parameters = json!({"type": "object", "properties": {"a": {"type": "string", "pattern": pattern, "description": "A name."}}});
        let (_, written) = definition(&ChatCompletions::new(), &parameters);
        let a = &written["properties"]["a"];
        assert_eq!(a.get("pattern").and_then(Value::as_str), expected, "{pattern}");
        let description = match expected {
            Some(_) => "A name.".to_owned(),
            None => format!("A name. (pattern: {})", json!(pattern)),
        };
        assert_eq!(a["description"], json!(description));
        // Anthropic makes no grammar of it. Its server may read the syntax of Python only.
        let (_, written) = definition(&Anthropic::new(), &parameters);
        let is_kept = written["properties"]["a"]["pattern"] == pattern;
        assert_eq!(is_kept, !pattern.contains(r"\p"), "{pattern}");
    }
}

/// Writes to an address.
#[tool]
fn write_to(
    #[arg(schema(pattern = r"^[\w-\.]+@([\w-]+\.)+[\w-]{2,4}$"))] address: String,
    #[arg(schema(pattern = r"^\S+$"))] subject: &str,
) -> String {
    address + subject
}

#[test]
fn the_pattern_of_a_function_stays_on_each_wire() {
    let registry = Registry::new(tools![write_to]).expect("one tool");
    for wire in wires().iter().filter(|wire| !format!("{wire:?}").contains("strict: true")) {
        let (body, report) = request(wire, registry.schemas());
        check_request(wire, &body).unwrap_or_else(|error| panic!("{wire:?}: {error}"));
        let (_, parameters) = written(wire, &body).remove(0);
        let pattern = |name: &str| parameters["properties"][name]["pattern"].clone();
        assert_eq!(pattern("address"), r"^[A-Za-z0-9_.-]+@([A-Za-z0-9_-]+\.)+[A-Za-z0-9_-]{2,4}$");
        assert_eq!(pattern("subject"), r"^[^ \t\n\r]+$");
        assert_eq!(report, [""; 0]);
    }
}

/// The property `v` of the definition for a server with a grammar engine.
fn for_engines(schema: &Value) -> Value {
    let parameters = json!({"type": "object", "properties": {"v": schema}});
    definition(&ChatCompletions::new(), &parameters).1["properties"]["v"].clone()
}

/// llama.cpp: "Unrecognized schema: false"; xgrammar: "Schema 'false' cannot accept any value", "maxLength must be an integer",
/// "Invalid range: empty range"; llguidance: "patternProperty regexes are not disjoint". llama.cpp reads a `$ref` in data
/// as a reference.
#[test]
fn schemas_go_to_engines_without_the_keywords_that_they_reject() {
    let text = json!({"type": "string"});
    let map = |patterns: Value| json!({"type": "object", "patternProperties": patterns});
    let kept =
        [map(json!({"^x-": text})), map(json!({r"^\d+$": text})), map(json!({r"^(0|-?[1-9]\d*)$": text}))];
    for schema in kept {
        assert_eq!(for_engines(&schema), schema);
    }
    for patterns in [
        json!({r"\p{L}": text}),
        json!({"([": text}),
        json!({"x": text, r"^\S+$": text}),
        json!({"^x": false}),
    ] {
        let description = format!("(patternProperties: {patterns})");
        assert_eq!(
            for_engines(&map(patterns.clone())),
            json!({"type": "object", "description": description})
        );
        let mut closed = map(patterns.clone());
        closed["additionalProperties"] = json!(false);
        let description = format!("(patternProperties: {patterns}, additionalProperties: false)");
        assert_eq!(for_engines(&closed), json!({"type": "object", "description": description}));
    }
    let cases = [
        (
            json!({"type": "object", "properties": {"a": text, "b": false}, "required": ["a", "b"]}),
            json!({"type": "object", "properties": {"a": text}, "required": ["a"]}),
        ),
        (json!({"anyOf": [false, text]}), json!({"anyOf": [text]})),
        (json!({"oneOf": [text, false]}), json!({"anyOf": [text]})),
        (
            json!({"type": "array", "prefixItems": [text, false], "items": {"type": "integer"}}),
            json!({"type": "array", "prefixItems": [text], "items": {"type": "integer"}}),
        ),
        (
            json!({"type": "string", "allOf": [false]}),
            json!({"type": "string", "description": "(allOf: [false])"}),
        ),
        (json!({"type": "string", "maxLength": 10.0}), json!({"type": "string", "maxLength": 10})),
        (json!({"type": "string", "default": {"a": [{"$ref": 5}]}, "x-link": {"$ref": "#/x"}}), text.clone()),
        (json!({"enum": [{"$ref": "#/x"}], "type": "object"}), json!({"type": "object"})),
        (
            json!({"type": "integer", "minimum": 3, "maximum": 2}),
            json!({"type": "integer", "description": "(minimum: 3, maximum: 2)"}),
        ),
        (
            json!({"type": "number", "exclusiveMinimum": 3, "exclusiveMaximum": 3}),
            json!({"type": "number", "description": "(exclusiveMinimum: 3, exclusiveMaximum: 3)"}),
        ),
        (
            json!({"type": "integer", "minimum": 2, "maximum": 2}),
            json!({"type": "integer", "minimum": 2, "maximum": 2}),
        ),
    ];
    for (schema, expected) in cases {
        assert_eq!(for_engines(&schema), expected);
    }
}

/// The keys in a text stay, since only the keys of arguments have another form.
#[test]
fn the_schema_of_a_text_has_the_references_and_the_keys_of_the_tool() {
    let content = json!({"$ref": "#/$defs/a b"});
    let text = json!({"type": "string", "contentSchema": content});
    let mut parameters = json!({"type": "object", "properties": {"text": text}, "$defs": {"a b": {"properties": {"in cm": {}}}}});
    let (_, written) = definition(&ChatCompletions::new(), &parameters);
    let reference = written["properties"]["text"]["contentSchema"]["$ref"].as_str().expect("a reference");
    let target = written.pointer(reference.trim_start_matches('#')).expect("a definition");
    assert!(
        reference.starts_with("#/$defs/a_b") && target["properties"] == json!({"in cm": {}}),
        "{written}"
    );
    parameters["$defs"] = json!({});
    parameters["properties"]["text"]["contentSchema"] = json!({"properties": {"in cm": {}}});
    let (_, written) = definition(&Anthropic::new(), &parameters);
    let text = json!({"type": "string", "description": "(contentSchema: {\"properties\":{\"in cm\":{}}})"});
    assert_eq!(written["properties"]["text"], text);
}

#[test]
fn the_report_names_the_tool_the_place_and_the_reason() {
    let parameters = json!({"type": "object", "properties": {"a/b": {"type": "string", "pattern": "x"}}});
    let (_, report) = request(&ChatCompletions::new(), registry(&parameters).schemas());
    assert_eq!(
        report,
        [
            "the tool `take` at `/properties/a~1b`: `pattern` is in the description, since grammar engines do not compile it"
        ]
    );
    let messages = [Message::user("Go.")];
    let registry = registry(&parameters);
    let body = ChatCompletions::new().write(&RequestParts::new(&messages).with_tools(registry.schemas()));
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
    let parts = RequestParts::new(&messages).with_tools(registry.schemas());
    for wire in [Box::new(ChatCompletions::new()) as Box<dyn Wire>, Box::new(Responses::new())] {
        let body = wire.write(&parts.with_tool_choice(&choice)).expect("it is written");
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
        assert!(registry.is_empty() && registry.skipped().len() == 1);
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
