//! Finish reasons, in the words of all providers.

use crate::message::{AssistantMessage, Completeness, Finish, is_object};
use serde_json::Value;

impl AssistantMessage {
    /// Sets the finish reason. A reply is truncated if the reason is not `stop`, `tool_calls` or an equivalent of another
    /// server: for example `length` or `content_filter`. In a truncated reply, a call whose arguments are not a complete
    /// JSON object never runs, even if they are empty, which otherwise means no arguments; its tool message reports that
    /// the call was truncated.
    ///
    /// Needed if only the `message` of a Chat Completion was read, since the finish reason is a field of the choice.
    ///
    /// ```
    /// use tool_runtime::{AssistantMessage, Registry, ToolCall, tools};
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// /// Deletes the files that match, or all.
    /// #[tool_runtime::tool]
    /// fn delete(matching: Option<&str>) {}
    ///
    /// let calls = vec![ToolCall::new("call_1", "delete", "")];
    /// let reply = AssistantMessage::from_tool_calls(calls).with_finish_reason("length");
    /// let messages = Registry::new(tools![delete])?.dispatch(&reply.tool_calls).await;
    /// assert!(messages[0].text().starts_with("Error: the call of `delete` was "));
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    pub fn with_finish_reason(mut self, reason: impl Into<String>) -> Self {
        self.finish(Finish::new(reason), false);
        self
    }

    /// Whether the model declined to answer, or a filter of the provider withheld the answer: OpenAI's `content_filter`, and
    /// Gemini's `SAFETY` and similar reasons (<https://ai.google.dev/api/generate-content#FinishReason>).
    pub(crate) fn is_declined(&self) -> bool {
        const REASONS: [&str; 12] = [
            "contentfilter",
            "contentfiltered",
            "guardrailintervened",
            "refusal",
            "safety",
            "recitation",
            "language",
            "blocklist",
            "prohibitedcontent",
            "spii",
            "imagesafety",
            "imageprohibitedcontent",
        ];
        let is_filtered = |reason: &str| REASONS.contains(&&*letters(reason));
        self.refusal().is_some() || self.finish_reason().is_some_and(is_filtered)
    }

    /// The message of the provider if it discarded a call, since the model wrote it in a wrong format. Empty if there is none.
    /// See <https://ai.google.dev/api/generate-content#FinishReason>.
    pub(crate) fn malformed_call(&self) -> Option<&str> {
        let reason = letters(self.finish_reason()?);
        let is_malformed =
            self.tool_calls.is_empty() && matches!(&*reason, "malformedfunctioncall" | "malformedtooluse");
        is_malformed.then(|| self.extra("finishMessage").and_then(Value::as_str).unwrap_or_default())
    }

    /// The finish reason of a reply without calls, if it reports calls
    /// (<https://github.com/anthropics/claude-code/issues/77061>).
    pub(crate) fn missing_calls(&self) -> Option<&'static str> {
        let reason = letters(self.finish_reason()?);
        let reasons = [
            ("tooluse", "tool_use"),
            ("toolcalls", "tool_calls"),
            ("toolcall", "tool_call"),
            ("requiresaction", "requires_action"),
        ];
        let known = reasons.into_iter().find(|(letters, _)| *letters == reason);
        known.filter(|_| self.tool_calls.is_empty()).map(|(_, reason)| reason)
    }

    /// Sets how the reply ended, and marks the calls that were truncated. `may_truncate_object` is whether the reply ends with a
    /// call that may be truncated although its arguments are an object.
    pub(super) fn finish(&mut self, finish: Finish, may_truncate_object: bool) {
        self.completeness = finish.completeness;
        self.finish_reason = Some(finish.reason);
        let is_truncated = self.is_truncated();
        for call in &mut self.tool_calls {
            // A wire may have marked a call whose arguments are an object.
            call.is_truncated |= is_truncated && !is_object(&call.arguments);
        }
        if let Some(last) = self.tool_calls.last_mut().filter(|_| is_truncated && may_truncate_object) {
            last.is_truncated = true;
        }
    }
}

impl Finish {
    /// The end of a reply with this reason.
    pub(super) fn new(reason: impl Into<String>) -> Self {
        let reason = reason.into();
        Finish { completeness: completeness(&reason), reason }
    }
}

/// Whether a reply with this finish reason is complete. Every reason that is not known as a regular end reports a
/// truncated reply: servers use many words (`length`, `content_filter`, `insufficient_system_resource`, `abort`,
/// `SAFETY`) and add new ones.
pub(super) fn completeness(reason: &str) -> Completeness {
    match &*letters(reason) {
        _ if is_no_reason(reason) => Completeness::Unknown,
        "pauseturn" => Completeness::Paused,
        // `normal` is Baidu's.
        "stop" | "toolcalls" | "toolcall" | "tooluse" | "functioncall" | "functioncalls" | "endturn"
        | "stopsequence" | "stoptoken" | "requiresaction" | "eos" | "eostoken" | "endoftext" | "complete"
        | "completed" | "finish" | "finished" | "done" | "normal" => Completeness::Complete,
        _ => Completeness::Truncated,
    }
}

/// The first letters and digits of a reason, since servers write `tool_calls`, `tool-calls` and `toolCalls`.
fn letters(reason: &str) -> String {
    let letters = reason.chars().filter(char::is_ascii_alphanumeric);
    letters.map(|letter| letter.to_ascii_lowercase()).take(30).collect()
}

/// Whether this is a placeholder for a missing finish reason, as `KoboldCpp` writes it
/// (<https://github.com/PowerShell/AIShell/issues/350>).
pub(super) fn is_no_reason(reason: &str) -> bool {
    reason.is_empty() || reason.eq_ignore_ascii_case("null") || reason.eq_ignore_ascii_case("none")
}
