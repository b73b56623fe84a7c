//! A reply as it goes back in the history.

use super::AssistantMessage;
use super::call_ids::{random_number, replace_unusable_ids};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// How much of a reply goes back to the server in the next request.
///
/// Whatever the setting, each call keeps its id, name and `arguments` text where servers take them, and the content
/// stays as it was.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Echo {
    /// Content and calls alone, which every server takes. Gateways of models that do not think refuse
    /// `reasoning_content` ("Extra inputs are not permitted").
    #[default]
    Minimal,
    /// Also `reasoning_content`, `reasoning`, `reasoning_details`, and the `extra_content` of Gemini that
    /// holds its thought signatures: each server gets back what it sent. DeepSeek and Kimi refuse a request
    /// without it after a turn with calls while they think
    /// (<https://api-docs.deepseek.com/guides/thinking_mode>), as does Gemini 3
    /// (<https://ai.google.dev/gemini-api/docs/thought-signatures>); OpenRouter asks for it
    /// (<https://openrouter.ai/docs/use-cases/reasoning-tokens>).
    Reasoning,
}

impl Echo {
    fn keeps(self, field: &str) -> bool {
        match self {
            Echo::Minimal => false,
            Echo::Reasoning => REASONING.contains(&field),
        }
    }
}

const REASONING: [&str; 5] =
    ["reasoning_content", "reasoning", "reasoning_details", "extra_content", "thought_signature"];

impl AssistantMessage {
    /// The reply as the history should hold it, so that no later request is refused for it.
    ///
    /// All fields but `content`, `tool_calls` and a `refusal` are dropped, save what `echo` keeps. Ids that are empty
    /// or repeated within the message are replaced: dispatch the calls of the echo, and the answers have the same ids.
    /// Arguments that are not a JSON object stay as they are for the program and for dispatch, but are *written* as
    /// `{}` where they mean none, and as `{"invalid_json": ".."}` otherwise, since several servers parse the history's
    /// arguments again and refuse them for ever after. So is a name that servers refuse (one with a dot or a blank,
    /// which models make up) written with `_`.
    ///
    /// ```
    /// use tool_runtime::message::Echo;
    /// use tool_runtime::AssistantMessage;
    ///
    /// let reply: AssistantMessage = serde_json::from_str(
    ///     r#"{"reasoning_content":"Hm.","tool_calls":[
    ///         {"index":0,"id":"call_1","function":{"name":"now","arguments":""}}]}"#,
    /// )?;
    /// assert_eq!(
    ///     serde_json::to_string(&reply.echo(Echo::Minimal))?,
    ///     concat!(
    ///         r#"{"role":"assistant","content":null,"tool_calls":["#,
    ///         r#"{"id":"call_1","type":"function","function":{"name":"now","arguments":"{}"}}]}"#,
    ///     ),
    /// );
    /// # Ok::<(), serde_json::Error>(())
    /// ```
    #[must_use]
    pub fn echo(mut self, echo: Echo) -> Self {
        self.other.retain(|field, value| {
            // A refusal is the content of a reply that has no other.
            (field == "refusal" && value.is_string()) || (echo.keeps(field) && !value.is_null())
        });
        for call in &mut self.tool_calls {
            let kind = call.other_type().map(str::to_owned);
            call.other.retain(|field, _| {
                echo.keeps(field) || kind.as_deref().is_some_and(|kind| field == "type" || field == kind)
            });
            call.decide_how_written();
        }
        replace_unusable_ids(&mut self.tool_calls, random_number);
        self
    }

    /// Whether there is reasoning in it that some servers want to have back.
    pub(crate) fn has_reasoning(&self) -> bool {
        let is_said = |value: &Value| match value {
            Value::Null => false,
            Value::String(text) => !text.is_empty(),
            Value::Array(details) => !details.is_empty(),
            _ => true,
        };
        let of_calls = self.tool_calls.iter().map(|call| &call.other);
        of_calls
            .chain([&self.other])
            .any(|other| REASONING.iter().any(|&field| other.get(field).is_some_and(is_said)))
    }
}
