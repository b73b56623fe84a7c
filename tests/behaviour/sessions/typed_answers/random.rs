//! Random replies, drops and storage: a session with typed answers stays valid, and an answer has its type.

use super::{INVALID, Invoice, Setup, VALID, find, setups, stored};
use fastrand::Rng;
use std::future::{Future, poll_fn};
use std::pin::pin;
use std::sync::Arc;
use std::task::Poll;
use std::time::Duration;
use tool_runtime::message::Message;
use tool_runtime::session::{RunEnd, TypedEnd};
use tool_runtime::{AssistantMessage, Registry, Session, ToolCall, tools};
use tool_runtime_testing::{ScriptedModel, ScriptedReply, assert_valid};

/// The number of rounds; `TYPED_ROUNDS` sets another one.
const ROUNDS: usize = 200;

const MAX_REPLIES: usize = 4;

fn reply(setup: &Setup, random: &mut Rng) -> ScriptedReply {
    let call = |id: usize, tool: &str, arguments: &str| ToolCall::new(format!("call_{id}"), tool, arguments);
    let text = |text: &str| AssistantMessage::from_text(text).into();
    let mut calls: Vec<ToolCall> = (0..random.usize(1..4))
        .map(|id| match random.u8(..5) {
            0 => call(id, "final_answer", VALID),
            1 => call(id, "final_answer", INVALID),
            2 => call(id, "find", "{}"),
            3 => call(id, "nothing", "{}"),
            _ => call(id, "find", r#"{"order":7}"#),
        })
        .collect();
    let reply: ScriptedReply = match random.u8(..12) {
        0 | 1 => setup.answer(VALID).into(),
        2 | 3 => setup.answer(INVALID).into(),
        4 => text(VALID),
        5 => text("It is A-7."),
        6 => text(""),
        7 => ScriptedReply::refusal("I cannot do that."),
        8 => ScriptedReply::error("overloaded"),
        9 => {
            let reason = match setup.wire.name() {
                "gemini" => "MAX_TOKENS",
                "gemini_interactions" => "incomplete",
                "anthropic" | "bedrock" => "max_tokens",
                _ => "length",
            };
            setup.answer(&VALID[..random.usize(1..VALID.len())]).with_finish_reason(reason).into()
        }
        _ => AssistantMessage::from_tool_calls(std::mem::take(&mut calls)).into(),
    };
    if random.u8(..10) == 0 { reply.interrupted_after(random.usize(1..4)) } else { reply }
}

/// Polls the future at most so many times.
async fn at_most<T>(mut polls: usize, future: impl Future<Output = T>) -> Option<T> {
    let mut future = pin!(future);
    poll_fn(|context| match future.as_mut().poll(context) {
        Poll::Ready(output) => Poll::Ready(Some(output)),
        Poll::Pending if polls == 0 => Poll::Ready(None),
        Poll::Pending => {
            polls -= 1;
            Poll::Pending
        }
    })
    .await
}

fn replies_since_user(session: &Session) -> usize {
    let is_user =
        |message: &&Message| matches!(message, Message::User(_)) && !message.text().starts_with("Error: ");
    let since = session.messages().rsplit(|message| is_user(&message)).next().unwrap_or_default();
    since.iter().filter(|message| matches!(message, Message::Assistant(_))).count()
}

#[tokio::test(start_paused = true)]
async fn a_session_is_valid_whatever_the_model_answers() {
    let mut random = crate::seeded();
    let rounds = std::env::var("TYPED_ROUNDS").ok().and_then(|rounds| rounds.parse().ok()).unwrap_or(ROUNDS);
    let (mut answered, mut other_ends, mut stopped) = (0, 0, 0);
    for _ in 0..rounds {
        let setup = random.choice(setups()).expect("there are setups");
        let registry = Registry::new(tools![find]).expect("one tool");
        let replies: Vec<_> =
            (0..30).map(|_| reply(&setup, &mut random).with_chunk_delay(Duration::from_millis(1))).collect();
        let model = ScriptedModel::new(replies);
        let mut session = Session::new().user("Which invoice is open?");
        for _ in 0..random.usize(1..6) {
            let is_typed = random.u8(..4) > 0;
            let polls = if random.bool() { usize::MAX } else { random.usize(..30) };
            let run = session.run(&registry).wire(Arc::clone(&setup.wire)).max_replies(MAX_REPLIES);
            // `None` if the run was dropped or failed.
            let end: Option<TypedEnd<Invoice>> = match (is_typed, setup.is_streamed) {
                (true, true) => at_most(polls, run.answer_as().stream(|request| model.stream(request)))
                    .await
                    .and_then(Result::ok),
                (true, false) => at_most(polls, run.answer_as().complete(|request| model.complete(request)))
                    .await
                    .and_then(Result::ok),
                (false, _) => at_most(polls, run.complete(|request| model.complete(request)))
                    .await
                    .and_then(Result::ok)
                    .map(TypedEnd::NoAnswer),
            };
            match &end {
                Some(TypedEnd::Answered(invoice)) => {
                    answered += 1;
                    let read: Invoice = serde_json::from_str(session.final_text()).expect("it is JSON");
                    assert_eq!(*invoice, read);
                    assert!(read.lines.iter().all(|line| line.quantity > 0), "the schema is enforced");
                }
                Some(TypedEnd::NoAnswer(end)) => {
                    other_ends += 1;
                    assert!(!is_typed || *end != RunEnd::Answered, "a typed run has a value");
                }
                None => stopped += 1,
            }
            assert!(replies_since_user(&session) <= MAX_REPLIES, "the limit includes repeated answers");
            assert_valid(&session);
            session = stored(&session);
            if end.is_some() && random.bool() {
                session.push_user("And now?");
            }
        }
        // A request on each wire is valid.
        for wire in super::wires(tool_runtime::wire::UseResponseFormat::Never) {
            let mut session = stored(&session);
            session.push_user("Thank you.");
            let model = ScriptedModel::new([AssistantMessage::from_text("You are welcome.")]);
            let end = session.run(&registry).wire(wire).complete(|request| model.complete(request)).await;
            assert_eq!(end.expect("the request is valid"), RunEnd::Answered);
        }
    }
    println!("{answered} answers, {other_ends} other ends, {stopped} dropped or failed");
    assert!([answered, other_ends, stopped].iter().all(|count| *count > rounds / 10));
}
