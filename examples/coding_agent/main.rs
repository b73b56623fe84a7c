//! A coding agent in a terminal. Before it edits a file or runs a command, it asks. Lines that the user types while it works reach
//! it before its next request, and Ctrl-C stops it.
//!
//! `cargo run --example coding_agent -- FOLDER` works in this folder and stores the session there; `--continue` after the folder
//! continues it. `examples/src/model.rs` lists the environment variables that select a server and its wire.

mod terminal;
mod tools;

use examples::model::{Model, ModelError};
use std::{error::Error, fs, path::Path, process::ExitCode};
use terminal::{Terminal, print, print_first_line};
use tool_runtime::dispatch::CallStatus;
use tool_runtime::session::{Budget, Event, HookError, RunEnd};
use tool_runtime::{RunContext, Session};
use tool_runtime_compaction::Spill;

/// A workspace has one session.
const RUN_ID: &str = "session";

#[tokio::main(flavor = "current_thread")]
async fn main() -> ExitCode {
    let ended = converse().await.inspect_err(|error| eprintln!("Error: {error}"));
    ExitCode::from(u8::from(ended.is_err()))
}

async fn converse() -> Result<(), Box<dyn Error + Send + Sync>> {
    let (workspace, is_continued) = terminal::arguments()?;
    let model = Model::from_env(examples::scripted::coding_agent::script())?;
    print(format_args!("Model: {model}\n"));
    let file = workspace.join(".coding_agent/session.json");
    let spill = Spill::folder(workspace.join(".coding_agent/results"))?.above(8_000);
    let registry = tools::registry(workspace, spill.clone())?.with(&RunContext::new().run_id(RUN_ID));
    let budget = Budget::new().tokens(2_000_000).calls(500);
    let mut session = Session::new().system(tools::PROMPT);
    if is_continued {
        let stored = fs::read(&file).map_err(|error| format!("{}: {error}", file.display()))?;
        session = serde_json::from_slice(&stored)?;
    } else {
        spill.remove_run(RUN_ID).await?; // the results of the session that this one replaces
    }
    let (inbox, mut terminal) = (session.inbox(), Terminal::open());
    let mut goes_on = session.messages().len() > 1 || ask(&mut session, &mut terminal).await?;
    while goes_on {
        let run = session.run(&registry).max_replies(100).max_identical_calls(8).budget(&budget);
        let run =
            run.compact(tools::compaction(&model, &budget)).classify_error(ModelError::kind).on_event(show);
        let run = run.continue_with_inbox().cancel_on(terminal.until_ctrl_c(|line| inbox.push_user(line)));
        let run = run.store(|session: &Session| store(&file, session));
        match run.stream(|request| model.stream(request)).await {
            Ok(RunEnd::Answered | RunEnd::NeedsApproval) => {}
            Ok(end) => print(format_args!("\nThere is no answer: {end}.\n")),
            Err(error) => print(format_args!("\nError: {error}\n")),
        }
        goes_on = ask(&mut session, &mut terminal).await?;
    }
    store(&file, &session)?;
    print("\nThe session is stored: --continue continues it.\n");
    Ok(())
}

/// Asks about the calls that wait for an approval, or else for a message. `false` if the user leaves.
async fn ask(session: &mut Session, terminal: &mut Terminal) -> Result<bool, Box<dyn Error + Send + Sync>> {
    let calls = session.awaiting_approval();
    for call in &calls {
        terminal.typed_before(|line| session.inbox().push_user(line)); // such a line is no approval
        let question = format!("\n{call}\nRun it? [y, n, a reason, or other arguments as JSON] ");
        let Some(line) = terminal.ask(question).await else { return Ok(false) };
        match line.trim() {
            "y" => session.approve(&call.id)?,
            "" | "n" => session.deny(&call.id, "the user denied it")?,
            arguments if arguments.starts_with('{') => session.approve_with(&call.id, arguments)?,
            reason => session.deny(&call.id, format!("the user denied it: {reason}"))?,
        }
    }
    if calls.is_empty() {
        let Some(line) = terminal.ask("\n> ").await else { return Ok(false) };
        if !line.trim().is_empty() {
            session.push_user(line); // without a message, the next run continues the last one
        }
    }
    Ok(true)
}

fn show(event: &Event) {
    match event {
        Event::Text { text, .. } => print(text),
        Event::Warning { text, .. } => print(format_args!("\nWarning: {text}\n")),
        Event::Compacted { .. } => print("\n(older messages are shortened)\n"),
        Event::Call(call) => match &call.status {
            CallStatus::Started { arguments, .. } => print(format_args!("\n{} {arguments}\n", call.tool)),
            CallStatus::Finished { result, .. } => print_first_line(&result.text()),
            _ => {}
        },
        _ => {}
    }
}

/// Replaces the stored session in one step, so that a crash leaves the old one or the new one.
fn store(file: &Path, session: &Session) -> Result<(), HookError> {
    let written = file.with_extension("new");
    fs::write(&written, serde_json::to_vec(session)?)?;
    Ok(fs::rename(written, file)?)
}
