//! Calls that a server continues as tasks, which the client polls (the extension `io.modelcontextprotocol/tasks`).

use super::call::MAX_ERROR_BYTES;
use super::connection::Connection;
use super::output::read_result;
use super::questions::{Questions, answers};
use super::transport_error::request_cause;
use super::{Client, RemoteError};
use crate::message_size::truncated;
use rmcp::model::{
    CallToolResult, CancelTaskParams, DetailedTask, GetTaskParams, Task, TaskPayload, UpdateTaskParams,
};
use rmcp::service::{Peer, RoleClient, ServiceError};
use serde_json::{Map, Value};
use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;
use tokio::runtime::Handle;
use tokio::time::sleep;
use tool_runtime::CallContext;

/// The time between two requests for the state of a task, unless the server suggests another one within these limits.
const DEFAULT_INTERVAL: Duration = Duration::from_secs(1);
const MIN_INTERVAL: Duration = Duration::from_millis(100);
const MAX_INTERVAL: Duration = Duration::from_secs(10);

/// The number of requests in a row that may be lost with their connections.
const MAX_LOST: usize = 3;

impl Client {
    /// Polls a task until it has its result, and answers its questions. The time limit of the call ends it.
    pub(super) async fn finish_task(
        &self,
        task: Task,
        call: &CallContext,
        questions: &Questions,
        may_have_taken_effect: bool,
    ) -> Result<CallToolResult, RemoteError> {
        let mut pause = interval(&task);
        let mut task = OpenTask { id: task.task_id, peer: None };
        let (mut answered, mut lost) = (HashSet::new(), 0);
        loop {
            let connection = self.connection().await?;
            task.peer = Some(connection.peer.clone());
            sleep(pause).await;
            let polled = match connection.peer.get_task(GetTaskParams::new(&task.id)).await {
                Ok(polled) => polled,
                Err(error) => {
                    lost += 1;
                    self.lost_task(&connection, error, lost < MAX_LOST, may_have_taken_effect).await?;
                    continue;
                }
            };
            lost = 0;
            let DetailedTask { task: state, payload, .. } = polled.task;
            pause = interval(&state);
            match payload {
                TaskPayload::Completed { result } => {
                    task.peer = None;
                    let unexpected = RemoteError::UnexpectedResponse { may_have_taken_effect };
                    return read_result(&result.into()).ok_or(unexpected);
                }
                TaskPayload::Failed { error } => {
                    task.peer = None;
                    return Err(failure(&error));
                }
                TaskPayload::Cancelled => {
                    task.peer = None;
                    return Err(RemoteError::Cancelled);
                }
                TaskPayload::InputRequired { input_requests } => {
                    let mut requests = serde_json::to_value(input_requests).unwrap_or_default();
                    let open = requests.as_object_mut().map_or(0, |requests| {
                        requests.retain(|key, _| !answered.contains(key));
                        requests.len()
                    });
                    if open == 0 {
                        continue;
                    }
                    let responses = answers(requests, call, questions).await?;
                    answered.extend(responses.keys().cloned());
                    let update = UpdateTaskParams::new(&task.id, responses);
                    if let Err(error) = connection.peer.update_task(update).await {
                        self.lost_task(&connection, error, false, may_have_taken_effect).await?;
                    }
                }
                // A state of a later version.
                TaskPayload::Working | _ => {}
            }
        }
    }

    /// Decides about a request that has no response: an error unless it may be repeated.
    async fn lost_task(
        &self,
        connection: &Arc<Connection>,
        error: ServiceError,
        may_repeat: bool,
        may_have_taken_effect: bool,
    ) -> Result<(), RemoteError> {
        if let ServiceError::McpError(error) = error {
            let message = truncated(&error.message, MAX_ERROR_BYTES);
            return Err(RemoteError::Protocol { code: error.code.0, message });
        }
        self.abandon(connection).await;
        if may_repeat {
            return Ok(());
        }
        Err(RemoteError::ConnectionLost { may_have_taken_effect, source: request_cause(error) })
    }
}

fn interval(task: &Task) -> Duration {
    task.poll_interval_ms.map_or(DEFAULT_INTERVAL, Duration::from_millis).clamp(MIN_INTERVAL, MAX_INTERVAL)
}

fn failure(error: &Map<String, Value>) -> RemoteError {
    let code =
        error.get("code").and_then(Value::as_i64).and_then(|code| code.try_into().ok()).unwrap_or_default();
    let message = error.get("message").and_then(Value::as_str).unwrap_or_default();
    RemoteError::Protocol { code, message: truncated(message, MAX_ERROR_BYTES) }
}

/// A task without a result. If it is dropped, the server is asked to cancel it.
struct OpenTask {
    id: String,
    /// `None` after the result.
    peer: Option<Peer<RoleClient>>,
}

impl Drop for OpenTask {
    fn drop(&mut self) {
        let (Some(peer), Ok(runtime)) = (self.peer.take(), Handle::try_current()) else { return };
        let cancel = CancelTaskParams::new(std::mem::take(&mut self.id));
        // The server may have ended.
        runtime.spawn(async move { peer.cancel_task(cancel).await.ok() });
    }
}
