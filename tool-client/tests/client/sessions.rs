//! Runs with the settings of a session.

use crate::setup::{Setup, run_with};
use crate::stub::{ANSWER, Scripted, Server};
use crate::waits::Waits;
use crate::weather::{question, registry};
use serde_json::{Value, json};
use tool_runtime::history::{TrimBudget, Trimmed};
use tool_runtime::session::{Compact, CompactReason, HookFuture, RunEnd, RunError, TypedEnd};
use tool_runtime::{Registry, RunContext, Session, tools};
use tool_runtime_client::RunModel as _;
use tool_runtime_durable::{DurableRun as _, FileJournal};

#[derive(Debug, PartialEq, serde::Deserialize, schemars::JsonSchema)]
struct Invoice {
    number: String,
    /// In cents.
    total: u64,
}

fn completion(text: &str) -> Scripted {
    let choice =
        json!({"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": "stop"});
    Scripted::status(200, json!({"choices": [choice]}).to_string())
}

#[tokio::test]
async fn an_answer_has_a_type() {
    let script = [completion(r#"{"number":"A-7"}"#), completion(r#"{"number":"A-7","total":4200}"#)];
    let (server, waits) = (Server::start("chat_completions", script).await, Waits::default());
    let registry = Registry::new(tools![]).expect("no tool");
    let mut session = Session::new().user("Invoice A-7 is over 42 euros.");
    let end = session.run(&registry).answer_as::<Invoice>().model(&server.model(&waits)).await;
    let invoice = Invoice { number: "A-7".to_owned(), total: 4200 };
    assert_eq!(end.expect("the run ends"), TypedEnd::Answered(invoice));
    let schema = &server.received()[0].body["response_format"]["json_schema"]["schema"];
    assert_eq!(schema["properties"]["total"]["type"], "integer");
}

#[tokio::test]
async fn a_run_with_a_journal_repeats_no_request_and_no_call() {
    let setup = Setup::new("anthropic", []).await;
    let folder = tempfile::tempdir().expect("a folder");
    let registry = setup.registry.with(&RunContext::new().run_id("session-1"));
    for _ in 0..2 {
        // The process has ended before it stored the session.
        let journal = FileJournal::open(folder.path().join("journal")).expect("a journal");
        let mut session = question();
        let end = session.run(&registry).journal(&journal).stream_model(&setup.model).await;
        assert_eq!(end.expect("the run ends"), RunEnd::Answered);
        assert_eq!(session.final_text(), ANSWER);
    }
    assert_eq!((setup.server.requests(), setup.runs.count()), (2, 1));
}

struct NewestExchange;

impl Compact for NewestExchange {
    fn compact<'a>(
        &'a mut self,
        session: &'a mut Session,
        reason: CompactReason,
    ) -> HookFuture<'a, Option<Trimmed>> {
        let is_too_long = reason == CompactReason::ContextTooLong;
        let trimmed = is_too_long.then(|| session.trim(&TrimBudget::max_messages(1)));
        Box::pin(async { Ok(trimmed) })
    }
}

#[tokio::test]
async fn a_request_that_is_too_long_is_repeated_after_a_compaction() {
    let too_long =
        json!({"error": {"code": "context_length_exceeded", "message": "too many tokens"}}).to_string();
    for is_stream in [false, true] {
        let event = crate::stub::sent_event(&too_long);
        let script =
            if is_stream { Scripted::stream([event]) } else { Scripted::status(400, too_long.clone()) };
        let setup = Setup::chat_completions([script]).await;
        let chat = tool_runtime::Conversation::new().user("One?").assistant("One.").user("Beijing: sunny?");
        let (mut session, model) = (Session::from(chat), setup.model.clone());
        let run = session.run(&setup.registry).compact(NewestExchange);
        let end = run_with(run, &model, is_stream).await;
        assert_eq!(end.expect("the run ends"), RunEnd::Answered);
        let received = setup.server.received();
        let messages = |request: &Value| request["messages"].as_array().map(Vec::len);
        let lengths: Vec<_> = received.iter().map(|request| messages(&request.body)).collect();
        assert_eq!(lengths, [Some(3), Some(1)]);
    }
}

#[tokio::test]
async fn a_run_can_be_spawned() {
    let (server, waits) = (Server::start("gemini", []).await, Waits::default());
    let model = server.model(&waits);
    let run = async |is_stream: bool| {
        let model = model.clone();
        let task = tokio::spawn(async move {
            let ((registry, _), mut session) = (registry(), question());
            let run = session.run(&registry).max_replies(3);
            if is_stream { run.stream_model(&model).await } else { run.model(&model).await }
        });
        task.await.expect("no panic")
    };
    assert_eq!(run(false).await.expect("an answer"), RunEnd::Answered);
    assert_eq!(run(true).await.expect("an answer"), RunEnd::Answered);
}

#[tokio::test]
async fn a_run_that_is_cancelled_stops_waiting_for_the_next_attempt() {
    let limit = Scripted::status(429, "{}").header("retry-after", "60");
    let setup = Setup::chat_completions([limit]).await;
    let model = setup.model.clone().wait_with(tokio::time::sleep);
    let token = tokio_util::sync::CancellationToken::new();
    let registry = setup.registry.with(&RunContext::new().cancellation(token.clone()));
    let mut session = question();
    let run = session.run(&registry).on_event(|event| {
        if matches!(event, tool_runtime::session::Event::RequestRetried { .. }) {
            token.cancel();
        }
    });
    let end: Result<_, RunError<_>> = run.model(&model).await;
    assert_eq!((end.expect("the run ends"), setup.server.requests()), (RunEnd::Cancelled, 1));
}
