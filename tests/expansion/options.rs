//! Every option.

extern crate tool_runtime as renamed;

use renamed::tool;

#[tool(
    name = "delete-file",
    description = "Deletes a file.",
    timeout = "2m",
    blocking,
    requires_approval,
    destructive,
    idempotent,
    handle = DeleteFile,
    crate = renamed
)]
#[cfg(not(any()))]
#[must_use]
pub(crate) fn delete_file(path: String) -> String {
    format!("{path} is gone")
}
