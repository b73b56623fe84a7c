//! The span of a call. Without the feature `tracing`, it is empty.

#[cfg(feature = "tracing")]
mod with_tracing;
#[cfg(not(feature = "tracing"))]
mod without_tracing;

#[cfg(feature = "tracing")]
pub(crate) use with_tracing::CallSpan;
#[cfg(not(feature = "tracing"))]
pub(crate) use without_tracing::CallSpan;
