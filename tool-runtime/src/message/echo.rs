//! The form of a reply in the history.

use super::AssistantMessage;
use super::call_ids::{random_number, replace_unusable_ids};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// How much of a reply is sent back to the server in the next request.
///
/// With each setting, the content does not change, and neither do the id, name and `arguments` text of each call, unless
/// servers reject them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Echo {
    /// Content and calls only, which every server accepts. Gateways of models without reasoning reject
    /// `reasoning_content` ("Extra inputs are not permitted").
    #[default]
    Minimal,
    /// Also `reasoning_content`, `reasoning`, `reasoning_details`, and Gemini's `extra_content`, which contains thought
    /// signatures: each server gets back what it sent. In thinking mode, DeepSeek and Kimi reject a request without the
    /// reasoning of a reply with calls (<https://api-docs.deepseek.com/guides/thinking_mode>); so does Gemini 3
    /// (<https://ai.google.dev/gemini-api/docs/thought-signatures>). OpenRouter asks for it
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
    /// Reduces the reply to a form that servers accept in the history of later requests.
    ///
    /// All fields except `content`, `tool_calls`, a `refusal` and those that `echo` keeps are dropped. Ids that are
    /// empty or repeated within the message are replaced: dispatch the calls of the returned reply, so that the tool
    /// messages have the same ids. Arguments that are not a JSON object stay as they are for the program and for
    /// dispatch, but are *written* as `{}` if they mean no arguments, and as `{"invalid_json": ".."}` otherwise, since
    /// several servers parse the arguments of the history again and would reject every later request. Likewise, a name
    /// that servers reject (one with a dot or a space, which models invent) is written with `_`.
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
            // A `refusal` takes the place of the content in a reply without content.
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

    /// Whether the reply has reasoning that some servers require in the next request.
    pub(crate) fn has_reasoning(&self) -> bool {
        let has_value = |value: &Value| match value {
            Value::Null => false,
            Value::String(text) => !text.is_empty(),
            Value::Array(details) => !details.is_empty(),
            _ => true,
        };
        let of_calls = self.tool_calls.iter().map(|call| &call.other);
        of_calls
            .chain([&self.other])
            .any(|other| REASONING.iter().any(|&field| other.get(field).is_some_and(has_value)))
    }
}
