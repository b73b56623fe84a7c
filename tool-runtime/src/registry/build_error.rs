//! Errors of building a registry.

use crate::outcome::LogWriter;
use std::fmt::{self, Write as _};

/// The errors of a registry that cannot be built, or of a tool that was skipped: see [`Registry::skipped_tools`].
///
/// [`Registry::skipped_tools`]: crate::Registry::skipped_tools
pub struct BuildError {
    pub(super) errors: Vec<BuildErrorKind>,
    /// The skipped tool, if the registry was built without it.
    pub(super) skipped: Option<String>,
}

/// One error of building a registry.
#[derive(Debug)]
#[non_exhaustive]
pub enum BuildErrorKind {
    /// Two tools have the same name.
    #[non_exhaustive]
    DuplicateName {
        /// The name.
        name: String,
        /// The location of the first tool as text, for example ``at src/a.rs:3 (in `a`)`` or ``as a `DynamicTool` ``.
        first: String,
        /// The location of the second tool.
        second: String,
    },
    /// A tool has a name of the library: one of a tool that a search (`RegistryBuilder::search`) adds, or that of the approval of
    /// tools that a provider runs.
    #[non_exhaustive]
    ReservedName {
        /// The name: `search_tools`, `call_tool` or `approve_hosted_call`.
        name: String,
        /// The location of the tool as text, as in `DuplicateName`.
        location: String,
    },
    /// Servers reject the name of a dynamic tool, or the prefixed name of a toolset's tool.
    #[non_exhaustive]
    InvalidName {
        /// The name.
        name: String,
    },
    /// The parameters of a dynamic tool are not the JSON Schema of an object.
    #[non_exhaustive]
    InvalidParameters {
        /// The name of the tool.
        tool: String,
    },
    /// The parameters of a dynamic tool are not a JSON Schema of the version 2020-12, and cannot be converted to one.
    #[non_exhaustive]
    InvalidSchema {
        /// The name of the tool.
        tool: String,
        /// The errors, each with its place in the parameters.
        errors: Vec<String>,
    },
    /// A property in the parameters of a tool is named `$ref`. Engines read it as a reference: llama.cpp rejects every
    /// request with such a tool.
    #[non_exhaustive]
    PropertyNamedRef {
        /// The name of the tool.
        tool: String,
    },
    /// A dynamic tool is both `read_only` and `destructive`.
    #[non_exhaustive]
    ContradictingAnnotations {
        /// The name of the tool.
        tool: String,
    },
    /// [`before_call`](crate::RegistryBuilder::before_call) was called twice.
    SecondHook,
    /// A limit is zero.
    #[non_exhaustive]
    ZeroLimit {
        /// The name of the dynamic tool; `None` for a limit of the registry.
        tool: Option<String>,
        /// The method of [`DynamicTool`](crate::DynamicTool) or of the builder, for example `max_concurrency`.
        limit: &'static str,
    },
    /// A tool needs state that the registry does not have and that
    /// [`state_per_run`](crate::RegistryBuilder::state_per_run) does not declare.
    #[non_exhaustive]
    MissingState {
        /// The name of the tool.
        tool: String,
        /// The name of the parameter.
        parameter: &'static str,
        /// The type of the state.
        state: &'static str,
    },
    /// Two states have the same type. A tool selects its state by type.
    #[non_exhaustive]
    DuplicateState {
        /// The type of the states.
        state: &'static str,
    },
    /// No tool of this crate or module is linked into the program.
    #[non_exhaustive]
    NothingCollected {
        /// The path that was passed to [`collect_from`](crate::RegistryBuilder::collect_from).
        from: String,
    },
    /// A schema of a tool exceeds a limit: 1 MB, 30,000 values, 127 levels of nesting, 32 consecutive schemas for one
    /// value (such as `$ref` and `allOf`), or 2 MB of compiled patterns. The limits bound the time and memory that a
    /// definition of a remote server can take.
    #[non_exhaustive]
    SchemaLimit {
        /// The name of the tool.
        tool: String,
        /// The limit, for example `it has more than 30000 values`.
        limit: String,
    },
    /// The schema of a tool cannot be serialized.
    #[non_exhaustive]
    Schema {
        /// The name of the tool.
        name: String,
        /// The error of the serializer.
        source: serde_json::Error,
    },
}

impl BuildError {
    /// All errors, in the order in which they were found.
    #[must_use]
    pub fn errors(&self) -> &[BuildErrorKind] {
        &self.errors
    }
}

/// The text of [`Display`](fmt::Display), since a `main` that returns the error prints it with `Debug`.
impl fmt::Debug for BuildError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl fmt::Display for BuildError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.skipped {
            Some(tool) => write!(f, "the tool `{tool}` was skipped: ")?,
            None => f.write_str("the registry cannot be built: ")?,
        }
        for (index, error) in self.errors.iter().enumerate() {
            if index > 0 {
                f.write_str("; ")?;
            }
            error.fmt(f)?;
        }
        Ok(())
    }
}

impl fmt::Display for BuildErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let f = &mut LogWriter(f);
        match self {
            BuildErrorKind::DuplicateName { name, first, second } => write!(
                f,
                "two tools are named `{name}`, one {first} and one {second}; \
                 rename one of them, or give the toolset or the remote server a prefix"
            ),
            BuildErrorKind::ReservedName { name, location } => write!(
                f,
                "the library has a tool named `{name}`, and there is another one {location}; rename it, or give the \
                 toolset or the remote server a prefix"
            ),
            BuildErrorKind::InvalidName { name } => write!(
                f,
                "`{name}` cannot be the name of a tool: servers accept 1 to 64 ASCII letters, \
                 digits, `_` and `-`; rename it, or let the registry rename dynamic tools with `.rename_invalid_names(true)`"
            ),
            BuildErrorKind::InvalidParameters { tool } => write!(
                f,
                "the parameters of `{tool}` are not the JSON Schema of an object; \
                 use a schema with `\"type\": \"object\"`"
            ),
            BuildErrorKind::InvalidSchema { tool, errors } => write!(
                f,
                "the parameters of `{tool}` are not a JSON Schema (2020-12): {}; correct them, or leave the tool out",
                errors.join("; ")
            ),
            BuildErrorKind::PropertyNamedRef { tool } => write!(
                f,
                "a property in the parameters of `{tool}` is named `$ref`, which engines read as a reference; \
                 rename it, with `#[serde(rename = \"..\")]` or `#[arg(name = \"..\")]` in a function, or leave the \
                 tool out"
            ),
            BuildErrorKind::ContradictingAnnotations { tool } => {
                write!(f, "`{tool}` is both `read_only` and `destructive`; remove one")
            }
            BuildErrorKind::SecondHook => {
                f.write_str("`before_call` was called twice; combine the two hooks into one")
            }
            BuildErrorKind::ZeroLimit { tool, limit } => {
                let tool = tool.as_ref().map(|tool| format!(" of `{tool}`")).unwrap_or_default();
                write!(f, "`{limit}`{tool} must be more than 0; leave it out for no limit")
            }
            BuildErrorKind::MissingState { tool, parameter, state } => write!(
                f,
                "`{tool}` needs the state `{parameter}: &{state}`; add `.state(..)` with a value of this type, \
                 or `.state_per_run::<{state}>()` if each run context provides one"
            ),
            BuildErrorKind::DuplicateState { state } => write!(
                f,
                "two states have the type `{state}`, and a tool selects its state by type; wrap one of them in a newtype"
            ),
            BuildErrorKind::NothingCollected { from } => write!(
                f,
                "no tool of `{from}` is linked into the program; check the path, and write `use .. as _;` with \
                 the name of the crate if the program uses nothing else of it"
            ),
            BuildErrorKind::SchemaLimit { tool, limit } => write!(
                f,
                "a schema of `{tool}` exceeds a limit: {limit}; give it a smaller schema, or leave the tool out"
            ),
            BuildErrorKind::Schema { name, source } => {
                write!(f, "the schema of `{name}` cannot be written: {source}")
            }
        }
    }
}

impl std::error::Error for BuildError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.errors.iter().find_map(|error| match error {
            BuildErrorKind::Schema { source, .. } => Some(source as _),
            _ => None,
        })
    }
}
