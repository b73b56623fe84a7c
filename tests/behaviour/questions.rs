//! Questions that tools ask with [`CallContext::ask`]: in a session, in this process, and where nobody can answer.

use super::inner_calls::{Effects, refund};
use serde_json::{Value, json};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;
use tokio::sync::Notify;
use tool_runtime::conversation::{InnerCallError, NotPendingError, Request};
use tool_runtime::dispatch::{CallStatus, CancellationToken, Question, UserAnswer};
use tool_runtime::message::Message;
use tool_runtime::session::RunEnd;
use tool_runtime::{AssistantMessage, CallContext, Registry, RunContext, Session, ToolCall, tool, tools};

/// The schema of an answer with one property.
fn object(name: &str, property: Value) -> Value {
    json!({ "type": "object", "properties": { name: property }, "required": [name] })
}

async fn order(effects: &Effects, call: &CallContext) -> Result<String, InnerCallError> {
    let size = match call.ask("Which size?", object("size", json!({ "enum": ["S", "M"] }))).await? {
        UserAnswer::Accepted(answer) => answer["size"].clone(),
        UserAnswer::Declined => return Ok("declined".to_owned()),
        UserAnswer::Cancelled => return Ok("cancelled".to_owned()),
    };
    let count = call.ask("How many?", object("count", json!({ "type": "integer", "minimum": 1 }))).await?;
    let Some(count) = count.accepted() else { return Ok("no number".to_owned()) };
    effects.add(format!("order {} of {size}", count["count"]));
    Ok("ordered".to_owned())
}

/// Orders shirts.
#[tool(resumable)]
async fn order_shirts(
    #[state] effects: &Effects,
    #[context] call: &CallContext,
) -> Result<String, InnerCallError> {
    order(effects, call).await
}

/// Orders shirts, and does not run again.
#[tool(timeout = "1s", max_concurrency = 1)]
async fn order_once(
    #[state] effects: &Effects,
    #[context] call: &CallContext,
) -> Result<String, InnerCallError> {
    order(effects, call).await
}

/// Takes no time.
#[tool(read_only)]
fn look() {}

fn registry(effects: &Effects) -> Registry {
    let builder = Registry::builder().tools(tools![order_shirts, order_once, look]).max_concurrency(1);
    builder.state(effects.clone()).build().expect("the tools are valid")
}

/// The first reply calls the tool, and the next one answers.
async fn model(tool: &str, request: Request) -> Result<AssistantMessage, std::io::Error> {
    Ok(match request.messages().last() {
        Some(Message::User(_)) => {
            AssistantMessage::from_tool_calls(vec![ToolCall::new("call_1", tool, "{}")])
        }
        _ => AssistantMessage::from_text("Done."),
    })
}

async fn run(session: &mut Session, registry: &Registry, tool: &str) -> RunEnd {
    session.run(registry).complete(|request| model(tool, request)).await.expect("the model answers")
}

/// The text of the last result.
fn result(session: &Session) -> &str {
    let mut results = session.messages().iter().filter(|message| matches!(message, Message::Tool(_)));
    results.next_back().map_or("", |message| message.text())
}

/// As another process would load it.
fn stored(session: &Session) -> Session {
    let text = serde_json::to_string(session).expect("a session can be stored");
    serde_json::from_str(&text).expect("it can be loaded")
}

#[tokio::test]
async fn a_question_ends_the_run_and_the_tool_continues_in_another_process() {
    let effects = Effects::default();
    let registry = registry(&effects);
    let mut session = Session::new().user("Two shirts, please.");
    assert_eq!(run(&mut session, &registry, "order_shirts").await, RunEnd::NeedsInput);
    let questions = stored(&session).awaiting_input();
    let [Question { id, call, tool, text, schema, .. }] = &questions[..] else { panic!("{questions:?}") };
    assert_eq!([&**id, call, tool, text], ["call_1/0", "call_1", "order_shirts", "Which size?"]);
    assert_eq!(*schema, object("size", json!({ "enum": ["S", "M"] })));
    assert!(session.awaiting_result().is_empty() && session.awaiting_approval().is_empty());

    let mut session = stored(&session);
    assert_eq!(run(&mut session, &registry, "order_shirts").await, RunEnd::NeedsInput, "nobody has answered");
    session.answer(id, json!({ "size": "M" })).expect("the answer is valid");
    let mut session = stored(&session);
    assert_eq!(run(&mut session, &registry, "order_shirts").await, RunEnd::NeedsInput);
    assert_eq!(session.awaiting_input()[0].text, "How many?");
    assert!(effects.all().is_empty(), "the effect comes after the last question");

    session.answer("call_1/1", json!({ "count": 2 })).expect("the answer is valid");
    assert_eq!(run(&mut stored(&session), &registry, "order_shirts").await, RunEnd::Answered);
    assert_eq!(effects.all(), [r#"order 2 of "M""#]);
}

#[tokio::test]
async fn a_declined_and_a_cancelled_question_have_no_value() {
    let effects = Effects::default();
    for (answer, expected) in [(UserAnswer::Declined, "declined"), (UserAnswer::Cancelled, "cancelled")] {
        let mut session = Session::new().user("Shirts.");
        let _ = run(&mut session, &registry(&effects), "order_shirts").await;
        session.answer("call_1/0", answer).expect("it waits");
        assert_eq!(run(&mut session, &registry(&effects), "order_shirts").await, RunEnd::Answered);
        assert_eq!(result(&session), expected);
    }
    assert!(effects.all().is_empty());
}

#[tokio::test]
async fn only_a_valid_answer_to_a_question_that_waits_is_accepted() {
    let effects = Effects::default();
    let mut session = Session::new().user("Shirts.");
    let _ = run(&mut session, &registry(&effects), "order_shirts").await;
    let error = session.answer("call_1/0", json!({ "size": "XXL" })).expect_err("it is not in the list");
    assert_eq!(
        error.to_string(),
        "the question `call_1/0` still waits: the answer is invalid: `size`: expected `S` or `M`, got string \"XXL\""
    );
    for id in ["call_1", "call_1/1", "call_2"] {
        let error = session.answer(id, json!({})).expect_err("it asks nothing");
        assert_eq!(error, session.answer(id, UserAnswer::Declined).expect_err("it asks nothing"));
        assert!(error.to_string().contains("is not a question that waits"), "{error}");
    }
    let needs_answer = |result: Result<(), NotPendingError>| {
        assert!(matches!(result, Err(NotPendingError::NeedsAnswer { .. })), "{result:?}");
    };
    needs_answer(session.approve("call_1/0"));
    needs_answer(session.deny("call_1/0", "no"));
    needs_answer(session.provide_result("call_1/0", "M"));
    assert_eq!(session.awaiting_input().len(), 1);
    session.answer("call_1/0", json!({ "size": "S" })).expect("it still waits");
    assert!(session.answer("call_1/0", json!({ "size": "M" })).is_err(), "the first answer counts");
}

#[tokio::test]
async fn a_skipped_question_has_had_no_effect() {
    let effects = Effects::default();
    let mut session = Session::new().user("Shirts.");
    let _ = run(&mut session, &registry(&effects), "order_shirts").await;
    session.push_user("Forget it.");
    assert!(session.awaiting_input().is_empty());
    let (sender, events) = std::sync::mpsc::channel();
    let context = RunContext::new().on_event(move |event| drop(sender.send(event.clone())));
    let _ = run(&mut session, &registry(&effects).with(&context), "look").await;
    let text = session.messages()[2].text().to_owned();
    assert!(text.starts_with("Error: ") && !text.contains("effect") && !text.contains("had made"), "{text}");
    let ended = events.try_iter().filter(|event| matches!(event.status, CallStatus::Finished { .. }));
    assert_eq!(
        ended.map(|event| event.tool).collect::<Vec<_>>(),
        ["order_shirts", "look"],
        "a question is no call"
    );
}

/// A context whose user answers with these values, one after the other, after this time.
fn user(answers: Vec<UserAnswer>, after: Duration) -> (RunContext, Arc<AtomicUsize>) {
    let asked = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&asked);
    let context = RunContext::new().on_question(move |question: Question| {
        let answer = answers.get(count.fetch_add(1, Ordering::Relaxed)).cloned();
        async move {
            tokio::time::sleep(after).await;
            answer.ok_or_else(|| format!("nobody answers `{}`", question.text))
        }
    });
    (context, asked)
}

fn accepted(value: Value) -> UserAnswer {
    UserAnswer::Accepted(value)
}

#[tokio::test(start_paused = true)]
async fn while_a_call_waits_for_its_answer_it_holds_no_permit_and_no_time_limit() {
    let effects = Effects::default();
    let answers = vec![accepted(json!({ "size": "S" })), accepted(json!({ "count": 1 }))];
    let (context, asked) = user(answers, Duration::from_secs(3600));
    let registry = registry(&effects).with(&context);
    let ordering = registry.call("order_once", ());
    let looking = async {
        while asked.load(Ordering::Relaxed) == 0 {
            tokio::task::yield_now().await;
        }
        let looked = tokio::time::timeout(Duration::from_secs(1), registry.call("look", ())).await;
        looked.expect("the registry runs one call at a time, and none holds its permit").text().into_owned()
    };
    let (ordered, looked) = tokio::join!(ordering, looking);
    assert_eq!((&*ordered.text(), &*looked), ("ordered", "ok"));
    assert_eq!(effects.all(), [r#"order 1 of "S""#]);
}

/// Asks, and then takes longer than its time limit. Another call of it runs while it waits.
#[tool(timeout = "1s", max_concurrency = 1)]
async fn ask_and_sleep(
    seconds: u64,
    #[state] gate: &Arc<Notify>,
    #[context] call: &CallContext,
) -> &'static str {
    if seconds == 0 {
        gate.notify_one();
        return "at once";
    }
    let asked = call.ask("Go on?", json!({ "type": "boolean" })).await;
    assert_eq!(asked, Ok(UserAnswer::Accepted(true.into())));
    tokio::time::sleep(Duration::from_secs(seconds)).await;
    "slept"
}

#[tokio::test(start_paused = true)]
async fn after_its_answer_a_call_waits_for_a_permit_and_its_time_limit_goes_on() {
    let gate = Arc::new(Notify::new());
    let asked = Arc::clone(&gate);
    let context = RunContext::new().on_question(move |_| {
        let gate = Arc::clone(&asked);
        async move {
            // The other call has the permit of this one.
            gate.notified().await;
            Ok::<_, String>(UserAnswer::from(Value::from(true)))
        }
    });
    let builder = Registry::builder().tools(tools![ask_and_sleep]).state(gate);
    let registry = builder.build().expect("a valid tool").with(&context);
    let calls = [("call_1", 5), ("call_2", 0)];
    let calls = calls
        .map(|(id, seconds)| ToolCall::new(id, "ask_and_sleep", json!({ "seconds": seconds }).to_string()));
    let messages = registry.dispatch(&calls).await;
    assert!(messages[0].text().contains("did not finish within 1 s"), "{}", messages[0].text());
    assert_eq!(messages[1].text(), "at once");
}

#[tokio::test]
async fn without_anybody_to_ask_the_question_is_an_error() {
    let effects = Effects::default();
    let nobody = "Error: the user cannot be asked: the tool is not `resumable` in a session, and the run context has no \
                  `on_question`";
    let registry = registry(&effects);
    assert_eq!(registry.call("order_shirts", ()).await.text(), nobody, "outside of a session");
    let mut session = Session::new().user("Shirts.");
    assert_eq!(run(&mut session, &registry, "order_once").await, RunEnd::Answered);
    assert_eq!(result(&session), nobody, "a tool that is not resumable");

    let (context, _) = user(Vec::new(), Duration::ZERO);
    let text = registry.with(&context).call("order_once", ()).await.text().into_owned();
    assert_eq!(text, "Error: the user cannot be asked: nobody answers `Which size?`");
    let (context, _) = user(vec![accepted(json!({ "size": 3 }))], Duration::ZERO);
    let text = registry.with(&context).call("order_once", ()).await.text().into_owned();
    assert!(text.contains("the answer is invalid: `size`"), "{text}");
    assert!(effects.all().is_empty());
}

#[tokio::test(start_paused = true)]
async fn a_cancellation_ends_the_wait_for_an_answer() {
    for finish_effects in [false, true] {
        let effects = Effects::default();
        let token = CancellationToken::new();
        let (context, asked) = user(vec![accepted(json!({}))], Duration::from_secs(3600));
        let mut context = context.cancellation(token.clone());
        if finish_effects {
            context = context.finish_effects(Duration::from_secs(5));
        }
        let registry = registry(&effects).with(&context);
        let cancel = async {
            while asked.load(Ordering::Relaxed) == 0 {
                tokio::task::yield_now().await;
            }
            token.cancel();
        };
        let ended = async { tokio::join!(registry.call("order_once", ()), cancel) };
        let (result, ()) = tokio::time::timeout(Duration::from_secs(60), ended).await.expect("it ends");
        assert!(result.text().contains("cancelled"), "{}", result.text());
    }
}

/// Asks another question in each run.
#[tool(resumable)]
async fn ask_differently(
    #[state] runs: &Arc<AtomicUsize>,
    #[context] call: &CallContext,
) -> Result<(), InnerCallError> {
    let run = runs.fetch_add(1, Ordering::Relaxed);
    call.ask(format!("Question {run}?"), json!({})).await.map(drop)
}

#[tokio::test]
async fn another_question_than_in_the_run_before_is_an_error() {
    let builder = Registry::builder().tools(tools![ask_differently]).state(Arc::new(AtomicUsize::new(0)));
    let registry = builder.build().expect("a valid tool");
    let mut session = Session::new().user("Ask.");
    assert_eq!(run(&mut session, &registry, "ask_differently").await, RunEnd::NeedsInput);
    session.answer("call_1/0", json!(1)).expect("it waits");
    assert_eq!(run(&mut session, &registry, "ask_differently").await, RunEnd::Answered);
    assert!(result(&session).contains("it had other arguments in the earlier run"), "{}", result(&session));
}

/// Asks, and refunds with an inner call that needs an approval.
#[tool(resumable)]
async fn ask_and_refund(
    #[state] inner: &Inner,
    #[context] call: &CallContext,
) -> Result<String, InnerCallError> {
    let order = call.ask("Which order?", object("order", json!({ "type": "integer" }))).await?.accepted();
    let result = call.inner_call(&inner.0, "refund", order.unwrap_or_default()).await?;
    Ok(result.text().into_owned())
}

/// The registry of the inner call.
struct Inner(Registry);

#[tokio::test]
async fn an_answer_of_this_process_is_recorded_and_calls_after_it_wait() {
    let effects = Effects::default();
    let inner =
        Registry::builder().tools(tools![refund]).state(effects.clone()).build().expect("a valid tool");
    let builder = Registry::builder().tools(tools![ask_and_refund]).state(Inner(inner));
    let (context, asked) = user(vec![accepted(json!({ "order": 7 }))], Duration::ZERO);
    let registry = builder.build().expect("a valid tool").with(&context);
    let mut session = Session::new().user("Refund.");
    assert_eq!(run(&mut session, &registry, "ask_and_refund").await, RunEnd::NeedsApproval);
    let mut session = stored(&session);
    session.approve("call_1/1").expect("it waits");
    assert_eq!(run(&mut session, &registry, "ask_and_refund").await, RunEnd::Answered);
    assert_eq!((result(&session), asked.load(Ordering::Relaxed)), (r#"{"refunded":7}"#, 1));
    assert_eq!(effects.all().len(), 1);
}

/// Takes five seconds, and shows signs of life.
#[tool(timeout = "2s")]
async fn work(restarts: bool, #[context] call: &CallContext) -> &'static str {
    for _ in 0..5 {
        tokio::time::sleep(Duration::from_secs(1)).await;
        if restarts {
            call.restart_time_limit();
        }
    }
    "worked"
}

#[tokio::test(start_paused = true)]
async fn a_tool_can_begin_its_time_limit_again() {
    let registry = Registry::new(tools![work]).expect("a valid tool");
    assert_eq!(registry.call("work", json!({ "restarts": true })).await.text(), "worked");
    assert!(
        registry
            .call("work", json!({ "restarts": false }))
            .await
            .text()
            .contains("did not finish within 2 s")
    );
}

/// Asks two questions at once, and needs the answer to one.
#[tool(timeout = "1s", max_concurrency = 1)]
async fn ask_two(#[context] call: &CallContext) -> String {
    let first = call.ask("First?", json!({}));
    let second = call.ask("Second?", json!({}));
    let (answer, rest) = match futures_util::future::select(first, second).await {
        futures_util::future::Either::Left((answer, rest))
        | futures_util::future::Either::Right((answer, rest)) => (answer, rest),
    };
    drop(rest);
    format!("{answer:?}")
}

#[tokio::test(start_paused = true)]
async fn an_answer_does_not_wait_for_that_of_another_question() {
    let context = RunContext::new().on_question(|question: Question| async move {
        match &*question.text {
            "Second?" => Ok::<_, String>(UserAnswer::from(json!(2))),
            _ => std::future::pending().await,
        }
    });
    let registry = Registry::new(tools![ask_two]).expect("a valid tool").with(&context);
    let text = tokio::time::timeout(Duration::from_secs(60), registry.call("ask_two", ())).await;
    assert_eq!(text.expect("it has an answer").text(), "Ok(Accepted(Number(2)))");
}

/// Asks, and undoes its effects if the run is cancelled.
#[tool(max_concurrency = 1)]
async fn ask_or_undo(#[state] effects: &Effects, #[context] call: &CallContext) -> &'static str {
    if call.ask("Go on?", json!({})).await.is_err() {
        tokio::time::sleep(Duration::from_secs(1)).await;
        effects.add("undone");
    }
    "ended"
}

#[tokio::test(start_paused = true)]
async fn a_cancelled_call_that_waits_for_an_answer_finishes_its_effects() {
    let effects = Effects::default();
    let token = CancellationToken::new();
    let (asked, is_asked) = (Arc::new(Notify::new()), Arc::new(Notify::new()));
    let notify = Arc::clone(&is_asked);
    let context = RunContext::new().cancellation(token.clone()).finish_effects(Duration::from_secs(30));
    let context = context.on_question(move |_| {
        notify.notify_one();
        std::future::pending::<Result<UserAnswer, String>>()
    });
    let builder = Registry::builder().tools(tools![ask_or_undo]).state(effects.clone());
    let registry = builder.build().expect("a valid tool").with(&context);
    let cancel = async {
        is_asked.notified().await;
        token.cancel();
    };
    let (result, ()) = tokio::join!(registry.call("ask_or_undo", ()), cancel);
    assert_eq!((&*result.text(), effects.all()), ("ended", vec!["undone".to_owned()]));
    drop(asked);
}

/// Asks in a task that outlives its call.
#[tool(max_concurrency = 1)]
async fn ask_later(
    #[state] answers: &tokio::sync::mpsc::UnboundedSender<bool>,
    #[context] call: &CallContext,
) {
    let (question, answers) = (call.ask("Later?", json!({})), answers.clone());
    tokio::spawn(async move { answers.send(question.await.is_ok()) });
    tokio::task::yield_now().await;
}

#[tokio::test(start_paused = true)]
async fn a_question_in_a_task_has_its_answer_after_the_call() {
    let (context, _) = user(vec![accepted(json!(1))], Duration::from_secs(5));
    let (sender, mut answers) = tokio::sync::mpsc::unbounded_channel();
    let builder = Registry::builder().tools(tools![ask_later]).state(sender);
    let registry = builder.build().expect("a valid tool").with(&context);
    assert_eq!(registry.call("ask_later", ()).await.text(), "ok");
    let answered = tokio::time::timeout(Duration::from_secs(60), answers.recv()).await;
    assert_eq!(answered.expect("nothing waits for permits"), Some(true));
}

/// Orders with an inner call, which asks.
#[tool(timeout = "1s", max_concurrency = 1)]
async fn order_inside(
    #[state] inner: &Inner,
    #[context] call: &CallContext,
) -> Result<String, InnerCallError> {
    Ok(call.inner_call(&inner.0, "order_once", json!({})).await?.text().into_owned())
}

#[tokio::test(start_paused = true)]
async fn the_outer_call_of_a_call_that_waits_holds_no_permit_and_no_time_limit() {
    let effects = Effects::default();
    let answers = vec![accepted(json!({ "size": "S" })), accepted(json!({ "count": 1 }))];
    let (context, asked) = user(answers, Duration::from_secs(3600));
    let builder = Registry::builder().tools(tools![order_inside, look]).state(Inner(registry(&effects)));
    let registry = builder.max_concurrency(1).build().expect("valid tools").with(&context);
    let looking = async {
        while asked.load(Ordering::Relaxed) == 0 {
            tokio::task::yield_now().await;
        }
        let looked = tokio::time::timeout(Duration::from_secs(1), registry.call("look", ())).await;
        looked.expect("the outer call holds no permit").text().into_owned()
    };
    let (ordered, looked) = tokio::join!(registry.call("order_inside", ()), looking);
    assert_eq!((&*ordered.text(), &*looked), ("ordered", "ok"));
}

#[tokio::test]
async fn a_panic_of_the_program_and_a_schema_that_is_too_large_are_errors_of_the_tool() {
    let context = RunContext::new().on_question(|question: Question| async move {
        assert!(question.text.is_empty(), "a secret of the program");
        Ok::<_, String>(UserAnswer::Declined)
    });
    let text = registry(&Effects::default()).with(&context).call("order_once", ()).await.text().into_owned();
    assert_eq!(text, "Error: the user cannot be asked: the program failed unexpectedly");
    let deep = (0..1_000).fold(json!({}), |schema, _| json!({ "not": schema }));
    let call = CallContext::new("call_1", "ask").with_run_context(context);
    let asked = call.ask("Deep?", deep).await;
    assert!(asked.is_err_and(|error| error.to_string().contains("the schema of the answer is too large")));
}
