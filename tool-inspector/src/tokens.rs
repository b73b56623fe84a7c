//! The number of tokens of a text.

/// How tokens are counted, for people.
pub(crate) const METHOD: &str = "an estimate with o200k_base, the encoding of OpenAI's newer models, of the JSON; other providers count differently";

/// In bytes. A text is encoded in pieces of at most this size: the time of the encoder grows with the square of a text without spaces.
const MAX_PIECE: usize = 512;

/// In bytes: of a longer text, the beginning is counted, and the rest is estimated.
const MAX_COUNTED: usize = 128 << 10;

/// The tokens of a text, in the encoding of OpenAI's newer models. Takes up to a second for a hostile text in a debug build.
pub(crate) fn count_tokens(text: &str) -> usize {
    let counted = &text[..character_start(text, MAX_COUNTED)];
    let tokens = count_all(counted);
    if counted.len() == text.len() { tokens } else { tokens.saturating_mul(text.len()) / counted.len() }
}

fn count_all(text: &str) -> usize {
    let encoding = tiktoken_rs::o200k_base_singleton();
    let (mut rest, mut tokens) = (text, 0);
    while !rest.is_empty() {
        let (piece, after) = rest.split_at(piece_length(rest));
        tokens += encoding.encode_ordinary(piece).len();
        rest = after;
    }
    tokens
}

/// The length of the first piece. It ends before a space, where a token of the encoding starts, if it has one.
fn piece_length(text: &str) -> usize {
    if text.len() <= MAX_PIECE {
        return text.len();
    }
    let length = character_start(text, MAX_PIECE);
    text[..length].rfind(' ').filter(|&space| space > 0).unwrap_or(length)
}

/// The index, or the start of the character that it is in.
fn character_start(text: &str, index: usize) -> usize {
    let mut length = text.len().min(index);
    while !text.is_char_boundary(length) {
        length -= 1;
    }
    length
}

#[cfg(test)]
mod tests {
    use super::{MAX_COUNTED, MAX_PIECE, count_tokens};

    #[test]
    fn a_text_of_several_pieces_has_as_many_tokens_as_in_one() {
        let encoding = tiktoken_rs::o200k_base_singleton();
        let text =
            r#"{"type": "string", "description": "Name of a city, for example \"Beijing\"."} "#.repeat(50);
        assert!(text.len() > 5 * MAX_PIECE);
        assert_eq!(count_tokens(&text), encoding.encode_ordinary(&text).len());
        assert_eq!(count_tokens(""), 0);
    }

    #[test]
    fn the_rest_of_a_long_text_is_estimated() {
        let (one, four) = ("word ".repeat(MAX_COUNTED / 5), "word ".repeat(4 * MAX_COUNTED / 5));
        let (one, four) = (count_tokens(&one), count_tokens(&four));
        assert!(four.abs_diff(4 * one) <= 40, "{one} {four}");
    }

    #[test]
    fn a_piece_ends_between_two_characters() {
        let text = format!("a{}", "é".repeat(MAX_PIECE));
        let tokens = count_tokens(&text);
        assert!((MAX_PIECE / 8..=MAX_PIECE + 1).contains(&tokens), "{tokens}");
    }
}
