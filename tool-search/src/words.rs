//! Text as words: split, in lower case, without stop words, and stemmed.

use frostem::{Algorithm, Stemmer};

/// In characters. The rest of a longer identifier, or of a longer text without spaces, is ignored.
const MAX_TOKEN_LENGTH: usize = 400;
/// In characters; the rest of a longer word is ignored.
const MAX_WORD_LENGTH: usize = 40;
/// The maximum number of parts of a name. Servers accept names of 64 characters.
const MAX_NAME_LENGTH: usize = 64;

/// Words that most questions contain, whichever tool they are about: most stop words of Snowball
/// (<https://snowballstem.org/algorithms/english/stop.txt>), except for words such as `between` and `off`, which
/// distinguish tools; other auxiliary verbs, such as `can`; and words of a request, such as `please` and `want`. Few
/// definitions contain the words of a request, so the ranking would consider them specific. Sorted.
#[rustfmt::skip]
const STOP_WORDS: [&str; 110] = [
    "a", "about", "also", "am", "an", "and", "any", "are", "as", "at", "be", "because", "been", "being", "both",
    "but", "by", "can", "could", "did", "do", "does", "doing", "don", "each", "few", "for", "from", "had", "has",
    "have", "having", "he", "hello", "help", "her", "hers", "hey", "hi", "him", "his", "how", "i", "if", "in", "into",
    "is", "it", "its", "just", "let", "like", "may", "me", "might", "more", "most", "must", "my", "need", "no", "nor",
    "not", "of", "or", "other", "our", "ours", "please", "same", "shall", "she", "should", "so", "some", "such",
    "than", "thank", "thanks", "that", "the", "their", "them", "then", "there", "these", "they", "this", "those",
    "to", "too", "us", "very", "want", "was", "we", "were", "what", "when", "where", "which", "while", "who", "whom",
    "why", "will", "with", "would", "you", "your",
];

/// An identifier or a word between spaces and punctuation, as its parts in lower case: `getHTTPUrl2` is `get`, `http`,
/// `url`, `2`.
pub(crate) type Token = Vec<String>;

/// At most `limit` tokens. A character that is neither a letter nor a digit separates them.
pub(crate) fn tokens(text: &str, limit: usize) -> impl Iterator<Item = Token> {
    let is_separator =
        |letter: char| !letter.is_alphanumeric() && !is_apostrophe(letter) && !is_accent(letter);
    text.split(is_separator)
        .filter(|token| !token.is_empty())
        .map(parts)
        .filter(|parts| !parts.is_empty())
        .take(limit)
}

/// The words for the ranking: the parts of each token and, since some write `GitHub` and others `github`, the whole
/// token.
pub(crate) fn stems(tokens: impl IntoIterator<Item = Token>) -> Vec<String> {
    let stemmer = Stemmer::new(Algorithm::English);
    let mut stems = Vec::new();
    let mut push = |word: &str| {
        if STOP_WORDS.binary_search(&word).is_err() {
            stems.push(stem(stemmer, word));
        }
    };
    for token in tokens {
        // The numbers in `s3` and `22nd` are only in the whole token: alone, they are in too many others.
        let is_only_part = token.len() == 1;
        token.iter().filter(|part| is_only_part || !is_number(part)).for_each(|part| push(part));
        if !is_only_part && !token.iter().any(|part| part.starts_with(is_without_spaces)) {
            push(&truncated(&token.concat()));
        }
    }
    stems
}

/// The parts of a name, in order.
pub(crate) fn name_parts(name: &str) -> Vec<String> {
    tokens(name, MAX_NAME_LENGTH).flatten().take(MAX_NAME_LENGTH).collect()
}

fn stem(stemmer: Stemmer, word: &str) -> String {
    // The algorithm is for English; words with other letters or digits stay whole.
    let is_english = word.bytes().all(|byte| byte.is_ascii_lowercase());
    if is_english { stemmer.stem(word).into_owned() } else { word.to_owned() }
}

fn parts(token: &str) -> Token {
    let letters: Vec<char> = without_accents(token.chars()).take(MAX_TOKEN_LENGTH).collect();
    // `what's` is `what`, and `l'hôtel` is `hôtel`.
    let longest = letters.split(|&letter| is_apostrophe(letter)).rev().max_by_key(|letters| letters.len());
    let mut rest = longest.unwrap_or_default();
    let mut parts = Vec::new();
    while !rest.is_empty() {
        let end = (1..rest.len()).find(|&at| is_boundary(rest, at)).unwrap_or(rest.len());
        let (part, tail) = rest.split_at(end);
        match part {
            [first, _, _, ..] if is_without_spaces(*first) => {
                parts.extend(part.windows(2).map(|pair| pair.iter().collect::<String>()));
            }
            _ => parts.push(truncated(&lower_case(part))),
        }
        rest = tail;
    }
    parts
}

/// Whether a word ends before the letter at this position.
fn is_boundary(letters: &[char], at: usize) -> bool {
    let (before, after) = letters.split_at(at);
    let (Some(last), Some(first)) = (before.last(), after.first()) else { return false };
    if is_without_spaces(*last) != is_without_spaces(*first) || last.is_numeric() != first.is_numeric() {
        return true;
    }
    match after {
        [first, ..] if last.is_lowercase() && first.is_uppercase() => true,
        // `HTTPUrl`, but `URLs` is one word.
        [first, 's', rest @ ..] if first.is_uppercase() => {
            rest.first().is_some_and(|next| next.is_lowercase())
        }
        [first, second, ..] => last.is_uppercase() && first.is_uppercase() && second.is_lowercase(),
        _ => false,
    }
}

/// The lower case of some letters, such as `İ`, has an accent of its own.
fn lower_case(letters: &[char]) -> String {
    without_accents(letters.iter().flat_map(|letter| letter.to_lowercase())).collect()
}

fn without_accents(letters: impl Iterator<Item = char>) -> impl Iterator<Item = char> {
    letters.filter(|&letter| !is_accent(letter))
}

fn truncated(word: &str) -> String {
    word.chars().take(MAX_WORD_LENGTH).collect()
}

pub(crate) fn is_number(word: &str) -> bool {
    word.chars().all(char::is_numeric)
}

fn is_apostrophe(letter: char) -> bool {
    matches!(letter, '\'' | '’')
}

/// A combining accent, which some systems write after the letter.
fn is_accent(letter: char) -> bool {
    ('\u{300}'..='\u{36f}').contains(&letter)
}

/// Scripts without spaces between words: Thai, Lao, Burmese, Khmer, kana and Chinese characters. Their words are
/// overlapping pairs of characters, as in Lucene:
/// <https://lucene.apache.org/core/10_0_0/analysis/common/org/apache/lucene/analysis/cjk/CJKBigramFilter.html>.
fn is_without_spaces(letter: char) -> bool {
    matches!(u32::from(letter), 0xe00..=0xeff | 0x1000..=0x109f | 0x1780..=0x17ff | 0x3040..=0x30ff | 0x3400..=0x9fff
        | 0xf900..=0xfaff | 0x2_0000..=0x3_ffff)
}

#[cfg(test)]
mod tests {
    use super::STOP_WORDS;

    #[test]
    fn the_stop_words_are_sorted() {
        assert!(STOP_WORDS.is_sorted());
    }
}
