//! A process of this test program with another role.

use crate::records::{call, find_call, key, result};
use std::env;
use std::io::{BufRead, BufReader, Lines, Write as _};
use std::path::{Path, PathBuf};
use std::process::{self, ChildStdout, Command, Stdio};
use std::time::Duration;
use tool_runtime_durable::{FileJournal, Journal};

const ROLE: &str = "JOURNAL_TEST_ROLE";
const PATH: &str = "JOURNAL_TEST_PATH";
/// Marks the lines of the role, since the test program prints lines of its own.
const MARK: &str = "role: ";

/// The work of a process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    /// Begins and finishes calls of `run` without end, and prints each after it is recorded: `begun 0`, `finished 0`.
    Calls,
    /// As `Calls`, with large results, until an operation fails; then prints `failed ..` and ends.
    Fill,
    /// Opens the journal with `remove_after`, begins and finishes calls for each line that it reads.
    Steps,
}

/// A process, which is killed when it is dropped.
pub(crate) struct Child {
    process: process::Child,
    lines: Lines<BufReader<ChildStdout>>,
}

impl Role {
    const ALL: [(&'static str, Role); 3] =
        [("calls", Role::Calls), ("fill", Role::Fill), ("steps", Role::Steps)];

    fn name(self) -> &'static str {
        Role::ALL.iter().find(|(_, role)| *role == self).expect("each role has a name").0
    }
}

impl Child {
    pub(crate) fn start(role: Role, path: &Path) -> Self {
        Child::start_with(Command::new(env::current_exe().unwrap()), role, path)
    }

    /// Starts a command that executes this program, or the program itself.
    pub(crate) fn start_with(mut command: Command, role: Role, path: &Path) -> Self {
        let mut process = command
            .args(["--ignored", "--exact", "child::process_of_another_test", "--nocapture"])
            .env(ROLE, role.name())
            .env(PATH, path)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("the test program starts");
        let stdout = process.stdout.take().expect("its output is piped");
        Child { process, lines: BufReader::new(stdout).lines() }
    }

    pub(crate) fn id(&self) -> u32 {
        self.process.id()
    }

    /// The next line of the role; `None` when the process has ended.
    pub(crate) fn line(&mut self) -> Option<String> {
        for line in self.lines.by_ref() {
            if let Some((_, line)) = line.ok()?.split_once(MARK) {
                return Some(line.to_owned());
            }
        }
        None
    }

    pub(crate) fn next_line(&mut self) -> String {
        self.line().expect("the process prints a line")
    }

    /// Sends a line to the role.
    pub(crate) fn send(&mut self, line: &str) {
        let stdin = self.process.stdin.as_mut().expect("its input is piped");
        writeln!(stdin, "{line}").expect("the process reads its input");
    }

    /// Ends the process with SIGKILL, and returns the lines that it has printed and that are not read yet.
    pub(crate) fn kill(&mut self) -> Vec<String> {
        self.process.kill().expect("the process can be killed");
        let lines = std::iter::from_fn(|| self.line()).collect();
        self.process.wait().expect("the process has ended");
        lines
    }
}

impl Drop for Child {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

#[tokio::test]
#[ignore = "a process of other tests"]
async fn process_of_another_test() {
    let role = env::var(ROLE).expect("another test starts this process");
    let path = PathBuf::from(env::var_os(PATH).expect("another test sets the path"));
    match Role::ALL.iter().find(|(name, _)| *name == role).expect("the role exists").1 {
        Role::Calls => calls(&path).await,
        Role::Fill => fill(&path).await,
        Role::Steps => steps(&path).await,
    }
}

async fn calls(path: &Path) {
    let journal = FileJournal::open(path).unwrap();
    let mut position = 0;
    while find_call(&journal, &key("run", 0, position)).await.unwrap().is_some() {
        position += 1;
    }
    loop {
        let call = call("run", 0, position);
        journal.begin_call(&call).await.unwrap();
        print(&format!("begun {position}"));
        journal.finish_call(&call.key, &result(&call.key)).await.unwrap();
        print(&format!("finished {position}"));
        position += 1;
    }
}

async fn fill(path: &Path) {
    let journal = match FileJournal::open(path) {
        Ok(journal) => journal,
        Err(error) => return print(&format!("failed {error:?} {error}")),
    };
    for position in 0..10_000 {
        let mut call = call("run", 0, position);
        call.arguments = format!(r#"{{"text":"{}"}}"#, "x".repeat(20_000));
        if let Err(error) = journal.begin_call(&call).await {
            return print(&format!("failed {error:?} {error}"));
        }
        print(&format!("begun {position}"));
        if let Err(error) = journal.finish_call(&call.key, &result(&call.key)).await {
            return print(&format!("failed {error:?} {error}"));
        }
        print(&format!("finished {position}"));
    }
}

async fn steps(path: &Path) {
    let journal = FileJournal::options().remove_after(Duration::from_secs(60 * 60)).open(path).unwrap();
    print("opened");
    for line in std::io::stdin().lines() {
        let position = line.unwrap().parse().unwrap();
        let call = call(&format!("run {position}"), 0, position);
        journal.begin_call(&call).await.unwrap();
        journal.finish_call(&call.key, &result(&call.key)).await.unwrap();
        let wall_clock = std::time::SystemTime::UNIX_EPOCH.elapsed().unwrap_or_default().as_secs();
        print(&format!("{wall_clock}"));
    }
}

fn print(line: &str) {
    println!("{MARK}{line}");
    std::io::stdout().flush().expect("the test reads the output");
}
