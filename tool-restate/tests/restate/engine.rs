//! The engine: a server of Restate on free ports, which can be killed and started again.

use crate::process::Process;
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};
use tool_runtime_restate::{Admin, Sessions};

/// The program of the engine: `RESTATE_SERVER`, or that which `npm install --prefix target/restate @restatedev/restate-server` has
/// installed.
pub(crate) fn program() -> Option<PathBuf> {
    if let Some(program) = std::env::var_os("RESTATE_SERVER") {
        return Some(program.into());
    }
    let system = if cfg!(target_os = "macos") { "darwin" } else { "linux" };
    let processor = if cfg!(target_arch = "aarch64") { "arm64" } else { "x64" };
    let package = format!("restate-server-{system}-{processor}/bin/restate-server");
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).parent()?;
    let program = target.join("restate/node_modules/@restatedev").join(package);
    program.exists().then_some(program)
}

/// Settings of the engine that differ between tests.
#[derive(Clone, Copy)]
pub(crate) struct Settings {
    /// The pause between two checks whether a worker lives, and the time of each.
    pub(crate) keep_alive: &'static str,
    /// A low number gives work to all workers.
    pub(crate) streams_per_connection: u32,
    /// The limits of invocations that do not set their own: until the engine asks for their suspension, and until it ends them.
    pub(crate) invocation_timeout: &'static str,
}

impl Default for Settings {
    fn default() -> Self {
        Settings { keep_alive: "40s", streams_per_connection: 128, invocation_timeout: "1m" }
    }
}

pub(crate) struct Engine {
    pub(crate) process: Process,
    pub(crate) ingress: String,
    pub(crate) admin_address: String,
}

/// A port that is free now.
pub(crate) fn free_port() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
    listener.local_addr().expect("an address").port()
}

impl Engine {
    /// Starts an engine that stores its data in the folder.
    pub(crate) async fn start(program: &Path, folder: &Path, settings: Settings) -> Self {
        let [node, admin, ingress] = [free_port(), free_port(), free_port()];
        let Settings { keep_alive, streams_per_connection, invocation_timeout } = settings;
        let configuration = format!(
            r#"
roles = ["http-ingress", "admin", "worker", "log-server", "metadata-server"]
cluster-name = "test"
node-name = "test"
bind-ip = "127.0.0.1"
bind-port = {node}
advertised-host = "127.0.0.1"
listen-mode = "tcp"
default-num-partitions = 4
rocksdb-total-memory-size = "256 MiB"
disable-telemetry = true
shutdown-timeout = "10s"

[admin]
bind-port = {admin}
disable-web-ui = true

[ingress]
bind-port = {ingress}

[worker]
# Keys that are no longer remembered go at once.
cleanup-interval = "500ms"

[worker.invoker]
inactivity-timeout = "{invocation_timeout}"
abort-timeout = "{invocation_timeout}"
http2-keep-alive-interval = "{keep_alive}"
http2-keep-alive-timeout = "{keep_alive}"
http2-streams-per-connection-limit = {streams_per_connection}
"#
        );
        let file = folder.join("restate.toml");
        std::fs::write(&file, configuration).expect("the folder can be written");
        let (program, folder) = (program.to_owned(), folder.to_owned());
        let process = Process::start(folder.join("engine.log"), move || {
            let mut command = Command::new(&program);
            command
                .arg("--no-logo")
                .arg("--config-file")
                .arg(&file)
                .arg("--base-dir")
                .arg(folder.join("data"));
            command.env("DO_NOT_TRACK", "1");
            command
        });
        let address = |port| format!("http://127.0.0.1:{port}");
        let engine = Engine { process, ingress: address(ingress), admin_address: address(admin) };
        engine.wait_until_ready().await;
        engine
    }

    pub(crate) fn sessions(&self) -> Sessions {
        Sessions::at(&*self.ingress)
    }

    pub(crate) fn admin(&self) -> Admin {
        Admin::at(&*self.admin_address)
    }

    async fn wait_until_ready(&self) {
        let started = Instant::now();
        while self.admin().paused().await.is_err() || !self.has_ingress().await {
            assert!(started.elapsed() < Duration::from_secs(60), "the engine does not start");
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    }

    async fn has_ingress(&self) -> bool {
        let health = format!("{}/restate/health", self.ingress);
        reqwest::get(health).await.is_ok_and(|response| response.status().is_success())
    }

    /// Registers workers, which may have to start first.
    pub(crate) async fn register(&self, workers: &str) {
        let started = Instant::now();
        while let Err(error) = self.admin().register(workers).await {
            assert!(started.elapsed() < Duration::from_secs(30), "the workers are not registered: {error}");
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    }
}
