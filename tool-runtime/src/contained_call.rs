//! The call in the arguments of `call_tool`.

#[cfg(feature = "search")]
mod with_search;
#[cfg(not(feature = "search"))]
mod without_search;

#[cfg(feature = "search")]
pub(crate) use with_search::ContainedCall;
#[cfg(not(feature = "search"))]
pub(crate) use without_search::ContainedCall;
