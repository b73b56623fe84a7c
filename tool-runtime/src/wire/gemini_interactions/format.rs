//! The wire of Gemini's Interactions API: <https://ai.google.dev/api/interactions-api>.

mod content;
mod event;
mod read;
mod reply;
mod step;
mod tools;
mod write;

use super::definitions::FUNCTIONS;
use super::{FORMAT, NAME};
use crate::json::replace_lone_surrogates;
use crate::message::{AssistantMessage, Chunk, Message};
use crate::wire::element::Element;
use crate::wire::error::WireError;
use crate::wire::gemini::{MAX_TOOLS, SKIP_VALIDATION, names};
use crate::wire::tool_settings::ToolSettings;
use crate::wire::{Body, RequestParts, UseResponseFormat, Wire};
use serde_json::Value;
use std::borrow::Cow;

/// The wire of Gemini's Interactions API (`POST /v1beta/interactions`), which Google recommends in place of `generateContent`.
///
/// - The program adds `model` and, for a stream, `stream`. It sends the headers `x-goog-api-key` and
///   `Api-Revision: 2026-05-20`, since earlier revisions of the API have other fields.
/// - System and developer messages are the `system_instruction`, wherever they are in the conversation. All other messages,
///   calls and results are steps of `input`.
/// - The steps of a reply go back unchanged and in their order: thoughts with their signatures, and steps of tools that the
///   provider runs itself, which are never [`ToolCall`](crate::ToolCall)s. A reply that does not come from this API gets a thought
///   with the signature `skip_thought_signature_validator` before its first call, since the API rejects a call without a thought.
/// - A stream does not keep the annotations of texts.
/// - Results have `is_error`, and images and files. A JSON object is sent as an object, anything else as text or a list of
///   contents.
/// - Arguments are objects, so a truncated call may look complete: a call that is the last step of a truncated reply counts as
///   truncated, and does not run.
/// - Definitions, and the prefix `n_` of names, are those of [`Gemini`](crate::wire::Gemini). The API has no setting for one call
///   per reply: [`RequestParts::parallel_calls`] has no effect.
/// - Dropped and [reported](Body::report): images in replies and in system messages, the steps and the reasoning of other
///   providers, and parts that the API does not have. Empty text is left out.
///
/// The loop of a program with its own client. For a stream, read the data of each server-sent event with
/// [`read_event`](Wire::read_event), and return the chunks to [`Run::stream`](crate::session::Run::stream).
///
/// ```
/// use std::error::Error;
/// use tool_runtime::session::{RunEnd, Session};
/// use tool_runtime::wire::{Body, GeminiInteractions, Wire};
/// use tool_runtime::{Registry, tools};
///
/// async fn post(path: &str, body: &Body) -> Result<String, Box<dyn Error>> {
///     // the text of the response
/// #     Ok(r#"{"status":"completed","steps":[{"type":"model_output","content":[{"type":"text","text":"Hi!"}]}]}"#.to_owned())
/// }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn Error>> {
/// let registry = Registry::new(tools![])?;
/// let mut session = Session::new().user("Hello!");
/// let end = session
///     .run(&registry)
///     .wire(GeminiInteractions::new())
///     .complete(|request| async move {
///         let body = request.body()?.with("model", "a-model");
///         let response = post("/v1beta/interactions", &body).await?;
///         Ok::<_, Box<dyn Error>>(GeminiInteractions::new().read_reply(&response)?)
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
/// use tool_runtime::wire::{GeminiInteractions, RequestParts, Wire};
///
/// let wire = GeminiInteractions::new().store(false);
/// let messages = [Message::system("Be brief."), Message::user("Hello!")];
/// let body = wire.write(&RequestParts::new(&messages))?.with("model", "a-model");
/// assert_eq!(
///     serde_json::to_value(&body)?,
///     json!({
///         "system_instruction": "Be brief.",
///         "input": [{ "type": "user_input", "content": [{ "type": "text", "text": "Hello!" }] }],
///         "store": false,
///         "model": "a-model",
///     }),
/// );
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
#[must_use = "it has the settings of a wire"]
pub struct GeminiInteractions {
    store: bool,
    previous_interaction: bool,
    strict: bool,
    tools: ToolSettings,
    response_format: UseResponseFormat,
}

impl Default for GeminiInteractions {
    fn default() -> Self {
        GeminiInteractions {
            store: true,
            previous_interaction: false,
            strict: false,
            tools: ToolSettings::default(),
            response_format: UseResponseFormat::WithoutTools,
        }
    }
}

impl GeminiInteractions {
    /// The wire with its default settings.
    pub fn new() -> Self {
        GeminiInteractions::default()
    }

    /// Whether the provider stores interactions. Default: true, which is the API's default, so the request omits the field. If
    /// false, the request has `"store": false` and all messages.
    pub fn store(mut self, store: bool) -> Self {
        self.store = store;
        self
    }

    /// Whether a request names the newest interaction in `previous_interaction_id`, and contains only the messages after it, the
    /// system instruction and the tools. Default: false.
    ///
    /// The provider continues its own copy of the conversation, so a change of earlier messages has no effect. Without an
    /// interaction to continue, and if nothing is [stored](GeminiInteractions::store), the request contains all messages.
    pub fn previous_interaction(mut self, previous_interaction: bool) -> Self {
        self.previous_interaction = previous_interaction;
        self
    }

    /// Whether calls follow the schemas even if the model is free to reply with text (the tool choice `validated`). If the model
    /// must call a tool, they always do. Default: false.
    pub fn strict(mut self, strict: bool) -> Self {
        self.strict = strict;
        self
    }

    /// Adds a tool that the provider runs itself, such as a search: its definition in the form of the API
    /// (<https://ai.google.dev/gemini-api/docs/interactions>). Its calls and results are steps of replies, go
    /// back as they came, and are never [`ToolCall`](crate::ToolCall)s.
    ///
    /// A value that is not an object is an error of [`write`](Wire::write).
    pub fn hosted_tool(mut self, definition: Value) -> Self {
        self.tools.add_hosted(definition);
        self
    }

    /// Adds fields of the API to the definition of a tool. They replace fields of the same names. A name that
    /// no tool has is in [`Report::unknown_tools`](crate::wire::Report::unknown_tools).
    ///
    /// A value that is not an object is an error of [`write`](Wire::write).
    pub fn definition_fields(mut self, tool: impl Into<String>, fields: Value) -> Self {
        self.tools.add_fields(tool.into(), fields);
        self
    }

    /// Sets the requests in which a typed answer ([`Run::answer_as`](crate::session::Run::answer_as)) uses the response format
    /// of the API, `response_format` (<https://ai.google.dev/gemini-api/docs/interactions/structured-output>). Default:
    /// [`WithoutTools`](UseResponseFormat::WithoutTools): models before Gemini 3 reject it together with tools.
    pub fn response_format(mut self, response_format: UseResponseFormat) -> Self {
        self.response_format = response_format;
        self
    }
}

impl Wire for GeminiInteractions {
    fn name(&self) -> &'static str {
        NAME
    }

    fn write(&self, parts: &RequestParts<'_>) -> Result<Body, WireError> {
        let mut body = Body::new();
        write::write(&mut body, self, parts.messages)?;
        if !self.store {
            body.write("store", &false)?;
        }
        tools::write(&mut body, &parts.with_settings(&self.tools), self.strict)?;
        if let Some(answer) = parts.answer_schema {
            let written = answer.written(NAME, FUNCTIONS.rules);
            let schema = ("schema", Element::Raw(Cow::Borrowed(written.parameters(answer))));
            let format = [("type", "text".into()), ("mime_type", "application/json".into()), schema];
            body.write("response_format", &Element::object(format)?)?;
        }
        Ok(body)
    }

    fn read_reply(&self, body: &str) -> Result<AssistantMessage, WireError> {
        reply::read(&replace_lone_surrogates(body))
    }

    fn read_event(&self, data: &str) -> Chunk {
        event::read(data)
    }

    fn read_messages(&self, body: &str) -> Result<Vec<Message>, WireError> {
        read::messages(&replace_lone_surrogates(body))
    }

    fn writes_response_format(&self, parts: &RequestParts<'_>) -> bool {
        self.response_format.applies_to(parts)
    }
}
