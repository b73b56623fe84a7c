//! The engine of the example: a server of Restate on free ports, with its data in a folder that is removed.

use std::error::Error;
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;
use tool_runtime_restate::{Admin, Sessions};

pub(crate) struct Engine {
    process: Child,
    _folder: tempfile::TempDir,
    admin: String,
    ingress: String,
}

/// A port that is free now.
pub(crate) fn free_port() -> std::io::Result<u16> {
    Ok(TcpListener::bind("127.0.0.1:0")?.local_addr()?.port())
}

/// `RESTATE_SERVER`, a program in the folders of `PATH`, or one that was installed in the folder `target`.
fn program() -> Option<PathBuf> {
    let target =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../target/restate/node_modules/.bin/restate-server");
    let path = std::env::var_os("PATH").unwrap_or_default();
    let mut programs =
        std::env::split_paths(&path).map(|folder| folder.join("restate-server")).chain([target]);
    std::env::var_os("RESTATE_SERVER")
        .map(PathBuf::from)
        .or_else(|| programs.find(|program| program.exists()))
}

impl Engine {
    /// Starts the engine; `None` if it is not installed.
    pub(crate) fn start() -> Result<Option<Self>, Box<dyn Error>> {
        let Some(program) = program() else { return Ok(None) };
        let folder = tempfile::tempdir()?;
        let [node, admin, ingress] = [free_port()?, free_port()?, free_port()?];
        let process = Command::new(&program)
            .arg("--base-dir")
            .arg(folder.path())
            .args(["--bind-ip", "127.0.0.1"])
            .envs([
                ("RESTATE_BIND_PORT", node.to_string()),
                ("RESTATE_ADMIN__BIND_PORT", admin.to_string()),
                ("RESTATE_INGRESS__BIND_PORT", ingress.to_string()),
                ("RESTATE_LISTEN_MODE", "tcp".to_owned()),
                ("RESTATE_DISABLE_TELEMETRY", "true".to_owned()),
                ("DO_NOT_TRACK", "1".to_owned()),
            ])
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .map_err(|error| format!("{} does not start: {error}", program.display()))?;
        let [admin, ingress] = [admin, ingress].map(|port| format!("http://127.0.0.1:{port}"));
        Ok(Some(Engine { process, _folder: folder, admin, ingress }))
    }

    /// Registers the workers, as soon as the engine and a worker have started.
    pub(crate) async fn register(&mut self, workers: &str) -> Result<(), Box<dyn Error>> {
        let admin = Admin::at(&*self.admin);
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
        Sessions::at(&*self.ingress)
    }
}

impl Drop for Engine {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
