//! Tools that are methods.

use super::Descriptor;

/// A type whose methods are tools. Implemented by [`#[toolset]`](crate::toolset).
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a toolset",
    label = "not a toolset",
    note = "apply `#[toolset]` to an `impl` of this type, and `#[tool]` to its methods",
    note = "for a value in an `Arc`, use `.toolset_per_run::<T>().state(arc)`"
)]
pub trait Toolset {
    /// The tools, in declared order.
    #[doc(hidden)]
    const TOOLS: &'static [Descriptor];
}
