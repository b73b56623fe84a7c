//! The costs of a session on the engine, and of the same session with a journal in a file: `cargo bench -p tool-runtime-restate`. The
//! ratios are those of the fastest times.

#[path = "../tests/restate/engine.rs"]
#[expect(dead_code, reason = "the tests use the rest")]
mod engine;
#[path = "../tests/restate/process.rs"]
#[expect(dead_code, reason = "the tests use the rest")]
mod process;
#[path = "../examples/shop/server.rs"]
mod server;

use engine::{Engine, Settings};
use std::convert::Infallible;
use std::time::{Duration, Instant};
use tool_runtime::conversation::Request;
use tool_runtime::message::Message;
use tool_runtime::{AssistantMessage, BuildError, Registry, RunContext, Session, ToolCall, tool, tools};
use tool_runtime_durable::{DurableRun as _, FileJournal};
use tool_runtime_restate::{Agent, Sessions, serve};

const TIMES: usize = 15;
const REPLIES: u32 = 20;

/// Reads a number.
#[tool(read_only)]
fn read(number: u32) -> u32 {
    number
}

/// Writes a number.
#[tool(destructive)]
fn write(number: u32) -> u32 {
    number
}

fn registry() -> Result<Registry, BuildError> {
    Registry::new(tools![read, write])
}

/// The user's message has the number of replies with calls, the calls of each, and the tool.
async fn complete(request: Request) -> Result<AssistantMessage, Infallible> {
    let mut words = request.messages()[0].text().split(' ');
    let mut number = || words.next().and_then(|word| word.parse().ok()).unwrap_or(0_usize);
    let (all, calls) = (number(), number());
    let tool = words.next().unwrap_or_default();
    let replies =
        request.messages().iter().filter(|message| matches!(message, Message::Assistant(_))).count();
    if replies >= all {
        return Ok(AssistantMessage::from_text("The end"));
    }
    let call = |position| ToolCall::new(format!("call_{position}"), tool, r#"{"number":7}"#);
    Ok(AssistantMessage::from_tool_calls((0..calls).map(call)))
}

struct Times(Vec<Duration>);

impl Times {
    fn fastest(&self) -> Duration {
        self.0.iter().copied().min().unwrap_or_default()
    }

    fn median(&mut self) -> Duration {
        self.0.sort_unstable();
        self.0[self.0.len() / 2]
    }
}

async fn on_engine(sessions: &Sessions, text: &str, replies: u32) -> Times {
    let mut times = Vec::new();
    for _ in 0..TIMES {
        let id = format!("{:x}", fastrand::u64(..));
        let started = Instant::now();
        sessions.message(&id, text).await.expect("the engine responds");
        assert_eq!(sessions.wait(&id).await.expect("the engine responds").text, "The end");
        times.push(started.elapsed() / replies);
    }
    Times(times)
}

async fn in_file(journal: &FileJournal, registry: &Registry, text: &str, replies: u32) -> Times {
    let mut times = Vec::new();
    for _ in 0..TIMES {
        let registry = registry.with(&RunContext::new().run_id(format!("{:x}", fastrand::u64(..))));
        let mut session = Session::new().user(text);
        let started = Instant::now();
        let end = session.run(&registry).journal(journal).complete(complete).await;
        assert!(end.is_ok() && session.final_text() == "The end");
        times.push(started.elapsed() / replies);
    }
    Times(times)
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let Some(program) = server::program() else {
        println!("skipped: the engine is not installed ({})", server::INSTALL);
        return Ok(());
    };
    let folder = tempfile::tempdir()?;
    let engine = Engine::start(&program, folder.path(), Settings::default()).await;
    let worker = format!("127.0.0.1:{}", server::free_port()?);
    let (endpoint, address) = (Agent::new(registry()?, complete).endpoint(), worker.parse()?);
    tokio::spawn(async move { serve(endpoint, address).await.expect("the address is free") });
    engine.register(&format!("http://{worker}")).await;
    let (journal, registry) = (FileJournal::open(folder.path().join("journal"))?, registry()?);
    println!("| per reply | engine, fastest | median | file, fastest | median | ratio |");
    println!("| --- | --- | --- | --- | --- | --- |");
    for (name, text, replies) in [
        ("an answer", "0 0 read".to_owned(), 1),
        ("a reply with 1 read_only call", format!("{REPLIES} 1 read"), REPLIES),
        ("a reply with 1 destructive call", format!("{REPLIES} 1 write"), REPLIES),
        ("a reply with 8 read_only calls", format!("{REPLIES} 8 read"), REPLIES),
        ("a reply with 8 destructive calls", format!("{REPLIES} 8 write"), REPLIES),
    ] {
        let mut engine = on_engine(&engine.sessions(), &text, replies).await;
        let mut file = in_file(&journal, &registry, &text, replies).await;
        let ratio = engine.fastest().as_secs_f64() / file.fastest().as_secs_f64();
        println!(
            "| {name} | {:.2?} | {:.2?} | {:.2?} | {:.2?} | {ratio:.0} |",
            engine.fastest(),
            engine.median(),
            file.fastest(),
            file.median()
        );
    }
    Ok(())
}
