//! The wire of the Gemini API: <https://ai.google.dev/api/generate-content>.

mod event;
mod item;
mod part;
mod read;
mod reply;
mod result;
mod tools;
mod write;

use super::{FORMAT, FUNCTIONS, MAX_TOOLS, NAME, SKIP_VALIDATION, names};
use crate::json::replace_lone_surrogates;
use crate::message::{AssistantMessage, Chunk, Message};
use crate::wire::element::Element;
use crate::wire::error::WireError;
use crate::wire::tool_settings::ToolSettings;
use crate::wire::{Body, RequestParts, UseResponseFormat, Wire};
use serde_json::Value;
use std::borrow::Cow;

/// The wire of the Gemini API (`POST /v1beta/models/{model}:generateContent`, and `:streamGenerateContent?alt=sse` for
/// streams).
///
/// - The model is in the URL. The program adds its settings to the [`Body`] as `generationConfig`.
/// - System and developer messages are the `systemInstruction`, wherever they are in the conversation.
/// - The parts of a reply go back unchanged and in their order, with their thought signatures, which Gemini 3 requires. The
///   first call of a reply that does not come from Gemini, or was changed, gets the signature
///   `skip_thought_signature_validator` instead, which the documentation has for such calls.
/// - Most calls have no id. They get one when a reply is read, and a request contains only those of Gemini.
/// - A conversation that starts with a reply gets the user text `.` before it, since the API rejects it otherwise.
/// - All results of a reply are in one user content, in the order of the calls: as `output`, or as `error` if
///   the call failed. Their images and files are in the user content after it, since older models accept no others.
/// - The schemas of tools are JSON Schema (`parametersJsonSchema`). A property that refers to its own type is not
///   `required` in the request, since the API rejects required cycles; the tool still rejects calls without it.
/// - The API has no setting for one call per reply: [`RequestParts::parallel_calls`] has no effect.
/// - A name that starts with a digit or `-`, which the API rejects, gets the prefix `n_` in requests. The
///   API limits names to 64 bytes, so such a name may have 62.
/// - Arguments are objects, so a truncated call may look complete: a call that is the last part of a truncated reply counts as
///   truncated, and does not run. An empty text after it does not count, since the API ends replies with one.
/// - A reply that calls an undeclared tool is complete: the result is an error that the model reads. If there are
///   several candidates, the first is read. The reply to a blocked request is truncated, and
///   [`refusal`](AssistantMessage::refusal) is the reason.
/// - Dropped and [reported](Body::report): images in replies and in system messages, the items and the reasoning of other
///   providers, and parts that the API does not have. Empty text is left out.
/// - Arguments that arrive in pieces (`streamFunctionCallArguments`) are not supported, and interrupt the reply.
///
/// The loop of a program with its own client, which sends the header `x-goog-api-key`. For a stream, read the data of each
/// server-sent event with [`read_event`](Wire::read_event), and return the chunks to
/// [`Run::stream`](crate::session::Run::stream).
///
/// ```
/// use std::error::Error;
/// use tool_runtime::session::{RunEnd, Session};
/// use tool_runtime::wire::{Body, Gemini, Wire};
/// use tool_runtime::{Registry, tools};
///
/// async fn post(path: &str, body: &Body) -> Result<String, Box<dyn Error>> {
///     // the text of the response
/// #     Ok(r#"{"candidates":[{"content":{"role":"model","parts":[{"text":"Hi!"}]},"finishReason":"STOP"}]}"#.to_owned())
/// }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn Error>> {
/// let registry = Registry::new(tools![])?;
/// let mut session = Session::new().user("Hello!");
/// let end = session
///     .run(&registry)
///     .wire(Gemini::new())
///     .complete(|request| async move {
///         let body = request.body()?;
///         let response = post("/v1beta/models/a-model:generateContent", &body).await?;
///         Ok::<_, Box<dyn Error>>(Gemini::new().read_reply(&response)?)
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
/// use tool_runtime::wire::{Gemini, RequestParts, Wire};
///
/// let wire = Gemini::new();
/// let messages = [Message::system("Be brief."), Message::user("Hello!")];
/// let body = wire.write(&RequestParts::new(&messages))?.with("generationConfig", json!({ "maxOutputTokens": 1024 }));
/// assert_eq!(
///     serde_json::to_value(&body)?,
///     json!({
///         "systemInstruction": { "parts": [{ "text": "Be brief." }] },
///         "contents": [{ "role": "user", "parts": [{ "text": "Hello!" }] }],
///         "generationConfig": { "maxOutputTokens": 1024 },
///     }),
/// );
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
#[must_use = "it has the settings of a wire"]
pub struct Gemini {
    strict: bool,
    tools: ToolSettings,
    response_format: UseResponseFormat,
}

impl Default for Gemini {
    fn default() -> Self {
        Gemini {
            strict: false,
            tools: ToolSettings::default(),
            response_format: UseResponseFormat::WithoutTools,
        }
    }
}

impl Gemini {
    /// The wire with its default settings.
    pub fn new() -> Self {
        Gemini::default()
    }

    /// Whether calls follow the schemas even if the model is free to reply with text (mode `VALIDATED`). If the model must
    /// call a tool, they always do. Default: false.
    ///
    /// ```
    /// use tool_runtime::wire::{Gemini, RequestParts, Wire};
    /// use tool_runtime::{Registry, tools};
    ///
    /// /// The time of day.
    /// #[tool_runtime::tool]
    /// fn now() -> &'static str {
    ///     "12:00"
    /// }
    ///
    /// let registry = Registry::new(tools![now])?;
    /// let parts = RequestParts::new(&[]).tools(registry.schemas());
    /// let body = Gemini::new().strict(true).write(&parts)?;
    /// let config = body.get("toolConfig").map(|config| config.get());
    /// assert_eq!(config, Some(r#"{"functionCallingConfig":{"mode":"VALIDATED"}}"#));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn strict(mut self, strict: bool) -> Self {
        self.strict = strict;
        self
    }

    /// Adds a tool that the provider runs itself, such as a search: its definition in the form of the API
    /// (<https://ai.google.dev/gemini-api/docs/tools>). Its calls and results are parts of replies, go
    /// back as they came, and are never [`ToolCall`](crate::ToolCall)s.
    ///
    /// Models that combine such tools with functions need `includeServerSideToolInvocations`
    /// (<https://ai.google.dev/gemini-api/docs/tool-combination>): [`Body::with`]`("toolConfig", ..)` adds it to the tool choice.
    ///
    /// A value that is not an object is an error of [`write`](Wire::write).
    ///
    /// ```
    /// use serde_json::json;
    /// use tool_runtime::message::Message;
    /// use tool_runtime::wire::{Gemini, RequestParts, Wire};
    ///
    /// let wire = Gemini::new().hosted_tool(json!({ "googleSearch": {} }));
    /// let body = serde_json::to_value(wire.write(&RequestParts::new(&[Message::user("Any news?")]))?)?;
    /// assert_eq!(body["tools"], json!([{ "googleSearch": {} }]));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
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
    /// of the API, `responseJsonSchema` (<https://ai.google.dev/gemini-api/docs/structured-output>). Default:
    /// [`WithoutTools`](UseResponseFormat::WithoutTools).
    ///
    /// Models before Gemini 3 reject it together with tools ("Function calling with a response mime type: 'application/json' is
    /// unsupported"); for newer ones, set [`Always`](UseResponseFormat::Always). [`Body::with`]`("generationConfig", ..)` adds other
    /// settings, and keeps the format.
    pub fn response_format(mut self, response_format: UseResponseFormat) -> Self {
        self.response_format = response_format;
        self
    }
}

impl Wire for Gemini {
    fn name(&self) -> &'static str {
        NAME
    }

    fn write(&self, parts: &RequestParts<'_>) -> Result<Body, WireError> {
        let mut body = Body::new();
        write::write(&mut body, parts.messages)?;
        tools::write(&mut body, &parts.with_settings(&self.tools), self.strict)?;
        if let Some(answer) = parts.answer_schema {
            let written = answer.written(NAME, FUNCTIONS.rules);
            let schema = Element::Raw(Cow::Borrowed(written.parameters(answer)));
            // https://ai.google.dev/api/generate-content#generationconfig
            let config = [("responseMimeType", "application/json".into()), ("responseJsonSchema", schema)];
            body.write_shared("generationConfig", &Element::object(config)?)?;
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
