//! Text that is too long for the model.

/// At most this many bytes: the head and the tail of the text, and between them how much was left out. A limit that leaves
/// no place for more than that is not kept.
pub(crate) fn cut(text: String, most: usize) -> String {
    if text.len() <= most {
        return text;
    }
    let notice = |left_out: usize| format!("\n[... {left_out} bytes left out ...]\n");
    // As long as it can become.
    let room = most.saturating_sub(notice(text.len()).len());
    let is_boundary = |&at: &usize| text.is_char_boundary(at);
    let head = (0..=room.div_ceil(2)).rev().find(is_boundary).unwrap_or(0);
    let tail = (text.len() - room / 2..=text.len()).find(is_boundary).unwrap_or(text.len());
    [&text[..head], &notice(tail - head), &text[tail..]].concat()
}
