//! The options of `#[tool(..)]`.

use std::time::Duration;

/// Properties of a tool that its author declares: [`Registry::annotations`](crate::Registry::annotations).
///
/// The registry does not verify them. Calls of `read_only` and `idempotent` tools start while a reply is still streamed,
/// and the time-out message of a `read_only` tool does not mention effects.
///
/// The names are those of the [Model Context Protocol][mcp]. Each is `false` by default, also `destructive`, whose default
/// in the protocol is `true`.
///
/// [mcp]: https://modelcontextprotocol.io/specification/2025-06-18/schema#toolannotations
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Annotations {
    /// The tool changes nothing.
    pub read_only: bool,
    /// The tool may delete or overwrite data.
    pub destructive: bool,
    /// A second call with the same arguments has no additional effect.
    pub idempotent: bool,
}

/// Rules that dispatch enforces for each call of a tool: [`Registry::policy`](crate::Registry::policy).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Policy {
    /// A call runs only after the program has approved it. Default: `false`.
    pub requires_approval: bool,
    /// The time limit of a call: that of the tool, otherwise that of its registry. Default: `None`, no limit.
    pub timeout: Option<Duration>,
}

/// The options of a tool. The macro chains a method for each option: `Options::NONE.read_only()`.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    pub(crate) annotations: Annotations,
    pub(crate) policy: Policy,
    pub(crate) blocking: bool,
}

impl Options {
    /// The options of a tool that declares none.
    pub const NONE: Self = Options {
        annotations: Annotations { read_only: false, destructive: false, idempotent: false },
        policy: Policy { requires_approval: false, timeout: None },
        blocking: false,
    };

    /// Sets `read_only`.
    #[must_use]
    pub const fn read_only(mut self) -> Self {
        self.annotations.read_only = true;
        self
    }

    /// Sets `destructive`.
    #[must_use]
    pub const fn destructive(mut self) -> Self {
        self.annotations.destructive = true;
        self
    }

    /// Sets `idempotent`.
    #[must_use]
    pub const fn idempotent(mut self) -> Self {
        self.annotations.idempotent = true;
        self
    }

    /// Sets `requires_approval`.
    #[must_use]
    pub const fn requires_approval(mut self) -> Self {
        self.policy.requires_approval = true;
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

    /// Sets `blocking`.
    #[must_use]
    pub const fn blocking(mut self) -> Self {
        self.blocking = true;
        self
    }
}
