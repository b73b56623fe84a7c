//! The spans of a run and of its requests. Without the feature `tracing`, they are empty.

#[cfg(feature = "tracing")]
mod with_tracing;
#[cfg(not(feature = "tracing"))]
mod without_tracing;

#[cfg(feature = "tracing")]
pub(super) use with_tracing::{ChatSpan, RunSpan};
#[cfg(not(feature = "tracing"))]
pub(super) use without_tracing::{ChatSpan, RunSpan};
