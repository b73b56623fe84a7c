//! The processes of a round, as their parent sees them.

use crate::child::Settings;
use crate::ledger::{SIGNAL, TIME_LIMIT};
use std::fs::OpenOptions;
use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};

/// The variable of the environment that contains the settings of a child.
pub(crate) const SETTINGS: &str = "CRASH_CHILD";

pub(crate) struct Process {
    child: Child,
    signals: Receiver<()>,
}

impl Process {
    pub(crate) fn start(settings: &Settings) -> Result<Self, String> {
        let program = std::env::current_exe().map_err(|error| error.to_string())?;
        let stderr = OpenOptions::new().append(true).create(true).open(settings.folder.join("stderr"));
        let mut child = Command::new(program)
            .args(["child", "--exact", "--ignored", "--nocapture", "--test-threads=1"])
            .env(SETTINGS, serde_json::to_string(settings).map_err(|error| error.to_string())?)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(stderr.map_err(|error| error.to_string())?)
            .spawn()
            .map_err(|error| error.to_string())?;
        let stdout = BufReader::new(child.stdout.take().ok_or("the output is piped")?);
        let (sender, signals) = mpsc::channel();
        std::thread::spawn(move || {
            let lines = stdout.lines().map_while(Result::ok);
            // The test harness prints other lines, and may print the first part of a line.
            lines.filter(|line| line.ends_with(SIGNAL)).try_for_each(|_| sender.send(()))
        });
        Ok(Process { child, signals })
    }

    pub(crate) fn id(&self) -> u32 {
        self.child.id()
    }

    /// Waits for a signal; `false` if the process has ended.
    fn has_signal(&mut self) -> Result<bool, String> {
        match self.signals.recv_timeout(TIME_LIMIT) {
            Ok(()) => Ok(true),
            Err(RecvTimeoutError::Disconnected) => Ok(false),
            Err(RecvTimeoutError::Timeout) => {
                self.kill()?;
                Err("a process hangs".to_owned())
            }
        }
    }

    /// Waits for the signal before the journal is opened, and for so many entries of the ledger; `false` if the process ends
    /// before.
    pub(crate) fn wait_for(&mut self, entries: usize) -> Result<bool, String> {
        for _ in 0..=entries {
            if !self.has_signal()? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Writes the line for which the process waits.
    pub(crate) fn go_on(&mut self) -> Result<(), String> {
        let mut stdin = self.child.stdin.take().ok_or("the process goes on already")?;
        stdin.write_all(b"\n").map_err(|error| error.to_string())
    }

    /// Kills the process, and waits for its end.
    pub(crate) fn kill(&mut self) -> Result<ExitStatus, String> {
        self.child.kill().and_then(|()| self.child.wait()).map_err(|error| error.to_string())
    }

    /// Waits for the end of the process.
    pub(crate) fn wait(mut self) -> Result<ExitStatus, String> {
        while self.has_signal()? {}
        self.child.wait().map_err(|error| error.to_string())
    }
}
