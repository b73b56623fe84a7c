//! Asks at the terminal before a destructive tool runs. A denial can have a reason; the conversation continues in
//! both cases.
//!
//! `cargo run --example approval` runs on a scripted model; `examples/src/model.rs` lists the
//! environment variables that select a server and its wire. If standard input is closed, no destructive tool runs.

use examples::model::Model;
use examples::scripted;
use examples::transcript::{Transcript, print_line};
use serde_json::Value;
use std::collections::BTreeMap;
use std::io::{self, Write as _};
use std::process::ExitCode;
use std::sync::{Mutex, PoisonError};
use tool_runtime::conversation::Ending;
use tool_runtime::dispatch::{Decision, ProposedCall};
use tool_runtime::{Conversation, Registry, tool, tools};

/// Notes by name.
struct Notes(Mutex<BTreeMap<String, String>>);

/// The names of all notes.
#[tool(read_only)]
fn list_notes(#[state] notes: &Notes) -> Vec<String> {
    notes.0.lock().unwrap_or_else(PoisonError::into_inner).keys().cloned().collect()
}

/// Delete a note permanently.
#[tool(destructive, requires_approval)]
fn delete_note(name: &str, #[state] notes: &Notes) -> Result<String, String> {
    match notes.0.lock().unwrap_or_else(PoisonError::into_inner).remove(name) {
        Some(_) => Ok(format!("the note {name} is deleted")),
        None => Err(format!("there is no note {name}")),
    }
}

/// Serializes the questions, since the hook runs concurrently for the calls of a reply.
static TERMINAL: tokio::sync::Mutex<()> = tokio::sync::Mutex::const_new(());

/// The hook. It decides only about calls that need approval.
async fn approve(call: ProposedCall) -> Decision {
    if !call.policy().requires_approval {
        return Decision::Undecided;
    }
    let _terminal = TERMINAL.lock().await;
    print_line(format_args!("\nThe model wants to run {} {}", call.tool(), shown(call.arguments().get())));
    print!("Run it? [y/N, or a reason] ");
    // Reading blocks, so it runs on a thread for blocking tasks.
    let read = tokio::task::spawn_blocking(|| {
        io::stdout().flush()?;
        let mut line = String::new();
        io::stdin().read_line(&mut line).map(|bytes| (bytes > 0).then_some(line))
    });
    let decision = match read.await {
        Ok(Ok(Some(line))) => decide(line.trim()),
        Ok(Ok(None)) => {
            print_line("");
            Decision::deny("nobody can approve it, since standard input is closed")
        }
        Ok(Err(error)) => Decision::deny(format!("nobody can approve it, since reading failed: {error}")),
        Err(_) => Decision::deny("nobody can approve it, since the program is ending"),
    };
    match &decision {
        Decision::Deny(reason) => print_line(format_args!("Denied: {reason}\n")),
        _ => print_line("Approved.\n"),
    }
    decision
}

/// The arguments on one line, with escaped control and direction characters: a person decides by the printed text.
fn shown(arguments: &str) -> String {
    let compact =
        serde_json::from_str(arguments).map_or(arguments.to_owned(), |value: Value| value.to_string());
    let is_plain = |c: char| matches!(c, '"' | '\'' | '\\') || c.escape_debug().eq([c]);
    compact
        .chars()
        .map(|c| if is_plain(c) { c.to_string() } else { c.escape_unicode().to_string() })
        .collect()
}

fn decide(line: &str) -> Decision {
    match line.to_lowercase().as_str() {
        "y" | "yes" => Decision::Run,
        "" | "n" | "no" => Decision::deny("the user denied it"),
        _ => Decision::deny(format!("the user denied it: {line}")),
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> ExitCode {
    match converse().await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("Error: {error}");
            ExitCode::FAILURE
        }
    }
}

async fn converse() -> Result<(), Box<dyn std::error::Error>> {
    let model = Model::from_env(scripted::approval::script())?;
    print_line(format_args!("Model: {model}"));
    let notes = [("draft", "Dear all,"), ("ideas", "A boat?"), ("taxes", "Keep for ten years.")];
    let notes = notes.map(|(name, text)| (name.to_owned(), text.to_owned()));
    let registry = Registry::builder()
        .tools(tools![list_notes, delete_note])
        .state(Notes(Mutex::new(notes.into())))
        .before_call(approve)
        .build()?;
    let mut transcript = Transcript::default();
    let mut chat = Conversation::new().user("Look at my notes, and delete those called draft and taxes.");
    let ending = chat
        .drive(&registry, 10, |request| {
            transcript.print(request.messages());
            model.complete(request)
        })
        .await?;
    transcript.print(chat.messages());
    match ending {
        Ending::Answered => Ok(()),
        _ => Err("the model kept calling tools for 10 replies; ask a simpler question".into()),
    }
}
