//! The registry: the tools of a program by name.
//!
//! [`RegistryBuilder`] collects functions (a [`ToolList`], or every `#[tool]` of the program), methods (a [`Toolset`]) and
//! [`DynamicTool`]s, together with state, limits and hooks. It builds a [`Registry`], or returns every error at once as a
//! [`BuildError`], with a [`BuildErrorKind`] for each.
//!
//! [`Annotations`] are the properties that a tool declares, [`Policy`] the rules that dispatch enforces for it.

mod allowed_names;
mod before_call;
mod build;
mod build_error;
mod candidate;
mod config;
mod dynamic_tools;
mod hosted_approval;
mod index;
mod limits;
mod merge;
mod options;
pub(crate) mod ready_call;
mod registered_tool;
#[cfg(feature = "search")]
mod search;
#[cfg(feature = "search")]
mod search_tools;
mod tools;
mod unknown_tools;
mod validate;
#[cfg(not(feature = "search"))]
mod without_search;

pub use build::RegistryBuilder;
pub use build_error::{BuildError, BuildErrorKind};
use config::Config;
use hosted_approval::hosted_approval;
pub(crate) use limits::Limits;
pub(crate) use options::RepeatedCallLimit;
pub(crate) use ready_call::{Layer, OwnedCall, ReadyCall, RunLayers};
pub use registered_tool::RegisteredTool;
use tools::Tools;

use crate::approval::BeforeCall;
use crate::coerce::CoercionOptions;
use crate::context::{AllowedTools, CallEvent, Order, OrderedCall, Progress, RunContext};
use crate::message::ToolCall;
use crate::outcome::UnknownToolError;
use crate::schema::ToolSchema;
#[doc(inline)]
pub use crate::tool::{Annotations, DynamicTool, Policy, ToolList, Toolset};
use crate::tool::{Batch, Place, ToolEntry, Unfinished};
use crate::tool_choice::ToolChoice;
use crate::tool_name::HOSTED_APPROVAL;
use crate::wire::ToolCache;
use std::borrow::Cow;
use std::collections::BTreeSet;
use std::fmt;
use std::sync::Arc;
use tokio::sync::Semaphore;
// Tokio's clock, which tests can pause.
use tokio::time::Instant;

/// The tools that a model may call, with their schemas for the request and [`dispatch`](Registry::dispatch) for the
/// calls of a reply.
///
/// Build it once and share it: a clone copies pointers. [`with`](Registry::with) binds a [`RunContext`] to a clone.
///
/// ```standalone_crate
/// use tool_runtime::{Registry, ToolCall, tool};
///
/// /// Adds two numbers.
/// #[tool]
/// fn add(a: i64, b: i64) -> i64 {
///     a + b
/// }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let registry = Registry::collect()?;
/// let messages = registry.dispatch(&[ToolCall::new("call_1", "add", r#"{"a":1,"b":2}"#)]).await;
/// assert_eq!(messages[0].tool_call_id, "call_1");
/// assert_eq!(messages[0].content, "3");
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct Registry {
    tools: Arc<Tools>,
    /// `None` for a registry without a run context.
    run_context: Option<RunContext>,
}

impl Registry {
    /// Creates a registry of every function with [`#[tool]`](crate::tool) that is linked into the program, including
    /// those of its dependencies. Needs the feature `collect`, which is on by default.
    ///
    /// The linker may omit a crate that the program does not use otherwise, with its tools: `use that_crate as _;`
    /// keeps them. Unit tests of a crate share one program, and so do doc tests of edition 2024: mark a doc test with
    /// `standalone_crate` to collect only its own tools.
    ///
    /// ```standalone_crate
    /// use tool_runtime::{Registry, tool};
    ///
    /// /// The time of day.
    /// #[tool]
    /// fn now() -> &'static str {
    ///     "12:00"
    /// }
    ///
    /// assert_eq!(Registry::collect()?.names(), ["now"]);
    /// # Ok::<(), tool_runtime::BuildError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Returns the errors of [`RegistryBuilder::build`], for example two tools with one name, or a tool without its
    /// state. Use `Registry::builder().collect().state(..).build()` for tools with state.
    #[cfg(feature = "collect")]
    pub fn collect() -> Result<Self, BuildError> {
        Registry::builder().collect().build()
    }

    /// Creates a registry of exactly these tools: `Registry::new(tools![add, clock::now])`.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`RegistryBuilder::build`], except duplicate names, which are a compile error of
    /// [`tools!`](crate::tools).
    pub fn new(tools: ToolList) -> Result<Self, BuildError> {
        Registry::builder().tools(tools).build()
    }

    /// Returns a builder, for toolsets, dynamic tools, state, hooks and limits.
    pub fn builder() -> RegistryBuilder {
        RegistryBuilder::default()
    }

    /// The definitions for the `tools` array of the request. They are sorted by name, so that servers can cache the
    /// prompt.
    ///
    /// The definitions serialize as the tools of Chat Completions. Each is written once and cached: a request copies its
    /// bytes. Servers reject `tools: []`, so omit the key if the registry is empty. With a search
    /// (`RegistryBuilder::search`), these are the pinned tools, `search_tools` and `call_tool`.
    ///
    /// ```
    /// use serde::Serialize;
    /// use tool_runtime::{Registry, ToolSchema, tools};
    ///
    /// #[derive(Serialize)]
    /// struct Request<'a> {
    ///     model: &'a str,
    ///     #[serde(skip_serializing_if = "<[_]>::is_empty")]
    ///     tools: &'a [ToolSchema],
    /// }
    ///
    /// let registry = Registry::new(tools![])?;
    /// let request = Request { model: "a-model", tools: registry.schemas() };
    /// assert_eq!(serde_json::to_string(&request)?, r#"{"model":"a-model"}"#);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn schemas(&self) -> &[ToolSchema] {
        self.tools.listed()
    }

    /// The cached `tools` arrays of requests with all tools.
    pub(crate) fn tool_cache(&self) -> ToolCache<'_> {
        let (tools, deferred_tools) = (self.schemas(), self.deferred_schemas());
        ToolCache { tools, deferred_tools, arrays: &self.tools.arrays }
    }

    /// The errors of the dynamic tools that were skipped, one entry per tool. Empty unless
    /// [`RegistryBuilder::skip_invalid_tools`] is set.
    #[must_use]
    pub fn skipped_tools(&self) -> &[BuildError] {
        &self.tools.config.skipped
    }

    /// The sorted names of the tools.
    #[must_use]
    pub fn names(&self) -> Vec<&str> {
        self.tools.schemas.iter().map(ToolSchema::name).collect()
    }

    /// The `tool_choice` that makes the model call this tool.
    ///
    /// # Errors
    ///
    /// Returns an error if the registry has no such tool, since servers reject such a request. With a search
    /// (`RegistryBuilder::search`), requests contain only the pinned tools, `search_tools` and `call_tool`.
    pub fn tool_choice(&self, name: &str) -> Result<ToolChoice, UnknownToolError> {
        match self.tool(name).map(|tool| tool.schema.name()).filter(|name| !self.is_deferred(name)) {
            Some(name) => Ok(ToolChoice::Tool(name.to_owned())),
            None => Err(UnknownToolError::among(name, self.schemas().iter().map(ToolSchema::name))),
        }
    }

    /// Returns a registry of some of the tools, for example for one request. Calls of other tools fail with
    /// [`CallError::UnknownTool`](crate::CallError::UnknownTool).
    ///
    /// The subset shares the tools, state, hook and limits of this registry, so it is cheap to create. With a search
    /// (`RegistryBuilder::search`), it has `search_tools` and `call_tool` if it has tools to find, whether they are named or
    /// not.
    ///
    /// ```
    /// use tool_runtime::{Registry, tool, tools};
    ///
    /// /// The time of day.
    /// #[tool]
    /// fn now() {}
    /// /// Turns the light on.
    /// #[tool]
    /// fn light() {}
    ///
    /// let registry = Registry::new(tools![now, light])?;
    /// assert_eq!(registry.subset(["now"])?.names(), ["now"]);
    /// assert!(registry.subset(["noon"]).is_err());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Returns an error for the first name that no tool of this registry has.
    pub fn subset<N: AsRef<str>>(
        &self,
        names: impl IntoIterator<Item = N>,
    ) -> Result<Self, UnknownToolError> {
        let mut indices = BTreeSet::new();
        for name in names {
            let name = name.as_ref();
            let index = self.tools.index.find(name);
            indices.insert(index.ok_or_else(|| UnknownToolError::among(name, self.names().into_iter()))?);
        }
        let tools = indices.into_iter().map(|index| self.tools.at(index));
        let tools = tools.filter(|(schema, _)| !self.tools.is_search_tool(schema.name())).collect();
        let tools = Tools::new(tools, Arc::clone(&self.tools.config), Some(&self.tools));
        Ok(Registry { tools: Arc::new(tools), ..self.clone() })
    }

    /// Returns this registry bound to a run context: its calls get the state, the cancellation token, the listeners and the
    /// limits of the context. It copies pointers. A context that was bound before is replaced.
    ///
    /// A future such as that of [`dispatch`](Registry::dispatch) borrows the bound registry: bind it in a `let` before a
    /// macro such as `tokio::join!` stores the future.
    ///
    /// See [`RunContext`] for an example.
    #[must_use]
    pub fn with(&self, context: &RunContext) -> Self {
        Registry { run_context: Some(context.clone()), ..self.clone() }
    }

    /// Whether calls of a run with these allowed tools may use the tool. They may always use the tools of a search, which
    /// find and call only allowed tools.
    pub(crate) fn is_allowed(&self, tool: &ToolEntry, allowed: Option<&AllowedTools>) -> bool {
        tool.is_allowed_by(allowed) || self.tools.is_search_tool(&tool.name) || tool.name == HOSTED_APPROVAL
    }

    /// The log of the run of the calls, around all middleware.
    pub(crate) fn run_log(&self) -> Option<&Layer> {
        self.run_context.as_ref()?.run_log()
    }

    /// A batch of calls that starts now, for the reply with this number in its run, unless the context has the number.
    pub(crate) fn new_batch(&self, reply: u64) -> Batch<'_> {
        let context = self.run_context.as_ref();
        let has_listeners = context.is_some_and(|context| !context.listeners().is_empty());
        Batch {
            context,
            reply: context.and_then(RunContext::number_of_reply).unwrap_or(reply),
            started: (has_listeners || self.measures_durations()).then(Instant::now),
            rejection: None,
            has_written_keys: false,
            is_direct: context.is_none_or(RunContext::is_direct),
            order: None,
            is_early: false,
            place: Place::ThisProcess,
            unfinished: Unfinished::Fail,
        }
    }

    /// Sends an event of a call to the listeners of the run context.
    pub(crate) fn send_event(&self, event: &CallEvent) {
        self.run_context.iter().for_each(|context| context.send(event));
    }

    /// The run context that [`with`](Registry::with) has bound.
    ///
    /// ```
    /// use tool_runtime::{Registry, RunContext, tools};
    ///
    /// let registry = Registry::new(tools![])?;
    /// assert!(registry.run_context().is_none());
    /// assert!(registry.with(&RunContext::new()).run_context().is_some());
    /// # Ok::<(), tool_runtime::BuildError>(())
    /// ```
    #[must_use]
    pub fn run_context(&self) -> Option<&RunContext> {
        self.run_context.as_ref()
    }

    /// The registry for one dispatch: without a bound run context, each dispatch counts its calls on its own.
    pub(crate) fn for_dispatch(&self) -> Cow<'_, Self> {
        if self.tools.has_call_limits && self.run_context.is_none() {
            Cow::Owned(self.with(&RunContext::new()))
        } else {
            Cow::Borrowed(self)
        }
    }

    pub(crate) fn entry(&self, name: &str) -> Option<&Arc<ToolEntry>> {
        if name == HOSTED_APPROVAL {
            return hosted_approval();
        }
        self.tools.index.find(name).map(|position| &self.tools.entries[position])
    }

    /// Whether a provider rejects a key of any tool.
    pub(crate) fn has_rejected_keys(&self) -> bool {
        self.tools.has_rejected_keys
    }

    pub(crate) fn limits(&self) -> &Limits {
        &self.tools.config.options.limits
    }

    /// The semaphore of `max_concurrency`, shared by the clones and the subsets of the registry.
    pub(crate) fn permits(&self) -> Option<&Semaphore> {
        self.tools.config.permits.as_ref()
    }

    /// The middleware at this position, from the outermost.
    pub(crate) fn layer(&self, position: usize) -> Option<&Layer> {
        let layers = &self.tools.config.layers;
        let run_layers: Option<&RunLayers> = self.run_context().and_then(RunContext::middleware);
        if run_layers.is_none() && self.run_log().is_none() {
            return layers.get(position);
        }
        let (outer, inner) =
            run_layers.map_or((&[][..], &[][..]), |run_layers| (&run_layers.outer, &run_layers.inner));
        self.run_log().into_iter().chain(outer).chain(layers).chain(inner).nth(position)
    }

    pub(crate) fn has_middleware(&self) -> bool {
        self.layer(0).is_some()
    }

    pub(crate) fn before_call_hook(&self) -> Option<&BeforeCall> {
        self.tools.config.before_call.as_ref()
    }

    /// Whether this call may start before the end of the reply. `only_reads` if the reply may be requested again: its calls then
    /// have no effect, and their number has no limit.
    pub(crate) fn may_start_while_streaming(&self, call: &ToolCall, only_reads: bool) -> bool {
        if self.is_resumable(call) {
            return false;
        }
        if only_reads {
            let Some(tool) = self.called_entry(call) else { return false };
            return tool.options.annotations.is_read_only() && tool.options.policy.max_calls.is_none();
        }
        self.tools.config.options.start_all_while_streaming || self.may_repeat(call)
    }

    /// The order of the calls of a reply, with their progress by position. `None` if none of them is a barrier.
    pub(crate) fn order(&self, calls: &[ToolCall], progress: impl Fn(usize) -> Progress) -> Option<Order> {
        let is_ordered =
            self.has_barriers() && calls.len() > 1 && calls.iter().any(|call| self.is_barrier(call));
        is_ordered.then(|| {
            let order = Order::default();
            order.start((0..).zip(calls).map(|(position, call)| self.ordered(call, progress(position))));
            order
        })
    }

    pub(crate) fn ordered(&self, call: &ToolCall, progress: Progress) -> OrderedCall {
        OrderedCall { id: call.id.clone(), is_barrier: self.is_barrier(call), progress }
    }

    /// Whether the calls of any tool are barriers.
    pub(crate) fn has_barriers(&self) -> bool {
        self.tools.has_barriers
    }

    /// Whether earlier calls of its reply end before this one begins, and later ones begin after it has ended.
    pub(crate) fn is_barrier(&self, call: &ToolCall) -> bool {
        self.called_entry(call).is_some_and(|tool| tool.is_barrier)
    }

    /// Whether this call may run again after it was interrupted.
    pub(crate) fn may_repeat(&self, call: &ToolCall) -> bool {
        self.annotations_of(call).is_some_and(|annotations| annotations.may_repeat())
    }

    /// Whether this call has no effect.
    pub(crate) fn is_read_only(&self, call: &ToolCall) -> bool {
        self.annotations_of(call).is_some_and(|annotations| annotations.is_read_only())
    }

    /// Whether the tool of this call may run again from its beginning.
    pub(crate) fn is_resumable(&self, call: &ToolCall) -> bool {
        self.called_entry(call).is_some_and(|entry| entry.options.policy.resumable)
    }

    fn annotations_of(&self, call: &ToolCall) -> Option<Annotations> {
        self.called_entry(call).map(|entry| entry.options.annotations)
    }

    /// The tool that a call runs, which is another one if it is a call of `call_tool`.
    pub(crate) fn called_entry(&self, call: &ToolCall) -> Option<&Arc<ToolEntry>> {
        let contained = self.contained_call(call);
        self.entry(&contained.or(call).name)
    }

    /// The number of identical results of a call after which the model gets a note.
    pub(crate) fn repeated_call_limit(&self) -> RepeatedCallLimit {
        self.tools.config.options.repeated_calls
    }

    /// Whether the durations of all calls are measured.
    fn measures_durations(&self) -> bool {
        self.tools.config.options.measure_durations
    }

    #[cfg(feature = "tracing")]
    pub(crate) fn traces_content(&self) -> bool {
        self.tools.config.options.trace_content
    }

    /// The coercions of the arguments of a call that are allowed.
    pub(crate) fn coercion_options<'c>(&self, call: &'c ToolCall) -> CoercionOptions<'c> {
        let null_is_absent = self.tools.config.options.null_means_absent || call.null_is_absent;
        CoercionOptions { tool: &call.name, null_is_absent, lenient: self.is_lenient() }
    }

    /// Whether invalid arguments are repaired and coerced.
    pub(crate) fn is_lenient(&self) -> bool {
        self.tools.config.options.lenient_arguments
    }
}

impl fmt::Debug for Registry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Registry").field("tools", &self.names()).finish()
    }
}
