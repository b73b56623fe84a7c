//! Asks at the terminal before a destructive tool runs: a run ends when a call needs approval, and the next run continues
//! with the decisions. A denial can have a reason.
//!
//! `cargo run --example approval` runs on a scripted model; `examples/src/model.rs` lists the
//! environment variables that select a server and its wire. If standard input is closed, no destructive tool runs.

use examples::model::Model;
use examples::scripted;
use examples::transcript::{Transcript, print_line};
use std::collections::BTreeMap;
use std::io::{self, Write as _};
use std::process::ExitCode;
use std::sync::{Mutex, PoisonError};
use tool_runtime::session::{RunEnd, WaitingCall};
use tool_runtime::{Registry, Session, tool, tools};

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

/// Asks a person whether the call may run. The error is the reason for the model.
fn ask(call: &WaitingCall) -> Result<(), String> {
    // The text of the call escapes control and direction characters: a person decides by the printed text.
    print_line(format_args!("\nThe model wants to run {call}"));
    print!("Run it? [y/N, or a reason] ");
    let mut line = String::new();
    let read = io::stdout().flush().and_then(|()| io::stdin().read_line(&mut line));
    match (read, line.trim()) {
        (Err(error), _) => Err(format!("nobody can approve it, since reading failed: {error}")),
        (Ok(0), _) => Err("nobody can approve it, since standard input is closed".to_owned()),
        (_, line) => match &*line.to_lowercase() {
            "y" | "yes" => Ok(()),
            "" | "n" | "no" => Err("the user denied it".to_owned()),
            _ => Err(format!("the user denied it: {line}")),
        },
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
    let registry =
        Registry::builder().tools(tools![list_notes, delete_note]).state(Notes(Mutex::new(notes.into())));
    let registry = registry.build()?;
    let mut transcript = Transcript::default();
    let mut session = Session::new().user("Look at my notes, and delete those called draft and taxes.");
    loop {
        let run = session.run(&registry).complete(|request| {
            transcript.print(request.messages());
            model.complete(request)
        });
        match run.await? {
            RunEnd::NeedsApproval => {}
            RunEnd::Answered => break,
            end => return Err(format!("there is no answer: {end}; ask a simpler question").into()),
        }
        for call in session.awaiting_approval() {
            match ask(&call) {
                Ok(()) => {
                    print_line("Approved.\n");
                    session.approve(&call.id)?;
                }
                Err(reason) => {
                    print_line(format_args!("Denied: {reason}\n"));
                    session.deny(&call.id, reason)?;
                }
            }
        }
    }
    transcript.print(session.messages());
    Ok(())
}
