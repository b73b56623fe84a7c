//! The search of a registry: the definitions of its requests, and errors that help a model to find other tools.

use super::allowed_names::AllowedNames;
use super::search_tools::SearchTools;
use super::unknown_tools::may_suggest;
use super::{Registry, RegistryBuilder};
use crate::contained_call::ContainedCall;
use crate::context::RunContext;
use crate::message::ToolCall;
use crate::outcome::{CallError, UnknownToolError};
use crate::output::ToolFailure;
use crate::schema::ToolSchema;
use crate::search::{Catalog, Findable, Scope, Search, documented_signature};
use crate::suggest::{misspells, suggest};
use crate::tool::{Batch, IncomingCall, ToolEntry};
use crate::tool_name::{self, CALL_TOOL};
use std::sync::Arc;

/// A definition and its tool.
pub(super) type Tool = (ToolSchema, Arc<ToolEntry>);

/// The search of a registry, or of a subset of it.
pub(super) struct ToolSearch {
    catalog: Arc<Catalog>,
    scope: Arc<Scope>,
    /// The definitions that each request contains, sorted by name.
    pub(super) listed: Vec<ToolSchema>,
    /// The definitions that a search can find, sorted by name.
    pub(super) deferred: Vec<ToolSchema>,
    /// The names of the listed tools that a run may use.
    listed_names: AllowedNames,
}

impl ToolSearch {
    /// The search in these tools, which are sorted by name. Adds the tools that search and call. `superset` has the search of
    /// the registry of which these tools are a subset.
    pub(super) fn new(search_tools: &SearchTools, tools: &mut Vec<Tool>, superset: Option<&Self>) -> Self {
        let is_pinned = |tool: &ToolEntry| tool.is_in(&search_tools.settings.pinned);
        let (pinned, deferred): (Vec<Tool>, Vec<Tool>) =
            tools.iter().cloned().partition(|(_, tool)| is_pinned(tool));
        let definitions = |tools: &[Tool]| tools.iter().map(|(schema, _)| schema.clone()).collect::<Vec<_>>();
        let (mut listed, found) = (definitions(&pinned), definitions(&deferred));
        let (catalog, members) = match superset {
            Some(superset) => {
                let members = found.iter().filter_map(|schema| superset.catalog.position(schema.name()));
                (Arc::clone(&superset.catalog), Some(members.collect()))
            }
            None => (Arc::new(Catalog::new(search_tools.settings.clone(), deferred)), None),
        };
        let scope = Arc::new(Scope::new(members, pinned));
        // A subset without tools to find has no search.
        if superset.is_none() || !found.is_empty() {
            let own = search_tools.bind(&catalog, &scope);
            listed.extend(definitions(&own));
            tools.extend(own);
            listed.sort_by(|a, b| a.name().cmp(b.name()));
            tools.sort_by(|(a, _), (b, _)| a.name().cmp(b.name()));
        }
        ToolSearch { catalog, scope, listed, deferred: found, listed_names: AllowedNames::default() }
    }

    fn findable<'a>(&'a self, batch: &Batch<'a>) -> Findable<'a> {
        Findable { catalog: &self.catalog, scope: &self.scope, run: batch.context() }
    }
}

impl RegistryBuilder {
    /// Lets the model find tools with a search: each request contains the [pinned](Search::pin) tools and two others.
    /// Their JSON stays equal when unpinned tools are added or removed. Default: each request contains all tools. Needs
    /// the feature `search`.
    ///
    /// - **`search_tools(query, limit)`** is `read_only`. It returns the tools that match best: the full schemas of the first
    ///   three, and the signatures of the others.
    /// - **`call_tool(name, arguments)`** calls a tool. The call is that of the tool itself: its arguments are validated, its
    ///   approval, limits, hooks, middleware, spans and [`CallEvent`](crate::dispatch::CallEvent)s have its own name and
    ///   arguments, and the model receives its result. The history and the events of a reply have the call as the model
    ///   wrote it. On a strict wire, `arguments` is a string with JSON. A call may always contain an object or a string.
    /// - **A tool that the model has not searched for** runs as well, by `call_tool` or by its own name. If the arguments are
    ///   invalid, the error ends with the signature of the tool. The error of an unknown tool suggests a similar one.
    /// - **Tools that a request may not use** are neither found nor called: those outside of a
    ///   [`subset`](Registry::subset) or of [`allowed_tools`](crate::RunContext::allowed_tools), and those that have reached
    ///   their [`max_calls`](super::Policy::max_calls). A list of allowed tools names the tools that a search may find;
    ///   `search_tools` and `call_tool` follow from them.
    /// - **Tools that change**: [`merge`](Registry::merge) creates a registry with other tools, for example after the list of
    ///   an MCP server has changed. Its search finds them, and its requests stay equal unless a new tool is pinned. The
    ///   search is that of the first registry.
    /// - **Cost**: the first search of a registry creates its index, which takes about 0.05 ms per tool. Its subsets share it.
    /// - **Other methods of the registry** know all tools, except [`schemas`](Registry::schemas), which returns the
    ///   definitions of the requests (and of an MCP server), and [`tool_choice`](Registry::tool_choice), which accepts only
    ///   these.
    ///
    /// Wires with a native search use it on request: see `Anthropic::native_tool_search` and `Responses::native_tool_search`.
    ///
    /// ```
    /// use tool_runtime::search::Search;
    /// use tool_runtime::{Registry, ToolCall, tool, tools};
    ///
    /// /// The time of day.
    /// #[tool]
    /// fn now() -> &'static str {
    ///     "12:00"
    /// }
    ///
    /// /// Looks up the weather of a city.
    /// #[tool]
    /// fn get_weather(city: &str) -> String {
    ///     format!("{city}: sunny")
    /// }
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let search = Search::new().pin(["now"]);
    /// let registry = Registry::builder().tools(tools![now, get_weather]).search(search).build()?;
    /// let names: Vec<_> = registry.schemas().iter().map(|schema| schema.name()).collect();
    /// assert_eq!(names, ["call_tool", "now", "search_tools"]);
    ///
    /// let calls = [
    ///     ToolCall::new("call_1", "search_tools", r#"{"query":"weather"}"#),
    ///     ToolCall::new("call_2", "call_tool", r#"{"name":"get_weather","arguments":{"city":"Rome"}}"#),
    /// ];
    /// let messages = registry.dispatch(&calls).await;
    /// assert!(messages[0].text().contains("Looks up the weather of a city."));
    /// assert_eq!(messages[1].text(), "Rome: sunny");
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// [`build`](RegistryBuilder::build) returns an error if a tool is named `search_tools` or `call_tool`.
    pub fn search(mut self, search: Search) -> Self {
        self.search = Some(search);
        self
    }
}

impl Registry {
    /// The definitions that `search_tools` can find, sorted by name. Empty without a search. Needs the feature `search`.
    ///
    /// For a program that writes its own requests: see
    /// [`RequestParts::deferred_tools`](crate::wire::RequestParts::deferred_tools).
    #[must_use]
    pub fn deferred_schemas(&self) -> &[ToolSchema] {
        self.tools.search.as_ref().map_or(&[], |search| &search.deferred)
    }

    /// The call in the arguments of a call of `call_tool`.
    pub(crate) fn contained_call(&self, call: &ToolCall) -> ContainedCall {
        if self.tools.search.is_none() || call.name != CALL_TOOL {
            return ContainedCall::default();
        }
        let contained = ContainedCall::from_call(call);
        if contained.get().is_some() || call.is_truncated || !self.is_lenient() {
            return contained;
        }
        let coerced = self.coerced_arguments(call);
        coerced.map_or(contained, |arguments| ContainedCall::from_arguments(call, &arguments))
    }

    /// Whether calls of this run may use the tool.
    fn allows_in(&self, context: Option<&RunContext>, name: &str) -> bool {
        let allowed = context.and_then(RunContext::allowed);
        self.entry(name).is_some_and(|tool| self.is_allowed(tool, allowed))
    }

    /// Whether the requests do not contain the definition of this tool.
    pub(crate) fn is_deferred(&self, name: &str) -> bool {
        let deferred = self.deferred_schemas();
        deferred.binary_search_by(|schema| schema.name().cmp(name)).is_ok()
    }

    /// The error of the name of an unknown tool. It suggests only tools that the run may use.
    #[cold]
    pub(crate) fn unknown_name(&self, batch: &Batch<'_>, position: usize, name: &str) -> UnknownToolError {
        let Some(search) = &self.tools.search else {
            return self.unknown_name_without_search(position, name, batch.context().allowed());
        };
        let is_allowed = |name: &&str| self.allows_in(batch.context, name);
        let listed = || search.listed.iter().map(ToolSchema::name).filter(is_allowed);
        let listed = search.listed_names.get(batch.context().allowed(), listed);
        let findable = search.findable(batch);
        let findable = || findable.tools().map(ToolSchema::name);
        let can_search = findable().next().is_some();
        let error = UnknownToolError { can_search, ..UnknownToolError::new(name, None, Arc::clone(&listed)) };
        if !may_suggest(position) {
            return error;
        }
        let all: Vec<&str> = findable().chain(listed.iter().map(|name| &**name)).collect();
        let names = || all.iter().copied().filter(|name| !tool_name::is_reserved(name));
        let suggestion = suggest(name, names()).or_else(|| names().find(|known| misspells(name, known)));
        UnknownToolError { suggestion: suggestion.map(str::to_owned), ..error }
    }

    /// Adds the signature of a tool that the model may not have read to an error about its name or arguments.
    pub(crate) fn with_search_hint(&self, incoming: &IncomingCall<'_>, failure: ToolFailure) -> ToolFailure {
        let IncomingCall { batch, call, .. } = *incoming;
        if self.tools.search.is_none() {
            return failure;
        }
        let hint = match failure.error() {
            Some(CallError::UnknownTool(unknown)) => {
                let name = unknown.suggestion.as_deref();
                name.and_then(|name| self.deferred_signature(incoming, name))
            }
            Some(error) if error.is_about_arguments() && call.name == CALL_TOOL => {
                let tool =
                    ContainedCall::name_in(&call.arguments).and_then(|name| Some(self.tool(&name)?.schema));
                let tool = tool.filter(|tool| self.allows_in(batch.context, tool.name()));
                tool.map(|tool| {
                    let signature = documented_signature(tool);
                    format!("\nPass the arguments of the tool in `arguments`. Its signature: {signature}")
                })
            }
            Some(error) if error.is_about_arguments() => self.deferred_signature(incoming, &call.name),
            _ => None,
        };
        match hint {
            Some(hint) => {
                let message = failure.message().to_owned() + &hint;
                failure.with_message(message)
            }
            None => failure,
        }
    }

    /// The signature of a tool whose definition is not in the requests, on a line of its own.
    fn deferred_signature(&self, incoming: &IncomingCall<'_>, name: &str) -> Option<String> {
        let tool = self.tool(name).map(|tool| tool.schema).filter(|tool| self.is_deferred(tool.name()))?;
        let written = if incoming.has_written_keys() { tool.with_written_keys() } else { None };
        Some(format!("\nSignature: {}", documented_signature(written.as_ref().unwrap_or(tool))))
    }
}
