//! What generated code names. Not for use by hand: it changes without notice.

pub use crate::__submit as submit;
pub use crate::arguments::{Literal, NonSerializeDefault, Parameter, PassedByValue, Tag, argument};
pub use crate::invocation::Invocation;
pub use crate::output::{Borrowing, Returned, ReturnsValue, SendsJson, Sent};
#[cfg(feature = "collect")]
pub use crate::tool::Collected;
pub use crate::tool::{Descriptor, Location, Options, Tool, ToolList, Toolset, refuse_duplicates, start};
#[cfg(feature = "collect")]
pub use inventory;
