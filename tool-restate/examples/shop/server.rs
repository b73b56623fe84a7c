//! The program of the engine.

use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// How to install the engine.
pub(crate) const INSTALL: &str = "npm install --prefix target/restate @restatedev/restate-server@1.7.12, or set RESTATE_SERVER to the \
                                  program of https://docs.restate.dev/installation";

/// The ports of an engine.
#[derive(Clone, Copy)]
pub(crate) struct Ports {
    node: u16,
    pub(crate) admin: u16,
    pub(crate) ingress: u16,
}

/// The program in `RESTATE_SERVER`, or that of [`INSTALL`]. The engine would continue after the script that npm installs with it is
/// killed.
pub(crate) fn program() -> Option<PathBuf> {
    if let Some(program) = std::env::var_os("RESTATE_SERVER") {
        return Some(program.into());
    }
    let system = if cfg!(target_os = "macos") { "darwin" } else { "linux" };
    let processor = if cfg!(target_arch = "aarch64") { "arm64" } else { "x64" };
    let packages = Path::new(env!("CARGO_MANIFEST_DIR")).join("../target/restate/node_modules/@restatedev");
    let program = packages.join(format!("restate-server-{system}-{processor}/bin/restate-server"));
    program.exists().then_some(program)
}

/// A port that is free now.
pub(crate) fn free_port() -> std::io::Result<u16> {
    Ok(TcpListener::bind("127.0.0.1:0")?.local_addr()?.port())
}

impl Ports {
    pub(crate) fn free() -> std::io::Result<Self> {
        Ok(Ports { node: free_port()?, admin: free_port()?, ingress: free_port()? })
    }
}

/// Starts an engine that stores its data in a folder, and that only this machine can reach.
pub(crate) fn command(program: &Path, data: &Path, ports: Ports) -> Command {
    let mut command = Command::new(program);
    command.arg("--no-logo").arg("--base-dir").arg(data).args(["--bind-ip", "127.0.0.1"]);
    command.envs([
        ("RESTATE_NODE_NAME", "engine".to_owned()),
        ("RESTATE_BIND_PORT", ports.node.to_string()),
        ("RESTATE_ADMIN__BIND_PORT", ports.admin.to_string()),
        ("RESTATE_INGRESS__BIND_PORT", ports.ingress.to_string()),
        ("RESTATE_LISTEN_MODE", "tcp".to_owned()),
        ("RESTATE_DEFAULT_NUM_PARTITIONS", "4".to_owned()),
        ("RESTATE_ROCKSDB_TOTAL_MEMORY_SIZE", "256 MiB".to_owned()),
        ("RESTATE_DISABLE_TELEMETRY", "true".to_owned()),
        ("RESTATE_ADMIN__DISABLE_WEB_UI", "true".to_owned()),
        ("DO_NOT_TRACK", "1".to_owned()),
    ]);
    command.stdin(Stdio::null());
    command
}
