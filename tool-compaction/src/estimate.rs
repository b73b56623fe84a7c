//! An estimate of tokens.

use tool_runtime::message::{Content, Message, Part};

/// The tokens of an image or a file, whose number depends on the provider and on the content.
const MEDIA_TOKENS: usize = 1_500;
/// The role of a message, and the marks around it.
const MESSAGE_TOKENS: usize = 4;
const BYTES_PER_TOKEN: usize = 4;

/// An estimate of the tokens of a message: a quarter of the bytes of its text, its calls and the items of its provider, and 1,500
/// for each image and file. Base64 in these items, such as a generated image, counts at most 1,500.
///
/// Four bytes are one token in English text and in source code, with a deviation of a third in either direction; texts in other
/// scripts have more tokens for each character, and also more bytes. The definitions of tools do not count.
///
/// ```
/// use tool_runtime::message::Message;
/// use tool_runtime_compaction::estimated_tokens;
///
/// assert_eq!(estimated_tokens(&Message::user("What is the weather in Beijing?")), 12);
/// ```
#[must_use]
pub fn estimated_tokens(message: &Message) -> usize {
    let (bytes, media) = match message {
        Message::System(input) | Message::Developer(input) | Message::User(input) => size(&input.content),
        Message::Tool(result) => size(&result.content),
        Message::Assistant(reply) => {
            let (text, media) = reply.content.as_ref().map_or((0, 0), size);
            let calls = reply.tool_calls.iter().map(|call| call.name.len() + call.arguments.len());
            let fields = ["reasoning_content", "reasoning"].into_iter();
            let reasoning = fields.filter_map(|field| reply.extra(field)?.as_str()).map(str::len);
            let neutral = text + calls.sum::<usize>() + reasoning.sum::<usize>();
            // The items contain the text and the calls as well.
            (neutral.max(reply.native_items().map(item_size).sum()), media)
        }
        // A kind of message that later versions add.
        _ => (message.text().len(), 0),
    };
    bytes.div_ceil(BYTES_PER_TOKEN) + media * MEDIA_TOKENS + MESSAGE_TOKENS
}

/// The bytes of an item of a provider. Base64, such as the image that a tool of the provider made, counts at most like an image.
fn item_size(item: &str) -> usize {
    const MAX_BASE64: usize = MEDIA_TOKENS * BYTES_PER_TOKEN;
    // The prefix of a data URL has the last three characters.
    let is_base64 = |byte: u8| byte.is_ascii_alphanumeric() || b"+/=-_:;,".contains(&byte);
    let size = |text: &str| {
        if text.len() > MAX_BASE64 && text.bytes().all(is_base64) { MAX_BASE64 } else { text.len() }
    };
    // Each string is a piece, without its quotes.
    item.split('"').map(|text| size(text) + 1).sum()
}

/// The bytes of the text, and the number of images and files.
fn size(content: &Content) -> (usize, usize) {
    let is_media = |part: &&Part| matches!(part, Part::Image { .. } | Part::File { .. } | Part::Other { .. });
    (content.as_str().len(), content.parts().unwrap_or_default().iter().filter(is_media).count())
}
