//! The scripted model, on several wires.

use futures_util::StreamExt as _;
use serde_json::{Value, json};
use std::sync::Arc;
use tool_runtime::conversation::{Received, Request};
use tool_runtime::message::{Chunk, Completeness, Message};
use tool_runtime::session::{RunEnd, RunError};
use tool_runtime::stream::{ReplyAssembler, ReplyEvent};
use tool_runtime::wire::{self, Anthropic, Body, ChatCompletions, RequestParts, Wire, WireError};
use tool_runtime::{AssistantMessage, Conversation, Registry, Session, ToolCall, tool, tools};
use tool_runtime_testing::{ScriptedModel, ScriptedModelError, ScriptedReply};

/// Look up the weather of a city.
#[tool(read_only)]
fn get_weather(city: &str) -> String {
    format!("{city}: sunny")
}

fn registry() -> Registry {
    Registry::new(tools![get_weather]).expect("the tools are valid")
}

fn call(city: &str) -> AssistantMessage {
    let arguments = json!({ "city": city }).to_string();
    AssistantMessage::from_tool_calls(vec![ToolCall::new("call_1", "get_weather", arguments)])
}

fn answer() -> AssistantMessage {
    AssistantMessage::from_text("It is sunny.")
}

fn wires() -> [Arc<dyn Wire>; 2] {
    [Arc::new(ChatCompletions::new()), Arc::new(Anthropic::new())]
}

fn hello() -> Request {
    Conversation::new().user("Beijing?").request(&registry())
}

#[tokio::test]
async fn a_conversation_with_a_call_ends_with_the_answer_on_each_wire() {
    for wire in wires() {
        let model = ScriptedModel::new([call("Beijing"), answer()]).wire(Arc::clone(&wire));
        let mut session = Session::new().system("Be brief.").user("Beijing?");
        let end = session.run(&registry()).complete(|request| model.complete(request)).await;
        assert_eq!(end.expect("the requests are valid"), RunEnd::Answered);
        assert_eq!(session.final_text(), "It is sunny.");
        let chat = session.into_conversation().expect("each call has its result");
        let requests = model.requests();
        assert_eq!(requests.len(), 2);
        let written = serde_json::to_value(
            chat.request(&registry()).wire(Arc::clone(&wire)).body().expect("it is written"),
        );
        let written = written.expect("it is JSON");
        let before_the_answer =
            written["messages"].as_array().expect("an array").split_last().expect("messages").1;
        assert_eq!(requests[1]["messages"], json!(before_the_answer), "{wire:?}");
        assert_eq!(requests[1]["tools"], written["tools"]);
    }
}

#[tokio::test]
async fn a_request_is_written_on_the_wire_that_it_carries() {
    let bodies = [
        ("chat_completions", json!({"choices": [{"message": {"content": "Sunny."}}]})),
        ("anthropic", json!({"type": "message", "content": [{"type": "text", "text": "Sunny."}]})),
        (
            "responses",
            json!({"output": [{"type": "message", "content": [{"type": "output_text", "text": "Sunny."}]}]}),
        ),
        ("gemini", json!({"candidates": [{"content": {"parts": [{"text": "Sunny."}]}}]})),
        (
            "gemini_interactions",
            json!({"status": "completed",
                "steps": [{"type": "model_output", "content": [{"type": "text", "text": "Sunny."}]}]}),
        ),
        (
            "bedrock",
            json!({"output": {"message": {"role": "assistant", "content": [{"text": "Sunny."}]}}, "stopReason": "end_turn"}),
        ),
        ("ollama", json!({"message": {"role": "assistant", "content": "Sunny."}, "done": true})),
    ];
    let on = |name: &str| hello().wire(wire::by_name(name).expect("it exists"));
    // One model gets requests on several wires.
    let model = ScriptedModel::new(bodies.clone().map(|(_, body)| body));
    for (name, _) in &bodies {
        let reply = model.complete(on(name)).await.expect("the body is read on the wire of the request");
        assert_eq!(reply.text(), "Sunny.");
        assert_eq!(reply.origin().map(|origin| &*origin.wire), Some(*name));
        assert_eq!(model.requests().last(), Some(&json!(on(name))));
    }
    let model = ScriptedModel::new([answer()]).wire(Anthropic::new());
    model.complete(on("gemini")).await.expect("there is a reply");
    assert_eq!(model.requests(), [json!(on("anthropic"))], "the wire of the model takes precedence");
}

#[tokio::test]
async fn a_streamed_reply_is_the_complete_reply_and_arrives_in_pieces() {
    let reasoning = json!({"id": "1", "model": "m", "choices": [{"finish_reason": "tool_calls", "message": {
        "role": "assistant", "content": "One moment, please.", "reasoning_content": "Which city?", "tool_calls": [
            {"id": "a", "type": "function", "function": {"name": "get_weather", "arguments": "{\"city\": \"Beijing\"}"}},
            {"id": "b", "type": "function", "function": {"name": "get_weather", "arguments": "{}"}},
        ]}}], "usage": {"prompt_tokens": 7, "completion_tokens": 3}});
    let blocks = json!({"type": "message", "model": "m", "stop_reason": "tool_use", "content": [
        {"type": "thinking", "thinking": "Which city?", "signature": "c2ln"},
        {"type": "text", "text": "One moment, "},
        {"type": "text", "text": "please."},
        {"type": "tool_use", "id": "toolu_1", "name": "get_weather", "input": {"city": "Beijing"}},
        {"type": "tool_use", "id": "toolu_2", "name": "get_weather", "input": {}},
    ], "usage": {"input_tokens": 7, "output_tokens": 3}});
    let [chat_completions, anthropic] = wires();
    for (wire, reply) in [
        (&chat_completions, ScriptedReply::from(reasoning)),
        (&chat_completions, call("Beijing").with_finish_reason("tool_calls").into()),
        (&anthropic, blocks.into()),
        (&anthropic, call("Beijing").into()),
        (&anthropic, answer().with_finish_reason("end_turn").into()),
        (&anthropic, ScriptedReply::from_fn(|_| answer())),
    ] {
        let model = ScriptedModel::new([reply.clone(), reply]).wire(Arc::clone(wire));
        let complete = model.complete(hello()).await.expect("there is a reply");
        let chunks: Vec<Chunk> = model.stream(hello()).await.expect("there is a reply").collect().await;
        let mut assembler = ReplyAssembler::new();
        let (mut texts, mut arguments) = (0, 0);
        for chunk in chunks {
            for event in assembler.push(chunk) {
                match event {
                    ReplyEvent::Text(_) => texts += 1,
                    ReplyEvent::CallArguments { .. } => arguments += 1,
                    _ => {}
                }
            }
        }
        let streamed = assembler.into_reply().expect("the stream is complete");
        assert_eq!(streamed, complete);
        assert!(texts > 2 || complete.text().is_empty(), "{texts} pieces of {complete:?}");
        assert!(arguments > 2 || complete.tool_calls.is_empty(), "{arguments} pieces of {complete:?}");
        // Unchanged items of the provider go back verbatim from both.
        let written = |reply: AssistantMessage| crate::messages_on(wire, &[Message::user("?"), reply.into()]);
        assert_eq!(written(streamed), written(complete));
    }
}

#[tokio::test]
async fn the_events_of_a_stream_are_read_on_the_wire() {
    let events = [
        json!({"type": "message_start", "message": {"model": "m", "usage": {"input_tokens": 7}}}),
        json!({"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}}),
        json!({"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "Sunny."}}),
        json!({"type": "content_block_stop", "index": 0}),
        json!({"type": "message_delta", "delta": {"stop_reason": "max_tokens"}, "usage": {"output_tokens": 1}}),
        json!({"type": "message_stop"}),
    ];
    let reply = ScriptedReply::stream(events);
    let model = ScriptedModel::new([reply.clone(), reply]).wire(Anthropic::new());
    let complete = model.complete(hello()).await.expect("there is a reply");
    assert_eq!((complete.text(), complete.completeness()), ("Sunny.", Completeness::Truncated));
    let chunks = model.stream(hello()).await.expect("there is a reply");
    let (streamed, _) = registry().dispatch_stream(chunks).await.expect("the stream is complete");
    assert_eq!(streamed, complete);

    let cut = ScriptedReply::stream([
        "{\"choices\":[{\"delta\":{\"content\":\"Sun\"}}]}",
        "{\"error\":\"overloaded\"}",
    ]);
    let model = ScriptedModel::new([cut]);
    match model.complete(hello()).await {
        Err(ScriptedModelError::Interrupted(interrupted)) => assert_eq!(interrupted.partial.text(), "Sun"),
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn a_streamed_reply_is_dispatched_on_each_wire() {
    for wire in wires() {
        let model = ScriptedModel::new([call("Beijing"), answer()]).wire(wire);
        let mut chat = Conversation::new().user("Beijing?");
        let registry = registry();
        for _ in 0..2 {
            let chunks = model.stream(chat.request(&registry)).await.expect("the request is valid");
            let (reply, results) = registry.dispatch_stream(chunks).await.expect("the stream is complete");
            chat = match chat.receive(reply) {
                Received::Answer(chat) => chat,
                Received::ToolCalls(mut pending) => {
                    pending.add_results(results).expect("they are results of its calls");
                    pending.dispatch(&registry).await
                }
            };
        }
        assert_eq!(crate::contents_of(&chat), ["Beijing?", "", "Beijing: sunny", "It is sunny."]);
    }
}

/// A wire with a bug: it loses the results of tools.
#[derive(Debug)]
struct WithoutResults(Arc<dyn Wire>);

impl Wire for WithoutResults {
    fn name(&self) -> &'static str {
        self.0.name()
    }
    fn write(&self, parts: &RequestParts<'_>) -> Result<Body, WireError> {
        let is_kept = |message: &&Message| !matches!(message, Message::Tool(_));
        let messages: Vec<Message> = parts.messages.iter().filter(is_kept).cloned().collect();
        self.0.write(&RequestParts::new(&messages).tools(parts.tools))
    }
    fn read_reply(&self, body: &str) -> Result<AssistantMessage, WireError> {
        self.0.read_reply(body)
    }
    fn read_event(&self, data: &str) -> Chunk {
        self.0.read_event(data)
    }
    fn read_messages(&self, body: &str) -> Result<Vec<Message>, WireError> {
        self.0.read_messages(body)
    }
    fn read_error(&self, body: &str) -> Option<String> {
        self.0.read_error(body)
    }
}

#[tokio::test]
async fn a_broken_request_is_rejected_in_the_words_of_the_provider() {
    let messages = [
        "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The \
         following tool_call_ids did not have response messages: call_1",
        "messages.1: `tool_use` ids were found without `tool_result` blocks immediately after: call_1. Each `tool_use` \
         block must have a corresponding `tool_result` block in the next message.",
    ];
    for (wire, message) in wires().into_iter().zip(messages) {
        let model = ScriptedModel::new([call("Beijing"), answer()]).wire(WithoutResults(wire));
        let mut session = Session::new().user("Beijing?");
        match session.run(&registry()).complete(|request| model.complete(request)).await {
            Err(RunError::Client(ScriptedModelError::Rejected(rejected))) => {
                assert_eq!(rejected.message, message);
            }
            other => panic!("{other:?}"),
        }
        assert_eq!(model.requests().len(), 2, "the rejected request is recorded");
    }
}

#[tokio::test]
async fn a_rejected_request_takes_no_reply() {
    let messages = ["[] is too short - 'messages'", "messages: at least one message is required"];
    for (wire, message) in wires().into_iter().zip(messages) {
        let model = ScriptedModel::new([answer()]).wire(wire);
        let rejected = model.complete(Conversation::new().request(&registry())).await;
        let rejected = rejected.expect_err("it has no messages").to_string();
        assert!(rejected.starts_with(&format!("the request is rejected: {message}")), "{rejected}");
        assert_eq!(model.complete(hello()).await.expect("the reply is left").text(), "It is sunny.");
    }
}

#[tokio::test]
async fn a_script_that_has_ended_is_an_error() {
    let model = ScriptedModel::new([answer()]);
    let clone = model.clone();
    let first = tokio::spawn(async move { clone.complete(hello()).await });
    assert_eq!(first.await.expect("no panic").expect("there is a reply").text(), "It is sunny.");
    let error = model.complete(hello()).await.expect_err("the script is shared");
    assert_eq!(error.to_string(), "the script has ended (replies: 1): add a reply for this request");
    assert!(matches!(
        model.stream(hello()).await.err(),
        Some(ScriptedModelError::ScriptEnded { replies: 1, .. })
    ));
}

#[tokio::test]
async fn an_error_of_the_server_is_read_on_the_wire() {
    let anthropic = r#"{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}"#;
    for (name, body, message) in [
        ("chat_completions", r#"{"error":{"message":"Rate limit reached."}}"#, "Rate limit reached."),
        ("anthropic", anthropic, "Overloaded"),
        (
            "gemini_interactions",
            r#"{"error":{"code":429,"message":"Quota exceeded.","status":"RESOURCE_EXHAUSTED"}}"#,
            "Quota exceeded.",
        ),
        ("bedrock", r#"{"message":"Too many requests, please wait."}"#, "Too many requests, please wait."),
        ("anthropic", "no text of the format", "no text of the format"),
    ] {
        let reply = ScriptedReply::error(body);
        let model = ScriptedModel::new([reply.clone(), reply]).wire(wire::by_name(name).expect("it exists"));
        let streamed = model.stream(hello()).await.err().expect("it is an error");
        for error in [model.complete(hello()).await.expect_err("it is an error"), streamed] {
            assert_eq!(error.to_string(), format!("the server sent an error: {message}"));
        }
    }
    let body: Value = serde_json::from_str(anthropic).expect("it is JSON");
    let error = ScriptedModel::new([body]).wire(Anthropic::new()).complete(hello()).await;
    assert!(matches!(error, Err(ScriptedModelError::Server { message, .. }) if message == "Overloaded"));
}

#[tokio::test]
async fn a_truncated_call_of_the_script_never_runs() {
    for wire in wires() {
        let mut truncated = call("Beijing");
        truncated.tool_calls[0].arguments.pop();
        let model = ScriptedModel::new([truncated.with_finish_reason("length")]).wire(wire);
        let chunks = model.stream(hello()).await.expect("the request is valid");
        let (reply, results) = registry().dispatch_stream(chunks).await.expect("the stream is complete");
        assert!(reply.tool_calls[0].is_truncated());
        assert!(results[0].text().contains("truncated"), "{results:?}");
    }
}

#[tokio::test]
async fn a_repeated_reply_has_no_end_and_records_no_request() {
    let model = ScriptedModel::repeat(ScriptedReply::from_fn(|request| match request.messages().len() {
        1 => call("Beijing"),
        _ => answer(),
    }));
    for _ in 0..3 {
        let mut session = Session::new().user("Beijing?");
        let end = session.run(&registry()).complete(|request| model.complete(request)).await;
        assert_eq!(end.expect("the requests are valid"), RunEnd::Answered);
    }
    assert!(model.requests().is_empty());
}
