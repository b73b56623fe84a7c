//! Messages, in requests and in responses: how they are read.

use super::NAME;
use crate::message::{AssistantMessage, Content, Extra, ToolCall};
use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Map, Value};

#[derive(Default, Deserialize)]
#[serde(default, expecting = "a message")]
pub(super) struct ReadMessage<'a> {
    pub(super) role: String,
    pub(super) content: Option<Content>,
    pub(super) thinking: Option<String>,
    /// In base64.
    pub(super) images: Option<Vec<String>>,
    #[serde(borrow)]
    tool_calls: Option<Vec<ReadCall<'a>>>,
    pub(super) tool_name: Option<String>,
    pub(super) tool_call_id: Option<String>,
}

#[derive(Deserialize)]
#[serde(expecting = "a tool call")]
struct ReadCall<'a> {
    id: Option<String>,
    #[serde(borrow)]
    function: ReadFunction<'a>,
}

#[derive(Default, Deserialize)]
#[serde(default, expecting = "the name and the arguments of a function")]
struct ReadFunction<'a> {
    name: String,
    #[serde(borrow)]
    arguments: Option<&'a RawValue>,
}

impl ReadMessage<'_> {
    /// The calls, whose ids may be empty.
    pub(super) fn take_calls(&mut self) -> Vec<ToolCall> {
        self.tool_calls.take().into_iter().flatten().map(ReadCall::into_call).collect()
    }

    /// The reasoning as a field that goes back.
    pub(super) fn take_thinking(&mut self) -> Map<String, Value> {
        let thinking = self.thinking.take().filter(|thinking| !thinking.is_empty());
        thinking.into_iter().map(|thinking| ("thinking".to_owned(), thinking.into())).collect()
    }

    /// The reply of the model. Ids of calls may be empty.
    pub(super) fn into_reply(mut self) -> AssistantMessage {
        let (tool_calls, thinking) = (self.take_calls(), self.take_thinking());
        let (content, extra) = (Some(self.content.unwrap_or_default()), Extra::new(NAME, thinking));
        AssistantMessage { content, tool_calls, extra, ..AssistantMessage::default() }
    }
}

impl ReadCall<'_> {
    fn into_call(self) -> ToolCall {
        let ReadFunction { name, arguments } = self.function;
        let arguments = arguments.map_or("{}", RawValue::get);
        // Some programs write the text of an object, as in Chat Completions.
        let text = serde_json::from_str::<String>(arguments).unwrap_or_else(|_| arguments.to_owned());
        ToolCall::new(self.id.unwrap_or_default(), name, text)
    }
}
