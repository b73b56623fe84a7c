//! Questions of tools, which wait among the calls of their tools.

use super::inner_calls::MadeCall;
use super::pending::{CallState, PendingCalls};
use super::{InnerCallError, NotPendingError, WaitingCall};
use crate::context::{CallContext, Question, UserAnswer};
use crate::message::ToolCall;
use crate::outcome::ErrorList;
use crate::output::{ToolOutput, ToolResult};
use crate::tool_name::QUESTION;
use crate::validator::{Budget, Validator};
use futures_util::future::BoxFuture;
use serde_json::Value;

impl CallContext {
    /// Asks the user in the middle of a call. The schema is the JSON Schema of the answer, against which it is validated. MCP
    /// clients show a form for an object whose properties have the `type` string (also with an `enum`), number, integer or
    /// boolean, or are an array of values of an `enum`.
    ///
    /// - If the run context has an [`on_question`](crate::RunContext::on_question), as in a server of the package
    ///   `tool-runtime-mcp`, this function answers, and the call waits for it. Meanwhile, the call holds no permit of
    ///   `max_concurrency`, and its time limits stand still; its cancellation ends the wait. With MCP clients from protocol
    ///   2026-07-28 on, the tool must be `resumable`: its call ends, and runs again with the answer.
    /// - Otherwise, in a [session](crate::Session), the question of a [`resumable`](crate::registry::Policy::resumable) tool ends
    ///   the run with [`NeedsInput`](crate::session::RunEnd::NeedsInput). This future returns [`InnerCallError::Waits`], and the
    ///   tool should return it with `?`; the runtime ignores the value of the tool.
    ///   [`Session::awaiting_input`](crate::Session::awaiting_input) has the question, and
    ///   [`Session::answer`](crate::Session::answer) takes the answer, also in another process. The next run runs the tool again
    ///   from its beginning, and its questions return their answers at once.
    /// - Otherwise, the error is [`InnerCallError::CannotAsk`]. This includes a call that was [handed
    ///   out](crate::dispatch::HandedOutCall).
    ///
    /// A resumable tool **must not have an effect before its last question**, since it runs again: effects come after it. In a
    /// session, they may also be [inner calls](CallContext::inner_call), which do not run again, not even after a crash in a run
    /// with a [log](crate::session::Run::log). A server of MCP keeps no inner calls: ask before the first one there. Questions
    /// and inner calls are numbered together, and the tool must repeat them in the same order, with the same texts and schemas:
    /// after the first one that differs, all are errors ([`InnerCallError::Diverged`]). A question does not count as a call.
    ///
    /// Do not hold a lock while the question waits: other calls run meanwhile, and may hold the permit that this one needs again.
    /// An effect after the last question that is no inner call may happen again if the run is cancelled or the process ends.
    ///
    /// ```
    /// use serde_json::json;
    /// use tool_runtime::conversation::InnerCallError;
    /// use tool_runtime::dispatch::UserAnswer;
    /// use tool_runtime::session::RunEnd;
    /// use tool_runtime::{CallContext, Registry, Session, tool, tools};
    /// # use tool_runtime::{AssistantMessage, ToolCall};
    /// # use tool_runtime::conversation::Request;
    /// # async fn complete(request: Request) -> Result<AssistantMessage, std::io::Error> {
    /// #     Ok(match request.messages().len() {
    /// #         1 => AssistantMessage::from_tool_calls(vec![ToolCall::new("call_1", "delete_folder", r#"{"name":"old"}"#)]),
    /// #         _ => AssistantMessage::from_text("Done."),
    /// #     })
    /// # }
    ///
    /// /// Deletes a folder.
    /// #[tool(destructive, resumable)]
    /// async fn delete_folder(name: &str, #[context] call: &CallContext) -> Result<String, InnerCallError> {
    ///     let schema = json!({"type": "object", "properties": {"keep": {"type": "boolean"}}, "required": ["keep"]});
    ///     let answer = call.ask(format!("`{name}` has 12 photos. Keep them?"), schema).await?;
    ///     let UserAnswer::Accepted(answer) = answer else { return Ok("the user wants to keep the folder".to_owned()) };
    ///     // The effect comes after the last question.
    ///     Ok(if answer["keep"] == true { "deleted, without the photos" } else { "deleted" }.to_owned())
    /// }
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let registry = Registry::new(tools![delete_folder])?;
    /// let mut session = Session::new().user("Delete the folder `old`.");
    /// assert_eq!(session.run(&registry).complete(complete).await?, RunEnd::NeedsInput);
    /// let stored = serde_json::to_string(&session)?;
    ///
    /// // In a later request, in any process:
    /// let mut session: Session = serde_json::from_str(&stored)?;
    /// let question = session.awaiting_input().remove(0); // show it
    /// assert_eq!(question.text, "`old` has 12 photos. Keep them?");
    ///
    /// session.answer(&question.id, json!({"keep": true}))?;
    /// assert_eq!(session.run(&registry).complete(complete).await?, RunEnd::Answered);
    /// assert_eq!(session.messages()[2].text(), "deleted, without the photos");
    /// # Ok(())
    /// # }
    /// ```
    pub fn ask(
        &self,
        question: impl Into<String>,
        schema: Value,
    ) -> BoxFuture<'static, Result<UserAnswer, InnerCallError>> {
        let adding = self.inner_calls.lock_adding();
        let mut asked = MadeCall::question(self.clone(), question.into(), schema);
        let added = asked.add();
        drop(adding);
        Box::pin(async move {
            added?;
            asked.ask().await
        })
    }
}

impl PendingCalls {
    /// The questions of tools that wait for their answers: see [`CallContext::ask`]. Empty before the first
    /// [`run`](PendingCalls::run).
    #[must_use]
    pub fn awaiting_input(&self) -> Vec<Question> {
        let waiting = self.waiting(&|call, state| is_question(call) && state.waits_for_result());
        let question = |waits: WaitingCall| Question::read(waits.id, waits.outer_call?, &waits.arguments);
        waiting.into_iter().filter_map(question).collect()
    }

    /// Answers a question: with a value that is valid under its schema, or with a [`UserAnswer`]. The next
    /// [`run`](PendingCalls::run) runs the tool again.
    ///
    /// # Errors
    ///
    /// No question with this id waits, or the value is invalid; the question still waits then.
    pub fn answer(&mut self, id: &str, answer: impl Into<UserAnswer>) -> Result<(), NotPendingError> {
        let answer = answer.into();
        let question = self.awaiting_input().into_iter().find(|question| question.id == id);
        let question = question.ok_or_else(|| NotPendingError::NotAsked { id: id.to_owned() })?;
        let invalid = |reason| NotPendingError::InvalidAnswer { id: id.to_owned(), reason };
        question.check(&answer).map_err(invalid)?;
        self.in_owner(id, |calls| {
            if let Some(at) = calls.position(id) {
                calls.states[at] = CallState::answered(&calls.reply.tool_calls[at], &answer);
            }
        });
        Ok(())
    }
}

impl Question {
    /// The question with this id in the arguments of a call that a tool makes.
    pub(super) fn read(id: String, call: String, arguments: &str) -> Option<Self> {
        let question: Question = serde_json::from_str(arguments).ok()?;
        Some(Question { id, call, ..question })
    }

    /// # Errors
    ///
    /// The schema exceeds a limit, so that no answer would be valid.
    pub(super) fn validator(&self) -> Result<Validator, String> {
        Validator::new(&self.schema)
            .map_err(|limit| format!("the schema of the answer is too large: {limit}"))
    }

    /// # Errors
    ///
    /// The value of the answer is not valid under the schema.
    pub(super) fn check(&self, answer: &UserAnswer) -> Result<(), String> {
        let UserAnswer::Accepted(value) = answer else { return Ok(()) };
        let validator = self.validator()?;
        let value = value.to_string();
        match validator.errors(validator.root, "", &value, &mut Budget::new(&value)) {
            errors if errors.is_empty() => Ok(()),
            errors => Err(format!("the answer is invalid: {}", ErrorList(&errors))),
        }
    }
}

impl CallState {
    /// A question with its answer.
    pub(super) fn answered(question: &ToolCall, answer: &UserAnswer) -> Self {
        // It has only JSON values.
        let value = serde_json::to_value(answer).unwrap_or_default();
        let result = ToolResult::ok(ToolOutput::from(value));
        CallState::finished(result.into_message(&question.id, question.name.clone().into(), None))
    }
}

/// Whether a call that a tool makes is a question.
pub(super) fn is_question(call: &ToolCall) -> bool {
    call.name == QUESTION
}
