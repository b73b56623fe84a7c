//! Errors whose sources cannot be read to their end.

use crate::{count, span_of};
use opentelemetry::trace::{Status, TracerProvider as _};
use opentelemetry_sdk::trace::{InMemorySpanExporter, SdkTracerProvider};
use std::fmt;
use tool_runtime::{Registry, ToolCall, tool, tools};
use tracing_subscriber::layer::SubscriberExt as _;

/// An error whose `source` panics.
#[derive(Debug)]
struct PanickingSource;

impl fmt::Display for PanickingSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("trapped")
    }
}
impl std::error::Error for PanickingSource {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        panic!("as planned")
    }
}

/// An error that is its own source.
#[derive(Debug)]
struct CyclicSource;

impl fmt::Display for CyclicSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("and so on")
    }
}
impl std::error::Error for CyclicSource {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        Some(&CyclicSource)
    }
}

/// Fails with an error that is its own source.
#[tool]
fn fails_with_cyclic_source() -> Result<(), CyclicSource> {
    Err(CyclicSource)
}

#[tokio::test]
async fn a_cyclic_source_chain_of_an_error_is_traced_to_a_limited_depth() {
    let builder = Registry::builder().tools(tools![fails_with_cyclic_source]);
    let registry = builder.trace_content(true).build().expect("a registry");
    let span = span_of(&registry, ToolCall::new("1", "fails_with_cyclic_source", "")).await;
    assert_eq!(span.status, Status::error("and so on"));
}

/// Fails with an error whose `source` panics.
#[tool]
fn fails_with_panicking_source() -> Result<(), PanickingSource> {
    Err(PanickingSource)
}

#[tokio::test]
async fn an_error_whose_source_panics_is_still_sent_to_the_model() {
    let builder = Registry::builder().tools(tools![fails_with_panicking_source, count]);
    let registry = builder.trace_content(true).build().expect("a registry");
    let span = span_of(&registry, ToolCall::new("1", "fails_with_panicking_source", "")).await;
    assert_eq!(span.status, Status::error("trapped"));
    assert_eq!(span.events.len(), 1, "the failure is traced without its sources");
    let _collecting = tracing::subscriber::set_default(
        tracing_subscriber::registry().with(
            tracing_opentelemetry::layer().with_tracer(
                SdkTracerProvider::builder()
                    .with_simple_exporter(InMemorySpanExporter::default())
                    .build()
                    .tracer("tests"),
            ),
        ),
    );
    let calls =
        [ToolCall::new("1", "fails_with_panicking_source", ""), ToolCall::new("2", "count", r#"{"to":3}"#)];
    let answers = registry.dispatch(&calls).await;
    assert_eq!([answers[0].content.as_str(), answers[1].content.as_str()], ["Error: trapped", "3"]);
}
