//! Rules about replies that are requested.

use super::concurrent::{BoxedCheck, all_of};
use super::records::{call, reply};
use super::running_calls::{DROP_TIMES, RUN_TIME};
use super::{Checked, Store};
use crate::journal::Journal;
use tokio::time::sleep;

pub(super) async fn a_request_waits_until_the_reply_is_recorded<J: Journal>(store: &Store<'_, J>) -> Checked {
    let run_id = store.run_ids.add("requested");
    let recorded = reply(&run_id, 0, "recorded");
    store.first.begin_reply(&run_id, 0).returns(&None).await?;
    store.second.find_reply(&run_id, 0).returns(&None).await?;
    let mut here = store.first.begin_reply(&run_id, 0);
    let mut there = store.second.begin_reply(&run_id, 0);
    all_of([here.waits(), there.waits()]).await?;
    store.first.record_reply(&recorded).returns(&true).await?;
    // Both are polled, since a store may let them continue in order.
    let recorded = Some(recorded);
    let ends: [BoxedCheck<'_>; 2] = [Box::pin(there.returns(&recorded)), Box::pin(here.returns(&recorded))];
    all_of(ends).await.map(drop)
}

pub(super) async fn a_request_waits_until_the_other_is_released<J: Journal>(store: &Store<'_, J>) -> Checked {
    let run_id = store.run_ids.add("requested");
    store.first.begin_reply(&run_id, 0).returns(&None).await?;
    for (requesting, waiting) in [(&store.first, &store.second), (&store.second, &store.second)] {
        let mut begin = waiting.begin_reply(&run_id, 0);
        begin.waits().await?;
        requesting.release_reply(&run_id, 0).await?;
        begin.returns(&None).await?;
    }
    // The second handle requests the reply.
    let recorded = reply(&run_id, 0, "recorded");
    let mut begin = store.first.begin_reply(&run_id, 0);
    begin.waits().await?;
    store.second.record_reply(&recorded).returns(&true).await?;
    begin.returns(&Some(recorded)).await
}

pub(super) async fn a_request_that_is_dropped_while_it_waits_holds_nothing<J: Journal>(
    store: &Store<'_, J>,
) -> Checked {
    let run_id = store.run_ids.add("dropped");
    for (number, handle) in (0..).zip(store.handles()) {
        store.first.begin_reply(&run_id, number).returns(&None).await?;
        let mut dropped = handle.begin_reply(&run_id, number);
        let mut dropped_later = handle.begin_reply(&run_id, number);
        let mut begin = handle.begin_reply(&run_id, number);
        all_of([dropped.waits(), dropped_later.waits(), begin.waits()]).await?;
        drop(dropped);
        store.first.release_reply(&run_id, number).await?;
        // The release may have woken it.
        drop(dropped_later);
        begin.returns(&None).await?;
        handle.release_reply(&run_id, number).await?;
    }
    store.second.remove_after_drops(&run_id).await
}

pub(super) async fn a_request_that_is_dropped_at_any_time_holds_nothing<J: Journal>(
    store: &Store<'_, J>,
) -> Checked {
    let run_id = store.run_ids.add("dropped");
    drop(store.first.begin_reply(&run_id, 0));
    store.second.begin_reply(&run_id, 0).returns(&None).await?;
    store.second.release_reply(&run_id, 0).await?;
    for (number, time) in (1..).zip(DROP_TIMES) {
        for handle in store.handles() {
            if handle.begin_reply(&run_id, number).dropped_after(time).await?.is_some() {
                handle.release_reply(&run_id, number).await?;
            }
            store.second.begin_reply(&run_id, number).returns(&None).await?;
            store.second.release_reply(&run_id, number).await?;
        }
    }
    store.first.remove_after_drops(&run_id).await
}

pub(super) async fn concurrent_requests_record_a_reply_once<J: Journal>(store: &Store<'_, J>) -> Checked {
    const REQUESTS: usize = 16;
    let run_id = store.run_ids.add("concurrent");
    let requests = (0..REQUESTS).map(|request| -> BoxedCheck<'_, (bool, String)> {
        let (handle, run_id) = (store.handles()[request % 2], &run_id);
        Box::pin(async move {
            if let Some(recorded) = handle.begin_reply(run_id, 0).await? {
                return Ok((false, recorded.message.text().to_owned()));
            }
            sleep(RUN_TIME).await;
            let text = format!("reply of request {request}");
            handle.record_reply(&reply(run_id, 0, &text)).returns(&true).await?;
            Ok((true, text))
        })
    });
    let outcomes = all_of(requests).await?;
    let texts: Vec<&str> = outcomes.iter().filter(|(is_new, _)| *is_new).map(|(_, text)| &**text).collect();
    match &texts[..] {
        [reply] if outcomes.iter().all(|(_, text)| text == reply) => Ok(()),
        [reply] => Err(format!("the reply is `{reply}`, and the requests return {outcomes:?}")),
        _ => Err(format!("{} of {REQUESTS} concurrent requests record the reply, and not one", texts.len())),
    }
}

pub(super) async fn a_request_blocks_no_other_reply<J: Journal>(store: &Store<'_, J>) -> Checked {
    let (run_id, other) = (store.run_ids.add("requested"), store.run_ids.add("other"));
    store.first.begin_reply(&run_id, 0).returns(&None).await?;
    for (number, handle) in (1..).zip(store.handles()) {
        for (run_id, number) in [(&run_id, number), (&other, number - 1)] {
            handle.begin_reply(run_id, number).returns(&None).await?;
            handle.record_reply(&reply(run_id, number, "other")).returns(&true).await?;
        }
        let call = call(&run_id, 0, usize::from(number == 1))?;
        handle.begin(&call).returns(&None).await?;
        handle.release(&call.key).await?;
    }
    store.first.release_reply(&run_id, 0).await
}
