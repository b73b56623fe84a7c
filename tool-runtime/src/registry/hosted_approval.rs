//! The tool that approves calls of the provider's own tools, such as those of a remote MCP server.

use super::candidate::Candidate;
use crate::tool::{DynamicTool, ToolEntry};
use crate::tool_name::{APPROVED, HOSTED_APPROVAL};
use serde_json::json;
use std::sync::{Arc, OnceLock};

/// The tool. No request defines it: a wire reads the provider's request for an approval as its call. A call needs an approval, and
/// its result is the answer to the provider, which then runs its tool.
pub(super) fn hosted_approval() -> Option<&'static Arc<ToolEntry>> {
    static TOOL: OnceLock<Option<Arc<ToolEntry>>> = OnceLock::new();
    let tool = TOOL.get_or_init(|| {
        let parameters = json!({ "type": "object", "required": ["name"] });
        let approved = |_| async { Ok::<_, String>(APPROVED) };
        let tool = DynamicTool::new(HOSTED_APPROVAL, "", parameters, approved).requires_approval();
        // Unknown, so a hook treats it like any effect elsewhere.
        let tool = tool.destructive().open_world();
        let candidate = Candidate::without_definition(tool).ok()?;
        Some(Arc::new(candidate.tool))
    });
    tool.as_ref()
}
