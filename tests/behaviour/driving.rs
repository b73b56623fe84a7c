//! The loop that most programs need: it ends, and says how.

use crate::contents_of;
use serde_json::json;
use std::cell::Cell;
use std::convert::Infallible;
use std::time::Duration;
use tool_runtime::conversation::{Ending, Request};
use tool_runtime::dispatch::CancellationToken;
use tool_runtime::history::validate;
use tool_runtime::{
    AssistantMessage, BatchContext, Conversation, Registry, ToolCall, ToolChoice, tool, tools,
};

/// Fails on 13.
#[tool]
async fn half(of: i64) -> Result<i64, String> {
    if of == 13 { Err("13 is bad luck".to_owned()) } else { Ok(of / 2) }
}

/// Takes an hour.
#[tool]
async fn slow() -> &'static str {
    tokio::time::sleep(Duration::from_secs(3600)).await;
    "slow"
}

fn registry() -> Registry {
    Registry::new(tools![half, slow]).expect("two tools")
}

fn calling(calls: &[(&str, &str)]) -> AssistantMessage {
    let calls = calls
        .iter()
        .enumerate()
        .map(|(id, (name, arguments))| ToolCall::new(id.to_string(), *name, *arguments));
    AssistantMessage::calling(calls.collect())
}

const THIRTEEN: (&str, &str) = ("half", r#"{"of":13}"#);

/// A model that repeats itself.
async fn stubborn(_: Request) -> Result<AssistantMessage, Infallible> {
    Ok(calling(&[("half", r#"{"of":4}"#)]))
}

fn chat() -> Conversation {
    Conversation::new().user("Go on.")
}

#[tokio::test]
async fn it_ends_when_the_model_answers() {
    let mut chat = chat();
    let model = |request: Request| async move {
        validate(request.messages()).expect("each request is valid");
        assert!(request.tools().is_some());
        Ok::<_, Infallible>(match request.messages().len() {
            1 => calling(&[("half", r#"{"of":4}"#), ("quarter", "{}")]),
            _ => AssistantMessage::saying("2"),
        })
    };
    assert_eq!(chat.drive(&registry(), None, model).await, Ok(Ending::Answered));
    assert_eq!(chat.final_text(), "2");
    assert_eq!(contents_of(&chat)[2], "2");
    assert!(contents_of(&chat)[3].starts_with("Error: there is no tool `quarter`"));
}

#[tokio::test]
async fn it_ends_after_so_many_replies_and_30_if_nothing_is_said() {
    for (limit, replies) in [(Some(3), 3), (Some(1), 1), (Some(0), 0), (None, 30)] {
        let mut chat = chat();
        assert_eq!(chat.drive(&registry(), limit, stubborn).await, Ok(Ending::LimitReached));
        assert_eq!(chat.messages().len(), 1 + 2 * replies);
        validate(chat.messages()).expect("it can be sent");
    }
    let mut chat = chat();
    assert_eq!(chat.drive(&registry(), 2, stubborn).await, Ok(Ending::LimitReached));
    assert_eq!(chat.drive(&registry(), 2, stubborn).await, Ok(Ending::LimitReached));
    assert_eq!(chat.messages().len(), 9, "it can be driven on");
}

#[tokio::test]
async fn an_error_of_the_client_loses_nothing() {
    let mut chat = chat();
    let model = |request: Request| async move {
        if request.messages().len() == 1 { Ok(calling(&[("half", r#"{"of":4}"#)])) } else { Err("503") }
    };
    assert_eq!(chat.drive(&registry(), None, model).await, Err("503"));
    assert_eq!(contents_of(&chat), ["Go on.", "", "2"]);
    validate(chat.messages()).expect("it can be sent");
}

#[tokio::test(start_paused = true)]
async fn a_drive_that_is_dropped_while_tools_run_keeps_what_is_finished() {
    let mut chat = chat();
    let model = |_| async { Ok::<_, Infallible>(calling(&[("half", r#"{"of":4}"#), ("slow", "{}")])) };
    let registry = registry();
    let driving = chat.drive(&registry, None, model);
    assert!(tokio::time::timeout(Duration::from_secs(1), driving).await.is_err());
    assert_eq!(contents_of(&chat), ["Go on.", "", "2", "Error: cancelled before it finished"]);
    validate(chat.messages()).expect("it can be sent");
}

#[tokio::test(start_paused = true)]
async fn a_drive_that_is_dropped_while_the_model_speaks_keeps_what_was_said() {
    let mut chat = chat();
    let model = |request: Request| async move {
        if request.messages().len() > 1 {
            std::future::pending::<()>().await;
        }
        Ok::<_, Infallible>(calling(&[("half", r#"{"of":4}"#)]))
    };
    assert!(
        tokio::time::timeout(Duration::from_secs(1), chat.drive(&registry(), None, model)).await.is_err()
    );
    assert_eq!(contents_of(&chat), ["Go on.", "", "2"]);
}

#[tokio::test(start_paused = true)]
async fn the_token_of_the_batch_ends_it_whoever_is_at_work() {
    let tools_at_work = |request: Request| async move {
        assert_eq!(request.messages().len(), 1, "the model is not asked again");
        Ok::<_, Infallible>(calling(&[("slow", "{}")]))
    };
    let token = CancellationToken::new();
    let batch = BatchContext::new().cancellation(token.clone());
    let (mut first, registry) = (chat(), registry());
    let cancel = async {
        tokio::time::sleep(Duration::from_secs(1)).await;
        token.cancel();
    };
    let (ending, ()) = tokio::join!(first.drive_with(&registry, &batch, None, tools_at_work), cancel);
    assert_eq!(ending, Ok(Ending::Cancelled));
    assert_eq!(contents_of(&first)[2], "Error: cancelled before it finished");

    let mut second = chat();
    let nobody =
        |_| -> std::future::Ready<Result<AssistantMessage, Infallible>> { panic!("it is cancelled") };
    assert_eq!(second.drive_with(&registry, &batch, None, nobody).await, Ok(Ending::Cancelled));
    assert_eq!(second, chat());
}

#[tokio::test(start_paused = true)]
async fn the_token_does_not_wait_for_the_model_and_goes_before_the_limit() {
    let (token, registry, mut chat) = (CancellationToken::new(), registry(), chat());
    let batch = BatchContext::new().cancellation(token.clone());
    let cancel = |token: CancellationToken| async move {
        tokio::time::sleep(Duration::from_secs(1)).await;
        token.cancel();
    };
    let model_at_work = |_| std::future::pending::<Result<AssistantMessage, Infallible>>();
    let (ending, ()) = tokio::join!(chat.drive_with(&registry, &batch, None, model_at_work), cancel(token));
    assert_eq!((ending, chat.messages().len()), (Ok(Ending::Cancelled), 1));

    let token = CancellationToken::new();
    let batch = BatchContext::new().cancellation(token.clone());
    let model = |_| async { Ok::<_, Infallible>(calling(&[("slow", "{}")])) };
    let (ending, ()) = tokio::join!(chat.drive_with(&registry, &batch, 1, model), cancel(token));
    assert_eq!((ending, chat.messages().len()), (Ok(Ending::Cancelled), 3));
}

#[tokio::test]
async fn each_request_can_have_its_choice() {
    let mut chat = chat();
    let registry = registry();
    let model = |request: Request| async move {
        let request = request.tool_choice(ToolChoice::Tool("hlf".to_owned()))?;
        panic!("it would be refused: {request:?}")
    };
    let error: Result<Ending, tool_runtime::conversation::RequestError> =
        chat.drive(&registry, None, model).await;
    assert!(error.expect_err("there is no such tool").to_string().contains("did you mean `half`?"));
    assert_eq!(chat.messages().len(), 1);
}

const FAILED: &str = "Error: 13 is bad luck";
const THIRD: &str = "Error: 13 is bad luck\nThis call has now failed in the same way three times in a row: do not repeat it as \
                     it is. Change its arguments, do something else, or say what cannot be done.";

/// What the answers to the calls of each reply are.
async fn answers(replies: &[&[(&str, &str)]]) -> Vec<String> {
    let (mut chat, next) = (chat(), Cell::new(0));
    let model = |_: Request| {
        let reply = calling(replies[next.get()]);
        next.set(next.get() + 1);
        async { Ok::<_, Infallible>(reply) }
    };
    assert_eq!(chat.drive(&registry(), replies.len(), model).await, Ok(Ending::LimitReached));
    validate(chat.messages()).expect("it can be sent");
    let answers =
        chat.messages().iter().filter(|message| matches!(message, tool_runtime::message::Message::Tool(_)));
    answers.map(|message| message.text().to_owned()).collect()
}

#[tokio::test]
async fn the_third_failure_of_one_call_in_a_row_is_answered_with_an_error_that_says_so() {
    assert_eq!(answers(&[&[THIRTEEN] as &[_]; 5]).await, [FAILED, FAILED, THIRD, THIRD, THIRD]);
    let spaced = ("half", r#"{ "of" : 13 }"#);
    assert_eq!(answers(&[&[THIRTEEN], &[spaced], &[THIRTEEN]]).await, [FAILED, FAILED, THIRD]);
    let other = ("half", r#"{"of":4}"#);
    assert_eq!(
        answers(&[&[THIRTEEN], &[other], &[THIRTEEN], &[other, THIRTEEN]]).await,
        [FAILED, "2", FAILED, "2", THIRD],
        "in a row means the last times that it was called",
    );
}

#[tokio::test]
async fn other_arguments_another_failure_or_a_new_question_begin_anew() {
    let text = ("half", r#"{"of":"13"}"#);
    let told = answers(&[&[THIRTEEN], &[THIRTEEN], &[text], &[text]]).await;
    assert!(told.iter().all(|answer| !answer.contains("three times")), "{told:?}");
    // The same text of another tool is another failure.
    let told = answers(&[&[("haf", "{}")], &[("haf", "{}")], &[("hlf", "{}")]]).await;
    assert!(told.iter().all(|answer| !answer.contains("three times")), "{told:?}");

    let mut chat = chat();
    let model = |_| async { Ok::<_, Infallible>(calling(&[THIRTEEN])) };
    let _ = chat.drive(&registry(), 2, model).await;
    let mut chat = chat.user("Try again.");
    let _ = chat.drive(&registry(), 1, model).await;
    assert_eq!(contents_of(&chat).last(), Some(&FAILED));
}

#[tokio::test]
async fn another_failure_of_the_same_call_and_a_success_in_between_begin_anew() {
    /// Fails in the ways that are asked for, one after the other.
    struct Ways(std::sync::Mutex<std::collections::VecDeque<Result<(), &'static str>>>);

    /// Fails, sometimes.
    #[tool]
    fn fail(#[state] ways: &Ways) -> Result<(), &'static str> {
        ways.0.lock().expect("nobody panicked").pop_front().expect("there is one for each call")
    }

    for (ways, third) in [
        (vec![Err("a"), Err("b"), Err("a"), Err("a")], false),
        (vec![Err("a"), Ok(()), Err("a"), Err("a")], false),
        (vec![Ok(()), Err("a"), Err("a"), Err("a")], true),
    ] {
        let turns = ways.len();
        let registry =
            Registry::builder().tools(tools![fail]).state(Ways(std::sync::Mutex::new(ways.into())));
        let registry = registry.build().expect("one tool");
        let mut chat = chat();
        let model = |_| async { Ok::<_, Infallible>(calling(&[("fail", "")])) };
        // It goes on after a restart, where the arguments are as they were written.
        assert_eq!(chat.drive(&registry, turns - 1, model).await, Ok(Ending::LimitReached));
        let mut chat: Conversation = serde_json::from_value(json!(chat)).expect("it is valid");
        assert_eq!(chat.drive(&registry, 1, model).await, Ok(Ending::LimitReached));
        let last = contents_of(&chat).pop().map(str::to_owned);
        assert_eq!(last.is_some_and(|last| last.contains("three times")), third);
    }
}

#[tokio::test]
async fn calls_that_the_program_cancels_are_no_failures_of_the_model() {
    let token = CancellationToken::new();
    token.cancel();
    let batch = BatchContext::new().cancellation(token);
    let mut chat = chat();
    for _ in 0..3 {
        let tool_runtime::conversation::Turn::Calls(pending) = chat.reply(calling(&[THIRTEEN])) else {
            panic!("it calls")
        };
        chat = pending.dispatch_with(&registry(), &batch).await;
    }
    assert_eq!(contents_of(&chat).last(), Some(&"Error: cancelled before it finished"));
}

#[tokio::test]
async fn what_succeeds_may_be_repeated() {
    let mut chat = chat();
    let _ = chat.drive(&registry(), 5, stubborn).await;
    assert_eq!(contents_of(&chat).last(), Some(&"2"));
}

#[tokio::test]
async fn it_runs_on_a_task_of_its_own() {
    let driven = tokio::spawn(async {
        let mut chat = chat();
        let ending = chat.drive(&registry(), 2, stubborn).await;
        (chat, ending)
    });
    let (chat, ending) = driven.await.expect("it does not panic");
    assert_eq!((chat.messages().len(), ending), (5, Ok(Ending::LimitReached)));
    assert_eq!(json!(chat).as_array().map(Vec::len), Some(5));
}
