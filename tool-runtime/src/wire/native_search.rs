//! The search of an API for deferred tools.

use super::{Report, RequestParts};
use crate::tool_choice::ToolChoice;
use crate::tool_name::SEARCH_TOOLS;

/// Whether a wire with the setting `native_tool_search` uses the search of the API: if the model may call `search_tools` and
/// at least one deferred tool.
pub(super) fn applies_to(parts: &RequestParts<'_>) -> bool {
    parts.allowed().any(|tool| tool.name() == SEARCH_TOOLS) && parts.allowed_deferred().next().is_some()
}

/// The tool choice, or `Auto` if it names one of these tools, which the array of a native search does not have.
pub(super) fn choice_without<'c>(
    choice: &'c ToolChoice,
    missing: &[&str],
    report: &mut Report,
) -> &'c ToolChoice {
    match choice {
        ToolChoice::Tool(name) if missing.contains(&&**name) => {
            report.ignored_choice = Some(choice.clone());
            &ToolChoice::Auto
        }
        choice => choice,
    }
}
