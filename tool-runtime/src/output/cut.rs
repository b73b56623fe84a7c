//! Text that is too long for the model.

/// At most this many bytes of a text that is longer: its head and its tail, and between them how much was left out.
/// Where the limit leaves no room to say so, the head alone.
pub(crate) fn cut(text: &str, most: usize) -> Option<String> {
    if text.len() <= most {
        return None;
    }
    let notice = |left_out: usize| format!("\n[... {left_out} bytes left out ...]\n");
    let is_boundary = |&at: &usize| text.is_char_boundary(at);
    let head_of = |bytes: usize| (0..=bytes).rev().find(is_boundary).unwrap_or(0);
    // The notice is as long as it can become.
    let Some(room) = most.checked_sub(notice(text.len()).len()) else {
        return Some(text[..head_of(most)].to_owned());
    };
    let head = head_of(room.div_ceil(2));
    let tail = (text.len() - room / 2..=text.len()).find(is_boundary).unwrap_or(text.len());
    Some([&text[..head], &notice(tail - head), &text[tail..]].concat())
}
