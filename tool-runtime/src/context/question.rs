//! Questions that tools ask the user, and their answers.

use super::{CallContext, RunContext};
use crate::panics::CatchPanic;
use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::fmt::Display;
use std::sync::Arc;

/// A question of a tool: see [`CallContext::ask`](super::CallContext::ask).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Question {
    /// The id of the question, for [`Session::answer`](crate::Session::answer).
    #[serde(default)]
    pub id: String,
    /// The id of the call that asks.
    #[serde(default)]
    pub call: String,
    /// The name of the tool that asks.
    pub tool: String,
    /// The text of the question.
    ///
    /// It may come from the model or from a server: a page escapes it, and a terminal its control characters.
    pub text: String,
    /// The JSON Schema of the answer.
    pub schema: Value,
}

/// The answer of a user to a [`Question`]. It serializes as in the
/// [Model Context Protocol](https://modelcontextprotocol.io/specification/2025-11-25/client/elicitation): for example,
/// `{"action": "accept", "content": {"size": 3}}` or `{"action": "decline"}`. Deserialize such a text of a browser; a JSON value that is
/// converted with `into` is the content of an accepted answer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "action", content = "content")]
pub enum UserAnswer {
    /// The user has answered. A tool only receives a value that is valid under the schema of the question.
    #[serde(rename = "accept")]
    Accepted(Value),
    /// The user does not want to answer.
    #[serde(rename = "decline")]
    Declined,
    /// The user has closed the question without a decision.
    #[serde(rename = "cancel")]
    Cancelled,
}

impl UserAnswer {
    /// The value of an accepted answer.
    #[must_use]
    pub fn accepted(self) -> Option<Value> {
        match self {
            UserAnswer::Accepted(value) => Some(value),
            UserAnswer::Declined | UserAnswer::Cancelled => None,
        }
    }
}

impl From<Value> for UserAnswer {
    fn from(value: Value) -> Self {
        UserAnswer::Accepted(value)
    }
}

/// The function that asks the user of a run.
#[derive(Clone)]
pub(super) struct Asker(
    Arc<dyn Fn(Question) -> BoxFuture<'static, Result<UserAnswer, String>> + Send + Sync>,
);

impl RunContext {
    /// Sets the function that asks the user in this process, for the questions of all tools ([`CallContext::ask`]). Default: none. Then
    /// the question of a `resumable` tool ends the run of a [`Session`](crate::Session), and any other question is an error of its tool.
    ///
    /// The function shows the question and waits for the answer. A value that is not valid under the schema is an error of the
    /// tool, and the user is not asked again. In a session: `session.run(&registry.with(&context))`. Several calls may ask at the
    /// same time, and a question may end without an answer: the future is dropped. Its error, and a panic, are an error for the
    /// tool: the question could not be asked.
    ///
    /// ```
    /// use serde_json::json;
    /// use tool_runtime::dispatch::UserAnswer;
    /// use tool_runtime::conversation::InnerCallError;
    /// use tool_runtime::{CallContext, Registry, RunContext, tool, tools};
    ///
    /// /// Orders a shirt.
    /// #[tool]
    /// async fn order_shirt(#[context] call: &CallContext) -> Result<String, InnerCallError> {
    ///     let schema = json!({"type": "object", "properties": {"size": {"type": "string", "enum": ["S", "M", "L"]}}, "required": ["size"]});
    ///     Ok(match call.ask("Which size?", schema).await? {
    ///         UserAnswer::Accepted(answer) => format!("ordered in size {}", answer["size"]),
    ///         UserAnswer::Declined | UserAnswer::Cancelled => "the user did not choose a size, so nothing was ordered".to_owned(),
    ///     })
    /// }
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let context = RunContext::new().on_question(|question| async move {
    ///     println!("{}", question.text); // then read a line
    ///     Ok::<_, std::io::Error>(UserAnswer::Accepted(json!({"size": "M"})))
    /// });
    /// let registry = Registry::new(tools![order_shirt])?.with(&context);
    /// assert_eq!(registry.call("order_shirt", ()).await.text(), r#"ordered in size "M""#);
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    pub fn on_question<F, E>(mut self, ask: impl Fn(Question) -> F + Send + Sync + 'static) -> Self
    where
        F: Future<Output = Result<UserAnswer, E>> + Send + 'static,
        E: Display,
    {
        let ask = Arc::new(ask);
        let ask = move |question| {
            let ask = Arc::clone(&ask);
            async move { ask(question).await.map_err(|error| error.to_string()) }.boxed()
        };
        self.data().asker = Some(Asker(Arc::new(ask)));
        self
    }
}

impl CallContext {
    /// Asks the user in this process; `None` if nobody can be asked here.
    pub(crate) async fn ask_here(&self, question: &Question) -> Option<Result<UserAnswer, String>> {
        let Asker(ask) = self.run.0.asker.as_ref()?;
        let mut answer: BoxFuture<'static, _> = Box::pin(CatchPanic::new(ask(question.clone())));
        // The calls whose tools have made this call wait as well.
        for pauses in self.run.0.outer_pauses.iter().chain([&self.pauses]) {
            let pauses = Arc::clone(pauses);
            answer = Box::pin(async move { pauses.pause(answer).await });
        }
        Some(answer.await.unwrap_or_else(|_| Err("the program failed unexpectedly".to_owned())))
    }
}
