//! A shop whose worker is killed while it ships an order, and continued by another one.
//!
//! `cargo run -p tool-runtime-restate --example shop`. The program starts an engine on free ports, and itself as two workers. The model
//! is a script.

mod engine;
mod server;

use engine::Engine;
use server::{INSTALL, free_port};
use std::error::Error;
use std::process::{Child, Command};
use std::time::Duration;
use tool_runtime::conversation::Request;
use tool_runtime::message::Message;
use tool_runtime::session::Event;
use tool_runtime::{AssistantMessage, BuildError, Registry, Session, ToolCall, tool, tools};
use tool_runtime_restate::{Agent, EngineError, serve};

/// Looks up the state of an order.
#[tool(read_only)]
fn look_up(order: u32) -> String {
    format!("order {order} is paid, and not shipped")
}

/// Ships an order. It takes a while.
#[tool(destructive, timeout = "1m")]
async fn ship(order: u32) -> String {
    println!("  worker {}: ships order {order}", std::process::id());
    tokio::time::sleep(Duration::from_secs(2)).await;
    format!("order {order} is shipped")
}

/// Refunds an order.
#[tool(destructive, requires_approval, timeout = "1m")]
fn refund(order: u32) -> String {
    println!("  worker {}: refunds order {order}", std::process::id());
    format!("order {order} is refunded")
}

fn registry() -> Result<Registry, BuildError> {
    Registry::new(tools![look_up, ship, refund])
}

/// Stands for a client.
async fn complete(request: Request) -> Result<AssistantMessage, std::io::Error> {
    let replies =
        request.messages().iter().filter(|message| matches!(message, Message::Assistant(_))).count();
    let call = |id: &str, tool: &str| ToolCall::new(id, tool, r#"{"order":7}"#);
    Ok(match replies {
        0 => AssistantMessage::from_tool_calls([call("a", "look_up"), call("b", "ship")]),
        1 => AssistantMessage::from_tool_calls([call("c", "refund")]),
        _ => AssistantMessage::from_text("Order 7 is refunded. Please check whether it was shipped."),
    })
}

async fn work(address: &str) -> Result<(), Box<dyn Error>> {
    let agent = Agent::new(registry()?, complete)
        .first(|| Session::new().system("You run a shop."))
        .configure(|run| run.max_replies(20))
        .on_event(|session, event| {
            if let Event::Call(event) = event {
                println!("  {session}: {}", serde_json::to_string(event).unwrap_or_default());
            }
        });
    Ok(serve(agent.endpoint(), address.parse()?).await?)
}

/// This program as a worker.
struct Worker(Child);

impl Worker {
    fn start(address: &str) -> std::io::Result<Self> {
        Ok(Worker(Command::new(std::env::current_exe()?).arg(address).spawn()?))
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    if let Some(address) = std::env::args().nth(1) {
        return work(&address).await;
    }
    let Some(program) = server::program() else {
        println!("The engine is not installed. Install it, and run the example again: {INSTALL}.");
        return Ok(());
    };
    let mut engine = Engine::start(&program)?;
    let address = format!("127.0.0.1:{}", free_port()?);
    let first = Worker::start(&address)?;
    engine.register(&format!("http://{address}")).await?;

    let sessions = engine.sessions();
    println!("message: Ship order 7, and refund it.");
    sessions.message("s-7", "Ship order 7, and refund it.").key("message-1").await?;
    tokio::time::sleep(Duration::from_millis(1500)).await;
    println!("the worker is killed while it ships");
    drop(first);
    let _second = Worker::start(&address)?;

    let report = sessions.wait("s-7").await?;
    for call in &report.awaiting_approval {
        println!("two people approve `{call}` at once");
        let (one, two) = tokio::join!(sessions.approve("s-7", &call.id), sessions.approve("s-7", &call.id));
        for decided in [one, two] {
            match decided {
                Ok(()) => println!("  accepted"),
                Err(EngineError::Conflict(reason)) => println!("  conflict: {reason}"),
                Err(error) => return Err(error.into()),
            }
        }
    }
    println!("answer: {}", sessions.wait("s-7").await?.text);
    Ok(())
}
