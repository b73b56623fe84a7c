//! The engine: a server of Restate on free ports, which can be killed and started again.

use crate::process::Process;
use crate::server::{Ports, command};
use std::path::Path;
use std::time::{Duration, Instant};
use tool_runtime_restate::{Admin, Sessions};

/// Settings of the engine that differ between tests.
#[derive(Clone, Copy)]
pub(crate) struct Settings {
    /// The pause between two checks whether a worker lives, and the time of each.
    pub(crate) keep_alive: &'static str,
    /// A low number gives work to all workers.
    pub(crate) streams_per_connection: &'static str,
    /// The limits of invocations that do not set their own: until the engine asks for their suspension, and until it ends them.
    pub(crate) invocation_timeout: &'static str,
}

impl Default for Settings {
    fn default() -> Self {
        Settings { keep_alive: "40s", streams_per_connection: "128", invocation_timeout: "1m" }
    }
}

pub(crate) struct Engine {
    pub(crate) process: Process,
    pub(crate) ingress: String,
    pub(crate) admin_address: String,
}

impl Engine {
    /// Starts an engine that stores its data in the folder.
    pub(crate) async fn start(program: &Path, folder: &Path, settings: Settings) -> Self {
        let ports = Ports::free().expect("free ports");
        let (program, data) = (program.to_owned(), folder.join("data"));
        let process = Process::start(folder.join("engine.log"), move || {
            let mut command = command(&program, &data, ports);
            command.envs([
                // Keys that are no longer remembered go at once.
                ("RESTATE_WORKER__CLEANUP_INTERVAL", "500ms"),
                ("RESTATE_WORKER__INVOKER__INACTIVITY_TIMEOUT", settings.invocation_timeout),
                ("RESTATE_WORKER__INVOKER__ABORT_TIMEOUT", settings.invocation_timeout),
                ("RESTATE_WORKER__INVOKER__HTTP2_KEEP_ALIVE_INTERVAL", settings.keep_alive),
                ("RESTATE_WORKER__INVOKER__HTTP2_KEEP_ALIVE_TIMEOUT", settings.keep_alive),
                (
                    "RESTATE_WORKER__INVOKER__HTTP2_STREAMS_PER_CONNECTION_LIMIT",
                    settings.streams_per_connection,
                ),
            ]);
            command
        });
        let address = |port| format!("http://127.0.0.1:{port}");
        let engine = Engine { process, ingress: address(ports.ingress), admin_address: address(ports.admin) };
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
