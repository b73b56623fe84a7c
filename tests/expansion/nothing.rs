//! Takes and returns nothing.

use tool_runtime::tool;

/// Rings the bell.
#[tool]
pub fn ring() {}
