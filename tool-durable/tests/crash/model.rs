//! The model: it follows the plan, and sends other calls if it is asked again for a reply that was lost.

use crate::ledger::{Entry, Ledger};
use crate::plan::{Failure, Plan, digest};
use futures_util::stream::{self, Stream, StreamExt as _};
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;
use tool_runtime::conversation::Request;
use tool_runtime::message::Message;
use tool_runtime::stream::Chunk;
use tool_runtime::{AssistantMessage, ToolCall};
use tool_runtime_testing::{ScriptedModel, ScriptedModelError, ScriptedReply};

pub(crate) struct Model {
    script: ScriptedModel,
    plan: Arc<Plan>,
    ledger: Ledger,
}

impl Model {
    /// The model of a session.
    pub(crate) fn new(plan: &Arc<Plan>, ledger: &Ledger) -> Self {
        let (ledger, plan) = (ledger.clone(), Arc::clone(plan));
        let script = {
            let (ledger, plan) = (ledger.clone(), Arc::clone(&plan));
            ScriptedModel::repeat(ScriptedReply::from_fn(move |request| {
                let reply = number_of_replies(request.messages());
                let ask = ledger.write_asked(reply, digest_of(request.messages()));
                sent(&plan, reply, ask)
            }))
        };
        Model { script, plan, ledger }
    }

    /// Writes that the newest reply with this number has arrived, unless it is interrupted.
    fn write_replied(&self, reply: u64) {
        let ask = self.ledger.asks(reply).saturating_sub(1);
        if self.plan.failure(reply, ask).is_none() {
            self.ledger.write(Entry::Replied { reply, ask });
        }
    }

    pub(crate) async fn complete(&self, request: Request) -> Result<AssistantMessage, ScriptedModelError> {
        let reply = number_of_replies(request.messages());
        let message = self.script.complete(request).await?;
        self.write_replied(reply);
        Ok(message)
    }

    pub(crate) async fn stream(
        &self,
        request: Request,
    ) -> Result<impl Stream<Item = Chunk> + use<'_>, ScriptedModelError> {
        let reply = number_of_replies(request.messages());
        let chunks = self.script.stream(request).await?.peekable();
        Ok(stream::unfold(chunks, move |mut chunks| async move {
            let chunk = chunks.next().await?;
            if Pin::new(&mut chunks).peek().await.is_none() {
                self.write_replied(reply);
            }
            Some((chunk, chunks))
        }))
    }
}

pub(crate) fn number_of_replies(messages: &[Message]) -> u64 {
    messages.iter().filter(|message| matches!(message, Message::Assistant(_))).count() as u64
}

/// A digest of the messages of a request.
pub(crate) fn digest_of(messages: &[Message]) -> u64 {
    digest(&serde_json::to_string(messages).expect("messages are JSON"))
}

/// The reply that the model sends.
fn sent(plan: &Plan, reply: u64, ask: u64) -> ScriptedReply {
    let mut random = plan.random(("reply", reply, ask));
    let calls = plan.calls(reply, ask);
    let message = if calls.is_empty() {
        AssistantMessage::from_text(format!("Answer {reply}-{ask}."))
    } else {
        // The ids are the same in each reply.
        let call = |(position, call): (usize, crate::plan::PlannedCall)| {
            ToolCall::new(format!("call_{position}"), call.tool.name(), call.arguments.to_string())
        };
        AssistantMessage::from_tool_calls(calls.into_iter().enumerate().map(call))
    };
    let sent = match plan.failure(reply, ask) {
        Some(Failure::Error) => ScriptedReply::error("busy"),
        Some(Failure::Interrupted) => ScriptedReply::from(message).interrupted_after(random.usize(1..6)),
        None => ScriptedReply::from(message),
    };
    let delays = (Duration::from_millis(random.u64(..4)), Duration::from_micros(random.u64(..400)));
    sent.with_delay(delays.0).with_chunk_delay(delays.1)
}
