//! The builder of a registry.

use super::build_error::{BuildError, BuildErrorKind};
use super::candidate::{Candidate, Candidates};
use super::dynamic_tools::{self, AddDynamicTools};
use super::options::BuildOptions;
use super::ready_call::Layer;
use super::{Config, Registry, Tools, validate};
use crate::approval::BeforeCall;
use crate::state::{Shared, States};
use crate::tool::{Descriptor, DynamicTool, Need, ToolList, Toolset};
use crate::tool_name::HOSTED_APPROVAL;
#[cfg(feature = "search")]
use crate::tool_name::{CALL_TOOL, SEARCH_TOOLS};
use std::any::{TypeId, type_name};
use std::borrow::Cow;
use std::collections::HashSet;
use std::fmt;
use std::sync::Arc;

/// Builds a [`Registry`] from tools, state, hooks and options.
///
/// ```
/// use tool_runtime::{Registry, tool, tools};
///
/// /// Adds two numbers.
/// #[tool]
/// fn add(a: i64, b: i64) -> i64 {
///     a + b
/// }
///
/// let registry = Registry::builder().tools(tools![add]).build()?;
/// assert_eq!(registry.names().len(), 1);
/// # Ok::<(), tool_runtime::BuildError>(())
/// ```
#[derive(Default)]
#[must_use = "call `build()` to create the registry"]
pub struct RegistryBuilder {
    functions: Vec<&'static Descriptor>,
    /// With their prefixed names, and the toolset unless it comes from the run context.
    methods: Vec<(Cow<'static, str>, &'static Descriptor, Option<Shared>)>,
    dynamic: Vec<DynamicTool>,
    /// Set with the first dynamic tool, so that programs without dynamic tools do not contain the code that adds them.
    add_dynamic: Option<AddDynamicTools>,
    states: States,
    states_per_run: HashSet<TypeId>,
    pub(super) options: BuildOptions,
    pub(super) before_call: Option<BeforeCall>,
    pub(super) layers: Vec<Layer>,
    #[cfg(feature = "search")]
    pub(super) search: Option<crate::search::Search>,
    pub(super) errors: Vec<BuildErrorKind>,
}

impl RegistryBuilder {
    /// Adds these tools. Default: no tools.
    pub fn tools(mut self, tools: ToolList) -> Self {
        self.functions.extend(tools.0);
        self
    }

    /// Adds every function with [`#[tool]`](crate::tool) that is linked into the program: see
    /// [`Registry::collect`](crate::Registry::collect). A tool that is also listed with
    /// [`tools`](RegistryBuilder::tools) is added once. Default: no function is collected.
    #[cfg(feature = "collect")]
    pub fn collect(mut self) -> Self {
        self.functions.extend(crate::tool::collected());
        self
    }

    /// Adds every function with [`#[tool]`](crate::tool) of one crate or module, for example `"my_crate"` or
    /// `"my_crate::files"`. Default: no function is collected.
    ///
    /// It is an error of [`build`](RegistryBuilder::build) if there is none: the path is wrong, or the linker omitted the
    /// crate.
    ///
    /// ```
    /// use tool_runtime::Registry;
    ///
    /// mod clock {
    ///     /// The time of day.
    ///     #[tool_runtime::tool]
    ///     pub fn now() -> &'static str {
    ///         "12:00"
    ///     }
    /// }
    ///
    /// let registry = Registry::builder().collect_from(concat!(module_path!(), "::clock")).build()?;
    /// assert_eq!(registry.names(), ["now"]);
    ///
    /// let error = Registry::builder().collect_from("clocks").build().expect_err("there is no such crate");
    /// assert!(error.to_string().contains("no tool of `clocks` is linked into the program"));
    /// # Ok::<(), tool_runtime::BuildError>(())
    /// ```
    #[cfg(feature = "collect")]
    pub fn collect_from(mut self, path: &str) -> Self {
        let before = self.functions.len();
        self.functions.extend(crate::tool::collected().filter(|tool| tool.location.is_within(path)));
        if self.functions.len() == before {
            self.errors.push(BuildErrorKind::NothingCollected { from: path.to_owned() });
        }
        self
    }

    /// Adds the tools of a value: the methods with `#[tool]` of its `impl` with [`#[toolset]`](crate::toolset).
    /// Default: no toolsets.
    ///
    /// For a value in an `Arc`, use [`toolset_per_run`](RegistryBuilder::toolset_per_run) and
    /// [`state`](RegistryBuilder::state):
    ///
    /// ```
    /// use std::sync::Arc;
    /// use tool_runtime::{Registry, ToolCall, tool, toolset};
    ///
    /// struct Shop(&'static str);
    ///
    /// #[toolset]
    /// impl Shop {
    ///     /// Returns the name of the shop.
    ///     #[tool]
    ///     fn name(&self) -> &'static str {
    ///         self.0
    ///     }
    /// }
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let shop = Arc::new(Shop("Books")); // the rest of the program has it too
    /// let registry = Registry::builder().toolset_per_run::<Shop>().state(Arc::clone(&shop)).build()?;
    /// let messages = registry.dispatch(&[ToolCall::new("call_1", "name", "{}")]).await;
    /// assert_eq!(messages[0].content, shop.0);
    /// # Ok(())
    /// # }
    /// ```
    pub fn toolset<T: Toolset + Send + Sync + 'static>(self, toolset: T) -> Self {
        self.toolset_prefixed("", toolset)
    }

    /// Adds the tools of a value with a prefix before each name, so that two values of one type can be added.
    /// Default: no toolsets.
    ///
    /// ```
    /// use tool_runtime::{Registry, tool, toolset};
    ///
    /// struct Shelf(&'static str);
    ///
    /// #[toolset]
    /// impl Shelf {
    ///     /// Lists the books.
    ///     #[tool]
    ///     fn list(&self) -> &'static str {
    ///         self.0
    ///     }
    /// }
    ///
    /// let registry = Registry::builder()
    ///     .toolset_prefixed("left_", Shelf("novels"))
    ///     .toolset_prefixed("right_", Shelf("poems"))
    ///     .build()?;
    /// assert_eq!(registry.names(), ["left_list", "right_list"]);
    /// # Ok::<(), tool_runtime::BuildError>(())
    /// ```
    pub fn toolset_prefixed<T: Toolset + Send + Sync + 'static>(mut self, prefix: &str, toolset: T) -> Self {
        let instance: Shared = Arc::new(toolset);
        self.methods.extend(T::TOOLS.iter().map(|tool| {
            let name = if prefix.is_empty() { tool.name.into() } else { [prefix, tool.name].concat().into() };
            (name, tool, Some(Arc::clone(&instance)))
        }));
        self
    }

    /// Adds the tools of a toolset whose value comes from the [`RunContext`](crate::RunContext), for example one value
    /// per tenant. Default: no toolsets.
    ///
    /// A call whose run context has no such value uses the [`state`](RegistryBuilder::state) of this type, and otherwise
    /// fails with [`CallError::Unavailable`](crate::CallError::Unavailable).
    ///
    /// ```
    /// use tool_runtime::{Registry, RunContext, ToolCall, tool, toolset};
    ///
    /// struct Shop(&'static str);
    ///
    /// #[toolset]
    /// impl Shop {
    ///     /// Returns the name of the shop.
    ///     #[tool]
    ///     fn name(&self) -> &'static str {
    ///         self.0
    ///     }
    /// }
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let registry = Registry::builder().toolset_per_run::<Shop>().build()?;
    /// let context = RunContext::new().state(Shop("Books"));
    /// let messages = registry.with(&context).dispatch(&[ToolCall::new("call_1", "name", "{}")]).await;
    /// assert_eq!(messages[0].content, "Books");
    /// # Ok(())
    /// # }
    /// ```
    pub fn toolset_per_run<T: Toolset + Send + Sync + 'static>(mut self) -> Self {
        self.methods.extend(T::TOOLS.iter().map(|tool| (tool.name.into(), tool, None)));
        self
    }

    /// Adds a tool that is defined at run time. Default: no dynamic tools.
    pub fn dynamic(mut self, tool: DynamicTool) -> Self {
        self.dynamic.push(tool);
        self.add_dynamic = Some(dynamic_tools::add);
        self
    }

    /// Adds application state, which is injected into every tool with a parameter `#[state] x: &T`. Default: no state.
    ///
    /// An `Arc<T>` serves `&T` as well. Two values of one type are an error of [`build`](RegistryBuilder::build).
    ///
    /// ```
    /// use serde_json::json;
    /// use tool_runtime::{Registry, tool, tools};
    ///
    /// struct Greeting(&'static str);
    ///
    /// /// Greets a person.
    /// #[tool]
    /// fn greet(name: &str, #[state] greeting: &Greeting) -> String {
    ///     format!("{} {name}", greeting.0)
    /// }
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let registry = Registry::builder().tools(tools![greet]).state(Greeting("Hello")).build()?;
    /// assert_eq!(registry.call("greet", json!({"name": "Ada"})).await.text(), "Hello Ada");
    /// # Ok(())
    /// # }
    /// ```
    pub fn state<T: Send + Sync + 'static>(mut self, state: T) -> Self {
        if self.states.insert(state) {
            self.errors.push(BuildErrorKind::DuplicateState { state: type_name::<T>() });
        }
        self
    }

    /// Declares that each bound [`RunContext`](crate::RunContext) has state of this type. Default: none.
    ///
    /// A call whose run context lacks the state that it needs fails with
    /// [`CallError::Unavailable`](crate::CallError::Unavailable).
    pub fn state_per_run<T: Send + Sync + 'static>(mut self) -> Self {
        self.states_per_run.insert(TypeId::of::<T>());
        self
    }

    /// Builds the registry.
    ///
    /// # Errors
    ///
    /// Returns all errors at once, for example each duplicate name with both locations, and each missing state:
    /// [`BuildErrorKind`] lists them.
    ///
    /// # Panics
    ///
    /// Panics if the expression of a `#[arg(default = ..)]`, or a `JsonSchema` or `Deserialize` implementation of the
    /// program panics.
    pub fn build(self) -> Result<Registry, BuildError> {
        let RegistryBuilder {
            functions,
            methods,
            dynamic,
            add_dynamic,
            states,
            states_per_run,
            options,
            before_call,
            layers,
            #[cfg(feature = "search")]
            search,
            errors,
        } = self;
        let mut added = Candidates { errors, ..Candidates::default() };
        options.limits.reject_zero(&mut added.errors);
        let mut known = HashSet::new();
        for tool in functions.into_iter().filter(|tool| known.insert((tool.identity)())) {
            added.add(tool.name, Candidate::from_descriptor(tool.name.into(), tool, None));
        }
        for (name, tool, instance) in methods {
            added.add(&name.clone(), Candidate::from_descriptor(name, tool, instance));
        }
        if let Some(add) = add_dynamic {
            #[cfg(feature = "search")]
            let reserved: &[&str] = match search {
                Some(_) => &[HOSTED_APPROVAL, SEARCH_TOOLS, CALL_TOOL],
                None => &[HOSTED_APPROVAL],
            };
            #[cfg(not(feature = "search"))]
            let reserved: &[&str] = &[HOSTED_APPROVAL];
            add(dynamic, reserved, &options, &mut added);
        }
        let Candidates { tools: mut candidates, mut errors, mut skipped } = added;
        let is_missing = |need: &&Need| {
            !states.contains_any(&need.ids) && !need.ids.iter().any(|id| states_per_run.contains(id))
        };
        candidates.retain(|candidate| {
            let mut tool_errors = validate::candidate(candidate, is_missing);
            tool_errors.extend(validate::hosted_approval_name(&candidate.tool));
            #[cfg(feature = "search")]
            if search.is_some() {
                tool_errors.extend(validate::reserved_name(&candidate.tool));
            }
            let may_skip = options.skip_invalid_tools && candidate.tool.location().is_none();
            let is_kept = tool_errors.is_empty() || !may_skip;
            validate::record(
                &candidate.tool.name,
                tool_errors,
                &mut errors,
                may_skip.then_some(&mut skipped),
            );
            is_kept
        });
        if options.skip_invalid_tools {
            validate::skip_duplicates(&mut candidates, &mut skipped);
        }
        candidates.sort_by(|a, b| (&a.tool.name, a.tool.location()).cmp(&(&b.tool.name, b.tool.location())));
        validate::duplicates(candidates.iter().map(|candidate| &candidate.tool), &mut errors);
        if !errors.is_empty() {
            return Err(BuildError { errors, skipped: None });
        }
        let config = Config::new(options, before_call, layers, skipped);
        #[cfg(feature = "search")]
        let config = config.with_search(search)?;
        let states = Arc::new(states);
        let tools = candidates
            .into_iter()
            .map(|Candidate { schema, mut tool, .. }| {
                tool.states = Arc::clone(&states);
                config.apply_to(&mut tool);
                (schema, Arc::new(tool))
            })
            .collect();
        let tools = Arc::new(Tools::new(tools, Arc::new(config), None));
        Ok(Registry { tools, run_context: None })
    }
}

impl fmt::Debug for RegistryBuilder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let functions = self.functions.iter().map(|tool| tool.name);
        let methods = self.methods.iter().map(|(name, ..)| &**name);
        let dynamic = self.dynamic.iter().map(|tool| &*tool.name);
        f.debug_struct("RegistryBuilder")
            .field("tools", &functions.chain(methods).chain(dynamic).collect::<Vec<_>>())
            .field("states", &self.states)
            .finish_non_exhaustive()
    }
}
