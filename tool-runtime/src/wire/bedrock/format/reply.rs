//! Replies: how a response is read.

use super::NAME;
use crate::message::{
    AssistantMessage, Finish, ItemContent, Origin, ReadItem, TokenCounts, ToolCall, Usage, is_object,
};
use crate::wire::WireError;
use crate::wire::error::{beginning, read_error};
use crate::wire::expected::Expected;
use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::Value;
use serde_json::value::RawValue;

const REPLY: Expected = Expected::reply(NAME, "a reply of Amazon's Converse API");

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct Response<'a> {
    #[serde(borrow)]
    output: Option<Output<'a>>,
    stop_reason: Option<String>,
    usage: Value,
}

#[derive(Deserialize)]
struct Output<'a> {
    #[serde(borrow)]
    message: Option<OutputMessage<'a>>,
}

#[derive(Deserialize)]
struct OutputMessage<'a> {
    #[serde(borrow)]
    content: Vec<&'a RawValue>,
}

/// A block, with the fields of those that are not native only.
#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct Block<'a> {
    text: Value,
    #[serde(borrow)]
    tool_use: Option<ToolUse<'a>>,
    reasoning_content: Option<IgnoredAny>,
    citations_content: Value,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct ToolUse<'a> {
    #[serde(rename = "toolUseId")]
    id: Value,
    name: Value,
    #[serde(borrow)]
    input: Option<&'a RawValue>,
    r#type: Value,
}

/// The type of a call that the provider runs itself.
pub(super) const SERVER_TOOL_USE: &str = "server_tool_use";

/// Reads the body of a response.
pub(super) fn read(body: &str) -> Result<AssistantMessage, WireError> {
    let response: Response<'_> = REPLY.read(body)?;
    let Some(message) = response.output.and_then(|output| output.message) else {
        if let Some(message) = read_error(body) {
            return Err(WireError::Server { message });
        }
        return Err(
            REPLY.wrong_body(body, format_args!("there is no `output.message` in {}", beginning(body)))
        );
    };
    let mut reply = read_blocks(&message.content).map_err(|error| REPLY.unexpected(error))?;
    if let Some(reason) = response.stop_reason {
        // Arguments are objects, so a truncated call looks complete.
        let ends_with_call = reply.ends_with_call();
        reply.finish(Finish::new(reason), ends_with_call);
    }
    Ok(reply.received(Origin::new(NAME), read_usage(&response.usage)))
}

/// The reply with these blocks as its items.
pub(super) fn read_blocks(blocks: &[&RawValue]) -> serde_json::Result<AssistantMessage> {
    let items = blocks.iter().map(|raw| read_block(raw)).collect::<serde_json::Result<_>>();
    items.map(AssistantMessage::from_items)
}

fn read_block(raw: &RawValue) -> serde_json::Result<ReadItem> {
    let owned = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let mut is_valid = true;
    let content = match serde_json::from_str(raw.get())? {
        Block { tool_use: Some(call), .. } if call.r#type != SERVER_TOOL_USE => {
            let (name, input) = (owned(&call.name), call.input.map_or("{}", RawValue::get));
            // Some responses have a `type` that requests must not have.
            is_valid = is_object(input) && call.input.is_some() && !name.is_empty() && call.r#type.is_null();
            ItemContent::Call(ToolCall::new(owned(&call.id), name, input))
        }
        Block { text: Value::String(text), .. } => ItemContent::Text(text),
        Block { reasoning_content: Some(_), .. } => ItemContent::Reasoning,
        Block { citations_content: Value::Object(cited), .. } => {
            let texts = cited.get("content").and_then(Value::as_array).into_iter().flatten();
            ItemContent::Text(texts.filter_map(|part| part["text"].as_str()).collect())
        }
        _ => ItemContent::Native,
    };
    Ok(ReadItem { json: raw.get().to_owned(), content, is_valid })
}

/// Tokens that were read from the cache or written to it are not in `inputTokens`:
/// <https://docs.aws.amazon.com/bedrock/latest/userguide/prompt-caching.html>.
pub(super) fn read_usage(usage: &Value) -> Option<Usage> {
    let count = |field: &str| usage[field].as_u64();
    let (cached, cache_write) = (count("cacheReadInputTokens"), count("cacheWriteInputTokens"));
    let counts = TokenCounts {
        input: &[count("inputTokens"), cached, cache_write],
        cached,
        cache_write,
        output: &[count("outputTokens")],
        ..TokenCounts::default()
    };
    counts.usage()
}
