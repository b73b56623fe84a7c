//! The prompts of a server, whose messages functions of the program write.

use super::Server;
use super::contained::Responding;
use super::prompt_messages::PromptMessages;
use crate::message_size::truncated;
use rmcp::model::{ErrorData, GetPromptResult, JsonObject, Prompt};
use serde_json::Value;
use std::collections::BTreeMap;
use std::fmt::{self, Display, Write as _};
use std::sync::Arc;
use tool_runtime::RunContext;

/// The size after which an unknown name is truncated in its error, and the number of prompts that the error names.
const MAX_QUOTED_BYTES: usize = 256;
const MAX_NAMES: usize = 20;

/// A client's request of a prompt, for the function of [`Server::prompt`].
#[derive(Clone)]
pub struct PromptRequest {
    arguments: BTreeMap<String, String>,
    run: RunContext,
}

impl PromptRequest {
    /// The value of an argument. `None` if the client has not sent it; a required argument is there.
    #[must_use]
    pub fn argument(&self, name: &str) -> Option<&str> {
        self.arguments.get(name).map(String::as_str)
    }

    /// The run context of the request, with the [state](RunContext::get) of its user: see [`Server::context_per_request`].
    #[must_use]
    pub fn run_context(&self) -> &RunContext {
        &self.run
    }
}

impl fmt::Debug for PromptRequest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PromptRequest").field("arguments", &self.arguments).finish_non_exhaustive()
    }
}

type WriteMessages = Arc<dyn Fn(PromptRequest) -> Responding<Result<PromptMessages, String>> + Send + Sync>;

/// The prompts, in the order in which the program has added them.
#[derive(Clone, Default)]
pub(super) struct Prompts(Vec<(Prompt, WriteMessages)>);

/// A prompt with the arguments of a client.
pub(super) struct FoundPrompt {
    write: WriteMessages,
    request: PromptRequest,
    description: Option<String>,
}

impl Prompts {
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(super) fn list(&self) -> Vec<Prompt> {
        self.0.iter().map(|(prompt, _)| prompt.clone()).collect()
    }

    pub(super) fn has(&self, name: &str) -> bool {
        self.0.iter().any(|(prompt, _)| prompt.name == name)
    }

    /// The prompt with this name, if no required argument is missing.
    pub(super) fn find(
        &self,
        name: &str,
        arguments: JsonObject,
        run: RunContext,
    ) -> Result<FoundPrompt, ErrorData> {
        let found = self.0.iter().find(|(prompt, _)| prompt.name == name);
        let (prompt, write) = found.ok_or_else(|| self.unknown(name))?;
        let text = |value| match value {
            Value::Null => None,
            Value::String(text) => Some(text),
            other => Some(other.to_string()),
        };
        let arguments: BTreeMap<String, String> =
            arguments.into_iter().filter_map(|(name, value)| Some((name, text(value)?))).collect();
        let required = prompt.arguments.iter().flatten().filter(|argument| argument.required == Some(true));
        let missing: Vec<String> = required
            .filter(|argument| !arguments.contains_key(&argument.name))
            .map(|argument| format!("`{}`", argument.name))
            .collect();
        if !missing.is_empty() {
            let plural = if missing.len() == 1 { "" } else { "s" };
            let text =
                format!("the prompt `{}` needs the argument{plural} {}", prompt.name, missing.join(", "));
            return Err(ErrorData::invalid_params(text, None));
        }
        let request = PromptRequest { arguments, run };
        Ok(FoundPrompt { write: Arc::clone(write), request, description: prompt.description.clone() })
    }

    fn unknown(&self, name: &str) -> ErrorData {
        let mut text = format!("there is no prompt `{}`. Available:", truncated(name, MAX_QUOTED_BYTES));
        for (index, (prompt, _)) in self.0.iter().take(MAX_NAMES).enumerate() {
            // Writing to a string does not fail.
            write!(text, "{} `{}`", if index == 0 { "" } else { "," }, prompt.name).ok();
        }
        text.push_str(if self.0.len() > MAX_NAMES { ", .." } else { "." });
        ErrorData::invalid_params(text, None)
    }
}

impl FoundPrompt {
    pub(super) fn messages(self) -> Responding<Result<GetPromptResult, ErrorData>> {
        Box::pin(async move {
            let messages = (self.write)(self.request).await;
            let messages = messages.map_err(|error| ErrorData::internal_error(error, None))?;
            let mut result = GetPromptResult::new(messages.0);
            result.description = self.description;
            Ok(result)
        })
    }
}

impl Server {
    /// Adds a prompt: a template of messages that a person selects in the client. The function writes the messages with the
    /// arguments of the client. A prompt with the same name is replaced.
    ///
    /// The function returns a text, [`Message`](tool_runtime::message::Message)s or another [`PromptMessages`]. Its errors,
    /// panics and time are limited as those of a [resource](Server::resource). An unknown prompt and a missing required argument
    /// are errors of the protocol, and the function does not run. Every client sees the list of prompts; the function decides by
    /// the [run context](PromptRequest::run_context) who may use one.
    ///
    /// ```
    /// use tool_runtime::{Registry, tools};
    /// use tool_runtime_mcp::rmcp::model::{Prompt, PromptArgument};
    /// use tool_runtime_mcp::serve;
    ///
    /// let order = PromptArgument::new("order").with_description("the number of the order").with_required(true);
    /// let refund = Prompt::new("refund", Some("Write to a customer about a refund."), Some(vec![order]));
    /// let server = serve(Registry::new(tools![])?).prompt(refund, |request| async move {
    ///     let order = request.argument("order").unwrap_or_default();
    ///     Ok::<_, &str>(format!("Write a friendly message about the refund of the order {order}."))
    /// });
    /// # drop(server);
    /// # Ok::<(), tool_runtime::BuildError>(())
    /// ```
    pub fn prompt<F, M, E>(
        mut self,
        prompt: Prompt,
        write: impl Fn(PromptRequest) -> F + Send + Sync + 'static,
    ) -> Self
    where
        F: Future<Output = Result<M, E>> + Send + 'static,
        M: Into<PromptMessages>,
        E: Display,
    {
        let write = Arc::new(write);
        let write: WriteMessages = Arc::new(move |request| {
            let write = Arc::clone(&write);
            // The function itself may panic, and does so in the future then.
            Box::pin(async move { write(request).await.map(Into::into).map_err(|error| error.to_string()) })
        });
        self.info.capabilities.prompts.get_or_insert_default();
        let prompts = &mut Arc::make_mut(&mut self.offers).prompts.0;
        prompts.retain(|(other, _)| other.name != prompt.name);
        prompts.push((prompt, write));
        self
    }
}
