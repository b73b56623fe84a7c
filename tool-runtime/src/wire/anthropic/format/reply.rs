//! Replies: how a response is read.

use super::client_tools::registry_name;
use super::{NAME, container};
use crate::message::{
    AssistantMessage, Extra, Finish, ItemContent, Origin, ReadItem, TokenCounts, ToolCall, Usage, is_object,
};
use crate::wire::WireError;
use crate::wire::error::{beginning, server_error};
use crate::wire::expected::Expected;
use crate::wire::tool_settings::ToolSettings;
use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

const REPLY: Expected = Expected::reply(NAME, "a reply of Anthropic's Messages API");

#[derive(Default, Deserialize)]
#[serde(default)]
struct Response<'a> {
    r#type: Value,
    id: Option<String>,
    model: Option<String>,
    #[serde(borrow)]
    content: Option<Vec<&'a RawValue>>,
    stop_reason: Option<String>,
    stop_details: Value,
    usage: Value,
    container: Value,
    error: Value,
}

/// A block, with the fields of those that are not native only. Other blocks may have fields of other types.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Block<'a> {
    r#type: Value,
    text: Value,
    id: Value,
    name: Value,
    #[serde(borrow)]
    input: Option<&'a RawValue>,
}

/// Reads the body of a response.
pub(super) fn read(body: &str, tools: &ToolSettings) -> Result<AssistantMessage, WireError> {
    let response: Response<'_> = REPLY.read(body)?;
    server_error(&response.error)?;
    let is_message = response.r#type.is_null() || response.r#type == "message";
    let Some(blocks) = response.content.filter(|_| is_message) else {
        return Err(
            REPLY.wrong_body(body, format_args!("there is no `content` of a message in {}", beginning(body)))
        );
    };
    let mut reply = read_blocks(&blocks, tools)?;
    reply.extra = Extra::new(NAME, container::read(&response.container));
    if let Some(reason) = response.stop_reason {
        reply.refusal = declined(&reason, &response.stop_details);
        // Arguments are objects, so a truncated call looks complete. Only the last block can be truncated:
        // https://platform.claude.com/docs/en/build-with-claude/handling-stop-reasons
        let ends_with_call = reply.ends_with_call();
        reply.finish(Finish::new(reason), ends_with_call);
    }
    let origin = Origin { model: response.model, response_id: response.id, ..Origin::new(NAME) };
    Ok(reply.received(origin, read_usage(&response.usage)))
}

/// The reply with these blocks as its items.
pub(super) fn read_blocks(blocks: &[&RawValue], tools: &ToolSettings) -> Result<AssistantMessage, WireError> {
    let items = blocks.iter().map(|raw| read_block(raw, tools)).collect::<serde_json::Result<_>>();
    items.map(AssistantMessage::from_items).map_err(|error| REPLY.unexpected(error))
}

fn read_block(raw: &RawValue, tools: &ToolSettings) -> serde_json::Result<ReadItem> {
    let owned = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let block: Block<'_> = serde_json::from_str(raw.get())?;
    let mut is_valid = true;
    let content = match block.r#type.as_str() {
        Some("text") => ItemContent::Text(owned(&block.text)),
        Some("tool_use") => {
            let input = block.input.map_or("{}", RawValue::get);
            let name = block.name.as_str().map_or("", |name| registry_name(tools, name));
            let call = ToolCall::new(owned(&block.id), name, input);
            is_valid = is_object(input) && block.input.is_some() && !call.name.is_empty();
            ItemContent::Call(call)
        }
        Some("thinking") => ItemContent::Reasoning,
        _ => ItemContent::Native,
    };
    Ok(ReadItem { json: raw.get().to_owned(), content, is_valid })
}

/// The reason why the model declines, if it does. The provider sends it for some models only.
pub(super) fn declined(stop_reason: &str, stop_details: &Value) -> Option<String> {
    let explanation = || {
        let text = stop_details["explanation"].as_str().filter(|text| !text.trim().is_empty());
        text.unwrap_or("the model declined to answer")
    };
    (stop_reason == "refusal").then(|| explanation().to_owned())
}

/// Cached tokens are not in `input_tokens`: <https://docs.anthropic.com/en/docs/build-with-claude/prompt-caching>.
pub(super) fn read_usage(usage: &Value) -> Option<Usage> {
    let count = |field: &str| usage[field].as_u64();
    let (cached, cache_write) = (count("cache_read_input_tokens"), count("cache_creation_input_tokens"));
    let counts = TokenCounts {
        input: &[count("input_tokens"), cached, cache_write],
        cached,
        cache_write,
        output: &[count("output_tokens")],
        reasoning: usage["output_tokens_details"]["thinking_tokens"].as_u64(),
    };
    counts.usage()
}
