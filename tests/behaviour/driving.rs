//! The loop of requests, replies and tool calls, and how it ends.

use crate::contents_of;
use serde_json::json;
use std::cell::Cell;
use std::convert::Infallible;
use std::time::Duration;
use tool_runtime::conversation::{Ending, Request};
use tool_runtime::dispatch::CancellationToken;
use tool_runtime::history::validate;
use tool_runtime::{AssistantMessage, BatchContext, Conversation, Registry, ToolCall, tool, tools};

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
    AssistantMessage::from_tool_calls(calls.collect())
}

const THIRTEEN: (&str, &str) = ("half", r#"{"of":13}"#);

/// A model that repeats the same call.
async fn repeating_model(_: Request) -> Result<AssistantMessage, Infallible> {
    Ok(calling(&[("half", r#"{"of":4}"#)]))
}

fn chat() -> Conversation {
    Conversation::new().user("Go on.")
}

#[tokio::test]
async fn driving_ends_when_the_model_answers() {
    let mut chat = chat();
    let model = |request: Request| async move {
        validate(request.messages()).expect("each request is valid");
        assert!(!request.tools().is_empty());
        Ok::<_, Infallible>(match request.messages().len() {
            1 => calling(&[("half", r#"{"of":4}"#), ("quarter", "{}")]),
            _ => AssistantMessage::from_text("2"),
        })
    };
    assert_eq!(chat.drive(&registry(), None, model).await, Ok(Ending::Answered));
    assert_eq!(chat.final_text(), "2");
    assert_eq!(contents_of(&chat)[2], "2");
    assert!(contents_of(&chat)[3].starts_with("Error: there is no tool `quarter`"));
}

#[tokio::test]
async fn driving_ends_at_the_reply_limit_which_is_30_by_default() {
    for (limit, replies) in [(Some(3), 3), (Some(1), 1), (Some(0), 0), (None, 30)] {
        let mut chat = chat();
        assert_eq!(chat.drive(&registry(), limit, repeating_model).await, Ok(Ending::LimitReached));
        assert_eq!(chat.messages().len(), 1 + 2 * replies);
        validate(chat.messages()).expect("it can be sent");
    }
    let mut chat = chat();
    assert_eq!(chat.drive(&registry(), 2, repeating_model).await, Ok(Ending::LimitReached));
    assert_eq!(chat.drive(&registry(), 2, repeating_model).await, Ok(Ending::LimitReached));
    assert_eq!(chat.messages().len(), 9, "driving continues after the limit");
}

#[tokio::test]
async fn a_client_error_keeps_the_messages() {
    let mut chat = chat();
    let model = |request: Request| async move {
        if request.messages().len() == 1 { Ok(calling(&[("half", r#"{"of":4}"#)])) } else { Err("503") }
    };
    assert_eq!(chat.drive(&registry(), None, model).await, Err("503"));
    assert_eq!(contents_of(&chat), ["Go on.", "", "2"]);
    validate(chat.messages()).expect("it can be sent");
}

#[tokio::test(start_paused = true)]
async fn dropping_the_future_while_tools_run_keeps_finished_results() {
    let mut chat = chat();
    let model = |_| async { Ok::<_, Infallible>(calling(&[("half", r#"{"of":4}"#), ("slow", "{}")])) };
    let registry = registry();
    let driving = chat.drive(&registry, None, model);
    assert!(tokio::time::timeout(Duration::from_secs(1), driving).await.is_err());
    assert_eq!(contents_of(&chat), ["Go on.", "", "2", "Error: cancelled before it finished"]);
    validate(chat.messages()).expect("it can be sent");
}

#[tokio::test(start_paused = true)]
async fn dropping_the_future_during_a_request_keeps_the_messages() {
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
async fn cancelling_the_token_ends_running_tools_and_further_requests() {
    let tools_at_work = |request: Request| async move {
        assert_eq!(request.messages().len(), 1, "there is no second request");
        Ok::<_, Infallible>(calling(&[("slow", "{}")]))
    };
    let token = CancellationToken::new();
    let batch = BatchContext::new().cancellation(token.clone());
    let (mut first, registry) = (chat(), registry().with(&batch));
    let cancel = async {
        tokio::time::sleep(Duration::from_secs(1)).await;
        token.cancel();
    };
    let (ending, ()) = tokio::join!(first.drive(&registry, None, tools_at_work), cancel);
    assert_eq!(ending, Ok(Ending::Cancelled));
    assert_eq!(contents_of(&first)[2], "Error: cancelled before it finished");

    let mut second = chat();
    let unused =
        |_| -> std::future::Ready<Result<AssistantMessage, Infallible>> { panic!("the batch is cancelled") };
    assert_eq!(second.drive(&registry, None, unused).await, Ok(Ending::Cancelled));
    assert_eq!(second, chat());
}

#[tokio::test(start_paused = true)]
async fn cancelling_ends_a_waiting_request_and_takes_precedence_over_the_limit() {
    let (token, mut chat) = (CancellationToken::new(), chat());
    let bound = registry().with(&BatchContext::new().cancellation(token.clone()));
    let cancel = |token: CancellationToken| async move {
        tokio::time::sleep(Duration::from_secs(1)).await;
        token.cancel();
    };
    let model_at_work = |_| std::future::pending::<Result<AssistantMessage, Infallible>>();
    let (ending, ()) = tokio::join!(chat.drive(&bound, None, model_at_work), cancel(token));
    assert_eq!((ending, chat.messages().len()), (Ok(Ending::Cancelled), 1));

    let token = CancellationToken::new();
    let bound = registry().with(&BatchContext::new().cancellation(token.clone()));
    let model = |_| async { Ok::<_, Infallible>(calling(&[("slow", "{}")])) };
    let (ending, ()) = tokio::join!(chat.drive(&bound, 1, model), cancel(token));
    assert_eq!((ending, chat.messages().len()), (Ok(Ending::Cancelled), 3));
}

#[tokio::test]
async fn each_request_can_have_a_tool_choice() {
    let mut chat = chat();
    let registry = registry();
    let choice = registry.tool_choice("half").expect("it is there");
    let mut written = Vec::new();
    let ending = chat
        .drive(&registry, None, |request: Request| {
            written
                .push(serde_json::to_value(request.with_tool_choice(choice.clone())).expect("it is written"));
            async { Ok::<_, Infallible>(AssistantMessage::from_text("!")) }
        })
        .await;
    assert_eq!(ending, Ok(Ending::Answered));
    assert_eq!(written[0]["tool_choice"]["function"]["name"], "half");
    let error = registry.tool_choice("hlf").expect_err("there is no such tool");
    assert!(error.to_string().contains("did you mean `half`?"), "{error}");
}

const FAILED: &str = "Error: 13 is bad luck";
const THIRD: &str = "Error: 13 is bad luck\nThis call has now failed in the same way three times in a row: do not repeat it \
                     unchanged. Change its arguments, do something else, or report what cannot be done.";

/// The results of the calls of each reply.
async fn results(replies: &[&[(&str, &str)]]) -> Vec<String> {
    let (mut chat, next) = (chat(), Cell::new(0));
    let model = |_: Request| {
        let reply = calling(replies[next.get()]);
        next.set(next.get() + 1);
        async { Ok::<_, Infallible>(reply) }
    };
    assert_eq!(chat.drive(&registry(), replies.len(), model).await, Ok(Ending::LimitReached));
    validate(chat.messages()).expect("it can be sent");
    let results =
        chat.messages().iter().filter(|message| matches!(message, tool_runtime::message::Message::Tool(_)));
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

    let mut chat = chat();
    let model = |_| async { Ok::<_, Infallible>(calling(&[THIRTEEN])) };
    let _ = chat.drive(&registry(), 2, model).await;
    let mut chat = chat.user("Try again.");
    let _ = chat.drive(&registry(), 1, model).await;
    assert_eq!(contents_of(&chat).last(), Some(&FAILED));
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
        let mut chat = chat();
        let model = |_| async { Ok::<_, Infallible>(calling(&[("fail", "")])) };
        // The count continues after a restart, where the arguments are in their written form.
        assert_eq!(chat.drive(&registry, replies - 1, model).await, Ok(Ending::LimitReached));
        let mut chat: Conversation = serde_json::from_value(json!(chat)).expect("it is valid");
        assert_eq!(chat.drive(&registry, 1, model).await, Ok(Ending::LimitReached));
        let last = contents_of(&chat).pop().map(str::to_owned);
        assert_eq!(last.is_some_and(|last| last.contains("three times")), third);
    }
}

#[tokio::test]
async fn cancelled_calls_do_not_count_as_repeated_failures() {
    let token = CancellationToken::new();
    token.cancel();
    let registry = registry().with(&BatchContext::new().cancellation(token));
    let mut chat = chat();
    for _ in 0..3 {
        let tool_runtime::conversation::Received::ToolCalls(pending) = chat.receive(calling(&[THIRTEEN]))
        else {
            panic!("it calls")
        };
        chat = pending.dispatch(&registry).await;
    }
    assert_eq!(contents_of(&chat).last(), Some(&"Error: cancelled before it finished"));
}

#[tokio::test]
async fn repeated_successes_get_no_note() {
    let mut chat = chat();
    let _ = chat.drive(&registry(), 5, repeating_model).await;
    assert_eq!(contents_of(&chat).last(), Some(&"2"));
}

#[tokio::test]
async fn driving_runs_in_a_spawned_task() {
    let driven = tokio::spawn(async {
        let mut chat = chat();
        let ending = chat.drive(&registry(), 2, repeating_model).await;
        (chat, ending)
    });
    let (chat, ending) = driven.await.expect("the task does not panic");
    assert_eq!((chat.messages().len(), ending), (5, Ok(Ending::LimitReached)));
    assert_eq!(json!(chat).as_array().map(Vec::len), Some(5));
}
