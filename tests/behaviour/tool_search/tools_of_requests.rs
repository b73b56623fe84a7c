//! The `tools` of requests with a search: equal bytes, on every wire.

use super::{builder, call, named, registry};
use serde_json::json;
use std::sync::Arc;
use tool_runtime::conversation::Request;
use tool_runtime::search::Search;
use tool_runtime::session::RunEnd;
use tool_runtime::wire::{self, Wire};
use tool_runtime::{AssistantMessage, Conversation, Registry, Session, ToolCall, ToolChoice};
use tool_runtime_testing::ScriptedModel;

fn wires() -> Vec<Arc<dyn Wire>> {
    vec![
        Arc::new(wire::ChatCompletions::new()),
        Arc::new(wire::ChatCompletions::new().strict(true)),
        Arc::new(wire::Anthropic::new()),
        Arc::new(wire::Anthropic::new().strict(true)),
        Arc::new(wire::Anthropic::new().native_tool_search(true)),
        Arc::new(wire::Responses::new()),
        Arc::new(wire::Responses::new().strict(true)),
        Arc::new(wire::Responses::new().native_tool_search(true)),
        Arc::new(wire::Gemini::new()),
        Arc::new(wire::GeminiInteractions::new()),
        Arc::new(wire::Bedrock::new()),
        Arc::new(wire::Ollama::new()),
    ]
}

/// Whether the requests have the search of the provider's format in place of `call_tool`.
fn is_native(wire: &Arc<dyn Wire>) -> bool {
    let request = Conversation::new().user("Hello!").request(&registry());
    !tools(request, Arc::clone(wire)).contains("\"call_tool\"")
}

/// The names of ten tools.
fn ten() -> [String; 10] {
    std::array::from_fn(|number| format!("tool_{number}"))
}

fn registry_of_ten() -> Registry {
    let tools =
        ten().iter().fold(builder(), |builder, name| builder.dynamic(named(name, &format!("Does {name}."))));
    tools.build().expect("the tools are valid")
}

/// The JSON of the tools in a request.
fn tools(request: Request, wire: impl Wire + 'static) -> String {
    let body = request.wire(wire).body().expect("it can be written");
    // The Converse API has them in its configuration.
    let tools = body.get("tools").or_else(|| body.get("toolConfig"));
    tools.map_or_else(String::new, |tools| tools.get().to_owned())
}

#[tokio::test]
async fn the_bytes_stay_equal_while_ten_tools_are_found_and_called() {
    let registry = registry_of_ten();
    for wire in wires() {
        let mut arrays = Vec::new();
        let is_native = is_native(&wire);
        let replies = ten().into_iter().enumerate().flat_map(|(number, name)| {
            let search =
                ToolCall::new(format!("s{number}"), "search_tools", json!({"query": name}).to_string());
            // Without `call_tool` in the request, the model calls a tool that it has found by its name.
            let id = format!("c{number}");
            let call = if is_native { ToolCall::new(id, &name, "{}") } else { call(&id, &name, json!({})) };
            [search, call].map(|call| AssistantMessage::from_tool_calls(vec![call]))
        });
        let model = ScriptedModel::new(replies.chain([AssistantMessage::from_text("Done.")]));
        let mut session = Session::new().user("Do all ten.");
        let end = session
            .run(&registry)
            .complete(|request| {
                arrays.push(tools(request.clone(), Arc::clone(&wire)));
                model.complete(request)
            })
            .await;
        assert_eq!(end.expect("the requests are valid"), RunEnd::Answered);
        assert_eq!(arrays.len(), 21);
        assert!(arrays[0].contains("search_tools") || arrays[0].contains("tool_search"), "{}", arrays[0]);
        assert!(arrays.iter().all(|array| *array == arrays[0]), "{wire:?}");
        let results = session.messages().iter().filter(|message| message.text().starts_with("tool_"));
        assert_eq!(results.count(), 10, "{:?}", session.messages());
    }
}

#[test]
fn the_bytes_stay_equal_when_tools_are_added_and_removed() {
    let chat = Conversation::new().user("Hello!");
    let other = Registry::builder().dynamic(named("other", "Does other things.")).build().expect("valid");
    let merged = registry().merge(other).expect("the names differ");
    assert!(merged.tool("other").is_some());
    let again = merged.subset(["now", "other"]).expect("they are there");
    // Anthropic's native form has the definitions of all tools. It does not put them into the prompt.
    let has_all = |wire: &Arc<dyn Wire>| wire.name() == "anthropic" && is_native(wire);
    for wire in wires().into_iter().filter(|wire| !has_all(wire)) {
        let before = tools(chat.request(&registry()), Arc::clone(&wire));
        assert_eq!(tools(chat.request(&merged), Arc::clone(&wire)), before, "{wire:?}");
        assert_eq!(tools(chat.request(&again), Arc::clone(&wire)), before, "{wire:?}");
    }
}

#[test]
fn call_tool_is_strict_with_a_string() {
    let registry = registry();
    let chat = Conversation::new().user("Hello!");
    let strict = tools(chat.request(&registry), wire::ChatCompletions::new().strict(true));
    let strict: serde_json::Value = serde_json::from_str(&strict).expect("it is JSON");
    let call_tool = &strict[0]["function"];
    assert_eq!(call_tool["name"], "call_tool");
    assert_eq!(call_tool["strict"], true);
    assert_eq!(call_tool["parameters"]["properties"]["arguments"]["type"], json!(["string", "null"]));
    let plain = tools(chat.request(&registry), wire::ChatCompletions::new());
    let plain: serde_json::Value = serde_json::from_str(&plain).expect("it is JSON");
    assert_eq!(plain[0]["function"]["parameters"]["properties"]["arguments"]["type"], "object");
}

#[test]
fn allowed_tools_keep_the_search_if_it_can_find_any() {
    let registry = registry();
    let request = |names: &[&str]| {
        let request =
            Conversation::new().user("Hello!").request(&registry).allowed_tools(names.iter().copied());
        let body = request.wire(wire::ChatCompletions::new()).body().expect("it can be written");
        assert_eq!(body.report().unknown_tools, Vec::<String>::new());
        let tools = body.get("tools").map_or("[]", |tools| tools.get());
        let tools: Vec<serde_json::Value> = serde_json::from_str(tools).expect("it is JSON");
        tools
            .iter()
            .map(|tool| tool["function"]["name"].as_str().expect("a name").to_owned())
            .collect::<Vec<_>>()
    };
    assert_eq!(request(&["now", "get_weather"]), ["call_tool", "now", "search_tools"]);
    assert_eq!(request(&["get_weather"]), ["call_tool", "search_tools"]);
    assert_eq!(request(&["now"]), ["now"]);
    assert_eq!(request(&[]), Vec::<String>::new());
}

#[test]
fn a_tool_choice_names_a_tool_of_the_request() {
    let registry = registry();
    assert_eq!(registry.tool_choice("now").expect("it is pinned"), ToolChoice::Tool("now".to_owned()));
    assert!(registry.tool_choice("search_tools").is_ok());
    let error = registry.tool_choice("get_weather").expect_err("requests do not contain it").to_string();
    assert_eq!(error, "there is no tool `get_weather`. Available: `call_tool`, `now` and `search_tools`.");
}

#[test]
fn the_registry_knows_all_tools() {
    let registry = registry();
    let names = ["call_tool", "delete_file", "get_weather", "now", "search_tools", "send_invoice"];
    assert_eq!(registry.names(), names);
    assert_eq!(registry.deferred_schemas().len(), 3);
    assert_eq!(registry.schemas().len(), 3);
    assert!(registry.tool("get_weather").is_some());
    let other = Registry::builder().search(Search::new()).build().expect("a registry may have no tools");
    assert_eq!(other.merge(registry).expect("no name is equal").names(), names);
}
