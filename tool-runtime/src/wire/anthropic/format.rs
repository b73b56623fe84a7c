//! The wire of Anthropic's Messages API: <https://docs.anthropic.com/en/api/messages>.

mod cache;
mod client_tools;
mod container;
mod event;
mod part;
mod read;
mod references;
mod reply;
mod tools;
mod write;

use super::{FORMAT, FUNCTIONS, NAME};
use crate::json::replace_lone_surrogates;
use crate::message::{AssistantMessage, Chunk, Message};
use crate::wire::error::WireError;
use crate::wire::response_format::{JsonSchema, WithFormat};
use crate::wire::tool_additions::ToolAdditions;
use crate::wire::tool_settings::ToolSettings;
use crate::wire::{Body, Cache, IdRules, RequestParts, UseResponseFormat, Wire, native_search};
use references::References;
use serde_json::Value;

/// The wire of Anthropic's Messages API (`POST /v1/messages`).
///
/// - The API requires `max_tokens`: the program adds it to the [`Body`], as it adds `model`.
/// - System and developer messages are the field `system`, wherever they are in the conversation. A system message that was
///   read between other messages goes back to its place.
/// - The blocks of a reply go back unchanged and in their order: thinking with its signature, and calls of tools that the
///   provider runs itself, such as web search, which are never [`ToolCall`](crate::ToolCall)s.
/// - A program of the model that calls tools in the provider's code execution (`allowed_callers`) waits for their results: the
///   calls are [`ToolCall`](crate::ToolCall)s, and the request with the results has the `container` of the reply, unless
///   [`Body::with`] sets one.
/// - All results of a reply are in one user message, before the text of the user, with `is_error` and with images and
///   documents.
/// - Arguments are objects, so a truncated call may look complete: a call that is the last block of a truncated reply counts as
///   truncated, and does not run. A call that another block follows is complete, even if that block is empty.
/// - Arguments that are not an object are written as `{"invalid_json": ".."}`. Text of white space, and messages without
///   content, are left out, and adjacent messages of one role are joined, since the API rejects them otherwise.
/// - A conversation with the user that starts with a reply has a text of the user before it.
/// - Dropped and [reported](Body::report), since the API rejects them: files other than PDF and text, images other than JPEG,
///   PNG, GIF and WebP (a text takes their place), images in replies and errors, the reasoning of other providers, thinking
///   without a signature or at the end of a reply, and calls of the provider's own tools without their results.
/// - The API accepts only keys of letters, digits, `_`, `.` and `-`, of at most 64 characters
///   (<https://github.com/anthropics/claude-code/issues/34771>). The definition has a written name in place of any other key:
///   `filter_city_` for `filter[city]`. A name that another key has gets a fingerprint at its end. The names depend on the
///   definition alone.
/// - A registry replaces the written names in the arguments of a call when it first meets the call: in
///   [`dispatch`](crate::Registry::dispatch), [`dispatch_stream`](crate::Registry::dispatch_stream),
///   [`PendingCalls::run`](crate::conversation::PendingCalls::run) or a [session](crate::Session). Approval, hooks, middleware,
///   events, spans and the tool get the tool's keys. [`read_reply`](Wire::read_reply),
///   [`PendingCalls::calls`](crate::conversation::PendingCalls::calls) before a run, the pieces of a streamed call and the
///   provider's blocks have the written names.
/// - Errors, and their [`ArgumentError`](crate::dispatch::ArgumentError)s, have the keys that the model received. Arguments with
///   the tool's own keys are valid too; an object with a key and its written name is an error. In a reply of another provider, a
///   written name has no special meaning. [`dispatch`](crate::Registry::dispatch) and [`call`](crate::Registry::call) do not know
///   the provider: there, a written name is that of the property, also in an object that accepts any keys.
/// - The API requires ids of letters, digits, `_` and `-` that are unique in the conversation; others are replaced in calls
///   and results.
///
/// The loop of a program with its own client, which sends the headers `x-api-key` and `anthropic-version`:
///
/// ```
/// use std::error::Error;
/// use tool_runtime::session::{RunEnd, Session};
/// use tool_runtime::wire::{Anthropic, Body, Wire};
/// use tool_runtime::{Registry, tools};
///
/// async fn post(path: &str, body: &Body) -> Result<String, Box<dyn Error>> {
///     // the text of the response
/// #     Ok(r#"{"type":"message","content":[{"type":"text","text":"Hi!"}],"stop_reason":"end_turn"}"#.to_owned())
/// }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn Error>> {
/// let registry = Registry::new(tools![])?;
/// let mut session = Session::new().user("Hello!");
/// let end = session
///     .run(&registry)
///     .wire(Anthropic::new())
///     .complete(|request| async move {
///         let body = request.body()?.with("model", "a-model").with("max_tokens", 4096);
///         let response = post("/v1/messages", &body).await?;
///         Ok::<_, Box<dyn Error>>(Anthropic::new().read_reply(&response)?)
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
/// use tool_runtime::message::Message;
/// use tool_runtime::wire::{Anthropic, RequestParts, Wire};
///
/// let wire = Anthropic::new();
/// let messages = [Message::system("Be brief."), Message::user("Hello!")];
/// let body = wire.write(&RequestParts::new(&messages))?.with("model", "a-model").with("max_tokens", 1024);
/// let text = |text| serde_json::json!([{ "type": "text", "text": text }]);
/// assert_eq!(
///     serde_json::to_value(&body)?,
///     serde_json::json!({
///         "system": text("Be brief."),
///         "messages": [{ "role": "user", "content": text("Hello!") }],
///         "model": "a-model",
///         "max_tokens": 1024,
///     }),
/// );
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
#[must_use = "it has the settings of a wire"]
pub struct Anthropic {
    strict: bool,
    native_tool_search: bool,
    mid_conversation_changes: bool,
    cache: Cache,
    tools: ToolSettings,
    response_format: UseResponseFormat,
}

impl Default for Anthropic {
    fn default() -> Self {
        Anthropic {
            strict: false,
            native_tool_search: false,
            mid_conversation_changes: false,
            cache: Cache::new(),
            tools: ToolSettings::default(),
            response_format: UseResponseFormat::Always,
        }
    }
}

impl Anthropic {
    /// The wire with its default settings.
    pub fn new() -> Self {
        Anthropic::default()
    }

    /// Whether tools are sent with `strict: true`: the provider makes the model follow the schema. Default: false.
    ///
    /// Limits that the provider does not enforce, such as bounds of numbers, are in the descriptions. A request may have
    /// 20 strict tools, with 24 optional properties and 16 unions together. A tool beyond these limits, or one that cannot
    /// be strict, is sent without `strict`, and [`Body::report`] lists it.
    pub fn strict(mut self, strict: bool) -> Self {
        self.strict = strict;
        self
    }

    /// Whether the model finds the tools of a registry with a search by the API's deferred loading
    /// (<https://platform.claude.com/docs/en/agents-and-tools/tool-use/tool-search-tool>). Default: false.
    ///
    /// The request has the pinned tools, `search_tools`, and each
    /// [deferred tool](crate::wire::RequestParts::deferred_tools) with `"defer_loading": true`. A result of `search_tools` is
    /// written as references, in place of which the API inserts the definitions, and the model calls these tools directly:
    /// the request has no `call_tool`. A reference to a tool that no longer exists is left out. If none is left, a
    /// text asks the model to search again. A result without references is text.
    ///
    /// References of a history that was read are written only to deferred tools of the request. A result without any has its
    /// text. A request without tools keeps them, since the program writes the tools itself.
    ///
    /// The provider bills the definition of a found tool as input, in each request that has its reference. It does not bill
    /// the definitions of other deferred tools, although each request sends them. The API accepts 10,000 tools, and rejects
    /// `cache_control` in a deferred tool. Claude Sonnet 4, Opus 4 and Haiku 4.5 are the first models that support it.
    ///
    /// The field `tools` changes when deferred tools are added or removed. The prompt cache stays valid, since the API
    /// removes their definitions before it computes the key of the cache, and inserts that of a found tool at its
    /// reference
    /// (<https://platform.claude.com/docs/en/agents-and-tools/tool-use/tool-reference#defer_loading-and-prompt-caching>).
    /// If a found tool changes or no longer exists, the messages from its first reference on are not read from the
    /// cache.
    ///
    /// A program that chooses its wire by name creates this wire itself, and gets the others from
    /// [`by_name`](crate::wire::by_name). OpenAI's API has a similar setting,
    /// [`Responses::native_tool_search`](crate::wire::Responses::native_tool_search).
    ///
    /// ```
    /// use tool_runtime::message::Message;
    /// use tool_runtime::wire::{Anthropic, RequestParts, Wire};
    /// use tool_runtime::{Registry, tool, tools};
    ///
    /// /// Finds tools.
    /// #[tool]
    /// fn search_tools(query: &str) {}
    ///
    /// /// The weather of a city.
    /// #[tool]
    /// fn get_weather(city: &str) {}
    ///
    /// let (pinned, others) = (Registry::new(tools![search_tools])?, Registry::new(tools![get_weather])?);
    /// let messages = [Message::user("Is it warm in Paris?")];
    /// let parts =
    ///     RequestParts::new(&messages).tools(pinned.schemas()).deferred_tools(others.schemas());
    /// let body = serde_json::to_value(Anthropic::new().native_tool_search(true).write(&parts)?)?;
    /// assert_eq!(body["tools"][0]["name"], "search_tools");
    /// assert_eq!(body["tools"][1]["name"], "get_weather");
    /// assert_eq!(body["tools"][1]["defer_loading"], true);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn native_tool_search(mut self, native: bool) -> Self {
        self.native_tool_search = native;
        self
    }

    /// Adds a tool that the provider runs itself, such as a web search: its definition in the form of the API
    /// (<https://platform.claude.com/docs/en/agents-and-tools/tool-use/overview>). Its calls and results are blocks of replies, go
    /// back as they came, and are never [`ToolCall`](crate::ToolCall)s.
    ///
    /// A value that is not an object is an error of [`write`](Wire::write).
    ///
    /// ```
    /// use serde_json::json;
    /// use tool_runtime::message::Message;
    /// use tool_runtime::wire::{Anthropic, RequestParts, Wire};
    ///
    /// let search = json!({ "type": "web_search_20250305", "name": "web_search" });
    /// let wire = Anthropic::new().hosted_tool(search);
    /// let body = serde_json::to_value(wire.write(&RequestParts::new(&[Message::user("Any news?")]))?)?;
    /// assert_eq!(body["tools"][0]["name"], "web_search");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn hosted_tool(mut self, definition: Value) -> Self {
        self.tools.add_hosted(definition);
        self
    }

    /// Adds fields of the API to the definition of a tool: for example `input_examples`, `cache_control`,
    /// `eager_input_streaming`, `allowed_callers` or `defer_loading`. They replace fields of the same names. A name that no tool
    /// has is in [`Report::unknown_tools`](crate::wire::Report::unknown_tools).
    ///
    /// A value that is not an object is an error of [`write`](Wire::write).
    ///
    /// ```
    /// use serde_json::json;
    /// use tool_runtime::wire::Anthropic;
    ///
    /// let wire = Anthropic::new()
    ///     .definition_fields("get_weather", json!({ "input_examples": [{ "city": "Rome" }] }));
    /// ```
    pub fn definition_fields(mut self, tool: impl Into<String>, fields: Value) -> Self {
        self.tools.add_fields(tool.into(), fields);
        self
    }

    /// Sends the provider's definition in place of that of a tool of the registry, which runs its calls: Anthropic's `bash`,
    /// `memory`, text editor and computer. The tool has the parameters that the provider documents; its calls are validated,
    /// approved and limited like any other. Replies must be read with the same setting.
    ///
    /// A value that is not an object is an error of [`write`](Wire::write).
    ///
    /// ```
    /// use serde_json::json;
    /// use tool_runtime::wire::{Anthropic, Wire};
    ///
    /// let editor = json!({ "type": "text_editor_20250728", "name": "str_replace_based_edit_tool" });
    /// let wire = Anthropic::new().client_tool(editor, "edit_file");
    ///
    /// let block = r#"{"type":"tool_use","id":"a","name":"str_replace_based_edit_tool","input":{"command":"view","path":"/a"}}"#;
    /// let reply = wire.read_reply(&format!(r#"{{"content":[{block}],"stop_reason":"tool_use"}}"#))?;
    /// assert_eq!(reply.tool_calls[0].name, "edit_file");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn client_tool(mut self, definition: Value, tool: impl Into<String>) -> Self {
        self.tools.add_client_tool(definition, tool.into());
        self
    }

    /// Whether system and developer messages after the start of the conversation are written at their place, with the definitions of
    /// the tools that they [add](crate::message::Message::added_tools)
    /// (<https://platform.claude.com/docs/en/build-with-claude/mid-conversation-system-messages>). Default: false. They are in the
    /// field `system` then, and the tools in the field `tools`, so each new one invalidates the prompt cache.
    ///
    /// Claude Opus 4.8 is the first model that supports it. Definitions need the header `anthropic-beta: inline-tools-2026-09-15`.
    pub fn mid_conversation_changes(mut self, in_place: bool) -> Self {
        self.mid_conversation_changes = in_place;
        self
    }

    /// Sets the breakpoints of the prompt cache
    /// (<https://platform.claude.com/docs/en/build-with-claude/prompt-caching>). Default: none, so the provider caches nothing.
    pub fn cache(mut self, cache: Cache) -> Self {
        self.cache = cache;
        self
    }

    /// Sets the requests in which a typed answer ([`Run::answer_as`](crate::session::Run::answer_as)) uses the response format
    /// of the API, `output_config.format` (<https://platform.claude.com/docs/en/build-with-claude/structured-outputs>). Default:
    /// [`Always`](UseResponseFormat::Always).
    ///
    /// A type without a [strict schema](crate::ToolSchema::anthropic_strict) uses a tool in any case. Models without structured
    /// outputs need [`Never`](UseResponseFormat::Never). [`Body::with`]`("output_config", ..)` adds other settings, and keeps
    /// the format.
    pub fn response_format(mut self, response_format: UseResponseFormat) -> Self {
        self.response_format = response_format;
        self
    }
}

impl Wire for Anthropic {
    fn name(&self) -> &'static str {
        NAME
    }

    fn write(&self, parts: &RequestParts<'_>) -> Result<Body, WireError> {
        let mut body = Body::new();
        let parts = &parts.with_settings(&self.tools);
        let has_native_search = self.native_tool_search && native_search::applies_to(parts);
        let references = References::new(parts, has_native_search);
        let additions = ToolAdditions::new(parts, self.mid_conversation_changes);
        write::write(&mut body, parts, self, references.as_ref(), &additions)?;
        tools::write(&mut body, parts, self, has_native_search, &additions)?;
        cache::write(&mut body, self.cache)?;
        container::write(&mut body, parts.messages)?;
        if let Some(form) = parts.answer_schema.and_then(|answer| answer.anthropic_strict().ok()) {
            let (r#type, schema) = (Some("json_schema"), &*form.parameters);
            let format = JsonSchema { r#type, name: None, strict: None, schema };
            body.write_shared("output_config", &WithFormat { format })?;
        }
        Ok(body)
    }

    fn read_reply(&self, body: &str) -> Result<AssistantMessage, WireError> {
        reply::read(&replace_lone_surrogates(body), &self.tools)
    }

    fn read_event(&self, data: &str) -> Chunk {
        event::read(data, &self.tools)
    }

    fn read_messages(&self, body: &str) -> Result<Vec<Message>, WireError> {
        read::messages(&replace_lone_surrogates(body), &self.tools)
    }

    fn writes_response_format(&self, parts: &RequestParts<'_>) -> bool {
        let is_strict = parts.answer_schema.is_some_and(|answer| answer.anthropic_strict().is_ok());
        is_strict && self.response_format.applies_to(parts)
    }

    fn id_rules(&self) -> IdRules {
        // "messages.1.content.0.tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'", and "`tool_use` ids must be
        // unique".
        IdRules { punctuation: Some("_-"), unique_across_replies: true, ..IdRules::default() }
    }
}
