//! Values that a server suggests for the arguments of prompts and the variables of resource templates.

use super::Server;
use super::contained::Responding;
use crate::message_size::MAX_URI_BYTES;
use rmcp::model::{CompleteRequestParams, CompleteResult, CompletionInfo, Reference};
use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;
use tool_runtime::RunContext;

/// The values of an argument: see [`Server::completion`].
#[derive(Clone)]
pub struct Completion(Source);

#[derive(Clone)]
enum Source {
    /// The values in lower case, and the values.
    Values(Arc<[(String, String)]>),
    Find(Find),
}

type Find = Arc<dyn Fn(CompletionRequest) -> Responding<Vec<String>> + Send + Sync>;

impl Completion {
    /// These values. The client receives those that begin with its text, in any case of letters.
    #[must_use]
    pub fn values<V: Into<String>>(values: impl IntoIterator<Item = V>) -> Self {
        let with_lowercase = |value: String| (value.to_lowercase(), value);
        Completion(Source::Values(values.into_iter().map(Into::into).map(with_lowercase).collect()))
    }

    /// The values that the function finds, the most relevant first. If it panics or takes more than 60 seconds, the request is an
    /// error.
    ///
    /// ```
    /// use tool_runtime_mcp::Completion;
    ///
    /// let orders = Completion::with(|request| async move {
    ///     let open = ["A-17", "A-18", "B-2"]; // those of a database
    ///     open.into_iter().filter(|order| order.starts_with(request.text())).map(str::to_owned).collect()
    /// });
    /// # drop(orders);
    /// ```
    #[must_use]
    pub fn with<F: Future<Output = Vec<String>> + Send + 'static>(
        find: impl Fn(CompletionRequest) -> F + Send + Sync + 'static,
    ) -> Self {
        let find = Arc::new(find);
        Completion(Source::Find(Arc::new(move |request| {
            let find = Arc::clone(&find);
            // The function itself may panic, and does so in the future then.
            Box::pin(async move { find(request).await })
        })))
    }
}

impl fmt::Debug for Completion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Source::Values(values) => {
                let values: Vec<&String> = values.iter().map(|(_, value)| value).collect();
                f.debug_tuple("Completion").field(&values).finish()
            }
            Source::Find(_) => f.write_str("Completion(..)"),
        }
    }
}

/// A client's request of values, for the function of [`Completion::with`].
#[derive(Clone)]
pub struct CompletionRequest {
    text: String,
    arguments: HashMap<String, String>,
    run: RunContext,
}

impl CompletionRequest {
    /// The text that the person has typed so far.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The value of another argument or variable, if the person has already chosen it.
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

impl fmt::Debug for CompletionRequest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CompletionRequest")
            .field("text", &self.text)
            .field("arguments", &self.arguments)
            .finish_non_exhaustive()
    }
}

/// The completions that the program has added.
#[derive(Clone, Default)]
pub(super) struct Completions(Vec<(Reference, String, Completion)>);

impl Completions {
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The values for an argument; none if the program has not added any.
    pub(super) fn complete(
        &self,
        params: CompleteRequestParams,
        run: RunContext,
    ) -> Responding<CompleteResult> {
        let (wanted, argument) = (params.r#ref, params.argument);
        let is_wanted = |(reference, name, _): &&(Reference, String, Completion)| {
            *name == argument.name && is_same(reference, &wanted)
        };
        let found = self.0.iter().find(is_wanted).map(|(.., completion)| completion.0.clone());
        let text = argument.value;
        let arguments = params.context.and_then(|context| context.arguments).unwrap_or_default();
        Box::pin(async move {
            let (values, total) = match found {
                Some(Source::Values(values)) => beginning_with(&values, &text),
                Some(Source::Find(find)) => {
                    let mut values = find(CompletionRequest { text, arguments, run }).await;
                    let total = values.len();
                    values.truncate(CompletionInfo::MAX_VALUES);
                    (values, total)
                }
                None => (Vec::new(), 0),
            };
            let mut completion = CompletionInfo::default();
            completion.has_more = Some(total > values.len());
            completion.total = u32::try_from(total).ok();
            completion.values = values;
            CompleteResult::new(completion)
        })
    }
}

/// Without the title, which a client may repeat.
fn is_same(one: &Reference, other: &Reference) -> bool {
    one.as_prompt_name() == other.as_prompt_name() && one.as_resource_uri() == other.as_resource_uri()
}

/// The values that a client receives, and the number of all that begin with the text.
fn beginning_with(values: &[(String, String)], text: &str) -> (Vec<String>, usize) {
    if text.len() > MAX_URI_BYTES {
        return (Vec::new(), 0);
    }
    let text = text.to_lowercase();
    let found = values.iter().filter(|(lowercase, _)| lowercase.starts_with(&text)).map(|(_, value)| value);
    (found.clone().take(CompletionInfo::MAX_VALUES).cloned().collect(), found.count())
}

impl Server {
    /// Adds values that clients suggest to a person for an argument of a prompt or a variable of a resource template, which the
    /// reference names. A client receives at most 100 of them.
    ///
    /// ```
    /// use tool_runtime::{Registry, tools};
    /// use tool_runtime_mcp::rmcp::model::{Prompt, PromptArgument, Reference};
    /// use tool_runtime_mcp::{Completion, serve};
    ///
    /// let language = PromptArgument::new("language").with_required(true);
    /// let greet = Prompt::new("greet", Some("Greet a customer."), Some(vec![language]));
    /// let server = serve(Registry::new(tools![])?)
    ///     .prompt(greet, |request| async move {
    ///         Ok::<_, &str>(format!("Greet the customer in {}.", request.argument("language").unwrap_or("English")))
    ///     })
    ///     .completion(Reference::for_prompt("greet"), "language", Completion::values(["English", "French", "German"]));
    /// # drop(server);
    /// # Ok::<(), tool_runtime::BuildError>(())
    /// ```
    pub fn completion(
        mut self,
        reference: Reference,
        argument: impl Into<String>,
        completion: Completion,
    ) -> Self {
        self.info.capabilities.completions.get_or_insert_default();
        let (argument, completions) = (argument.into(), &mut Arc::make_mut(&mut self.offers).completions.0);
        completions.retain(|(other, name, _)| *name != argument || !is_same(other, &reference));
        completions.push((reference, argument, completion));
        self
    }
}
