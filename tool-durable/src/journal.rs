//! The journal of a program: its calls, their results and its replies.

use crate::error::JournalError;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::pin::Pin;
use std::sync::Arc;
use tool_runtime::dispatch::{CallKey, ToolResult};
use tool_runtime::message::stored;
use tool_runtime::session::MessageChanges;
use tool_runtime::{AssistantMessage, ToolMessage};

/// The future of a [`Journal`].
pub type JournalFuture<'a, T> = Pin<Box<dyn Future<Output = Result<T, JournalError>> + Send + 'a>>;

/// Records which calls have begun, how they ended, and the replies that contain them. [`FileJournal`](crate::FileJournal) is
/// one in a file.
///
/// A journal stores records, and knows which calls run now and which replies are requested now. A run with a journal and
/// [`record_calls`](crate::record_calls) compare calls and decide which of them run, by the rules of the
/// [crate documentation](crate).
///
/// [`JournalError::storage`] makes an error of the store.
///
/// A record is stored safely when the future of its method is ready. After an error, and if the future is dropped, it may be
/// stored or not. [`CallKey`] identifies a call; its `Display` text is unique, and all records serialize with serde.
///
/// # Stores that processes share
///
/// Several runs of a session, in one process or in many, may use the store at once. One run at a time holds a call or the request
/// of a reply, and the others wait. The store must know whether the process of a run has ended: then the run holds nothing any more,
/// its call counts as interrupted, and another run requests the reply. Usually the process renews a lease, and a process that cannot
/// renew it in time must stop before the lease ends.
///
/// `tool_runtime_durable::testing` (feature `testing`) checks a store by these rules.
pub trait Journal: Send + Sync {
    /// The records of the calls of a reply, in any order.
    fn find_calls<'a>(&'a self, run_id: &'a str, reply: u64) -> JournalFuture<'a, Vec<RecordedCall>>;

    /// Begins a call, and returns its earlier record:
    ///
    /// - `None`: the call is new. It is recorded, and the caller holds it and runs it.
    /// - A record without a result: an earlier run was interrupted. The record does not change, whatever the call is. The caller
    ///   holds the call, and runs it again or records an error.
    /// - A record with a result: the call has finished. Nobody holds it.
    ///
    /// While another run holds the call, this waits. The caller holds the call until [`finish_call`](Journal::finish_call) or
    /// [`release_call`](Journal::release_call). After an error, and if the future is dropped, it does not hold the call.
    fn begin_call<'a>(&'a self, call: &'a JournalCall) -> JournalFuture<'a, Option<RecordedCall>>;

    /// Records the result of a call that has begun, which may be the error of an interrupted call, and releases the call. A result
    /// that is recorded already stays. A call that has not begun is an error.
    fn finish_call<'a>(&'a self, key: &'a CallKey, result: &'a ToolResult) -> JournalFuture<'a, ()>;

    /// Releases a call without a result: its future was dropped, or its result cannot be recorded. The next
    /// [`begin_call`](Journal::begin_call) returns its record without a result. If this process does not hold the call, nothing
    /// happens.
    ///
    /// This is called while a future is dropped. So its own future is polled once, and then completed in a task of Tokio. Without a
    /// Tokio runtime, it is dropped, and the store releases the call when the process has ended.
    fn release_call<'a>(&'a self, key: &'a CallKey) -> JournalFuture<'a, ()>;

    /// The reply with this number of a run; `None` if it is not recorded.
    fn find_reply<'a>(&'a self, run_id: &'a str, number: u64) -> JournalFuture<'a, Option<JournalReply>>;

    /// The reply with this number of a run; `None` if it is not recorded: then the caller holds its request, and asks the model.
    ///
    /// While another run holds the request, this waits. The caller holds it until [`record_reply`](Journal::record_reply) or
    /// [`release_reply`](Journal::release_reply). After an error, and if the future is dropped, it does not hold the request.
    fn begin_reply<'a>(&'a self, run_id: &'a str, number: u64) -> JournalFuture<'a, Option<JournalReply>>;

    /// Records a reply, before any of its calls begins, and releases its request. If a reply with its run id and number is recorded
    /// already, it stays, the request is released as well, and `false` is returned.
    fn record_reply<'a>(&'a self, reply: &'a JournalReply) -> JournalFuture<'a, bool>;

    /// Releases the request of a reply that is not recorded: the client had an error, for example. Its future is completed like that
    /// of [`release_call`](Journal::release_call).
    fn release_reply<'a>(&'a self, run_id: &'a str, number: u64) -> JournalFuture<'a, ()>;

    /// Removes the records with this run id and those of its inner sessions, including those of calls that have no result.
    /// Store the session safely before: a session that runs again from an earlier state would repeat the effects. Later runs
    /// with the same run id record anew.
    ///
    /// The run ids of inner sessions ([`CallContext::child_run_context`](tool_runtime::CallContext::child_run_context))
    /// continue that of the outer one with a slash and a decimal number, twice for each call: `order-7/2/0` and `order-7/2/0/0/1` are
    /// inner runs of `order-7`, and `order-7/2`, `order-7/a/0` and `order-70/2/0` are not. Do not choose such an id for another
    /// session: the removal of `orders` also removes the records of `orders/2024/11`.
    ///
    /// A store that removes records by itself keeps those of inner sessions while a call around them has begun and has no result.
    ///
    /// # Errors
    ///
    /// [`JournalError::InProgress`] if a run holds a call or a request of this run or of an inner session.
    fn remove_run<'a>(&'a self, run_id: &'a str) -> JournalFuture<'a, ()>;
}

/// A call as a [`Journal`] records it when it begins.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct JournalCall {
    /// The run, the number of the reply, and the position of the call in it.
    pub key: CallKey,
    /// The id of the call.
    pub id: String,
    /// The name of the tool.
    pub tool: String,
    /// The arguments that the tool receives: the text of one JSON object.
    pub arguments: String,
}

/// A call in a [`Journal`].
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct RecordedCall {
    /// The call as it began.
    pub call: JournalCall,
    /// Its result; `None` if the call was interrupted.
    pub result: Option<ToolResult>,
}

impl RecordedCall {
    /// The record of a call.
    #[must_use]
    pub fn new(call: JournalCall, result: Option<ToolResult>) -> Self {
        RecordedCall { call, result }
    }
}

/// A reply in a [`Journal`].
#[derive(Clone, Debug, Serialize, Deserialize)]
#[non_exhaustive]
pub struct JournalReply {
    /// The run of the reply.
    pub run_id: String,
    /// The number of the reply in its session, from 0.
    pub number: u64,
    /// The text of the newest user message before the reply.
    pub user_text: String,
    /// The results that the reply follows, if they differ from those of the recorded calls: of calls that did not begin, such
    /// as denied ones, and of truncated texts.
    #[serde(default, skip_serializing_if = "Vec::is_empty", with = "stored::results")]
    pub results: Vec<ToolMessage>,
    /// The arguments of the calls before the reply that differ from those of the model, by the ids of the calls: a person has
    /// edited them, or they were coerced.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub arguments: BTreeMap<String, String>,
    /// The changes of the inbox, the hooks and the compaction of the run before the reply.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub changes: Option<MessageChanges>,
    /// The reply.
    #[serde(with = "stored::reply")]
    pub message: AssistantMessage,
}

impl JournalReply {
    /// The text of the newest user message before the changes of the run.
    pub(crate) fn user_text_before(&self) -> &str {
        self.changes.as_ref().map_or(&self.user_text, |changes| &changes.user_text)
    }
}

/// Implements each method with that of the journal in an `Arc`.
macro_rules! journal_in_arc {
    ($($method:ident($($argument:ident: $type:ty),*) -> $output:ty;)*) => {
        impl<J: Journal + ?Sized> Journal for Arc<J> {
            $(fn $method<'a>(&'a self, $($argument: $type),*) -> JournalFuture<'a, $output> {
                (**self).$method($($argument),*)
            })*
        }
    };
}

journal_in_arc! {
    find_calls(run_id: &'a str, reply: u64) -> Vec<RecordedCall>;
    begin_call(call: &'a JournalCall) -> Option<RecordedCall>;
    finish_call(key: &'a CallKey, result: &'a ToolResult) -> ();
    release_call(key: &'a CallKey) -> ();
    find_reply(run_id: &'a str, number: u64) -> Option<JournalReply>;
    begin_reply(run_id: &'a str, number: u64) -> Option<JournalReply>;
    record_reply(reply: &'a JournalReply) -> bool;
    release_reply(run_id: &'a str, number: u64) -> ();
    remove_run(run_id: &'a str) -> ();
}
