//! The limits and the budgets of a run.

use super::{Budget, Run};
#[cfg(doc)]
use super::{RunEnd, Session};

impl<O, P, A, K> Run<'_, O, P, A, K> {
    /// Sets the number of replies since the last user message after which the run sends no further request. Default: 30. The
    /// calls of the last reply run.
    pub fn max_replies(mut self, replies: usize) -> Self {
        self.settings.limits.replies = replies;
        self
    }

    /// Sets the number of requests that this run sends; a recorded reply counts as one. Default: no limit. The calls of the last
    /// reply run, and the run ends with [`RunEnd::RequestLimit`] before the next request. Another run continues.
    ///
    /// With `1`, a run is one step of a program that stores the session after each reply and its calls. If the program ends while
    /// the calls run, they are lost with their reply, and the model is asked again. To store the reply before its calls run, hand
    /// them out ([`hand_out_calls`](Run::hand_out_calls)), also to the same process, or set a [log](Run::log).
    ///
    /// ```
    /// # use tool_runtime::session::RunEnd;
    /// # use tool_runtime::{Registry, Session, ToolCall, AssistantMessage, tools};
    /// # use tool_runtime::conversation::Request;
    /// # async fn complete(request: Request) -> Result<AssistantMessage, std::io::Error> {
    /// #     Ok(match request.messages().len() {
    /// #         1 => AssistantMessage::from_tool_calls(vec![ToolCall::new("a", "now", "{}")]),
    /// #         _ => AssistantMessage::from_text("Done."),
    /// #     })
    /// # }
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// # let (registry, mut session) = (Registry::new(tools![])?, Session::new().user("Hello!"));
    /// while session.run(&registry).max_requests(1).complete(complete).await? == RunEnd::RequestLimit {
    ///     let _stored = serde_json::to_string(&session)?; // in the database of the program
    /// }
    /// # assert_eq!(session.final_text(), "Done.");
    /// # Ok(())
    /// # }
    /// ```
    pub fn max_requests(mut self, requests: usize) -> Self {
        self.settings.limits.requests = Some(requests);
        self
    }

    /// Sets the number of calls since the last user message that run, with the [inner calls](crate::CallContext::inner_call) of tools;
    /// each call counts once, even if it fails or waits. Default: no limit. Further calls stay pending, and the run ends with [`RunEnd::CallLimit`].
    pub fn max_calls(mut self, calls: usize) -> Self {
        self.settings.limits.calls = Some(calls);
        self
    }

    /// Sets the number of tokens, of requests and replies since the last user message, after which the run sends no further
    /// request. Default: no limit. A reply without a report of its tokens does not count, and causes a
    /// [warning](crate::conversation::ReplyWarning::UnknownUsage).
    pub fn max_tokens_total(mut self, tokens: u64) -> Self {
        self.settings.limits.tokens = Some(tokens);
        self
    }

    /// Adds a budget, which other runs and inner sessions share: see [`Budget`]. All budgets of a run apply. Default: those of the
    /// outer session, if there is one. If the run has this budget already, the prices
    /// of [`with_prices`](Budget::with_prices) replace those that it has.
    pub fn budget(mut self, budget: &Budget) -> Self {
        self.settings.budgets.push(budget.clone());
        self
    }

    /// Sets the number of identical calls since the last user message after which the run sends no further request: calls of one
    /// tool with the same arguments, whatever their results are. Default: no limit. The calls of the last reply run, and the run ends
    /// with [`RunEnd::IdenticalCallLimit`].
    ///
    /// Choose a number that no normal task reaches: an agent that edits code runs the same test command many times.
    /// The calls of earlier runs count if the session has their messages.
    pub fn max_identical_calls(mut self, calls: usize) -> Self {
        self.settings.limits.identical_calls = Some(calls);
        self
    }
}
