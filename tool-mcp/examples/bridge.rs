//! One MCP server with the tools of several: `bridge PREFIX=COMMAND ..`.
//!
//! `cargo run -p tool-runtime-mcp --features client,server --example bridge -- "time=uvx mcp-server-time"` is a server over
//! standard input and output with the tools of `mcp-server-time`, named `time_..`. When a server changes its tools, so does
//! the bridge. Tools that do not declare `read_only` need approval. Nobody approves calls here, so they are errors, unless
//! the environment variable `ALLOW_WRITES` is set.

use std::error::Error;
use tokio::task::JoinSet;
use tool_runtime::{Registry, tools};
use tool_runtime_mcp::{Client, ServerHandle, serve};

const USAGE: &str = "usage: bridge PREFIX=COMMAND ..";

async fn connect(argument: &str) -> Result<Client, Box<dyn Error>> {
    let (prefix, command) = argument.split_once('=').ok_or(USAGE)?;
    let mut words = command.split_whitespace();
    let client = Client::program(words.next().unwrap_or_default(), words).prefix(format!("{prefix}_"));
    let may_write = std::env::var_os("ALLOW_WRITES").is_some();
    let client = client.tool(move |remote, tool| {
        if may_write || remote.annotations().is_read_only() { tool } else { tool.requires_approval() }
    });
    Ok(client.connect().await?)
}

/// The tools of all servers.
async fn join(clients: &[Client]) -> Result<Registry, Box<dyn Error>> {
    let mut registry = Registry::new(tools![])?;
    for client in clients {
        let remote = client.registry().await?;
        for skipped in remote.skipped_tools() {
            eprintln!("{skipped}");
        }
        registry = registry.merge(remote)?;
    }
    Ok(registry)
}

/// Serves the new tools whenever a server has changed them.
async fn follow(clients: Vec<Client>, server: ServerHandle) {
    loop {
        let changed = |client: Client| async move { client.changed().await };
        clients.iter().cloned().map(changed).collect::<JoinSet<()>>().join_next().await;
        match join(&clients).await {
            Ok(registry) => server.replace(registry),
            Err(error) => eprintln!("{error}"),
        }
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let mut clients = Vec::new();
    for argument in std::env::args().skip(1) {
        clients.push(connect(&argument).await?);
    }
    if clients.is_empty() {
        return Err(USAGE.into());
    }
    let server = serve(join(&clients).await?).name("bridge", env!("CARGO_PKG_VERSION"));
    tokio::spawn(follow(clients, server.handle()));
    Ok(server.stdio().await?)
}
