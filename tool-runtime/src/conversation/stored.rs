//! Serialization of pending calls, without loss.

use super::pending::{CallState, Edit, Phase, ReplacedArguments, WaitsFor};
use super::{Conversation, FinishedCall, InnerPending, PendingCalls};
use crate::fingerprint::Fingerprint;
use crate::message::stored::{self, Stored};
use crate::message::{AssistantMessage, Message, RemovedIds, ToolMessage};
use crate::outcome::Truncated;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::borrow::Cow;
use std::collections::{HashSet, VecDeque};
use std::sync::Arc;

#[derive(Serialize)]
struct Written<'a> {
    /// The messages before the reply.
    #[serde(serialize_with = "stored::serialize")]
    messages: &'a [Message],
    reply: Stored<'a, AssistantMessage>,
    calls: Vec<StoredCall<'a>>,
    #[serde(skip_serializing_if = "RemovedIds::is_empty")]
    removed_ids: &'a RemovedIds,
    #[serde(skip_serializing_if = "VecDeque::is_empty")]
    unreported: &'a VecDeque<FinishedCall>,
}

#[derive(Deserialize)]
#[serde(expecting = "pending calls")]
struct Read<'a> {
    #[serde(deserialize_with = "stored::deserialize")]
    messages: Conversation,
    reply: Stored<'a, AssistantMessage>,
    calls: Vec<StoredCall<'a>>,
    #[serde(default)]
    removed_ids: RemovedIds,
    #[serde(default)]
    unreported: VecDeque<FinishedCall>,
}

/// Pending calls without the messages before their reply.
#[derive(Serialize, Deserialize)]
pub(crate) struct StoredPending<'a> {
    reply: Stored<'a, AssistantMessage>,
    calls: Vec<StoredCall<'a>>,
}

/// The state of a call.
#[derive(Serialize, Deserialize)]
struct StoredCall<'a> {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    approved: Option<Fingerprint>,
    #[serde(default, skip_serializing_if = "is_false")]
    is_edited: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    replaced: Option<ReplacedArguments>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    edit: Option<String>,
    #[serde(default, skip_serializing_if = "is_false")]
    has_begun: bool,
    #[serde(default, skip_serializing_if = "is_false")]
    is_counted: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    waits_for: Option<WaitsFor>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    result: Option<Stored<'a, ToolMessage>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    inner: Option<Box<StoredInner<'a>>>,
}

/// The calls that the tool of a call has made.
#[derive(Serialize, Deserialize)]
struct StoredInner<'a> {
    made: Cow<'a, [Fingerprint]>,
    #[serde(flatten)]
    calls: StoredPending<'a>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde requires a reference")]
fn is_false(value: &bool) -> bool {
    !value
}

impl<'a> From<&'a PendingCalls> for StoredPending<'a> {
    fn from(pending: &'a PendingCalls) -> Self {
        let calls = pending.states.iter().map(StoredCall::from);
        StoredPending { reply: (&*pending.reply).into(), calls: calls.collect() }
    }
}

impl<'a> From<&'a CallState> for StoredCall<'a> {
    fn from(state: &'a CallState) -> Self {
        let CallState { phase, edit, is_counted, inner } = state;
        let (approved, waits_for) = match phase {
            Phase::Approved { fingerprint, .. } => (Some(*fingerprint), None),
            Phase::Waiting { waits_for, .. } => (None, Some(waits_for.clone())),
            Phase::Undecided | Phase::Begun | Phase::Finished(_) => (None, None),
        };
        StoredCall {
            approved,
            is_edited: edit.is_some(),
            replaced: edit.as_ref().and_then(|edit| edit.replaced.clone()),
            edit: edit.as_ref().and_then(|edit| edit.arguments.clone()),
            has_begun: state.has_begun(),
            is_counted: *is_counted,
            waits_for,
            result: state.result().map(Stored::from),
            inner: inner.as_ref().filter(|inner| inner.has_begun()).map(|inner| {
                Box::new(StoredInner { made: Cow::Borrowed(&inner.made), calls: (&inner.calls).into() })
            }),
        }
    }
}

impl TryFrom<StoredCall<'_>> for CallState {
    type Error = String;

    fn try_from(stored: StoredCall<'_>) -> Result<Self, String> {
        let StoredCall {
            approved,
            is_edited,
            replaced,
            edit,
            has_begun,
            is_counted,
            waits_for,
            result,
            inner,
        } = stored;
        let phase = match (result, waits_for, approved) {
            (Some(result), ..) => Phase::Finished(result.into_inner()),
            (None, Some(waits_for), _) => Phase::Waiting { waits_for, has_begun },
            (None, None, Some(fingerprint)) => Phase::Approved { fingerprint, has_begun },
            (None, None, None) if has_begun => Phase::Begun,
            (None, None, None) => Phase::Undecided,
        };
        let edit = is_edited.then_some(Edit { replaced, arguments: edit });
        let inner = inner.map(|inner| inner.into_inner().map(Box::new)).transpose()?;
        Ok(CallState { phase, edit, is_counted, inner })
    }
}

impl StoredInner<'_> {
    fn into_inner(self) -> Result<InnerPending, String> {
        let (made, calls) = (self.made.into_owned(), self.calls.into_pending(Conversation::new())?);
        if made.len() == calls.calls().len() {
            Ok(InnerPending { made, calls })
        } else {
            Err("a call of a tool has no fingerprint: these are not pending calls".to_owned())
        }
    }
}

impl StoredCall<'_> {
    /// Whether the call has a result and still waits.
    fn is_contradictory(&self) -> bool {
        let waits = self.approved.is_some() || self.edit.is_some() || self.waits_for.is_some();
        self.result.is_some() && (waits || self.has_begun || self.inner.is_some())
    }
}

impl StoredPending<'_> {
    /// # Errors
    ///
    /// The states do not belong to the calls of the reply.
    pub(crate) fn into_pending(self, before: Conversation) -> Result<PendingCalls, String> {
        let StoredPending { reply, calls } = self;
        let reply = reply.into_inner();
        if reply.tool_calls.is_empty() || reply.tool_calls.len() != calls.len() {
            return Err(format!(
                "the reply has {} calls and {} stored states: these are not pending calls",
                reply.tool_calls.len(),
                calls.len()
            ));
        }
        let mut states = Vec::with_capacity(calls.len());
        let mut ids = HashSet::new();
        for (call, stored) in reply.tool_calls.iter().zip(calls) {
            if call.id.is_empty() || !ids.insert(&*call.id) {
                let problem =
                    if call.id.is_empty() { "a call has no id" } else { "two calls have the same id" };
                return Err(format!("{problem}: these are not pending calls"));
            }
            if stored.is_contradictory() {
                return Err(format!(
                    "the call `{}` has a result and still waits: these are not pending calls",
                    Truncated(&call.id)
                ));
            }
            let state = CallState::try_from(stored)?;
            if let Some(result) = state.result().filter(|result| result.tool_call_id != call.id) {
                return Err(format!(
                    "the tool message `{}` does not belong to the call `{}`: these are not pending calls",
                    Truncated(&result.tool_call_id),
                    Truncated(&call.id)
                ));
            }
            if state.handed_out().is_some_and(|handed_out| handed_out.id != call.id) {
                return Err(format!(
                    "the call that is handed out is not the call `{}`: these are not pending calls",
                    Truncated(&call.id)
                ));
            }
            states.push(state);
        }
        Ok(PendingCalls::with_states(before, reply, states))
    }
}

impl Serialize for PendingCalls {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let (messages, removed_ids) = (self.before.messages(), &**self.before.removed_ids());
        let StoredPending { reply, calls } = self.into();
        let unreported = &self.before.unreported;
        Written { messages, reply, calls, removed_ids, unreported }.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for PendingCalls {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let Read { messages: mut before, reply, calls, removed_ids, unreported } =
            Read::deserialize(deserializer)?;
        before.set_removed_ids(removed_ids);
        before.unreported = Arc::new(unreported);
        StoredPending { reply, calls }.into_pending(before).map_err(D::Error::custom)
    }
}
