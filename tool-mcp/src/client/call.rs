//! One call of a remote tool.

use super::connection::{Connection, pauses};
use super::output::{output_of, read_result};
use super::questions::{Questions, answer_questions};
use super::tracked_transport::{TrackedCall, TrackedCalls};
use super::transport_error::{Rejection, rejection, request_cause};
use super::{Client, RemoteError};
use crate::message_size::truncated;
use rmcp::model::{
    CallToolRequest, CallToolRequestParams, CallToolResult, CancelledNotificationParam, ClientRequest,
    ErrorCode, JsonObject, ProgressToken, RequestId, ServerResult, Task,
};
use rmcp::service::{Peer, PeerRequestOptions, RoleClient, ServiceError};
use serde_json::Value;
use std::error::Error;
use std::sync::Arc;
use std::time::Duration;
use tokio::runtime::Handle;
use tokio::time::sleep;
use tool_runtime::registry::Annotations;
use tool_runtime::{CallContext, ToolOutput};

/// The number of times that a call is sent again after its connection was lost.
const MAX_REPEATS: usize = 2;

/// The size after which the message of an error of the protocol is truncated.
pub(super) const MAX_ERROR_BYTES: usize = 64 * 1024;

/// The number of responses with questions that a call has at most, as in other clients.
const MAX_QUESTIONS: u32 = 10;

/// The pause after a response that asks for nothing and is no result; each one takes longer.
const PAUSE_OF_CALLS: Duration = Duration::from_millis(100);

/// The response to a call.
enum Response {
    Result(CallToolResult),
    /// The server continues the call as a task.
    Task(Task),
    /// The call continues when it has been sent again, with answers.
    NeedsInput(Value),
}

/// The reason why a request has no response.
enum NoResponse {
    /// The server has not received it.
    NotSent(Box<dyn Error + Send + Sync>),
    /// The server may have received it.
    MaybeSent(Box<dyn Error + Send + Sync>),
}

impl Client {
    /// Calls a tool by its name on the server.
    pub(super) async fn call(
        &self,
        name: String,
        arguments: JsonObject,
        call: &CallContext,
        annotations: Annotations,
    ) -> Result<ToolOutput, RemoteError> {
        let mut params = CallToolRequestParams::new(name).with_arguments(arguments);
        let mut asked = 0;
        let questions = Arc::new(Questions::default());
        let tracked = || TrackedCall::new(call.clone(), self.0.settings.progress_extends, &questions);
        let may_repeat = annotations.may_repeat();
        let may_have_taken_effect = !annotations.is_read_only();
        let mut pauses = pauses();
        let mut repeats = 0;
        loop {
            let connection = self.connection().await?;
            let no_response = match connection.call(params.clone(), tracked(), may_have_taken_effect).await {
                Ok(response) => match response? {
                    Response::Result(result) => return output_of(result, &self.0.settings),
                    Response::Task(task) => {
                        let result = self.finish_task(task, call, &questions, may_have_taken_effect).await?;
                        return output_of(result, &self.0.settings);
                    }
                    Response::NeedsInput(response) if asked < MAX_QUESTIONS => {
                        asked += 1;
                        if !answer_questions(response, call, &questions, &mut params).await? {
                            // The server is busy, and continues later.
                            sleep(PAUSE_OF_CALLS * asked).await;
                        }
                        continue;
                    }
                    Response::NeedsInput(_) => {
                        return Err(RemoteError::TooManyQuestions { responses: MAX_QUESTIONS as usize });
                    }
                },
                Err(no_response) => no_response,
            };
            self.abandon(&connection).await;
            let pause = match (no_response, pauses.next()) {
                (NoResponse::NotSent(_), Some(pause)) => pause,
                (NoResponse::NotSent(source), None) => return Err(RemoteError::Unreachable(source)),
                (NoResponse::MaybeSent(_), Some(pause)) if may_repeat && repeats < MAX_REPEATS => {
                    repeats += 1;
                    pause
                }
                (NoResponse::MaybeSent(source), _) => {
                    return Err(RemoteError::ConnectionLost { may_have_taken_effect, source });
                }
            };
            sleep(pause).await;
        }
    }
}

impl Connection {
    /// Sends a call, and waits for its response.
    async fn call(
        &self,
        params: CallToolRequestParams,
        tracked: Arc<TrackedCall>,
        may_have_taken_effect: bool,
    ) -> Result<Result<Response, RemoteError>, NoResponse> {
        let mut request = CallToolRequest::new(params);
        request.extensions.insert(Arc::clone(&tracked));
        let request = ClientRequest::CallToolRequest(request);
        let sent = self.peer.send_request_with_option(request, PeerRequestOptions::no_options()).await;
        let handle = sent.map_err(|error| NoResponse::NotSent(request_cause(error)))?;
        let mut sent = SentCall {
            peer: self.peer.clone(),
            id: Some(handle.id.clone()),
            token: handle.progress_token.clone(),
            tracked: Arc::clone(&tracked),
            calls: self.calls.clone(),
        };
        let Some(response) = tracked.until_ended_early(handle.await_response()).await else {
            return Ok(Err(RemoteError::Cancelled));
        };
        sent.id = None;
        let unexpected = RemoteError::UnexpectedResponse { may_have_taken_effect };
        match response {
            Ok(ServerResult::CallToolResult(result)) => Ok(Ok(Response::Result(result))),
            Ok(ServerResult::CreateTaskResult(result)) => Ok(Ok(Response::Task(result.task))),
            Ok(ServerResult::InputRequiredResult(result)) => {
                Ok(serde_json::to_value(result).map(Response::NeedsInput).map_err(|_| unexpected))
            }
            // rmcp does not read each form of it.
            Ok(ServerResult::CustomResult(result)) if result.0["resultType"] == "input_required" => {
                Ok(Ok(Response::NeedsInput(result.0)))
            }
            Ok(ServerResult::CustomResult(result)) => {
                Ok(read_result(&result.0).map(Response::Result).ok_or(unexpected))
            }
            Ok(_) | Err(ServiceError::UnexpectedResponse) => Ok(Err(unexpected)),
            Err(ServiceError::McpError(error)) => {
                let message = truncated(&error.message, MAX_ERROR_BYTES);
                Ok(Err(RemoteError::Protocol { code: error.code.0, message }))
            }
            Err(ServiceError::Cancelled { .. }) => Ok(Err(RemoteError::Cancelled)),
            Err(error) => match rejection(&error) {
                Some(Rejection::Unauthorized) => Ok(Err(RemoteError::Unauthorized(request_cause(error)))),
                Some(Rejection::Status(status)) => Ok(Err(RemoteError::Rejected { status })),
                Some(Rejection::Unreadable(message)) => {
                    Ok(Err(RemoteError::Protocol { code: ErrorCode::PARSE_ERROR.0, message }))
                }
                Some(Rejection::MayRepeat) => Err(NoResponse::NotSent(request_cause(error))),
                None if !tracked.was_sent() => Err(NoResponse::NotSent(request_cause(error))),
                None => Err(NoResponse::MaybeSent(request_cause(error))),
            },
        }
    }
}

/// A call that was sent. If it is dropped before the response, the server is notified.
struct SentCall {
    peer: Peer<RoleClient>,
    /// `None` after the response.
    id: Option<RequestId>,
    token: ProgressToken,
    tracked: Arc<TrackedCall>,
    calls: TrackedCalls,
}

impl Drop for SentCall {
    fn drop(&mut self) {
        self.calls.remove(&self.token, &self.tracked);
        let (Some(id), Ok(runtime)) = (self.id.take(), Handle::try_current()) else { return };
        let peer = self.peer.clone();
        let cancelled = CancelledNotificationParam::new(Some(id), Some("the call was cancelled".to_owned()));
        // The server may have ended.
        runtime.spawn(async move { peer.notify_cancelled(cancelled).await.ok() });
    }
}
