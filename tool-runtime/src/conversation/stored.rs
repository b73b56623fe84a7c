//! Serialization of pending calls, without loss.

use super::pending::CallState;
use super::{Conversation, PendingCalls};
use crate::fingerprint::Fingerprint;
use crate::message::stored::{self, StoredReply, StoredResult};
use crate::message::{AssistantMessage, Message, ToolMessage};
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::collections::HashSet;

#[derive(Serialize)]
struct Written<'a> {
    /// The messages before the reply.
    #[serde(serialize_with = "stored::serialize")]
    messages: &'a [Message],
    reply: StoredReply<'a>,
    calls: Vec<StoredCall<'a>>,
}

#[derive(Deserialize)]
#[serde(expecting = "pending calls")]
struct Read<'a> {
    #[serde(deserialize_with = "stored::deserialize")]
    messages: Conversation,
    reply: StoredReply<'a>,
    calls: Vec<StoredCall<'a>>,
}

/// The state of a call.
#[derive(Serialize, Deserialize)]
struct StoredCall<'a> {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    approved: Option<Fingerprint>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    result: Option<StoredResult<'a>>,
}

impl Serialize for PendingCalls {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let calls = self.states.iter().map(|state| StoredCall {
            approved: state.approved,
            result: state.result.as_ref().map(StoredResult::from),
        });
        let messages = self.before.messages();
        Written { messages, reply: (&*self.reply).into(), calls: calls.collect() }.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for PendingCalls {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let Read { messages: before, reply, calls } = Read::deserialize(deserializer)?;
        let reply = AssistantMessage::from(reply);
        if reply.tool_calls.is_empty() || reply.tool_calls.len() != calls.len() {
            return Err(D::Error::custom(format_args!(
                "the reply has {} calls, but there are states of {}: these are not pending calls",
                reply.tool_calls.len(),
                calls.len()
            )));
        }
        let mut states = Vec::with_capacity(calls.len());
        let mut ids = HashSet::new();
        for (call, StoredCall { approved, result }) in reply.tool_calls.iter().zip(calls) {
            if call.id.is_empty() || !ids.insert(&*call.id) {
                let problem =
                    if call.id.is_empty() { "a call has no id" } else { "two calls have the same id" };
                return Err(D::Error::custom(format_args!("{problem}: these are not pending calls")));
            }
            let result = result.map(ToolMessage::from);
            if let Some(result) = result.as_ref().filter(|result| result.tool_call_id != call.id) {
                return Err(D::Error::custom(format_args!(
                    "the tool message `{}` does not belong to the call `{}`: these are not pending calls",
                    result.tool_call_id, call.id
                )));
            }
            states.push(CallState { result, approved });
        }
        Ok(PendingCalls { before, reply: Box::new(reply), states })
    }
}
