//! Parts of the model's contents: <https://ai.google.dev/api/caching#Part>.

use super::{NAME, names};
use crate::message::{Extra, ItemContent, ToolCall};
use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::value::RawValue;
use serde_json::{Map, Value};
use std::collections::HashMap;

/// The fields of texts, thoughts and calls. They are `Value`s, since other parts have fields of other types.
#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct ItemHead<'a> {
    text: Value,
    thought: Value,
    #[serde(alias = "thought_signature")]
    thought_signature: Value,
    #[serde(borrow, alias = "function_call")]
    function_call: Option<&'a RawValue>,
}

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct FunctionCall<'a> {
    id: Value,
    name: Value,
    #[serde(borrow)]
    args: Option<&'a RawValue>,
    #[serde(alias = "partial_args")]
    partial_args: Value,
    #[serde(alias = "will_continue")]
    will_continue: Value,
}

impl ItemHead<'_> {
    /// Whether it has a signature: such a part stays alone, "do not merge a part with a signature with one without"
    /// (<https://ai.google.dev/gemini-api/docs/thought-signatures>).
    pub(super) fn is_signed(&self) -> bool {
        self.thought_signature.as_str().is_some_and(|signature| !signature.is_empty())
    }

    /// Whether the part with this JSON is text without characters, which the API rejects: "required oneof field 'data' must have
    /// one initialized field".
    pub(super) fn is_empty_text(&self, json: &str) -> bool {
        self.has_empty_text(json) && !self.is_signed()
    }

    /// Whether the part with this JSON is text without characters, with a signature or without. So is a part without content.
    pub(super) fn has_empty_text(&self, json: &str) -> bool {
        !self.is_call() && (self.text == "" || self.text.is_null() && has_no_content(json))
    }

    pub(super) fn is_call(&self) -> bool {
        self.function_call.is_some()
    }

    /// The name of the function in this part, as the part has it.
    pub(super) fn function_name(&self) -> Option<String> {
        let call: FunctionCall<'_> = serde_json::from_str(self.function_call?.get()).ok()?;
        call.name.as_str().map(str::to_owned)
    }

    /// The text of a thought.
    pub(super) fn thought(&self) -> Option<&str> {
        self.text.as_str().filter(|_| self.thought == true)
    }

    /// The neutral content of the part with this JSON; `None` for a call without a name, which is ignored.
    pub(super) fn into_content(self, json: &str) -> serde_json::Result<Option<ItemContent>> {
        let has_empty_text = self.has_empty_text(json);
        if let Some(call) = self.function_call {
            let call = serde_json::from_str(call.get()).and_then(FunctionCall::into_call)?;
            return Ok(call.map(ItemContent::Call));
        }
        Ok(Some(match self.text {
            Value::String(_) if self.thought == true => ItemContent::Reasoning,
            Value::String(text) => ItemContent::Text(text),
            _ if has_empty_text => ItemContent::Text(String::new()),
            _ => ItemContent::Native,
        }))
    }
}

/// Whether each field of a part is null or belongs to a thought.
fn has_no_content(json: &str) -> bool {
    let fields = serde_json::from_str::<HashMap<&str, Option<IgnoredAny>>>(json);
    let is_of_thought = |field: &str| matches!(field, "thought" | "thoughtSignature" | "thought_signature");
    fields.is_ok_and(|fields| fields.iter().all(|(field, value)| value.is_none() || is_of_thought(field)))
}

impl FunctionCall<'_> {
    fn into_call(self) -> serde_json::Result<Option<ToolCall>> {
        // The arguments of a call in several parts are JSON paths and values:
        // <https://docs.cloud.google.com/vertex-ai/generative-ai/docs/multimodal/function-calling>.
        if self.partial_args.is_array() || self.will_continue == true {
            return Err(serde::de::Error::custom(
                "arguments in pieces are not supported: request the reply without `streamFunctionCallArguments`",
            ));
        }
        let Some(name) = self.name.as_str().filter(|name| !name.is_empty()) else {
            return Ok(None);
        };
        let mut call = ToolCall::new("", names::read(name), self.args.map_or("{}", RawValue::get));
        if let Some(id) = self.id.as_str().filter(|id| !id.is_empty()) {
            id.clone_into(&mut call.id);
            // Marks an id of the provider: generated ids are not sent.
            call.extra = Extra::new(NAME, Map::from_iter([(ID.to_owned(), self.id)]));
        }
        Ok(Some(call))
    }
}

const ID: &str = "id";

/// The id of a call that the provider made.
pub(super) fn provider_id(call: &ToolCall) -> Option<&Value> {
    call.extra.on_wire(NAME).find(|(field, _)| *field == ID).map(|(_, id)| id)
}
