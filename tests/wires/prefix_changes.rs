//! The names of changes that lose the prompt cache, on each wire.

use crate::prompt_cache::{model, registry, wires};
use serde_json::{Value, json};
use std::sync::Arc;
use tool_runtime::Session;
use tool_runtime::wire::{PrefixChange, Wire};

/// The requests of two replies on this wire.
async fn two_requests(wire: &Arc<dyn Wire>) -> [Value; 2] {
    let (registry, model) = (registry(), model(3));
    let mut session = Session::new().system("You read files.").user("Read all files.");
    let run = session.run(&registry).wire(Arc::clone(wire));
    let _ = run.complete(|request| model.complete(request)).await.expect("the requests are accepted");
    let requests = model.requests();
    [requests[1].clone(), requests[2].clone()]
}

#[tokio::test]
async fn each_change_of_the_prefix_has_its_name() {
    for wire in wires() {
        let [before, after] = two_requests(&wire).await;
        let name = wire.name();
        let change = |change: &dyn Fn(&mut Value)| {
            let mut changed = after.clone();
            change(&mut changed);
            PrefixChange::between(name, &before, &changed).map(|change| change.to_string())
        };
        assert_eq!(change(&|_| {}), None, "{name}");
        let tools = match name {
            "bedrock" => "/toolConfig/tools",
            "gemini" => "/tools/0/functionDeclarations",
            _ => "/tools",
        };
        let messages = match name {
            "gemini" => "/contents",
            "responses" | "gemini_interactions" => "/input",
            _ => "/messages",
        };
        let list = |body: &Value, place: &str| {
            body.pointer(place).and_then(Value::as_array).cloned().unwrap_or_default()
        };
        let set = |place: &'static str, elements: Vec<Value>| {
            move |body: &mut Value| *body.pointer_mut(place).expect("the list") = elements.clone().into()
        };
        let functions = list(&after, tools);

        // 1. The description of a tool.
        let mut edited = functions.clone();
        let tool = edited[1].to_string().replace("Reads a file.", "Reads one file.");
        edited[1] = serde_json::from_str(&tool).expect("it is JSON");
        let found = change(&set(tools, edited)).expect("it changes");
        assert!(found.starts_with("the tool `read_file` changed at"), "{name}: {found}");
        assert!(found.contains("description"), "{name}: {found}");

        // 2. A tool that comes.
        let tool = functions[0].to_string().replace("count_lines", "zip_files");
        let mut more = functions.clone();
        more.push(serde_json::from_str(&tool).expect("it is JSON"));
        let found = change(&set(tools, more)).expect("it changes");
        assert!(found.starts_with("the tool `zip_files` was added at"), "{name}: {found}");

        // 3. Tools in another order.
        let found = change(&set(tools, functions.iter().rev().cloned().collect())).expect("it changes");
        assert!(found.starts_with("the tool `count_lines` moved from"), "{name}: {found}");

        // 4. A tool that goes.
        let kept =
            functions.iter().filter(|tool| !tool.to_string().contains("count_lines")).cloned().collect();
        let found = change(&set(tools, kept)).expect("it changes");
        assert!(found.starts_with("the tool `count_lines` was removed from"), "{name}: {found}");

        // 5. An earlier message.
        let mut history = list(&after, messages);
        let index = usize::from(list(&after, messages)[0].to_string().contains("You read files."));
        let edited = history[index].to_string().replace("Read all files.", "Read each file.");
        history[index] = serde_json::from_str(&edited).expect("it is JSON");
        let found = change(&set(messages, history)).expect("it changes");
        assert!(found.starts_with(&format!("messages[{index}] changed at")), "{name}: {found}");

        // 6. A message that is gone.
        let mut history = list(&after, messages);
        history.truncate(1);
        let found = change(&set(messages, history)).expect("it changes");
        assert!(found.starts_with("messages[1] was removed from"), "{name}: {found}");

        // The system message, where it is a field.
        let system = match name {
            "anthropic" | "bedrock" => Some("system"),
            "gemini" => Some("systemInstruction"),
            "gemini_interactions" => Some("system_instruction"),
            "responses" => Some("instructions"),
            _ => None,
        };
        if let Some(system) = system {
            let found = change(&|body| body[system] = "Other.".into()).expect("it changes");
            assert!(found.starts_with(&format!("a field changed at `/{system}")), "{name}: {found}");
        }
    }
}

#[tokio::test]
async fn settings_invalidate_the_cache_of_some_providers() {
    let changes: [(&str, &str, Value, bool); 8] = [
        ("anthropic", "/tool_choice", json!({ "type": "any" }), true),
        ("anthropic", "/thinking", json!({ "type": "enabled", "budget_tokens": 1024 }), true),
        ("anthropic", "/output_config", json!({ "format": { "type": "json_schema" } }), true),
        ("anthropic", "/max_tokens", json!(7), false),
        ("bedrock", "/additionalModelRequestFields", json!({ "thinking": {} }), true),
        ("responses", "/tool_choice", json!("required"), false),
        ("responses", "/text", json!({ "format": { "type": "json_schema" } }), true),
        ("ollama", "/think", json!(true), true),
    ];
    for (name, place, value, is_lost) in changes {
        let wire = wires().into_iter().find(|wire| wire.name() == name).expect("a wire");
        let [before, mut after] = two_requests(&wire).await;
        after[&place[1..]] = value;
        let change = PrefixChange::between(name, &before, &after);
        assert_eq!(
            change.as_ref().is_some_and(|change| change.place.starts_with(place)),
            is_lost,
            "{name}: {change:?}"
        );
    }
}
