//! What `#[tool(..)]` says of how a tool may be run.

use std::time::Duration;

/// What a tool says of itself, and how long it may take, for the program that runs it:
/// [`Registry::hints`](crate::Registry::hints).
///
/// The first three mean what they mean in the Model Context Protocol; what is not said is `false`:
/// <https://modelcontextprotocol.io/specification/2025-06-18/schema#toolannotations>.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
#[allow(clippy::struct_excessive_bools, reason = "each is one word of `#[tool(..)]`")]
pub struct Hints {
    /// It changes nothing.
    pub read_only: bool,
    /// It may destroy what was there.
    pub destructive: bool,
    /// To call it again with the same arguments changes nothing more.
    pub idempotent: bool,
    /// It runs only after the program approved the call.
    pub requires_approval: bool,
    /// It may take this long: by its own word, or else by that of its registry.
    pub timeout: Option<Duration>,
}

/// The options of a tool. The macro chains the words that were written: `Options::NONE.read_only()`.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    pub(crate) hints: Hints,
    pub(crate) blocking: bool,
}

impl Options {
    /// Nothing was said.
    pub const NONE: Self = Options {
        hints: Hints {
            read_only: false,
            destructive: false,
            idempotent: false,
            requires_approval: false,
            timeout: None,
        },
        blocking: false,
    };

    /// `read_only`
    #[must_use]
    pub const fn read_only(mut self) -> Self {
        self.hints.read_only = true;
        self
    }

    /// `destructive`
    #[must_use]
    pub const fn destructive(mut self) -> Self {
        self.hints.destructive = true;
        self
    }

    /// `idempotent`
    #[must_use]
    pub const fn idempotent(mut self) -> Self {
        self.hints.idempotent = true;
        self
    }

    /// `requires_approval`
    #[must_use]
    pub const fn requires_approval(mut self) -> Self {
        self.hints.requires_approval = true;
        self
    }

    /// `timeout = ".."`
    #[must_use]
    pub const fn timeout_ms(self, allowed: u64) -> Self {
        self.timeout(Duration::from_millis(allowed))
    }

    pub(crate) const fn timeout(mut self, allowed: Duration) -> Self {
        self.hints.timeout = Some(allowed);
        self
    }

    /// `blocking`
    #[must_use]
    pub const fn blocking(mut self) -> Self {
        self.blocking = true;
        self
    }
}
