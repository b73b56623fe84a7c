//! The journal of a program: its calls, their results and its replies.

use crate::error::JournalError;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::pin::Pin;
use std::sync::Arc;
use tool_runtime::dispatch::{CallKey, ToolResult};
use tool_runtime::message::{Message, stored};
use tool_runtime::{AssistantMessage, ToolMessage};

/// The future of a [`Journal`].
pub type JournalFuture<'a, T> = Pin<Box<dyn Future<Output = Result<T, JournalError>> + Send + 'a>>;

/// Records which calls have begun, how they ended, and the replies that contain them. [`FileJournal`](crate::FileJournal) is
/// one in a file.
///
/// A journal stores records and tracks which calls run now. A [`JournaledRun`](crate::JournaledRun) and
/// [`record_calls`](crate::record_calls) compare calls and decide which of them run, by the rules of the
/// [crate documentation](crate).
///
/// A record is stored safely when the future of its method is ready. After an error, and if the future is dropped, it may be
/// stored or not. [`CallKey`] identifies a call; its `Display` text is unique, and all records serialize with serde. A store that
/// several processes share must know whether the process that began a call still runs: until then, the call is
/// [`Running`](JournalError::Running).
///
/// A store that removes the records of a run also removes those of its inner sessions, since a later run has the same keys: their
/// run ids are the texts of the keys of the run's calls, followed by further numbers for sessions in them. It keeps them while one
/// of these calls has begun and has no result.
pub trait Journal: Send + Sync {
    /// The record of the call with this key; `None` if it has not begun.
    fn find_call<'a>(&'a self, key: &'a CallKey) -> JournalFuture<'a, Option<RecordedCall>>;

    /// Records that a call begins. If its key is recorded already, the record stays and is returned: the call has begun in a
    /// process that has ended, or earlier in this one.
    ///
    /// In both cases the call runs from now until [`release_call`](Journal::release_call), which follows each success. After an
    /// error, and if the future is dropped, the call does not run.
    ///
    /// # Errors
    ///
    /// [`JournalError::Running`] if the call runs already.
    fn begin_call<'a>(&'a self, call: &'a JournalCall) -> JournalFuture<'a, Option<RecordedCall>>;

    /// Records the result of a call that has begun; the error of an interrupted call is one. A result that is recorded already
    /// stays.
    fn finish_call<'a>(&'a self, key: &'a CallKey, result: &'a ToolResult) -> JournalFuture<'a, ()>;

    /// The call does not run any more in this process: it has finished, or its future is dropped.
    fn release_call(&self, key: &CallKey);

    /// The reply with this number of a run; `None` if it is not recorded.
    fn find_reply<'a>(&'a self, run_id: &'a str, number: u64) -> JournalFuture<'a, Option<JournalReply>>;

    /// Records a reply, before any of its calls begins. If a reply with its run id and number is recorded already, nothing is
    /// changed, and `false` is returned.
    fn record_reply<'a>(&'a self, reply: &'a JournalReply) -> JournalFuture<'a, bool>;
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
    #[serde(default, skip_serializing_if = "Vec::is_empty", with = "stored_results")]
    pub results: Vec<ToolMessage>,
    /// The arguments of the calls before the reply that differ from those of the model, by the ids of the calls: a person has
    /// edited them, or they were coerced.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub arguments: BTreeMap<String, String>,
    /// The reply.
    #[serde(with = "stored_reply")]
    pub message: AssistantMessage,
}

/// The stored form of tool messages: a list of messages.
mod stored_results {
    use super::{Message, ToolMessage, stored};
    use serde::de::Error as _;
    use serde::{Deserializer, Serializer};

    pub(super) fn serialize<S: Serializer>(
        results: &[ToolMessage],
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        let messages: Vec<Message> = results.iter().cloned().map(Message::Tool).collect();
        stored::serialize(&messages, serializer)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Vec<ToolMessage>, D::Error> {
        let messages: Vec<Message> = stored::deserialize(deserializer)?;
        let results = messages.into_iter().map(|message| match message {
            Message::Tool(result) => Ok(result),
            _ => Err(D::Error::custom("the results of a recorded reply are tool messages")),
        });
        results.collect()
    }
}

/// The stored form of a reply: a list with one message.
mod stored_reply {
    use super::{AssistantMessage, Message, stored};
    use serde::de::Error as _;
    use serde::{Deserializer, Serializer};

    pub(super) fn serialize<S: Serializer>(
        reply: &AssistantMessage,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        stored::serialize(&[Message::Assistant(reply.clone())], serializer)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<AssistantMessage, D::Error> {
        let messages: Vec<Message> = stored::deserialize(deserializer)?;
        match <[Message; 1]>::try_from(messages) {
            Ok([Message::Assistant(reply)]) => Ok(reply),
            _ => Err(D::Error::custom("a recorded reply is a list with one reply")),
        }
    }
}

impl<J: Journal + ?Sized> Journal for Arc<J> {
    fn find_call<'a>(&'a self, key: &'a CallKey) -> JournalFuture<'a, Option<RecordedCall>> {
        (**self).find_call(key)
    }

    fn begin_call<'a>(&'a self, call: &'a JournalCall) -> JournalFuture<'a, Option<RecordedCall>> {
        (**self).begin_call(call)
    }

    fn finish_call<'a>(&'a self, key: &'a CallKey, result: &'a ToolResult) -> JournalFuture<'a, ()> {
        (**self).finish_call(key, result)
    }

    fn release_call(&self, key: &CallKey) {
        (**self).release_call(key);
    }

    fn find_reply<'a>(&'a self, run_id: &'a str, number: u64) -> JournalFuture<'a, Option<JournalReply>> {
        (**self).find_reply(run_id, number)
    }

    fn record_reply<'a>(&'a self, reply: &'a JournalReply) -> JournalFuture<'a, bool> {
        (**self).record_reply(reply)
    }
}
