//! The search of an API for deferred tools.

use super::{Report, RequestParts};
use crate::tool_choice::ToolChoice;
use crate::tool_name::SEARCH_TOOLS;

/// Whether the model finds deferred tools with the search of the API: with `search_tools`, which the request must have.
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
