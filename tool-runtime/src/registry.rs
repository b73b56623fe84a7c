//! The tools of a program, by name.

mod build;
mod entry;
mod fault;

pub use build::RegistryBuilder;
pub(crate) use entry::Entry;
pub use fault::{BuildError, BuildFault};

use crate::outcome::UnknownTool;
use crate::schema::ToolSchema;
use crate::state::States;
use crate::tool::{Hints, ToolList};
use crate::tool_choice::ToolChoice;
use std::borrow::Cow;
use std::collections::{BTreeSet, HashMap};
use std::fmt;
use std::sync::Arc;

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
    index: HashMap<Cow<'static, str>, usize>,
    states: Arc<States>,
}

impl Tools {
    fn new(schemas: Vec<ToolSchema>, entries: Vec<Entry>, states: Arc<States>) -> Self {
        let index = entries.iter().enumerate().map(|(index, entry)| (entry.name.clone(), index)).collect();
        Tools { schemas, entries, index, states }
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
    /// An empty registry has none, and servers refuse `tools: []`: leave the key out then.
    #[must_use]
    pub fn schemas(&self) -> &[ToolSchema] {
        &self.tools.schemas
    }

    /// The definition of one tool.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&ToolSchema> {
        self.tools.index.get(name).map(|&index| &self.tools.schemas[index])
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
    pub fn tool_choice(&self, name: &str) -> Result<ToolChoice, UnknownTool> {
        match self.get(name) {
            Some(_) => Ok(ToolChoice::Tool(name.to_owned())),
            None => Err(self.unknown_tool(name)),
        }
    }

    /// What a tool says of itself, beside its schema.
    ///
    /// ```
    /// use tool_runtime::{Registry, tool, tools};
    ///
    /// /// Deletes a file.
    /// #[tool(destructive, idempotent)]
    /// fn delete(path: &str) {}
    ///
    /// let registry = Registry::new(tools![delete])?;
    /// assert!(registry.hints("delete").is_some_and(|hints| hints.destructive && !hints.read_only));
    /// # Ok::<(), tool_runtime::BuildError>(())
    /// ```
    #[must_use]
    pub fn hints(&self, name: &str) -> Option<Hints> {
        self.entry(name).map(|entry| entry.options.hints)
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
    pub fn subset<N: AsRef<str>>(&self, names: impl IntoIterator<Item = N>) -> Result<Self, UnknownTool> {
        let mut indices = BTreeSet::new();
        for name in names {
            let name = name.as_ref();
            indices.insert(*self.tools.index.get(name).ok_or_else(|| self.unknown_tool(name))?);
        }
        let schemas = indices.iter().map(|&index| self.tools.schemas[index].clone()).collect();
        let entries = indices.iter().map(|&index| self.tools.entries[index].clone()).collect();
        Ok(Registry { tools: Arc::new(Tools::new(schemas, entries, Arc::clone(&self.tools.states))) })
    }

    pub(crate) fn entry(&self, name: &str) -> Option<&Entry> {
        self.tools.index.get(name).map(|&index| &self.tools.entries[index])
    }

    pub(crate) fn states(&self) -> &States {
        &self.tools.states
    }

    #[cold]
    pub(crate) fn unknown_tool(&self, name: &str) -> UnknownTool {
        UnknownTool::new(name, &self.names())
    }
}

impl fmt::Debug for Registry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Registry").field("tools", &self.names()).finish()
    }
}
