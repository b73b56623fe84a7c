//! The options of `#[tool(..)]`.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::time::Duration;

/// Properties of a tool that its author declares: [`Registry::tool`](crate::Registry::tool) returns them.
///
/// Each is `None` if the tool does not declare it, so that a program can send exactly what is declared to a client of
/// the [Model Context Protocol][mcp]. The protocol has a hint for each, with a default: `false` for `readOnlyHint` and
/// `idempotentHint`, but `true` for `destructiveHint` and `openWorldHint`. This crate treats a property that is not
/// declared as false, in its own decisions and in [`is_read_only`](Annotations::is_read_only),
/// [`is_destructive`](Annotations::is_destructive), [`is_idempotent`](Annotations::is_idempotent) and
/// [`is_open_world`](Annotations::is_open_world).
///
/// The registry does not verify them. Calls of `read_only` and `idempotent` tools start while a reply is still
/// streamed, and the time-out message of a `read_only` tool does not mention effects.
///
/// ```
/// use tool_runtime::registry::Annotations;
///
/// let mut annotations = Annotations::default();
/// assert_eq!(annotations.destructive, None);
/// annotations.destructive = Some(false);
/// assert!(!annotations.is_destructive());
/// // The default of the protocol, where nothing is declared:
/// assert!(annotations.open_world.unwrap_or(true) && !annotations.is_open_world());
/// ```
///
/// [mcp]: https://modelcontextprotocol.io/specification/2025-06-18/schema#toolannotations
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct Annotations {
    /// The tool changes nothing. Default: `None`, not declared.
    pub read_only: Option<bool>,
    /// The tool may delete or overwrite data. Default: `None`, not declared, which is true in the protocol.
    pub destructive: Option<bool>,
    /// A second call with the same arguments has no additional effect. Default: `None`, not declared.
    pub idempotent: Option<bool>,
    /// The tool interacts with systems outside the application, for example with websites. Default: `None`, not
    /// declared, which is true in the protocol.
    pub open_world: Option<bool>,
}

impl Annotations {
    /// Whether the tool is declared to change nothing.
    #[must_use]
    pub const fn is_read_only(&self) -> bool {
        matches!(self.read_only, Some(true))
    }

    /// Whether the tool is declared to delete or overwrite data.
    #[must_use]
    pub const fn is_destructive(&self) -> bool {
        matches!(self.destructive, Some(true))
    }

    /// Whether the tool is declared to have no additional effect in a second call with the same arguments.
    #[must_use]
    pub const fn is_idempotent(&self) -> bool {
        matches!(self.idempotent, Some(true))
    }

    /// Whether a call may run again after it was interrupted: the tool is declared to be read-only or idempotent.
    #[must_use]
    pub const fn may_repeat(&self) -> bool {
        self.is_read_only() || self.is_idempotent()
    }

    /// Whether the tool is declared to interact with systems outside the application.
    #[must_use]
    pub const fn is_open_world(&self) -> bool {
        matches!(self.open_world, Some(true))
    }
}

/// Rules that dispatch enforces for each call of a tool: [`Registry::tool`](crate::Registry::tool) returns them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct Policy {
    /// A call runs only after the program has approved it. Default: `false`.
    pub requires_approval: bool,
    /// The time limit of one run of the tool: that of the tool, otherwise that of its registry. Without middleware, a call
    /// is one run. Default: `None`, no limit.
    pub timeout: Option<Duration>,
    /// The number of calls of the tool that run at the same time, in the registry, its clones and its subsets
    /// together. Other calls of the tool wait. Default: `None`, no limit other than
    /// [that of the registry](crate::RegistryBuilder::max_concurrency).
    pub max_concurrency: Option<usize>,
    /// The number of calls of the tool that may begin with one [`RunContext`](crate::RunContext), over all its
    /// dispatches. Further calls get an error with the limit. Without a bound context, each dispatch counts on its own:
    /// bind one with [`Registry::with`](crate::Registry::with) to limit a whole conversation. A
    /// [`Session`](crate::Session) counts since the last user message. Default: `None`, no limit other than [that of
    /// the registry](crate::RegistryBuilder::max_calls_per_reply).
    pub max_calls: Option<usize>,
    /// A call of the tool begins after all earlier calls of its reply have ended, and later calls begin after it. Default:
    /// `false`. See [`ordered_effects`](crate::RegistryBuilder::ordered_effects) for all tools with effects.
    pub exclusive: bool,
    /// The tool may run again from its beginning, in the same call: after one of its [inner
    /// calls](crate::CallContext::inner_call) has waited for a person or a result, after the answer to a
    /// [question](crate::CallContext::ask), after a cancellation, and after a crash in a run with a
    /// [log](crate::session::Run::log). All its effects are inner calls, which do not run again. An effect that comes after the
    /// last question and is no inner call does not happen again because of the questions, but after a cancellation or a crash.
    /// Default: `false`.
    ///
    /// This differs from `idempotent`: a new call of the tool has its effects again, so nothing repeats a call that has failed, and
    /// no call starts before its reply is complete.
    pub resumable: bool,
}

/// The options of a tool. The macro chains a method for each option: `Options::NONE.read_only(true)`.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    pub(crate) annotations: Annotations,
    pub(crate) policy: Policy,
    pub(crate) blocking: bool,
    pub(crate) title: Option<&'static str>,
    pub(crate) output_schema: Option<fn() -> Value>,
}

impl Options {
    /// The options of a tool that declares none.
    pub const NONE: Self = Options {
        annotations: Annotations { read_only: None, destructive: None, idempotent: None, open_world: None },
        policy: Policy {
            requires_approval: false,
            timeout: None,
            max_concurrency: None,
            max_calls: None,
            exclusive: false,
            resumable: false,
        },
        blocking: false,
        title: None,
        output_schema: None,
    };

    /// Sets `read_only`.
    #[must_use]
    pub const fn read_only(mut self, declared: bool) -> Self {
        self.annotations.read_only = Some(declared);
        self
    }

    /// Sets `destructive`.
    #[must_use]
    pub const fn destructive(mut self, declared: bool) -> Self {
        self.annotations.destructive = Some(declared);
        self
    }

    /// Sets `idempotent`.
    #[must_use]
    pub const fn idempotent(mut self, declared: bool) -> Self {
        self.annotations.idempotent = Some(declared);
        self
    }

    /// Sets `open_world`.
    #[must_use]
    pub const fn open_world(mut self, declared: bool) -> Self {
        self.annotations.open_world = Some(declared);
        self
    }

    /// Sets all annotations.
    pub(crate) const fn annotations(mut self, annotations: Annotations) -> Self {
        self.annotations = annotations;
        self
    }

    /// Sets `requires_approval`.
    #[must_use]
    pub const fn requires_approval(mut self) -> Self {
        self.policy.requires_approval = true;
        self
    }

    /// Sets `exclusive`.
    #[must_use]
    pub const fn exclusive(mut self) -> Self {
        self.policy.exclusive = true;
        self
    }

    /// Sets `resumable`.
    #[must_use]
    pub const fn resumable(mut self) -> Self {
        self.policy.resumable = true;
        self
    }

    /// Sets `timeout`, in milliseconds.
    #[must_use]
    pub const fn timeout_ms(self, limit: u64) -> Self {
        self.timeout(Duration::from_millis(limit))
    }

    pub(crate) const fn timeout(mut self, limit: Duration) -> Self {
        self.policy.timeout = Some(limit);
        self
    }

    /// Sets `max_concurrency`.
    #[must_use]
    pub const fn max_concurrency(mut self, calls: usize) -> Self {
        self.policy.max_concurrency = Some(calls);
        self
    }

    /// Sets `max_calls`.
    #[must_use]
    pub const fn max_calls(mut self, calls: usize) -> Self {
        self.policy.max_calls = Some(calls);
        self
    }

    /// Sets `blocking`.
    #[must_use]
    pub const fn blocking(mut self) -> Self {
        self.blocking = true;
        self
    }

    /// Sets `title`.
    #[must_use]
    pub const fn title(mut self, title: &'static str) -> Self {
        self.title = Some(title);
        self
    }

    /// Sets `output_schema`: the function that creates it.
    #[must_use]
    pub const fn output_schema(mut self, schema: fn() -> Value) -> Self {
        self.output_schema = Some(schema);
        self
    }
}
