//! Every option.

extern crate tool_runtime as renamed;

use renamed::tool;

#[tool(
    name = "delete-file",
    title = "Delete a file",
    description = "Deletes a file.",
    timeout = "2m",
    max_concurrency = 2,
    max_calls = 3,
    blocking,
    requires_approval,
    destructive,
    idempotent = true,
    open_world = false,
    output_schema,
    handle = DeleteFile,
    crate = renamed
)]
#[cfg(not(any()))]
#[must_use]
pub(crate) fn delete_file(path: String) -> String {
    format!("{path} is gone")
}
