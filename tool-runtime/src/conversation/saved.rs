//! Pending calls on disk, and back.

use super::pending::{CallState, Fingerprint};
use super::{Conversation, PendingCalls};
use crate::message::{AssistantMessage, Echo, ToolMessage};
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::borrow::Cow;

#[derive(Serialize, Deserialize)]
#[serde(expecting = "pending calls")]
struct Saved<'a> {
    /// Those before the reply.
    messages: Cow<'a, Conversation>,
    reply: Cow<'a, AssistantMessage>,
    /// That of the reply, which is not written with it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    finish_reason: Option<Cow<'a, str>>,
    echo: Echo,
    calls: Vec<SavedCall<'a>>,
}

#[derive(Serialize, Deserialize)]
struct SavedCall<'a> {
    /// Name and arguments as the model wrote them, where the reply is written with others.
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
        let calls = self.calls().iter().zip(&self.states).map(|(call, state)| SavedCall {
            as_called: call.is_written_mended().then(|| ((&*call.name).into(), (&*call.arguments).into())),
            is_cut_off: call.is_cut_off,
            approved: state.approved.as_ref().map(Cow::Borrowed),
            answer: state.answer.as_ref().map(Cow::Borrowed),
        });
        let saved = Saved {
            messages: Cow::Borrowed(&self.before),
            reply: Cow::Borrowed(&self.reply),
            finish_reason: self.reply.finish_reason().map(Cow::Borrowed),
            echo: self.before.echo,
            calls: calls.collect(),
        };
        saved.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for PendingCalls {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let Saved { messages, reply, finish_reason, echo, calls } = Saved::deserialize(deserializer)?;
        let mut reply = reply.into_owned();
        if let Some(reason) = finish_reason {
            reply = reply.with_finish_reason(reason);
        }
        if reply.tool_calls.is_empty() || reply.tool_calls.len() != calls.len() {
            return Err(D::Error::custom(format_args!(
                "the reply has {} calls, and the state is that of {}: these are not pending calls",
                reply.tool_calls.len(),
                calls.len()
            )));
        }
        let mut states = Vec::with_capacity(calls.len());
        for (call, saved) in reply.tool_calls.iter_mut().zip(calls) {
            if let Some((name, arguments)) = saved.as_called {
                (call.name, call.arguments) = (name.into_owned(), arguments.into_owned());
            }
            call.is_cut_off = saved.is_cut_off;
            let answer = saved.answer.map(Cow::into_owned);
            if let Some(answer) = answer.as_ref().filter(|answer| answer.tool_call_id != call.id) {
                return Err(D::Error::custom(format_args!(
                    "the answer `{}` is not for the call `{}`: these are not pending calls",
                    answer.tool_call_id, call.id
                )));
            }
            states.push(CallState { answer, approved: saved.approved.map(Cow::into_owned) });
        }
        let mut ids = std::collections::HashSet::new();
        if let Some(call) = reply.tool_calls.iter().find(|call| call.id.is_empty() || !ids.insert(&*call.id))
        {
            let problem = if call.id.is_empty() { "a call has no id" } else { "two calls have one id" };
            return Err(D::Error::custom(format_args!("{problem}: these are not pending calls")));
        }
        let before = messages.into_owned().echo(echo);
        Ok(PendingCalls { before, reply: Box::new(reply.echo(echo)), states })
    }
}
