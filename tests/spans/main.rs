//! The spans of runs, requests and calls, as OpenTelemetry collects them.

mod error_sources;
mod runs;
mod texts;

use opentelemetry::trace::{SpanKind, Status, TracerProvider as _};
use opentelemetry_sdk::trace::{InMemorySpanExporter, SdkTracerProvider, SpanData};
use std::fmt;
use tool_runtime::dispatch::CancellationToken;
use tool_runtime::{Registry, RegistryBuilder, RunContext, ToolCall, tool, tools};
use tracing::Instrument as _;
use tracing_subscriber::layer::SubscriberExt as _;

/// Look up the weather of a city.
#[tool]
async fn get_weather(city: &str) -> String {
    tokio::task::yield_now().await;
    tracing::info!("inside");
    format!("{city}: sunny")
}

/// Counts.
#[tool]
fn count(to: u8) -> u8 {
    to
}

/// Panics.
#[tool]
fn panics() {
    panic!("a secret payload");
}

#[derive(Debug)]
struct NotSaved;

impl fmt::Display for NotSaved {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("not saved")
    }
}
impl std::error::Error for NotSaved {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        static SOURCE: fmt::Error = fmt::Error;
        Some(&SOURCE)
    }
}

/// Fails.
#[tool]
fn fails() -> Result<(), NotSaved> {
    Err(NotSaved)
}

/// Never returns.
#[tool(timeout = "5s")]
async fn waits() {
    std::future::pending::<()>().await;
}

fn registry() -> RegistryBuilder {
    Registry::builder().tools(tools![get_weather, count, panics, fails, waits])
}

/// The spans of these calls, as a collector receives them.
async fn spans_of(registry: &Registry, calls: &[ToolCall], context: &RunContext) -> Vec<SpanData> {
    let exporter = InMemorySpanExporter::default();
    let provider = SdkTracerProvider::builder().with_simple_exporter(exporter.clone()).build();
    let layer = tracing_opentelemetry::layer().with_tracer(provider.tracer("tests")).with_location(false);
    let _collecting = tracing::subscriber::set_default(tracing_subscriber::registry().with(layer));
    registry.with(context).dispatch(calls).instrument(tracing::info_span!("agent")).await;
    provider.force_flush().expect("they are in memory");
    exporter.get_finished_spans().expect("they are in memory")
}

async fn span_of(registry: &Registry, call: ToolCall) -> SpanData {
    let spans = spans_of(registry, &[call], &RunContext::new()).await;
    spans.into_iter().find(|span| span.name != "agent").expect("the call has a span")
}

fn attribute(span: &SpanData, key: &str) -> Option<String> {
    let attribute = span.attributes.iter().find(|attribute| attribute.key.as_str() == key)?;
    Some(attribute.value.as_str().into_owned())
}

/// The attributes of the conventions, in alphabetical order.
fn attributes(span: &SpanData) -> Vec<(String, String)> {
    let mut attributes: Vec<(String, String)> = span
        .attributes
        .iter()
        .map(|attribute| (attribute.key.as_str().to_owned(), attribute.value.as_str().into_owned()))
        .filter(|(key, _)| key.starts_with("gen_ai.") || key.starts_with("error."))
        .collect();
    attributes.sort();
    attributes
}

fn pairs<'a>(pairs: &[(&'a str, &'a str)]) -> Vec<(String, String)> {
    pairs.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect()
}

#[tokio::test]
async fn the_span_of_a_call_follows_the_opentelemetry_conventions() {
    let registry = registry().build().expect("a registry");
    let call = ToolCall::new("call_1", "get_weather", r#"{"city":"a secret city"}"#);
    let spans = spans_of(&registry, &[call], &RunContext::new()).await;
    let [span, agent] = &spans[..] else {
        panic!("one call has one span, inside that of the program: {spans:?}")
    };
    assert_eq!(span.name, "execute_tool get_weather");
    assert_eq!(span.span_kind, SpanKind::Internal);
    assert_eq!(span.status, Status::Unset);
    assert_eq!(span.parent_span_id, agent.span_context.span_id());
    assert_eq!(
        attributes(span),
        pairs(&[
            ("gen_ai.operation.name", "execute_tool"),
            ("gen_ai.tool.call.id", "call_1"),
            ("gen_ai.tool.description", "Look up the weather of a city."),
            ("gen_ai.tool.name", "get_weather"),
            ("gen_ai.tool.type", "function"),
        ])
    );
    assert!(!format!("{spans:?}").contains("secret"), "the span does not contain the arguments");
    assert_eq!(span.events.events[0].name, "inside", "events of the tool are in its span");
}

#[tokio::test]
async fn unknown_names_and_ids_are_truncated_and_escaped_in_spans() {
    let registry = registry().build().expect("a registry");
    let call =
        ToolCall::new("i\nd\u{202e}".repeat(1_000), "no_tool\nINFO all is well\u{202e}".repeat(9), "{}");
    let span = span_of(&registry, call).await;
    let name = attribute(&span, "gen_ai.tool.name").expect("a name");
    let id = attribute(&span, "gen_ai.tool.call.id").expect("an id");
    assert!(
        name.starts_with(r"no_tool\nINFO all is well\u202e") && id.starts_with(r"i\nd\u202e"),
        "{name} {id}"
    );
    for shown in [&name, &id, &span.name.to_string()] {
        assert!(shown.chars().count() < 700 && !shown.contains(['\n', '\u{202e}']), "{shown}");
    }
}

#[tokio::test]
async fn the_span_contains_arguments_and_result_only_with_trace_content() {
    let registry = registry().trace_content(true).max_result_bytes(60).build().expect("a registry");
    let span = span_of(&registry, ToolCall::new("1", "get_weather", r#"{"city":"Rome"}"#)).await;
    assert_eq!(attribute(&span, "gen_ai.tool.call.arguments").as_deref(), Some(r#"{"city":"Rome"}"#));
    assert_eq!(attribute(&span, "gen_ai.tool.call.result").as_deref(), Some("Rome: sunny"));
    let span = span_of(&registry, ToolCall::new("1", "get_weather", "{")).await;
    assert_eq!(attribute(&span, "gen_ai.tool.call.arguments").as_deref(), Some("{"));
    assert_eq!(attribute(&span, "gen_ai.tool.call.result"), None);
}

#[tokio::test(start_paused = true)]
async fn the_span_of_a_failed_call_has_its_error_type_and_status() {
    let registry = registry().max_calls_per_reply(6).build().expect("a registry");
    let calls = [
        ("fails", "{}", "returned"),
        ("panics", "{}", "panic"),
        ("get_weather", "{", "not_json"),
        ("get_weather", "{}", "invalid_arguments"),
        ("waits", "{}", "timeout"),
        ("get_wether", "{}", "unknown_tool"),
        ("fails", "{}", "too_many_calls"),
    ];
    let sent: Vec<ToolCall> = calls
        .iter()
        .enumerate()
        .map(|(place, (tool, arguments, _))| ToolCall::new(place.to_string(), *tool, *arguments))
        .collect();
    let spans = spans_of(&registry, &sent, &RunContext::new()).await;
    for (place, (tool, _, kind)) in calls.iter().enumerate() {
        let id = Some(place.to_string());
        let span =
            spans.iter().find(|span| attribute(span, "gen_ai.tool.call.id") == id).expect("it has one");
        assert_eq!(span.name, format!("execute_tool {tool}"));
        assert_eq!(attribute(span, "error.type").as_deref(), Some(*kind));
        assert!(matches!(span.status, Status::Error { .. }), "{:?}", span.status);
    }
}

/// Deletes.
#[tool(requires_approval)]
fn deletes() {}

#[tokio::test]
async fn a_call_that_needs_approval_has_neither_an_error_nor_an_event_in_its_span() {
    let registry = Registry::new(tools![deletes]).expect("one tool");
    let span = span_of(&registry, ToolCall::new("1", "deletes", "{}")).await;
    assert_eq!((span.status.clone(), span.events.events.len()), (Status::Unset, 0));
    assert_eq!(attribute(&span, "error.type"), None);
}

#[tokio::test]
async fn the_span_contains_invalid_arguments_only_with_trace_content() {
    let call = || ToolCall::new("1", "count", r#"{"to":"a secret number"}"#);
    let quiet = registry().build().expect("a registry");
    let span = span_of(&quiet, call()).await;
    assert_eq!(span.status, Status::error("invalid arguments for `count`"));
    assert!(!format!("{span:?}").contains("secret"), "{span:?}");
    let span = span_of(&registry().trace_content(true).build().expect("a registry"), call()).await;
    assert!(format!("{:?}", span.status).contains("a secret number"), "{:?}", span.status);
}

#[tokio::test]
async fn the_span_contains_error_texts_panic_messages_and_sources_only_with_trace_content() {
    let traced = registry().trace_content(true).build().expect("a registry");
    let span = span_of(&traced, ToolCall::new("1", "panics", "{}")).await;
    assert!(format!("{:?}", span.events).contains("a secret payload"), "{:?}", span.events);
    assert_eq!(span.status, Status::error("the tool `panics` failed unexpectedly."));
    let span = span_of(&traced, ToolCall::new("1", "fails", "{}")).await;
    assert_eq!(span.status, Status::error("not saved"));
    assert!(format!("{:?}", span.events).contains(&fmt::Error.to_string()), "{:?}", span.events);

    let quiet = registry().build().expect("a registry");
    let span = span_of(&quiet, ToolCall::new("1", "panics", "{}")).await;
    assert!(!format!("{span:?}").contains("secret"), "{span:?}");
    assert_eq!(span.status, Status::error("the tool `panics` failed unexpectedly."));
    let span = span_of(&quiet, ToolCall::new("1", "fails", "{}")).await;
    assert_eq!(span.status, Status::error("the tool `fails` returned an error"));
    let shown = format!("{span:?}");
    assert!(!shown.contains("not saved") && !shown.contains(&fmt::Error.to_string()), "{shown}");
}

/// Charges a card.
#[tool]
fn charge() -> Result<(), String> {
    Err("the card 4111-1111 has expired".to_owned())
}

/// Denies a call for a reason that contains a card number.
async fn deny(_: tool_runtime::dispatch::ProposedCall) -> tool_runtime::dispatch::Decision {
    tool_runtime::dispatch::Decision::Deny("the card 4111-1111 is blocked".into())
}

/// A program removes card numbers in middleware, from results and from errors.
#[tokio::test]
async fn spans_have_the_result_after_middleware() {
    for is_traced in [false, true] {
        let redact = |call: tool_runtime::dispatch::ReadyCall| async move {
            call.run().await.map_text(|text| text.replace("4111-1111", "[card]"))
        };
        let builder = Registry::builder().tools(tools![charge]).around_call(redact);
        let registry = builder.trace_content(is_traced).build().expect("a registry");
        let span = span_of(&registry, ToolCall::new("1", "charge", "{}")).await;
        assert!(!format!("{span:?}").contains("4111"), "{span:?}");
        let text =
            if is_traced { "the card [card] has expired" } else { "the tool `charge` returned an error" };
        assert_eq!(span.status, Status::error(text));
        assert_eq!(attribute(&span, "error.type").as_deref(), Some("returned"));
    }
    let registry = Registry::builder().tools(tools![charge]).before_call(deny).build().expect("a registry");
    let span = span_of(&registry, ToolCall::new("1", "charge", "{}")).await;
    assert!(!format!("{span:?}").contains("4111"), "{span:?}");
}

/// Records an event with the subscriber of its test.
#[tool(blocking)]
fn where_am_i(#[state] subscriber: &tracing::Dispatch) -> bool {
    let _here = tracing::dispatcher::set_default(subscriber);
    tracing::info!("on a thread");
    true
}

#[tokio::test]
async fn a_blocking_function_runs_in_the_span_of_its_call() {
    let exporter = InMemorySpanExporter::default();
    let provider = SdkTracerProvider::builder().with_simple_exporter(exporter.clone()).build();
    let layer = tracing_opentelemetry::layer().with_tracer(provider.tracer("tests"));
    let subscriber: tracing::Dispatch = tracing_subscriber::registry().with(layer).into();
    let here = tracing::dispatcher::set_default(&subscriber);
    let registry = Registry::builder().tools(tools![where_am_i]).state(subscriber.clone()).build();
    registry.expect("a registry").dispatch(&[ToolCall::new("1", "where_am_i", "")]).await;
    drop(here);
    provider.force_flush().expect("they are in memory");
    let spans = exporter.get_finished_spans().expect("they are in memory");
    let events: Vec<&str> = spans[0].events.events.iter().map(|event| &*event.name).collect();
    assert_eq!(events, ["on a thread"]);
}

#[tokio::test]
async fn a_cancelled_call_has_a_span() {
    let registry = registry().build().expect("a registry");
    let token = CancellationToken::new();
    token.cancel();
    let context = RunContext::new().cancellation(token);
    let spans = spans_of(&registry, &[ToolCall::new("1", "count", r#"{"to":3}"#)], &context).await;
    assert_eq!(attribute(&spans[0], "error.type").as_deref(), Some("cancelled"));
}

/// <https://github.com/anthropics/claude-code/issues/34771>
#[tokio::test]
async fn the_arguments_in_a_span_have_the_keys_of_the_tool() {
    let parameters =
        serde_json::json!({ "type": "object", "properties": { "größe": { "type": "integer" } } });
    let tool = tool_runtime::DynamicTool::new("order", "", parameters, |_| async { Ok::<_, String>("ok") });
    let registry = Registry::builder().dynamic(tool).trace_content(true).build().expect("a tool");
    let span = span_of(&registry, ToolCall::new("call_1", "order", r#"{"gr__e":1}"#)).await;
    assert_eq!(attribute(&span, "gen_ai.tool.call.arguments").as_deref(), Some(r#"{"größe":1}"#));
}
