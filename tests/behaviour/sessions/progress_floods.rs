//! Tools that send progress and data without end, and slow listeners.

use super::{asked, call, calling, model, text_reply};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;
use tool_runtime::dispatch::{CallEvent, CallStatus, CancellationToken};
use tool_runtime::session::{Event, RunEnd};
use tool_runtime::{CallContext, Registry, RunContext, Session, tool, tools};

/// Sends progress and data until it is cancelled.
fn flood(call: &CallContext) {
    for number in 0.. {
        call.progress(number, None, "again");
        call.emit(number);
        if call.cancellation().is_cancelled() {
            return;
        }
    }
}

/// Floods from its thread.
#[tool(blocking, timeout = "500ms")]
fn flood_from_thread(
    #[expect(unused, reason = "the calls of these tests have it")] order: u32,
    #[context] call: &CallContext,
) {
    flood(call);
}

/// Floods from other threads.
#[tool(timeout = "500ms")]
async fn flood_from_many(#[expect(unused, reason = "as above")] order: u32, #[context] call: &CallContext) {
    for _ in 0..2 {
        let call = call.clone();
        thread::spawn(move || flood(&call));
    }
    loop {
        call.progress(0, None, "again");
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
}

/// Floods from its task.
#[tool(timeout = "500ms")]
async fn flood_from_task(#[expect(unused, reason = "as above")] order: u32, #[context] call: &CallContext) {
    loop {
        for number in 0..1000 {
            call.emit(number);
        }
        tokio::task::yield_now().await;
    }
}

/// Sends many rows at once.
#[tool]
fn rows(order: u32, #[context] call: &CallContext) {
    (0..order).for_each(|row| call.emit(row));
}

/// The number of rows that the listener has received.
#[derive(Default)]
struct ReceivedRows(AtomicU64);

/// Sends many rows, and waits after each thousand until the listener has received them.
#[tool]
async fn rows_in_parts(order: u32, #[context] call: &CallContext, #[state] received: &ReceivedRows) {
    for row in 0..order {
        call.emit(row);
        if row % 1_000 == 0 {
            while received.0.load(Ordering::Relaxed) <= u64::from(row) {
                tokio::task::yield_now().await;
            }
        }
    }
}

/// Sends texts of a megabyte.
#[tool]
fn texts(order: u32, #[context] call: &CallContext) {
    (0..order).for_each(|text| call.progress(text.into(), None, "a".repeat(1 << 20)));
}

fn registry(received: &Arc<ReceivedRows>) -> Registry {
    Registry::builder()
        .tools(tools![flood_from_thread, flood_from_many, flood_from_task, rows, rows_in_parts, texts])
        .state(Arc::clone(received))
        .build()
        .expect("six tools")
}

/// More events than a listener receives that takes 100 µs for each, if no flood of events delays a time limit.
const MANY: u64 = 100_000;

/// The events of a listener.
#[derive(Debug, Default)]
struct Seen {
    emitted: u64,
    progress: u64,
    skipped: u64,
    /// The first event and the last one.
    first: Option<String>,
    last: Option<String>,
}

impl Seen {
    fn add(&mut self, event: &Event) {
        let Event::Call(CallEvent { status, .. }) = event else { return };
        match status {
            CallStatus::Emitted { .. } => self.emitted += 1,
            CallStatus::Progress { .. } => self.progress += 1,
            CallStatus::EventsSkipped { events, .. } => self.skipped += events,
            _ => {}
        }
        let json = serde_json::to_value(event).expect("it is JSON");
        let status = json["status"].as_str().map(str::to_owned);
        self.first.get_or_insert_with(|| status.clone().expect("a status"));
        self.last = status;
    }
}

async fn run_tool(tool: &str, order: u32, mut listen: impl FnMut(&Event)) -> (Seen, Session) {
    let model = model([calling([call("a", tool, order)]), text_reply("Done.")]);
    let (mut session, mut seen) = (asked(), Seen::default());
    let received = Arc::default();
    let run = session.run(&registry(&received)).on_event(|event| {
        seen.add(event);
        received.0.store(seen.emitted, Ordering::Relaxed);
        listen(event);
    });
    let end = run.complete(|request| model.complete(request)).await.expect("valid");
    assert_eq!(end, RunEnd::Answered);
    (seen, session)
}

#[tokio::test]
async fn a_flood_of_events_does_not_delay_the_time_limit_of_a_call() {
    for tool in ["flood_from_thread", "flood_from_many", "flood_from_task"] {
        // All events of half a second would take minutes.
        let (seen, session) = run_tool(tool, 0, |_| thread::sleep(Duration::from_micros(100))).await;
        assert!(seen.emitted + seen.progress < MANY, "{tool}: {seen:?}");
        assert!(session.messages()[2].text().contains("did not finish within"), "{tool}");
        assert_eq!(
            (seen.first.as_deref(), seen.last.as_deref()),
            (Some("started"), Some("finished")),
            "{tool}"
        );
        assert!(seen.skipped > 0, "{tool}: {seen:?}");
    }
}

#[tokio::test]
async fn a_flood_of_events_does_not_delay_the_time_limit_of_a_run() {
    for cancels in [false, true] {
        let model = model([calling([call("a", "flood_from_thread", 0)]), text_reply("Done.")]);
        let token = CancellationToken::new();
        let registry = registry(&Arc::default()).with(&RunContext::new().cancellation(token.clone()));
        let (mut session, mut received) = (asked(), 0);
        let run = session.run(&registry).on_event(|_| {
            received += 1;
            thread::sleep(Duration::from_micros(100));
        });
        let run = run.complete(|request| model.complete(request));
        if cancels {
            let cancel = async {
                tokio::time::sleep(Duration::from_millis(100)).await;
                token.cancel();
            };
            let (end, ()) = tokio::join!(run, cancel);
            assert_eq!(end.expect("valid"), RunEnd::Cancelled);
        } else {
            assert!(tokio::time::timeout(Duration::from_millis(100), run).await.is_err());
        }
        assert!(received < MANY, "{received} events");
    }
}

#[tokio::test]
async fn a_flood_of_events_does_not_delay_the_time_limit_of_a_dispatch() {
    for tool in ["flood_from_thread", "flood_from_many", "flood_from_task"] {
        let (finished, skipped) = (Arc::new(AtomicU64::new(0)), Arc::new(AtomicU64::new(0)));
        let counts = (Arc::clone(&finished), Arc::clone(&skipped));
        let received = Arc::new(AtomicU64::new(0));
        let received_events = Arc::clone(&received);
        let context = RunContext::new().on_event(move |event| {
            received_events.fetch_add(1, Ordering::Relaxed);
            match event.status {
                CallStatus::Finished { .. } => drop(counts.0.fetch_add(1, Ordering::Relaxed)),
                CallStatus::EventsSkipped { events, .. } => {
                    counts.1.fetch_add(events, Ordering::Relaxed);
                }
                _ => {}
            }
            thread::sleep(Duration::from_micros(100));
        });
        let messages = registry(&Arc::default()).with(&context).dispatch(&[call("a", tool, 0)]).await;
        assert!(received.load(Ordering::Relaxed) < MANY, "{tool}: {received:?} events");
        assert!(messages[0].text().contains("did not finish within"), "{tool}");
        assert_eq!(finished.load(Ordering::Relaxed), 1, "{tool}");
        // Only events of other threads wait for a listener.
        assert!(tool == "flood_from_many" || skipped.load(Ordering::Relaxed) == 0, "{tool}");
    }
}

#[tokio::test]
async fn the_data_of_an_ordinary_tool_is_complete() {
    let mut rows = Vec::new();
    let (seen, _) = run_tool("rows", 20_000, |event| {
        if let Event::Call(CallEvent { status: CallStatus::Emitted { data, .. }, .. }) = event {
            rows.push(data.as_u64().expect("a number"));
        }
    })
    .await;
    assert_eq!((seen.emitted, seen.skipped), (20_000, 0));
    assert!(rows.iter().copied().eq(0..20_000), "in order");
}

/// The listener runs in the task of the tool.
#[tokio::test]
async fn the_data_of_a_tool_that_waits_for_its_listener_is_complete_in_any_amount() {
    for (tool, is_complete) in [("rows_in_parts", true), ("rows", false)] {
        let (seen, _) = run_tool(tool, 100_000, |_| ()).await;
        assert_eq!(seen.skipped == 0, is_complete, "{tool}: {seen:?}");
        assert_eq!(seen.emitted + seen.skipped, 100_000, "{tool}");
    }
}

/// The other thread of a tool.
struct OtherThread {
    /// For the tool itself.
    request: Sender<()>,
    /// The requests, and the channel for the responses, which is closed when the thread has ended.
    ends: Mutex<Option<(Receiver<()>, Sender<()>)>>,
}

/// Sends texts of a megabyte from another thread, while the listener of the run receives one.
#[tool]
async fn texts_from_two_threads(
    #[expect(unused, reason = "the calls of these tests have it")] order: u32,
    #[context] call: &CallContext,
    #[state] other: &OtherThread,
) {
    let (requests, respond) = other.ends.lock().expect("no panic").take().expect("one call");
    let sender = call.clone();
    let thread = thread::spawn(move || {
        // The first texts exceed the memory, and one of the later ones each time.
        for count in [20].into_iter().chain([2; 40]) {
            let _ = requests.recv();
            (0..count).for_each(|text| sender.progress(text, None, "a".repeat(1 << 20)));
            let _ = respond.send(());
        }
    });
    call.progress(0, None, "begun");
    // On a busy machine, the listener has not requested all texts when its time in this thread has passed.
    for _ in 0..41 {
        let _ = other.request.send(());
    }
    thread.join().expect("no panic");
}

/// Two queues in a row skip events: that of the call, and that of the run.
#[tokio::test]
async fn reports_of_skipped_events_do_not_flood_the_listener() {
    let ((request, requests), (respond, responses)) = (channel(), channel());
    let (ends, own_thread) = (Mutex::new(Some((request.clone(), responses))), thread::current().id());
    let context = RunContext::new().on_event(move |event| {
        let mut ends = ends.lock().expect("no panic");
        let Some((request, responses)) = &*ends else { return };
        if !matches!(event.status, CallStatus::Progress { .. }) {
            return;
        }
        // The other thread passes on the later events then, and cannot wait for itself.
        if thread::current().id() != own_thread || request.send(()).is_err() || responses.recv().is_err() {
            *ends = None;
        }
    });
    let registry = Registry::builder().tools(tools![texts_from_two_threads]);
    let registry =
        registry.state(OtherThread { request, ends: Mutex::new(Some((requests, respond))) }).build();
    let model = model([calling([call("a", "texts_from_two_threads", 0)]), text_reply("Done.")]);
    let (mut session, mut seen, mut reports) = (asked(), Seen::default(), 0);
    let registry = registry.expect("one tool").with(&context);
    let run = session.run(&registry).on_event(|event| {
        seen.add(event);
        let is_report = |event: &CallEvent| matches!(event.status, CallStatus::EventsSkipped { .. });
        reports += u32::from(matches!(event, Event::Call(event) if is_report(event)));
    });
    let end = run.complete(|request| model.complete(request)).await.expect("valid");
    assert_eq!(end, RunEnd::Answered);
    assert_eq!(seen.progress + seen.skipped, 101);
    assert!((1..=2).contains(&reports), "{reports}: {seen:?}");
}

#[tokio::test]
async fn the_listener_receives_the_number_of_events_that_exceed_the_memory() {
    let (seen, session) = run_tool("texts", 100, |_| ()).await;
    // 16 MiB wait while the tool runs.
    assert!((10..=16).contains(&seen.progress), "{seen:?}");
    assert_eq!(seen.progress + seen.skipped, 100);
    assert_eq!((seen.first.as_deref(), seen.last.as_deref()), (Some("started"), Some("finished")));
    assert_eq!(session.messages()[2].text(), "ok");
}
