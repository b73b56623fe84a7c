//! Histories: how the input of a request is read.

use super::item::read_items;
use super::part::read_content;
use super::provider_calls::ProviderCall;
use super::{NAME, Responses, tool_search};
use crate::json::remove_entry;
use crate::message::{ERROR, Extra, InputMessage, Message, Origin, ToolMessage};
use crate::wire::error::beginning;
use crate::wire::expected::{Expected, is_list};
use crate::wire::{WireError, chat_completions};
use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Map, Value};
use std::borrow::Cow;
use std::collections::HashMap;

const REQUEST: Expected = Expected::request(NAME, "the input of a request of the Responses API");

#[derive(Deserialize)]
struct Request<'a> {
    instructions: Option<String>,
    #[serde(borrow)]
    input: &'a RawValue,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Head<'a> {
    #[serde(borrow)]
    r#type: Option<Cow<'a, str>>,
    #[serde(borrow)]
    role: Option<Cow<'a, str>>,
    #[serde(borrow)]
    execution: Option<Cow<'a, str>>,
}

/// Reads the body of a request, or its `input`.
pub(super) fn messages(body: &str, wire: &Responses) -> Result<Vec<Message>, WireError> {
    let mut reader = Reader { messages: Vec::new(), items: Vec::new(), tools: HashMap::new(), wire };
    let input = if is_list(body) {
        body
    } else {
        let request: Request<'_> = REQUEST.read(body)?;
        reader.messages.extend(request.instructions.map(Message::system));
        request.input.get()
    };
    if input.trim_start().starts_with('"') {
        reader.messages.push(Message::user(REQUEST.read_input::<String>(body, input)?));
        return Ok(reader.messages);
    }
    for item in REQUEST.read_input::<Vec<&RawValue>>(body, input)? {
        reader.read(item)?;
    }
    reader.end_reply()?;
    Ok(reader.messages)
}

struct Reader<'a> {
    messages: Vec<Message>,
    /// The items of the reply that is read.
    items: Vec<&'a RawValue>,
    /// The tools of the newest reply, by the ids of its calls.
    tools: HashMap<String, String>,
    wire: &'a Responses,
}

impl<'a> Reader<'a> {
    fn read(&mut self, item: &'a RawValue) -> Result<(), WireError> {
        let head: Head<'_> = REQUEST.read_part(item.get())?;
        let new: fn(InputMessage) -> Message = match (head.r#type.as_deref(), head.role.as_deref()) {
            (Some("function_call_output" | "custom_tool_call_output"), _) => {
                return self.result(item, false);
            }
            (Some(tool_search::OUTPUT), _) if head.execution.as_deref() == Some(tool_search::CLIENT) => {
                return self.result(item, true);
            }
            (Some(kind), _) if self.result_of(kind).is_some() => return self.provider_result(item, kind),
            (Some("message") | None, Some("system")) => Message::System,
            (Some("message") | None, Some("developer")) => Message::Developer,
            (Some("message") | None, Some("user")) => Message::User,
            (Some("message") | None, Some("tool")) => {
                return Err(WireError::OtherWire { wire: chat_completions::NAME });
            }
            (None, Some(role)) if role != "assistant" => {
                return Err(REQUEST.unexpected(format_args!("the role `{role}`")));
            }
            (None, None) => {
                let text = beginning(item.get());
                return Err(REQUEST.unexpected(format_args!("an item without `type` and `role`: {text}")));
            }
            _ => {
                self.items.push(item);
                return Ok(());
            }
        };
        self.end_reply()?;
        let mut fields: Map<String, Value> = REQUEST.read_part(item.get())?;
        let content = read_content(remove_entry(&mut fields, "content").unwrap_or_default())
            .ok_or_else(|| REQUEST.unexpected(format_args!("the content of {}", beginning(item.get()))))?;
        remove_entry(&mut fields, "role");
        if self.messages.is_empty() && head.role.as_deref() == Some("system") {
            // A system message with its `type` is not one of `instructions`.
            fields.insert("type".to_owned(), "message".into());
        } else {
            remove_entry(&mut fields, "type");
        }
        self.messages
            .push(new(InputMessage { extra: Extra::new(NAME, fields), ..InputMessage::new(content) }));
        Ok(())
    }

    /// Ends the reply that is read.
    fn end_reply(&mut self) -> Result<(), WireError> {
        if !self.items.is_empty() {
            let mut reply = read_items(&std::mem::take(&mut self.items), self.wire)?;
            reply.origin = Some(Origin::new(NAME));
            self.tools = reply.tool_calls.iter().map(|call| (call.id.clone(), call.name.clone())).collect();
            self.messages.push(reply.into());
        }
        Ok(())
    }

    /// The kind of the call whose result has this type, if the program ends such calls.
    fn result_of(&self, kind: &str) -> Option<ProviderCall> {
        ProviderCall::from_result_type(kind).filter(|call| call.tool(&self.wire.tools).is_some())
    }

    /// The result of a call that the API defines.
    fn provider_result(&mut self, item: &RawValue, kind: &str) -> Result<(), WireError> {
        self.end_reply()?;
        let mut fields: Map<String, Value> = REQUEST.read_part(item.get())?;
        let read = self.result_of(kind).map(|call| call.read_result(&mut fields));
        let Some((Value::String(id), content, is_error)) = read else {
            return Err(REQUEST.unexpected(format_args!("a `{kind}` without the id of its call")));
        };
        remove_entry(&mut fields, "type");
        let tool = self.tools.get(&id).cloned().unwrap_or_default();
        let result = ToolMessage::read(id, tool, content, is_error, Extra::new(NAME, fields));
        self.messages.push(result.into());
        Ok(())
    }

    /// The result of a call, or of a search that the program ran.
    fn result(&mut self, item: &RawValue, is_search: bool) -> Result<(), WireError> {
        self.end_reply()?;
        let mut fields: Map<String, Value> = REQUEST.read_part(item.get())?;
        let Some(Value::String(id)) = remove_entry(&mut fields, "call_id") else {
            let kind = if is_search { "a result of a search" } else { "a result" };
            return Err(REQUEST.unexpected(format_args!("{kind} without `call_id`")));
        };
        remove_entry(&mut fields, "type");
        let content = if is_search {
            remove_entry(&mut fields, "execution");
            tool_search::read_tools(remove_entry(&mut fields, "tools").unwrap_or_default())
        } else {
            read_content(remove_entry(&mut fields, "output").unwrap_or_default())
                .ok_or_else(|| REQUEST.unexpected(format_args!("the output of `{id}`")))?
        };
        let is_error = content.as_str().starts_with(ERROR);
        let tool = self.tools.get(&id).cloned().unwrap_or_default();
        let result = ToolMessage::read(id, tool, content, is_error, Extra::new(NAME, fields));
        self.messages.push(result.into());
        Ok(())
    }
}
