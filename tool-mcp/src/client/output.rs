//! The results of remote tools.

use super::RemoteError;
use super::builder::Settings;
use crate::error_prefix::without_prefix;
use crate::message_size::{MAX_URI_BYTES, json_bytes, truncated, value_bytes};
use base64::Engine as _;
use base64::alphabet::STANDARD;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use rmcp::model::{CallToolResult, ContentBlock, Resource, ResourceContents};
use serde::Deserialize as _;
use serde_json::Value;
use tool_runtime::ToolOutput;
use tool_runtime::message::Part;

/// The types of images that every provider accepts. Providers reject a request with any other type, and then every later
/// request of the conversation.
const IMAGES: [&str; 4] = ["image/png", "image/jpeg", "image/gif", "image/webp"];

/// Base64 with or without padding.
const BASE64: GeneralPurpose = GeneralPurpose::new(
    &STANDARD,
    GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent),
);

/// The limits of one result. The rest is left out, and the model reads that.
const MAX_BLOCKS: usize = 1_000;
const MAX_IMAGES: usize = 50;

/// The text for an image or a file after the limit.
const LEFT_OUT: &str = "[an image or file that is left out]";

/// A block of content, as models read it.
enum Block {
    Text(String),
    Part(Part),
}

/// Reads a result with blocks that rmcp does not read, for example of a type of a later version. `None` for another value.
pub(super) fn read_result(value: &Value) -> Option<CallToolResult> {
    let mut result = CallToolResult::default();
    result.content = match &value["content"] {
        Value::Array(blocks) => blocks.iter().map(content_block).collect(),
        Value::String(text) => vec![ContentBlock::text(text)],
        block @ Value::Object(_) => vec![content_block(block)],
        Value::Null if !value["structuredContent"].is_null() => Vec::new(),
        _ => return None,
    };
    result.structured_content = value.get("structuredContent").cloned();
    result.is_error = Some(value["isError"] == true || value["isError"] == "true");
    Some(result)
}

/// Reads a block, which becomes a text if rmcp does not read it.
pub(super) fn content_block(block: &Value) -> ContentBlock {
    let unread = || {
        let kind = block["type"].as_str().unwrap_or("unknown");
        let text = block["text"].as_str();
        ContentBlock::text(
            text.map_or_else(|| format!("[{kind} content that cannot be read]"), str::to_owned),
        )
    };
    ContentBlock::deserialize(block).unwrap_or_else(|_| unread())
}

/// Reads the contents of a resource. A text is a block of text, which is truncated if it is too long.
pub(super) fn resource_block(contents: &Value) -> ContentBlock {
    match ResourceContents::deserialize(contents) {
        Ok(ResourceContents::TextResourceContents { uri, text, .. }) => {
            ContentBlock::text(format!("[{}]\n{text}", truncated(&uri, MAX_URI_BYTES)))
        }
        Ok(contents) => ContentBlock::resource(contents),
        Err(_) => ContentBlock::text("[a resource of an unknown form]"),
    }
}

/// The parts of a message with these blocks.
pub(super) fn content_parts(blocks: Vec<ContentBlock>, settings: &Settings) -> Vec<Part> {
    ContentLimit::new(settings).parts(blocks)
}

/// The content that several messages may still have.
pub(super) struct ContentLimit<'a> {
    settings: &'a Settings,
    bytes: usize,
    images: usize,
}

impl<'a> ContentLimit<'a> {
    pub(super) fn new(settings: &'a Settings) -> Self {
        ContentLimit { settings, bytes: settings.max_result_bytes, images: MAX_IMAGES }
    }

    /// The parts of a message with these blocks, without what exceeds the limit.
    pub(super) fn parts(&mut self, blocks: Vec<ContentBlock>) -> Vec<Part> {
        let mut result = CallToolResult::success(blocks);
        limit_content(&mut result, self.bytes);
        self.bytes = self.bytes.saturating_sub(result.content.iter().map(json_bytes).sum());
        let reader = self.settings.resource_reader();
        let part = |content: &ContentBlock| match block(content, reader.as_deref()) {
            Block::Text(text) => Part::text(text),
            Block::Part(_) if self.images == 0 => Part::text(LEFT_OUT),
            Block::Part(part) => {
                self.images -= 1;
                part
            }
        };
        result.content.iter().map(part).collect()
    }
}

/// Converts the result of a tool. The artifact of the output is the result itself, of which at most this number of bytes is kept.
pub(super) fn output_of(mut result: CallToolResult, settings: &Settings) -> Result<ToolOutput, RemoteError> {
    limit_content(&mut result, settings.max_result_bytes);
    if result.is_error == Some(true) {
        return Err(RemoteError::Tool { message: without_prefix(&error_text(&result)).to_owned() });
    }
    // A server repeats structured content as text, for clients that do not read it.
    let structured = structured_content(&result);
    let is_repeated = |text: &str| {
        structured.is_some_and(|value| serde_json::from_str::<Value>(text).is_ok_and(|text| text == *value))
    };
    let reader = settings.resource_reader();
    let blocks = result.content.iter().map(|content| block(content, reader.as_deref()));
    let blocks = blocks.filter(|block| !matches!(block, Block::Text(text) if is_repeated(text)));
    let mut output = ToolOutput::new();
    let (mut lines, mut images) = (Vec::new(), 0);
    for block in blocks {
        match block {
            Block::Text(text) => lines.push(text),
            Block::Part(_) if images == MAX_IMAGES => {
                lines.push(LEFT_OUT.to_owned());
            }
            Block::Part(part) => {
                images += 1;
                output = with_lines(output, &mut lines, "\n").with_part(part);
            }
        }
    }
    output = with_lines(output, &mut lines, if structured.is_some() { "\n" } else { "" });
    if let Some(value) = structured {
        output = output.with_json(value);
    }
    Ok(output.with_artifact(result))
}

/// Leaves out the content that exceeds the limit, and adds texts about it.
fn limit_content(result: &mut CallToolResult, limit: usize) {
    let structured = result.structured_content.as_ref().map_or(0, value_bytes);
    let meta = result.meta.as_ref().map_or(0, json_bytes);
    let more_blocks = result.content.len().saturating_sub(MAX_BLOCKS);
    result.content.truncate(MAX_BLOCKS);
    let (mut rest, mut left_out) = (limit, 0);
    if structured > rest {
        (result.structured_content, left_out) = (None, structured);
    } else {
        rest -= structured;
    }
    if meta > rest {
        result.meta = None;
        left_out += meta;
    } else {
        rest -= meta;
    }
    result.content.retain_mut(|block| {
        let bytes = json_bytes(block);
        if bytes <= rest {
            rest -= bytes;
            return true;
        }
        let Some(text) = block.as_text().filter(|_| rest > 0) else {
            left_out += bytes;
            return false;
        };
        // Quotes and escapes of its JSON may not fit although the text does.
        left_out += text.text.len().saturating_sub(rest);
        *block = ContentBlock::text(truncated(&text.text, rest));
        rest = 0;
        true
    });
    if left_out > 0 {
        let text = format!("[{left_out} bytes of the result are left out: it has more than {limit} bytes]");
        result.content.push(ContentBlock::text(text));
    }
    if more_blocks > 0 {
        result.content.push(ContentBlock::text(format!("[{more_blocks} more blocks are left out]")));
    }
}

fn structured_content(result: &CallToolResult) -> Option<&Value> {
    result.structured_content.as_ref().filter(|value| !value.is_null())
}

/// Adds the lines. `end` separates them from the next part.
fn with_lines(output: ToolOutput, lines: &mut Vec<String>, end: &str) -> ToolOutput {
    if lines.is_empty() {
        return output;
    }
    output.with_text(std::mem::take(lines).join("\n") + end)
}

/// The text of a failed call.
fn error_text(result: &CallToolResult) -> String {
    let texts: Vec<&str> = result.content.iter().filter_map(|block| Some(&*block.as_text()?.text)).collect();
    match (&texts[..], structured_content(result)) {
        ([], Some(value)) => value.to_string(),
        _ => texts.join("\n"),
    }
}

/// `reader` is the name of the tool that reads resources.
fn block(block: &ContentBlock, reader: Option<&str>) -> Block {
    match block {
        ContentBlock::Text(block) => Block::Text(block.text.clone()),
        ContentBlock::Image(image) => data("image", &image.mime_type, &image.data),
        ContentBlock::Audio(audio) => data("audio", &audio.mime_type, &audio.data),
        ContentBlock::ResourceLink(resource) => Block::Text(link(resource, reader)),
        ContentBlock::Resource(embedded) => match &embedded.resource {
            ResourceContents::TextResourceContents { uri, text, .. } => {
                Block::Text(format!("[{uri}]\n{text}"))
            }
            ResourceContents::BlobResourceContents { uri, mime_type, blob, .. } => {
                data(uri, mime_type.as_deref().unwrap_or("application/octet-stream"), blob)
            }
            _ => Block::Text("[a resource of an unknown form]".to_owned()),
        },
        _ => Block::Text("[content of an unknown form]".to_owned()),
    }
}

/// An image, a PDF file, a text, or a description of data that models do not read.
fn data(name: &str, mime_type: &str, base64: &str) -> Block {
    // Some servers send `image/jpg`, which no standard has.
    let mime_type = mime_type.split(';').next().unwrap_or_default();
    let mime_type = mime_type.trim().to_ascii_lowercase().replace("image/jpg", "image/jpeg");
    let base64: String = base64.split_ascii_whitespace().collect();
    let bytes = match BASE64.decode(base64) {
        Ok(bytes) if !bytes.is_empty() => bytes,
        Ok(_) => return Block::Text(format!("[{name}: {mime_type} without data]")),
        Err(_) => return Block::Text(format!("[{name}: {mime_type} that is not valid base64]")),
    };
    // The bytes decide, since many servers send a wrong type.
    if let Some(image) = image_type(&bytes) {
        return Block::Part(Part::image(image, bytes));
    }
    if IMAGES.contains(&&*mime_type) {
        return Block::Part(Part::image(mime_type, bytes));
    }
    if mime_type == "application/pdf" {
        return Block::Part(Part::file(name, mime_type, bytes));
    }
    let size = bytes.len();
    Block::Text(match String::from_utf8(bytes) {
        Ok(text) if mime_type.starts_with("text/") || mime_type == "application/json" => {
            format!("[{name}]\n{text}")
        }
        _ => format!("[{name}: {size} bytes of {mime_type}]"),
    })
}

/// The type of an image of one of the `IMAGES`, by its first bytes.
fn image_type(bytes: &[u8]) -> Option<&'static str> {
    match bytes {
        [0x89, b'P', b'N', b'G', b'\r', b'\n', 0x1A, b'\n', ..] => Some("image/png"),
        [0xFF, 0xD8, 0xFF, ..] => Some("image/jpeg"),
        [b'G', b'I', b'F', b'8', b'7' | b'9', b'a', ..] => Some("image/gif"),
        [b'R', b'I', b'F', b'F', _, _, _, _, b'W', b'E', b'B', b'P', ..] => Some("image/webp"),
        _ => None,
    }
}

fn link(resource: &Resource, reader: Option<&str>) -> String {
    let details = [Some(&resource.uri), resource.mime_type.as_ref(), resource.description.as_ref()];
    let details: Vec<&str> = details.into_iter().flatten().map(String::as_str).collect();
    let reader = reader.map(|reader| format!("; `{reader}` reads it")).unwrap_or_default();
    format!("[resource {}: {}{reader}]", resource.name, details.join(", "))
}
