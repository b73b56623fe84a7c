//! Prints requests on each wire, one JSON object per line: `{"name": .., "wire": .., "body": ..}`.
//! `validate_requests.py` validates them against the types of the providers' clients.

#[path = "print_requests/caches.rs"]
mod caches;
mod client_tool_functions;
#[path = "print_requests/conversations.rs"]
mod conversations;
#[path = "print_requests/provider_tools.rs"]
mod provider_tools;

use conversations::{
    in_anthropic, in_bedrock, in_chat_completions, in_gemini, in_gemini_interactions, in_responses,
};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};
use std::sync::Arc;
use tool_runtime::conversation::{Received, Request};
use tool_runtime::message::{Content, Part};
use tool_runtime::wire::{
    Anthropic, Bedrock, Body, ChatCompletions, Gemini, GeminiInteractions, RequestParts, Responses,
    UseResponseFormat, Wire,
};
use tool_runtime::{
    AssistantMessage, Conversation, DynamicTool, Registry, Session, ToolCall, ToolChoice, ToolMessage,
    ToolOutput, tool, tools,
};

/// Look up the weather of a city.
#[tool]
fn get_weather(
    /// The name of the city.
    city: &str,
    #[arg(default = 0)] days: u8,
    units: Option<&str>,
) -> Result<String, String> {
    match city {
        "Atlantis" => Err("there is no such city".to_owned()),
        _ => Ok(format!("{city} in {days} days: sunny, {units:?}")),
    }
}

/// Draw a chart.
#[tool]
fn draw_chart(points: Vec<f64>) {
    drop(points);
}

/// Find tools.
#[tool(read_only)]
fn search_tools(query: &str) -> ToolOutput {
    ToolOutput::new()
        .with_text(format!("signatures for {query}"))
        .with_part(Part::tool_reference("get_weather"))
}

fn print(name: &str, wire: &Arc<dyn Wire>, request: &Request) {
    print_body(name, wire, request.clone().wire(Arc::clone(wire)).body().expect("it is written"));
}

fn print_body(name: &str, wire: &dyn Wire, body: Body) {
    let body = match wire.name() {
        // The model is in the address.
        "gemini" => body,
        "bedrock" => body.with("inferenceConfig", json!({ "maxTokens": 1024 })),
        "gemini_interactions" => {
            body.with("model", "a-model").with("generation_config", json!({ "max_output_tokens": 1024 }))
        }
        "responses" => body.with("model", "a-model").with("max_output_tokens", 1024),
        _ => body.with("model", "a-model").with("max_tokens", 1024),
    };
    println!("{}", json!({ "name": name, "wire": wire.name(), "body": body }));
}

/// Continues after a reply whose calls run, except that of the chart, whose result is given.
async fn run(chat: Conversation, wire: &dyn Wire, reply: &Value, registry: &Registry) -> Conversation {
    let reply = wire.read_reply(&reply.to_string()).expect("it is read");
    let Received::ToolCalls(mut pending) = chat.receive(reply) else { panic!("it calls") };
    let result = Content::from_parts([
        Part::text("a chart"),
        Part::json(json!({ "points": 2 })),
        Part::image("image/png", [1, 2, 3]),
        Part::file("data.txt", "text/plain", "1, 2"),
    ]);
    let ids: Vec<String> = pending
        .without_result()
        .filter(|call| call.name == "draw_chart")
        .map(|call| call.id.clone())
        .collect();
    for id in ids {
        pending
            .add_results([ToolMessage::new(id, result.clone()).with_tool("draw_chart")])
            .expect("it is pending");
    }
    pending.dispatch(registry).await
}

/// A forecast.
#[derive(Deserialize, JsonSchema)]
#[allow(dead_code, reason = "only its schema is used")]
struct Forecast {
    /// The name of the city.
    city: String,
    days: Vec<Day>,
    warning: Option<String>,
}

#[derive(Deserialize, JsonSchema)]
#[allow(dead_code, reason = "only its schema is used")]
struct Day {
    /// In degrees Celsius.
    temperature: i16,
}

/// The requests of runs with a typed answer: at the start, after two invalid answers, and after the run.
async fn print_typed_answers(registry: &Registry) {
    const INVALID: &str = r#"{"city":"Rome"}"#;
    for (name, format) in [("format", UseResponseFormat::Always), ("tool", UseResponseFormat::Never)] {
        let wires: [Arc<dyn Wire>; 6] = [
            Arc::new(ChatCompletions::new().response_format(format)),
            Arc::new(Anthropic::new().response_format(format)),
            Arc::new(Responses::new().response_format(format)),
            Arc::new(Responses::new().store(false).response_format(format)),
            Arc::new(Gemini::new().response_format(format)),
            Arc::new(GeminiInteractions::new().response_format(format)),
        ];
        for wire in wires {
            let mut session = Session::new().system("Be brief.").user("Rome?");
            let run = session.run(registry).wire(Arc::clone(&wire)).answer_as::<Forecast>();
            let end = run.complete(async |request| {
                let replies = request.messages().len();
                print(&format!("a typed answer, {name}, {replies} messages"), &wire, &request);
                Ok::<_, String>(match replies {
                    2 => AssistantMessage::from_text(INVALID),
                    4 => AssistantMessage::from_tool_calls(vec![ToolCall::new("a", "final_answer", INVALID)]),
                    _ => AssistantMessage::from_text(r#"{"city":"Rome","days":[{"temperature":20}]}"#),
                })
            });
            assert!(end.await.is_ok_and(|end| end.into_answer().is_some()), "the last answer is valid");
            let chat = session.into_conversation().expect("each call has its result").user("Thank you.");
            print(&format!("after a typed answer, {name}"), &wire, &chat.request(registry));
        }
    }
}

/// The requests of a conversation with a search on the wires that have one: before it, after it, after a call of the tool that it
/// found, and after a search that found nothing. Each request has `search_tools`, and `get_weather` is deferred.
async fn print_searches() {
    let registry = Registry::new(tools![search_tools, get_weather]).expect("two tools");
    // Sorted by name.
    let (deferred, pinned) = registry.schemas().split_at(1);
    let anthropic = Anthropic::new().native_tool_search(true);
    let responses = Responses::new().native_tool_search(true);
    let wires: [(&str, Box<dyn Wire>); 5] = [
        ("", Box::new(anthropic.clone())),
        (", strict", Box::new(anthropic.strict(true))),
        ("", Box::new(responses.clone())),
        (", strict", Box::new(responses.clone().strict(true))),
        (", not stored", Box::new(responses.store(false))),
    ];
    for (settings, wire) in wires {
        let print = |name: &str, chat: &Conversation| {
            let parts = RequestParts::new(chat.messages()).tools(pinned).deferred_tools(deferred);
            let body = wire.write(&parts).expect("it is written");
            print_body(&format!("{name}{settings}"), &wire, body);
        };
        let replies = if wire.name() == "anthropic" {
            let reply = |name: &str, input: Value| {
                let block = json!({ "type": "tool_use", "id": format!("toolu_{name}"), "name": name, "input": input });
                json!({ "type": "message", "content": [block], "stop_reason": "tool_use" })
            };
            [
                reply("search_tools", json!({ "query": "weather" })),
                reply("get_weather", json!({ "city": "Rome" })),
            ]
        } else {
            let reply = |item: Value| json!({ "status": "completed", "output": [item] });
            [
                reply(
                    json!({ "type": "tool_search_call", "id": "tsc_1", "call_id": "call_1", "execution": "client",
                    "status": "completed", "arguments": { "query": "weather" } }),
                ),
                reply(
                    json!({ "type": "function_call", "id": "fc_1", "call_id": "call_2", "name": "get_weather",
                    "namespace": "get_weather", "arguments": r#"{"city":"Rome"}"#, "status": "completed" }),
                ),
            ]
        };
        let mut chat = Conversation::new().system("Be brief.").user("Rome?");
        print(SEARCH, &chat);
        for (reply, name) in replies.iter().zip(["after a search", "after a call of a found tool"]) {
            chat = run(chat, &*wire, reply, &registry).await;
            print(name, &chat);
        }
        let search =
            AssistantMessage::from_tool_calls(vec![ToolCall::new("a", "search_tools", r#"{"query":"x"}"#)]);
        let Received::ToolCalls(mut pending) = chat.receive(search) else { panic!("it calls") };
        pending.provide_result("a", "no tool matches").expect("it is pending");
        print("after a search that found nothing", &pending.dispatch(&registry).await);
    }
}

/// The name of a request with a search and a deferred tool.
const SEARCH: &str = "a search";

#[tokio::main(flavor = "current_thread")]
async fn main() {
    let registry = Registry::new(tools![get_weather, draw_chart]).expect("two tools");
    let wires: [(&str, Arc<dyn Wire>); 16] = [
        ("", Arc::new(ChatCompletions::new())),
        (", strict", Arc::new(ChatCompletions::new().strict(true))),
        (", allowed tools", Arc::new(ChatCompletions::new().native_allowed_tools(true))),
        (", ids of Mistral", Arc::new(ChatCompletions::new().mistral_ids(true))),
        ("", Arc::new(Anthropic::new())),
        (", strict", Arc::new(Anthropic::new().strict(true))),
        ("", Arc::new(Responses::new())),
        (", strict", Arc::new(Responses::new().strict(true).native_allowed_tools(true))),
        (", not stored", Arc::new(Responses::new().store(false))),
        (", continued", Arc::new(Responses::new().previous_response(true))),
        ("", Arc::new(Gemini::new())),
        (", strict", Arc::new(Gemini::new().strict(true))),
        ("", Arc::new(Bedrock::new())),
        ("", Arc::new(GeminiInteractions::new())),
        (", not stored", Arc::new(GeminiInteractions::new().strict(true).store(false))),
        (", continued", Arc::new(GeminiInteractions::new().previous_interaction(true))),
    ];
    let chats = [
        ("a conversation in Chat Completions", in_chat_completions(&registry).await),
        ("a conversation in Anthropic's format", in_anthropic(&registry).await),
        ("a conversation in the format of Responses", in_responses(&registry).await),
        ("a conversation in the format of Gemini", in_gemini(&registry).await),
        ("a conversation in the format of Converse", in_bedrock(&registry).await),
        ("a conversation in the format of Interactions", in_gemini_interactions(&registry).await),
    ];
    for (settings, wire) in &wires {
        for (name, chat) in &chats {
            let request = chat.request(&registry);
            print(&format!("{name}{settings}"), wire, &request);
            for choice in [ToolChoice::None, ToolChoice::Required, ToolChoice::Tool("draw_chart".to_owned())]
            {
                let request = request.clone().tool_choice(choice.clone());
                print(&format!("{name}{settings}, {choice:?}"), wire, &request.parallel_calls(false));
            }
            let allowed = request.allowed_tools(["draw_chart"]);
            print(&format!("{name}{settings}, one allowed tool"), wire, &allowed);
        }
    }
    print_typed_answers(&registry).await;
    print_searches().await;
    provider_tools::print(&registry, &chats).await;
    caches::print(&registry, &chats);
    for (settings, wire) in wires.iter().filter(|(settings, _)| matches!(*settings, "" | ", strict")) {
        print_foreign_definitions(settings, wire);
    }
}

/// A request for each foreign definition.
fn print_foreign_definitions(settings: &str, wire: &Arc<dyn Wire>) {
    let cases: Vec<Value> =
        serde_json::from_str(include_str!("../foreign_tools.json")).expect("it is a list");
    for case in cases {
        let name = case["name"].as_str().expect("a name");
        let parameters = case["parameters"].clone();
        let tool = DynamicTool::new(name, "Takes.", parameters, |_| async { Ok::<_, String>(()) });
        let registry = Registry::builder().dynamic(tool).build().expect("it is valid");
        let request = Conversation::new().user("Go.").request(&registry);
        print(&format!("the foreign definition {name}{settings}"), wire, &request);
    }
}
