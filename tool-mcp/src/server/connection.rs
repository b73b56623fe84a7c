//! The requests of one client.

use super::authorization::authorized;
use super::changes::{Changes, SharedChanges, notify_connection, notify_subscription};
use super::notifications::{Forwarder, MinLevel, forwarder};
use super::offers::unreadable_params;
use super::questions::{Continued, OpenQuestions, with_questions};
use super::result::result_of;
use super::running::CancelledByClient;
use super::subscriptions::{Subscriptions, accepted_uris};
use super::{Served, Server};
use crate::log_level::LogLevel;
use crate::message_size::truncated;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CompleteRequestParams, CompleteResult, CustomRequest,
    CustomResult, ErrorCode, ErrorData, GetPromptRequestParams, GetPromptResponse, InputRequiredResult,
    InputResponses, ListPromptsResult, ListResourceTemplatesResult, ListResourcesResult, ListToolsResult,
    PaginatedRequestParams, ReadResourceRequestParams, ReadResourceResponse, ServerConfig, ServerResult,
    SubscribeRequestParams, SubscriptionFilter, UnsubscribeRequestParams,
};
use rmcp::service::{NotificationContext, RequestContext, ServiceError, SubscriptionContext};
use rmcp::{RoleServer, ServerHandler};
use serde_json::Value;
use std::pin::pin;
use std::sync::{Arc, OnceLock};
use std::time::Duration;
use tokio::task::JoinHandle;
use tool_runtime::dispatch::{CallError, CancellationToken};
use tool_runtime::{Registry, RunContext, ToolCall, ToolMessage};

/// The time that a finished call waits for its last notifications.
const MAX_WAIT_FOR_NOTIFICATIONS: Duration = Duration::from_secs(1);

/// The size after which an unknown method is truncated in its error.
const MAX_QUOTED_BYTES: usize = 256;

/// The handler of one connection; over HTTP, of one session or request.
pub(super) struct ConnectionHandler {
    server: Server,
    run: RunContext,
    min_level: MinLevel,
    subscriptions: Subscriptions,
    /// Those since the connection has begun; over HTTP, the session or request.
    changes: SharedChanges,
    notifier: OnceLock<Notifier>,
}

/// A task that notifies the client of changes. It ends with the connection.
struct Notifier(JoinHandle<Result<(), ServiceError>>);

impl Drop for Notifier {
    fn drop(&mut self) {
        self.0.abort();
    }
}

impl ConnectionHandler {
    pub(super) fn new(server: Server) -> Self {
        ConnectionHandler {
            changes: Changes::new(&server),
            server,
            run: RunContext::new(),
            min_level: MinLevel::default(),
            subscriptions: Subscriptions::default(),
            notifier: OnceLock::new(),
        }
    }

    fn served(&self) -> Arc<Served> {
        Arc::clone(&self.server.served.borrow())
    }

    /// The run context of a request, which may call this tool.
    fn run_context(
        &self,
        context: &RequestContext<RoleServer>,
        tool: Option<&str>,
    ) -> Result<RunContext, ErrorData> {
        if self.server.run_context.is_none() {
            // That of the token, if there is one.
            let access = authorized(&context.extensions).map(|authorized| &authorized.run);
            return Ok(access.unwrap_or(&self.run).clone());
        }
        // The program has authorised the tool that it has read, which must be the one that rmcp has read.
        let authorized = authorized(&context.extensions).filter(|read| read.tool.as_deref() == tool);
        let unread = || {
            ErrorData::invalid_request(
                "the request names its tool more than once; send each field once",
                None,
            )
        };
        authorized.map(|authorized| authorized.run.clone()).ok_or_else(unread)
    }

    /// The parameters with which a client continues a call.
    fn continued(&self, responses: Option<InputResponses>, state: Option<String>) -> Continued {
        Continued { responses, state, question_timeout: self.server.question_timeout }
    }

    /// Calls a tool with the text of its arguments.
    async fn call(
        &self,
        name: String,
        arguments: String,
        continued: Continued,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let served = self.served();
        let run = self.run_context(&context, Some(&name))?;
        let call = ToolCall::new(context.id.to_string(), name, arguments);
        let registry = served.allowed(&run);
        let invalid = |error| ErrorData::invalid_params(error, None);
        let asking = with_questions(run.clone(), &registry, &call, &context, continued).map_err(invalid)?;
        let message = match dispatch(&registry, asking, &call, (&context, self.min_level.get(&context))).await
        {
            Ended::Finished(message) => message,
            Ended::Asks(result) => {
                return result.map(Into::into).map_err(|error| ErrorData::internal_error(error, None));
            }
        };
        if let Some(CallError::UnknownTool(unknown)) = message.outcome().and_then(|outcome| outcome.error()) {
            return Err(ErrorData::invalid_params(unknown.to_string(), None));
        }
        let definition = served.definitions.iter().find(|tool| Some(&*tool.name) == message.tool());
        Ok(result_of(&message, definition.and_then(|tool| tool.output_schema.as_deref())).into())
    }
}

impl ServerHandler for ConnectionHandler {
    fn get_info(&self) -> ServerConfig {
        self.server.info.clone()
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let served = self.served();
        let allowed = served.allowed(&self.run_context(&context, None)?);
        let tools = served.definitions.iter().filter(|tool| allowed.tool(&tool.name).is_some());
        Ok(ListToolsResult::with_all_items(tools.cloned().collect()))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        // A JSON object can always be written.
        let arguments = serde_json::to_string(&request.arguments.unwrap_or_default()).unwrap_or_default();
        let continued = self.continued(request.input_responses, request.request_state);
        self.call(request.name.into_owned(), arguments, continued, context).await
    }

    /// A request whose parameters rmcp cannot read.
    async fn on_custom_request(
        &self,
        request: CustomRequest,
        context: RequestContext<RoleServer>,
    ) -> Result<CustomResult, ErrorData> {
        let params = request.params.unwrap_or_default();
        let result = match &*request.method {
            "tools/list" => serde_json::to_value(self.list_tools(None, context).await?),
            "tools/call" => {
                let Some(name) = params["name"].as_str() else {
                    return Err(ErrorData::invalid_params("`name` must be the name of a tool", None));
                };
                // An empty array is no arguments: PHP and Lua write an empty object like this. The error of other arguments is
                // a result, which a model reads.
                let arguments = match &params["arguments"] {
                    Value::Array(items) if items.is_empty() => "{}".to_owned(),
                    arguments => arguments.to_string(),
                };
                let responses = serde_json::from_value(params["inputResponses"].clone()).ok();
                let state = params["requestState"].as_str().map(str::to_owned);
                let continued = self.continued(responses, state);
                let result = self.call(name.to_owned(), arguments, continued, context).await?;
                serde_json::to_value(ServerResult::from(result))
            }
            method => {
                let unknown = || {
                    let method = truncated(method, MAX_QUOTED_BYTES);
                    ErrorData::new(ErrorCode::METHOD_NOT_FOUND, method, None)
                };
                return Err(unreadable_params(method).unwrap_or_else(unknown));
            }
        };
        let result = result.map_err(|error| ErrorData::internal_error(error.to_string(), None))?;
        Ok(CustomResult::new(result))
    }

    async fn list_resources(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        self.server.offers.list_resources()
    }

    async fn list_resource_templates(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        self.server.offers.list_resource_templates()
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let run = self.run_context(&context, None)?;
        self.server.offers.read_resource(request, run, &context).await
    }

    async fn subscribe(
        &self,
        request: SubscribeRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        let run = self.run_context(&context, None)?;
        // The function of the resource decides who learns of its changes.
        self.server.offers.read(request.uri.clone(), run, &context).await?;
        self.subscriptions.add(request.uri)
    }

    async fn unsubscribe(
        &self,
        request: UnsubscribeRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        self.subscriptions.remove(&request.uri);
        Ok(())
    }

    async fn list_prompts(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        self.server.offers.list_prompts()
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        let run = self.run_context(&context, None)?;
        self.server.offers.get_prompt(request, run, &context).await
    }

    async fn complete(
        &self,
        request: CompleteRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CompleteResult, ErrorData> {
        let run = self.run_context(&context, None)?;
        self.server.offers.complete(request, run, &context).await
    }

    #[allow(deprecated, reason = "the current versions of the protocol have it")]
    async fn set_level(
        &self,
        request: rmcp::model::SetLevelRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        self.min_level.set(request.level.into());
        Ok(())
    }

    async fn on_initialized(&self, context: NotificationContext<RoleServer>) {
        self.notifier.get_or_init(|| {
            let (changes, subscriptions) = (Arc::clone(&self.changes), self.subscriptions.clone());
            Notifier(tokio::spawn(notify_connection(changes, subscriptions, context.peer)))
        });
    }

    /// From protocol 2026-07-28 on, a client asks for notifications with a request.
    fn accepted_subscription_filter(&self, requested: &SubscriptionFilter) -> Option<SubscriptionFilter> {
        let uris = accepted_uris(&self.server.offers.resources, requested);
        Some(SubscriptionFilter::builder().tools_list_changed().resource_subscriptions(uris).build())
    }

    async fn listen(&self, subscription: SubscriptionContext) -> Result<(), ErrorData> {
        let request = subscription.request_context();
        let changes = request.extensions.get::<SharedChanges>().unwrap_or(&self.changes);
        let mut changes = changes.lock().await;
        let run = self.run_context(request, None)?;
        let uris = subscription.accepted().resource_subscriptions.iter().flatten();
        let readable = self.server.offers.readable(uris, &run, request).await;
        // An error means that the connection has ended.
        tokio::select! {
            () = cancelled(request) => {}
            _ = notify_subscription(&mut changes, &readable, &subscription) => {}
        }
        Ok(())
    }
}

/// Waits until the client cancels the request, or the connection ends.
pub(super) async fn cancelled(context: &RequestContext<RoleServer>) {
    match context.extensions.get::<CancelledByClient>() {
        Some(by_client) => drop(by_client.0.run_until_cancelled(context.ct.cancelled()).await),
        None => context.ct.cancelled().await,
    }
}

/// How a call ended.
enum Ended {
    Finished(ToolMessage),
    Asks(Result<InputRequiredResult, String>),
}

impl Ended {
    fn finished(messages: Vec<ToolMessage>, call: &ToolCall) -> Self {
        // A dispatch returns one message per call.
        let failed = || ToolMessage::error(&call.id, "the call has no result");
        Ended::Finished(messages.into_iter().next().unwrap_or_else(failed))
    }
}

/// Dispatches one call, and sends its progress and log messages to the client.
async fn dispatch(
    registry: &Registry,
    (run, mut questions): (RunContext, Option<OpenQuestions>),
    call: &ToolCall,
    (context, min_level): (&RequestContext<RoleServer>, Option<LogLevel>),
) -> Ended {
    // Cancelled together with the run context, or by the client.
    let token = run.child_token();
    let mut call_context = run.clone().cancellation(token.clone()).count_calls_with(&run);
    let mut notifications: Option<Forwarder> = None;
    if let Some((forwarder, listen)) = forwarder(context, min_level) {
        call_context = call_context.on_event(listen);
        notifications = Some(forwarder);
    }
    let finished = CancellationToken::new();
    let registry = registry.with(&call_context);
    let dispatch = async {
        let _finished = finished.clone().drop_guard();
        let mut dispatched = pin!(registry.dispatch(std::slice::from_ref(call)));
        let asks = async {
            match &mut questions {
                Some(questions) => questions.result().await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            biased;
            messages = &mut dispatched => Ended::finished(messages, call),
            // The call is dropped, and runs again with the answers.
            result = asks => {
                // For the tasks and threads of the tool.
                token.cancel();
                Ended::Asks(result)
            }
            () = cancelled(context) => {
                token.cancel();
                Ended::finished(dispatched.await, call)
            }
        }
    };
    let forward = async {
        let Some(notifications) = notifications else { return };
        // At the end of the input, rmcp still sends results, but no notifications.
        let late = async {
            finished.cancelled().await;
            tokio::time::sleep(MAX_WAIT_FOR_NOTIFICATIONS).await;
        };
        tokio::select! {
            () = notifications.run(finished.clone()) => {}
            () = late => {}
        }
    };
    let (ended, ()) = tokio::join!(dispatch, forward);
    ended
}
