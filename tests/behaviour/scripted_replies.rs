//! How the replies of a script arrive: delays, interruptions, functions and usage, on each wire.

use futures_util::{Stream, StreamExt as _};
use serde_json::{Value, json};
use std::io;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::{Instant, timeout};
use tool_runtime::conversation::{Received, Request};
use tool_runtime::message::{Chunk, Usage};
use tool_runtime::stream::{InterruptedError, ReplyAssembler, StreamError};
use tool_runtime::wire::{self, Wire};
use tool_runtime::{AssistantMessage, Conversation, Registry, ToolCall, tool, tools};
use tool_runtime_testing::{ScriptedModel, ScriptedModelError, ScriptedReply};

const WIRES: [&str; 7] =
    ["chat_completions", "anthropic", "responses", "gemini", "gemini_interactions", "bedrock", "ollama"];
const SECOND: Duration = Duration::from_secs(1);
const TENTH: Duration = Duration::from_millis(100);
const DECLINED: &str = "I cannot help with that.";

/// Look up the weather of a city.
#[tool(read_only)]
fn get_weather(city: &str) -> String {
    format!("{city}: sunny")
}

fn registry() -> Registry {
    Registry::new(tools![get_weather]).expect("the tools are valid")
}

fn wire(name: &str) -> Arc<dyn Wire> {
    wire::by_name(name).expect("it exists")
}

fn hello(wire: &Arc<dyn Wire>) -> Request {
    Conversation::new().user("Beijing?").request(&registry()).wire(Arc::clone(wire))
}

fn answer() -> AssistantMessage {
    AssistantMessage::from_text("It is sunny.")
}

fn call() -> AssistantMessage {
    let call = ToolCall::new("call_1", "get_weather", r#"{"city":"Beijing"}"#);
    let mut reply = answer();
    reply.tool_calls.push(call);
    reply
}

/// The loop of a program that streams, with the bounds of a client.
async fn stream<R, S, E>(
    request: Request,
    mut client: impl FnMut(Request) -> R,
) -> Result<Result<AssistantMessage, InterruptedError<AssistantMessage>>, E>
where
    R: Future<Output = Result<S, E>> + Send + 'static,
    S: Stream + Send + Unpin + 'static,
    S::Item: Into<Chunk>,
{
    let mut chunks = client(request).await?;
    let mut reply = ReplyAssembler::new();
    while let Some(chunk) = chunks.next().await {
        reply.push(chunk);
    }
    Ok(reply.into_reply())
}

async fn streamed(model: &ScriptedModel, request: Request) -> AssistantMessage {
    let streamed = stream(request, |request| model.stream(request)).await;
    streamed.expect("there is a reply").expect("the stream is complete")
}

fn message(error: Option<ScriptedModelError>) -> String {
    error.expect("it is an error").to_string()
}

#[tokio::test]
async fn a_reply_has_the_usage_of_the_script() {
    for name in WIRES {
        let wire = wire(name);
        let mut usage = Usage::new(120, 8);
        usage.cached_input_tokens = 100;
        let reply = call().with_usage(usage);
        let model = ScriptedModel::new([reply.clone(), reply]);
        let complete = model.complete(hello(&wire)).await.expect("there is a reply");
        assert_eq!(complete.usage(), Some(usage));
        assert_eq!(streamed(&model, hello(&wire)).await, complete);
        assert_eq!((usage.total_tokens(), Usage::new(120, 8).cached_input_tokens), (128, 0));
    }
}

#[tokio::test(start_paused = true)]
async fn a_reply_arrives_after_its_delay() {
    for name in WIRES {
        let wire = wire(name);
        let replies = [answer().into(), ScriptedReply::error("Overloaded"), ScriptedReply::refusal("No.")];
        for reply in replies.map(|reply| reply.with_delay(SECOND)) {
            let model = ScriptedModel::new([reply.clone(), reply]);
            let start = Instant::now();
            let complete = model.complete(hello(&wire)).await;
            assert_eq!(start.elapsed(), SECOND);
            let stream = model.stream(hello(&wire)).await;
            assert_eq!(start.elapsed(), 2 * SECOND);
            match stream {
                // Without a delay between them, all chunks are ready.
                Ok(chunks) => assert!(chunks.count().await > 2 && complete.is_ok()),
                Err(error) => assert_eq!(message(complete.err()), error.to_string()),
            }
            assert_eq!(start.elapsed(), 2 * SECOND);
        }
    }
}

#[test]
fn a_reply_without_a_delay_needs_no_runtime() {
    let wire = wire("anthropic");
    let model = ScriptedModel::new([answer(), answer()]);
    let complete = futures_util::FutureExt::now_or_never(model.complete(hello(&wire)));
    let stream = futures_util::FutureExt::now_or_never(streamed(&model, hello(&wire)));
    assert_eq!(stream, complete.and_then(Result::ok));
    assert_eq!(stream.expect("it is ready").text(), "It is sunny.");
}

#[tokio::test(start_paused = true)]
async fn the_chunks_of_a_stream_arrive_one_by_one() {
    for name in WIRES {
        let wire = wire(name);
        let reply = ScriptedReply::from(call()).with_delay(SECOND).with_chunk_delay(TENTH);
        let model = ScriptedModel::new([reply.clone(), reply]);
        let start = Instant::now();
        model.complete(hello(&wire)).await.expect("there is a reply");
        assert_eq!(start.elapsed(), SECOND, "a reply that is not streamed does not wait for its chunks");

        let start = Instant::now();
        let chunks = model.stream(hello(&wire)).await.expect("there is a reply");
        let times: Vec<Duration> = chunks.map(|_| start.elapsed()).collect().await;
        // The start, three words, the call and its 18 characters in pieces of six, the end of the reply and of the stream.
        let expected: Vec<Duration> = (0..10).map(|chunk| SECOND + TENTH * chunk).collect();
        assert_eq!(times, expected, "{name}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_request_that_is_dropped_has_taken_its_reply() {
    let wire = wire("responses");
    let first = ScriptedReply::from(AssistantMessage::from_text("too late")).with_delay(SECOND);
    let model = ScriptedModel::new([first, answer().into()]);
    drop(model.complete(hello(&wire)));
    assert!(model.requests().is_empty(), "a future that is not polled sends nothing");
    let late = timeout(TENTH, model.complete(hello(&wire))).await;
    assert!(late.is_err(), "{late:?}");
    assert_eq!(model.complete(hello(&wire)).await.expect("there is a reply").text(), "It is sunny.");
    assert_eq!(model.requests().len(), 2);
}

#[tokio::test]
async fn an_interrupted_reply_is_the_same_streamed_or_not() {
    let events = |text: [&str; 2]| {
        let event = |text| json!({"choices": [{"delta": {"content": text}}]});
        ScriptedReply::stream(text.map(event).into_iter().chain([json!("[DONE]")]))
    };
    let body = json!({"choices": [{"finish_reason": "stop", "message": {"content": "It is sunny."}}]});
    let of_chat_completions = [events(["It is ", "sunny."]), body.into()].map(|reply| (WIRES[0], reply));
    let of_all = WIRES.into_iter().flat_map(|name| [(name, answer().into()), (name, call().into())]);
    for (name, reply) in of_chat_completions.into_iter().chain(of_all) {
        let wire = wire(name);
        let model = ScriptedModel::new(vec![reply.clone(); 2]);
        let all = model.stream(hello(&wire)).await.expect("there is a reply").count().await;
        let complete = model.complete(hello(&wire)).await.expect("there is a reply");
        let mut texts = Vec::new();
        // The last chunk only ends the stream of a reply that has ended.
        for count in 0..all - 1 {
            let interrupted = reply.clone().interrupted_after(count);
            let model = ScriptedModel::new(vec![interrupted; 3]);
            let chunks = model.stream(hello(&wire)).await.expect("the stream begins");
            assert_eq!(chunks.count().await, count + 1, "the chunks, and the error");
            let streamed = stream(hello(&wire), |request| model.stream(request)).await;
            let streamed = streamed.expect("the stream begins");
            if streamed.is_ok() {
                // The finish reason has arrived.
                assert_eq!(model.complete(hello(&wire)).await.expect("it is complete"), complete);
                continue;
            }
            let streamed = streamed.expect_err("the connection fails");
            let Err(ScriptedModelError::Interrupted(error)) = model.complete(hello(&wire)).await else {
                panic!("{name}: not interrupted after {count} chunks")
            };
            assert_eq!(error.partial, streamed.partial);
            for error in [&error, &streamed] {
                let StreamError::Transport { source, .. } = &error.cause else { panic!("{error:?}") };
                let source = source.downcast_ref::<io::Error>().expect("an error of the connection");
                assert_eq!(source.kind(), io::ErrorKind::ConnectionReset);
            }
            texts.push(error.partial.text().to_owned());
        }
        assert_eq!(texts[0], "");
        assert!(texts.contains(&"It is ".to_owned()), "{texts:?}");
        for count in [all, usize::MAX] {
            let model = ScriptedModel::new(vec![reply.clone().interrupted_after(count); 2]);
            assert_eq!(model.complete(hello(&wire)).await.expect("it is complete"), complete);
            assert_eq!(streamed(&model, hello(&wire)).await, complete);
        }
    }
}

#[tokio::test]
async fn an_interrupted_call_does_not_run() {
    for name in WIRES {
        let wire = wire(name);
        // The start, three words, the call, and a piece of its arguments.
        let model = ScriptedModel::new([ScriptedReply::from(call()).interrupted_after(6)]);
        let chunks = model.stream(hello(&wire)).await.expect("the stream begins");
        let interrupted = registry().dispatch_stream(chunks).await.expect_err("the connection fails");
        let (reply, results) = &*interrupted.partial;
        assert_eq!((reply.text(), &*reply.tool_calls[0].name), ("It is sunny.", "get_weather"));
        assert!(reply.tool_calls[0].is_truncated());
        assert!(results[0].text().starts_with("Error: "), "{results:?}");
    }
}

#[tokio::test]
async fn a_model_declines_as_that_of_the_provider() {
    let bodies = [
        json!({"choices": [{"finish_reason": "stop", "message": {
            "role": "assistant", "content": null, "refusal": DECLINED}}]}),
        json!({"type": "message", "role": "assistant", "content": [], "stop_reason": "refusal",
            "stop_details": {"explanation": DECLINED}}),
        json!({"status": "completed", "output": [{"type": "message", "id": "msg_1", "role": "assistant",
            "status": "completed", "content": [{"type": "refusal", "refusal": DECLINED}]}]}),
        json!({"promptFeedback": {"blockReason": "SAFETY", "blockReasonMessage": DECLINED}}),
        json!({"id": "i", "status": "completed", "steps": [
            {"type": "model_output", "error": {"code": 3, "message": DECLINED}}]}),
        json!({"output": {"message": {"role": "assistant", "content": [{"text": DECLINED}]}},
            "stopReason": "content_filtered"}),
    ];
    for (name, body) in WIRES.into_iter().zip(bodies) {
        let wire = wire(name);
        let model = ScriptedModel::new(vec![ScriptedReply::refusal(DECLINED); 2]);
        let declined = model.complete(hello(&wire)).await.expect("there is a reply");
        let provider = ScriptedModel::new([body]).complete(hello(&wire)).await.expect("it is a reply");
        let end = |reply: &AssistantMessage| (reply.finish_reason().map(str::to_owned), reply.completeness());
        assert_eq!(end(&declined), end(&provider), "{name}");
        assert!(end(&declined).0.is_some());
        // The Converse API has it as text.
        let refusal = if name == "bedrock" { Some(provider.text()) } else { provider.refusal() };
        assert!(refusal.is_some_and(|text| text.ends_with(DECLINED)), "{provider:?}");
        assert_eq!((declined.refusal(), declined.content.as_ref()), (Some(DECLINED), None));
        assert_eq!(streamed(&model, hello(&wire)).await, declined);
    }
}

/// A step of the Interactions API can have an error in place of its content.
#[tokio::test]
async fn a_step_with_an_error_declines_streamed_or_not() {
    let wire = wire("gemini_interactions");
    let step = json!({"type": "model_output", "error": {"code": 3, "message": DECLINED}});
    let interaction = json!({"id": "i", "status": "completed"});
    let events = [
        json!({"event_type": "step.start", "index": 0, "step": step}),
        json!({"event_type": "step.stop", "index": 0}),
        json!({"event_type": "interaction.completed", "interaction": interaction}),
    ];
    let mut body = interaction;
    body["steps"] = json!([step]);
    let model = ScriptedModel::new([ScriptedReply::from(body), ScriptedReply::stream(events)]);
    let complete = model.complete(hello(&wire)).await.expect("there is a reply");
    assert_eq!(complete.refusal(), Some(DECLINED));
    assert_eq!(streamed(&model, hello(&wire)).await.refusal(), Some(DECLINED));
}

#[tokio::test]
async fn a_conversation_continues_after_the_model_declines() {
    for name in WIRES {
        let wire = wire(name);
        let model = ScriptedModel::new([ScriptedReply::refusal(DECLINED), answer().into()]);
        let reply = model.complete(hello(&wire)).await.expect("there is a reply");
        let Received::Answer(chat) = Conversation::new().user("Beijing?").receive(reply) else {
            panic!("the reply has no calls")
        };
        assert_eq!(chat.final_text(), DECLINED);
        assert!(chat.warnings().is_empty(), "{:?}", chat.warnings());
        let next = chat.user("Please.").request(&registry()).wire(wire);
        assert_eq!(model.complete(next).await.expect("the request is valid").text(), "It is sunny.");
        assert!(model.requests()[1].to_string().contains(DECLINED), "{:?}", model.requests()[1]);
    }
}

#[tokio::test(start_paused = true)]
async fn a_function_returns_any_reply() {
    let texts = |request: &Request| request.messages().len().to_string();
    for name in WIRES {
        let wire = wire(name);
        let script = [
            ScriptedReply::from_fn(move |request| AssistantMessage::from_text(texts(request))),
            ScriptedReply::from_fn(move |request| ScriptedReply::error(texts(request))),
            ScriptedReply::from_fn(move |request| ScriptedReply::refusal(texts(request))),
            ScriptedReply::from_fn(move |_| {
                ScriptedReply::from_fn(move |request| AssistantMessage::from_text(texts(request)))
            }),
        ];
        let model = ScriptedModel::new(script);
        let mut replies = Vec::new();
        for _ in 0..4 {
            let reply = model.complete(hello(&wire)).await.map_err(|error| error.to_string());
            replies.push(reply.map(|reply| reply.refusal().unwrap_or(reply.text()).to_owned()));
        }
        let one = Ok("1".to_owned());
        let error = Err("the server sent an error: 1".to_owned());
        assert_eq!(replies, [one.clone(), error, one.clone(), one]);
    }
    let events =
        |_: &Request| ScriptedReply::stream([json!({"choices": [{"delta": {"content": "Sunny."}}]})]);
    let model = ScriptedModel::new([ScriptedReply::from_fn(events)]);
    assert_eq!(streamed(&model, hello(&wire(WIRES[0]))).await.text(), "Sunny.");
    let body = |_: &Request| -> Value { json!({"message": {"content": "Sunny."}}) };
    let model = ScriptedModel::new([ScriptedReply::from_fn(body)]);
    assert_eq!(streamed(&model, hello(&wire(WIRES[0]))).await.text(), "Sunny.");
}

#[tokio::test(start_paused = true)]
async fn the_settings_of_the_returned_reply_take_precedence() {
    let wire = wire("gemini");
    let slow =
        |reply: ScriptedReply| reply.with_delay(9 * SECOND).with_chunk_delay(SECOND).interrupted_after(2);
    let fast = |reply: ScriptedReply| reply.with_delay(TENTH).with_chunk_delay(TENTH).interrupted_after(4);
    for (reply, delay, chunks) in [
        (slow(ScriptedReply::from_fn(|_| answer())), 9 * SECOND, 2 * SECOND),
        (ScriptedReply::from_fn(move |_| slow(answer().into())), 9 * SECOND, 2 * SECOND),
        (slow(ScriptedReply::from_fn(move |_| fast(answer().into()))), TENTH, 4 * TENTH),
        (
            slow(ScriptedReply::from_fn(|_| ScriptedReply::from(answer()).interrupted_after(4))),
            9 * SECOND,
            4 * SECOND,
        ),
    ] {
        let model = ScriptedModel::new([reply]);
        let start = Instant::now();
        let stream = model.stream(hello(&wire)).await.expect("there is a reply");
        assert_eq!(start.elapsed(), delay);
        let _: Vec<Chunk> = stream.collect().await;
        assert_eq!(start.elapsed(), delay + chunks);
    }
}
