//! The wire of Amazon's Converse API: <https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_Converse.html>.

mod cache;
mod event;
mod part;
mod read;
mod reply;
mod tools;
mod write;

use super::{FORMAT, NAME};
use crate::json::replace_lone_surrogates;
use crate::message::{AssistantMessage, Chunk, Message};
use crate::wire::error::WireError;
use crate::wire::tool_settings::ToolSettings;
use crate::wire::{Body, Cache, IdRules, RequestParts, Wire};
use serde_json::Value;

/// The wire of Amazon's Converse API (`POST /model/{model}/converse`, and `/converse-stream` for streams).
///
/// - The model is in the URL. The program adds its settings to the [`Body`] as `inferenceConfig`. It sends the request with an API
///   key of Bedrock (`authorization: Bearer ..`), or signs it (AWS Signature Version 4).
/// - System and developer messages are the field `system`, wherever they are in the conversation.
/// - The blocks of a reply go back unchanged and in their order: reasoning with its signature, and calls of tools that the
///   provider runs itself, which are never [`ToolCall`](crate::ToolCall)s.
/// - All results of a reply are in one user message, before the content of the user, with images and documents. The `status` of
///   a failed call is `error`; others have none, since only some models know it.
/// - Blocks that other parts do not express, such as `cachePoint`, `guardContent` and `video`, go back in messages that were
///   read.
/// - Arguments are objects, so a truncated call may look complete: a call that is the last block of a truncated reply counts as
///   truncated, and does not run.
/// - The API requires the tools of earlier calls: a request without tools has the names of those that its messages call. It
///   cannot forbid calls: [`ToolChoice::None`](crate::schema::ToolChoice::None) is ignored and [reported](Body::report). It has no
///   setting for one call per reply, and a typed answer is a call of a tool.
/// - Definitions are written as Anthropic's models accept them, with other names for property keys that they reject: see
///   [`Anthropic`](crate::wire::Anthropic).
/// - Ids have 1 to 64 letters, digits, `_`, `-`, `.` and `:`; others are replaced in calls and results.
/// - Text of white space and messages without content are left out, adjacent messages of one role are joined, a conversation that
///   starts with a reply and a message of documents alone get a text, and documents get different names, since the API
///   rejects any other form.
/// - Dropped and [reported](Body::report): URLs of images and files other than `s3://`, documents of other types, images in
///   replies, the reasoning of other providers, and reasoning without a signature or at the end of a reply.
///
/// A stream consists of binary frames (`application/vnd.amazon.eventstream`), which the client reads: for example with
/// `MessageFrameDecoder` of the crate [`aws-smithy-eventstream`](https://docs.rs/aws-smithy-eventstream). Pass each frame to
/// [`read_event`](Wire::read_event) as an object with one field. The name of the field is the value of the header `:event-type`, or
/// of `:exception-type` for an error. Its value is the payload of the frame: for example
/// `{"contentBlockDelta":{"contentBlockIndex":0,"delta":{"text":"Hi"}}}`. A stream does not keep the citations and images of a reply.
///
/// ```
/// use std::error::Error;
/// use tool_runtime::session::{RunEnd, Session};
/// use tool_runtime::wire::{Bedrock, Body, Wire};
/// use tool_runtime::{Registry, tools};
///
/// async fn post(path: &str, body: &Body) -> Result<String, Box<dyn Error>> {
///     // the text of the response
/// #     Ok(r#"{"output":{"message":{"role":"assistant","content":[{"text":"Hi!"}]}},"stopReason":"end_turn"}"#.to_owned())
/// }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn Error>> {
/// let registry = Registry::new(tools![])?;
/// let mut session = Session::new().user("Hello!");
/// let end = session
///     .run(&registry)
///     .wire(Bedrock::new())
///     .complete(|request| async move {
///         let response = post("/model/a-model/converse", &request.body()?).await?;
///         Ok::<_, Box<dyn Error>>(Bedrock::new().read_reply(&response)?)
///     })
///     .await?;
/// assert_eq!((end, session.final_text()), (RunEnd::Answered, "Hi!"));
/// # Ok(())
/// # }
/// ```
///
/// The body of a request:
///
/// ```
/// use serde_json::json;
/// use tool_runtime::message::Message;
/// use tool_runtime::wire::{Bedrock, RequestParts, Wire};
///
/// let wire = Bedrock::new();
/// let messages = [Message::system("Be brief."), Message::user("Hello!")];
/// let body = wire.write(&RequestParts::new(&messages))?.with("inferenceConfig", json!({ "maxTokens": 1024 }));
/// assert_eq!(
///     serde_json::to_value(&body)?,
///     json!({
///         "system": [{ "text": "Be brief." }],
///         "messages": [{ "role": "user", "content": [{ "text": "Hello!" }] }],
///         "inferenceConfig": { "maxTokens": 1024 },
///     }),
/// );
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default)]
#[must_use = "it has the settings of a wire"]
pub struct Bedrock {
    cache: Cache,
    tools: ToolSettings,
}

impl Bedrock {
    /// The wire.
    pub fn new() -> Self {
        Bedrock::default()
    }

    /// Adds a tool that the provider runs itself: its entry of `toolConfig.tools`, for example
    /// `{"systemTool": {"name": "nova_grounding"}}`
    /// (<https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_SystemTool.html>). Its calls and results are blocks of
    /// replies, go back as they came, and are never [`ToolCall`](crate::ToolCall)s.
    ///
    /// A value that is not an object is an error of [`write`](Wire::write).
    pub fn hosted_tool(mut self, definition: Value) -> Self {
        self.tools.add_hosted(definition);
        self
    }

    /// Adds fields of the API to the `toolSpec` of a tool, for example `strict`. They replace fields of the same names. A name that
    /// no tool has is in [`Report::unknown_tools`](crate::wire::Report::unknown_tools).
    ///
    /// A value that is not an object is an error of [`write`](Wire::write).
    pub fn definition_fields(mut self, tool: impl Into<String>, fields: Value) -> Self {
        self.tools.add_fields(tool.into(), fields);
        self
    }

    /// Sets the cache points (<https://docs.aws.amazon.com/bedrock/latest/userguide/prompt-caching.html>). Default: none. Models
    /// without a cache reject them.
    pub fn cache(mut self, cache: Cache) -> Self {
        self.cache = cache;
        self
    }
}

/// <https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ToolUseBlock.html>
const ID_RULES: IdRules =
    IdRules { min_bytes: 1, max_bytes: Some(64), punctuation: Some("_-.:"), unique_across_replies: true };

impl Wire for Bedrock {
    fn name(&self) -> &'static str {
        NAME
    }

    fn write(&self, parts: &RequestParts<'_>) -> Result<Body, WireError> {
        let mut body = Body::new();
        let parts = &parts.with_settings(&self.tools);
        write::write(&mut body, parts, self.cache)?;
        tools::write(&mut body, parts, self.cache)?;
        Ok(body)
    }

    fn read_reply(&self, body: &str) -> Result<AssistantMessage, WireError> {
        reply::read(&replace_lone_surrogates(body))
    }

    /// Reads an event: an object with its type as the only field.
    fn read_event(&self, data: &str) -> Chunk {
        event::read(data)
    }

    fn read_messages(&self, body: &str) -> Result<Vec<Message>, WireError> {
        read::messages(&replace_lone_surrogates(body))
    }

    fn id_rules(&self) -> IdRules {
        ID_RULES
    }
}
