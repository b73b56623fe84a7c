//! Notices in place of old results.

use crate::grouped::Grouped;
use crate::notice::{ERROR, handles, removed_result};
use tool_runtime::ToolMessage;
use tool_runtime::message::Part;

/// The result with a notice in place of its text; `None` if the notice is not shorter, or if the result has images or files.
pub(super) fn with_notice(result: &ToolMessage) -> Option<ToolMessage> {
    let is_text = |part: &Part| matches!(part, Part::Text { .. } | Part::Json { .. });
    if !result.content.parts().unwrap_or_default().iter().all(is_text) {
        return None;
    }
    let text = result.text();
    let prefix = if text.starts_with(ERROR) { ERROR } else { "" };
    let handles = handles(&result.content);
    let notice = if handles.is_empty() {
        format!("{prefix}[result of {} bytes removed]", Grouped(text.len()))
    } else {
        [prefix, &removed_result(&handles)].concat()
    };
    (notice.len() < text.len()).then(|| {
        let mut result = result.clone();
        result.content = notice.into();
        result
    })
}
