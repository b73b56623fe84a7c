//! The wire of OpenAI's Responses API: <https://platform.openai.com/docs/api-reference/responses>.

mod custom_tool;
mod event;
mod item;
mod item_head;
mod part;
mod provider_calls;
mod read;
mod reply;
mod search_item;
mod tool_search;
mod tools;
mod write;

use super::{FORMAT, NAME};
use crate::json::replace_lone_surrogates;
use crate::message::{AssistantMessage, Chunk, Message};
use crate::wire::error::WireError;
use crate::wire::response_format::{JsonSchema, WithFormat};
use crate::wire::tool_additions::ToolAdditions;
use crate::wire::tool_settings::ToolSettings;
use crate::wire::{Body, IdRules, RequestParts, UseResponseFormat, Wire};
use custom_tool::CustomTools;
use serde_json::{Value, json};
use tools::Tools;

/// The wire of OpenAI's Responses API (`POST /v1/responses`). Azure, xAI and others also serve it.
///
/// - A system message at the start is the field `instructions`. All other messages, calls and results are items of `input`.
/// - The items of a reply go back unchanged and in their order: reasoning, and calls of tools that the provider runs
///   itself, such as web search, which are never [`ToolCall`](crate::ToolCall)s. Reasoning goes back only with the item that
///   follows it, since the API rejects it alone.
/// - Calls and results are paired by `call_id`. The results have text, images and files; the format has no field for
///   errors, whose text starts with `Error: `.
/// - A search for tools that the program runs (`tool_search_call` with `execution: client`) is a call of `search_tools`, and
///   its result has the definitions of the tools that it found: see
///   [`native_tool_search`](Responses::native_tool_search). The provider's own searches are items.
/// - Arguments that are not an object are written as `{"invalid_json": ".."}`.
/// - Dropped and [reported](Body::report): the reasoning and the items of other providers, images in replies, and reasoning
///   whose item changed.
/// - The API requires ids of at most 64 bytes that are unique in the conversation; others are replaced in calls and results.
///
/// The body of a request:
///
/// ```
/// use tool_runtime::message::Message;
/// use tool_runtime::wire::{RequestParts, Responses, Wire};
///
/// let wire = Responses::new();
/// let messages = [Message::system("Be brief."), Message::user("Hello!")];
/// let body = wire.write(&RequestParts::new(&messages))?.with("model", "a-model");
/// assert_eq!(
///     serde_json::to_value(&body)?,
///     serde_json::json!({
///         "instructions": "Be brief.",
///         "input": [{ "role": "user", "content": "Hello!" }],
///         "model": "a-model",
///     }),
/// );
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// The loop of a program with its own client. For a stream, add the field `stream`, read the data of each server-sent event
/// with
/// [`read_event`](Wire::read_event), and return the chunks to [`Run::stream`](crate::session::Run::stream).
///
/// ```
/// use std::error::Error;
/// use tool_runtime::session::{RunEnd, Session};
/// use tool_runtime::wire::{Body, Responses, Wire};
/// use tool_runtime::{Registry, tools};
///
/// async fn post(path: &str, body: &Body) -> Result<String, Box<dyn Error>> {
///     // the text of the response
/// #     Ok(r#"{"status":"completed","output":[{"type":"message","role":"assistant","content":[{"type":"output_text","text":"Hi!"}]}]}"#.to_owned())
/// }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn Error>> {
/// let registry = Registry::new(tools![])?;
/// let mut session = Session::new().user("Hello!");
/// let end = session
///     .run(&registry)
///     .wire(Responses::new())
///     .complete(|request| async move {
///         let body = request.body()?.with("model", "a-model");
///         let response = post("/v1/responses", &body).await?;
///         Ok::<_, Box<dyn Error>>(Responses::new().read_reply(&response)?)
///     })
///     .await?;
/// assert_eq!((end, session.final_text()), (RunEnd::Answered, "Hi!"));
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "these settings are independent")]
#[must_use = "it has the settings of a wire"]
pub struct Responses {
    store: bool,
    previous_response: bool,
    strict: bool,
    native_allowed_tools: bool,
    native_tool_search: bool,
    mid_conversation_changes: bool,
    output_schemas: bool,
    custom_tools: CustomTools,
    tools: ToolSettings,
    response_format: UseResponseFormat,
}

impl Default for Responses {
    fn default() -> Self {
        Responses {
            store: true,
            previous_response: false,
            strict: false,
            native_allowed_tools: false,
            native_tool_search: false,
            mid_conversation_changes: false,
            output_schemas: false,
            custom_tools: CustomTools::default(),
            tools: ToolSettings::default(),
            response_format: UseResponseFormat::Always,
        }
    }
}

impl Responses {
    /// The wire with its default settings.
    pub fn new() -> Self {
        Responses::default()
    }

    /// Whether the provider stores responses. Default: true, which is the API's default, so the request omits the field.
    ///
    /// If false, the request has `"store": false` and `"include": ["reasoning.encrypted_content"]`, and its items have no
    /// ids, since the provider rejects ids that it did not store ("Item with id 'rs_..' not found"). Reasoning without
    /// `encrypted_content` is dropped and reported. Models without reasoning reject this `include` ("Encrypted content is not
    /// supported with this model"): remove it with [`Body::without`].
    ///
    /// Set it to false for conversations that are continued after the provider's time of storage, for organisations with
    /// zero data retention, and for conversations that continue on another server with this API.
    pub fn store(mut self, store: bool) -> Self {
        self.store = store;
        self
    }

    /// Whether a request names the newest response in `previous_response_id`, and contains only the messages after it.
    /// Default: false.
    ///
    /// The provider continues its own copy of the conversation, so a change of earlier messages has no effect. Without a
    /// response to continue, and if nothing is [stored](Responses::store), the request contains all messages.
    pub fn previous_response(mut self, previous_response: bool) -> Self {
        self.previous_response = previous_response;
        self
    }

    /// Whether tools are sent with `strict: true`: the server makes the model follow the schema
    /// (<https://platform.openai.com/docs/guides/structured-outputs#supported-schemas>). Default: false, which is sent too,
    /// since the server makes tools strict otherwise.
    ///
    /// Every property is required, and the model sends null for an absent argument. `read_reply` and
    /// `read_event` mark all calls that they read, so that a dispatch reads a null for an optional argument as absent. A
    /// tool that cannot be strict, such as one that takes a map with any keys, is sent with `strict: false`, and
    /// [`Body::report`] lists it.
    pub fn strict(mut self, strict: bool) -> Self {
        self.strict = strict;
        self
    }

    /// Whether the tools that the model may call are sent as OpenAI's `allowed_tools`, which keeps the list of tools
    /// constant for the prompt cache. Default: false, which sends only these tools, since some servers do not know
    /// `allowed_tools`.
    ///
    /// `allowed_tools` names tools of the list only. If the model may call deferred tools, a request with the
    /// [search of the API](Responses::native_tool_search) has only the tools that it may call.
    pub fn native_allowed_tools(mut self, native: bool) -> Self {
        self.native_allowed_tools = native;
        self
    }

    /// Sends a tool as a custom tool: the model writes free text, such as code, instead of JSON
    /// (<https://platform.openai.com/docs/guides/function-calling#custom-tools>). `parameter` is the only parameter of the
    /// tool, a string. A tool with other parameters is sent as a function, and [`Body::report`] lists it.
    ///
    /// Replies must be read with the same setting. In a stream, the text arrives as a whole.
    ///
    /// ```
    /// use tool_runtime::wire::{Responses, Wire};
    /// use tool_runtime::{Conversation, Registry, tool, tools};
    ///
    /// /// Runs an SQL query.
    /// #[tool]
    /// fn run_sql(query: &str) {}
    ///
    /// let wire = Responses::new().custom_tool("run_sql", "query");
    /// let registry = Registry::new(tools![run_sql])?;
    /// let body = Conversation::new().user("How many users?").request(&registry).wire(wire.clone()).body()?;
    /// assert!(serde_json::to_string(&body)?.contains(r#"{"type":"custom","name":"run_sql""#));
    ///
    /// let item = r#"{"type":"custom_tool_call","call_id":"call_1","name":"run_sql","input":"SELECT 1"}"#;
    /// let reply = wire.read_reply(&format!(r#"{{"status":"completed","output":[{item}]}}"#))?;
    /// assert_eq!(reply.tool_calls[0].arguments, r#"{"query":"SELECT 1"}"#);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn custom_tool(mut self, name: impl Into<String>, parameter: impl Into<String>) -> Self {
        self.custom_tools.0.insert(name.into(), parameter.into());
        self
    }

    /// Whether the model finds the tools of a registry with the search of the API
    /// (<https://developers.openai.com/api/docs/guides/tools-tool-search>), which the program runs. Default: false.
    ///
    /// The request has the pinned tools and a `tool_search` with the parameters of `search_tools`, and none of the
    /// [deferred tools](crate::wire::RequestParts::deferred_tools). A search is a [`ToolCall`](crate::ToolCall) of
    /// `search_tools`. Its result is written as the definitions of the tools that it found and that still exist, and the
    /// model calls these tools directly: the request has no `call_tool`, unless an earlier message calls it. A call of a
    /// found tool has the namespace that the API gave it, or the name of the tool if it comes from another API.
    ///
    /// A request without that search, because the setting is off, the model may not call `search_tools` or there are no
    /// deferred tools, has earlier searches as calls of the function `search_tools`, with the texts of their results.
    ///
    /// A result is definitions only. A search that found nothing or failed has none, and [`Body::report`] lists its text as
    /// dropped.
    ///
    /// The provider bills the definitions of found tools as input, in each request after the search that found them, at the
    /// price of cached tokens while its prompt cache holds. Tools that were not found cost nothing. GPT-5.4 is the first
    /// model that supports it.
    ///
    /// A program that chooses its wire by name creates this wire itself, and gets the others from
    /// [`by_name`](crate::wire::by_name). Anthropic's API has a similar setting,
    /// [`Anthropic::native_tool_search`](crate::wire::Anthropic::native_tool_search).
    ///
    /// ```
    /// use tool_runtime::message::Message;
    /// use tool_runtime::wire::{RequestParts, Responses, Wire};
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
    /// let wire = Responses::new().native_tool_search(true);
    /// let body = serde_json::to_value(wire.write(&parts)?)?;
    /// assert_eq!(body["tools"].as_array().map(Vec::len), Some(1));
    /// assert_eq!(body["tools"][0]["type"], "tool_search");
    ///
    /// let item = r#"{"type":"tool_search_call","call_id":"call_1","execution":"client","arguments":{"query":"weather"}}"#;
    /// let reply = wire.read_reply(&format!(r#"{{"status":"completed","output":[{item}]}}"#))?;
    /// assert_eq!(reply.tool_calls[0].name, "search_tools");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn native_tool_search(mut self, native: bool) -> Self {
        self.native_tool_search = native;
        self
    }

    /// Whether the definition of a tool has the schema of its result, if the tool declares one
    /// ([`#[tool(output_schema)]`](macro@crate::tool#options)). Default: false, since some servers do not know the field. A program of
    /// the model ([`allowed_callers`](Responses::definition_fields)) reads results by it
    /// (<https://developers.openai.com/api/docs/guides/tools-programmatic-tool-calling>).
    pub fn output_schemas(mut self, output_schemas: bool) -> Self {
        self.output_schemas = output_schemas;
        self
    }

    /// Whether the tools that a message [adds](crate::message::Message::added_tools) to the conversation are written at its place, as
    /// an item `additional_tools`. Default: false. They are in the field `tools` then, so each new one invalidates the prompt cache.
    /// GPT-5.6 is the first model that supports it.
    pub fn mid_conversation_changes(mut self, in_place: bool) -> Self {
        self.mid_conversation_changes = in_place;
        self
    }

    /// The parts with the tools that the request has: all, or those that the model may call.
    fn sent_tools<'a>(&self, parts: &RequestParts<'a>) -> RequestParts<'a> {
        let is_deferred = |name| parts.deferred_tools.iter().any(|tool| tool.name() == name);
        // The API has no way to allow a tool that a search loads: a tool choice names tools of the request.
        let has_deferred = || parts.allowed_names().is_some_and(|mut names| names.any(is_deferred));
        if self.native_allowed_tools && !(self.native_tool_search && has_deferred()) {
            parts.with_all_tools_allowed()
        } else {
            *parts
        }
    }

    /// Adds a tool that the provider runs itself, such as a web search or a remote MCP server: its definition in the form of the API
    /// (<https://platform.openai.com/docs/guides/tools>). Its calls and results are items of replies, go
    /// back as they came, and are never [`ToolCall`](crate::ToolCall)s.
    ///
    /// A value that is not an object is an error of [`write`](Wire::write).
    pub fn hosted_tool(mut self, definition: Value) -> Self {
        self.tools.add_hosted(definition);
        self
    }

    /// Sends the provider's definition in place of that of a tool of the registry, which runs its calls: OpenAI's `shell` (with a
    /// local environment), `apply_patch` and `computer`. Its calls are validated, approved and limited like any other. Replies must
    /// be read with the same setting.
    ///
    /// | definition | arguments | result |
    /// | --- | --- | --- |
    /// | `shell` | `commands`, `timeout_ms`, `max_output_length` | outputs in the form of the API (`stdout`, `stderr`, `outcome`), or text |
    /// | `apply_patch` | `type`, `path`, `diff` | text |
    /// | `computer` | `actions`, `pending_safety_checks` | an image; without one, an empty picture, which the API requires, and the text as a message of the user |
    ///
    /// A call with `pending_safety_checks` needs an approval, and its result acknowledges them. A shell that runs in an environment of
    /// the provider is a [hosted tool](Responses::hosted_tool).
    ///
    /// A value that is not an object is an error of [`write`](Wire::write).
    ///
    /// ```
    /// use serde_json::json;
    /// use tool_runtime::wire::{Responses, Wire};
    ///
    /// let shell = json!({ "type": "shell", "environment": { "type": "local" } });
    /// let wire = Responses::new().client_tool(shell, "run_commands");
    /// let item = r#"{"type":"shell_call","call_id":"call_1","action":{"commands":["ls"]},"status":"completed"}"#;
    /// let reply = wire.read_reply(&format!(r#"{{"status":"completed","output":[{item}]}}"#))?;
    /// assert_eq!(reply.tool_calls[0].name, "run_commands");
    /// assert_eq!(reply.tool_calls[0].arguments, r#"{"commands":["ls"]}"#);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn client_tool(mut self, definition: Value, tool: impl Into<String>) -> Self {
        self.tools.add_client_tool(definition, tool.into());
        self
    }

    /// Adds fields of the API to the definition of a tool: for example `allowed_callers`,
    /// `defer_loading` or `output_schema`. They replace fields of the same names. A name that
    /// no tool has is in [`Report::unknown_tools`](crate::wire::Report::unknown_tools).
    ///
    /// A value that is not an object is an error of [`write`](Wire::write).
    pub fn definition_fields(mut self, tool: impl Into<String>, fields: Value) -> Self {
        self.tools.add_fields(tool.into(), fields);
        self
    }

    /// Sets the requests in which a typed answer ([`Run::answer_as`](crate::session::Run::answer_as)) uses the response format
    /// of the API, `text.format` (<https://platform.openai.com/docs/guides/structured-outputs>). Default:
    /// [`Always`](UseResponseFormat::Always).
    ///
    /// OpenAI accepts it together with tools. On vLLM, a model then calls no tool: set
    /// [`WithoutTools`](UseResponseFormat::WithoutTools). [`Body::with`]`("text", ..)` adds other settings, and keeps the format.
    pub fn response_format(mut self, response_format: UseResponseFormat) -> Self {
        self.response_format = response_format;
        self
    }
}

impl Wire for Responses {
    fn name(&self) -> &'static str {
        NAME
    }

    fn write(&self, parts: &RequestParts<'_>) -> Result<Body, WireError> {
        let mut body = Body::new();
        let parts = &parts.with_settings(&self.tools);
        let sent = self.sent_tools(parts);
        let replaced = tool_search::replaced_functions(self, &sent);
        let additions = ToolAdditions::new(&sent, self.mid_conversation_changes);
        write::write(&mut body, self, &sent, !replaced.is_empty(), &additions)?;
        if !self.store {
            body.write("store", &false)?;
            body.write("include", &json!(["reasoning.encrypted_content"]))?;
        }
        tools::write(
            &mut body,
            Tools { callable: parts, sent: &sent, replaced, additions: &additions },
            self,
        )?;
        if let Some(answer) = parts.answer_schema {
            let schema = JsonSchema::openai(answer, &mut body.report);
            let format = JsonSchema { r#type: Some("json_schema"), ..schema };
            body.write_shared("text", &WithFormat { format })?;
        }
        Ok(body)
    }

    fn read_reply(&self, body: &str) -> Result<AssistantMessage, WireError> {
        let reply = reply::read(&replace_lone_surrogates(body), self)?;
        Ok(reply.with_null_is_absent(self.strict))
    }

    fn read_event(&self, data: &str) -> Chunk {
        event::read(data, self).with_null_is_absent(self.strict)
    }

    fn read_messages(&self, body: &str) -> Result<Vec<Message>, WireError> {
        read::messages(&replace_lone_surrogates(body), self)
    }

    fn writes_response_format(&self, parts: &RequestParts<'_>) -> bool {
        self.response_format.applies_to(parts)
    }

    fn id_rules(&self) -> IdRules {
        // <https://platform.openai.com/docs/api-reference/responses/create#responses-create-input>: "call_id", 1 to 64
        // characters.
        IdRules { min_bytes: 1, max_bytes: Some(64), unique_across_replies: true, ..IdRules::default() }
    }
}
