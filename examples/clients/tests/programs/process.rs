//! Running a program as a process.

use crate::program::Program;
use std::time::Duration;
use tokio::process::Command;
use tokio::time::timeout;

/// The end of a program.
pub(crate) struct Run {
    pub(crate) code: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

/// Runs a program against this server, with this time limit for a request, in seconds.
pub(crate) async fn run(program: &Program, url: &str, seconds: u32) -> Run {
    let Program { name, path, variables, base, .. } = program;
    let mut command = Command::new(path);
    command
        .env(format!("{variables}_BASE_URL"), [url, base].concat())
        .env(format!("{variables}_API_KEY"), "secret")
        .env(format!("{variables}_MODEL"), "stub-1")
        .env("LLM_MODEL", "openai/stub-1")
        .env("TIMEOUT_SECONDS", seconds.to_string())
        .kill_on_drop(true);
    for name in ["HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy", "RUST_BACKTRACE"] {
        command.env_remove(name);
    }
    let output = timeout(Duration::from_secs(60), command.output()).await;
    let output = output.unwrap_or_else(|_| panic!("{name} hangs")).expect("the program runs");
    Run {
        code: output.status.code(),
        stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
        stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
    }
}
