//! Runs in another task than that of the dispatch, and after its end.

use super::*;
use tool_runtime::conversation::Received;
use tool_runtime::{AssistantMessage, Conversation};

/// Deletes on a thread, after approval.
#[tool(blocking, requires_approval)]
fn delete_on_a_thread(#[state] runs: &Runs) -> usize {
    let run = runs.add();
    std::thread::sleep(Duration::from_millis(20));
    run
}

#[tokio::test]
async fn an_approval_is_for_one_run_also_if_the_run_is_in_another_task() {
    for milliseconds in [0, 1, 5, 10, 15] {
        let runs = Runs::default();
        let registry = Registry::builder()
            .tools(tools![delete_on_a_thread])
            .state(runs.clone())
            .around_call(|call| async move { tokio::spawn(call.run()).await.expect("it does not panic") })
            .build()
            .expect("one tool");
        let reply = AssistantMessage::from_tool_calls(call("delete_on_a_thread", "").to_vec());
        let Received::ToolCalls(mut pending) = Conversation::new().user("Delete.").receive(reply) else {
            panic!("it calls")
        };
        pending.approve("call_1").expect("it waits");
        // The client disconnects while the call runs, and the program repeats the call later.
        let limit = Duration::from_millis(milliseconds);
        let _ = tokio::time::timeout(limit, pending.run(&registry)).await;
        let was_used = !pending.is_approved("call_1");
        pending.run(&registry).await;
        // A run that has begun on its thread counts itself soon.
        while runs.count() == 0 {
            tokio::task::yield_now().await;
        }
        assert_eq!(runs.count(), 1, "dropped after {milliseconds} ms, used: {was_used}");
    }
}

#[tokio::test]
async fn a_late_run_of_a_call_that_ended_without_a_result_does_not_begin() {
    let runs = Runs::default();
    let kept = Arc::<Mutex<Option<ReadyCall>>>::default();
    let keep = Arc::clone(&kept);
    let registry = built(builder(&runs).call_timeout(Duration::from_millis(5)).around_call(move |call| {
        keep.lock().expect("no panic").replace(call);
        std::future::pending()
    }));
    assert_eq!(
        content(&registry, "block", "").await,
        "Error: the tool `block` did not finish within 5 ms.",
        "it has no effect"
    );
    let call = kept.lock().expect("no panic").take().expect("it was kept");
    assert_eq!(call.run().await.error_kind(), Some("cancelled"));
    assert_eq!(runs.count(), 0);

    // If the middleware returned a result, the call can run later: to renew a cache, for example.
    let keep = Arc::clone(&kept);
    let registry = built(builder(&runs).around_call(move |call| {
        keep.lock().expect("no panic").replace(call);
        async { ToolResult::ok("cached") }
    }));
    assert_eq!(content(&registry, "block", "").await, "cached");
    let call = kept.lock().expect("no panic").take().expect("it was kept");
    assert_eq!(call.run().await.text(), "run 1 on a thread");
}

#[tokio::test(start_paused = true)]
async fn a_run_in_another_task_is_cancelled_together_with_its_call() {
    let tokens = Arc::<Mutex<Vec<CancellationToken>>>::default();
    let registry = Registry::builder()
        .tools(tools![watches])
        .state(Arc::clone(&tokens))
        .call_timeout(Duration::from_secs(1))
        .around_call(|call| async move { tokio::spawn(call.run()).await.expect("it does not panic") })
        .build()
        .expect("one tool");
    let message = content(&registry, "watches", "{}").await;
    assert_eq!(message, "Error: the tool `watches` did not finish within 1 s. It may have taken effect.");
    assert!(tokens.lock().expect("no panic")[0].is_cancelled());
}
