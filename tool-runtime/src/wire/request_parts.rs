//! The parts of a request that a wire writes.

use super::tool_arrays::{SearchForm, ToolArray, ToolArrays, ToolForm};
use super::{Report, WireError};
use crate::message::Message;
use crate::schema::ToolSchema;
use crate::tool_choice::ToolChoice;
#[cfg(feature = "responses")]
use crate::tool_name::CALL_TOOL;
#[cfg(any(feature = "anthropic", feature = "responses"))]
use crate::tool_name::SEARCH_TOOLS;
use std::sync::Arc;

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
    /// The tools that the model finds with `search_tools` instead of reading them in each request. Only a wire whose
    /// setting `native_tool_search` is on uses them.
    pub deferred_tools: &'a [ToolSchema],
    /// Whether the model may, must or must not call a tool.
    pub tool_choice: &'a ToolChoice,
    /// The names of the tools that the model may call; `None` for all.
    pub allowed_tools: Option<&'a [String]>,
    /// Whether the model may call several tools in one reply.
    pub parallel_calls: bool,
    /// Whether a stream reports the tokens that the reply takes, if the API sends them only on request.
    pub stream_usage: bool,
    /// The schema that the final answer must have, which is sent as the response format of the API; `None` for any text. It is
    /// set only if the wire [writes it](super::Wire::writes_response_format).
    pub answer_schema: Option<&'a ToolSchema>,
    /// The tools with cached arrays. A wire that wraps another one may set other tools.
    cached: Option<Cached<'a>>,
}

/// The cached arrays of these tools.
#[derive(Clone, Copy, Debug)]
struct Cached<'a> {
    tools: &'a [ToolSchema],
    deferred_tools: &'a [ToolSchema],
    arrays: &'a ToolArrays,
}

impl<'a> RequestParts<'a> {
    /// These messages, without tools.
    #[must_use]
    pub fn new(messages: &'a [Message]) -> Self {
        RequestParts {
            messages,
            tools: &[],
            deferred_tools: &[],
            tool_choice: &ToolChoice::Auto,
            allowed_tools: None,
            parallel_calls: true,
            stream_usage: false,
            answer_schema: None,
            cached: None,
        }
    }

    /// Sets the tools.
    #[must_use]
    pub fn with_tools(mut self, tools: &'a [ToolSchema]) -> Self {
        (self.tools, self.cached) = (tools, None);
        self
    }

    /// Sets the tools and the deferred tools, with the cache of their arrays.
    pub(crate) fn with_cached_tools(
        mut self,
        tools: &'a [ToolSchema],
        deferred_tools: &'a [ToolSchema],
        arrays: &'a ToolArrays,
    ) -> Self {
        (self.tools, self.deferred_tools) = (tools, deferred_tools);
        self.cached = Some(Cached { tools, deferred_tools, arrays });
        self
    }

    /// Sets the tools that the model finds with `search_tools` instead of reading them in each request. Default: none.
    #[must_use]
    pub fn with_deferred_tools(mut self, tools: &'a [ToolSchema]) -> Self {
        self.deferred_tools = tools;
        self
    }

    /// Sets whether the model may, must or must not call a tool.
    #[must_use]
    pub fn with_tool_choice(mut self, choice: &'a ToolChoice) -> Self {
        self.tool_choice = choice;
        self
    }

    /// Sets the names of the tools that the model may call. Default: all.
    #[must_use]
    pub fn with_allowed_tools(mut self, names: &'a [String]) -> Self {
        self.allowed_tools = Some(names);
        self
    }

    /// Sets whether the model may call several tools in one reply. Default: true.
    #[must_use]
    pub fn with_parallel_calls(mut self, parallel: bool) -> Self {
        self.parallel_calls = parallel;
        self
    }

    /// Sets whether a stream reports the tokens that the reply takes. Default: false.
    #[must_use]
    pub fn with_stream_usage(mut self, stream_usage: bool) -> Self {
        self.stream_usage = stream_usage;
        self
    }

    /// Whether the model may call any tool of this list.
    pub(super) fn has_allowed_tools(&self) -> bool {
        self.allowed().next().is_some()
    }

    /// The tools that the model may call.
    pub(super) fn allowed(&self) -> impl Iterator<Item = &'a ToolSchema> {
        let names = self.allowed_tools;
        let is_allowed =
            move |tool: &&ToolSchema| names.is_none_or(|names| names.iter().any(|name| name == tool.name()));
        self.tools.iter().filter(is_allowed)
    }

    /// Whether the request can have its tool choice.
    pub(crate) fn has_possible_choice(&self) -> bool {
        match self.tool_choice {
            ToolChoice::Auto | ToolChoice::None => true,
            ToolChoice::Required => self.has_allowed_tools(),
            ToolChoice::Tool(name) => self.allowed().any(|tool| tool.name() == name),
        }
    }

    /// The tool choice of the request. One that the request cannot have becomes [`ToolChoice::Auto`], and is reported, and
    /// so are names of allowed tools that no tool has.
    pub(super) fn choice(&self, report: &mut Report) -> &'a ToolChoice {
        for name in self.allowed_tools.unwrap_or_default() {
            if self.tools.iter().chain(self.deferred_tools).all(|tool| tool.name() != name) {
                report.unknown_tools.push(name.clone());
            }
        }
        if self.has_possible_choice() {
            return self.tool_choice;
        }
        report.ignored_choice = Some(self.tool_choice.clone());
        &ToolChoice::Auto
    }

    /// How the model finds the deferred tools, on a wire with a native search: with `search_tools`, which the request must
    /// have.
    #[cfg(any(feature = "anthropic", feature = "responses"))]
    pub(super) fn native_search(&self, has_all_tools: bool) -> SearchForm {
        let can_search = self.listed(has_all_tools).iter().any(|tool| tool.name() == SEARCH_TOOLS);
        if !can_search || self.listed_deferred(has_all_tools).next().is_none() {
            return SearchForm::Tools;
        }
        SearchForm::Native { has_call_tool: false }
    }

    /// Whether any message calls `call_tool`.
    #[cfg(feature = "responses")]
    pub(super) fn has_call_of_call_tool(&self) -> bool {
        self.messages.iter().any(|message| match message {
            Message::Assistant(reply) => reply.tool_calls.iter().any(|call| call.name == CALL_TOOL),
            _ => false,
        })
    }

    /// The tool choice, or `Auto` if it names one of these tools, which the array of a native search does not have.
    #[cfg(any(feature = "anthropic", feature = "responses"))]
    pub(super) fn choice_without<'c>(
        choice: &'c ToolChoice,
        missing: &[&str],
        report: &mut Report,
    ) -> &'c ToolChoice {
        match choice {
            ToolChoice::Tool(name) if missing.contains(&&**name) => {
                report.ignored_choice = Some(choice.clone());
                &ToolChoice::Auto
            }
            choice => choice,
        }
    }

    /// The array of all tools, which is cached, or of those that the model may call.
    pub(super) fn tool_array(
        &self,
        has_all_tools: bool,
        form: ToolForm,
        make: impl Fn(&[&ToolSchema]) -> Result<ToolArray, WireError>,
    ) -> Result<Arc<ToolArray>, WireError> {
        match self.cached {
            Some(cached) if has_all_tools && self.are_cached(&cached, form) => {
                cached.arrays.get_or_init(form, || make(&self.listed(has_all_tools)))
            }
            _ => self.uncached_tool_array(has_all_tools, make),
        }
    }

    /// The array of all tools, or of those that the model may call.
    pub(super) fn uncached_tool_array(
        &self,
        has_all_tools: bool,
        make: impl Fn(&[&ToolSchema]) -> Result<ToolArray, WireError>,
    ) -> Result<Arc<ToolArray>, WireError> {
        make(&self.listed(has_all_tools)).map(Arc::new)
    }

    /// Whether the arrays are those of the tools of these parts.
    fn are_cached(&self, cached: &Cached<'_>, form: ToolForm) -> bool {
        let has_same_deferred_tools = std::ptr::eq(cached.deferred_tools, self.deferred_tools);
        std::ptr::eq(cached.tools, self.tools)
            && (has_same_deferred_tools || form.search == SearchForm::Tools)
    }

    fn listed(&self, has_all_tools: bool) -> Vec<&'a ToolSchema> {
        if has_all_tools { self.tools.iter().collect() } else { self.allowed().collect() }
    }

    /// The deferred tools, or those that the model may call.
    #[cfg(any(feature = "anthropic", feature = "responses"))]
    pub(super) fn listed_deferred(&self, has_all_tools: bool) -> impl Iterator<Item = &'a ToolSchema> {
        let names = self.allowed_tools.filter(|_| !has_all_tools);
        let is_listed =
            move |tool: &&ToolSchema| names.is_none_or(|names| names.iter().any(|name| name == tool.name()));
        self.deferred_tools.iter().filter(is_listed)
    }
}

#[cfg(test)]
mod tests {
    use super::{RequestParts, SearchForm, ToolArray, ToolArrays, ToolForm};
    use crate::schema::ToolSchema;
    use std::sync::Arc;

    /// The tools of a registry.
    fn tools() -> Vec<ToolSchema> {
        let definition = r#"{"type":"function","function":{"name":"now","parameters":{"type":"object"}}}"#;
        vec![serde_json::from_str(definition).expect("a definition")]
    }

    #[test]
    fn an_array_is_cached_for_its_tools_together_with_its_deferred_tools() {
        let (pinned, deferred, other, arrays) = (tools(), tools(), tools(), ToolArrays::default());
        let parts = RequestParts::new(&[]).with_cached_tools(&pinned, &deferred, &arrays);
        let array = |parts: &RequestParts<'_>, search: SearchForm| {
            let form = ToolForm { wire: "wire", is_strict: false, search };
            parts.tool_array(true, form, |tools| ToolArray::new(tools, Vec::new())).expect("it is written")
        };
        let native = SearchForm::Native { has_call_tool: false };
        let (first, plain) = (array(&parts, native), array(&parts, SearchForm::Tools));
        assert!(Arc::ptr_eq(&first, &array(&parts, native)));
        assert!(!Arc::ptr_eq(&first, &plain));
        assert!(!Arc::ptr_eq(&first, &array(&parts, SearchForm::Native { has_call_tool: true })));
        // A wire that wraps another one has other tools.
        let changed = parts.with_deferred_tools(&other);
        assert!(!Arc::ptr_eq(&first, &array(&changed, native)));
        assert!(Arc::ptr_eq(&plain, &array(&changed, SearchForm::Tools)));
        assert!(!Arc::ptr_eq(&plain, &array(&parts.with_tools(&other), SearchForm::Tools)));
    }
}
