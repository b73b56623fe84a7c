//! Searches keep the prompt cache.

use serde_json::json;
use std::sync::Arc;
use tool_runtime::search::Search;
use tool_runtime::session::RunEnd;
use tool_runtime::wire::{Anthropic, ChatCompletions, Gemini, Responses, Wire};
use tool_runtime::{AssistantMessage, Registry, Session, ToolCall, tool, tools};
use tool_runtime_testing::{ScriptedModel, ScriptedReply, assert_cache_stable};

/// The weather of a city.
#[tool(read_only)]
fn get_weather(city: &str) -> String {
    format!("{city}: sunny")
}

/// Deletes a file.
#[tool]
fn delete_file(path: &str) -> String {
    format!("{path} is deleted")
}

/// Sends an invoice.
#[tool]
fn send_invoice(number: u32) -> u32 {
    number
}

#[tokio::test]
async fn a_session_of_forty_replies_with_searches_keeps_the_cache() {
    let wires: [(Arc<dyn Wire>, bool); 6] = [
        (Arc::new(ChatCompletions::new()), false),
        (Arc::new(Anthropic::new()), false),
        (Arc::new(Gemini::new()), false),
        (Arc::new(Responses::new()), false),
        (Arc::new(Anthropic::new().native_tool_search(true)), true),
        (Arc::new(Responses::new().native_tool_search(true)), true),
    ];
    for (wire, is_native) in wires {
        let registry = Registry::builder().tools(tools![get_weather, delete_file, send_invoice]);
        let registry = registry.search(Search::new()).build().expect("three tools");
        let reply = |number: usize| {
            let id = format!("call_{number}");
            let call = match number % 4 {
                0 => ToolCall::new(id, "search_tools", json!({ "query": "weather" }).to_string()),
                1 => ToolCall::new(id, "search_tools", json!({ "query": "invoice" }).to_string()),
                _ if is_native => ToolCall::new(id, "get_weather", json!({ "city": "Rome" }).to_string()),
                _ => {
                    let inner = json!({ "name": "get_weather", "arguments": { "city": "Rome" } });
                    ToolCall::new(id, "call_tool", inner.to_string())
                }
            };
            ScriptedReply::from(AssistantMessage::from_tool_calls(vec![call]))
        };
        let model =
            ScriptedModel::new((0..39).map(reply).chain([AssistantMessage::from_text("Done.").into()]));
        let mut session = Session::new().user("Plan my trip.");
        let run = session.run(&registry).wire(Arc::clone(&wire)).max_replies(40).check_cache_prefix();
        let end = run.complete(|request| model.complete(request)).await.expect("the requests are accepted");
        assert_eq!(end, RunEnd::Answered);
        assert_eq!(model.requests().len(), 40);
        assert_eq!(session.warnings(), [], "{}", wire.name());
        assert_cache_stable(&model);
    }
}
