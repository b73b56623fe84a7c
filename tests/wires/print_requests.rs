//! Prints requests on each wire, one JSON object per line: `{"name": .., "wire": .., "body": ..}`.
//! `validate_requests.py` validates them against the types of the providers' clients.

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

fn chat_completion(message: &Value, reason: &str) -> Value {
    json!({ "model": "m", "choices": [{ "index": 0, "message": message, "finish_reason": reason }],
        "usage": { "prompt_tokens": 1, "completion_tokens": 2 } })
}

fn call(id: &str, name: &str, arguments: &str) -> Value {
    json!({ "index": 0, "id": id, "type": "function", "function": { "name": name, "arguments": arguments } })
}

/// Parallel calls, an error, an image, an unknown tool and a truncated call, in Chat Completions.
async fn in_chat_completions(registry: &Registry) -> Conversation {
    let wire = ChatCompletions::new();
    let calls = json!([
        call("functions.get_weather:0", "get_weather", r#"{"city":"Rome"}"#),
        call("functions.get_weather:1", "get_weather", r#"{"city":"Atlantis"}"#),
        call("functions.draw_chart:2", "draw_chart", "{\"points\":[1.0,2.0]}"),
        call("", "functions.unknown tool", ""),
    ]);
    let first = json!({ "role": "assistant", "content": null, "reasoning_content": "Hm.", "annotations": [],
        "refusal": null, "tool_calls": calls });
    let second = json!({ "role": "assistant", "content": "And Paris:",
        "tool_calls": [call("functions.get_weather:0", "get_weather", r#"{"city":"Par"#)] });
    let user =
        Content::from_parts([Part::text("What is this?"), Part::image_url("https://example.com/a.png")]);
    let chat = Conversation::new().system("Be brief.").user(user);
    let chat = run(chat, &wire, &chat_completion(&first, "tool_calls"), registry).await;
    let chat = run(chat, &wire, &chat_completion(&second, "length"), registry).await;
    let refusal = json!({ "role": "assistant", "content": null, "refusal": "I cannot." });
    let refusal = wire.read_reply(&chat_completion(&refusal, "stop").to_string()).expect("it is read");
    let Received::Answer(chat) = chat.user("Go on.").receive(refusal) else { panic!("no calls") };
    chat.user("Please.")
}

/// Thinking, parallel calls, an error, an image and a search of the provider, in Anthropic's format.
async fn in_anthropic(registry: &Registry) -> Conversation {
    let wire = Anthropic::new();
    let blocks = json!([
        { "type": "thinking", "thinking": "Two cities.", "signature": "EqQBCgIYAhIM" },
        { "type": "redacted_thinking", "data": "EmwKAhgBEgy3va3pzix" },
        { "type": "text", "text": "I look it up." },
        { "type": "server_tool_use", "id": "srvtoolu_1", "name": "web_search", "input": { "query": "weather" } },
        { "type": "web_search_tool_result", "tool_use_id": "srvtoolu_1", "content": [
            { "type": "web_search_result", "url": "https://example.com", "title": "Weather",
              "encrypted_content": "EqgfCioIARgB", "page_age": null }] },
        { "type": "tool_use", "id": "toolu_1", "name": "get_weather", "input": { "city": "Rome" } },
        { "type": "tool_use", "id": "toolu_2", "name": "get_weather", "input": { "city": "Atlantis" } },
        { "type": "tool_use", "id": "toolu_3", "name": "draw_chart", "input": { "points": [1.0] } },
    ]);
    let reply = json!({ "type": "message", "role": "assistant", "model": "m", "content": blocks,
        "stop_reason": "tool_use", "usage": { "input_tokens": 1, "output_tokens": 2 } });
    let chat = Conversation::new().system("Be brief.").developer("No lists.").user("Rome and Atlantis?");
    run(chat, &wire, &reply, registry).await.user("Quickly!")
}

/// Reasoning, parallel calls, an error, an image and a search of the provider, in the format of Responses.
async fn in_responses(registry: &Registry) -> Conversation {
    let wire = Responses::new();
    let call = |id: &str, name: &str, arguments: &str| {
        json!({ "type": "function_call", "id": format!("fc_{id}"), "call_id": format!("call_{id}"), "name": name,
            "arguments": arguments, "status": "completed" })
    };
    let output = json!([
        { "type": "reasoning", "id": "rs_1", "summary": [{ "type": "summary_text", "text": "Two cities." }],
          "encrypted_content": "gAAAAABo" },
        { "type": "web_search_call", "id": "ws_1", "status": "completed",
          "action": { "type": "search", "query": "weather", "queries": ["weather"], "sources": [] } },
        { "type": "message", "id": "msg_1", "role": "assistant", "status": "completed", "phase": "commentary",
          "content": [{ "type": "output_text", "text": "I look it up.", "annotations": [], "logprobs": [] }] },
        { "type": "reasoning", "id": "rs_2", "summary": [], "encrypted_content": "gAAAAABp" },
        call("1", "get_weather", r#"{"city":"Rome"}"#),
        call("2", "get_weather", r#"{"city":"Atlantis"}"#),
        call("3", "draw_chart", r#"{"points":[1.0]}"#),
        call("4", "draw_chart", r#"{"points":[1.0"#),
    ]);
    let reply = json!({ "id": "resp_1", "object": "response", "model": "m", "status": "completed", "output": output,
        "usage": { "input_tokens": 1, "output_tokens": 2 } });
    let user = Content::from_parts([Part::text("And this?"), Part::file("a.pdf", "application/pdf", [1, 2])]);
    let chat = Conversation::new().system("Be brief.").developer("No lists.").user("Rome and Atlantis?");
    run(chat, &wire, &reply, registry).await.user(user)
}

/// Thoughts, parallel calls, an error, an image and code that the provider ran, in the format of Gemini.
async fn in_gemini(registry: &Registry) -> Conversation {
    let wire = Gemini::new();
    let call = |name: &str, args: Value| json!({ "functionCall": { "name": name, "args": args } });
    let mut signed = call("get_weather", json!({ "city": "Rome" }));
    signed["thoughtSignature"] = json!("EqQBCgIYAhIM");
    let parts = json!([
        { "text": "Two cities.", "thought": true },
        { "text": "I look it up." },
        { "executableCode": { "language": "PYTHON", "code": "1 + 1" } },
        { "codeExecutionResult": { "outcome": "OUTCOME_OK", "output": "2" } },
        signed,
        call("get_weather", json!({ "city": "Atlantis" })),
        call("draw_chart", json!({ "points": [1.0] })),
    ]);
    let reply = json!({ "candidates": [{ "content": { "role": "model", "parts": parts }, "finishReason": "STOP" }],
        "usageMetadata": { "promptTokenCount": 1, "candidatesTokenCount": 2 }, "responseId": "r1" });
    let user = Content::from_parts([
        Part::text("And this?"),
        Part::image("image/png", [1, 2, 3]),
        Part::file_url("a.pdf", "https://example.com/a.pdf"),
    ]);
    let chat = Conversation::new().system("Be brief.").developer("No lists.").user("Rome and Atlantis?");
    run(chat, &wire, &reply, registry).await.user(user)
}

/// Reasoning, parallel calls, an error, an image and a search of the provider, in the format of Converse.
async fn in_bedrock(registry: &Registry) -> Conversation {
    let call = |id: &str, name: &str, input: Value| json!({ "toolUse": { "toolUseId": id, "name": name, "input": input } });
    let content = json!([
        { "reasoningContent": { "reasoningText": { "text": "Two cities.", "signature": "EqQBCgIYAhIM" } } },
        { "reasoningContent": { "redactedContent": "EmwKAhgBEgy3" } },
        { "text": "I look it up." },
        { "toolUse": { "toolUseId": "s1", "name": "nova_grounding", "input": {}, "type": "server_tool_use" } },
        { "toolResult": { "toolUseId": "s1", "type": "nova_grounding_result", "content": [{ "json": { "a": 1 } }] } },
        call("tooluse_1", "get_weather", json!({ "city": "Rome" })),
        call("tooluse_2", "get_weather", json!({ "city": "Atlantis" })),
        call("tooluse_3", "draw_chart", json!({ "points": [1.0] })),
    ]);
    let reply = json!({ "output": { "message": { "role": "assistant", "content": content } }, "stopReason": "tool_use",
        "usage": { "inputTokens": 1, "outputTokens": 2, "totalTokens": 3 } });
    let user = Content::from_parts([
        Part::image("image/png", [1, 2, 3]),
        Part::file("a.pdf", "application/pdf", [1, 2]),
    ]);
    let chat = Conversation::new().system("Be brief.").developer("No lists.").user("Rome and Atlantis?");
    run(chat, &Bedrock::new(), &reply, registry).await.user(user)
}

/// Thoughts, parallel calls, an error, an image and a search of the provider, in the format of Interactions.
async fn in_gemini_interactions(registry: &Registry) -> Conversation {
    let call = |id: &str, name: &str, arguments: Value| json!({ "type": "function_call", "id": id, "name": name, "arguments": arguments });
    let steps = json!([
        { "type": "thought", "signature": "EqQBCgIYAhIM", "summary": [{ "type": "text", "text": "Two cities." }] },
        { "type": "google_search_call", "id": "s1", "arguments": { "queries": ["weather"] }, "signature": "EmwK" },
        { "type": "google_search_result", "call_id": "s1", "result": [{ "search_suggestions": "x" }] },
        { "type": "model_output", "content": [{ "type": "text", "text": "I look it up.", "annotations": [] }] },
        call("a1", "get_weather", json!({ "city": "Rome" })),
        call("a2", "get_weather", json!({ "city": "Atlantis" })),
        call("a3", "draw_chart", json!({ "points": [1.0] })),
    ]);
    let reply = json!({ "id": "v1_abc", "status": "requires_action", "model": "m", "steps": steps,
        "usage": { "total_input_tokens": 1, "total_output_tokens": 2 } });
    let user = Content::from_parts([
        Part::image("image/png", [1, 2, 3]),
        Part::file("a.pdf", "application/pdf", [1, 2]),
        Part::file("a.mp3", "audio/mpeg", [1, 2]),
    ]);
    let chat = Conversation::new().system("Be brief.").developer("No lists.").user("Rome and Atlantis?");
    run(chat, &GeminiInteractions::new(), &reply, registry).await.user(user)
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
