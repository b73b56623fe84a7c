//! A tool as the macro leaves it: static data and one `fn` pointer.

use crate::arguments::{Invocation, Stop};
use crate::output::Reply;
use std::fmt;
use std::future::Future;
use std::pin::Pin;

/// The tool of a function: what stands behind the name in `tools![name]`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a tool",
    label = "not a tool",
    note = "put `#[tool]` on the function of this name, and import it from its module"
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
    /// Where the function stands.
    pub place: Place,
    /// In declared order.
    pub parameters: &'static [Parameter],
    /// Decodes the arguments and starts the function, or describes its parameters: see [`Invocation`].
    pub call: for<'a> fn(Invocation<'a>) -> Result<Started<'a>, Stop>,
}

/// One parameter that the model fills in.
#[derive(Debug)]
pub struct Parameter {
    /// The key in the arguments.
    pub name: &'static str,
    /// Empty where it has no doc comment.
    pub description: &'static str,
}

/// Where a tool was written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// The module path.
    pub module: &'static str,
    /// The source file, as the compiler names it.
    pub file: &'static str,
    /// The line of the attribute.
    pub line: u32,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{} (in `{}`)", self.file, self.line, self.module)
    }
}

/// A tool at work.
pub(crate) type Started<'a> = Pin<Box<dyn Future<Output = Reply> + Send + 'a>>;

/// A `Box::pin` whose call the macro gives the span of the function's `async`, since that is where the
/// error about a future that is not `Send` should stand.
///
/// # Errors
///
/// None: it ends a shim, which can stop before.
pub fn start<'a>(tool: impl Future<Output = Reply> + Send + 'a) -> Result<Started<'a>, Stop> {
    Ok(Box::pin(tool))
}

impl Descriptor {
    /// A tool for a function that the macro refused: it only keeps the rest of the program compiling.
    #[must_use]
    pub const fn stand_in(name: &'static str) -> Self {
        Descriptor {
            name,
            description: "",
            place: Place { module: "", file: "", line: 0 },
            parameters: &[],
            call: |mut invocation| {
                invocation.decode(&mut [])?;
                start(std::future::ready(Ok(String::new())))
            },
        }
    }
}

/// The tools of a [`tools!`](crate::tools) list.
#[derive(Clone, Copy, Debug)]
pub struct ToolList(pub(crate) &'static [&'static Descriptor]);

impl ToolList {
    /// For [`tools!`](crate::tools).
    #[must_use]
    pub const fn new(tools: &'static [&'static Descriptor]) -> Self {
        ToolList(tools)
    }
}

/// A list of exactly these tools, for [`Registry::new`](crate::Registry::new) and
/// [`RegistryBuilder::tools`](crate::RegistryBuilder::tools).
///
/// Each entry is the path of a function with [`#[tool]`](crate::tool). Two tools of one name do not compile:
///
/// ```compile_fail
/// # use tool_runtime::{tool, tools};
/// /// Now.
/// #[tool]
/// fn now() {}
/// mod other {
///     /// Another now.
///     #[tool_runtime::tool(name = "now")]
///     pub fn later() {}
/// }
/// let list = tools![now, other::later];
/// ```
///
/// ```
/// use tool_runtime::{Registry, tool, tools};
///
/// mod clock {
///     /// The time of day.
///     #[tool_runtime::tool]
///     pub fn now() -> &'static str {
///         "12:00"
///     }
/// }
///
/// /// Adds two numbers.
/// #[tool]
/// fn add(a: i64, b: i64) -> i64 {
///     a + b
/// }
///
/// let registry = Registry::new(tools![add, clock::now])?;
/// assert_eq!(registry.names(), ["add", "now"]);
/// # Ok::<(), tool_runtime::BuildError>(())
/// ```
#[macro_export]
macro_rules! tools {
    ($($tool:path),* $(,)?) => {{
        const LIST: &[&$crate::__private::Descriptor] =
            &[$(<$tool as $crate::__private::Tool>::DESCRIPTOR),*];
        const _: () = $crate::__private::refuse_duplicates(LIST);
        $crate::__private::ToolList::new(LIST)
    }};
}

/// Stops the compiler at two tools of one name, and says which.
///
/// # Panics
///
/// At compile time, on a duplicate.
pub const fn refuse_duplicates(tools: &[&Descriptor]) {
    let mut first = 0;
    while first < tools.len() {
        let mut second = first + 1;
        while second < tools.len() {
            if same(tools[first].name, tools[second].name) {
                let mut message = Line::new();
                message.push("two tools are named `");
                message.push(tools[first].name);
                message.push("`; give one of them `#[tool(name = \"..\")]`");
                message.panic();
            }
            second += 1;
        }
        first += 1;
    }
}

const fn same(a: &str, b: &str) -> bool {
    let (a, b) = (a.as_bytes(), b.as_bytes());
    let mut i = 0;
    while i < a.len() && i < b.len() && a[i] == b[i] {
        i += 1;
    }
    i == a.len() && i == b.len()
}

/// A line of text put together in a `const fn`, where there is no `format!`.
struct Line {
    bytes: [u8; 160],
    length: usize,
}

impl Line {
    const fn new() -> Self {
        Line { bytes: [0; 160], length: 0 }
    }

    const fn push(&mut self, text: &str) {
        let text = text.as_bytes();
        let mut i = 0;
        while i < text.len() && self.length < self.bytes.len() {
            self.bytes[self.length] = text[i];
            self.length += 1;
            i += 1;
        }
    }

    const fn panic(&self) {
        match core::str::from_utf8(self.bytes.split_at(self.length).0) {
            Ok(line) => panic!("{}", line),
            Err(_) => panic!("two tools have the same name"),
        }
    }
}

/// A tool that `Registry::collect()` finds.
#[cfg(feature = "collect")]
pub struct Collected(pub &'static Descriptor);

#[cfg(feature = "collect")]
inventory::collect!(Collected);

/// Every tool that is linked into the program, in no particular order.
#[cfg(feature = "collect")]
pub(crate) fn collected() -> impl Iterator<Item = &'static Descriptor> {
    inventory::iter::<Collected>.into_iter().map(|tool| tool.0)
}

#[doc(hidden)]
#[cfg(feature = "collect")]
#[macro_export]
macro_rules! __submit {
    ($tool:ident) => {
        $crate::__private::inventory::submit! {
            $crate::__private::Collected(<$tool as $crate::__private::Tool>::DESCRIPTOR)
        }
    };
}

#[doc(hidden)]
#[cfg(not(feature = "collect"))]
#[macro_export]
macro_rules! __submit {
    ($tool:ident) => {};
}
