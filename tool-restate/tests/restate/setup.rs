//! An engine with one worker.

use crate::engine::{Engine, Settings};
use crate::ledger::{self, What};
use crate::workers::{Version, Workers};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use tool_runtime_restate::Sessions;

/// Far more than anything takes: the machine may be busy.
const TIME_LIMIT: Duration = Duration::from_secs(60);

/// The statuses of invocations that have not ended.
pub(crate) const NOT_ENDED: &[&str] =
    &["pending", "scheduled", "ready", "running", "paused", "backing-off", "suspended"];

pub(crate) struct Setup {
    pub(crate) engine: Engine,
    pub(crate) workers: Workers,
    pub(crate) sessions: Sessions,
    pub(crate) ledger: PathBuf,
}

pub(crate) async fn start(program: &Path, folder: &Path, version: Version) -> Setup {
    let engine = Engine::start(program, folder, Settings::default()).await;
    let workers = Workers::start(1, version, folder).await;
    engine.register(&workers.address).await;
    let sessions = engine.sessions();
    Setup { engine, workers, sessions, ledger: folder.join("ledger") }
}

pub(crate) async fn texts(sessions: &Sessions, id: &str) -> Vec<String> {
    let session = sessions.get(id).await.expect("the engine responds").expect("a session");
    session.messages().iter().map(|message| message.text().to_owned()).collect()
}

impl Setup {
    /// Waits until so many tools have begun.
    pub(crate) async fn wait_until_begun(&self, count: usize) {
        let started = Instant::now();
        while ledger::read(&self.ledger).iter().filter(|entry| entry.what == What::Begun).count() < count {
            assert!(started.elapsed() < TIME_LIMIT, "no tool begins");
            tokio::time::sleep(Duration::from_millis(2)).await;
        }
    }

    /// Waits until the engine has an invocation of this handler with one of these statuses, and returns its id.
    pub(crate) async fn wait_for_invocation(
        &self,
        handler: &str,
        session: &str,
        statuses: &[&str],
    ) -> String {
        let statuses = statuses.join("', '");
        let query = format!(
            "SELECT id FROM sys_invocation WHERE target_handler_name = '{handler}' AND target_service_key = '{session}' AND status IN \
             ('{statuses}')"
        );
        let (started, body) = (Instant::now(), serde_json::json!({ "query": query }).to_string());
        loop {
            let request = reqwest::Client::new()
                .post(format!("{}/query", self.engine.admin_address))
                .body(body.clone());
            let request =
                request.header("content-type", "application/json").header("accept", "application/json");
            let rows = request.send().await.expect("the engine responds").text().await.expect("a response");
            if let Some(id) = rows.split('"').find(|text| text.starts_with("inv_")) {
                return id.to_owned();
            }
            assert!(started.elapsed() < TIME_LIMIT, "no invocation of {handler}: {rows}");
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    }
}
