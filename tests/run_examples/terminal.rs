//! Running an example in a pseudo-terminal, as a person does.

use crate::process;
use pty_process::blocking::{Command, Pty, open};
use std::io::{Read as _, Write as _};
use std::process::{Child, ExitStatus};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::{Duration, Instant};

/// The time after which a test fails. A test that passes never waits for it.
const PATIENCE: Duration = Duration::from_secs(120);

/// An example in a terminal.
pub(crate) struct Terminal {
    keyboard: Pty,
    screen: Receiver<Vec<u8>>,
    /// The output, and the number of its bytes that [`expect`](Terminal::expect) has found.
    printed: Vec<u8>,
    found: usize,
    child: Child,
}

impl Terminal {
    /// Starts the example; `None`, with the reason on standard error, if the system has no pseudo-terminals.
    pub(crate) fn start(example: &str, arguments: &[&str], settings: &[(&str, &str)]) -> Option<Self> {
        let mut command = process::command(example);
        command.args(arguments).envs(settings.iter().copied());
        let (pty, terminal) = match open() {
            Ok(opened) => opened,
            Err(error) => {
                eprintln!("skipped: the system has no pseudo-terminal: {error}");
                return None;
            }
        };
        let child = Command::from(command).spawn(terminal).expect("the example runs");
        let copy = std::os::fd::AsFd::as_fd(&pty).try_clone_to_owned().expect("a copy of the terminal");
        let (sender, screen) = channel();
        thread::spawn(move || {
            let (mut output, mut bytes) = (std::fs::File::from(copy), [0; 4096]);
            // Linux reports the end of the process as an error.
            while let Ok(length @ 1..) = output.read(&mut bytes) {
                if sender.send(bytes[..length].to_vec()).is_err() {
                    return;
                }
            }
        });
        Some(Terminal { keyboard: pty, screen, printed: Vec::new(), found: 0, child })
    }

    /// Types a line. The terminal prints it as well.
    pub(crate) fn type_line(&mut self, line: &str) {
        self.press(&format!("{line}\n"));
        self.expect(line);
    }

    pub(crate) fn press(&mut self, keys: &str) {
        self.keyboard.write_all(keys.as_bytes()).expect("the terminal takes keys");
    }

    /// Waits until the example has printed this text, after the texts that earlier calls have found. Returns the text before it.
    pub(crate) fn expect(&mut self, text: &str) -> String {
        let deadline = Instant::now() + PATIENCE;
        loop {
            let new = String::from_utf8_lossy(&self.printed[self.found..]).into_owned();
            if let Some(at) = new.find(text) {
                self.found += at + text.len();
                return new[..at].to_owned();
            }
            match self.screen.recv_timeout(deadline.saturating_duration_since(Instant::now())) {
                Ok(bytes) => self.printed.extend(bytes),
                Err(error) => panic!("{text:?} is not printed ({error}): {}", self.transcript()),
            }
        }
    }

    /// Waits for the end of the example. Returns its status, and the rest of its output.
    pub(crate) fn end(mut self) -> (ExitStatus, String) {
        let deadline = Instant::now() + PATIENCE;
        loop {
            match self.screen.recv_timeout(deadline.saturating_duration_since(Instant::now())) {
                Ok(bytes) => self.printed.extend(bytes),
                Err(RecvTimeoutError::Disconnected) => break,
                Err(RecvTimeoutError::Timeout) => panic!("the example does not end: {}", self.transcript()),
            }
        }
        let status = self.child.wait().expect("the example ends");
        (status, String::from_utf8_lossy(&self.printed[self.found..]).into_owned())
    }

    /// Ends the process at once.
    pub(crate) fn kill(mut self) {
        self.child.kill().expect("the example runs");
        self.child.wait().expect("the example ends");
    }

    fn transcript(&self) -> String {
        String::from_utf8_lossy(&self.printed).into_owned()
    }
}

/// A test that fails leaves no process.
impl Drop for Terminal {
    fn drop(&mut self) {
        let _ = self.child.kill().and_then(|()| self.child.wait());
    }
}
