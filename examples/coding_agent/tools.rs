//! The tools of the agent, and its prompts.

use examples::model::Model;
use std::{error::Error, fs, path::PathBuf, process::Stdio};
use tokio::io::AsyncReadExt as _;
use tokio::process::{Child, Command};
use tool_runtime::message::Message;
use tool_runtime::session::{Budget, RunEnd, Session};
use tool_runtime::{BuildError, Registry, tool, tools};
use tool_runtime_compaction::{Compaction, Spill, SpillResults as _, estimated_tokens};

type AnyError = Box<dyn Error + Send + Sync>;

pub(crate) const PROMPT: &str = "You are a coding agent. You work in one folder, with tools that read and edit its files and \
    run commands. Read a file before you edit it, and run the tests after a change. Paths are relative to the folder. The \
    user may deny a call, with a reason, and may send messages while you work. Answer briefly when the task is done.";

const SUMMARY_PROMPT: &str = "Summarise these messages for the agent that continues the work: the task, the decisions of the \
    user, the changes so far with their files, and the next steps.";

/// The bytes of the output of a command that are read; a command that writes more is stopped.
const MAX_OUTPUT: u64 = 10_000_000;

pub(crate) fn registry(workspace: PathBuf, spill: Spill) -> Result<Registry, BuildError> {
    let builder = Registry::builder().tools(tools![read, edit, run]).state(Workspace(workspace));
    builder.spill(spill).ordered_effects(true).build()
}

pub(crate) fn compaction<'a>(model: &'a Model, budget: &'a Budget) -> Compaction<'a> {
    let compaction = Compaction::above(100_000, estimated_tokens).down_to(40_000);
    compaction.summarise(|removed| summarise(model, budget, removed))
}

async fn summarise(model: &Model, budget: &Budget, removed: Vec<Message>) -> Result<String, AnyError> {
    let mut session = Session::new().system(SUMMARY_PROMPT).user(serde_json::to_string(&removed)?);
    let registry = Registry::new(tools![])?;
    match session.run(&registry).budget(budget).complete(|request| model.complete(request)).await? {
        RunEnd::Answered => Ok(session.final_text().to_owned()),
        end => Err(format!("there is no summary: {end}").into()),
    }
}

/// The folder in which the agent works.
struct Workspace(PathBuf);

impl Workspace {
    /// The path of a file or folder in the workspace, also if links lead there.
    fn path(&self, path: &str) -> Result<PathBuf, String> {
        let found = self.0.join(path).canonicalize().map_err(|error| format!("{path}: {error}"))?;
        let is_inside = found.starts_with(&self.0);
        is_inside.then_some(found).ok_or_else(|| format!("{path} is outside of the workspace"))
    }
}

/// Read a text file, or list a folder.
#[tool(read_only)]
fn read(
    /// Relative to the workspace; "." is the workspace itself.
    path: &str,
    #[state] workspace: &Workspace,
) -> Result<String, AnyError> {
    let path = workspace.path(path)?;
    if !path.is_dir() {
        return Ok(fs::read_to_string(path)?);
    }
    let mut names = Vec::new();
    for entry in fs::read_dir(path)? {
        let entry = entry?;
        let end = if entry.file_type()?.is_dir() { "/" } else { "" };
        names.push(entry.file_name().to_string_lossy().into_owned() + end);
    }
    names.sort();
    Ok(names.join("\n"))
}

/// Replace a part of a text file. To create a file, run a command.
#[tool(destructive, requires_approval)]
fn edit(
    path: &str,
    /// The text to replace, which must occur exactly once in the file, with its white space.
    old: &str,
    new: &str,
    #[state] workspace: &Workspace,
) -> Result<String, AnyError> {
    let file = workspace.path(path)?;
    let text = fs::read_to_string(&file)?;
    match text.matches(old).count() {
        1 => fs::write(&file, text.replacen(old, new, 1))?,
        0 => return Err(format!("`old` does not occur in {path}; read the file again").into()),
        count => return Err(format!("`old` occurs {count} times in {path}; add lines around it").into()),
    }
    Ok(format!("{path} is changed"))
}

/// Run a shell command in the workspace, without standard input.
#[tool(destructive, open_world, requires_approval, timeout = "120s")]
async fn run(command: &str, #[state] workspace: &Workspace) -> Result<String, std::io::Error> {
    let mut shell = Command::new("sh");
    shell.args(["-c", "exec 2>&1; eval \"$1\"", "sh", command]).current_dir(&workspace.0);
    shell.stdin(Stdio::null()).stdout(Stdio::piped()).kill_on_drop(true);
    #[cfg(unix)]
    shell.process_group(0); // Ctrl-C in the terminal is for the agent
    let mut processes = Processes(shell.spawn()?);
    let mut output = Vec::new();
    if let Some(stdout) = processes.0.stdout.take() {
        stdout.take(MAX_OUTPUT).read_to_end(&mut output).await?;
    }
    let status = processes.0.wait().await?;
    Ok(format!("{status}\n{}", String::from_utf8_lossy(&output)))
}

/// The processes of a command. If the time limit or Ctrl-C drops the future of the tool, they end.
struct Processes(Child);

impl Drop for Processes {
    fn drop(&mut self) {
        // Without an id, the shell has ended. Without a program `kill`, only the shell ends.
        if let Some(id) = self.0.id() {
            let mut kill = std::process::Command::new("kill");
            let _ = kill.args(["-KILL", "--", &format!("-{id}")]).stderr(Stdio::null()).status();
        }
    }
}
