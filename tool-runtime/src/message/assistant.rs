//! Replies of the model.

use super::tool_call::is_object;
use super::wire::{self, Role, WireMessage};
use super::{Content, ToolCall};
use serde::de::Error as _;
use serde::ser::SerializeMap as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::{Map, Value};

/// A reply of the model. Deserializes from the `message` of a choice, from the choice, or from the whole response. The
/// last two include the finish reason, which decides whether calls were
/// [truncated](AssistantMessage::with_finish_reason).
///
/// [`echo`](AssistantMessage::echo) reduces a reply to the fields that the next request may contain.
///
/// ```
/// use tool_runtime::AssistantMessage;
///
/// let reply: AssistantMessage = serde_json::from_str(
///     r#"{"role":"assistant","content":null,"tool_calls":[
///         {"id":"call_1","type":"function","function":{"name":"now","arguments":"{}"}}]}"#,
/// )?;
/// assert_eq!(reply.content, None);
/// assert_eq!(reply.tool_calls[0].name, "now");
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct AssistantMessage {
    /// The text. `None` is usual in a reply with calls; it is read from null or a missing field, and written as null.
    pub content: Option<Content>,
    /// The tools that the model calls. A missing field, null and `[]` are read as no calls; an empty list is not
    /// written.
    pub tool_calls: Vec<ToolCall>,
    /// All other fields: reasoning, annotations, `refusal`.
    pub(crate) other: Map<String, Value>,
    /// The finish reason of the choice, if it is known.
    pub(crate) finish_reason: Option<String>,
    /// Whether the reply was streamed and ended without a finish reason and without `[DONE]`.
    pub(crate) ended_without_reason: bool,
}

impl AssistantMessage {
    /// A reply with text.
    #[must_use]
    pub fn saying(content: impl Into<Content>) -> Self {
        AssistantMessage { content: Some(content.into()), ..AssistantMessage::default() }
    }

    /// A reply with calls and without text.
    #[must_use]
    pub fn calling(tool_calls: Vec<ToolCall>) -> Self {
        AssistantMessage { tool_calls, ..AssistantMessage::default() }
    }

    /// Sets the finish reason of the choice. A reply is truncated if the reason is not `stop`, `tool_calls` or an
    /// equivalent of another server: for example `length` or `content_filter`. In a truncated reply, a call whose
    /// arguments are not a complete JSON object never runs, even if they are empty, which otherwise means no arguments;
    /// its tool message reports that the call was truncated.
    ///
    /// Needed if only the `message` was read, since the finish reason is a field of the choice.
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
    /// let reply = AssistantMessage::calling(vec![ToolCall::new("call_1", "delete", "")]).with_finish_reason("length");
    /// let answers = Registry::new(tools![delete])?.dispatch(&reply.tool_calls).await;
    /// assert!(answers[0].text().starts_with("Error: the call of `delete` was "));
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    pub fn with_finish_reason(mut self, reason: impl Into<String>) -> Self {
        self.finish_reason = Some(reason.into());
        self.ended_without_reason = false;
        let is_cut_short = self.is_cut_short();
        for call in &mut self.tool_calls {
            call.is_cut_off = is_cut_short && !is_object(&call.arguments);
        }
        self
    }

    /// The finish reason, if it was read or [set](AssistantMessage::with_finish_reason). It is not written.
    #[must_use]
    pub fn finish_reason(&self) -> Option<&str> {
        self.finish_reason.as_deref()
    }

    /// Whether the reply was truncated.
    pub(crate) fn is_cut_short(&self) -> bool {
        self.finish_reason().is_some_and(is_cut_short)
    }

    /// Whether the reply has no content, no calls and no `refusal`. The content `""` counts as content.
    pub(crate) fn is_empty(&self) -> bool {
        self.content.is_none() && self.tool_calls.is_empty() && self.refusal().is_none()
    }

    /// The text of the reply; empty if it has none.
    #[must_use]
    pub fn text(&self) -> &str {
        self.content.as_ref().map_or("", Content::as_str)
    }

    /// The reason why the model declines to answer, if the reply has the field `refusal`.
    #[must_use]
    pub fn refusal(&self) -> Option<&str> {
        self.other.get("refusal")?.as_str()
    }
}

/// Whether a reply with this `finish_reason` was truncated: true for every reason that is not known
/// as a regular end. Servers use many words (`length`, `content_filter`, `insufficient_system_resource`, `abort`,
/// `SAFETY`) and add new ones.
pub(crate) fn is_cut_short(reason: &str) -> bool {
    const DONE: [&str; 18] = [
        "stop",
        "toolcalls",
        "toolcall",
        "tooluse",
        "functioncall",
        "functioncalls",
        "endturn",
        "stopsequence",
        "stoptoken",
        "eos",
        "eostoken",
        "endoftext",
        "complete",
        "completed",
        "finish",
        "finished",
        "done",
        // Baidu.
        "normal",
    ];
    // `tool_calls`, `tool-calls`, `toolCalls`.
    let letters =
        reason.chars().filter(char::is_ascii_alphanumeric).map(|letter| letter.to_ascii_lowercase());
    let word: String = letters.take(20).collect();
    !is_no_reason(reason) && !DONE.contains(&&*word)
}

/// Whether this is a placeholder for a missing `finish_reason`, as `KoboldCpp` writes it
/// (<https://github.com/PowerShell/AIShell/issues/350>).
pub(crate) fn is_no_reason(reason: &str) -> bool {
    reason.is_empty() || reason.eq_ignore_ascii_case("null") || reason.eq_ignore_ascii_case("none")
}

/// Compares content, calls and other fields, but not the finish reason.
impl PartialEq for AssistantMessage {
    fn eq(&self, other: &Self) -> bool {
        (&self.content, &self.tool_calls, &self.other) == (&other.content, &other.tool_calls, &other.other)
    }
}

impl Serialize for AssistantMessage {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("role", &Role::Assistant)?;
        map.serialize_entry("content", &self.content)?;
        if !self.tool_calls.is_empty() {
            map.serialize_entry("tool_calls", &self.tool_calls)?;
        }
        wire::write_other::<S>(&mut map, &self.other)?;
        map.end()
    }
}

impl<'de> Deserialize<'de> for AssistantMessage {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let mut wire = WireMessage::with_role(Role::Assistant, deserializer)?;
        match wire.take_choice().map_err(D::Error::custom)? {
            None => Ok(wire.into()),
            Some(choice) => {
                let reply = Self::from(choice.message.checked_as(Role::Assistant)?);
                Ok(match choice.finish_reason {
                    Some(reason) => reply.with_finish_reason(reason),
                    None => reply,
                })
            }
        }
    }
}
