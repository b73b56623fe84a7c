//! Rules about the removal of runs.

use super::expected::{finished, interrupted};
use super::handle::Handle;
use super::records::{call, reply, result};
use super::{Checked, Store};
use crate::journal::Journal;

/// Continuations of a run id that are those of inner runs.
const INNER: [&str; 4] = ["/0/0", "/2/10", "/0/0/3/1", "/7/0/0/0/12/5"];
/// Continuations that are those of other runs.
const OTHERS: [&str; 12] =
    ["b", "b/0/0", "-1", "-1/0/0", "0", "0/0/0", "/0", "/0/0/0", "/x/0", "/0/x", "/0/0-1", "./0/0"];

/// Records a finished call, an interrupted one and a reply.
async fn record<J: Journal>(handle: &Handle<'_, J>, run_id: &str) -> Checked {
    let (first, second) = (call(run_id, 0, 0)?, call(run_id, 0, 1)?);
    handle.record_reply(&reply(run_id, 0, run_id)).returns(&true).await?;
    handle.begin(&first).returns(&None).await?;
    handle.finish(&first.key, &result(run_id)).await?;
    handle.begin(&second).returns(&None).await?;
    handle.release(&second.key).await
}

async fn has_records<J: Journal>(handle: &Handle<'_, J>, run_id: &str) -> Checked {
    let records = vec![finished(&call(run_id, 0, 0)?, &result(run_id)), interrupted(&call(run_id, 0, 1)?)];
    handle.find_calls(run_id, 0).returns(&records).await?;
    handle.find_reply(run_id, 0).returns(&Some(reply(run_id, 0, run_id))).await
}

async fn has_no_records<J: Journal>(handle: &Handle<'_, J>, run_id: &str) -> Checked {
    handle.find_calls(run_id, 0).returns(&Vec::new()).await?;
    handle.find_reply(run_id, 0).returns(&None).await
}

pub(super) async fn remove_run_removes_each_record_of_the_run<J: Journal>(store: &Store<'_, J>) -> Checked {
    let (run_id, other) = (store.run_ids.add("removed"), store.run_ids.add("other"));
    for run_id in [&run_id, &other] {
        record(&store.first, run_id).await?;
        store.first.record_reply(&reply(run_id, 1, "next")).returns(&true).await?;
    }
    for handle in [&store.second, &store.second, &store.first] {
        handle.remove(&run_id).await?;
        has_no_records(&store.first, &run_id).await?;
        has_no_records(&store.second, &run_id).await?;
        store.first.find_reply(&run_id, 1).returns(&None).await?;
    }
    has_records(&store.second, &other).await?;
    // A result of the first call would be that of the second one.
    let call = call(&run_id, 0, 0)?;
    store.second.begin(&call).returns(&None).await?;
    store.first.find(&call.key).returns(&Some(interrupted(&call))).await?;
    store.second.release(&call.key).await?;
    store.first.begin_reply(&run_id, 0).returns(&None).await?;
    store.first.record_reply(&reply(&run_id, 0, "again")).returns(&true).await?;
    store.second.find_reply(&run_id, 0).returns(&Some(reply(&run_id, 0, "again"))).await
}

pub(super) async fn remove_run_removes_the_records_of_inner_runs<J: Journal>(
    store: &Store<'_, J>,
) -> Checked {
    // The outer run need not have records.
    for has_outer_records in [true, false] {
        let run_id = store.run_ids.add("outer");
        let inner = INNER.map(|text| store.run_ids.continued(&run_id, text));
        if has_outer_records {
            record(&store.first, &run_id).await?;
        }
        for inner in &inner {
            record(&store.first, inner).await?;
        }
        store.second.remove(&run_id).await?;
        for run_id in inner.iter().chain([&run_id]) {
            has_no_records(&store.first, run_id).await?;
            has_no_records(&store.second, run_id).await?;
            record(&store.second, run_id).await?;
        }
        // An inner run does not contain the others.
        let [inner, kept, removed, _] = &inner;
        store.first.remove(inner).await?;
        has_no_records(&store.second, inner).await?;
        has_no_records(&store.second, removed).await?;
        has_records(&store.second, kept).await?;
        has_records(&store.second, &run_id).await?;
    }
    Ok(())
}

pub(super) async fn remove_run_keeps_runs_with_similar_ids<J: Journal>(store: &Store<'_, J>) -> Checked {
    let run_id = store.run_ids.add("a");
    let mut others = OTHERS.map(|text| store.run_ids.continued(&run_id, text)).to_vec();
    // In SQL, `_` and `%` stand for other letters.
    let pattern = store.run_ids.add("a_%");
    for text in ["/0/0", "bc/0/0"] {
        others.push(store.run_ids.continued(&pattern.replace("_%", "bc"), text));
    }
    // The end of another id.
    others.push(store.run_ids.continued(&store.run_ids.add("x/"), &format!("{run_id}/0/0")));
    for run_id in others.iter().chain([&run_id, &pattern]) {
        record(&store.first, run_id).await?;
    }
    for removed in [&run_id, &pattern] {
        store.second.remove(removed).await?;
        has_no_records(&store.first, removed).await?;
    }
    for run_id in &others {
        has_records(&store.first, run_id).await?;
    }
    Ok(())
}

pub(super) async fn a_run_with_a_running_call_is_not_removed<J: Journal>(store: &Store<'_, J>) -> Checked {
    for text in ["", "/0/0", "/0/0/3/1"] {
        let run_id = store.run_ids.add("runs");
        let inner = store.run_ids.continued(&run_id, "/2/0");
        record(&store.first, &run_id).await?;
        record(&store.first, &inner).await?;
        let running = call(&store.run_ids.continued(&run_id, text), 1, 0)?;
        store.first.begin(&running).returns(&None).await?;
        for handle in store.handles() {
            handle.remove(&run_id).fails_in_progress().await?;
            has_records(handle, &run_id).await?;
            has_records(handle, &inner).await?;
            handle.find(&running.key).returns(&Some(interrupted(&running))).await?;
        }
        store.first.finish(&running.key, &result("charged")).await?;
        store.second.remove(&run_id).await?;
        has_no_records(&store.first, &run_id).await?;
        store.first.find(&running.key).returns(&None).await?;
    }
    Ok(())
}

pub(super) async fn a_run_with_a_requested_reply_is_not_removed<J: Journal>(store: &Store<'_, J>) -> Checked {
    for text in ["", "/0/0", "/0/0/3/1"] {
        let run_id = store.run_ids.add("requested");
        let inner = store.run_ids.continued(&run_id, "/2/0");
        record(&store.first, &run_id).await?;
        record(&store.first, &inner).await?;
        let requesting = store.run_ids.continued(&run_id, text);
        store.first.begin_reply(&requesting, 1).returns(&None).await?;
        for handle in store.handles() {
            handle.remove(&run_id).fails_in_progress().await?;
            has_records(handle, &run_id).await?;
            has_records(handle, &inner).await?;
        }
        store.first.release_reply(&requesting, 1).await?;
        store.second.remove(&run_id).await?;
        has_no_records(&store.first, &run_id).await?;
    }
    Ok(())
}

pub(super) async fn a_run_in_progress_blocks_no_other_removal<J: Journal>(store: &Store<'_, J>) -> Checked {
    let run_id = store.run_ids.add("a");
    let inner = store.run_ids.continued(&run_id, "/0/0");
    let others = ["b", "b/0/0", "/x/0"].map(|text| store.run_ids.continued(&run_id, text));
    for run_id in [&run_id, &inner] {
        record(&store.first, run_id).await?;
    }
    for other in &others {
        store.first.begin(&call(other, 0, 0)?).returns(&None).await?;
        store.first.begin_reply(other, 0).returns(&None).await?;
    }
    // The call that started the inner run.
    let outer = call(&run_id, 1, 0)?;
    store.first.begin(&outer).returns(&None).await?;
    store.second.remove(&inner).await?;
    has_no_records(&store.first, &inner).await?;
    has_records(&store.first, &run_id).await?;
    store.first.release(&outer.key).await?;
    store.second.remove(&run_id).await?;
    has_no_records(&store.first, &run_id).await?;
    for other in &others {
        store.first.finish(&call(other, 0, 0)?.key, &result("charged")).await?;
        store.first.release_reply(other, 0).await?;
    }
    Ok(())
}

pub(super) async fn the_records_of_ended_runs_are_removed<J: Journal>(store: &Store<'_, J>) -> Checked {
    for run_id in store.run_ids.all() {
        store.second.remove_after_drops(&run_id).await?;
        has_no_records(&store.first, &run_id).await?;
    }
    Ok(())
}
