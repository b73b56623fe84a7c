//! Tools that log their runs, and streams with delays.

use crate::calls;
use futures_util::stream::{self, Stream, StreamExt as _};
use serde_json::{Value, json};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::time::{Instant, sleep};
use tool_runtime::message::Message;
use tool_runtime::{AssistantMessage, Registry, RegistryBuilder, ToolMessage, tool, tools};

/// A log of events, with the milliseconds since its creation.
#[derive(Clone)]
pub(crate) struct Log {
    pub(crate) since: Instant,
    lines: Arc<Mutex<Vec<String>>>,
}

impl Log {
    pub(crate) fn new() -> Self {
        Log { since: Instant::now(), lines: Arc::default() }
    }

    pub(crate) fn add(&self, what: impl std::fmt::Display) {
        let line = format!("{} {what}", self.since.elapsed().as_millis());
        self.lines.lock().expect("the lock is not poisoned").push(line);
    }

    pub(crate) fn lines(&self) -> Vec<String> {
        self.lines.lock().expect("the lock is not poisoned").clone()
    }
}

async fn takes_500_ms(tool: &str, log: &Log) {
    log.add(format_args!("{tool} starts"));
    sleep(Duration::from_millis(500)).await;
    log.add(format_args!("{tool} ends"));
}

/// Reads.
#[tool(read_only)]
async fn read(n: u8, #[state] log: &Log) -> String {
    takes_500_ms(&format!("read {n}"), log).await;
    format!("read {n}")
}

/// Sets a value; idempotent.
#[tool(idempotent)]
async fn set(n: u8, #[state] log: &Log) -> String {
    takes_500_ms(&format!("set {n}"), log).await;
    format!("set {n}")
}

/// Sends a letter; not idempotent.
#[tool]
pub(crate) async fn send(n: u8, #[state] log: &Log) -> String {
    takes_500_ms(&format!("send {n}"), log).await;
    format!("sent {n}")
}

pub(crate) fn registry(log: &Log) -> RegistryBuilder {
    Registry::builder().tools(tools![read, set, send]).state(log.clone())
}

/// A complete call.
pub(crate) fn call(n: u8, tool: &str) -> Value {
    let arguments = format!(r#"{{"n":{n}}}"#);
    calls(&[
        json!({ "index": n, "id": format!("call_{n}"), "function": { "name": tool, "arguments": arguments } }),
    ])
}

/// A stream of chunks, each after a delay in milliseconds.
pub(crate) fn paced<T>(chunks: impl IntoIterator<Item = (u64, T)>) -> impl Stream<Item = T> {
    stream::iter(chunks).then(|(pause, chunk)| async move {
        sleep(Duration::from_millis(pause)).await;
        chunk
    })
}

pub(crate) fn texts(answers: &[ToolMessage]) -> Vec<&str> {
    answers.iter().map(|answer| answer.content.as_str()).collect()
}

/// A history with this reply and its tool messages.
pub(crate) fn history_of(reply: AssistantMessage, answers: Vec<ToolMessage>) -> Vec<Message> {
    let mut messages = vec![Message::user("Go on."), reply.into()];
    messages.extend(answers.into_iter().map(Message::from));
    messages
}
