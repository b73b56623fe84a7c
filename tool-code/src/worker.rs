//! Programs in processes of their own.

mod message;
mod serve;

pub use serve::serve_worker;

use crate::engine::{Declaration, Engine, EngineFuture, Host, Program, ProgramEnd};
use crate::limits::Limits;
use crate::quick_js::QuickJs;
use message::{FromWorker, ToWorker, read_line, write_line};
use std::ffi::OsString;
use std::io;
use std::path::PathBuf;
use std::process::Stdio;
use std::time::Duration;
use tokio::io::{AsyncBufRead, AsyncWrite, BufReader};
use tokio::process::{Child, Command};

/// In bytes: what a message of a worker has beyond the memory of its program.
const MESSAGE_OVERHEAD: u64 = 1 << 20;

/// Also enough on a busy machine.
const CHECK_TIMEOUT: Duration = Duration::from_secs(10);

/// JavaScript in a process for each program, for hostile programs: an error in the engine ends that process alone. The worker receives
/// no environment variable of this process except `SystemRoot`, and is killed when its program exceeds its time, or when the call ends.
///
/// The worker is any executable that calls [`serve_worker`], such as your own:
///
/// ```no_run
/// use std::process::ExitCode;
/// use tool_runtime::Registry;
/// use tool_runtime_code::{CodeTool, Worker, serve_worker};
///
/// fn main() -> ExitCode {
///     if std::env::args().nth(1).as_deref() == Some("run-program") {
///         return serve_worker();
///     }
///     // ..
///     ExitCode::SUCCESS
/// }
///
/// fn code_tool(tools: Registry) -> std::io::Result<CodeTool> {
///     Ok(CodeTool::new(tools).engine(Worker::new(std::env::current_exe()?).arg("run-program")))
/// }
/// ```
///
/// This package has such an executable as well, `tool-runtime-code-worker`. `cargo install --path tool-code` in a checkout of the
/// repository installs it; after the first release: `cargo install tool-runtime-code`. Install the version on which the application
/// depends: another version may have other messages.
///
/// A separate process does not restrict system calls. If an error in the engine must not reach files or the network, start the worker
/// in a container or in another sandbox.
#[derive(Clone, Debug)]
pub struct Worker {
    executable: PathBuf,
    arguments: Vec<OsString>,
}

impl Worker {
    /// Starts this executable for each program. It must call [`serve_worker`].
    #[must_use]
    pub fn new(executable: impl Into<PathBuf>) -> Self {
        Worker { executable: executable.into(), arguments: Vec::new() }
    }

    /// Adds an argument of the executable.
    #[must_use]
    pub fn arg(mut self, argument: impl Into<OsString>) -> Self {
        self.arguments.push(argument.into());
        self
    }

    /// Runs a short program in the worker. Call it at start-up, so that a wrong executable is noticed before the first call.
    ///
    /// # Errors
    ///
    /// The executable cannot be started, is no worker or a worker of another version, or does not answer within 10 seconds.
    pub async fn check(&self) -> io::Result<()> {
        let (host, _calls) = Host::new();
        let running = self.run(Program::new("return 1", Vec::new(), Limits::default()), host);
        let end = tokio::time::timeout(CHECK_TIMEOUT, running).await;
        match end.map_or_else(|_| Err("it does not answer".to_owned()), |end| end.value) {
            Ok(_) => Ok(()),
            Err(error) => Err(io::Error::other(format!(
                "`{}` is no worker: {error}. Start an executable that calls `serve_worker` and prints nothing before",
                self.executable.display()
            ))),
        }
    }

    fn start(&self) -> io::Result<Child> {
        let mut command = Command::new(&self.executable);
        command.args(&self.arguments).env_clear();
        // Executables on Windows need it.
        command.envs(std::env::var_os("SystemRoot").map(|root| ("SystemRoot", root)));
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).kill_on_drop(true).spawn()
    }
}

impl Engine for Worker {
    fn run(&self, program: Program, host: Host) -> EngineFuture {
        let started = self.start();
        Box::pin(async move {
            let failed = |error: &str| ProgramEnd::failed(error, "");
            let mut child = match started {
                Ok(child) => child,
                Err(error) => return failed(&format!("the program cannot start now: {error}")),
            };
            let (Some(input), Some(output)) = (child.stdin.take(), child.stdout.take()) else {
                return failed("the program cannot start now: its worker has no pipes");
            };
            let end = converse(program, host, input, BufReader::new(output)).await;
            // A worker that has ended needs no signal.
            let _ = child.start_kill();
            let _ = child.wait().await;
            end.unwrap_or_else(|error| failed(&error))
        })
    }

    fn instructions(&self, limits: &Limits) -> String {
        QuickJs.instructions(limits)
    }

    fn declaration(&self, tool: &Declaration<'_>) -> String {
        QuickJs.declaration(tool)
    }

    fn search_instructions(&self) -> String {
        QuickJs.search_instructions()
    }
}

/// Passes the calls of the program to the host, and the results to the worker.
async fn converse(
    program: Program,
    mut host: Host,
    mut input: impl AsyncWrite + Unpin,
    mut output: impl AsyncBufRead + Unpin,
) -> Result<ProgramEnd, String> {
    let max_message =
        u64::try_from(program.limits.max_memory()).unwrap_or(u64::MAX).saturating_add(MESSAGE_OVERHEAD);
    let ended = |error: io::Error| format!("the engine has failed: {error}");
    write_line(&mut input, &ToWorker::Run(program)).await.map_err(ended)?;
    loop {
        match read_line(&mut output, max_message).await.map_err(ended)? {
            FromWorker::End(end) => return Ok(end),
            FromWorker::Calls(calls) => {
                let answer = host.next_answer(calls).await.ok_or("the program was stopped")?;
                write_line(&mut input, &ToWorker::Answer(answer)).await.map_err(ended)?;
            }
        }
    }
}
