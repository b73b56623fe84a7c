//! The tools of a program, by name.

mod before_call;
mod build;
mod build_error;
mod entry;
mod index;
mod limits;
mod name;
mod refuse;
mod setting;

pub use build::RegistryBuilder;
pub use build_error::{BuildError, BuildErrorKind};
pub(crate) use entry::Entry;
use index::Index;
pub(crate) use limits::Limits;
use setting::Setting;

use crate::approval::BeforeCall;
use crate::coerce::CoercionOptions;
use crate::outcome::UnknownToolError;
use crate::schema::{Dialect, ToolSchema, tools_array};
use crate::state::States;
#[doc(inline)]
pub use crate::tool::{Annotations, DynamicTool, Policy, ToolList, Toolset};
use crate::tool_choice::ToolChoice;
use serde_json::value::RawValue;
use std::collections::BTreeSet;
use std::fmt;
use std::sync::{Arc, OnceLock};
use tokio::sync::Semaphore;

/// The tools that a model may call: their schemas for the request, and [`dispatch`](Registry::dispatch) for
/// the calls that come back.
///
/// Made once, then shared: a clone is a pointer.
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
/// let answers = registry.dispatch(&[ToolCall::new("call_1", "add", r#"{"a":1,"b":2}"#)]).await;
/// assert_eq!(answers[0].tool_call_id, "call_1");
/// assert_eq!(answers[0].content, "3");
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct Registry {
    tools: Arc<Tools>,
}

/// Sorted by name; `schemas[i]` describes `entries[i]`.
struct Tools {
    schemas: Vec<ToolSchema>,
    entries: Vec<Entry>,
    index: Index,
    /// For errors, since there may be thousands of tools. Written when they are first asked for, as the arrays are.
    names: OnceLock<Arc<[String]>>,
    loose_array: OnceLock<Option<Box<RawValue>>>,
    strict_array: OnceLock<Option<Box<RawValue>>>,
    setting: Arc<Setting>,
}

impl Tools {
    fn new(schemas: Vec<ToolSchema>, entries: Vec<Entry>, setting: Arc<Setting>) -> Self {
        Tools {
            schemas,
            index: Index::of(&entries),
            entries,
            names: OnceLock::new(),
            loose_array: OnceLock::new(),
            strict_array: OnceLock::new(),
            setting,
        }
    }
}

impl Registry {
    /// Every function with [`#[tool]`](crate::tool) that is linked into the program, those of its
    /// dependencies included. Needs the feature `collect`, which is on by default.
    ///
    /// A crate that nothing else of is used may be left out by the linker, and its tools with it:
    /// `use that_crate as _;` keeps them. Unit tests see the tools of all of them, and so do the doc tests of
    /// edition 2024, which rustdoc merges into one program: `standalone_crate` keeps one apart.
    ///
    /// # Errors
    ///
    /// As for [`RegistryBuilder::build`]: two tools of one name, for example, or a tool that needs a state. With
    /// states, it is `Registry::builder().collect().state(..).build()`.
    #[cfg(feature = "collect")]
    pub fn collect() -> Result<Self, BuildError> {
        Registry::builder().collect().build()
    }

    /// Exactly these tools: `Registry::new(tools![add, clock::now])`.
    ///
    /// # Errors
    ///
    /// As for [`RegistryBuilder::build`], less the duplicates, which [`tools!`](crate::tools) refuses when it is
    /// compiled.
    pub fn new(tools: ToolList) -> Result<Self, BuildError> {
        Registry::builder().tools(tools).build()
    }

    /// For a registry of several parts.
    pub fn builder() -> RegistryBuilder {
        RegistryBuilder::default()
    }

    /// The definitions for the `tools` array of the request, by name, so that prompts cache.
    ///
    /// An empty registry has none, and servers refuse `tools: []`: leave the key out then, or use
    /// [`schemas_for`](Registry::schemas_for), which is `None` then.
    #[must_use]
    pub fn schemas(&self) -> &[ToolSchema] {
        &self.tools.schemas
    }

    /// The `tools` array in a dialect, written once and kept: putting it into a request is copying its bytes.
    ///
    /// `None` without tools, since servers refuse `tools: []`: a request type leaves the key out with
    /// `#[serde(skip_serializing_if = "Option::is_none")]`.
    ///
    /// In [`Dialect::OpenAiStrict`], a tool that cannot be strict stands without `strict` among those that are;
    /// [`RegistryBuilder::dialect`] refuses it instead. From the moment that a registry, or a subset of it, was asked
    /// for strict schemas, a null stands for an argument that was left out; a program that answers calls which another
    /// process asked for says so with `RegistryBuilder::dialect`.
    ///
    /// ```
    /// use serde::Serialize;
    /// use serde_json::value::RawValue;
    /// use tool_runtime::schema::Dialect;
    /// use tool_runtime::{Registry, tools};
    ///
    /// #[derive(Serialize)]
    /// struct Request<'a> {
    ///     model: &'a str,
    ///     #[serde(skip_serializing_if = "Option::is_none")]
    ///     tools: Option<&'a RawValue>,
    /// }
    ///
    /// let registry = Registry::new(tools![])?;
    /// let request = Request { model: "a-model", tools: registry.schemas_for(Dialect::OpenAi) };
    /// assert_eq!(serde_json::to_string(&request)?, r#"{"model":"a-model"}"#);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn schemas_for(&self, dialect: Dialect) -> Option<&RawValue> {
        let array = match dialect {
            Dialect::OpenAi => &self.tools.loose_array,
            Dialect::OpenAiStrict => {
                self.tools.setting.strict_is_given();
                &self.tools.strict_array
            }
        };
        array.get_or_init(|| tools_array(&self.tools.schemas, dialect)).as_deref()
    }

    /// The keywords in the schema of a tool that are not enforced, with their locations: unknown keywords of a
    /// [`DynamicTool`](crate::DynamicTool)'s schema, references that cannot be followed or lead back to themselves, keywords with invalid values, and patterns that the `regex`
    /// crate does not compile (all of them without the feature `regex`). Arguments are never rejected because of one: a branch of `oneOf` with such a keyword may match next to another
    /// branch, and a `not` with one accepts every value.
    ///
    /// ```
    /// use serde_json::json;
    /// use tool_runtime::{DynamicTool, Registry};
    ///
    /// let parameters = json!({"type": "object", "properties": {"a": {"contains": {"type": "string"}}}});
    /// let tool = DynamicTool::new("tool", "", parameters, |_| async { Ok::<_, String>(()) });
    /// let registry = Registry::builder().dynamic(tool).build()?;
    /// assert_eq!(registry.unsupported_keywords("tool"), ["`contains` at `/properties/a`"]);
    /// # Ok::<(), tool_runtime::BuildError>(())
    /// ```
    #[must_use]
    pub fn unsupported_keywords(&self, name: &str) -> &[String] {
        self.entry(name).map_or(&[], Entry::unsupported_keywords)
    }

    /// The errors of the dynamic tools that were left out, one entry per tool: see
    /// [`RegistryBuilder::skip_invalid_tools`]. Empty without it.
    #[must_use]
    pub fn skipped(&self) -> &[BuildError] {
        &self.tools.setting.skipped
    }

    /// The name that a tool was given, where servers would not take that: see [`RegistryBuilder::map_names`].
    #[must_use]
    pub fn original_name(&self, name: &str) -> Option<&str> {
        self.entry(name).and_then(|entry| entry.original_name.as_deref())
    }

    /// The definition of one tool.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&ToolSchema> {
        self.tools.index.find(name).map(|place| &self.tools.schemas[place])
    }

    /// The names of the tools, in order.
    #[must_use]
    pub fn names(&self) -> Vec<&str> {
        self.tools.schemas.iter().map(ToolSchema::name).collect()
    }

    /// How many tools there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.tools.schemas.len()
    }

    /// Whether there is no tool.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.tools.schemas.is_empty()
    }

    /// The choice that makes the model call this tool.
    ///
    /// # Errors
    ///
    /// The registry has no such tool: a server would refuse the request.
    pub fn tool_choice(&self, name: &str) -> Result<ToolChoice, UnknownToolError> {
        match self.get(name) {
            Some(schema) => Ok(ToolChoice::Tool(schema.name().to_owned())),
            None => Err(self.unknown_tool(name)),
        }
    }

    /// The annotations of a tool: the properties that its author declares. `None` if there is no such tool.
    ///
    /// ```
    /// use tool_runtime::{Registry, tool, tools};
    ///
    /// /// Deletes a file.
    /// #[tool(destructive, idempotent)]
    /// fn delete(path: &str) {}
    ///
    /// let registry = Registry::new(tools![delete])?;
    /// assert!(registry.annotations("delete").is_some_and(|tool| tool.destructive && !tool.read_only));
    /// # Ok::<(), tool_runtime::BuildError>(())
    /// ```
    #[must_use]
    pub fn annotations(&self, name: &str) -> Option<Annotations> {
        self.entry(name).map(|entry| entry.options.annotations)
    }

    /// The policy of a tool: the rules that dispatch enforces for its calls. `None` if there is no such tool.
    ///
    /// ```
    /// use std::time::Duration;
    /// use tool_runtime::{Registry, tool, tools};
    ///
    /// /// Deletes a file.
    /// #[tool(requires_approval, timeout = "5s")]
    /// async fn delete(path: &str) {}
    ///
    /// let registry = Registry::new(tools![delete])?;
    /// let policy = registry.policy("delete").ok_or("no such tool")?;
    /// assert!(policy.requires_approval);
    /// assert_eq!(policy.timeout, Some(Duration::from_secs(5)));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn policy(&self, name: &str) -> Option<Policy> {
        self.entry(name).map(|entry| entry.options.policy)
    }

    /// Some of the tools, for one request: the schemas are those alone, and a call of any other is answered as
    /// that of an unknown tool. Cheap: what it holds is shared.
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
    /// A name that no tool here has.
    pub fn subset<N: AsRef<str>>(
        &self,
        names: impl IntoIterator<Item = N>,
    ) -> Result<Self, UnknownToolError> {
        let mut indices = BTreeSet::new();
        for name in names {
            let name = name.as_ref();
            indices.insert(self.tools.index.find(name).ok_or_else(|| self.unknown_tool(name))?);
        }
        let schemas = indices.iter().map(|&index| self.tools.schemas[index].clone()).collect();
        let entries = indices.iter().map(|&index| self.tools.entries[index].clone()).collect();
        Ok(Registry { tools: Arc::new(Tools::new(schemas, entries, Arc::clone(&self.tools.setting))) })
    }

    pub(crate) fn entry(&self, name: &str) -> Option<&Entry> {
        self.tools.index.find(name).map(|place| &self.tools.entries[place])
    }

    pub(crate) fn states(&self) -> &States {
        &self.tools.setting.states
    }

    pub(crate) fn limits(&self) -> &Limits {
        &self.tools.setting.options.limits
    }

    /// For which the calls of all batches queue, if not all may run at once.
    pub(crate) fn permits(&self) -> Option<&Semaphore> {
        self.tools.setting.permits.as_ref()
    }

    pub(crate) fn before_call_hook(&self) -> Option<&BeforeCall> {
        self.tools.setting.before_call.as_ref()
    }

    /// In which requests are written, if nothing else is said.
    pub(crate) fn dialect(&self) -> Dialect {
        self.tools.setting.options.dialect
    }

    /// Whether a call may start before the reply that asks for it has ended.
    #[cfg(feature = "stream")]
    pub(crate) fn may_start_while_streaming(&self, name: &str) -> bool {
        let is_repeatable = |tool: Annotations| tool.read_only || tool.idempotent;
        self.tools.setting.options.start_all_while_streaming
            || self.annotations(name).is_some_and(is_repeatable)
    }

    #[cfg(feature = "tracing")]
    pub(crate) fn traces_content(&self) -> bool {
        self.tools.setting.options.trace_content
    }

    /// The coercions that are allowed.
    pub(crate) fn coercion_options(&self) -> CoercionOptions {
        self.tools.setting.coercion_options()
    }

    #[cold]
    pub(crate) fn unknown_tool(&self, name: &str) -> UnknownToolError {
        let names = || self.names().into_iter().map(str::to_owned).collect();
        UnknownToolError::new(name, self.tools.names.get_or_init(names))
    }
}

impl fmt::Debug for Registry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Registry").field("tools", &self.names()).finish()
    }
}
