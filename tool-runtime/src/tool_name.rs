//! The names that servers take.

use crate::fingerprint::fingerprint;

/// What servers take as the name of a function:
/// <https://platform.openai.com/docs/api-reference/chat/create#chat-create-tools>.
const LONGEST: usize = 64;

pub(crate) fn is_valid(name: &str) -> bool {
    (1..=LONGEST).contains(&name.len()) && name.chars().all(is_allowed)
}

fn is_allowed(letter: char) -> bool {
    letter.is_ascii_alphanumeric() || matches!(letter, '_' | '-')
}

/// The name with `_` for each letter that is not taken, and cut where it is too long.
pub(crate) fn mapped(name: &str) -> String {
    let mapped: String = name.chars().map(|letter| if is_allowed(letter) { letter } else { '_' }).collect();
    if is_valid(&mapped) { mapped } else { marked(name) }
}

/// The same, told from every other that is mapped alike.
pub(crate) fn marked(name: &str) -> String {
    let allowed = name.chars().map(|letter| if is_allowed(letter) { letter } else { '_' });
    let head: String = allowed.take(LONGEST - 9).collect();
    format!("{head}_{:08x}", fingerprint(name.bytes()) & 0xffff_ffff)
}
