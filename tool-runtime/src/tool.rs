//! A tool as the macro leaves it: static data and one `fn` pointer.

#[cfg(feature = "collect")]
mod collected;
mod dynamic;
mod list;
mod options;
mod toolset;

#[cfg(feature = "collect")]
pub use collected::Collected;
#[cfg(feature = "collect")]
pub(crate) use collected::collected;
pub use dynamic::DynamicTool;
pub(crate) use dynamic::Handler;
pub use list::{ToolList, refuse_duplicates};
pub use options::{Annotations, Options, Policy};
pub use toolset::Toolset;

use crate::arguments::Parameter;
use crate::invocation::Invocation;
use crate::output::{Reply, ToolOutput};
use std::any::TypeId;
use std::fmt;
use std::future::Future;
use std::pin::Pin;

/// The tool of a function: what stands behind the name in `tools![name]`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a tool",
    label = "not a tool",
    note = "apply `#[tool]` to the function of this name, and import it from its module",
    note = "a toolset is not a tool: add a value of it to the registry with `.toolset(..)`"
)]
pub trait Tool {
    /// What the registry knows of it.
    const DESCRIPTOR: &'static Descriptor;
}

/// All that the macro says of one tool.
#[derive(Debug)]
pub struct Descriptor {
    /// The name that the model calls.
    pub name: &'static str,
    /// What the model reads of it.
    pub description: &'static str,
    /// The type that stands for the tool. The address of a descriptor tells nothing, since each crate that names
    /// a constant may have a copy of its own; nor does the location, which a `macro_rules!` may give to many.
    /// For a method that of its toolset: only functions can be found twice.
    pub identity: fn() -> TypeId,
    /// Where the function stands.
    pub location: Location,
    /// What it says of how it may be run.
    pub options: Options,
    /// In declared order.
    pub parameters: &'static [Parameter],
    /// Decodes the arguments and starts the function, or describes its parameters: see [`Invocation`]. It is that which says
    /// why nothing was started, since a `Result` goes through memory and not through registers: a fortieth of a call.
    pub call: for<'a> fn(&mut Invocation<'a>) -> Option<Started<'a>>,
}

/// Where a tool was written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Location {
    /// The module path.
    pub module: &'static str,
    /// The source file, as the compiler names it.
    pub file: &'static str,
    /// The line of its name.
    pub line: u32,
}

impl Location {
    /// Whether it is in this crate or module, or in a module of it. `-` and `_` are one in the name of a crate.
    #[cfg(feature = "collect")]
    pub(crate) fn is_within(&self, path: &str) -> bool {
        let rest = self.module.strip_prefix(&*path.replace('-', "_"));
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with("::"))
    }
}

impl fmt::Display for Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{} (in `{}`)", self.file, self.line, self.module)
    }
}

/// A tool at work.
pub(crate) type Started<'a> = Pin<Box<dyn Future<Output = Reply> + Send + 'a>>;

/// A `Box::pin` whose call the macro gives the span of the function's `async`, since that is where the
/// error about a future that is not `Send` should stand. There is always one: it ends a shim, which can stop before.
#[must_use]
pub fn start<'a>(tool: impl Future<Output = Reply> + Send + 'a) -> Option<Started<'a>> {
    Some(Box::pin(tool))
}

impl Descriptor {
    /// A tool for a function that the macro refused: it only keeps the rest of the program compiling.
    #[must_use]
    pub const fn stand_in(name: &'static str, identity: fn() -> TypeId) -> Self {
        Descriptor {
            name,
            description: "",
            identity,
            location: Location { module: "", file: "", line: 0 },
            options: Options::NONE,
            parameters: &[],
            call: |invocation| {
                invocation.__decode(&mut [])?;
                start(std::future::ready(Ok(ToolOutput::default())))
            },
        }
    }
}

/// Without `collect`, a tool is found in lists alone.
#[doc(hidden)]
#[cfg(not(feature = "collect"))]
#[macro_export]
macro_rules! __submit {
    ($tool:ident) => {};
}
