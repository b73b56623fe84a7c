//! Histories: how the input of a request is read.

use super::custom_tool::CustomTools;
use super::item::read_items;
use super::part::read_content;
use super::{NAME, tool_search};
use crate::message::{ERROR, Extra, InputMessage, Message, Origin, RETURNED, ToolMessage};
use crate::wire::error::beginning;
use crate::wire::{WireError, other_wires};
use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Map, Value};
use std::borrow::Cow;
use std::collections::HashMap;

const EXPECTED: &str = "the input of a request of the Responses API";

#[derive(Deserialize)]
struct Request<'a> {
    #[serde(default)]
    instructions: Option<String>,
    #[serde(borrow)]
    input: &'a RawValue,
}

#[derive(Deserialize)]
struct Head<'a> {
    #[serde(default, borrow)]
    r#type: Option<Cow<'a, str>>,
    #[serde(default, borrow)]
    role: Option<Cow<'a, str>>,
    #[serde(default, borrow)]
    execution: Option<Cow<'a, str>>,
}

/// Reads the body of a request, or its `input`.
pub(super) fn messages(body: &str, custom_tools: &CustomTools) -> Result<Vec<Message>, WireError> {
    let not_a_request = |problem| other_wires::request_error(body, NAME, EXPECTED, problem);
    let not_read = |error| WireError::from_serde(body, error, not_a_request);
    let mut reader = Reader { messages: Vec::new(), items: Vec::new(), tools: HashMap::new(), custom_tools };
    let input = if body.trim_start().starts_with('[') {
        body
    } else {
        let request: Request<'_> = serde_json::from_str(body).map_err(not_read)?;
        reader.messages.extend(request.instructions.map(Message::system));
        request.input.get()
    };
    if input.trim_start().starts_with('"') {
        let text: String = serde_json::from_str(input).map_err(not_read)?;
        reader.messages.push(Message::user(text));
        return Ok(reader.messages);
    }
    let items: Vec<&RawValue> = serde_json::from_str(input).map_err(not_read)?;
    for item in items {
        reader.read(item)?;
    }
    reader.end_reply()?;
    Ok(reader.messages)
}

fn unexpected(problem: String) -> WireError {
    WireError::Unexpected { expected: EXPECTED, problem }
}

struct Reader<'a> {
    messages: Vec<Message>,
    /// The items of the reply that is read.
    items: Vec<&'a RawValue>,
    /// The tools of the newest reply, by the ids of its calls.
    tools: HashMap<String, String>,
    custom_tools: &'a CustomTools,
}

impl<'a> Reader<'a> {
    fn read(&mut self, item: &'a RawValue) -> Result<(), WireError> {
        let head: Head<'_> =
            serde_json::from_str(item.get()).map_err(|error| unexpected(error.to_string()))?;
        let new: fn(InputMessage) -> Message = match (head.r#type.as_deref(), head.role.as_deref()) {
            (Some("function_call_output" | "custom_tool_call_output"), _) => {
                self.end_reply()?;
                let result = self.result(parse(item)?)?;
                self.messages.push(result.into());
                return Ok(());
            }
            (Some(tool_search::OUTPUT), _) if head.execution.as_deref() == Some(tool_search::CLIENT) => {
                self.end_reply()?;
                let result = self.found_tools(parse(item)?)?;
                self.messages.push(result.into());
                return Ok(());
            }
            (Some("message") | None, Some("system")) => Message::System,
            (Some("message") | None, Some("developer")) => Message::Developer,
            (Some("message") | None, Some("user")) => Message::User,
            (Some("message") | None, Some("tool")) => {
                return Err(other_wires::error("chat_completions"));
            }
            (None, Some(role)) if role != "assistant" => {
                return Err(unexpected(format!("the role `{role}`")));
            }
            (None, None) => {
                let text = beginning(item.get());
                return Err(unexpected(format!("an item without `type` and `role`: {text}")));
            }
            _ => {
                self.items.push(item);
                return Ok(());
            }
        };
        self.end_reply()?;
        let mut fields = parse(item)?;
        let content = read_content(fields.remove("content").unwrap_or_default())
            .ok_or_else(|| unexpected(format!("the content of {}", beginning(item.get()))))?;
        fields.remove("role");
        if self.messages.is_empty() && head.role.as_deref() == Some("system") {
            // A system message with its `type` is not one of `instructions`.
            fields.insert("type".to_owned(), "message".into());
        } else {
            fields.remove("type");
        }
        self.messages
            .push(new(InputMessage { extra: Extra::new(NAME, fields), ..InputMessage::new(content) }));
        Ok(())
    }

    /// Ends the reply that is read.
    fn end_reply(&mut self) -> Result<(), WireError> {
        if !self.items.is_empty() {
            let mut reply = read_items(&std::mem::take(&mut self.items), self.custom_tools)?;
            reply.origin = Some(Origin::new(NAME));
            self.tools = reply.tool_calls.iter().map(|call| (call.id.clone(), call.name.clone())).collect();
            self.messages.push(reply.into());
        }
        Ok(())
    }

    /// The result of a search that the program ran.
    fn found_tools(&self, mut fields: Map<String, Value>) -> Result<ToolMessage, WireError> {
        let Some(Value::String(id)) = fields.remove("call_id") else {
            return Err(unexpected("a result of a search without `call_id`".to_owned()));
        };
        let content = tool_search::read_tools(fields.remove("tools").unwrap_or_default());
        for written in ["type", "execution"] {
            fields.remove(written);
        }
        Ok(ToolMessage {
            tool: Cow::Owned(self.tools.get(&id).cloned().unwrap_or_default()),
            extra: Extra::new(NAME, fields),
            ..ToolMessage::new(id, content)
        })
    }

    fn result(&self, mut fields: Map<String, Value>) -> Result<ToolMessage, WireError> {
        let Some(Value::String(id)) = fields.remove("call_id") else {
            return Err(unexpected("a result without `call_id`".to_owned()));
        };
        let output = fields.remove("output").unwrap_or_default();
        let content = read_content(output).ok_or_else(|| unexpected(format!("the output of `{id}`")))?;
        fields.remove("type");
        let is_error = content.as_str().starts_with(ERROR);
        Ok(ToolMessage {
            tool: Cow::Owned(self.tools.get(&id).cloned().unwrap_or_default()),
            error_kind: is_error.then_some(Cow::Borrowed(RETURNED)),
            extra: Extra::new(NAME, fields),
            ..ToolMessage::new(id, content)
        })
    }
}

fn parse(item: &RawValue) -> Result<Map<String, Value>, WireError> {
    serde_json::from_str(item.get()).map_err(|error| unexpected(error.to_string()))
}
