//! Names of tools that servers accept.

use crate::fingerprint::fingerprint;

/// The maximum length of the name of a function, in bytes:
/// <https://platform.openai.com/docs/api-reference/chat/create#chat-create-tools>.
const MAX_LENGTH: usize = 64;

/// The tool that finds other tools.
pub(crate) const SEARCH_TOOLS: &str = "search_tools";

/// The tool that calls a tool that is not in the request.
pub(crate) const CALL_TOOL: &str = "call_tool";

/// The name of the tool that approves calls of the provider's own tools.
pub(crate) const HOSTED_APPROVAL: &str = "approve_hosted_call";

/// The name of a question among the calls that a tool makes. No tool has it.
pub(crate) const QUESTION: &str = "ask the user";

/// The result of an approved call of one of these tools. The provider reads any other result as a denial.
pub(crate) const APPROVED: &str = "approved";

/// Whether a search adds a tool of this name.
pub(crate) fn is_reserved(name: &str) -> bool {
    [SEARCH_TOOLS, CALL_TOOL].contains(&name)
}

pub(crate) fn is_valid(name: &str) -> bool {
    (1..=MAX_LENGTH).contains(&name.len()) && name.chars().all(is_allowed)
}

fn is_allowed(letter: char) -> bool {
    letter.is_ascii_alphanumeric() || matches!(letter, '_' | '-')
}

/// Replaces each character that servers reject with `_`. A name that is too long or empty is truncated and gets a
/// fingerprint.
pub(crate) fn sanitize(name: &str) -> String {
    let renamed: String = name.chars().map(|letter| if is_allowed(letter) { letter } else { '_' }).collect();
    if is_valid(&renamed) { renamed } else { with_fingerprint(name) }
}

/// The truncated name with a fingerprint, which differs between names that would otherwise become equal.
pub(crate) fn with_fingerprint(name: &str) -> String {
    let allowed = name.chars().map(|letter| if is_allowed(letter) { letter } else { '_' });
    let head: String = allowed.take(MAX_LENGTH - 9).collect();
    format!("{head}_{:08x}", fingerprint(name.bytes()) & 0xffff_ffff)
}
