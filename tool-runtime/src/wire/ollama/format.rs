//! The wire of Ollama's own API: <https://docs.ollama.com/api/chat>.

mod event;
mod message;
mod read;
mod reply;
mod write;

use super::definitions::FUNCTIONS;
use super::{FORMAT, NAME};
use crate::json::replace_lone_surrogates;
use crate::message::{AssistantMessage, Chunk, Message};
use crate::schema::ToolSchema;
use crate::tool_choice::ToolChoice;
use crate::wire::body::raw;
use crate::wire::chat_completions::ToolDefinition;
use crate::wire::definitions::WrittenTools;
use crate::wire::tool_arrays::{ToolArray, ToolForm};
use crate::wire::{Body, IdRules, RequestParts, UseResponseFormat, Wire, WireError};

/// The API has none.
const RULES: IdRules =
    IdRules { min_bytes: 1, max_bytes: None, punctuation: None, unique_across_replies: false };

/// The wire of Ollama's own API (`POST /api/chat`). Ollama also has Chat Completions under `/v1`, for which
/// [`ChatCompletions`](crate::wire::ChatCompletions) is the wire.
///
/// - The server streams unless the program adds `"stream": false` to the [`Body`]. A stream is not made of server-sent events:
///   each of its lines is one event for [`read_event`](Wire::read_event).
/// - The arguments of calls are objects, and results have the name of their tool. Most calls of a reply have no id; they get one
///   when the reply is read.
/// - The text of reasoning is `thinking`, and always goes back. This includes the text of a reply that came over Chat
///   Completions.
/// - Images are in the field `images` of their message, without their types. Those of results follow in one user message after
///   the last result of a reply, with a notice such as `[image: image/png]` in the result.
/// - The API has no tool choice: any other than [`Auto`](crate::ToolChoice::Auto) is ignored and
///   [reported](crate::wire::Report::ignored_choice). It has no setting for one call per reply either:
///   [`RequestParts::parallel_calls`] has no effect.
/// - Developer messages are system messages.
/// - Dropped and [reported](Body::report): images with an address, files, reasoning of other providers that is not text, such as
///   `reasoning_details`, and their items.
///
/// The loop of a program with its own client:
///
/// ```
/// use std::error::Error;
/// use tool_runtime::session::{RunEnd, Session};
/// use tool_runtime::wire::{Body, Ollama, Wire};
/// use tool_runtime::{Registry, tools};
///
/// async fn post(path: &str, body: &Body) -> Result<String, Box<dyn Error>> {
///     // the text of the response
/// #     Ok(r#"{"message":{"role":"assistant","content":"Hi!"},"done":true,"done_reason":"stop"}"#.to_owned())
/// }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn Error>> {
/// let registry = Registry::new(tools![])?;
/// let mut session = Session::new().user("Hello!");
/// let end = session
///     .run(&registry)
///     .wire(Ollama::new())
///     .complete(|request| async move {
///         let body = request.body()?.with("model", "qwen3").with("stream", false);
///         let response = post("/api/chat", &body).await?;
///         Ok::<_, Box<dyn Error>>(Ollama::new().read_reply(&response)?)
///     })
///     .await?;
/// assert_eq!((end, session.final_text()), (RunEnd::Answered, "Hi!"));
/// # Ok(())
/// # }
/// ```
///
/// A stream:
///
/// ```
/// use tool_runtime::stream::ReplyAssembler;
/// use tool_runtime::wire::Ollama;
///
/// let body = r#"{"message":{"content":"","tool_calls":[{"function":{"name":"now","arguments":{}}}]},"done":false}
/// {"message":{"content":""},"done":true,"done_reason":"stop","prompt_eval_count":9,"eval_count":3}
/// "#;
/// let mut reply = ReplyAssembler::new().wire(Ollama::new());
/// for line in body.lines() {
///     reply.push(line);
/// }
/// assert_eq!(reply.into_reply()?.tool_calls[0].name, "now");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
#[must_use = "it has the settings of a wire"]
pub struct Ollama {
    response_format: UseResponseFormat,
}

impl Default for Ollama {
    fn default() -> Self {
        Ollama { response_format: UseResponseFormat::WithoutTools }
    }
}

impl Ollama {
    /// The wire with its default settings.
    pub fn new() -> Self {
        Ollama::default()
    }

    /// Sets the requests in which a typed answer ([`Run::answer_as`](crate::session::Run::answer_as)) uses the response format
    /// of the API, `format` (<https://docs.ollama.com/capabilities/structured-outputs>). Default:
    /// [`WithoutTools`](UseResponseFormat::WithoutTools), since the server makes the whole text follow the schema, and a call of
    /// a tool is text too.
    pub fn response_format(mut self, response_format: UseResponseFormat) -> Self {
        self.response_format = response_format;
        self
    }
}

impl Wire for Ollama {
    fn name(&self) -> &'static str {
        NAME
    }

    fn write(&self, parts: &RequestParts<'_>) -> Result<Body, WireError> {
        let mut body = Body::new();
        let messages = write::write(parts.messages, &mut body.report)?;
        body.write("messages", &messages)?;
        write_tools(&mut body, parts)?;
        if let Some(answer) = parts.answer_schema {
            body.write("format", &answer.parameters())?;
        }
        Ok(body)
    }

    fn read_reply(&self, body: &str) -> Result<AssistantMessage, WireError> {
        reply::read(&replace_lone_surrogates(body))
    }

    /// Reads one line of a stream.
    fn read_event(&self, data: &str) -> Chunk {
        event::read(data)
    }

    fn read_messages(&self, body: &str) -> Result<Vec<Message>, WireError> {
        read::messages(&replace_lone_surrogates(body))
    }

    fn writes_response_format(&self, parts: &RequestParts<'_>) -> bool {
        self.response_format.applies_to(parts)
    }

    fn id_rules(&self) -> IdRules {
        RULES
    }
}

/// Writes the tools, whose definitions are those of Chat Completions.
fn write_tools(body: &mut Body, parts: &RequestParts<'_>) -> Result<(), WireError> {
    let choice = parts.choice(&mut body.report);
    if *choice != ToolChoice::Auto {
        (body.report.ignored_choice, body.report.has_no_choice) = (Some(choice.clone()), true);
    }
    let form = ToolForm { wire: NAME, ..ToolForm::default() };
    parts.write_tools(body, &ToolChoice::Auto, Some(form), tool_array)?;
    Ok(())
}

fn tool_array(tools: &[&ToolSchema]) -> Result<ToolArray, WireError> {
    let mut written = WrittenTools::default();
    written.add(tools.iter().copied(), &FUNCTIONS, None);
    let definitions = written.tools.iter().map(|(tool, written)| ToolDefinition::new((tool, written), None));
    let json = raw(&definitions.collect::<Vec<_>>())?;
    Ok(written.into_array(json))
}
