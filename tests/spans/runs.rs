//! The spans of a run and of its requests.

use crate::{attribute, attributes, pairs};
use opentelemetry::trace::{SpanKind, TracerProvider as _};
use opentelemetry_sdk::trace::{InMemorySpanExporter, SdkTracerProvider, SpanData};
use serde_json::{Value, json};
use tool_runtime::dispatch::{Decision, ProposedCall, ReadyCall};
use tool_runtime::session::{RunEnd, RunError};
use tool_runtime::wire::Anthropic;
use tool_runtime::{AssistantMessage, Registry, RunContext, Session, ToolOutput, tool, tools};
use tool_runtime_testing::{ScriptedModel, ScriptedReply};
use tracing_subscriber::layer::SubscriberExt as _;

/// Looks up a customer.
#[tool(read_only)]
fn customer(number: u32, token: Option<&str>) -> String {
    format!("customer {number}, card 4111-1111, {}", token.unwrap_or("no token"))
}

/// Fails.
#[tool]
fn refund(number: u32) -> Result<(), String> {
    Err(format!("card 4111-1111 of customer {number} is closed"))
}

/// Removes the numbers of cards.
async fn redact(call: ReadyCall) -> tool_runtime::dispatch::ToolResult {
    let result = call.run().await;
    let text = result.text().replace("4111-1111", "***").replace("sesame", "***");
    if result.is_error() {
        return tool_runtime::dispatch::ToolResult::error(text.trim_start_matches("Error: ").to_owned());
    }
    ToolOutput::from(text).into()
}

async fn add_token(call: ProposedCall) -> Decision {
    match call.tool() {
        "customer" => Decision::RunWith(json!({"number": 7, "token": "sesame"})),
        _ => Decision::Undecided,
    }
}

/// Two replies with three calls, and their tokens.
fn model() -> ScriptedModel {
    let call =
        |id: &str, tool: &str| json!({"type": "tool_use", "id": id, "name": tool, "input": {"number": 7}});
    let reply = |id: &str, content: Vec<Value>, stop_reason: &str, tokens: [u32; 5]| {
        let [input, read, write, output, thinking] = tokens;
        ScriptedReply::from(json!({
            "id": id, "type": "message", "role": "assistant", "model": "claude-1", "content": content,
            "stop_reason": stop_reason,
            "usage": {
                "input_tokens": input,
                "cache_read_input_tokens": read,
                "cache_creation_input_tokens": write,
                "output_tokens": output,
                "output_tokens_details": {"thinking_tokens": thinking},
            },
        }))
    };
    ScriptedModel::new([
        reply(
            "msg_1",
            vec![call("a", "customer"), call("b", "customer"), call("c", "refund")],
            "tool_use",
            [70, 20, 30, 30, 9],
        ),
        reply("msg_2", vec![json!({"type": "text", "text": "Done."})], "end_turn", [200, 100, 0, 5, 0]),
    ])
    .wire(Anthropic::new())
}

async fn spans_of_a_run(is_streamed: bool, has_client_error: bool) -> Vec<SpanData> {
    let exporter = InMemorySpanExporter::default();
    let provider = SdkTracerProvider::builder().with_simple_exporter(exporter.clone()).build();
    let layer = tracing_opentelemetry::layer().with_tracer(provider.tracer("tests")).with_location(false);
    let _collecting = tracing::subscriber::set_default(tracing_subscriber::registry().with(layer));
    let registry = Registry::builder()
        .tools(tools![customer, refund])
        .before_call(add_token)
        .around_call(redact)
        .trace_content(true)
        .build()
        .expect("two tools")
        .with(&RunContext::new().run_id("order-7"));
    let (model, mut session) = (model(), Session::new().user("Refund it."));
    // A span of the client.
    let sends = || tracing::info_span!("http");
    let run = session.run(&registry).wire(Anthropic::new());
    if has_client_error {
        let failed = run.complete(|_| async { Err::<AssistantMessage, _>("unreachable") }).await;
        assert!(matches!(failed, Err(RunError::Client("unreachable"))));
    } else {
        let end = if is_streamed {
            run.stream(|request| async {
                let sent = sends();
                let chunks = model.stream(request).await;
                drop(sent);
                chunks
            })
            .await
            .expect("valid")
        } else {
            run.complete(|request| async {
                let sent = sends();
                let reply = model.complete(request).await;
                drop(sent);
                reply
            })
            .await
            .expect("valid")
        };
        assert_eq!(end, RunEnd::Answered);
    }
    drop(session);
    provider.force_flush().expect("they are in memory");
    exporter.get_finished_spans().expect("they are in memory")
}

#[tokio::test]
async fn a_run_has_a_span_with_its_requests_and_calls() {
    for is_streamed in [false, true] {
        let spans = spans_of_a_run(is_streamed, false).await;
        let named =
            |name: &str| -> Vec<&SpanData> { spans.iter().filter(|span| span.name == *name).collect() };
        let [run] = named("invoke_agent")[..] else { panic!("one run: {spans:?}") };
        assert_eq!(run.span_kind, SpanKind::Internal);
        assert_eq!(
            attributes(run),
            pairs(&[
                ("gen_ai.conversation.id", "order-7"),
                ("gen_ai.operation.name", "invoke_agent"),
                ("gen_ai.usage.cache_creation.input_tokens", "30"),
                ("gen_ai.usage.cache_read.input_tokens", "120"),
                ("gen_ai.usage.input_tokens", "420"),
                ("gen_ai.usage.output_tokens", "35"),
                ("gen_ai.usage.reasoning.output_tokens", "9"),
            ])
        );
        let [first, second] = named("chat")[..] else { panic!("two requests: {spans:?}") };
        assert_eq!(
            attributes(first),
            pairs(&[
                ("gen_ai.operation.name", "chat"),
                ("gen_ai.provider.name", "anthropic"),
                ("gen_ai.response.finish_reasons", "[\"tool_use\"]"),
                ("gen_ai.response.id", "msg_1"),
                ("gen_ai.response.model", "claude-1"),
                ("gen_ai.usage.cache_creation.input_tokens", "30"),
                ("gen_ai.usage.cache_read.input_tokens", "20"),
                ("gen_ai.usage.input_tokens", "120"),
                ("gen_ai.usage.output_tokens", "30"),
                ("gen_ai.usage.reasoning.output_tokens", "9"),
            ])
        );
        assert_eq!(attribute(second, "gen_ai.response.finish_reasons").as_deref(), Some("[\"end_turn\"]"));
        let calls: Vec<_> = spans.iter().filter(|span| span.name.starts_with("execute_tool ")).collect();
        assert_eq!(calls.len(), 3);
        for child in [first, second].into_iter().chain(calls.iter().copied()) {
            assert_eq!(child.parent_span_id, run.span_context.span_id(), "{}", child.name);
        }
        for chat in [first, second] {
            assert_eq!(chat.span_kind, SpanKind::Client);
            let requests = named("http");
            let sent = requests.iter().filter(|http| http.parent_span_id == chat.span_context.span_id());
            assert_eq!(sent.count(), 1, "spans of the client are in that of the request");
        }
        // Neither what middleware removes nor what a hook adds.
        let text = format!("{spans:?}");
        assert!(!text.contains("4111-1111") && !text.contains("sesame"), "{text}");
        assert!(text.contains("***"), "the results are traced");
    }
}

#[tokio::test]
async fn the_spans_of_a_failed_request_have_an_error_type() {
    let spans = spans_of_a_run(false, true).await;
    let types: Vec<_> = spans.iter().map(|span| (&*span.name, attribute(span, "error.type"))).collect();
    let other = || Some("_OTHER".to_owned());
    assert_eq!(types, [("chat", other()), ("invoke_agent", other())]);
}
