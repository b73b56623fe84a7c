//! Notices in place of old results.

use crate::grouped::Grouped;
use crate::notice::{handles, reference};
use tool_runtime::ToolMessage;
use tool_runtime::message::Part;

/// The prefix of a failed call, by which some formats recognize it.
const ERROR: &str = "Error: ";

/// The result with a notice in place of its text; `None` if the notice is not shorter, or if the result has images or files.
pub(super) fn with_notice(result: &ToolMessage) -> Option<ToolMessage> {
    let is_text = |part: &Part| matches!(part, Part::Text { .. } | Part::Json { .. });
    if !result.content.parts().unwrap_or_default().iter().all(is_text) {
        return None;
    }
    let text = result.text();
    let prefix = if text.starts_with(ERROR) { ERROR } else { "" };
    let references: Vec<String> = handles(text).into_iter().map(reference).collect();
    let notice = if references.is_empty() {
        format!("{prefix}[result of {} bytes removed]", Grouped(text.len()))
    } else {
        format!("{prefix}[result removed: {} reads or searches it]", references.join(", "))
    };
    (notice.len() < text.len()).then(|| {
        let mut result = result.clone();
        result.content = notice.into();
        result
    })
}
