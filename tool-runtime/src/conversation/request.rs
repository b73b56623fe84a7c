//! Requests to a server.

use super::{AnswerTool, Conversation};
use crate::history::{TrimBudget, trim};
use crate::message::Message;
use crate::registry::Registry;
use crate::tool_choice::ToolChoice;
use crate::wire::{AllowedTools, Body, ChatCompletions, RequestParts, Wire, WireError};
use serde::ser::Error as _;
use serde::{Serialize, Serializer};
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

/// The parts of a request that come from a conversation and a registry: messages, tools, and how the model may call them.
///
/// [`body`](Request::body) and `Serialize` write them in the format of the [wire](Request::wire), which is
/// [`ChatCompletions`](crate::wire::ChatCompletions) by default: a map with `messages`, `tools` and `tool_choice`, to which
/// [`Body::with`] or `#[serde(flatten)]` adds the fields of the program. Fields that servers reject are left out:
/// empty `tools`, and `tool_choice` without tools. A request owns its data, and a clone copies no message.
///
/// ```
/// use serde::Serialize;
/// use tool_runtime::conversation::Request;
/// use tool_runtime::{Conversation, Registry, tool, tools};
///
/// #[derive(Serialize)]
/// struct Body<'a> {
///     model: &'a str,
///     temperature: f32,
///     #[serde(flatten)]
///     request: Request,
/// }
///
/// /// The time of day.
/// #[tool]
/// fn now() {}
///
/// let registry = Registry::new(tools![now])?;
/// let chat = Conversation::new().user("What time is it?");
/// let request = chat.request(&registry).tool_choice(registry.tool_choice("now")?);
/// let body = serde_json::to_value(Body { model: "a-model", temperature: 0.0, request })?;
/// assert_eq!(body["messages"][0]["role"], "user");
/// assert_eq!(body["tools"][0]["function"]["name"], "now");
/// assert_eq!(body["tool_choice"]["function"]["name"], "now");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Request {
    messages: Arc<Vec<Message>>,
    registry: Registry,
    tool_choice: ToolChoice,
    pub(crate) allowed_tools: Option<Arc<[String]>>,
    parallel_calls: bool,
    stream_usage: bool,
    answer: Option<Arc<AnswerTool>>,
    pub(crate) wire: Arc<dyn Wire>,
    retry_listener: Option<RetryListener>,
}

/// An attempt that failed: see [`Request::report_retry`].
pub(crate) struct Retry {
    pub(crate) attempt: u32,
    pub(crate) error: String,
    pub(crate) delay: Duration,
}

#[derive(Clone)]
struct RetryListener(Arc<dyn Fn(Retry) + Send + Sync>);

impl fmt::Debug for RetryListener {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("RetryListener")
    }
}

impl Conversation {
    /// Creates a request for the next reply, with all tools of the registry; see [`subset`](Registry::subset) for
    /// fewer.
    #[must_use]
    pub fn request(&self, registry: &Registry) -> Request {
        Request {
            messages: Arc::clone(&self.messages),
            registry: registry.clone(),
            tool_choice: ToolChoice::Auto,
            allowed_tools: None,
            parallel_calls: true,
            stream_usage: false,
            answer: None,
            wire: Arc::new(ChatCompletions::new()),
            retry_listener: None,
        }
    }
}

impl Request {
    /// Sets whether the model may, must or must not call a tool; [`ToolChoice::Auto`] by default. The server applies
    /// the choice: if the model calls a tool in spite of it, the call runs.
    ///
    /// A choice that the request cannot have, since it has no such tool or the API has no tool choice, becomes `Auto`;
    /// [`Report::ignored_choice`](crate::wire::Report::ignored_choice) contains it.
    /// [`Registry::tool_choice`] returns an error for a tool that does not exist.
    #[must_use]
    pub fn tool_choice(mut self, choice: ToolChoice) -> Self {
        self.tool_choice = match choice {
            ToolChoice::Tool(name) => ToolChoice::Tool(self.new_name(name)),
            choice => choice,
        };
        self
    }

    /// Sets the tools that the model may call in this reply, by name. Default: all. The request contains only these tools.
    /// With [`native_allowed_tools`](ChatCompletions::native_allowed_tools), it contains all tools and OpenAI's
    /// `allowed_tools`, which keeps the prompt cache valid. With an empty list, it contains no tools.
    ///
    /// With a search (`RegistryBuilder::search`), list the tools that it may find: `search_tools` and `call_tool` follow from
    /// them.
    ///
    /// If the model calls another tool nevertheless, the call runs, unless
    /// [`RunContext::allowed_tools`](crate::RunContext::allowed_tools) does not allow it. In a run of a
    /// [`Session`](crate::Session), both apply.
    ///
    /// A name that no tool has is ignored; [`Report::unknown_tools`](crate::wire::Report::unknown_tools) contains it.
    ///
    /// ```
    /// use tool_runtime::{Conversation, Registry, tool, tools};
    ///
    /// /// The time of day.
    /// #[tool]
    /// fn now() {}
    ///
    /// /// Today's date.
    /// #[tool]
    /// fn today() {}
    ///
    /// let registry = Registry::new(tools![now, today])?;
    /// let request = Conversation::new().user("What time is it?").request(&registry).allowed_tools(["now"]);
    /// assert!(!serde_json::to_string(&request)?.contains("today"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn allowed_tools<N: Into<String>>(mut self, names: impl IntoIterator<Item = N>) -> Self {
        self.allowed_tools = Some(names.into_iter().map(|name| self.new_name(name.into())).collect());
        self
    }

    /// The name of the tool in the request, which [`rename_invalid_names`](crate::RegistryBuilder::rename_invalid_names) may
    /// have changed.
    fn new_name(&self, name: String) -> String {
        self.registry.tool(&name).map_or(name, |tool| tool.schema.name().to_owned())
    }

    /// Sets whether the model may call several tools in one reply. Default: true.
    #[must_use]
    pub fn parallel_calls(mut self, parallel: bool) -> Self {
        self.parallel_calls = parallel;
        self
    }

    /// Sets whether the request asks a stream for the tokens that the reply takes: `stream_options.include_usage` on Chat
    /// Completions, which is valid only together with `"stream": true`. Other APIs always send them. Default: false;
    /// [`Run::stream`](crate::session::Run::stream) sets it.
    #[must_use]
    pub fn stream_usage(mut self, stream_usage: bool) -> Self {
        self.stream_usage = stream_usage;
        self
    }

    /// Trims the messages of this request to a [budget](TrimBudget). The conversation keeps all messages.
    ///
    /// ```
    /// use tool_runtime::history::TrimBudget;
    /// use tool_runtime::{Conversation, Registry, tools};
    ///
    /// let chat = Conversation::new().system("Be brief.").user("One?").assistant("One.").user("Two?");
    /// let request = chat.request(&Registry::new(tools![])?).trim(&TrimBudget::max_messages(2));
    /// assert_eq!(request.messages().len(), 2);
    /// assert_eq!(chat.messages().len(), 4);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn trim(mut self, budget: &TrimBudget<'_>) -> Self {
        self.messages = Arc::new(trim(self.messages.to_vec(), budget).0);
        self
    }

    /// Sets the wire that writes the request. Default: that of the [run](crate::session::Run::wire), otherwise
    /// [`ChatCompletions`].
    #[must_use]
    pub fn wire(mut self, wire: impl Wire + 'static) -> Self {
        self.wire = Arc::new(wire);
        self
    }

    /// Asks for a typed answer.
    pub(crate) fn with_answer(mut self, answer: Arc<AnswerTool>) -> Self {
        self.answer = Some(answer);
        self
    }

    /// Reports that the client sends the request again after this delay: the listener of the run receives
    /// [`Event::RequestRetried`](crate::session::Event::RequestRetried). `attempt` is the number of the failed attempt; the first
    /// one is 1. Without a run that has a listener, it does nothing.
    ///
    /// ```
    /// use std::time::Duration;
    /// use tool_runtime::session::Event;
    /// use tool_runtime::{AssistantMessage, Registry, Session, tools};
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let registry = Registry::new(tools![])?;
    /// let mut session = Session::new().user("Hello!");
    /// let mut retries = 0;
    /// let run = session.run(&registry).on_event(|event| retries += usize::from(matches!(event, Event::RequestRetried { .. })));
    /// let end = run.complete(|request| async move {
    ///     request.report_retry(1, "status 503", Duration::from_secs(2));
    ///     Ok::<_, std::io::Error>(AssistantMessage::from_text("Hi!"))
    /// });
    /// let _ = end.await?;
    /// assert_eq!(retries, 1);
    /// # Ok(())
    /// # }
    /// ```
    pub fn report_retry(&self, attempt: u32, error: impl fmt::Display, delay: Duration) {
        if let Some(RetryListener(listener)) = &self.retry_listener {
            listener(Retry { attempt, error: error.to_string(), delay });
        }
    }

    pub(crate) fn on_retry(mut self, listener: impl Fn(Retry) + Send + Sync + 'static) -> Self {
        self.retry_listener = Some(RetryListener(Arc::new(listener)));
        self
    }

    /// Writes the request in the format of its wire. `Serialize` does the same; a [`Body`] also has a
    /// [report](Body::report), and takes further fields.
    ///
    /// # Errors
    ///
    /// A part of the request cannot be written as JSON.
    pub fn body(&self) -> Result<Body, WireError> {
        self.wire.write(&self.parts())
    }

    /// The parts that the wire writes.
    fn parts(&self) -> RequestParts<'_> {
        let names = self.allowed_tools.as_deref();
        let has_search = names.is_some_and(|names| names.iter().any(|name| self.registry.is_deferred(name)));
        let parts = RequestParts {
            tools: self.registry.schemas(),
            deferred_tools: self.registry.deferred_schemas(),
            cache: Some(self.registry.tool_cache()),
            tool_choice: &self.tool_choice,
            allowed: AllowedTools { names, has_search, answer: None },
            parallel_calls: self.parallel_calls,
            stream_usage: self.stream_usage,
            answer_schema: self.answer.as_ref().map(|answer| &answer.schema),
            ..RequestParts::new(&self.messages)
        };
        match &self.answer {
            Some(answer) if !self.wire.writes_response_format(&parts) => answer.add_to(parts),
            _ => parts,
        }
    }

    /// The tool choice, and whether the request can have it.
    pub(crate) fn choice(&self) -> (&ToolChoice, bool) {
        (&self.tool_choice, self.parts().has_possible_choice())
    }

    /// The messages.
    #[must_use]
    pub fn messages(&self) -> &[Message] {
        &self.messages
    }
}

impl Serialize for Request {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.body().map_err(S::Error::custom)?.serialize(serializer)
    }
}
