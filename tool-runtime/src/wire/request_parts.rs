//! The parts of a request that a wire writes.

use crate::message::Message;
use crate::schema::ToolSchema;
use crate::tool_choice::ToolChoice;

/// The parts of a request: messages, tools, and how the model may call them.
///
/// [`Request::on`](crate::conversation::Request::on) creates them. A program that keeps its own messages creates them
/// itself:
///
/// ```
/// use tool_runtime::message::Message;
/// use tool_runtime::wire::{ChatCompletions, RequestParts, Wire};
///
/// let messages = [Message::user("Hello!")];
/// let body = ChatCompletions::new().write(&RequestParts::new(&messages))?;
/// assert_eq!(serde_json::to_string(&body)?, r#"{"messages":[{"role":"user","content":"Hello!"}]}"#);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct RequestParts<'a> {
    /// The messages, system messages included.
    pub messages: &'a [Message],
    /// The tools.
    pub tools: &'a [ToolSchema],
    /// Whether the model may, must or must not call a tool.
    pub tool_choice: &'a ToolChoice,
    /// The names of the tools that the model may call; `None` for all.
    pub allowed_tools: Option<&'a [String]>,
    /// Whether the model may call several tools in one reply.
    pub parallel_calls: bool,
}

impl<'a> RequestParts<'a> {
    /// These messages, without tools.
    #[must_use]
    pub fn new(messages: &'a [Message]) -> Self {
        RequestParts {
            messages,
            tools: &[],
            tool_choice: &ToolChoice::Auto,
            allowed_tools: None,
            parallel_calls: true,
        }
    }

    /// Sets the tools.
    #[must_use]
    pub fn with_tools(mut self, tools: &'a [ToolSchema]) -> Self {
        self.tools = tools;
        self
    }

    /// Sets whether the model may, must or must not call a tool.
    #[must_use]
    pub fn with_tool_choice(mut self, choice: &'a ToolChoice) -> Self {
        self.tool_choice = choice;
        self
    }

    /// Sets the names of the tools that the model may call; `None` for all.
    #[must_use]
    pub fn with_allowed_tools(mut self, names: Option<&'a [String]>) -> Self {
        self.allowed_tools = names;
        self
    }

    /// Sets whether the model may call several tools in one reply. Default: true.
    #[must_use]
    pub fn with_parallel_calls(mut self, parallel: bool) -> Self {
        self.parallel_calls = parallel;
        self
    }

    /// The tools that the model may call.
    pub(crate) fn allowed(&self) -> impl Iterator<Item = &'a ToolSchema> {
        let names = self.allowed_tools;
        self.tools
            .iter()
            .filter(move |tool| names.is_none_or(|names| names.iter().any(|name| name == tool.name())))
    }
}
