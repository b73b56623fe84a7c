//! The options of a registry that apply to all tools.

use super::{Limits, RegistryBuilder};

/// The values of the options.
#[derive(Clone, Copy, Debug, Default)]
#[allow(clippy::struct_excessive_bools, reason = "one for each method of the builder")]
pub(super) struct BuildOptions {
    pub(super) null_means_absent: bool,
    pub(super) rename_invalid_names: bool,
    pub(super) skip_invalid_tools: bool,
    pub(super) lenient_arguments: bool,
    pub(super) limits: Limits,
    #[cfg(feature = "tracing")]
    pub(super) trace_content: bool,
    pub(super) start_all_while_streaming: bool,
    pub(super) ordered_effects: bool,
    pub(super) measure_durations: bool,
    pub(super) repeated_calls: RepeatedCallLimit,
}

/// The number of identical results of a call after which the model gets a note; `None` for no note.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RepeatedCallLimit(pub(crate) Option<usize>);

impl Default for RepeatedCallLimit {
    fn default() -> Self {
        RepeatedCallLimit(Some(3))
    }
}

impl RegistryBuilder {
    /// Reads a null as an absent argument, in the calls of every tool, if the argument is optional: an `Option` is
    /// `None`, and an argument with a default has its default. Default: `false`.
    ///
    /// A model sends such nulls if its request has the tools in OpenAI's strict form, in which every argument is
    /// required. A strict wire ([`ChatCompletions::strict`](crate::wire::ChatCompletions::strict)) has this effect for the
    /// calls of the replies that it reads, also after a [`Session`](crate::Session) or
    /// [`PendingCalls`](crate::conversation::PendingCalls) with them was stored. Set this option if the program reads strict
    /// replies in another way.
    ///
    /// ```
    /// use serde_json::json;
    /// use tool_runtime::{Registry, tool, tools};
    ///
    /// /// Returns a page.
    /// #[tool]
    /// fn read(#[arg(default = 1)] page: u32) -> u32 {
    ///     page
    /// }
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let registry = Registry::builder().tools(tools![read]).null_means_absent(true).build()?;
    /// assert_eq!(registry.call("read", json!({"page": null})).await.text(), "1");
    /// # Ok(())
    /// # }
    /// ```
    pub fn null_means_absent(mut self, absent: bool) -> Self {
        self.options.null_means_absent = absent;
        self
    }

    /// Renames dynamic tools whose names servers reject. Default: `false`, such a name is an error of
    /// [`build`](RegistryBuilder::build).
    ///
    /// Each character other than ASCII letters, digits, `_` and `-` becomes `_`. A name of more than 64 characters is
    /// truncated and ends with a fingerprint of the original name. Names that would become equal get a fingerprint too.
    ///
    /// The model receives the new name. The methods of the registry accept both names, and
    /// [`RegisteredTool::original_name`](super::RegisteredTool::original_name) is the original one.
    ///
    /// ```
    /// use serde_json::json;
    /// use tool_runtime::{DynamicTool, Registry};
    ///
    /// let double = DynamicTool::new("math.double", "Doubles.", json!({"type": "object"}), |_| async { Ok::<_, String>(2) });
    /// let registry = Registry::builder().rename_invalid_names(true).dynamic(double).build()?;
    /// assert_eq!(registry.names(), ["math_double"]);
    /// assert_eq!(registry.tool("math_double").and_then(|tool| tool.original_name), Some("math.double"));
    /// assert_eq!(registry.subset(["math.double"])?.names().len(), 1);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn rename_invalid_names(mut self, rename: bool) -> Self {
        self.options.rename_invalid_names = rename;
        self
    }

    /// Skips dynamic tools with errors, so that one invalid definition of a remote server does not fail the build.
    /// [`Registry::skipped_tools`](super::Registry::skipped_tools) returns the errors. Default: `false`, such an error fails
    /// the build.
    ///
    /// [`BuildErrorKind`](super::BuildErrorKind) lists the errors, for example parameters that do not describe an
    /// object, a name that servers reject or a property named `$ref`. If two tools have one name, the first valid one
    /// stays, and a function takes precedence over a dynamic tool. Other mistakes inside a schema are not errors: see
    /// [`RegisteredTool::unsupported_keywords`](super::RegisteredTool::unsupported_keywords).
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
    /// let skipped = registry.skipped_tools()[0].to_string();
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
    ///   it; comments (`//` and `/* */`), trailing commas, single quotes or backticks in place of double quotes, keys without
    ///   quotes, Python's `True`, `False` and `None`, control characters in strings, a byte order mark, one surplus closing
    ///   bracket. A value in backticks may contain backticks, such as code with template literals, if only one of them can be
    ///   its end and the text has at most 64 KiB.
    /// - JSON in a string where the object of arguments, another object, an array, a number or a boolean is expected:
    ///   `"{..}"`, `"[1,2]"`, `"42"`, `"true"`.
    /// - A single value where an array of any length is expected.
    /// - Arguments inside the only key, if models write it around arguments: `arguments`, `args`, `parameters`, `params`,
    ///   `input`, `kwargs`, `properties` or the name of the tool, and the tool does not declare it.
    /// - A value of an enum that differs only in its case, `_`, `-` and spaces, but not in a sign or in a single letter: `1m`
    ///   is not `1M`.
    ///
    /// The tags of variants and the names of arguments are not changed. Calls of destructive tools are repaired as well:
    /// approval sees the repaired arguments.
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
    /// let messages = registry.dispatch(&[ToolCall::new("call_1", "sum", r#"{"numbers": "[1, 2]",}"#)]).await;
    /// assert_eq!(messages[0].content, "3");
    /// assert_eq!(
    ///     messages[0].outcome().expect("it ran").coercions(),
    ///     ["a trailing comma was left out", r#"`numbers`: "[1, 2]" was read as [1, 2]"#],
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
    /// `gen_ai.tool.call.result`, and the texts of errors, with their sources unless middleware has changed the text. The
    /// result is that after all middleware. Default: `false`, since they may contain secrets. Needs the feature `tracing`.
    ///
    /// Control characters, line breaks and marks of text direction are escaped in spans, as in `\n`, so that no text forges a
    /// line of a log. The middle of a text of more than 64 KiB is left out.
    ///
    /// A program chooses the receiver of the spans. `tracing-subscriber` prints them:
    ///
    /// ```
    /// use tool_runtime::{Registry, ToolCall, tool, tools};
    /// use tracing_subscriber::fmt::format::FmtSpan;
    ///
    /// /// Adds two numbers.
    /// #[tool]
    /// fn add(a: i64, b: i64) -> i64 {
    ///     a + b
    /// }
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// tracing_subscriber::fmt().with_span_events(FmtSpan::CLOSE).init();
    ///
    /// let registry = Registry::builder().tools(tools![add]).trace_content(true).build()?;
    /// registry.dispatch(&[ToolCall::new("call_1", "add", r#"{"a":1,"b":2}"#)]).await;
    /// // INFO execute_tool{.. gen_ai.tool.name=add .. gen_ai.tool.call.result="3"}: close time.busy=..
    /// # Ok(())
    /// # }
    /// ```
    #[cfg(feature = "tracing")]
    pub fn trace_content(mut self, traced: bool) -> Self {
        self.options.trace_content = traced;
        self
    }

    /// Sets the number of identical results after which the model gets a note: if a call with the same tool and arguments has
    /// the same result this often in a row, since the last user message and within the last 50 calls, its result ends with
    /// "This call has now returned the same result three times in a row: ..", and an error ends with "This call has now failed
    /// in the same way three times in a row: ..". Default: 3. `None` switches the note off.
    ///
    /// It applies where the earlier calls are known: in a [`Session`](crate::Session) and in the runs of
    /// [`PendingCalls`](crate::conversation::PendingCalls). Zero also switches the note off, and one counts as two for
    /// results that are not errors. Cancelled calls, calls of unavailable tools and results with images or files do not count.
    /// The results of a `read_only` tool do not count if a call of a tool that is not `read_only` follows: after an effect,
    /// there is a reason to read again.
    ///
    /// ```
    /// # use tool_runtime::{Registry, tool, tools};
    /// # /// Prints a page.
    /// # #[tool]
    /// # fn print() {}
    /// let registry = Registry::builder().tools(tools![print]).note_repeated_calls(None).build()?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn note_repeated_calls(mut self, after: impl Into<Option<usize>>) -> Self {
        self.options.repeated_calls = RepeatedCallLimit(after.into());
        self
    }

    /// Keeps the order of effects: a call of a tool that is not `read_only` begins after all earlier calls of its reply have
    /// ended, approvals and results from elsewhere included, and later calls begin after it. Default: `false`, and all calls of
    /// a reply run concurrently, except for those of an [exclusive](super::Policy::exclusive) tool.
    ///
    /// `read_only` calls between two such calls run concurrently. After such a call that waits for a person or for its
    /// result, no later call begins: [`PendingCalls::run`](crate::conversation::PendingCalls::run) and a
    /// [`Session`](crate::Session) keep it pending, and [`dispatch`](super::Registry::dispatch) answers it with an error
    /// ([`CallError::NeedsCall`](crate::CallError::NeedsCall)). A call that failed, was denied or was too late has ended,
    /// even if the thread of a `blocking` tool still runs. While a call waits for an earlier one, it holds no permit, and no
    /// time limit runs. Its approval does not wait: a person can decide about all calls of a reply at once.
    ///
    /// In a streamed reply, only `read_only` calls before the first such call start early, even with
    /// [`start_all_while_streaming`](RegistryBuilder::start_all_while_streaming).
    ///
    /// ```
    /// use tool_runtime::{Registry, ToolCall, tool, tools};
    ///
    /// /// Changes a file.
    /// #[tool(requires_approval)]
    /// fn edit(path: &str) {}
    ///
    /// /// Runs the tests.
    /// #[tool(read_only)]
    /// fn run_tests() {}
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let registry = Registry::builder().tools(tools![edit, run_tests]).ordered_effects(true).build()?;
    /// let calls = [ToolCall::new("a", "edit", r#"{"path":"main.rs"}"#), ToolCall::new("b", "run_tests", "{}")];
    /// let messages = registry.dispatch(&calls).await;
    /// assert_eq!(messages[0].content, "Error: the tool `edit` needs approval, which was not given.");
    /// assert_eq!(messages[1].error_kind(), Some("needs_call"));
    /// # Ok(())
    /// # }
    /// ```
    pub fn ordered_effects(mut self, ordered: bool) -> Self {
        self.options.ordered_effects = ordered;
        self
    }

    /// Starts every call of a streamed reply as soon as its arguments are complete, also calls of tools that are
    /// neither `read_only` nor `idempotent`: see [`dispatch_stream`](super::Registry::dispatch_stream). Default:
    /// `false`, since a call would run twice if the stream fails and the request is repeated.
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
    pub fn start_all_while_streaming(mut self, all: bool) -> Self {
        self.options.start_all_while_streaming = all;
        self
    }

    /// Measures the [`duration`](crate::dispatch::Outcome::duration) of every call. Default: `false`: only the calls of a
    /// run with a listener ([`RunContext::on_event`](crate::RunContext::on_event),
    /// [`Run::on_event`](crate::session::Run::on_event)) are measured, and other durations are zero, since reading the clock takes
    /// longer than a small tool.
    ///
    /// ```
    /// # use tool_runtime::{Registry, ToolCall, tool, tools};
    /// # /// Prints a page.
    /// # #[tool]
    /// # fn print() {}
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let registry = Registry::builder().tools(tools![print]).measure_durations(true).build()?;
    /// let messages = registry.dispatch(&[ToolCall::new("call_1", "print", "{}")]).await;
    /// assert!(messages[0].outcome().is_some_and(|outcome| !outcome.duration().is_zero()));
    /// # Ok(())
    /// # }
    /// ```
    pub fn measure_durations(mut self, all: bool) -> Self {
        self.options.measure_durations = all;
        self
    }
}
