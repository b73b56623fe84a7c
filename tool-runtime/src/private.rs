//! Items that generated code uses. They are not part of the public API and change without notice.

pub use crate::__submit as submit;
pub use crate::arguments::{Literal, NonSerializeDefault, Parameter, PassedByValue, Tag, argument};
pub use crate::output::{BorrowingProbe, OutputProbe, ReturnProbe, ReturnsValue, SendsJson};
#[cfg(feature = "collect")]
pub use crate::tool::Collected;
pub use crate::tool::{
    Descriptor, Invocation, Location, Options, ReturnType, Tool, ToolList, Toolset, reject_duplicates, start,
};
#[cfg(feature = "collect")]
pub use inventory;
