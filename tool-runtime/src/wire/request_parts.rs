//! The parts of a request that a wire writes.

use super::allowed_tools::AllowedTools;
use super::tool_arrays::{ToolArray, ToolCache, ToolForm};
use super::tool_settings::{NO_SETTINGS, ToolSettings};
use super::{Body, Report, WireError};
use crate::message::Message;
use crate::schema::ToolSchema;
use crate::tool_choice::ToolChoice;
use std::ptr;
use std::sync::Arc;

/// The parts of a request: messages, tools, and how the model may call them.
///
/// [`Request::body`](crate::conversation::Request::body) creates them. A program that keeps its own messages creates them
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
#[must_use = "a wire writes them"]
pub struct RequestParts<'a> {
    /// The messages, system messages included.
    pub messages: &'a [Message],
    /// The tools.
    pub tools: &'a [ToolSchema],
    /// The tools that the model finds with `search_tools` instead of reading them in each request. Only a wire whose setting
    /// `native_tool_search` is on uses them.
    pub deferred_tools: &'a [ToolSchema],
    /// It is used if the tools are still those of the cache.
    pub(crate) cache: Option<ToolCache<'a>>,
    /// The settings of the wire that writes the parts.
    pub(crate) settings: &'a ToolSettings,
    /// Whether the model may, must or must not call a tool.
    pub tool_choice: &'a ToolChoice,
    pub(crate) allowed: AllowedTools<'a>,
    /// Whether the model may call several tools in one reply.
    pub parallel_calls: bool,
    /// Whether a stream reports the tokens that the reply takes, if the API sends them only on request.
    pub stream_usage: bool,
    /// The schema that the final answer must have, which is sent as the response format of the API; `None` for any text. It is
    /// set only if the wire [writes it](super::Wire::writes_response_format).
    pub answer_schema: Option<&'a ToolSchema>,
}

impl<'a> RequestParts<'a> {
    /// These messages, without tools.
    pub fn new(messages: &'a [Message]) -> Self {
        RequestParts {
            messages,
            tools: &[],
            deferred_tools: &[],
            cache: None,
            settings: &NO_SETTINGS,
            tool_choice: &ToolChoice::Auto,
            allowed: AllowedTools::default(),
            parallel_calls: true,
            stream_usage: false,
            answer_schema: None,
        }
    }

    /// Sets the tools.
    pub fn tools(mut self, tools: &'a [ToolSchema]) -> Self {
        self.tools = tools;
        self
    }

    /// Sets the tools that the model finds with `search_tools` instead of reading them in each request. Default: none.
    pub fn deferred_tools(mut self, tools: &'a [ToolSchema]) -> Self {
        self.deferred_tools = tools;
        self
    }

    /// Sets whether the model may, must or must not call a tool.
    pub fn tool_choice(mut self, choice: &'a ToolChoice) -> Self {
        self.tool_choice = choice;
        self
    }

    /// Sets the names of the tools that the model may call. Default: all.
    pub fn allowed_tools(mut self, names: &'a [String]) -> Self {
        self.allowed = AllowedTools { names: Some(names), ..AllowedTools::default() };
        self
    }

    /// Sets whether the model may call several tools in one reply. Default: true.
    pub fn parallel_calls(mut self, parallel: bool) -> Self {
        self.parallel_calls = parallel;
        self
    }

    /// Sets whether a stream reports the tokens that the reply takes. Default: false.
    pub fn stream_usage(mut self, stream_usage: bool) -> Self {
        self.stream_usage = stream_usage;
        self
    }

    /// The names of the tools that the model may call; `None` for all.
    #[must_use]
    pub fn allowed_names(&self) -> Option<impl Iterator<Item = &'a str> + use<'a>> {
        self.allowed.names()
    }

    /// The cached arrays, if the request has exactly their tools.
    fn cache(&self) -> Option<ToolCache<'a>> {
        self.cache.filter(|cache| {
            let has_tools =
                ptr::eq(cache.tools, self.tools) && ptr::eq(cache.deferred_tools, self.deferred_tools);
            has_tools && self.allowed.names.is_none() && self.settings.is_empty()
        })
    }

    /// These parts, with the settings of a wire for their tools.
    pub(super) fn with_settings<'b>(&'b self, settings: &'b ToolSettings) -> RequestParts<'b> {
        RequestParts { settings, ..*self }
    }

    /// These parts, in which the model may call all tools.
    pub(super) fn with_all_tools_allowed(mut self) -> Self {
        self.allowed = AllowedTools::default();
        self
    }

    /// Whether the request has a tool, also one of the provider.
    pub(super) fn has_tools(&self) -> bool {
        self.has_allowed_tools() || self.settings.has_hosted()
    }

    /// Whether the request has a tool that the model may call.
    pub(super) fn has_allowed_tools(&self) -> bool {
        self.allowed().next().is_some()
    }

    /// The tools that the model may call.
    pub(super) fn allowed(&self) -> impl Iterator<Item = &'a ToolSchema> + use<'a> {
        let allowed = self.allowed;
        self.tools.iter().filter(move |tool| allowed.allows(tool.name()))
    }

    /// The deferred tools that the model may call.
    pub(super) fn allowed_deferred(&self) -> impl Iterator<Item = &'a ToolSchema> + use<'a> {
        let allowed = self.allowed;
        self.deferred_tools.iter().filter(move |tool| allowed.allows(tool.name()))
    }

    /// Whether the request can have its tool choice.
    pub(crate) fn has_possible_choice(&self) -> bool {
        match self.tool_choice {
            ToolChoice::Auto | ToolChoice::None => true,
            ToolChoice::Required => self.has_allowed_tools(),
            ToolChoice::Tool(name) => self.allowed().any(|tool| tool.name() == name),
        }
    }

    /// The tool choice of the request. Reports names of allowed tools that no tool has. A choice that the request cannot have
    /// is reported too, and becomes [`ToolChoice::Auto`].
    pub(super) fn choice(&self, report: &mut Report) -> &'a ToolChoice {
        // A request for a summary has no tools, on the same wire.
        let with_settings = self.settings.tool_names().filter(|_| !self.tools.is_empty());
        for name in self.allowed_names().into_iter().flatten().chain(with_settings) {
            if self.tools.iter().chain(self.deferred_tools.iter()).all(|tool| tool.name() != name) {
                report.unknown_tools.push(name.to_owned());
            }
        }
        if self.has_possible_choice() {
            return self.tool_choice;
        }
        report.ignored_choice = Some(self.tool_choice.clone());
        &ToolChoice::Auto
    }

    /// Writes the array of the tools that the model may call. If these are all tools of a registry, the array is cached under
    /// its form; `None` for an array that depends on more than its form. Returns the array and the possible tool choice;
    /// `None` if the request has no tools, since the model may call none or the provider accepts none.
    pub(super) fn write_tools(
        &self,
        body: &mut Body,
        choice: &'a ToolChoice,
        form: Option<ToolForm>,
        make: impl FnOnce(&[&ToolSchema]) -> Result<ToolArray, WireError>,
    ) -> Result<Option<(&'a ToolChoice, Arc<ToolArray>)>, WireError> {
        self.settings.check()?;
        // Servers reject an empty list, and the other fields without tools.
        if !self.has_tools() {
            return Ok(None);
        }
        let make = || make(&self.allowed().collect::<Vec<_>>());
        let array = match self.cache().zip(form) {
            Some((cache, form)) => cache.arrays.get_or_init(form, make)?,
            None => Arc::new(make()?),
        };
        body.report.not_strict_tools.extend_from_slice(&array.not_strict);
        body.report.changed_definitions = Arc::clone(&array.changed);
        body.report.left_out_tools = Arc::clone(&array.left_out);
        let is_possible = match choice {
            ToolChoice::Tool(name) => !array.leaves_out(name),
            ToolChoice::Required => array.has_tools,
            ToolChoice::Auto | ToolChoice::None => true,
        };
        if !is_possible {
            body.report.ignored_choice = Some(choice.clone());
        }
        if !array.has_tools && !self.settings.has_hosted() {
            return Ok(None);
        }
        body.set("tools", Arc::clone(&array.json));
        Ok(Some((if is_possible { choice } else { &ToolChoice::Auto }, array)))
    }
}

#[cfg(test)]
mod tests {
    use super::{Body, RequestParts, ToolCache, ToolForm};
    use crate::schema::{ToolChoice, ToolSchema};
    use crate::wire::body::raw;
    use crate::wire::definitions::{DefinitionRules, WrittenTools};
    use crate::wire::tool_arrays::ToolArrays;
    use serde_json::value::RawValue;

    const RULES: DefinitionRules = DefinitionRules { wire: "wire", rules: &[] };

    /// The tools of a registry.
    fn tools() -> Vec<ToolSchema> {
        let definition = r#"{"type":"function","function":{"name":"now","parameters":{"type":"object"}}}"#;
        vec![serde_json::from_str(definition).expect("a definition")]
    }

    #[test]
    fn an_array_is_cached_for_its_tools_together_with_its_deferred_tools() {
        let (pinned, deferred, other, arrays) = (tools(), tools(), tools(), ToolArrays::default());
        let mut parts = RequestParts::new(&[]);
        (parts.tools, parts.deferred_tools) = (&pinned, &deferred);
        parts.cache = Some(ToolCache { tools: &pinned, deferred_tools: &deferred, arrays: &arrays });
        // The address of an array that is still in use.
        let address = |body: &Body| std::ptr::from_ref::<RawValue>(body.get("tools").expect("an array"));
        let array = |parts: &RequestParts<'_>, is_strict: bool| {
            let (mut body, form) = (Body::new(), ToolForm { wire: "wire", is_strict, ..ToolForm::default() });
            let make = |tools: &[&ToolSchema]| {
                let mut written = WrittenTools::default();
                written.add(tools.iter().copied(), &RULES, None);
                raw(&tools).map(|json| written.into_array(json))
            };
            parts.write_tools(&mut body, &ToolChoice::Auto, Some(form), make).expect("it is written");
            body
        };
        let (first, plain) = (array(&parts, true), array(&parts, false));
        assert_eq!(address(&first), address(&array(&parts, true)));
        assert_ne!(address(&first), address(&plain));
        // A wire that wraps another one has other tools.
        let changed = parts.deferred_tools(&other);
        assert_ne!(address(&first), address(&array(&changed, true)));
        assert_ne!(address(&plain), address(&array(&parts.tools(&other), false)));
    }
}
