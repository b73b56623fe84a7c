//! A long session: stored and loaded, compared with serde of its messages, and the memory that a reply allocates.
//!
//! `cargo bench -p tool-runtime --bench sessions`

mod medians;

use allocation_counter::measure;
use futures_util::FutureExt as _;
use serde_json::Value;
use std::error::Error;
use std::future::ready;
use std::hint::black_box;
use tool_runtime::conversation::Request;
use tool_runtime::message::Message;
use tool_runtime::session::RunEnd;
use tool_runtime::{AssistantMessage, Conversation, Registry, Session, ToolCall, ToolMessage, tool, tools};

/// The maximum time to store and load a session, as a multiple of serde of its messages.
const MAX_RATIO: f64 = 3.0;
/// The maximum of the memory of all messages that a run allocates for each reply.
const MAX_ALLOCATED: f64 = 0.01;

/// The weather of a city.
#[tool(read_only)]
fn get_weather(city: &str) -> String {
    format!("{city}: 25 degrees and sunny, for three days")
}

fn call(id: usize) -> ToolCall {
    ToolCall::new(format!("call_{id}"), "get_weather", r#"{"city":"Beijing"}"#)
}

/// Exchanges of four messages: a question, a call, its result, an answer.
fn history(messages: usize) -> Vec<Message> {
    let exchange = |id: usize| {
        [
            Message::user("How will the weather be in Beijing?"),
            AssistantMessage::from_tool_calls(vec![call(id)]).into(),
            ToolMessage::new(format!("call_{id}"), "Beijing: 25 degrees and sunny, for three days").into(),
            Message::assistant("It will be sunny."),
        ]
    };
    (0..messages / 4).flat_map(exchange).collect()
}

/// A model that calls the tool in this number of replies, and then answers.
async fn run(session: &mut Session, registry: &Registry, replies: usize) -> RunEnd {
    let mut sent = 0;
    let complete = |_: Request| {
        sent += 1;
        ready(Ok::<_, ()>(match sent {
            sent if sent <= replies => AssistantMessage::from_tool_calls(vec![call(1_000_000 + sent)]),
            _ => AssistantMessage::from_text("It will be sunny."),
        }))
    };
    session.run(registry).max_replies(replies + 1).complete(complete).await.unwrap_or(RunEnd::Cancelled)
}

fn main() -> Result<(), Box<dyn Error>> {
    let messages = history(10_000);
    let session = Session::from(Conversation::try_from(messages.clone())?);
    let (text, stored) = (serde_json::to_string(&messages)?, serde_json::to_string(&session)?);
    println!("{} messages: {} bytes, stored {} bytes", messages.len(), text.len(), stored.len());
    let [serde, value, session_time] = medians::measure([
        &mut || {
            drop(black_box(serde_json::to_string(&messages)));
            drop(black_box(serde_json::from_str::<Vec<Message>>(&text)));
        },
        &mut || drop(black_box(serde_json::from_str::<Value>(&text).map(|value| value.to_string()))),
        &mut || {
            drop(black_box(serde_json::to_string(&session)));
            drop(black_box(serde_json::from_str::<Session>(&stored)));
        },
    ]);
    let ratio = session_time / serde;
    println!("stored and loaded: {:.1} ms", session_time / 1e6);
    println!("  to serde of its messages: {ratio:.2} (at most {MAX_RATIO})");
    println!("  to a `serde_json::Value` of its messages: {:.2}", session_time / value);

    let registry = Registry::new(tools![get_weather])?;
    let copied = measure(|| drop(black_box(messages.clone()))).bytes_total;
    let mut session = session;
    session.push_user("And now?");
    // The vector of the messages has grown, and the ids of the session are known.
    assert_eq!(run(&mut session, &registry, 10).now_or_never(), Some(RunEnd::Answered));
    session.push_user("And now?");
    let replies = 100;
    let mut end = None;
    let run = measure(|| end = run(&mut session, &registry, replies).now_or_never());
    assert_eq!(end, Some(RunEnd::Answered));
    #[expect(clippy::cast_precision_loss, reason = "the numbers are small")]
    let allocated = run.bytes_total as f64 / (replies + 1) as f64 / copied as f64;
    println!(
        "allocated per reply: {:.3} % of the messages (at most {} %)",
        allocated * 100.0,
        MAX_ALLOCATED * 100.0
    );
    if ratio <= MAX_RATIO && allocated <= MAX_ALLOCATED {
        Ok(())
    } else {
        Err("a figure is over its budget".into())
    }
}
