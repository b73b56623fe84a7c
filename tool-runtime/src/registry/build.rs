//! The builder of a registry.

use super::build_error::{BuildError, BuildErrorKind};
use super::entry::{Candidate, SchemaError};
use super::options::BuildOptions;
use super::{Config, Registry, Tools, name, validate};
use crate::approval::BeforeCall;
use crate::invocation::Need;
use crate::state::{Shared, States};
use crate::tool::{Descriptor, DynamicTool, ToolList, Toolset};
use crate::validator::drop_without_recursion;
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
/// assert_eq!(registry.len(), 1);
/// # Ok::<(), tool_runtime::BuildError>(())
/// ```
#[derive(Default)]
#[must_use = "call `build()` to create the registry"]
pub struct RegistryBuilder {
    functions: Vec<&'static Descriptor>,
    /// With their prefixed names.
    methods: Vec<(Cow<'static, str>, &'static Descriptor, Shared)>,
    dynamic: Vec<DynamicTool>,
    states: States,
    batch_states: HashSet<TypeId>,
    pub(super) options: BuildOptions,
    pub(super) before_call: Option<BeforeCall>,
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

    /// Adds the tools of a value: the methods with `#[tool]` of its `impl` with [`#[toolset]`](crate::toolset). Default: no toolsets.
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
            (name, tool, Arc::clone(&instance))
        }));
        self
    }

    /// Adds a tool that is defined at run time. Default: no dynamic tools.
    pub fn dynamic(mut self, tool: DynamicTool) -> Self {
        self.dynamic.push(tool);
        self
    }

    /// Adds application state, which is injected into every tool with a parameter `#[state] x: &T`. Default: no state.
    ///
    /// Two values of one type are an error of [`build`](RegistryBuilder::build).
    ///
    /// ```
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
    /// assert_eq!(registry.call("greet", r#"{"name":"Ada"}"#).await?, "Hello Ada");
    /// # Ok(())
    /// # }
    /// ```
    pub fn state<T: Send + Sync + 'static>(mut self, state: T) -> Self {
        if self.states.insert(state) {
            self.errors.push(BuildErrorKind::DuplicateState { state: type_name::<T>() });
        }
        self
    }

    /// Declares that each batch provides state of this type in its [`BatchContext`](crate::BatchContext). Default: none.
    ///
    /// A call that needs the state in a batch without it fails with
    /// [`CallError::Unavailable`](crate::CallError::Unavailable).
    pub fn batch_state<T: Send + Sync + 'static>(mut self) -> Self {
        self.batch_states.insert(TypeId::of::<T>());
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
            states,
            batch_states,
            options,
            before_call,
            mut errors,
        } = self;
        options.limits.reject_zero(&mut errors);
        let mut known = HashSet::new();
        let mut candidates = Vec::new();
        let mut add =
            |name: &str, candidate: Result<Candidate, SchemaError>, errors: &mut Vec<BuildErrorKind>| {
                match candidate {
                    Ok(candidate) => candidates.push(candidate),
                    Err(error) => errors.push(validate::schema_error(name, error)),
                }
            };
        let written = functions.iter().map(|tool| tool.name).chain(methods.iter().map(|(name, ..)| &**name));
        let dynamic = name::name_dynamic_tools(dynamic, options.map_names, written);
        for tool in functions.into_iter().filter(|tool| known.insert((tool.identity)())) {
            add(tool.name, Candidate::from_function(tool), &mut errors);
        }
        for (name, tool, instance) in methods {
            add(&name.clone(), Candidate::from_method(name, tool, instance), &mut errors);
        }
        let mut skipped = Vec::new();
        for (name, tool) in dynamic {
            let mut tool_errors = validate::dynamic_tool(&tool);
            // A schema that exceeds a limit may be too deep for recursive code.
            let is_too_large =
                tool_errors.iter().any(|error| matches!(error, BuildErrorKind::SchemaLimit { .. }));
            if is_too_large {
                drop_without_recursion(tool.parameters);
                tool.metadata.output_schema.into_iter().for_each(drop_without_recursion);
            } else if tool_errors.is_empty() || !options.skip_invalid_tools {
                add(&name, Candidate::from_dynamic(name.clone(), tool), &mut tool_errors);
            }
            validate::record(
                &name,
                tool_errors,
                &mut errors,
                options.skip_invalid_tools.then_some(&mut skipped),
            );
        }
        let is_missing = |need: &&Need| !states.contains(need.id) && !batch_states.contains(&need.id);
        candidates.retain(|candidate| {
            let tool_errors = validate::candidate(candidate, is_missing);
            let may_skip = options.skip_invalid_tools && candidate.entry.location().is_none();
            let is_kept = tool_errors.is_empty() || !may_skip;
            validate::record(
                &candidate.entry.name,
                tool_errors,
                &mut errors,
                may_skip.then_some(&mut skipped),
            );
            is_kept
        });
        if options.skip_invalid_tools {
            validate::skip_duplicates(&mut candidates, &mut skipped);
        }
        candidates
            .sort_by(|a, b| (&a.entry.name, a.entry.location()).cmp(&(&b.entry.name, b.entry.location())));
        validate::duplicates(&candidates, &mut errors);
        if !errors.is_empty() {
            return Err(BuildError { errors, skipped: None });
        }
        let (schemas, entries) = candidates
            .into_iter()
            .map(|Candidate { schema, entry, .. }| {
                (schema, entry.with_default_timeout(options.limits.timeout))
            })
            .unzip();
        let config = Config::new(states, options, before_call, skipped);
        Ok(Registry { tools: Arc::new(Tools::new(schemas, entries, Arc::new(config))) })
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
