//! `tools![..]`: a list of tools that is checked at compile time.

use super::Descriptor;

/// The tools of a [`tools!`](crate::tools) list.
#[derive(Clone, Copy, Debug)]
pub struct ToolList(pub(crate) &'static [&'static Descriptor]);

impl ToolList {
    /// Creates the list. Called by [`tools!`](crate::tools).
    #[doc(hidden)]
    #[must_use]
    pub const fn new(tools: &'static [&'static Descriptor]) -> Self {
        ToolList(tools)
    }
}

/// Creates a [`ToolList`](crate::registry::ToolList) of exactly these tools, for [`Registry::new`](crate::Registry::new)
/// and [`RegistryBuilder::tools`](crate::RegistryBuilder::tools).
///
/// Each entry is the path of a function with [`#[tool]`](crate::tool). For a function without the attribute, rustc
/// reports that it expected a type and found a function. Two tools with the same name are a compile error:
///
/// ```compile_fail,E0080
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
        const _: () = $crate::__private::reject_duplicates(LIST);
        $crate::__private::ToolList::new(LIST)
    }};
}

/// Rejects a list in which two tools have the same name.
///
/// # Panics
///
/// Panics at compile time, with the name, if two tools have the same name.
#[track_caller]
pub const fn reject_duplicates(tools: &[&Descriptor]) {
    let mut first = 0;
    while first < tools.len() {
        let mut second = first + 1;
        while second < tools.len() {
            if str_eq(tools[first].name, tools[second].name) {
                let mut message = ConstString::new();
                message.push("two tools are named `");
                message.push(tools[first].name);
                message.push("`; give one of them `#[tool(name = \"..\")]`, or remove the repeated entry");
                message.panic();
            }
            second += 1;
        }
        first += 1;
    }
}

const fn str_eq(a: &str, b: &str) -> bool {
    let (a, b) = (a.as_bytes(), b.as_bytes());
    let mut i = 0;
    while i < a.len() && i < b.len() && a[i] == b[i] {
        i += 1;
    }
    i == a.len() && i == b.len()
}

/// A string that a `const fn` builds, since `format!` is not `const`.
struct ConstString {
    bytes: [u8; 192],
    length: usize,
}

impl ConstString {
    const fn new() -> Self {
        ConstString { bytes: [0; 192], length: 0 }
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

    #[track_caller]
    const fn panic(&self) {
        match core::str::from_utf8(self.bytes.split_at(self.length).0) {
            Ok(line) => panic!("{}", line),
            Err(_) => panic!("two tools have the same name"),
        }
    }
}
