//! A call that ends in the same way again and again gets a note for the model.

use crate::contents_of;
use serde_json::json;
use std::cell::Cell;
use std::convert::Infallible;
use tool_runtime::conversation::{Received, Request};
use tool_runtime::dispatch::CancellationToken;
use tool_runtime::history::validate;
use tool_runtime::message::Message;
use tool_runtime::session::RunEnd;
use tool_runtime::{AssistantMessage, Conversation, Registry, RunContext, Session, ToolCall, tool, tools};

/// Fails on 13.
#[tool]
async fn half(of: i64) -> Result<i64, String> {
    if of == 13 { Err("13 is bad luck".to_owned()) } else { Ok(of / 2) }
}

fn registry() -> Registry {
    Registry::new(tools![half]).expect("one tool")
}

fn calling(calls: &[(&str, &str)]) -> AssistantMessage {
    let calls = calls
        .iter()
        .enumerate()
        .map(|(id, (name, arguments))| ToolCall::new(id.to_string(), *name, *arguments));
    AssistantMessage::from_tool_calls(calls)
}

const THIRTEEN: (&str, &str) = ("half", r#"{"of":13}"#);

/// A model that repeats the same call.
async fn repeating_model(_: Request) -> Result<AssistantMessage, Infallible> {
    Ok(calling(&[("half", r#"{"of":4}"#)]))
}

fn asked() -> Session {
    Session::new().user("Go on.")
}

/// Runs the session for this number of further replies.
async fn run<R: Future<Output = Result<AssistantMessage, Infallible>>>(
    session: &mut Session,
    registry: &Registry,
    replies: usize,
    model: impl FnMut(Request) -> R,
) {
    let is_reply = |message: &&Message| matches!(message, Message::Assistant(_));
    let since_user =
        session.messages().iter().rev().take_while(|message| !matches!(message, Message::User(_)));
    let limit = since_user.filter(is_reply).count() + replies;
    let end = session.run(registry).max_replies(limit).complete(model).await;
    assert_eq!(end.ok(), Some(RunEnd::ReplyLimit));
}

fn last_text(session: &Session) -> &str {
    session.messages().last().map_or("", Message::text)
}

const FAILED: &str = "Error: 13 is bad luck";
const THIRD: &str = "Error: 13 is bad luck\nThis call has now failed in the same way three times in a row: do not repeat it \
                     unchanged. Change its arguments, do something else, or report what cannot be done.";

/// The results of the calls of each reply.
async fn results(replies: &[&[(&str, &str)]]) -> Vec<String> {
    let (mut session, next) = (asked(), Cell::new(0));
    let model = |_: Request| {
        let reply = calling(replies[next.get()]);
        next.set(next.get() + 1);
        async { Ok::<_, Infallible>(reply) }
    };
    run(&mut session, &registry(), replies.len(), model).await;
    validate(session.messages()).expect("it can be sent");
    let results = session.messages().iter().filter(|message| matches!(message, Message::Tool(_)));
    results.map(|message| message.text().to_owned()).collect()
}

#[tokio::test]
async fn the_third_identical_failure_in_a_row_gets_a_note_for_the_model() {
    assert_eq!(results(&[&[THIRTEEN] as &[_]; 5]).await, [FAILED, FAILED, THIRD, THIRD, THIRD]);
    let spaced = ("half", r#"{ "of" : 13 }"#);
    assert_eq!(results(&[&[THIRTEEN], &[spaced], &[THIRTEEN]]).await, [FAILED, FAILED, THIRD]);
    let other = ("half", r#"{"of":4}"#);
    assert_eq!(
        results(&[&[THIRTEEN], &[other], &[THIRTEEN], &[other, THIRTEEN]]).await,
        [FAILED, "2", FAILED, "2", THIRD],
        "in a row means the last results of this call",
    );
}

#[tokio::test]
async fn other_arguments_tools_or_a_user_message_restart_the_count() {
    let text = ("half", r#"{"of":"13"}"#);
    let texts = results(&[&[THIRTEEN], &[THIRTEEN], &[text], &[text]]).await;
    assert!(texts.iter().all(|answer| !answer.contains("three times")), "{texts:?}");
    // The same text of another tool is another failure.
    let texts = results(&[&[("haf", "{}")], &[("haf", "{}")], &[("hlf", "{}")]]).await;
    assert!(texts.iter().all(|answer| !answer.contains("three times")), "{texts:?}");

    let mut session = asked();
    let model = |_| async { Ok::<_, Infallible>(calling(&[THIRTEEN])) };
    run(&mut session, &registry(), 2, model).await;
    session.push_user("Try again.");
    run(&mut session, &registry(), 1, model).await;
    assert_eq!(last_text(&session), FAILED);
}

#[tokio::test]
async fn a_different_failure_or_a_success_restarts_the_count() {
    /// The results of the calls, in order.
    struct Results(std::sync::Mutex<std::collections::VecDeque<Result<(), &'static str>>>);

    /// Fails, sometimes.
    #[tool]
    fn fail(#[state] results: &Results) -> Result<(), &'static str> {
        results.0.lock().expect("the lock is not poisoned").pop_front().expect("one result for each call")
    }

    for (results, third) in [
        (vec![Err("a"), Err("b"), Err("a"), Err("a")], false),
        (vec![Err("a"), Ok(()), Err("a"), Err("a")], false),
        (vec![Ok(()), Err("a"), Err("a"), Err("a")], true),
    ] {
        let replies = results.len();
        let registry =
            Registry::builder().tools(tools![fail]).state(Results(std::sync::Mutex::new(results.into())));
        let registry = registry.build().expect("one tool");
        let mut session = asked();
        let model = |_| async { Ok::<_, Infallible>(calling(&[("fail", "")])) };
        run(&mut session, &registry, replies - 1, model).await;
        // The count continues in a history that was read from a request, where the arguments are in their written form.
        let chat = session.into_conversation().expect("each call has its result");
        let chat: Conversation = serde_json::from_value(json!(chat)).expect("it is valid");
        let mut session = Session::from(chat);
        run(&mut session, &registry, 1, model).await;
        assert_eq!(last_text(&session).contains("three times"), third);
    }
}

#[tokio::test]
async fn cancelled_calls_do_not_count_as_repeated_calls() {
    let token = CancellationToken::new();
    token.cancel();
    let registry = registry().with(&RunContext::new().cancellation(token));
    let mut chat = Conversation::new().user("Go on.");
    for _ in 0..3 {
        let Received::ToolCalls(pending) = chat.receive(calling(&[THIRTEEN])) else { panic!("it calls") };
        chat = pending.dispatch(&registry).await;
    }
    assert_eq!(contents_of(&chat).last(), Some(&"Error: cancelled before it finished"));
}

const THIRD_RESULT: &str = "2\nThis call has now returned the same result three times in a row: repeat it only if \
                            there is a reason to. Otherwise use the result, or do something else.";

#[tokio::test]
async fn the_third_identical_result_in_a_row_gets_a_note_for_the_model() {
    let four = ("half", r#"{"of":4}"#);
    let other = ("half", r#"{"of":6}"#);
    assert_eq!(results(&[&[four] as &[_]; 4]).await, ["2", "2", THIRD_RESULT, THIRD_RESULT]);
    assert_eq!(
        results(&[&[four], &[other], &[four], &[other, four]]).await,
        ["2", "3", "2", "3", THIRD_RESULT]
    );
    assert_eq!(results(&[&[four], &[THIRTEEN], &[four]]).await, ["2", FAILED, "2"]);
    let mut session = asked();
    let registry =
        Registry::builder().tools(tools![half]).note_repeated_calls(None).build().expect("one tool");
    run(&mut session, &registry, 5, repeating_model).await;
    assert_eq!(last_text(&session), "2", "the note is switched off");
}

#[tokio::test]
async fn after_an_effect_a_repeated_read_gets_no_note() {
    /// Reads a page.
    #[tool(read_only)]
    fn read() -> &'static str {
        "empty"
    }

    /// Writes a page.
    #[tool]
    fn write() {}

    let registry = Registry::new(tools![read, write]).expect("two tools");
    for (calls, noted) in [
        (["read", "read", "write", "read"], false),
        (["write", "read", "read", "read"], true),
        (["write", "read", "write", "write"], true),
    ] {
        let (mut session, next) = (asked(), Cell::new(0));
        let model = |_: Request| {
            let reply = calling(&[(calls[next.get()], "{}")]);
            next.set(next.get() + 1);
            async { Ok::<_, Infallible>(reply) }
        };
        run(&mut session, &registry, calls.len(), model).await;
        assert_eq!(last_text(&session).contains("three times"), noted, "{calls:?}");
    }
}

/// Returns another number each time.
#[tool]
fn count(#[state] calls: &std::sync::atomic::AtomicU32) -> u32 {
    calls.fetch_add(1, std::sync::atomic::Ordering::Relaxed)
}

#[tokio::test]
async fn a_result_that_changes_gets_no_note() {
    let registry = Registry::builder().tools(tools![count]).state(std::sync::atomic::AtomicU32::new(1));
    let registry = registry.build().expect("one tool");
    let mut session = asked();
    run(&mut session, &registry, 5, |_| async { Ok::<_, Infallible>(calling(&[("count", "")])) }).await;
    assert_eq!(last_text(&session), "5");
}

#[tokio::test]
async fn the_number_of_results_can_be_changed_and_the_note_switched_off() {
    for (after, noted) in [
        (Some(1), vec![1, 2, 3, 4, 5]),
        (Some(2), vec![2, 3, 4, 5]),
        (Some(5), vec![5]),
        (Some(0), vec![]),
        (None, vec![]),
    ] {
        let registry = Registry::builder().tools(tools![half]).note_repeated_calls(after).build();
        let registry = registry.expect("one tool");
        let mut session = asked();
        let model = |_| async { Ok::<_, Infallible>(calling(&[THIRTEEN])) };
        let mut found = Vec::new();
        for reply in 1..=5 {
            run(&mut session, &registry, 1, model).await;
            if last_text(&session).contains("This call has now failed") {
                found.push(reply);
            }
        }
        assert_eq!(found, noted, "{after:?}");
    }
}

#[tokio::test]
async fn the_order_of_arguments_does_not_matter() {
    /// Fails.
    #[tool]
    fn add(a: i64, b: i64) -> Result<i64, String> {
        Err(format!("{a} and {b} are too much"))
    }

    let registry = Registry::new(tools![add]).expect("one tool");
    let (mut session, next) = (asked(), Cell::new(0));
    let arguments = [r#"{"a":1,"b":2}"#, r#"{"b":2,"a":1}"#, r#"{"b": 2, "a": 1}"#];
    let model = |_: Request| {
        let reply = calling(&[("add", arguments[next.get()])]);
        next.set(next.get() + 1);
        async { Ok::<_, Infallible>(reply) }
    };
    run(&mut session, &registry, 3, model).await;
    assert!(last_text(&session).contains("three times in a row"), "{}", last_text(&session));
}
