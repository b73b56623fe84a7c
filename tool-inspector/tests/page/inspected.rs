//! The program whose page the tests open: `inspected [--port PORT] [--tools COUNT] [--messages COUNT] [--lock FILE]`.
//!
//! Its tools have each kind of parameter, stage and result; some names, descriptions and results are hostile. `--tools` adds further
//! tools, and `--messages` a stored session of this length.

mod hostile;
mod sessions;
mod tools;

use sessions::TestSessions;
use std::env::args;
use std::error::Error;
use tokio::net::TcpListener;
use tool_runtime::message::Prices;
use tool_runtime_inspector::{Inspector, LiveRuns};

#[derive(Default)]
struct Options {
    port: u16,
    tools: usize,
    messages: usize,
    lock: Option<String>,
}

fn parse() -> Result<Options, Box<dyn Error>> {
    let mut options = Options::default();
    let mut args = args().skip(1);
    while let Some(name) = args.next() {
        let value = args.next().ok_or_else(|| format!("{name} needs a value"))?;
        match &*name {
            "--port" => options.port = value.parse()?,
            "--tools" => options.tools = value.parse()?,
            "--messages" => options.messages = value.parse()?,
            "--lock" => options.lock = Some(value),
            _ => return Err(format!("there is no option {name}").into()),
        }
    }
    Ok(options)
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let options = parse()?;
    let registry = tools::registry(options.tools)?;
    let runs = LiveRuns::new();
    sessions::start_live_run(&registry, &runs);
    let mut inspector = Inspector::new(&registry)
        .title("Test <program>")
        .sessions(TestSessions::new(&registry, options.messages).await?)
        .live_runs(&runs)
        .prices(Prices::per_million(3.0, 15.0).cached_input(0.3));
    if let Some(lock) = options.lock {
        inspector = inspector.lock_file(lock);
    }
    let listener = TcpListener::bind(("127.0.0.1", options.port)).await?;
    println!("http://{}/", listener.local_addr()?);
    Ok(inspector.serve_listener(listener).await?)
}
