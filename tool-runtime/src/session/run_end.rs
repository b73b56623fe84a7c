//! How a run ends.

use super::between_replies::HookError;
use super::run_log::LogError;
use crate::context::BudgetLimit;
use crate::message::{AssistantMessage, Completeness};
use crate::stream::StreamError;
use serde::{Deserialize, Serialize};
use std::error::Error;
use std::fmt::{self, Debug, Display};

/// How a run of a [`Session`](super::Session) ended.
///
/// After `Answered`, `Refused` and `Truncated`, add a user message before the next run. After `RequestLimit` and `Stopped`, the
/// next run continues. After any other end, it continues once the cause has changed: a decision, a result, a higher limit,
/// another token. Until then, a run ends in the same way and sends no request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[must_use = "the model may not have answered"]
pub enum RunEnd {
    /// The model answered: [`Session::final_text`](super::Session::final_text). If the text is empty or contains a tool call
    /// that the server did not parse, [`Session::warnings`](super::Session::warnings) reports it.
    Answered,
    /// A person must approve calls: [`Session::awaiting_approval`](super::Session::awaiting_approval). Calls that need no
    /// approval have run, unless they wait for their results or for an [earlier
    /// call](crate::RegistryBuilder::ordered_effects).
    NeedsApproval,
    /// Tools ask the user: [`Session::awaiting_input`](super::Session::awaiting_input). Results may come from elsewhere as well.
    /// After `NeedsApproval`, tools may also ask.
    NeedsInput,
    /// The results of calls come from elsewhere: [`Session::awaiting_result`](super::Session::awaiting_result), and
    /// [`Session::handed_out`](super::Session::handed_out) for calls that other processes run.
    NeedsResult,
    /// The model declined to answer, or a filter of the provider withheld the answer. The
    /// [`refusal`](crate::AssistantMessage::refusal) of the last message is the reason, if the provider sends one.
    Refused,
    /// The answer is truncated: the model reached its token limit, or the server ended the reply early.
    Truncated,
    /// The model sent as many replies as [`max_replies`](super::Run::max_replies) allows, and did not answer. A run with a
    /// higher limit continues.
    ReplyLimit,
    /// The model, or tools with [inner calls](crate::CallContext::inner_call), called more tools than
    /// [`max_calls`](super::Run::max_calls) allows. The remaining calls are pending: a run with a higher limit runs them.
    CallLimit,
    /// The replies took as many tokens as [`max_tokens_total`](super::Run::max_tokens_total) allows. A run with a higher limit
    /// continues.
    TokenLimit,
    /// The run has sent as many requests as [`max_requests`](super::Run::max_requests) allows. Another run continues.
    RequestLimit,
    /// The model has called a tool with the same arguments as often as
    /// [`max_identical_calls`](super::Run::max_identical_calls) allows. A run with a higher limit continues.
    IdenticalCallLimit,
    /// The tokens of a [`Budget`](super::Budget) are spent.
    TokenBudget,
    /// The calls of a [`Budget`](super::Budget) are spent.
    CallBudget,
    /// The money of a [`Budget`](super::Budget) is spent.
    MoneyBudget,
    /// The time of a [`Budget`](super::Budget) has passed.
    TimeBudget,
    /// A [hook](super::Run::between_replies) of the program has stopped the run. Another run continues.
    Stopped,
    /// The token of the [`RunContext`](crate::RunContext) was cancelled, or [`cancel_on`](super::Run::cancel_on) or
    /// [`stop_after_calls`](super::Run::stop_after_calls) stopped the run.
    /// Calls that had not begun run in the next run; those of a reply that was cancelled while it was received fail.
    Cancelled,
}

impl RunEnd {
    /// How a run ends with this reply, which calls no tool; `None` if the provider paused it, and continues it in the next
    /// request.
    pub(super) fn from_reply(reply: &AssistantMessage) -> Option<Self> {
        match reply.completeness() {
            Completeness::Paused => None,
            _ if reply.is_declined() => Some(RunEnd::Refused),
            Completeness::Truncated => Some(RunEnd::Truncated),
            _ => Some(RunEnd::Answered),
        }
    }
}

impl From<BudgetLimit> for RunEnd {
    fn from(limit: BudgetLimit) -> Self {
        match limit {
            BudgetLimit::Tokens => RunEnd::TokenBudget,
            BudgetLimit::Calls => RunEnd::CallBudget,
            BudgetLimit::Money => RunEnd::MoneyBudget,
            BudgetLimit::Time => RunEnd::TimeBudget,
        }
    }
}

impl Display for RunEnd {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            RunEnd::Answered => "the model answered",
            RunEnd::NeedsApproval => "calls need an approval",
            RunEnd::NeedsInput => "tools ask the user",
            RunEnd::NeedsResult => "the results of calls come from elsewhere",
            RunEnd::Refused => "the model declined to answer",
            RunEnd::Truncated => "the answer is truncated",
            RunEnd::ReplyLimit => "the limit of replies is reached",
            RunEnd::CallLimit => "the limit of calls is reached",
            RunEnd::TokenLimit => "the limit of tokens is reached",
            RunEnd::RequestLimit => "the limit of requests of this run is reached",
            RunEnd::IdenticalCallLimit => "the limit of identical calls is reached",
            RunEnd::TokenBudget => "the tokens of the budget are spent",
            RunEnd::CallBudget => "the calls of the budget are spent",
            RunEnd::MoneyBudget => "the money of the budget is spent",
            RunEnd::TimeBudget => "the time of the budget has passed",
            RunEnd::Stopped => "the program stopped the run",
            RunEnd::Cancelled => "the run was cancelled",
        })
    }
}

/// The error of a run. The session stays valid, and another run continues it.
///
/// The error of the client is its `Display` text; match [`Client`](RunError::Client) for the error itself and its sources.
///
/// ```
/// # use tool_runtime::session::{RunEnd, RunError};
/// # use tool_runtime::stream::Chunk;
/// # use tool_runtime::conversation::Request;
/// # use tool_runtime::{Registry, Session, tools};
/// # use futures_util::stream;
/// # async fn send(_: Request) -> std::io::Result<stream::Iter<std::vec::IntoIter<Chunk>>> {
/// #     Ok(stream::iter(vec![Chunk::from(r#"{"error":{"message":"overloaded"}}"#)]))
/// # }
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let (registry, mut session) = (Registry::new(tools![])?, Session::new().user("Hello!"));
/// match session.run(&registry).stream(send).await {
///     Ok(end) => println!("{end}"),
///     Err(RunError::Stream(error)) => println!("run again: {error}"), // the session keeps the finished results
///     Err(error) => return Err(error.into()),
/// }
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
#[non_exhaustive]
pub enum RunError<E> {
    /// The error that `complete` or `stream` returned: that of the program's client. The next run repeats the request.
    Client(E),
    /// A streamed reply was interrupted. If one of its calls had begun, the session has the reply with the results of its calls;
    /// otherwise the next run repeats the request.
    Stream(StreamError),
    /// The [log](super::Run::log) of the run cannot be used, or it has records of another session. A call whose beginning cannot
    /// be recorded has not run, and stays pending unless it has exceeded the `call_timeout`. A call that has run keeps its
    /// result, even if that cannot be recorded.
    Log(LogError),
    /// A hook of [`between_replies`](super::Run::between_replies) returned an error. The session has the finished results, and
    /// another run continues it.
    Hook(HookError),
    /// The [compaction](super::Run::compact) returned an error: that of a summary, for example. The session has not changed, and
    /// another run continues it.
    Compaction(HookError),
    /// The [store](super::Run::store) returned an error. The session in memory has all results, and another run continues it.
    Store(HookError),
}

impl<E: Display> Display for RunError<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RunError::Client(error) => error.fmt(f),
            RunError::Stream(error) => write!(f, "the reply was interrupted: {error}"),
            RunError::Log(error)
            | RunError::Hook(error)
            | RunError::Compaction(error)
            | RunError::Store(error) => Display::fmt(error, f),
        }
    }
}

/// The error of a client need not implement `Error`: `anyhow::Error` and `Box<dyn Error>` do not.
impl<E: Debug + Display> Error for RunError<E> {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            RunError::Client(_) => None,
            // The display text includes the error.
            RunError::Stream(error) => error.source(),
            RunError::Log(error)
            | RunError::Hook(error)
            | RunError::Compaction(error)
            | RunError::Store(error) => error.source(),
        }
    }
}
