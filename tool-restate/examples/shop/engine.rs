//! The engine of the example, whose data is removed with it.

use crate::server::{Ports, command};
use std::error::Error;
use std::path::Path;
use std::process::{Child, Stdio};
use std::time::Duration;
use tool_runtime_restate::{Admin, Sessions};

pub(crate) struct Engine {
    process: Child,
    _folder: tempfile::TempDir,
    ports: Ports,
}

impl Engine {
    pub(crate) fn start(program: &Path) -> Result<Self, Box<dyn Error>> {
        let (folder, ports) = (tempfile::tempdir()?, Ports::free()?);
        let mut command = command(program, folder.path(), ports);
        let started = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn();
        let process = started.map_err(|error| format!("{} does not start: {error}", program.display()))?;
        Ok(Engine { process, _folder: folder, ports })
    }

    /// Registers the workers, as soon as the engine and a worker have started.
    pub(crate) async fn register(&mut self, workers: &str) -> Result<(), Box<dyn Error>> {
        let admin = Admin::at(format!("http://127.0.0.1:{}", self.ports.admin));
        for _ in 0..300 {
            if admin.register(workers).await.is_ok() {
                return Ok(());
            }
            if let Some(status) = self.process.try_wait()? {
                return Err(format!("the engine ends with {status}").into());
            }
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
        Err("the engine does not start within 30 seconds".into())
    }

    pub(crate) fn sessions(&self) -> Sessions {
        Sessions::at(format!("http://127.0.0.1:{}", self.ports.ingress))
    }
}

impl Drop for Engine {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
