//! Calls that a server of rmcp continues as tasks.

use crate::questions::{Version, relay_lines};
use serde_json::json;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::Notify;
use tool_runtime::RunContext;
use tool_runtime::dispatch::{CancellationToken, UserAnswer};
use tool_runtime_mcp::Client;
use tool_runtime_mcp::rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, CancelTaskParams, ContentBlock,
    CreateTaskResult, ElicitRequest, ErrorData, GetTaskParams, GetTaskResult, InputRequest, ListToolsResult,
    PaginatedRequestParams, ServerCapabilities, ServerConfig, Tool, UpdateTaskParams,
};
use tool_runtime_mcp::rmcp::service::RequestContext;
use tool_runtime_mcp::rmcp::task_manager::{TaskExit, TaskManager, TaskOptions};
use tool_runtime_mcp::rmcp::{RoleServer, ServerHandler, serve_server};

/// A server whose tool `bake` asks for the kind of a cake, and `burn` never ends.
#[derive(Clone, Default)]
struct Bakery {
    tasks: TaskManager,
    cancelled: Arc<Notify>,
}

impl ServerHandler for Bakery {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().enable_tasks().build())
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let schema = || Arc::new(json!({ "type": "object" }).as_object().cloned().unwrap_or_default());
        let tools = ["bake", "burn"].map(|name| Tool::new(name, "Takes long.", schema()));
        Ok(ListToolsResult::with_all_items(tools.to_vec()))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let cancelled = Arc::clone(&self.cancelled);
        let options = TaskOptions::new().with_poll_interval_ms(1);
        let task = self.tasks.spawn(options, move |task| {
            Box::pin(async move {
                if request.name == "burn" {
                    task.cancelled().await;
                    cancelled.notify_one();
                    return Err(TaskExit::Cancelled);
                }
                let schema = json!({ "type": "object", "properties": { "kind": { "type": "string" } } });
                let params = json!({ "mode": "form", "message": "Which cake?", "requestedSchema": schema });
                let params = serde_json::from_value(params).expect("a form");
                let answer =
                    task.request_input("kind", InputRequest::Elicitation(ElicitRequest::new(params))).await?;
                let text = format!("baked {}", answer["content"]["kind"]);
                Ok(CallToolResult::success(vec![ContentBlock::text(text)]))
            })
        });
        Ok(CreateTaskResult::new(task).into())
    }

    async fn get_task(
        &self,
        request: GetTaskParams,
        _: RequestContext<RoleServer>,
    ) -> Result<GetTaskResult, ErrorData> {
        self.tasks.get_task(&request.task_id).map(GetTaskResult::new)
    }

    async fn update_task(
        &self,
        request: UpdateTaskParams,
        _: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        self.tasks.update_task(&request.task_id, request.input_responses)
    }

    async fn cancel_task(
        &self,
        request: CancelTaskParams,
        _: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        self.tasks.cancel_task(&request.task_id)
    }
}

#[tokio::test]
async fn a_task_is_polled_answered_and_cancelled() {
    let bakery = Bakery::default();
    let server = bakery.clone();
    let client = Client::transport(move || {
        let (ours, relayed) = tokio::io::duplex(1 << 16);
        let (relay, theirs) = tokio::io::duplex(1 << 16);
        let server = server.clone();
        tokio::spawn(async move { serve_server(server, theirs).await.expect("it starts").waiting().await });
        tokio::spawn(relay_lines(relayed, relay, Version::WithoutInitialize));
        async move { Ok::<_, std::io::Error>(ours) }
    });
    let registry = client.connect().await.expect("it responds").registry().await.expect("it lists its tools");
    let token = CancellationToken::new();
    let context = RunContext::new().cancellation(token.clone()).on_question(|question| async move {
        assert_eq!((&*question.tool, &*question.text), ("bake", "Which cake?"));
        Ok::<_, String>(UserAnswer::from(json!({ "kind": "apple" })))
    });
    let registry = registry.with(&context);
    assert_eq!(registry.call("bake", ()).await.text(), r#"baked "apple""#);

    let cancel = async {
        while bakery.tasks.running_task_count() == 0 {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
        token.cancel();
    };
    let (result, ()) = tokio::join!(registry.call("burn", ()), cancel);
    assert!(result.failure().is_some(), "{}", result.text());
    bakery.cancelled.notified().await;
}
