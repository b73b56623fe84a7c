//! Shortening the messages of a session.

mod groups;
mod old_results;
mod plan;
mod provider_items;
mod summary;

use plan::{Limits, Plan, size_of};
use std::fmt;
use tool_runtime::Session;
use tool_runtime::history::Trimmed;
use tool_runtime::message::Message;
use tool_runtime::session::{Compact, CompactReason, HookError, HookFuture};

type Count<'a> = dyn Fn(&Message) -> usize + Send + 'a;
type Pin<'a> = dyn Fn(&Message) -> bool + Send + 'a;
type Summarise<'a> = dyn FnMut(Vec<Message>) -> HookFuture<'a, String> + Send + 'a;
type Listener<'a> = dyn FnMut(&Trimmed) + Send + 'a;

/// Shortens the messages of a session that has become too long: a strategy for
/// [`Run::compact`](tool_runtime::session::Run::compact).
///
/// Before each request, the run compares the size of the messages with the upper mark ([`above`](Compaction::above)). If they
/// exceed it, they are shortened to the lower mark ([`down_to`](Compaction::down_to)) at once. So the beginning of the requests
/// changes rarely, and the prompt cache of the provider stays valid in between. If the provider rejects a request as too long, the
/// messages are shortened to the lower mark, and at least to half of their size.
///
/// 1. Texts of old results become a notice such as `[result of 12,345 bytes removed]`, the oldest first, until the size is within
///    the lower mark. The notice for a result of [`Spill`](crate::Spill) keeps its handle, so that the model can read the result
///    again. Results with images or files stay, and so do those whose format an API defines: of a provider's shell and of
///    `approve_hosted_call`.
/// 2. If that is not enough, the oldest exchanges are removed. An exchange is one or more user messages and all messages up to the
///    next user message. The newest exchange, and each exchange with a kept reply, loses single replies with their tool messages
///    instead. One user message takes the place of the removed messages, with the summary of [`summarise`](Compaction::summarise)
///    and the handles of the stored results among them. It replaces an earlier summary. It has at most 100 handles: of more, it has
///    the newest of each tool.
///
/// These messages always stay: system and developer messages, [pinned](Compaction::pin) ones, the newest replies
/// ([`keep_replies`](Compaction::keep_replies)) with their tool messages, and the user messages of the newest exchange and of
/// those of the kept replies. A call stays together with its result, and so do replies that belong together for their provider: a
/// [paused](tool_runtime::message::Completeness::Paused) reply and the next one, and the call of a tool of the provider and its
/// result in a later reply.
///
/// With conversations that the provider stores (`Responses::previous_response`, `GeminiInteractions::previous_interaction`),
/// compaction does not shorten the messages that its server keeps.
///
/// [`Trimmed`] has each removed message and each result that became a notice; [`on_compacted`](Compaction::on_compacted) receives
/// it.
///
/// ```
/// use tool_runtime::message::Message;
/// use tool_runtime::{Registry, Session, tools};
/// use tool_runtime_compaction::{Compaction, estimated_tokens};
/// # use tool_runtime::conversation::Request;
/// # use tool_runtime::AssistantMessage;
/// # async fn complete(request: Request) -> Result<AssistantMessage, std::io::Error> {
/// #     assert!(request.messages()[0].text().starts_with("Summary of earlier messages"));
/// #     Ok(AssistantMessage::from_text("Done."))
/// # }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let registry = Registry::new(tools![])?;
/// # let mut session = Session::new();
/// # for _ in 0..20 {
/// #     session.edit(|messages| messages.extend([Message::user("Why?".repeat(100)), Message::assistant("No.".repeat(100))]))?;
/// # }
/// # session.push_user("Go on.");
/// let compaction = Compaction::above(2_000, estimated_tokens) // of the 200,000 tokens of a model, for example 120,000
///     .keep_replies(3)
///     .summarise(|removed: Vec<Message>| async move {
///         // A real one asks a model for the summary.
///         Ok::<_, std::io::Error>(format!("The user asked {} times why.", removed.len() / 2))
///     })
///     .on_compacted(|trimmed| println!("{} messages removed", trimmed.removed.len()));
/// session.run(&registry).compact(compaction).complete(complete).await?;
/// # Ok(())
/// # }
/// ```
#[must_use = "pass it to `Run::compact`"]
pub struct Compaction<'a> {
    above: usize,
    down_to: Option<usize>,
    keep_replies: usize,
    count: Box<Count<'a>>,
    pin: Option<Box<Pin<'a>>>,
    summarise: Option<Box<Summarise<'a>>>,
    on_compacted: Option<Box<Listener<'a>>>,
}

impl<'a> Compaction<'a> {
    /// Shortens a session whose messages have more than this size. `count` is the size of one message, in any unit: the number of
    /// a tokenizer, or [`estimated_tokens`](crate::estimated_tokens). `count` is called for each message before each request: cache
    /// a slow tokenizer.
    ///
    /// The definitions of the tools and the reply also need space in the context of the model: set a lower size than the whole
    /// context.
    pub fn above(size: usize, count: impl Fn(&Message) -> usize + Send + 'a) -> Self {
        Compaction {
            above: size,
            down_to: None,
            keep_replies: 4,
            count: Box::new(count),
            pin: None,
            summarise: None,
            on_compacted: None,
        }
    }

    /// Sets the size to which a session is shortened. Default: 40 % of the upper mark. A greater size than the upper mark counts
    /// as the upper mark.
    pub fn down_to(mut self, size: usize) -> Self {
        self.down_to = Some(size);
        self
    }

    /// Sets the number of the newest replies that stay unchanged, with their tool messages. Default: 4. 0 counts as 1.
    ///
    /// Their results stay whole, also if one of them is longer than the mark: store long results with [`Spill`](crate::Spill).
    pub fn keep_replies(mut self, replies: usize) -> Self {
        self.keep_replies = replies.max(1);
        self
    }

    /// Sets which messages stay unchanged. Default: none, apart from those that always stay.
    ///
    /// A pinned user message stays alone. With a pinned reply or tool message, its whole exchange stays; in the exchanges of the
    /// kept replies, the reply with its tool messages.
    ///
    /// ```
    /// use tool_runtime::message::Message;
    /// use tool_runtime_compaction::{Compaction, estimated_tokens};
    ///
    /// let compaction = Compaction::above(100_000, estimated_tokens)
    ///     .pin(|message| matches!(message, Message::Tool(result) if result.tool() == Some("read_style_guide")));
    /// # drop(compaction);
    /// ```
    pub fn pin(mut self, is_pinned: impl Fn(&Message) -> bool + Send + 'a) -> Self {
        self.pin = Some(Box::new(is_pinned));
        self
    }

    /// Sets the function that summarises removed messages: it asks a model, for example. Default: none; then
    /// `Earlier messages were removed.` takes their place.
    ///
    /// It receives the removed messages as they were, with the summary of an earlier compaction. After an error, the session is
    /// not changed, and the run returns the error.
    pub fn summarise<F, S, E>(mut self, mut summarise: F) -> Self
    where
        F: FnMut(Vec<Message>) -> S + Send + 'a,
        S: Future<Output = Result<String, E>> + Send + 'a,
        E: Into<HookError>,
    {
        self.summarise = Some(Box::new(move |removed| {
            let summary = summarise(removed);
            Box::pin(async move { summary.await.map_err(Into::into) })
        }));
        self
    }

    /// Sets a listener for the changes: a program stores the removed messages, for example. Default: none. It is called after the
    /// session has changed.
    pub fn on_compacted(mut self, listener: impl FnMut(&Trimmed) + Send + 'a) -> Self {
        self.on_compacted = Some(Box::new(listener));
        self
    }

    fn lower_mark(&self) -> usize {
        // Without an overflow for any size.
        let share = self.above / 5 * 2 + self.above % 5 * 2 / 5;
        self.down_to.unwrap_or(share).min(self.above)
    }

    /// The size to which these messages are shortened; `None` if they are short enough.
    fn target(&self, messages: &[Message], reason: CompactReason) -> Option<usize> {
        let size = size_of(messages, &*self.count);
        match reason {
            CompactReason::ContextTooLong => Some(self.lower_mark().min(size / 2)),
            _ => (size > self.above).then(|| self.lower_mark()),
        }
    }

    async fn compact_session(
        &mut self,
        session: &mut Session,
        reason: CompactReason,
    ) -> Result<Option<Trimmed>, HookError> {
        let Some(target) = self.target(session.messages(), reason) else { return Ok(None) };
        let limits =
            Limits { target, keep_replies: self.keep_replies, has_summary: self.summarise.is_some() };
        let mut plan = Plan::new(session.messages(), &*self.count, self.pin.as_deref(), &limits);
        if plan.changes_nothing() {
            return Ok(None);
        }
        if let (Some(summarise), true) = (&mut self.summarise, plan.removes_messages()) {
            plan.set_summary(summarise(plan.removed().to_vec()).await?);
        }
        let (messages, mut trimmed) = plan.finish();
        trimmed.is_within_budget = size_of(&messages, &*self.count) <= target;
        session.edit(|old| *old = messages)?;
        if let Some(listener) = &mut self.on_compacted {
            listener(&trimmed);
        }
        Ok(Some(trimmed))
    }
}

/// `compact` returns `None` if the session is short enough, or if every message must stay. [`Trimmed::is_within_budget`] tells
/// whether the size is within the lower mark.
impl Compact for Compaction<'_> {
    fn compact<'s>(
        &'s mut self,
        session: &'s mut Session,
        reason: CompactReason,
    ) -> HookFuture<'s, Option<Trimmed>> {
        Box::pin(self.compact_session(session, reason))
    }
}

impl fmt::Debug for Compaction<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Compaction")
            .field("above", &self.above)
            .field("down_to", &self.lower_mark())
            .field("keep_replies", &self.keep_replies)
            .finish_non_exhaustive()
    }
}
