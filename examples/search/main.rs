//! A model with 300 tools, of which each request contains two: it searches for the others.
//!
//! `cargo run --example search` runs on a scripted model; `examples/src/model.rs` lists the environment variables that select a
//! server and its wire. `cargo run --example search -- tools.jsonl "create an issue"` prints the result of a search among the
//! definitions of a file, with one definition of an MCP server in each line.

mod definitions;

use examples::model::Model;
use examples::scripted;
use examples::transcript::{Transcript, print_line};
use serde_json::json;
use std::error::Error;
use std::process::ExitCode;
use tool_runtime::search::Search;
use tool_runtime::session::RunEnd;
use tool_runtime::{DynamicTool, Registry, RegistryBuilder, Session};

#[tokio::main(flavor = "current_thread")]
async fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let ended = match &*arguments {
        [] => converse().await,
        [path, query @ ..] if !query.is_empty() => print_matches(path, &query.join(" ")).await,
        _ => Err("pass nothing, or a file of definitions and a query".into()),
    };
    match ended {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("Error: {error}");
            ExitCode::FAILURE
        }
    }
}

/// A registry with a search among these tools. A remote server may define tools that no registry accepts: they are skipped.
fn registry(tools: Vec<DynamicTool>, search: Search) -> Result<Registry, Box<dyn Error>> {
    let builder = Registry::builder().rename_invalid_names(true).skip_invalid_tools(true).search(search);
    let registry = tools.into_iter().fold(builder, RegistryBuilder::dynamic).build()?;
    for skipped in registry.skipped_tools() {
        eprintln!("Warning: {skipped}");
    }
    let bytes = |schemas| serde_json::to_string(&schemas).map(|json| json.len());
    print_line(format_args!(
        "{} tools: a request has {} bytes of definitions, instead of {}.",
        registry.deferred_schemas().len(),
        bytes(registry.schemas())?,
        bytes(registry.deferred_schemas())?,
    ));
    Ok(registry)
}

async fn print_matches(path: &str, query: &str) -> Result<(), Box<dyn Error>> {
    let registry = registry(definitions::from_file(path)?, Search::new())?;
    let result = registry.call("search_tools", json!({ "query": query })).await;
    print_line(format_args!("\n{}", result.text()));
    Ok(())
}

async fn converse() -> Result<(), Box<dyn Error>> {
    let model = Model::from_env(scripted::search::script())?;
    print_line(format_args!("Model: {model}"));
    let search = Search::new().subject("issues, files, messages and other data of a team");
    let registry = registry(definitions::of_services(), search)?;
    let mut transcript = Transcript::default();
    let mut session = Session::new()
        .system("You manage the data of a team. Search for the tools that you need.")
        .user("Create an issue with the title \"Broken link\" on GitHub, and tell Ada about it on Slack.");
    let run = session.run(&registry).complete(|request| {
        transcript.print(request.messages());
        model.complete(request)
    });
    let end = run.await?;
    transcript.print(session.messages());
    match end {
        RunEnd::Answered => Ok(()),
        end => Err(format!("there is no answer: {end}").into()),
    }
}
