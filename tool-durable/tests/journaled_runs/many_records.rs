//! Runs with many records take a time that is proportional to their number.

use super::*;
use std::future::ready;
use std::sync::LazyLock;
use std::time::Instant;
use tool_runtime::conversation::Request;

const SIZES: [u32; 3] = [250, 1_000, 4_000];

/// The system counts the time of a thread in ticks of up to 10 ms.
const TICK: f64 = 0.01;

/// Measures the processor time for each record at three sizes, and prints it. The last size may take no more than four times as
/// much as the first one: a quadratic run takes 16 times as much. The shorter of two runs counts.
async fn check<F: Future<Output = ()>>(name: &str, run: impl Fn(u32) -> F) {
    let mut times = Vec::new();
    for size in SIZES {
        let mut shortest = Duration::MAX;
        for _ in 0..2 {
            let started = cpu_time();
            run(size).await;
            shortest = shortest.min(cpu_time().saturating_sub(started));
        }
        println!("{name}: {size} records in {shortest:?}");
        times.push(shortest.as_secs_f64() / f64::from(size));
    }
    assert!(times[2] < 4.0 * (times[0] + TICK / f64::from(SIZES[0])), "{name}: {times:?}");
}

/// The processor time of this thread, which runs the whole test.
fn cpu_time() -> Duration {
    let read = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
    let time = read.and_then(|text| text.split(' ').next()?.parse().ok());
    // Other systems than Linux use the wall clock.
    time.map_or_else(|| STARTED.elapsed(), Duration::from_nanos)
}

static STARTED: LazyLock<Instant> = LazyLock::new(Instant::now);

/// Runs a session twice with one journal: the second time, all replies and results are recorded.
async fn run_twice(replies: &[AssistantMessage]) {
    let (ledger, journal) = (Ledger::default(), MemoryJournal::default());
    let registry = registry(&ledger, Duration::ZERO);
    for _ in 0..2 {
        let mut left = replies.iter().cloned();
        let complete = |_: Request| ready(left.next().ok_or("no reply"));
        let mut session = Session::new().user("Go on.");
        let run = session.run(&registry).max_replies(usize::MAX).journal(&journal);
        assert_eq!(run.complete(complete).await.expect("no error"), RunEnd::Answered);
    }
}

fn find_call(number: u32) -> ToolCall {
    ToolCall::new(format!("call_{number}"), "find", r#"{"order":7}"#)
}

#[tokio::test(start_paused = true)]
async fn a_reply_with_many_calls() {
    check("calls of one reply", async |calls| {
        run_twice(&[AssistantMessage::from_tool_calls((0..calls).map(find_call)), done()]).await;
    })
    .await;
}

#[tokio::test(start_paused = true)]
async fn many_replies() {
    check("replies", async |replies| {
        let calls = (0..replies).map(|number| AssistantMessage::from_tool_calls([find_call(number)]));
        run_twice(&calls.chain([done()]).collect::<Vec<_>>()).await;
    })
    .await;
}

/// The results of denied calls are recorded with the next reply.
#[tokio::test(start_paused = true)]
async fn a_reply_with_many_denied_calls() {
    check("denied calls", async |calls| {
        let journal = MemoryJournal::default();
        let registry = registry(&Ledger::default(), Duration::ZERO);
        let refunds =
            (0..calls).map(|number| ToolCall::new(format!("call_{number}"), "refund", r#"{"order":7}"#));
        let mut replies = vec![done(), AssistantMessage::from_tool_calls(refunds)];
        let mut complete = |_: Request| ready(replies.pop().ok_or("no reply"));
        let mut session = Session::new().user("Go on.");
        let end = session.run(&registry).journal(&journal).complete(&mut complete).await;
        assert_eq!(end.expect("no error"), RunEnd::NeedsApproval);
        let stored = session.clone();
        for call in session.awaiting_approval() {
            session.deny(&call.id, "no").expect("it waits");
        }
        let end = session.run(&registry).journal(&journal).complete(complete).await;
        assert_eq!(end.expect("no error"), RunEnd::Answered);
        let mut again = stored;
        let offline = |_: Request| ready(Err("no reply"));
        let end = again.run(&registry).journal(&journal).complete(offline).await;
        assert_eq!(end.expect("no error"), RunEnd::Answered);
        assert_eq!(again.messages(), session.messages());
    })
    .await;
}
