//! The results of calls in the format of the protocol.

use crate::error_prefix::without_prefix;
use rmcp::model::{CallToolResult, ContentBlock, JsonObject, Resource, ResourceContents};
use serde_json::Value;
use tool_runtime::ToolMessage;
use tool_runtime::message::{Content, Media, Part};

/// Converts the message of a finished call. `schema` is the output schema of its tool.
pub(super) fn result_of(message: &ToolMessage, schema: Option<&JsonObject>) -> CallToolResult {
    if message.is_error() {
        return error(without_prefix(message.text()));
    }
    let structured = structured_content(&message.content, schema);
    if structured.is_none() && schema.is_some() {
        // Clients reject such a result as a whole, for example after `max_result_bytes` has truncated it.
        return error(&format!(
            "the result does not have the declared structure. Its text is:\n{}",
            message.text()
        ));
    }
    let mut result = CallToolResult::success(match message.content.parts() {
        None => vec![ContentBlock::text(message.text())],
        Some(parts) => parts.iter().filter_map(block).collect(),
    });
    result.structured_content = structured;
    result
}

fn error(text: &str) -> CallToolResult {
    CallToolResult::error(vec![ContentBlock::text(text)])
}

/// The value of the result. A tool whose declared result is a string or nothing returns it as text.
fn structured_content(content: &Content, schema: Option<&JsonObject>) -> Option<Value> {
    if content.is_json() {
        return serde_json::from_str(content.as_str()).ok();
    }
    let Some(parts) = content.parts() else {
        return match schema?.get("type")?.as_str()? {
            "string" => Some(content.as_str().into()),
            "null" => Some(Value::Null),
            _ => None,
        };
    };
    let mut values = parts.iter().filter_map(|part| match part {
        Part::Json { json, .. } => Some(json),
        _ => None,
    });
    // Several values are not one structure.
    values.next().cloned().filter(|_| values.next().is_none())
}

/// A part of a result; `None` for a part that only a provider of models defines.
pub(super) fn block(part: &Part) -> Option<ContentBlock> {
    Some(match part {
        Part::Text { text, .. } => ContentBlock::text(text),
        Part::Json { json, .. } => ContentBlock::text(json.to_string()),
        Part::Image { media: Media::Data { mime_type, base64, .. }, .. } => {
            ContentBlock::image(base64, mime_type)
        }
        Part::Image { media: Media::Url { url, .. }, .. } => link("image", url),
        Part::File { media: Media::Url { url, .. }, name, .. } => {
            link(name.as_deref().unwrap_or("file"), url)
        }
        Part::File { media: Media::Data { mime_type, base64, .. }, .. }
            if mime_type.starts_with("audio/") =>
        {
            ContentBlock::audio(base64, mime_type)
        }
        Part::File { media: media @ Media::Data { mime_type, base64, .. }, name, .. } => {
            let address = format!("attachment:{}", name.as_deref().unwrap_or("file"));
            let contents = match text_of(media, mime_type) {
                Some(text) => ResourceContents::text(text, address),
                None => ResourceContents::blob(base64, address),
            };
            ContentBlock::resource(contents.with_mime_type(mime_type))
        }
        _ => return None,
    })
}

fn link(name: &str, url: &str) -> ContentBlock {
    ContentBlock::resource_link(Resource::new(url, name))
}

/// The text of a file, which clients read more easily than base64.
pub(super) fn text_of(media: &Media, mime_type: &str) -> Option<String> {
    let is_text = mime_type.starts_with("text/") || mime_type == "application/json";
    String::from_utf8(media.bytes().filter(|_| is_text)?).ok()
}
