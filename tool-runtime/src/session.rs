//! The loop of a chat: requests, replies, tool calls, approvals, limits, storage.
//!
#![doc = include_str!("docs/sessions.md")]

mod answer_format;
mod before_request;
mod between_replies;
mod cache_check;
mod cancel_on;
mod claim;
mod classify_error;
mod compact;
mod decisions;
mod event;
mod identical_calls;
mod ids;
mod inbox;
mod limits;
mod logged_run;
mod message_changes;
mod next_request;
mod receive;
mod reply_events;
mod reporter;
mod run;
mod run_budgets;
mod run_end;
mod run_hooks;
mod run_limits;
mod run_log;
mod run_loop;
mod run_span;
mod start;
mod state;
mod store;
mod stored;
mod streaming;
mod typed_answer;

pub use crate::context::{Budget, BudgetLimit, Spent};
#[doc(inline)]
pub use crate::conversation::WaitingCall;
pub use between_replies::{Flow, HookError, HookFuture, HookSession};
pub use classify_error::{ClassifyError, ErrorClassifier};
pub use compact::{Compact, CompactReason};
pub use event::Event;
pub use inbox::Inbox;
pub use message_changes::MessageChanges;
pub use run::Run;
pub use run_end::{RunEnd, RunError};
pub use run_log::{LogError, LoggedResult, RunLog, RunLogFuture};
pub use store::SessionStore;
pub use typed_answer::{Answer, AnswerAs, TypedEnd};

use crate::context::{BegunCalls, Question};
use crate::conversation::{Conversation, PendingCalls, ReplyWarning};
use crate::dispatch::HandedOutCall;
use crate::history::{HistoryError, TrimBudget, Trimmed};
use crate::message::{Content, Message, TakenIds, Usage};
use cache_check::LastRequest;
use inbox::SessionInbox;
use limits::Used;
use message_changes::UnrecordedChanges;
use state::{Pending, State};

/// A conversation with everything that a chat backend stores between two requests of its user: messages, pending calls with
/// their approvals, used limits, tokens and warnings.
///
/// [`run`](Session::run) sends requests and runs the called tools until the model answers, a person is needed, or a limit is
/// reached ([`RunEnd`]). The session can be stored at any time and continued later, in another process as well:
/// `Serialize` and `Deserialize` keep everything, except for data of the process (outcomes and artifacts of results). This
/// form is not that of a request: a [`Conversation`] serializes as the `messages` of a request.
///
/// Whatever happens in a run (an error of the client, a dropped future, a cancelled token, a panic in a closure of the
/// program, an interrupted reply), the session stays valid and keeps the finished results. A call that began and was
/// interrupted runs again only if its tool is `read_only` or `idempotent`; any other gets the error that it may have taken
/// effect.
///
/// ```
/// use tool_runtime::session::{RunEnd, Session};
/// use tool_runtime::{Registry, tool, tools};
/// # use tool_runtime::conversation::Request;
/// # use tool_runtime::{AssistantMessage, ToolCall};
///
/// /// Refunds an order.
/// #[tool(destructive, requires_approval)]
/// fn refund(order: u32) -> String {
///     format!("order {order} is refunded")
/// }
/// # struct Client;
/// # impl Client {
/// #     async fn complete(&self, request: Request) -> Result<AssistantMessage, std::io::Error> {
/// #         Ok(match request.messages().len() {
/// #             2 => AssistantMessage::from_tool_calls(vec![ToolCall::new("call_7", "refund", r#"{"order":7}"#)]),
/// #             _ => AssistantMessage::from_text("Done."),
/// #         })
/// #     }
/// # }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let client = Client;
/// let registry = Registry::new(tools![refund])?;
/// let mut session = Session::new().system("You run a shop.").user("Refund order 7.");
/// let end = session.run(&registry).complete(|request| client.complete(request)).await?;
/// assert_eq!(end, RunEnd::NeedsApproval);
/// let stored = serde_json::to_string(&session)?; // until the person has decided
///
/// let mut session: Session = serde_json::from_str(&stored)?;
/// for call in session.awaiting_approval() {
///     println!("{} {}", call.tool, call.arguments);
///     session.approve(&call.id)?;
/// }
/// let end = session.run(&registry).complete(|request| client.complete(request)).await?;
/// assert_eq!((end, session.final_text()), (RunEnd::Answered, "Done."));
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, Default)]
#[must_use = "dropping it drops all messages"]
pub struct Session {
    state: State,
    revision: u64,
    /// The number of replies so far, including trimmed ones.
    replies: u64,
    used: Used,
    /// The calls since the last user message, for the `max_calls` of tools.
    begun_calls: BegunCalls,
    usage: Usage,
    is_claimed: bool,
    /// Who runs a claimed session, if the program has named it.
    claim_owner: Option<String>,
    /// The ids of all calls; `None` until they are needed.
    ids: Option<TakenIds>,
    /// The body of the newest request, if the run checks the prompt cache. It is not stored.
    last_request: Option<LastRequest>,
    /// The messages of the user that arrive during a run.
    inbox: SessionInbox,
    /// The changes since the newest recorded reply, if a log has received them.
    unrecorded: Option<UnrecordedChanges>,
    /// The calls that runs of this process have started, for budgets.
    process_calls: u64,
}

impl Session {
    /// Creates an empty session.
    pub fn new() -> Self {
        Session::default()
    }

    /// Adds a system message, and returns the session. While calls are pending, the message is added before their reply.
    pub fn system(mut self, content: impl Into<Content>) -> Self {
        self.push(Message::system(content));
        self
    }

    /// Adds a developer message. While calls are pending, it is added before their reply.
    pub fn developer(mut self, content: impl Into<Content>) -> Self {
        self.push(Message::developer(content));
        self
    }

    /// Adds a user message, and returns the session. In a loop, use [`push_user`](Session::push_user), which does the same
    /// with a reference.
    pub fn user(mut self, content: impl Into<Content>) -> Self {
        self.push_user(content);
        self
    }

    /// Adds a user message, from which all limits count again. Pending calls fail with `Error: skipped by user`; a call that
    /// began and was interrupted fails with the error that it may have taken effect.
    ///
    /// ```
    /// use tool_runtime::Session;
    ///
    /// let mut session = Session::new().user("Hello!");
    /// session.push_user("Are you there?");
    /// assert_eq!(session.messages().len(), 2);
    /// ```
    pub fn push_user(&mut self, content: impl Into<Content>) {
        self.skip_calls("skipped by user");
        self.push(Message::user(content));
        (self.used, self.begun_calls) = (Used::default(), BegunCalls::default());
    }

    fn push(&mut self, message: Message) {
        self.count_change();
        self.state.conversation_mut().push(message);
    }

    /// Fails every pending call with `Error: ` and this reason, like
    /// [`PendingCalls::skip_calls`](crate::conversation::PendingCalls::skip_calls). No tool runs; the next run sends the
    /// next request.
    pub fn skip_calls(&mut self, reason: impl Into<String>) {
        if self.state.pending().is_some() {
            self.count_change();
            self.state.skip_calls(reason.into());
        }
    }

    /// The messages. While calls are pending, these are the messages before their reply: [`pending`](Session::pending) has
    /// the reply, its calls and the results so far.
    #[must_use]
    pub fn messages(&self) -> &[Message] {
        self.state.conversation().messages()
    }

    /// The newest reply with its calls, if not all of them have their results.
    #[must_use]
    pub fn pending(&self) -> Option<&PendingCalls> {
        self.state.pending().map(|pending| &pending.calls)
    }

    /// The text of the newest reply, or its `refusal`. Empty if there is no reply, or if it only calls tools.
    #[must_use]
    pub fn final_text(&self) -> &str {
        match self.pending() {
            Some(pending) => pending.reply().text(),
            None => self.state.conversation().final_text(),
        }
    }

    /// Warnings about the replies so far, the first of each kind, for the operator of the program. A listener
    /// ([`Run::on_event`]) receives the warnings of each reply.
    #[must_use]
    pub fn warnings(&self) -> &[ReplyWarning] {
        self.state.conversation().warnings()
    }

    /// The tokens of all replies of this session, including replies that were interrupted. A reply without a report of its
    /// tokens is not counted; [`AssistantMessage::usage`](crate::AssistantMessage::usage) has the tokens of each reply.
    ///
    /// ```
    /// # use tool_runtime::Session;
    /// let session = Session::new().user("Hello!");
    /// assert_eq!(session.usage().total_tokens(), 0); // no reply yet
    /// ```
    #[must_use]
    pub fn usage(&self) -> Usage {
        self.usage
    }

    /// The number of changes of this session. It grows with each message, decision and result, and is stored with the
    /// session.
    ///
    /// A store compares it to detect that another request has changed the session: see the
    /// [guide](crate::guide::server) for an example.
    #[must_use]
    pub fn revision(&self) -> u64 {
        self.revision
    }

    /// The number of replies so far, including replies that were trimmed. It is the number of the next reply, as in the
    /// [`CallKey`](crate::dispatch::CallKey) of its calls.
    ///
    /// ```
    /// # use tool_runtime::Session;
    /// assert_eq!(Session::new().user("Hello!").replies(), 0);
    /// ```
    #[must_use]
    pub fn replies(&self) -> u64 {
        self.replies
    }

    /// The number of replies since the last user message, for which [`Run::max_replies`] is the limit. Compaction
    /// does not change it.
    ///
    /// ```
    /// # use tool_runtime::Session;
    /// assert_eq!(Session::new().user("Hello!").replies_since_user(), 0);
    /// ```
    #[must_use]
    pub fn replies_since_user(&self) -> usize {
        self.used.replies
    }

    /// The calls that a person must approve before they run. Empty before the first run.
    #[must_use]
    pub fn awaiting_approval(&self) -> Vec<WaitingCall> {
        self.pending().map(PendingCalls::awaiting_approval).unwrap_or_default()
    }

    /// The calls whose results come from elsewhere: from a job ([`ToolOutput::pending`](crate::ToolOutput::pending)), or from
    /// the system that runs the tool ([`DynamicTool::external`](crate::DynamicTool::external)), or from the process to which a call
    /// was [handed out](Session::handed_out).
    #[must_use]
    pub fn awaiting_result(&self) -> Vec<WaitingCall> {
        self.pending().map(PendingCalls::awaiting_result).unwrap_or_default()
    }

    /// The questions of tools that wait for their answers: see [`CallContext::ask`](crate::CallContext::ask).
    #[must_use]
    pub fn awaiting_input(&self) -> Vec<Question> {
        self.pending().map(PendingCalls::awaiting_input).unwrap_or_default()
    }

    /// The calls that other processes run: see [`Run::hand_out_calls`]. They stay here until they have their results, and are equal
    /// each time, so that a program that was interrupted hands them out again with the same keys.
    #[must_use]
    pub fn handed_out(&self) -> Vec<HandedOutCall> {
        self.pending().map(PendingCalls::handed_out).unwrap_or_default()
    }

    /// Trims the messages to a [budget](TrimBudget), and returns the changes. The reply of pending calls stays. The ids of
    /// removed calls stay taken, so that a late decision about one concerns no other call.
    ///
    /// To keep all messages and to trim only those of a request, use
    /// [`Request::trim`](crate::conversation::Request::trim) in
    /// [`map_request`](Run::map_request).
    pub fn trim(&mut self, budget: &TrimBudget<'_>) -> Trimmed {
        self.forget_messages();
        self.state.conversation_mut().trim(budget)
    }

    /// Changes the messages, like [`Conversation::edit`]. While calls are pending, these are the messages before their reply.
    /// The ids of removed calls stay taken.
    ///
    /// # Errors
    ///
    /// The changed messages are invalid; the error lists all violations. The session is not changed.
    pub fn edit<T>(&mut self, change: impl FnOnce(&mut Vec<Message>) -> T) -> Result<T, HistoryError> {
        let changed = self.state.conversation_mut().edit(change)?;
        self.forget_messages();
        Ok(changed)
    }

    /// Counts a change of earlier messages.
    fn forget_messages(&mut self) {
        self.count_change();
        self.ids = None;
        if let Some(unrecorded) = &mut self.unrecorded {
            unrecorded.begin_at_start();
        }
    }

    /// Converts into the conversation. A session that is made from it does not use the ids of removed calls again. The
    /// serialized messages do not contain these ids: if a person may decide about an earlier call, store the session instead.
    ///
    /// # Errors
    ///
    /// Returns the pending calls if a call has no result.
    pub fn into_conversation(self) -> Result<Conversation, PendingCalls> {
        self.state.into_conversation()
    }
}

/// Continues a conversation. Its replies, calls and tokens since the last user message count towards the limits of a run; the
/// `max_calls` of tools start at 0.
impl From<Conversation> for Session {
    fn from(conversation: Conversation) -> Self {
        let mut session = Session::default();
        for message in conversation.messages() {
            match message {
                Message::Assistant(reply) => {
                    session.count_reply(reply);
                    session.used.add_calls(reply.tool_calls.len());
                }
                Message::User(_) => session.used = Used::default(),
                Message::System(_) | Message::Developer(_) | Message::Tool(_) => {}
            }
        }
        session.state = State::Ready(conversation);
        session
    }
}

/// Continues with the calls of a reply: the next run starts those that have no results.
impl From<PendingCalls> for Session {
    fn from(calls: PendingCalls) -> Self {
        let mut session = Session::from(calls.conversation().clone());
        session.count_reply(calls.reply());
        session.state = State::Pending(Pending::new(calls, None));
        session
    }
}
