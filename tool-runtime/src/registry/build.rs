//! Putting a registry together.

use super::build_error::{BuildError, BuildErrorKind};
use super::entry::{Candidate, SchemaError};
use super::{Limits, Registry, Setting, Tools, name, refuse};
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

/// Collects the parts of a [`Registry`].
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
#[must_use = "nothing is built before `build()`"]
pub struct RegistryBuilder {
    functions: Vec<&'static Descriptor>,
    /// Each under its name after the prefix.
    methods: Vec<(Cow<'static, str>, &'static Descriptor, Shared)>,
    dynamic: Vec<DynamicTool>,
    states: States,
    batch_states: HashSet<TypeId>,
    pub(super) options: BuildOptions,
    pub(super) before_call: Option<BeforeCall>,
    pub(super) errors: Vec<BuildErrorKind>,
}

/// What is the same for every tool.
#[derive(Clone, Copy, Debug, Default)]
#[allow(clippy::struct_excessive_bools, reason = "each is one method of the builder")]
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
    /// Adds exactly these tools.
    pub fn tools(mut self, tools: ToolList) -> Self {
        self.functions.extend(tools.0);
        self
    }

    /// Adds every function with [`#[tool]`](crate::tool) that is linked into the program. A tool that was
    /// also listed with [`tools`](RegistryBuilder::tools) is there once.
    #[cfg(feature = "collect")]
    pub fn collect(mut self) -> Self {
        self.functions.extend(crate::tool::collected());
        self
    }

    /// Adds those of one crate or module, named by its path: `"my_crate"`, `"my_crate::files"`. That there is
    /// none is an error, since it is most often a slip, or a crate that the linker left out.
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

    /// Adds the methods of a value whose `impl` has [`#[toolset]`](crate::toolset).
    pub fn toolset<T: Toolset + Send + Sync + 'static>(self, toolset: T) -> Self {
        self.toolset_prefixed("", toolset)
    }

    /// Adds the methods of a value, each under its name after the prefix: two values of one type can so be
    /// told apart.
    ///
    /// ```
    /// use tool_runtime::{Registry, tool, toolset};
    ///
    /// struct Shelf(&'static str);
    ///
    /// #[toolset]
    /// impl Shelf {
    ///     /// What stands here.
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

    /// Adds a tool that is known only when the program runs.
    pub fn dynamic(mut self, tool: DynamicTool) -> Self {
        self.dynamic.push(tool);
        self
    }

    /// Lends this value to every tool with a parameter `#[state] x: &T`.
    ///
    /// ```
    /// use tool_runtime::{Registry, tool, tools};
    ///
    /// struct Greeting(&'static str);
    ///
    /// /// Says hello.
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

    /// Says that each batch brings a state of this type in its [`BatchContext`](crate::BatchContext). A call
    /// in a batch that does not is answered with an error.
    pub fn batch_state<T: Send + Sync + 'static>(mut self) -> Self {
        self.batch_states.insert(TypeId::of::<T>());
        self
    }

    /// The dialect that the requests are written in, [`Dialect::OpenAi`] by default: `build()` then refuses every tool
    /// that cannot be written in it, and says where and why.
    ///
    /// With [`Dialect::OpenAiStrict`], a null stands for an argument that was left out, since the model is made to send
    /// every property: an optional one is `None`, one with a default has its default.
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

    /// Lets a tool that cannot be strict be sent without `strict` beside those that can, which servers take. `false` by
    /// default. Only with [`dialect`](RegistryBuilder::dialect).
    pub fn allow_non_strict(mut self, allowed: bool) -> Self {
        self.options.allow_non_strict = allowed;
        self
    }

    /// Gives a dynamic tool whose name servers would refuse one that they take: `_` for each letter other than those of
    /// the English alphabet, digits, `_` and `-`. One of more than 64 letters is cut, and ends in a fingerprint of the
    /// whole, as do two that would have one name. `false` by default.
    ///
    /// The model sees and calls the new name. The program may use either, and finds the old one with
    /// [`Registry::original_name`].
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

    /// Leaves out a dynamic tool with an error, so that one bad definition of a remote server does not fail the build:
    /// [`Registry::skipped`] has the errors. `false` by default.
    ///
    /// An error is what [`BuildErrorKind`] lists: parameters that are not those of an object, a name that servers refuse, a
    /// property named `$ref`, with the strict dialect a tool that cannot be strict. Of two tools with one name, the first
    /// valid one stays, and a function before any dynamic tool. Other mistakes inside of a schema are sent as they are; see
    /// [`Registry::unsupported_keywords`].
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

    /// Repairs and coerces arguments that a tool would reject, if they have exactly one reading. `false` by default. Valid
    /// arguments are read as before, and as fast.
    ///
    /// - Text that is almost JSON: in a code fence, or with other text without brackets and double quotes around the one object;
    ///   with comments (`//` and `/* */`), trailing commas, single quotes, keys without quotes, Python's `True`, `False` and `None`, control characters inside of strings, a byte
    ///   order mark, one surplus closing bracket.
    /// - JSON in a string where the object of arguments, another object, an array, a number or a boolean is expected:
    ///   `"{..}"`, `"[1,2]"`, `"42"`, `"true"`.
    /// - A single value where an array of any length is expected.
    ///
    /// Truncated text is never completed, `true` never becomes 1, nor 3.7 an integer, and invalid arguments never become
    /// defaults. The [`Outcome`](crate::dispatch::Outcome) lists each change. Arguments of more than 4 MB are left as they are.
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

    /// Writes the arguments and the result of each call into its span, as `gen_ai.tool.call.arguments` and
    /// `gen_ai.tool.call.result`. `false` by default, since they may hold what a log should not.
    #[cfg(feature = "tracing")]
    pub fn trace_content(mut self, traced: bool) -> Self {
        self.options.trace_content = traced;
        self
    }

    /// Lets every call of a streamed reply start as soon as it is complete:
    /// [`dispatch_stream`](Registry::dispatch_stream) then does not wait for the end of the stream with tools that are
    /// neither `read_only` nor `idempotent`. `false` by default, since a reply that fails and is asked for again may do
    /// such a thing twice.
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

    /// The registry.
    ///
    /// # Errors
    ///
    /// Everything that is wrong, at once: every name that two tools have, and where both stand; every state
    /// that a tool needs and that is not there, and what else [`BuildErrorKind`] lists.
    ///
    /// # Panics
    ///
    /// Only if a `#[arg(default = ..)]`, a `JsonSchema` or a `Deserialize` of the program does.
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
        options.limits.refuse_zero(&mut errors);
        let mut known = HashSet::new();
        let mut candidates = Vec::new();
        let mut add =
            |name: &str, candidate: Result<Candidate, SchemaError>, errors: &mut Vec<BuildErrorKind>| {
                match candidate {
                    Ok(candidate) => candidates.push(candidate),
                    Err(error) => errors.push(refuse::schema(name, error)),
                }
            };
        let written = functions.iter().map(|tool| tool.name).chain(methods.iter().map(|(name, ..)| &**name));
        let dynamic = name::of_dynamic_tools(dynamic, options.map_names, written);
        for tool in functions.into_iter().filter(|tool| known.insert((tool.identity)())) {
            add(tool.name, Candidate::of_function(tool), &mut errors);
        }
        for (name, tool, instance) in methods {
            add(&name.clone(), Candidate::of_method(name, tool, instance), &mut errors);
        }
        let mut skipped = Vec::new();
        for (name, tool) in dynamic {
            let mut tool_errors = refuse::dynamic(&tool);
            // A schema that exceeds a limit may be too deep for anything else.
            let is_too_large =
                tool_errors.iter().any(|error| matches!(error, BuildErrorKind::SchemaLimit { .. }));
            if is_too_large {
                drop_without_recursion(tool.parameters);
            } else if tool_errors.is_empty() || !options.skip_invalid_tools {
                add(&name, Candidate::of_dynamic(name.clone(), tool), &mut tool_errors);
            }
            refuse::record(
                &name,
                tool_errors,
                &mut errors,
                options.skip_invalid_tools.then_some(&mut skipped),
            );
        }
        let is_missing = |need: &&Need| !states.holds(need.id) && !batch_states.contains(&need.id);
        candidates.retain(|candidate| {
            let mut tool_errors = refuse::candidate(candidate, is_missing);
            if options.dialect == Dialect::OpenAiStrict && !options.allow_non_strict {
                tool_errors.extend(refuse::not_strict(candidate));
            }
            let may_skip = options.skip_invalid_tools && candidate.entry.location().is_none();
            let is_kept = tool_errors.is_empty() || !may_skip;
            refuse::record(&candidate.entry.name, tool_errors, &mut errors, may_skip.then_some(&mut skipped));
            is_kept
        });
        if options.skip_invalid_tools {
            refuse::skip_duplicates(&mut candidates, &mut skipped);
        }
        candidates
            .sort_by(|a, b| (&a.entry.name, a.entry.location()).cmp(&(&b.entry.name, b.entry.location())));
        refuse::duplicates(&candidates, &mut errors);
        if !errors.is_empty() {
            return Err(BuildError { errors, skipped: None });
        }
        let (schemas, entries) = candidates
            .into_iter()
            .map(|Candidate { schema, entry, .. }| {
                (schema, entry.with_default_timeout(options.limits.timeout))
            })
            .unzip();
        let setting = Setting::new(states, options, before_call, skipped);
        Ok(Registry { tools: Arc::new(Tools::new(schemas, entries, Arc::new(setting))) })
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
