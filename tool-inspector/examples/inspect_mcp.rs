//! A page for the tools of an MCP server, which this program starts:
//!
//! `cargo run -p tool-runtime-inspector --example inspect_mcp -- npx -y @modelcontextprotocol/server-everything`

use std::env::args;
use std::error::Error;
use std::process::ExitCode;
use tool_runtime_inspector::Inspector;
use tool_runtime_mcp::Client;

#[tokio::main]
async fn main() -> ExitCode {
    match inspect().await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

async fn inspect() -> Result<(), Box<dyn Error>> {
    let mut arguments = args().skip(1);
    let program = arguments.next().ok_or("usage: inspect_mcp PROGRAM [ARGUMENT]..")?;
    // The annotations are statements of the server. Without them, each call asks first.
    let client = Client::program(&program, arguments).ignore_annotations(true).connect().await?;
    let registry = client.registry().await?;
    println!("Open http://127.0.0.1:4000 and press Ctrl-C to stop.");
    Ok(Inspector::new(&registry).title(program).serve("127.0.0.1:4000").await?)
}
