//! The number of tokens of a text.

/// How tokens are counted, for people.
pub(crate) const METHOD: &str =
    "o200k_base, the encoding of OpenAI's newer models, on the JSON; other providers count differently";

/// In bytes. A text is encoded in pieces of this size, since the encoder needs much more time for a long text without spaces.
const MAX_PIECE: usize = 4 << 10;

/// The tokens of a text, in the encoding of OpenAI's newer models.
pub(crate) fn count_tokens(text: &str) -> usize {
    let encoding = tiktoken_rs::o200k_base_singleton();
    let (mut rest, mut tokens) = (text, 0);
    while !rest.is_empty() {
        let (piece, after) = rest.split_at(piece_length(rest));
        tokens += encoding.encode_ordinary(piece).len();
        rest = after;
    }
    tokens
}

/// The length of the first piece, which ends between two characters.
fn piece_length(text: &str) -> usize {
    let mut length = text.len().min(MAX_PIECE);
    while !text.is_char_boundary(length) {
        length -= 1;
    }
    length
}

#[cfg(test)]
mod tests {
    use super::{MAX_PIECE, count_tokens};

    #[test]
    fn a_text_of_several_pieces_has_the_tokens_of_its_pieces() {
        assert_eq!(count_tokens(""), 0);
        assert_eq!(count_tokens("Hello, world!"), 4);
        // The boundary of the first piece is inside a character.
        let text = format!("a{}", "é".repeat(MAX_PIECE));
        assert!(count_tokens(&text) > MAX_PIECE / 8);
    }
}
