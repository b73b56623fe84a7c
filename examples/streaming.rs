//! Prints a reply while it arrives. Tools that are `read_only` or `idempotent` run before the end of the reply; tools
//! with side effects run after it.
//!
//! `cargo run --example streaming` runs on a scripted model; `examples/src/model.rs` lists the
//! environment variables that select a server and its wire.

use examples::model::Model;
use examples::scripted;
use examples::transcript::print_line;
use std::error::Error;
use std::process::ExitCode;
use std::sync::mpsc;
use std::time::{Duration, Instant};
use tool_runtime::conversation::Received;
use tool_runtime::dispatch::Decision;
use tool_runtime::stream::Event;
use tool_runtime::{Conversation, Registry, tool};

/// Look up the weather of a city.
#[tool(read_only)]
async fn get_weather(city: &str) -> Result<String, String> {
    tokio::time::sleep(Duration::from_millis(300)).await; // stands for a request to a weather service
    match city {
        "Beijing" => Ok("sunny in Beijing".to_owned()),
        "Shanghai" => Ok("light rain in Shanghai".to_owned()),
        "Reykjavik" => Ok("windy in Reykjavik".to_owned()),
        _ => Err(format!("no weather station in {city}; try Beijing, Shanghai or Reykjavik")),
    }
}

/// Remind the user of something.
#[tool]
fn remind(text: &str) -> String {
    format!("reminder set: {text}")
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> ExitCode {
    match converse().await {
        Ok(chat) => {
            print_line(format_args!("\n{}", chat.final_text()));
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("Error: {error}");
            ExitCode::FAILURE
        }
    }
}

async fn converse() -> Result<Conversation, Box<dyn Error>> {
    let model = Model::from_env(scripted::streaming::script())?;
    print_line(format_args!("Model: {model}"));
    let (started, starts) = mpsc::channel();
    // The hook runs when a call starts; here, it only records the time.
    let registry = Registry::builder().collect().before_call(move |call| {
        let _ = started.send((format!("{}({})", call.context().tool(), call.arguments()), Instant::now()));
        async { Decision::Undecided }
    });
    let registry = registry.build()?;
    let mut chat = Conversation::new().user(
        "What is the weather in Beijing, Shanghai and Reykjavik? Remind me of an umbrella where it rains.",
    );
    for _ in 0..10 {
        let (begun, mut ended) = (Instant::now(), Instant::now());
        let chunks = model.stream(chat.request(&registry)).await?;
        let dispatched = registry.dispatch_stream_events(chunks, |event| {
            ended = Instant::now();
            show(ended - begun, event);
        });
        let (reply, results) = match dispatched.await {
            Ok(complete) => complete,
            // Without calls, no tool ran, and the request can be repeated.
            Err(interrupted) if interrupted.partial().1.is_empty() => return Err(interrupted.into()),
            // Each call has its result: the model continues from there.
            Err(interrupted) => interrupted.into_partial(),
        };
        for (call, start) in starts.try_iter() {
            let (before, after) =
                (ended.saturating_duration_since(start), start.saturating_duration_since(ended));
            print_line(match after {
                Duration::ZERO => {
                    format!("{call} started {:.2} s before the reply ended", before.as_secs_f64())
                }
                after => format!("{call} started {:.2} s after the reply ended", after.as_secs_f64()),
            });
        }
        match chat.receive(reply) {
            Received::Answer(done) => {
                done.warnings().iter().for_each(|warning| eprintln!("Warning: {warning}"));
                return Ok(done);
            }
            Received::ToolCalls(mut pending) => {
                pending.add_results(results)?;
                chat = pending.dispatch(&registry).await;
            }
        }
    }
    Err("the model kept calling tools for 10 replies; ask a simpler question".into())
}

fn show(since: Duration, event: Event<'_>) {
    let what = match event {
        Event::Text(piece) => format!("text       {piece:?}"),
        Event::Reasoning(piece) => format!("reasoning  {piece:?}"),
        Event::CallStarted { index, tool, .. } => format!("call {index}     {tool}"),
        Event::Arguments { index, partial, .. } => format!("call {index}     {partial}"),
        Event::CallComplete { index, call, .. } => format!("call {index}     {} is complete", call.name),
        Event::Finished { .. } => "the reply has ended".to_owned(),
        Event::Failed(error) => format!("the reply was interrupted: {error}"),
        _ => return,
    };
    print_line(format_args!("{:5.2} s  {what}", since.as_secs_f64()));
}
