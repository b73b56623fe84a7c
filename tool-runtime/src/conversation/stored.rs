//! Serialization of pending calls.

use super::pending::{CallState, Fingerprint};
use super::{Conversation, PendingCalls};
use crate::message::{AssistantMessage, Echo, ToolMessage};
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::borrow::Cow;

#[derive(Serialize, Deserialize)]
#[serde(expecting = "pending calls")]
struct Stored<'a> {
    /// The messages before the reply.
    messages: Cow<'a, Conversation>,
    reply: Cow<'a, AssistantMessage>,
    /// The finish reason, which the serialized reply does not contain.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    finish_reason: Option<Cow<'a, str>>,
    echo: Echo,
    calls: Vec<StoredCall<'a>>,
}

#[derive(Serialize, Deserialize)]
struct StoredCall<'a> {
    /// Name and arguments from the model, if the serialized reply has repaired ones.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    as_called: Option<(Cow<'a, str>, Cow<'a, str>)>,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    is_cut_off: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    approved: Option<Cow<'a, Fingerprint>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    answer: Option<Cow<'a, ToolMessage>>,
}

impl Serialize for PendingCalls {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let calls = self.calls().iter().zip(&self.states).map(|(call, state)| StoredCall {
            as_called: call.is_written_repaired().then(|| ((&*call.name).into(), (&*call.arguments).into())),
            is_cut_off: call.is_cut_off,
            approved: state.approved.as_ref().map(Cow::Borrowed),
            answer: state.answer.as_ref().map(Cow::Borrowed),
        });
        let stored = Stored {
            messages: Cow::Borrowed(&self.before),
            reply: Cow::Borrowed(&self.reply),
            finish_reason: self.reply.finish_reason().map(Cow::Borrowed),
            echo: self.before.echo,
            calls: calls.collect(),
        };
        stored.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for PendingCalls {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let Stored { messages, reply, finish_reason, echo, calls } = Stored::deserialize(deserializer)?;
        let mut reply = reply.into_owned();
        if let Some(reason) = finish_reason {
            reply = reply.with_finish_reason(reason);
        }
        if reply.tool_calls.is_empty() || reply.tool_calls.len() != calls.len() {
            return Err(D::Error::custom(format_args!(
                "the reply has {} calls, but there are states of {}: these are not pending calls",
                reply.tool_calls.len(),
                calls.len()
            )));
        }
        let mut states = Vec::with_capacity(calls.len());
        for (call, stored) in reply.tool_calls.iter_mut().zip(calls) {
            if let Some((name, arguments)) = stored.as_called {
                (call.name, call.arguments) = (name.into_owned(), arguments.into_owned());
            }
            call.is_cut_off = stored.is_cut_off;
            let answer = stored.answer.map(Cow::into_owned);
            if let Some(answer) = answer.as_ref().filter(|answer| answer.tool_call_id != call.id) {
                return Err(D::Error::custom(format_args!(
                    "the tool message `{}` does not belong to the call `{}`: these are not pending calls",
                    answer.tool_call_id, call.id
                )));
            }
            states.push(CallState { answer, approved: stored.approved.map(Cow::into_owned) });
        }
        let mut ids = std::collections::HashSet::new();
        if let Some(call) = reply.tool_calls.iter().find(|call| call.id.is_empty() || !ids.insert(&*call.id))
        {
            let problem = if call.id.is_empty() { "a call has no id" } else { "two calls have the same id" };
            return Err(D::Error::custom(format_args!("{problem}: these are not pending calls")));
        }
        let before = messages.into_owned().echo(echo);
        Ok(PendingCalls { before, reply: Box::new(reply.echo(echo)), states })
    }
}
