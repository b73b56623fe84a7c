//! The servers that reject each kind of violation.

use tool_runtime::history::ViolationKind;

/// The servers that are known to reject a request with a violation of this kind.
///
/// ```
/// use tool_runtime::history::ViolationKind;
/// use tool_runtime_repair::rejected_by;
///
/// assert_eq!(rejected_by(ViolationKind::MissingCallId), ["Kimi", "Bedrock"]);
/// ```
#[must_use]
pub fn rejected_by(kind: ViolationKind) -> &'static [&'static str] {
    match kind {
        ViolationKind::OrphanResult
        | ViolationKind::LostCalls
        | ViolationKind::MissingResult
        | ViolationKind::MessageBetween => {
            &["OpenAI", "Azure", "Anthropic", "Gemini", "DeepSeek", "Mistral", "Kimi", "Bedrock"]
        }
        ViolationKind::UnknownId => {
            &["OpenAI", "Azure", "Anthropic", "DeepSeek", "Mistral", "Kimi", "Groq", "Bedrock"]
        }
        ViolationKind::DuplicateResult => {
            &["OpenAI", "Azure", "Anthropic", "Gemini", "DeepSeek", "Mistral", "Bedrock"]
        }
        ViolationKind::DuplicateCallId => &["Anthropic", "DeepSeek", "Mistral"],
        ViolationKind::EmptyReply => &["OpenAI", "Azure", "Bedrock", "llama.cpp"],
        ViolationKind::MissingCallId => &["Kimi", "Bedrock"],
        ViolationKind::LongId => &["OpenAI", "Azure"],
        ViolationKind::RepeatedId => &["Anthropic", "DeepSeek"],
        // A kind that a newer version adds.
        _ => &[],
    }
}
