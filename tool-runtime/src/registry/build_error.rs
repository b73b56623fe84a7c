//! Everything that can be wrong with a registry.

use std::fmt;

/// Why a registry cannot be built, or why it was built without one of its tools: see [`Registry::skipped`].
///
/// [`Registry::skipped`]: crate::Registry::skipped
#[derive(Debug)]
pub struct BuildError {
    pub(super) errors: Vec<BuildErrorKind>,
    /// The tool that was left out for them, where the registry was built.
    pub(super) skipped: Option<String>,
}

/// One thing that is wrong with a registry.
#[derive(Debug)]
#[non_exhaustive]
pub enum BuildErrorKind {
    /// Two tools have the same name.
    #[non_exhaustive]
    DuplicateName {
        /// The name.
        name: String,
        /// Where one of them stands, for a message: `at` a place, or `as a DynamicTool`.
        first: String,
        /// Where the other stands.
        second: String,
    },
    /// Servers would refuse the name of a dynamic tool, or of a toolset's tool with its prefix.
    #[non_exhaustive]
    InvalidName {
        /// The name.
        name: String,
    },
    /// The parameters of a dynamic tool are not the JSON Schema of an object.
    #[non_exhaustive]
    InvalidParameters {
        /// The tool.
        tool: String,
    },
    /// A property in the parameters of a tool is named `$ref`. Engines read it as a reference: with such a tool, llama.cpp
    /// answers every request with an error.
    #[non_exhaustive]
    PropertyNamedRef {
        /// The tool.
        tool: String,
    },
    /// A dynamic tool is said to be `read_only` and `destructive`.
    #[non_exhaustive]
    ContradictingAnnotations {
        /// The tool.
        tool: String,
    },
    /// The time-out of a dynamic tool is zero.
    #[non_exhaustive]
    ZeroTimeout {
        /// The tool.
        tool: String,
    },
    /// Two hooks were given to [`before_call`](crate::RegistryBuilder::before_call).
    SecondHook,
    /// A limit of the registry is zero.
    #[non_exhaustive]
    ZeroLimit {
        /// The method of the builder, for example `max_concurrency`.
        limit: &'static str,
    },
    /// A tool needs a state that the registry does not have and that no batch is to bring.
    #[non_exhaustive]
    MissingState {
        /// The tool.
        tool: String,
        /// Its parameter.
        parameter: &'static str,
        /// The type of the state.
        state: &'static str,
    },
    /// Two states of one type: tools tell states apart by their types.
    #[non_exhaustive]
    DuplicateState {
        /// The type.
        state: &'static str,
    },
    /// No tool of this crate or module is linked into the program.
    #[non_exhaustive]
    NothingCollected {
        /// What was given to [`collect_from`](crate::RegistryBuilder::collect_from).
        from: String,
    },
    /// A tool cannot be written in strict form, which [`dialect`](crate::RegistryBuilder::dialect) asked for.
    #[non_exhaustive]
    NotStrict {
        /// The tool.
        tool: String,
        /// Where in its parameters, as in `stops[].notes`; empty where it is the whole.
        path: String,
        /// What stands against it, for example `takes any value`.
        reason: String,
    },
    /// The schema of a tool exceeds a limit: 1 MB, 30,000 values, 127 levels of nesting, 32 schemas in a row for one
    /// value, such as `$ref` and `allOf`, 2 MB of compiled patterns. Without limits, a definition of a remote server could take any time and memory.
    #[non_exhaustive]
    SchemaLimit {
        /// The tool.
        tool: String,
        /// The limit, for example `it has more than 30000 values`.
        limit: String,
    },
    /// The schema of a tool cannot be written.
    #[non_exhaustive]
    Schema {
        /// The tool.
        name: String,
        /// What the writer says.
        source: serde_json::Error,
    },
}

impl BuildError {
    /// Everything that is wrong.
    #[must_use]
    pub fn errors(&self) -> &[BuildErrorKind] {
        &self.errors
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
        match self {
            BuildErrorKind::DuplicateName { name, first, second } => write!(
                f,
                "two tools are named `{name}`, one {first} and one {second}; \
                 rename one of them, or give a toolset a prefix"
            ),
            BuildErrorKind::InvalidName { name } => write!(
                f,
                "`{name}` cannot be the name of a tool: servers accept 1 to 64 ASCII letters, \
                 digits, `_` and `-`; rename it, or let the registry rename dynamic tools with `.map_names(true)`"
            ),
            BuildErrorKind::InvalidParameters { tool } => write!(
                f,
                "the parameters of `{tool}` are not the JSON Schema of an object; \
                 use a schema with `\"type\": \"object\"`"
            ),
            BuildErrorKind::PropertyNamedRef { tool } => write!(
                f,
                "a property in the parameters of `{tool}` is named `$ref`, which engines read as a reference; \
                 rename it, with `#[serde(rename = \"..\")]` or `#[arg(name = \"..\")]` in a function, or leave the \
                 tool out"
            ),
            BuildErrorKind::ContradictingAnnotations { tool } => {
                write!(f, "`{tool}` is both `read_only` and `destructive`; remove one of them")
            }
            BuildErrorKind::ZeroTimeout { tool } => write!(f, "the timeout of `{tool}` must be more than 0"),
            BuildErrorKind::SecondHook => {
                f.write_str("`before_call` was called twice; combine the two hooks into one")
            }
            BuildErrorKind::ZeroLimit { limit } => {
                write!(f, "`{limit}` must be more than 0; leave it out for no limit")
            }
            BuildErrorKind::MissingState { tool, parameter, state } => write!(
                f,
                "`{tool}` needs the state `{parameter}: &{state}`; add `.state(..)` with a value of this type, \
                 or `.batch_state::<{state}>()` if each batch provides one"
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
            BuildErrorKind::NotStrict { tool, path, reason } => {
                write!(f, "`{tool}` cannot be strict: ")?;
                if !path.is_empty() {
                    write!(f, "`{path}` ")?;
                }
                write!(
                    f,
                    "{reason}; use another type, or send the tool without `strict` with `.allow_non_strict(true)`"
                )
            }
            BuildErrorKind::SchemaLimit { tool, limit } => write!(
                f,
                "the parameters of `{tool}` exceed a limit: {limit}; give it a smaller schema, or leave the tool out"
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
