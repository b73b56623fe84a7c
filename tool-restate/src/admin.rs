//! The administration of the engine.

use crate::engine::{Engine, parse_address};
use crate::engine_error::{EngineError, PausedInvocation};
use reqwest::Method;
use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::json;

/// Registers worker processes, and reports paused invocations: for programs of operators, and for
/// [`Sessions::admin`](crate::Sessions::admin).
///
/// ```no_run
/// use tool_runtime_restate::Admin;
///
/// # async fn operate() -> Result<(), Box<dyn std::error::Error>> {
/// let admin = Admin::at("http://restate:9070");
/// admin.register("http://workers:9080").await?;
/// for invocation in admin.paused().await? {
///     println!("{invocation}");
///     admin.resume(&invocation.id).await?;
/// }
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct Admin {
    engine: Engine,
}

#[derive(Deserialize)]
struct Rows {
    rows: Vec<PausedInvocation>,
}

impl Admin {
    /// The administration of the engine with this address, for example `http://restate:9070`.
    #[must_use]
    pub fn at(address: impl Into<String>) -> Self {
        Admin { engine: Engine::new(address.into()) }
    }

    /// Sets the HTTP client. Default: [`reqwest::Client::new`].
    #[must_use]
    pub fn http_client(mut self, client: reqwest::Client) -> Self {
        self.engine.client = client;
        self
    }

    /// Registers the address of worker processes, or registers it again after a deployment at the same address.
    ///
    /// # Errors
    ///
    /// The engine or the workers cannot be reached, or the engine rejects them.
    pub async fn register(&self, workers: &str) -> Result<(), EngineError> {
        parse_address(workers)?;
        let body = json!({"uri": workers, "force": true});
        self.engine.send::<IgnoredAny>(Method::POST, &["deployments"], Some(&body)).await.map(drop)
    }

    /// The invocations that are paused: their attempts have failed too often. Their sessions wait.
    ///
    /// # Errors
    ///
    /// The engine cannot be reached, or rejects the query.
    pub async fn paused(&self) -> Result<Vec<PausedInvocation>, EngineError> {
        self.query("").await
    }

    /// The paused invocations of a session: its handlers, and its calls.
    pub(crate) async fn paused_of(
        &self,
        object: &str,
        session: &str,
    ) -> Result<Vec<PausedInvocation>, EngineError> {
        let caller = quote(&format!("{object}/{session}/hand_out"));
        let (object, session) = (quote(object), quote(session));
        self.query(&format!(
            " AND ((target_service_name = {object} AND target_service_key = {session}) OR invoked_by_target = {caller})"
        ))
        .await
    }

    /// Resumes a paused invocation, after its cause is corrected.
    ///
    /// # Errors
    ///
    /// The engine cannot be reached, or there is no such paused invocation.
    pub async fn resume(&self, invocation: &str) -> Result<(), EngineError> {
        let path = ["invocations", invocation, "resume"];
        self.engine.send::<IgnoredAny>(Method::PATCH, &path, None).await.map(drop)
    }

    async fn query(&self, condition: &str) -> Result<Vec<PausedInvocation>, EngineError> {
        let query =
            format!("SELECT id, target, last_failure FROM sys_invocation WHERE status = 'paused'{condition}");
        let body = json!({ "query": query });
        Ok(self.engine.send::<Rows>(Method::POST, &["query"], Some(&body)).await?.rows)
    }
}

/// A string of SQL.
fn quote(text: &str) -> String {
    format!("'{}'", text.replace('\'', "''"))
}
