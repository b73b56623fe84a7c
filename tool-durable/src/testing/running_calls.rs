//! Rules about calls that run.

use super::concurrent::{BoxedCheck, all_of};
use super::expected::{finished, interrupted};
use super::handle::Handle;
use super::records::{call, reply, result};
use super::{Checked, Store};
use crate::journal::{Journal, JournalCall, RecordedCall};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;
use tokio::time::sleep;

/// How long a call runs, and a reply is requested, so that others begin meanwhile.
pub(super) const RUN_TIME: Duration = Duration::from_millis(5);
/// The times after which an operation is dropped: at its first poll, and while it is in progress.
pub(super) const DROP_TIMES: [Duration; 6] = [
    Duration::ZERO,
    Duration::from_micros(200),
    Duration::from_millis(1),
    Duration::from_millis(2),
    Duration::from_millis(5),
    Duration::from_millis(20),
];

pub(super) async fn a_begin_waits_until_the_call_finishes<J: Journal>(store: &Store<'_, J>) -> Checked {
    let call = call(&store.run_ids.add("waits"), 0, 0)?;
    let result = result("charged");
    store.first.begin(&call).returns(&None).await?;
    let mut here = store.first.begin(&call);
    let mut there = store.second.begin(&call);
    all_of([here.waits(), there.waits()]).await?;
    store.first.finish(&call.key, &result).await?;
    // Both are polled, since a store may let them continue in order.
    let record = Some(finished(&call, &result));
    let ends: [BoxedCheck<'_>; 2] = [Box::pin(there.returns(&record)), Box::pin(here.returns(&record))];
    all_of(ends).await.map(drop)
}

pub(super) async fn a_begin_waits_until_the_call_is_released<J: Journal>(store: &Store<'_, J>) -> Checked {
    let call = call(&store.run_ids.add("waits"), 0, 0)?;
    store.first.begin(&call).returns(&None).await?;
    for (running, waiting) in [(&store.first, &store.second), (&store.second, &store.second)] {
        let mut begin = waiting.begin(&call);
        begin.waits().await?;
        running.release(&call.key).await?;
        begin.returns(&Some(interrupted(&call))).await?;
    }
    // The call runs in the second handle.
    let mut begin = store.first.begin(&call);
    begin.waits().await?;
    store.second.finish(&call.key, &result("charged")).await?;
    begin.returns(&Some(finished(&call, &result("charged")))).await
}

pub(super) async fn a_begin_that_is_dropped_while_it_waits_runs_nothing<J: Journal>(
    store: &Store<'_, J>,
) -> Checked {
    let run_id = store.run_ids.add("dropped");
    for (position, handle) in store.handles().into_iter().enumerate() {
        let call = call(&run_id, 0, position)?;
        store.first.begin(&call).returns(&None).await?;
        let mut dropped = handle.begin(&call);
        let mut dropped_later = handle.begin(&call);
        let mut begin = handle.begin(&call);
        all_of([dropped.waits(), dropped_later.waits(), begin.waits()]).await?;
        drop(dropped);
        store.first.release(&call.key).await?;
        // The release may have woken it.
        drop(dropped_later);
        begin.returns(&Some(interrupted(&call))).await?;
        handle.release(&call.key).await?;
    }
    store.second.remove_after_drops(&run_id).await
}

pub(super) async fn a_begin_that_is_dropped_at_any_time_runs_nothing<J: Journal>(
    store: &Store<'_, J>,
) -> Checked {
    let run_id = store.run_ids.add("dropped");
    let unpolled = call(&run_id, 0, 0)?;
    drop(store.first.begin(&unpolled));
    begin_and_release(&store.second, &unpolled).await?;
    for (reply, time) in (1..).zip(DROP_TIMES) {
        for (position, handle) in store.handles().into_iter().enumerate() {
            let call = call(&run_id, reply, position)?;
            if handle.begin(&call).dropped_after(time).await?.is_some() {
                handle.release(&call.key).await?;
            }
            begin_and_release(&store.second, &call).await?;
        }
    }
    store.first.remove_after_drops(&run_id).await
}

/// Begins a call that does not run, and interrupts it.
async fn begin_and_release<J: Journal>(handle: &Handle<'_, J>, call: &JournalCall) -> Checked {
    // A dropped begin may have recorded the call.
    if handle.begin(call).await?.is_some_and(|recorded| recorded.result.is_some()) {
        return Err(format!("the call `{}` has a result, and has not finished", call.key));
    }
    handle.release(&call.key).await
}

pub(super) async fn concurrent_begins_run_a_call_once<J: Journal>(store: &Store<'_, J>) -> Checked {
    const BEGINS: usize = 16;
    let call = call(&store.run_ids.add("concurrent"), 0, 0)?;
    let begins = (0..BEGINS).map(|number| -> BoxedCheck<'_, (bool, String)> {
        let (handle, call) = (store.handles()[number % 2], &call);
        Box::pin(async move {
            match handle.begin(call).await? {
                None => {
                    sleep(RUN_TIME).await;
                    let text = format!("result of begin {number}");
                    handle.finish(&call.key, &result(&text)).await?;
                    Ok((true, text))
                }
                Some(RecordedCall { result: Some(result), .. }) => Ok((false, result.text().into_owned())),
                Some(_) => {
                    Err("a concurrent begin returns the call without a result, and not that of the call that runs".to_owned())
                }
            }
        })
    });
    let outcomes = all_of(begins).await?;
    let results: Vec<&str> =
        outcomes.iter().filter(|(has_run, _)| *has_run).map(|(_, text)| &**text).collect();
    match &results[..] {
        [result] if outcomes.iter().all(|(_, text)| text == result) => Ok(()),
        [result] => Err(format!("the call has the result `{result}`, and the begins return {outcomes:?}")),
        _ => Err(format!("{} of {BEGINS} concurrent begins run the call, and not one", results.len())),
    }
}

pub(super) async fn concurrent_begins_run_an_interrupted_call_one_after_another<J: Journal>(
    store: &Store<'_, J>,
) -> Checked {
    const BEGINS: usize = 8;
    let call = call(&store.run_ids.add("concurrent"), 0, 0)?;
    let running = AtomicUsize::new(0);
    let begins = (0..BEGINS).map(|number| -> BoxedCheck<'_> {
        let (handle, call, running) = (store.handles()[number % 2], &call, &running);
        Box::pin(async move {
            handle.begin(call).await?;
            let others = running.fetch_add(1, Ordering::Relaxed);
            sleep(RUN_TIME).await;
            running.fetch_sub(1, Ordering::Relaxed);
            if others > 0 {
                return Err(format!("the call `{}` runs {} times at once", call.key, others + 1));
            }
            handle.release(&call.key).await
        })
    });
    all_of(begins).await?;
    store.second.find(&call.key).returns(&Some(interrupted(&call))).await
}

pub(super) async fn a_running_call_blocks_no_other_call<J: Journal>(store: &Store<'_, J>) -> Checked {
    let (run_id, other) = (store.run_ids.add("runs"), store.run_ids.add("other"));
    let running = call(&run_id, 0, 0)?;
    store.first.begin(&running).returns(&None).await?;
    for (number, handle) in (1..).zip(store.handles()) {
        let position = usize::from(number == 1);
        for other in [call(&run_id, 0, position + 1)?, call(&run_id, number, 0)?, call(&other, 0, position)?]
        {
            handle.begin(&other).returns(&None).await?;
            handle.finish(&other.key, &result("charged")).await?;
            handle.find(&other.key).returns(&Some(finished(&other, &result("charged")))).await?;
        }
        handle.find(&running.key).returns(&Some(interrupted(&running))).await?;
    }
    store.second.begin_reply(&run_id, 0).returns(&None).await?;
    store.second.record_reply(&reply(&run_id, 0, "recorded")).returns(&true).await?;
    store.first.finish(&running.key, &result("charged")).await
}
