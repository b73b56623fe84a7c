//! Conversations in the format of each wire.

use crate::run;
use serde_json::{Value, json};
use tool_runtime::conversation::Received;
use tool_runtime::message::{Content, Part};
use tool_runtime::wire::{
    Anthropic, Bedrock, ChatCompletions, Gemini, GeminiInteractions, Responses, Wire as _,
};
use tool_runtime::{Conversation, Registry};

fn chat_completion(message: &Value, reason: &str) -> Value {
    json!({ "model": "m", "choices": [{ "index": 0, "message": message, "finish_reason": reason }],
        "usage": { "prompt_tokens": 1, "completion_tokens": 2 } })
}

fn call(id: &str, name: &str, arguments: &str) -> Value {
    json!({ "index": 0, "id": id, "type": "function", "function": { "name": name, "arguments": arguments } })
}

/// Parallel calls, an error, an image, an unknown tool and a truncated call, in Chat Completions.
pub(crate) async fn in_chat_completions(registry: &Registry) -> Conversation {
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
pub(crate) async fn in_anthropic(registry: &Registry) -> Conversation {
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
pub(crate) async fn in_responses(registry: &Registry) -> Conversation {
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
pub(crate) async fn in_gemini(registry: &Registry) -> Conversation {
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
pub(crate) async fn in_bedrock(registry: &Registry) -> Conversation {
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
pub(crate) async fn in_gemini_interactions(registry: &Registry) -> Conversation {
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
