//! The operations of a journal on a disk that works.

use crate::folder::Folder;
use crate::records::{begin, call, find_call, finish, key, reply, result, same};
use std::task::Poll;
use std::time::Duration;
use tokio::time::timeout;
use tool_runtime::dispatch::ToolResult;
use tool_runtime_durable::{FileJournal, Journal, JournalError, JournalFuture};

/// Polls a future for some time, which is not ready then.
async fn waits<T>(future: &mut JournalFuture<'_, T>) {
    let outcome = timeout(Duration::from_millis(200), future).await;
    assert!(outcome.is_err(), "the operation does not wait");
}

#[tokio::test]
async fn a_call_is_recorded_once_and_keeps_its_first_result() {
    let folder = Folder::new("recorded-once");
    let journal = FileJournal::open(folder.journal()).unwrap();
    let call = call("run", 3, 1);
    assert!(find_call(&journal, &call.key).await.unwrap().is_none());
    assert!(begin(&journal, &call).await.is_none());

    let mut other = call.clone();
    other.tool = "refund".to_owned();
    let interrupted = begin(&journal, &other).await.expect("the call has begun");
    assert_eq!(interrupted.call, call);
    assert!(interrupted.result.is_none());

    finish(&journal, &call.key).await;
    journal.finish_call(&call.key, &ToolResult::error("too late")).await.unwrap();
    for found in [find_call(&journal, &call.key).await.unwrap(), begin(&journal, &other).await] {
        let found = found.expect("the call is recorded");
        assert_eq!(found.call, call);
        assert!(same(&found.result.expect("the call has finished"), &result(&call.key)));
    }
    for (run, number, position) in [("run", 3, 0), ("run", 2, 1), ("ru", 3, 1), ("run3", 3, 1)] {
        assert!(find_call(&journal, &key(run, number, position)).await.unwrap().is_none());
    }
}

#[tokio::test]
async fn a_reply_is_recorded_once() {
    let folder = Folder::new("reply-once");
    let journal = FileJournal::open(folder.journal()).unwrap();
    assert!(journal.find_reply("run", 0).await.unwrap().is_none());
    assert!(journal.record_reply(&reply("run", 0, "first")).await.unwrap());
    assert!(!journal.record_reply(&reply("run", 0, "second")).await.unwrap());
    assert!(journal.record_reply(&reply("run", 1, "third")).await.unwrap());
    for (number, text) in [(0, "first"), (1, "third")] {
        let found = journal.find_reply("run", number).await.unwrap().expect("the reply is recorded");
        assert_eq!((found.number, found.message.text()), (number, text));
        assert_eq!(found.user_text, "Charge my orders.");
    }
    assert!(journal.find_reply("other", 0).await.unwrap().is_none());
}

#[tokio::test]
async fn a_call_that_runs_does_not_begin_again_in_any_handle_until_it_has_ended() {
    let folder = Folder::new("running");
    let journal = FileJournal::open(folder.journal()).unwrap();
    let other_handle = journal.clone();
    let call = call("run", 0, 0);
    assert!(journal.begin_call(&call).await.unwrap().is_none());
    let (mut here, mut there) = (journal.begin_call(&call), other_handle.begin_call(&call));
    waits(&mut here).await;
    waits(&mut there).await;

    journal.release_call(&call.key).await.unwrap();
    let interrupted = here.await.unwrap().expect("the call has begun");
    assert!(interrupted.result.is_none());
    // The call runs again.
    waits(&mut there).await;

    finish(&journal, &call.key).await;
    let finished = there.await.unwrap().expect("the call has begun");
    assert!(same(&finished.result.expect("the call has finished"), &result(&call.key)));
    journal.remove_run("run").await.unwrap();
}

#[tokio::test]
async fn a_call_whose_begin_is_dropped_does_not_run() {
    let folder = Folder::new("dropped-begin");
    let journal = FileJournal::open(folder.journal()).unwrap();
    // Before it is polled, while it waits, and before it is ready.
    let unpolled = call("run", 0, 0);
    drop(journal.begin_call(&unpolled));
    assert!(journal.begin_call(&unpolled).await.unwrap().is_none());

    let mut waiting = journal.begin_call(&unpolled);
    waits(&mut waiting).await;
    drop(waiting);
    journal.release_call(&unpolled.key).await.unwrap();
    assert!(journal.begin_call(&unpolled).await.unwrap().is_some());

    let polled = call("run", 0, 1);
    let ready = {
        let begin = journal.begin_call(&polled);
        tokio::select! {
            biased;
            outcome = begin => outcome.is_ok(),
            () = std::future::ready(()) => false,
        }
    };
    assert!(!ready, "a commit is not ready at once");
    journal.begin_call(&polled).await.unwrap();
}

#[tokio::test]
async fn a_reply_whose_record_is_dropped_is_recorded_before_the_next_read() {
    let folder = Folder::new("dropped-reply");
    let journal = FileJournal::open(folder.journal()).unwrap();
    for number in 0..20 {
        let reply = reply("run", number, "dropped");
        let mut record = journal.record_reply(&reply);
        let polled = std::future::poll_fn(|context| Poll::Ready(record.as_mut().poll(context))).await;
        drop(record);
        assert!(polled.is_pending());
        assert!(journal.find_reply("run", number).await.unwrap().is_some());
    }
}

#[tokio::test]
async fn a_result_without_a_begun_call_is_an_error() {
    let folder = Folder::new("not-begun");
    let journal = FileJournal::open(folder.journal()).unwrap();
    let key = key("run", 0, 0);
    let error = journal.finish_call(&key, &result(&key)).await.unwrap_err();
    let text =
        "the journal cannot be used: the call `run/0/0` has not begun: record its begin before its result";
    assert_eq!(error.to_string(), text);
    assert!(find_call(&journal, &key).await.unwrap().is_none());
}

#[tokio::test]
async fn a_removed_run_leaves_no_record_and_other_runs_keep_theirs() {
    let folder = Folder::new("remove-run");
    let journal = FileJournal::open(folder.journal()).unwrap();
    for run in ["a", "ab", "b"] {
        journal.record_reply(&reply(run, 0, "I charge them.")).await.unwrap();
        for position in 0..3 {
            begin(&journal, &call(run, 0, position)).await;
        }
        finish(&journal, &key(run, 0, 1)).await;
    }
    journal.remove_run("a").await.unwrap();
    journal.remove_run("unknown").await.unwrap();
    for (run, recorded) in [("a", false), ("ab", true), ("b", true)] {
        assert_eq!(journal.find_reply(run, 0).await.unwrap().is_some(), recorded, "{run}");
        for position in 0..3 {
            let found = find_call(&journal, &key(run, 0, position)).await.unwrap();
            assert_eq!(found.is_some(), recorded, "{run}/0/{position}");
        }
    }
    assert!(begin(&journal, &call("a", 0, 1)).await.is_none());
}

#[tokio::test]
async fn a_run_with_a_running_call_is_not_removed() {
    let folder = Folder::new("remove-running");
    let journal = FileJournal::open(folder.journal()).unwrap();
    let call = call("run", 0, 0);
    journal.begin_call(&call).await.unwrap();
    let error = journal.remove_run("run").await.unwrap_err();
    assert!(matches!(&error, JournalError::InProgress { run_id, .. } if run_id == "run"), "{error}");
    finish(&journal, &call.key).await;
    journal.remove_run("run").await.unwrap();
    assert!(find_call(&journal, &call.key).await.unwrap().is_none());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn handles_of_many_tasks_begin_each_call_once() {
    const TASKS: usize = 8;
    let folder = Folder::new("concurrent");
    let journal = FileJournal::open(folder.journal()).unwrap();
    let tasks: Vec<_> = (0..TASKS)
        .map(|_| {
            let journal = journal.clone();
            tokio::spawn(async move {
                let mut first = 0;
                for position in 0..25 {
                    let call = call("run", 0, position);
                    match journal.begin_call(&call).await.unwrap() {
                        None => {
                            first += 1;
                            finish(&journal, &call.key).await;
                        }
                        Some(earlier) => {
                            let found = earlier.result.expect("the call has finished");
                            assert!(same(&found, &result(&call.key)));
                        }
                    }
                }
                first
            })
        })
        .collect();
    let mut first = 0;
    for task in tasks {
        first += task.await.unwrap();
    }
    assert_eq!(first, 25);
    for position in 0..25 {
        assert!(find_call(&journal, &key("run", 0, position)).await.unwrap().unwrap().result.is_some());
    }
}

#[tokio::test]
async fn records_expire_after_their_time_unless_a_call_is_open_or_a_reply_is_requested() {
    let folder = Folder::new("expiry");
    // The time passes at least between two operations, so that the test does not wait.
    let journal =
        FileJournal::options().remove_after(Duration::from_millis(1)).open(folder.journal()).unwrap();
    begin(&journal, &call("open", 0, 0)).await;
    begin(&journal, &call("closed", 0, 0)).await;
    finish(&journal, &key("closed", 0, 0)).await;
    begin(&journal, &call("requested", 0, 0)).await;
    finish(&journal, &key("requested", 0, 0)).await;
    assert!(journal.begin_reply("requested", 1).await.unwrap().is_none());
    let mut number = 0;
    while find_call(&journal, &key("closed", 0, 0)).await.unwrap().is_some() {
        tokio::time::sleep(Duration::from_millis(2)).await;
        journal.record_reply(&reply("other", number, "It works.")).await.unwrap();
        number += 1;
        assert!(number < 1000, "the run does not expire");
    }
    assert!(find_call(&journal, &key("open", 0, 0)).await.unwrap().is_some());
    assert!(find_call(&journal, &key("requested", 0, 0)).await.unwrap().is_some());
}

#[tokio::test]
async fn removing_a_run_removes_its_inner_sessions_unless_one_of_their_calls_runs() {
    let folder = Folder::new("remove-inner");
    let journal = FileJournal::open(folder.journal()).unwrap();
    // The last one is in the form of an inner run: programs should not choose such an id.
    let inner = ["order-7/0/0", "order-7/0/0/2/1", "order-7/2024/11"];
    let others = ["order-7/a/0", "order-70/0/0", "order-7-2024-11"];
    for run in inner.into_iter().chain(others).chain(["order-7"]) {
        begin(&journal, &call(run, 0, 0)).await;
        journal.record_reply(&reply(run, 0, "I charge them.")).await.unwrap();
    }
    let running = call(inner[1], 0, 1);
    journal.begin_call(&running).await.unwrap();
    let error = journal.remove_run("order-7").await.unwrap_err();
    assert!(matches!(&error, JournalError::InProgress { run_id, .. } if run_id == "order-7"), "{error}");
    assert!(journal.find_reply("order-7", 0).await.unwrap().is_some());
    journal.release_call(&running.key).await.unwrap();
    journal.remove_run("order-7").await.unwrap();
    for run in inner.into_iter().chain(["order-7"]) {
        assert!(journal.find_reply(run, 0).await.unwrap().is_none(), "{run}");
        assert!(begin(&journal, &call(run, 0, 0)).await.is_none(), "{run}");
    }
    for run in others {
        assert!(journal.find_reply(run, 0).await.unwrap().is_some(), "{run}");
    }
}
