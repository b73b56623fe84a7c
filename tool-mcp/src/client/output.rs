//! The results of remote tools.

use super::RemoteError;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use rmcp::model::{CallToolResult, ContentBlock, Resource, ResourceContents};
use serde_json::Value;
use std::fmt::Write as _;
use tool_runtime::ToolOutput;
use tool_runtime::message::Part;

/// The types of images that every provider accepts. A request with another one is rejected, and so is the conversation.
const IMAGES: [&str; 4] = ["image/png", "image/jpeg", "image/gif", "image/webp"];

/// The prefix that a registry adds to errors, so that a server of this crate, or another one, does not double it.
const ERROR: &str = "Error: ";

/// Converts the result of a tool. The artifact of the output is the result itself.
pub(super) fn output_of(result: CallToolResult) -> Result<ToolOutput, RemoteError> {
    if result.is_error == Some(true) {
        let message = text_of(&result);
        return Err(RemoteError::Tool { message: message.strip_prefix(ERROR).unwrap_or(&message).to_owned() });
    }
    let structured = result.structured_content.as_ref();
    // A server repeats structured content as text, for clients that do not read it.
    let is_repeated = |block: &ContentBlock| match block.as_text() {
        Some(block) => structured.is_some_and(|value| serde_json::from_str::<Value>(&block.text).is_ok_and(|text| text == *value)),
        None => false,
    };
    let blocks: Vec<&ContentBlock> = result.content.iter().filter(|block| !is_repeated(block)).collect();
    let mut output = match (&blocks[..], structured) {
        ([ContentBlock::Text(block)], None) => ToolOutput::new().with_text(&block.text),
        _ => blocks.iter().fold(ToolOutput::new(), |output, block| output.with_part(part(block))),
    };
    if let Some(value) = structured {
        output = output.with_json(value);
    }
    Ok(output.with_artifact(result))
}

/// The text of a failed call.
fn text_of(result: &CallToolResult) -> String {
    let texts: Vec<&str> = result.content.iter().filter_map(|block| Some(&*block.as_text()?.text)).collect();
    match (&texts[..], &result.structured_content) {
        ([], Some(value)) => value.to_string(),
        _ => texts.join("\n"),
    }
}

fn part(block: &ContentBlock) -> Part {
    match block {
        ContentBlock::Text(block) => Part::text(&*block.text),
        ContentBlock::Image(image) => data("image", &image.mime_type, &image.data),
        ContentBlock::Audio(audio) => data("audio", &audio.mime_type, &audio.data),
        ContentBlock::ResourceLink(resource) => Part::text(link(resource)),
        ContentBlock::Resource(embedded) => match &embedded.resource {
            ResourceContents::TextResourceContents { uri, text, .. } => Part::text(format!("[{uri}]\n{text}")),
            ResourceContents::BlobResourceContents { uri, mime_type, blob, .. } => {
                data(uri, mime_type.as_deref().unwrap_or("application/octet-stream"), blob)
            }
            _ => Part::text("[a resource of an unknown form]"),
        },
        _ => Part::text("[content of an unknown form]"),
    }
}

/// An image, a PDF file, or a text in place of data that models do not read.
fn data(name: &str, mime_type: &str, base64: &str) -> Part {
    match STANDARD.decode(base64) {
        Ok(bytes) if IMAGES.contains(&mime_type) => Part::image(mime_type, bytes),
        Ok(bytes) if mime_type == "application/pdf" => Part::file(name, mime_type, bytes),
        Ok(bytes) => Part::text(format!("[{name}: {} bytes of {mime_type}]", bytes.len())),
        Err(_) => Part::text(format!("[{name}: {mime_type} that is not valid base64]")),
    }
}

fn link(resource: &Resource) -> String {
    let mut text = format!("[resource {}: {}", resource.name, resource.uri);
    for detail in [&resource.mime_type, &resource.description].into_iter().flatten() {
        // Writing to a string does not fail.
        let _ = write!(text, ", {detail}");
    }
    text + "]"
}
