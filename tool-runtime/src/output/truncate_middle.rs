//! Truncation of text that is too long for the model.

/// Truncates a text that has more than this many bytes: to its head, a notice of the omitted bytes, and its tail; or to
/// its head only if the limit is too small for the notice.
pub(crate) fn truncate_middle(text: &str, limit: usize) -> Option<String> {
    if text.len() <= limit {
        return None;
    }
    let notice = |omitted: usize| format!("\n[... {omitted} bytes left out ...]\n");
    let is_boundary = |&at: &usize| text.is_char_boundary(at);
    let head_end = |bytes: usize| (0..=bytes).rev().find(is_boundary).unwrap_or(0);
    // The longest notice: the final one has at most as many digits.
    let Some(kept) = limit.checked_sub(notice(text.len()).len()) else {
        return Some(text[..head_end(limit)].to_owned());
    };
    let head = head_end(kept.div_ceil(2));
    let tail = (text.len() - kept / 2..=text.len()).find(is_boundary).unwrap_or(text.len());
    Some([&text[..head], &notice(tail - head), &text[tail..]].concat())
}
