//! A process that is killed with `kill -9`, frozen, and started again.

use std::fs::OpenOptions;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

type Start = Box<dyn Fn() -> Command + Send + Sync>;

pub(crate) struct Process {
    log: PathBuf,
    start: Start,
    child: Option<Child>,
    pub(crate) kills: usize,
    pub(crate) freezes: usize,
}

impl Process {
    pub(crate) fn start(log: PathBuf, start: impl Fn() -> Command + Send + Sync + 'static) -> Self {
        let mut process = Process { log, start: Box::new(start), child: None, kills: 0, freezes: 0 };
        process.restart();
        process
    }

    pub(crate) fn restart(&mut self) {
        let mut command = (self.start)();
        let log =
            || OpenOptions::new().create(true).append(true).open(&self.log).expect("the log can be written");
        command.stdin(Stdio::null()).stdout(log()).stderr(log());
        self.child = Some(command.spawn().expect("the process starts"));
    }

    /// Replaces the command of later starts.
    pub(crate) fn replace(&mut self, start: impl Fn() -> Command + Send + Sync + 'static) {
        self.start = Box::new(start);
    }

    pub(crate) fn kill(&mut self) {
        if let Some(mut child) = self.child.take() {
            let _ = child.kill();
            let _ = child.wait();
            self.kills += 1;
        }
    }

    pub(crate) fn has_ended(&mut self) -> bool {
        self.child.as_mut().is_none_or(|child| !matches!(child.try_wait(), Ok(None)))
    }

    pub(crate) fn is_success(&mut self) -> bool {
        let status = self.child.as_mut().map(Child::try_wait);
        matches!(status, Some(Ok(Some(status))) if status.success())
    }

    /// Stops the process for a while, as a virtual machine that is moved.
    pub(crate) async fn freeze(&mut self, time: Duration) {
        let Some(child) = &self.child else { return };
        let signal = |name: &str| Command::new("kill").args([name, &child.id().to_string()]).status();
        if signal("-STOP").is_ok_and(|status| status.success()) {
            tokio::time::sleep(time).await;
            let _ = signal("-CONT");
            self.freezes += 1;
        }
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.kill();
    }
}
