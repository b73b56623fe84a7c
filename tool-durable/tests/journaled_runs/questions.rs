//! Tools that ask the user: whenever the process ends, the question is asked until it has its answer, and the effect happens once.

use super::*;
use serde_json::json;
use tool_runtime::conversation::InnerCallError;

/// The registry of the effect.
struct Inner(Registry);

/// Charges the order that the user chooses.
#[tool(resumable)]
async fn charge_chosen(
    #[state] inner: &Inner,
    #[context] call: &CallContext,
) -> Result<String, InnerCallError> {
    let schema =
        json!({ "type": "object", "properties": { "order": { "type": "integer" } }, "required": ["order"] });
    let Some(answer) = call.ask("Which order?", schema).await?.accepted() else {
        return Ok("nothing".to_owned());
    };
    let charged = call.inner_call(&inner.0, "charge", answer).await?;
    Ok(charged.text().into_owned())
}

/// One process: its charge takes this time.
fn charging(ledger: &Ledger, work: Duration) -> Registry {
    let builder = Registry::builder().tools(tools![charge_chosen]).state(Inner(registry(ledger, work)));
    builder.build().expect("a valid tool").with(&RunContext::new().run_id("order-7"))
}

fn asking() -> [AssistantMessage; 2] {
    [AssistantMessage::from_tool_calls(vec![ToolCall::new("a", "charge_chosen", "{}")]), done()]
}

#[tokio::test(start_paused = true)]
async fn a_question_is_asked_again_after_a_crash_and_the_model_is_not() {
    let (ledger, journal, asked) = (Ledger::default(), MemoryJournal::default(), model(asking()));
    let stored = Session::new().user("Go.");
    let mut lost = stored.clone();
    assert_eq!(run(&mut lost, &charging(&ledger, SHORT), &journal, &asked).await, RunEnd::NeedsInput);
    // The process ends before it stores the session, and another one continues the stored session.
    let mut session = stored;
    assert_eq!(run(&mut session, &charging(&ledger, SHORT), &journal, &asked).await, RunEnd::NeedsInput);
    assert_eq!(asked.requests().len(), 1, "the reply is recorded");
    session.answer("a/0", json!({ "order": 7 })).expect("it waits");
    assert_eq!(run(&mut session, &charging(&ledger, SHORT), &journal, &asked).await, RunEnd::Answered);
    assert_eq!(results(&session), ["order 7 is charged"]);
    assert_eq!(ledger.entries(), ["charge 7 order-7/0/0/0/1"]);
}

#[tokio::test(start_paused = true)]
async fn an_effect_after_the_answer_happens_once_although_the_process_ends() {
    // The session was stored with the answer, or without it, and its user answers in the same way or in another one.
    for answer_again in [None, Some(7), Some(8)] {
        let (ledger, journal, asked) = (Ledger::default(), MemoryJournal::default(), model(asking()));
        let mut session = Session::new().user("Go.");
        let _ = run(&mut session, &charging(&ledger, SHORT), &journal, &asked).await;
        let mut answered = session.clone();
        answered.answer("a/0", json!({ "order": 7 })).expect("it waits");
        crash(&answered, &charging(&ledger, LONG), &journal, &asked).await;
        assert_eq!(ledger.entries(), ["charge 7 order-7/0/0/0/1"], "it has its effect, and no result");

        let registry = charging(&ledger, SHORT);
        match answer_again {
            None => session = answered,
            Some(order) => {
                assert_eq!(run(&mut session, &registry, &journal, &asked).await, RunEnd::NeedsInput);
                session.answer("a/0", json!({ "order": order })).expect("it waits");
            }
        }
        assert_eq!(run(&mut session, &registry, &journal, &asked).await, RunEnd::Answered);
        let [result] = &results(&session)[..] else { panic!("one result") };
        assert!(result.contains("may have taken effect"), "{answer_again:?}: {result}");
        assert_eq!(ledger.entries().len(), 1, "nothing is charged again");
    }
}
