//! The builder of a registry.

use super::build_error::{BuildError, BuildErrorKind};
use super::entry::{Candidate, SchemaError};
use super::{Config, Limits, Registry, Tools, name, validate};
use crate::approval::BeforeCall;
use crate::invocation::Need;
use crate::schema::Dialect;
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

/// The options that apply to all tools.
#[derive(Clone, Copy, Debug, Default)]
#[allow(clippy::struct_excessive_bools, reason = "one for each method of the builder")]
pub(super) struct BuildOptions {
    pub(super) dialect: Dialect,
    pub(super) allow_non_strict: bool,
    pub(super) map_names: bool,
    pub(super) skip_invalid_tools: bool,
    pub(super) lenient_arguments: bool,
    pub(super) limits: Limits,
    #[cfg(feature = "tracing")]
    pub(super) trace_content: bool,
    #[cfg(feature = "stream")]
    pub(super) start_all_while_streaming: bool,
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

    /// Sets the dialect of the requests. Default: [`Dialect::OpenAi`].
    ///
    /// With [`Dialect::OpenAiStrict`], a tool that cannot be strict is an error of [`build`](RegistryBuilder::build),
    /// which names the parameter and the reason. Since a strict model sends every property, a null is read as an
    /// omitted argument: an `Option` is `None`, and an argument with a default has its default.
    ///
    /// ```
    /// use tool_runtime::schema::Dialect;
    /// use tool_runtime::{Registry, tool, tools};
    ///
    /// /// Tags a page.
    /// #[tool]
    /// fn tag(page: &str, tags: std::collections::BTreeMap<String, String>) {}
    ///
    /// let strict = || Registry::builder().tools(tools![tag]).dialect(Dialect::OpenAiStrict);
    /// assert_eq!(
    ///     strict().build().expect_err("a map cannot be strict").to_string(),
    ///     "the registry cannot be built: `tag` cannot be strict: `tags` is a map, whose keys are not fixed; \
    ///      use another type, or send the tool without `strict` with `.allow_non_strict(true)`",
    /// );
    /// let registry = strict().allow_non_strict(true).build()?;
    /// assert!(!registry.schemas_for(Dialect::OpenAiStrict).expect("there is a tool").get().contains("strict"));
    /// # Ok::<(), tool_runtime::BuildError>(())
    /// ```
    pub fn dialect(mut self, dialect: Dialect) -> Self {
        self.options.dialect = dialect;
        self
    }

    /// Sends a tool that cannot be strict without `strict`, instead of failing the build. Servers accept requests with
    /// both kinds of tools. Default: `false`. It has an effect only with [`Dialect::OpenAiStrict`].
    pub fn allow_non_strict(mut self, allowed: bool) -> Self {
        self.options.allow_non_strict = allowed;
        self
    }

    /// Renames dynamic tools whose names servers reject. Default: `false`, such a name is an error of
    /// [`build`](RegistryBuilder::build).
    ///
    /// Each character other than ASCII letters, digits, `_` and `-` becomes `_`. A name of more than 64 characters is
    /// truncated and ends with a fingerprint of the original name. Names that would become equal get a fingerprint too.
    ///
    /// The model receives the new name. The methods of the registry accept both names, and [`Registry::original_name`]
    /// returns the original one.
    ///
    /// ```
    /// use serde_json::json;
    /// use tool_runtime::{DynamicTool, Registry};
    ///
    /// let double = DynamicTool::new("math.double", "Doubles.", json!({"type": "object"}), |_| async { Ok::<_, String>(2) });
    /// let registry = Registry::builder().map_names(true).dynamic(double).build()?;
    /// assert_eq!(registry.names(), ["math_double"]);
    /// assert_eq!(registry.original_name("math_double"), Some("math.double"));
    /// assert_eq!(registry.subset(["math.double"])?.len(), 1);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn map_names(mut self, mapped: bool) -> Self {
        self.options.map_names = mapped;
        self
    }

    /// Skips dynamic tools with errors, so that one invalid definition of a remote server does not fail the build.
    /// [`Registry::skipped`] returns the errors. Default: `false`, such an error fails the build.
    ///
    /// [`BuildErrorKind`] lists the errors, for example parameters that do not describe an object, a name that servers
    /// reject, a property named `$ref`, or a tool that cannot be strict in the strict dialect. Of two tools with one
    /// name, the first valid one stays, and a function takes precedence over a dynamic tool. Other mistakes inside a
    /// schema are not errors: see [`Registry::unsupported_keywords`].
    ///
    /// ```
    /// use serde_json::json;
    /// use tool_runtime::{DynamicTool, Registry};
    ///
    /// let tool = |name: &str, parameters| DynamicTool::new(name, "", parameters, |_| async { Ok::<_, String>(()) });
    /// let registry = Registry::builder()
    ///     .dynamic(tool("good", json!({"type": "object"})))
    ///     .dynamic(tool("bad", json!({"type": "string"})))
    ///     .skip_invalid_tools(true)
    ///     .build()?;
    /// assert_eq!(registry.names(), ["good"]);
    /// let skipped = registry.skipped()[0].to_string();
    /// assert!(skipped.starts_with("the tool `bad` was skipped: the parameters of `bad` are not the JSON Schema of an object"));
    /// # Ok::<(), tool_runtime::BuildError>(())
    /// ```
    pub fn skip_invalid_tools(mut self, skip: bool) -> Self {
        self.options.skip_invalid_tools = skip;
        self
    }

    /// Repairs and coerces invalid arguments that have exactly one possible reading. Default: `false`. Valid arguments
    /// are not affected.
    ///
    /// - Text that is almost JSON: an object in a code fence, or with text without brackets and double quotes around
    ///   it; comments (`//` and `/* */`), trailing commas, single quotes, keys without quotes, Python's `True`, `False`
    ///   and `None`, control characters in strings, a byte order mark, one surplus closing bracket.
    /// - JSON in a string where the object of arguments, another object, an array, a number or a boolean is expected:
    ///   `"{..}"`, `"[1,2]"`, `"42"`, `"true"`.
    /// - A single value where an array of any length is expected.
    ///
    /// Truncated text is never completed, `true` never becomes 1, 3.7 never becomes an integer, and invalid arguments
    /// never become defaults. [`Outcome::coercions`](crate::dispatch::Outcome::coercions) lists each change. Arguments
    /// of more than 4 MB are not changed.
    ///
    /// Needs the feature `lenient`.
    ///
    /// ```
    /// use tool_runtime::{Registry, ToolCall, tool, tools};
    ///
    /// /// Adds numbers.
    /// #[tool]
    /// fn sum(numbers: Vec<i64>) -> i64 {
    ///     numbers.iter().sum()
    /// }
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let registry = Registry::builder().tools(tools![sum]).lenient_arguments(true).build()?;
    /// let answers = registry.dispatch(&[ToolCall::new("call_1", "sum", r#"{"numbers": "[1, 2]",}"#)]).await;
    /// assert_eq!(answers[0].content, "3");
    /// assert_eq!(
    ///     answers[0].outcome().expect("it ran").coercions(),
    ///     ["a trailing comma was left out", r#"`numbers`: "[1, 2]" was read as [1,2]"#],
    /// );
    /// # Ok(())
    /// # }
    /// ```
    #[cfg(feature = "lenient")]
    pub fn lenient_arguments(mut self, lenient: bool) -> Self {
        self.options.lenient_arguments = lenient;
        self
    }

    /// Records the arguments and the result of each call in its span, as `gen_ai.tool.call.arguments` and
    /// `gen_ai.tool.call.result`. Default: `false`, since they may contain secrets.
    #[cfg(feature = "tracing")]
    pub fn trace_content(mut self, traced: bool) -> Self {
        self.options.trace_content = traced;
        self
    }

    /// Starts every call of a streamed reply as soon as its arguments are complete, also calls of tools that are
    /// neither `read_only` nor `idempotent`: see [`dispatch_stream`](Registry::dispatch_stream). Default: `false`,
    /// since a call would run twice if the stream fails and the request is repeated.
    ///
    /// ```
    /// # use tool_runtime::{Registry, tool, tools};
    /// /// Sends a letter.
    /// #[tool]
    /// fn send(text: String) {}
    ///
    /// let registry = Registry::builder().tools(tools![send]).start_all_while_streaming(true).build()?;
    /// # Ok::<(), tool_runtime::BuildError>(())
    /// ```
    #[cfg(feature = "stream")]
    pub fn start_all_while_streaming(mut self, all: bool) -> Self {
        self.options.start_all_while_streaming = all;
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
            let mut tool_errors = validate::candidate(candidate, is_missing);
            if options.dialect == Dialect::OpenAiStrict && !options.allow_non_strict {
                tool_errors.extend(validate::not_strict(candidate));
            }
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
