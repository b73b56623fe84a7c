//! Replies of the model.

use super::{Completeness, Content, Extra, NativeItem, Origin, ToolCall, Usage};
use super::{id_numbers, replace_unusable_ids};
use serde_json::Value;
use std::collections::HashMap;

/// A reply of the model.
///
/// It contains the message of the response: text and calls, the [origin](AssistantMessage::origin), the
/// [finish reason](AssistantMessage::finish_reason), the [usage](AssistantMessage::usage), and the provider's items
/// verbatim, such as signed reasoning. Written to the provider that it came from, unchanged items go back as they came.
///
/// `Deserialize` reads a reply of Chat Completions: the `message` of a choice, the choice, or the whole response. The last
/// two include the finish reason, which decides whether calls were
/// [truncated](AssistantMessage::with_finish_reason). [`Wire::read_reply`](crate::wire::Wire::read_reply) reads the
/// replies of each provider. Ids of calls that are empty or repeated within the reply are replaced when a reply is read,
/// since tool messages refer to calls by id.
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
#[derive(Clone, Debug, Default, PartialEq)]
pub struct AssistantMessage {
    /// The text. `None` is usual in a reply with calls.
    pub content: Option<Content>,
    /// The tools that the model calls.
    pub tool_calls: Vec<ToolCall>,
    pub(crate) refusal: Option<String>,
    pub(crate) origin: Option<Origin>,
    pub(crate) finish_reason: Option<String>,
    pub(crate) completeness: Completeness,
    pub(crate) usage: Option<Usage>,
    /// The provider's items, if its replies consist of items.
    pub(crate) native: Vec<NativeItem>,
    /// All other fields: reasoning, annotations.
    pub(crate) extra: Extra,
}

impl AssistantMessage {
    /// A reply with text.
    #[must_use]
    pub fn from_text(content: impl Into<Content>) -> Self {
        AssistantMessage { content: Some(content.into()), ..AssistantMessage::default() }
    }

    /// A reply with calls and without text.
    #[must_use]
    pub fn from_tool_calls(tool_calls: impl IntoIterator<Item = ToolCall>) -> Self {
        AssistantMessage { tool_calls: tool_calls.into_iter().collect(), ..AssistantMessage::default() }
    }

    /// The text of the reply; empty if it has none.
    #[must_use]
    pub fn text(&self) -> &str {
        self.content.as_ref().map_or("", Content::as_str)
    }

    /// The reason why the model declines to answer, if it does.
    #[must_use]
    pub fn refusal(&self) -> Option<&str> {
        // Some servers send an empty one with each answer.
        self.refusal.as_deref().filter(|refusal| !refusal.is_empty())
    }

    /// The API and the model that the reply comes from; `None` if the program made it, or if it was read as a message of
    /// a history in the format of Chat Completions.
    #[must_use]
    pub fn origin(&self) -> Option<&Origin> {
        self.origin.as_ref()
    }

    /// Marks the calls: see [`ToolCall`](super::ToolCall).
    pub(crate) fn with_null_is_absent(mut self, null_is_absent: bool) -> Self {
        self.tool_calls.iter_mut().for_each(|call| call.null_is_absent = null_is_absent);
        self
    }

    /// The finish reason, if it was read or [set](AssistantMessage::with_finish_reason), in the words of the provider:
    /// for example `tool_calls`, `length` or `end_turn`.
    #[must_use]
    pub fn finish_reason(&self) -> Option<&str> {
        self.finish_reason.as_deref()
    }

    /// Whether the reply is complete.
    #[must_use]
    pub fn completeness(&self) -> Completeness {
        self.completeness
    }

    /// Whether the reply was truncated, for example at its token limit, or ended because the model declined or by a content
    /// filter.
    /// [`ToolCall::is_truncated`] is the same of a call.
    #[must_use]
    pub fn is_truncated(&self) -> bool {
        self.completeness == Completeness::Truncated
    }

    /// The tokens of the request and the reply, if the response has them.
    #[must_use]
    pub fn usage(&self) -> Option<Usage> {
        self.usage
    }

    /// Sets the tokens of the request and the reply. A reply that a wire reads has them if the response has them.
    ///
    /// ```
    /// use tool_runtime::AssistantMessage;
    /// use tool_runtime::message::Usage;
    ///
    /// let reply = AssistantMessage::from_text("It is sunny.").with_usage(Usage::new(120, 8));
    /// assert_eq!(reply.usage().map(|usage| usage.total_tokens()), Some(128));
    /// ```
    #[must_use]
    pub fn with_usage(mut self, usage: Usage) -> Self {
        self.usage = Some(usage);
        self
    }

    /// A further field of a reply that was read: for example `reasoning_content` or `annotations`.
    #[must_use]
    pub fn extra(&self, field: &str) -> Option<&Value> {
        self.extra.get(field)
    }

    /// The provider's items, verbatim and in order, if the replies of its API consist of items. For Anthropic, these are
    /// the blocks of the content. Empty otherwise. Each is the text of its JSON.
    pub fn native_items(&self) -> impl Iterator<Item = &str> {
        self.native.iter().map(|native| &*native.item)
    }

    /// Whether the reply has no content, no calls, no `refusal` and no native items. The content `""` counts as content.
    pub(crate) fn is_empty(&self) -> bool {
        self.content.is_none()
            && self.tool_calls.is_empty()
            && self.refusal().is_none()
            && self.native.is_empty()
    }

    /// The reply with the origin and the usage of its response, and with each call once and under an id of its own.
    pub(crate) fn received(mut self, origin: Origin, usage: Option<Usage>) -> Self {
        (self.origin, self.usage) = (Some(origin), usage);
        self.merge_restated_calls();
        self.make_ids_usable();
        self
    }

    /// Merges calls that the server states more than once, which would run twice.
    fn merge_restated_calls(&mut self) {
        let mut positions: HashMap<(String, String), usize> = HashMap::new();
        let mut merged: Vec<ToolCall> = Vec::with_capacity(self.tool_calls.len());
        for call in std::mem::take(&mut self.tool_calls) {
            let key = (call.id.clone(), call.name.clone());
            let known = positions.get(&key).map(|&position| &mut merged[position]);
            if let Some(known) = known.filter(|known| known.is_stated_by(&call.id, &call.name)) {
                known.state_arguments_again(&call.arguments);
                known.is_truncated |= call.is_truncated;
            } else {
                positions.insert(key, merged.len());
                merged.push(call);
            }
        }
        self.tool_calls = merged;
    }

    /// Replaces the ids of calls that are empty or repeated.
    pub(crate) fn make_ids_usable(&mut self) {
        let response_id = self.origin.as_ref().and_then(|origin| origin.response_id.clone());
        self.change_calls(|calls| replace_unusable_ids(calls, id_numbers(response_id.as_deref())));
    }
}
