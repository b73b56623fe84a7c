//! Rules about the records of calls.

use super::expected::{finished, interrupted};
use super::records::{call, other_call, result, results};
use super::{Checked, Store};
use crate::journal::{Journal, JournalCall};
use tool_runtime::dispatch::ToolResult;

/// Larger than 32 bits.
const LARGE_NUMBER: u64 = 1 << 40;

pub(super) async fn unknown_records_are_not_found<J: Journal>(store: &Store<'_, J>) -> Checked {
    let run_id = store.run_ids.add("unknown");
    for handle in store.handles() {
        handle.find_calls(&run_id, 0).returns(&Vec::new()).await?;
        handle.find_reply(&run_id, 0).returns(&None).await?;
        handle.remove(&run_id).await?;
    }
    Ok(())
}

pub(super) async fn a_begun_call_is_found<J: Journal>(store: &Store<'_, J>) -> Checked {
    let (run_id, other) = (store.run_ids.add("begun"), store.run_ids.add("other"));
    let begun = call(&run_id, 3, 1)?;
    store.first.begin(&begun).returns(&None).await?;
    for handle in store.handles() {
        handle.find(&begun.key).returns(&Some(interrupted(&begun))).await?;
        for (run_id, reply, position) in [(&run_id, 3, 0), (&run_id, 3, 2), (&run_id, 1, 3), (&other, 3, 1)] {
            handle.find(&call(run_id, reply, position)?.key).returns(&None).await?;
        }
    }
    store.first.release(&begun.key).await?;
    store.second.find(&begun.key).returns(&Some(interrupted(&begun))).await
}

pub(super) async fn find_calls_returns_each_call_of_the_reply<J: Journal>(store: &Store<'_, J>) -> Checked {
    const CALLS: usize = 40;
    let (run_id, other) = (store.run_ids.add("calls"), store.run_ids.add("other"));
    let replies =
        [(&run_id, 1), (&run_id, 0), (&run_id, 10), (&run_id, 11), (&run_id, LARGE_NUMBER), (&other, 1)];
    let mut expected = Vec::new();
    for (position, (run_id, reply)) in replies.into_iter().enumerate() {
        let calls = if position == 0 { CALLS } else { position };
        let mut records = Vec::new();
        for position in (0..calls).rev() {
            let call = call(run_id, reply, position)?;
            begin_and_release(store, &call).await?;
            records.insert(0, interrupted(&call));
        }
        expected.push((run_id, reply, records));
    }
    for handle in store.handles() {
        for (run_id, reply, records) in &expected {
            handle.find_calls(run_id, *reply).returns(records).await?;
        }
        handle.find_calls(&run_id, 2).returns(&Vec::new()).await?;
    }
    Ok(())
}

pub(super) async fn an_interrupted_call_begins_again<J: Journal>(store: &Store<'_, J>) -> Checked {
    let call = call(&store.run_ids.add("interrupted"), 0, 0)?;
    let other = other_call(&call);
    begin_and_release(store, &call).await?;
    for begun_again in [&call, &other] {
        for handle in store.handles() {
            handle.begin(begun_again).returns(&Some(interrupted(&call))).await?;
            handle.find(&call.key).returns(&Some(interrupted(&call))).await?;
            handle.release(&call.key).await?;
        }
    }
    Ok(())
}

pub(super) async fn a_result_is_kept_without_loss<J: Journal>(store: &Store<'_, J>) -> Checked {
    let run_id = store.run_ids.add("results");
    for (position, result) in results().iter().enumerate() {
        let call = call(&run_id, 0, position)?;
        begin_and_finish(store, &call, result).await?;
        for handle in store.handles() {
            handle.find(&call.key).returns(&Some(finished(&call, result))).await?;
        }
    }
    Ok(())
}

pub(super) async fn a_finished_call_does_not_run<J: Journal>(store: &Store<'_, J>) -> Checked {
    let run_id = store.run_ids.add("finished");
    for (position, result) in results().iter().enumerate() {
        let call = call(&run_id, 0, position)?;
        begin_and_finish(store, &call, result).await?;
        // A begin that runs the call would let the next one wait.
        for handle in [&store.first, &store.second, &store.second, &store.first] {
            handle.begin(&call).returns(&Some(finished(&call, result))).await?;
        }
    }
    // The removal of a run in progress would fail.
    store.second.remove(&run_id).await
}

pub(super) async fn the_first_result_stays<J: Journal>(store: &Store<'_, J>) -> Checked {
    let call = call(&store.run_ids.add("first-result"), 0, 0)?;
    let first = result("first");
    begin_and_finish(store, &call, &first).await?;
    for handle in store.handles() {
        handle.finish(&call.key, &ToolResult::error("second")).await?;
        handle.find(&call.key).returns(&Some(finished(&call, &first))).await?;
    }
    store.second.begin(&other_call(&call)).returns(&Some(finished(&call, &first))).await
}

pub(super) async fn an_interrupted_call_can_finish<J: Journal>(store: &Store<'_, J>) -> Checked {
    let run_id = store.run_ids.add("ended");
    let error = ToolResult::error("`charge` was interrupted");
    // The run that records the error begins the call again, or has a result of the session.
    for (position, begins_again) in [true, false].into_iter().enumerate() {
        let call = call(&run_id, 0, position)?;
        begin_and_release(store, &call).await?;
        if begins_again {
            store.second.begin(&call).returns(&Some(interrupted(&call))).await?;
        }
        store.second.finish(&call.key, &error).await?;
        store.first.find(&call.key).returns(&Some(finished(&call, &error))).await?;
        store.first.begin(&call).returns(&Some(finished(&call, &error))).await?;
    }
    Ok(())
}

/// Begins a new call, and interrupts it.
async fn begin_and_release<J: Journal>(store: &Store<'_, J>, call: &JournalCall) -> Checked {
    store.first.begin(call).returns(&None).await?;
    store.first.release(&call.key).await
}

async fn begin_and_finish<J: Journal>(
    store: &Store<'_, J>,
    call: &JournalCall,
    result: &ToolResult,
) -> Checked {
    store.first.begin(call).returns(&None).await?;
    store.first.finish(&call.key, result).await
}
