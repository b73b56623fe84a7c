//! What generated code names. Not for use by hand: it changes without notice.

pub use crate::arguments::{ArgumentOfAnyType, DefaultUnseen, Tag, argument};
pub use crate::output::{Returned, ReturnsValue, SendsJson, Sent};
#[cfg(feature = "collect")]
pub use crate::tool::Collected;
pub use crate::tool::{Descriptor, Parameter, Place, Tool, ToolList, refuse_duplicates, start};
pub use crate::{__submit as submit, arguments::Invocation};
#[cfg(feature = "collect")]
pub use inventory;
