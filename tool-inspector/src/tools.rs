//! The tools of the registry, as the page shows them.

use crate::api_error::ApiError;
use crate::definitions::{Definition, definitions, request_sizes};
use crate::lock_file::{LockFile, ToolChangeView};
use crate::state::{ComputedOnce, Inspection, Shared};
use crate::tokens::{METHOD, count_tokens};
use axum::Json;
use axum::extract::{Path, State};
use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse as _, Response};
use serde::Serialize;
use serde_json::Value;
use std::collections::{BTreeMap, HashSet};
use tool_runtime::registry::{Annotations, Policy, RegisteredTool};
use tool_runtime::{Registry, ToolSchema};

/// The first data of the page.
#[derive(Debug, Serialize)]
pub(crate) struct Overview {
    title: String,
    has_registry: bool,
    token_method: &'static str,
    tools: Vec<ListedTool>,
    skipped_tools: Vec<String>,
    lock: Option<LockFile>,
    #[serde(flatten)]
    sources: Sources,
}

/// The settings of the program that the page uses.
#[derive(Debug, Serialize)]
struct Sources {
    has_prices: bool,
    has_sessions: bool,
    has_runs: bool,
}

/// A tool in the list.
#[derive(Debug, Serialize)]
struct ListedTool {
    name: String,
    title: Option<String>,
    description: String,
    annotations: Annotations,
    requires_approval: bool,
    is_deferred: bool,
    is_allowed: bool,
    /// Whether the tool differs from the lock file.
    change: Option<&'static str>,
}

/// A tool with everything that the page shows of it.
#[derive(Debug, Serialize)]
pub(crate) struct ToolView {
    name: String,
    title: Option<String>,
    original_name: Option<String>,
    description: String,
    annotations: Annotations,
    policy: PolicyView,
    is_deferred: bool,
    is_allowed: bool,
    /// The schema against which arguments are validated.
    parameters: Value,
    output_schema: Option<Value>,
    unsupported_keywords: Vec<String>,
    changes: Vec<ToolChangeView>,
    definitions: Vec<Definition>,
}

#[derive(Debug, Serialize)]
struct PolicyView {
    requires_approval: bool,
    timeout_ms: Option<u128>,
    max_concurrency: Option<usize>,
    max_calls: Option<usize>,
    exclusive: bool,
    resumable: bool,
}

impl From<Policy> for PolicyView {
    fn from(policy: Policy) -> Self {
        PolicyView {
            requires_approval: policy.requires_approval,
            timeout_ms: policy.timeout.map(|limit| limit.as_millis()),
            max_concurrency: policy.max_concurrency,
            max_calls: policy.max_calls,
            exclusive: policy.exclusive,
            resumable: policy.resumable,
        }
    }
}

pub(crate) async fn overview(State(shared): State<Shared>) -> Result<Json<Overview>, ApiError> {
    blocking(move || {
        let lock = shared.settings.registry.as_ref().zip(shared.settings.lock_file.as_ref());
        let lock = lock.map(|(registry, path)| LockFile::compare(registry, path));
        Ok(Json(Overview {
            title: shared.settings.title.clone(),
            has_registry: shared.settings.registry.is_some(),
            token_method: METHOD,
            tools: shared
                .settings
                .registry
                .as_ref()
                .map(|registry| list(registry, lock.as_ref()))
                .unwrap_or_default(),
            skipped_tools: shared
                .settings
                .registry
                .iter()
                .flat_map(Registry::skipped_tools)
                .map(ToString::to_string)
                .collect(),
            lock,
            sources: Sources {
                has_prices: shared.settings.prices.is_some(),
                has_sessions: shared.settings.sessions.is_some(),
                has_runs: shared.settings.runs.is_some(),
            },
        }))
    })
    .await
}

/// The tokens of each definition, by the name of its tool. Apart from the overview, which the page shows at once.
pub(crate) async fn tokens(State(shared): State<Shared>) -> Result<Response, ApiError> {
    counted_once(shared, |shared| &shared.tokens, tokens_by_tool).await
}

/// The sizes of the definitions in the requests of each wire.
pub(crate) async fn requests(State(shared): State<Shared>) -> Result<Response, ApiError> {
    counted_once(shared, |shared| &shared.requests, request_sizes).await
}

/// The JSON of a value that is computed once, since it takes seconds for a thousand tools. Other requests wait for it.
async fn counted_once<T: Serialize + 'static>(
    shared: Shared,
    once: fn(&Inspection) -> &ComputedOnce,
    count: fn(&Registry) -> T,
) -> Result<Response, ApiError> {
    blocking(move || {
        let registry = shared.registry()?;
        let counted = || serde_json::to_string(&count(registry)).map_err(|error| error.to_string());
        let text = once(&shared).get_or_init(counted).clone().map_err(ApiError::internal)?;
        Ok(([(CONTENT_TYPE, "application/json")], text).into_response())
    })
    .await
}

pub(crate) async fn tool(
    State(shared): State<Shared>,
    Path(name): Path<String>,
) -> Result<Json<ToolView>, ApiError> {
    blocking(move || {
        let registry = shared.registry()?;
        let tool = registry
            .tool(&name)
            .ok_or_else(|| ApiError::not_found(format!("the registry has no tool `{name}`")))?;
        let lock = shared.settings.lock_file.as_ref().map(|path| LockFile::compare(registry, path));
        let changes = lock.map(|lock| lock.changes_of(&name)).unwrap_or_default();
        let is_deferred = !names_in_requests(registry).contains(&*name);
        Ok(Json(ToolView::new(tool, is_deferred, changes)))
    })
    .await
}

/// Runs work that takes long for large registries, so that it does not block the other tasks of the program.
async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, ApiError> + Send + 'static,
) -> Result<T, ApiError> {
    let ended = tokio::task::spawn_blocking(work).await;
    ended.unwrap_or_else(|error| Err(ApiError::internal(format!("the inspector failed: {error}"))))
}

fn tokens_by_tool(registry: &Registry) -> BTreeMap<String, usize> {
    let tokens = |tool: RegisteredTool<'_>| {
        let text = serde_json::to_string(tool.schema).unwrap_or_default();
        (tool.schema.name().to_owned(), count_tokens(&text))
    };
    registry.tools().map(tokens).collect()
}

fn list(registry: &Registry, lock: Option<&LockFile>) -> Vec<ListedTool> {
    let in_requests = names_in_requests(registry);
    let listed = |tool: RegisteredTool<'_>| {
        let name = tool.schema.name();
        ListedTool {
            name: name.to_owned(),
            title: tool.title.map(str::to_owned),
            description: tool.schema.description().to_owned(),
            annotations: tool.annotations,
            requires_approval: tool.policy.requires_approval,
            is_deferred: !in_requests.contains(name),
            is_allowed: tool.is_allowed,
            change: lock.and_then(|lock| lock.kind_of(name)),
        }
    };
    registry.tools().map(listed).collect()
}

/// The tools whose definitions are in requests. The model finds the others with a search.
fn names_in_requests(registry: &Registry) -> HashSet<&str> {
    registry.schemas().iter().map(ToolSchema::name).collect()
}

impl ToolView {
    fn new(tool: RegisteredTool<'_>, is_deferred: bool, changes: Vec<ToolChangeView>) -> Self {
        ToolView {
            name: tool.schema.name().to_owned(),
            title: tool.title.map(str::to_owned),
            original_name: tool.original_name.map(str::to_owned),
            description: tool.schema.description().to_owned(),
            annotations: tool.annotations,
            policy: tool.policy.into(),
            is_deferred,
            is_allowed: tool.is_allowed,
            parameters: tool.enforced_schema.clone(),
            output_schema: tool.output_schema.cloned(),
            unsupported_keywords: tool.unsupported_keywords.to_vec(),
            changes,
            definitions: definitions(tool.schema),
        }
    }
}
