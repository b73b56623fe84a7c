//! Both engines: the order of results, cancellation, and engines of programs.

use crate::setup::{Effects, Scripted, shop};
use serde_json::json;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tool_runtime::dispatch::{CallStatus, CancellationToken, ReadyCall};
use tool_runtime::session::RunEnd;
use tool_runtime::{Registry, RunContext, Session};
use tool_runtime_code::{
    CodeTool, Declaration, Engine, EngineFuture, Host, Limits, Program, ProgramCall, ProgramEnd, QuickJs,
    Worker,
};

fn worker() -> Worker {
    Worker::new(env!("CARGO_BIN_EXE_tool-runtime-code-worker"))
}

fn registry(
    effects: &Effects,
    engine: impl Engine,
    layer: impl Fn(ReadyCall) -> Duration + Send + Sync + 'static,
) -> Registry {
    let layer = Arc::new(layer);
    let inner = shop(effects).around_call(move |call: ReadyCall| {
        let delay = layer(call.clone());
        async move {
            tokio::time::sleep(delay).await;
            call.run().await
        }
    });
    let code = CodeTool::new(inner.build().expect("valid tools")).engine(engine);
    Registry::builder().dynamic(code.tool()).build().expect("a valid tool")
}

/// The order in which the program continues decides about its next calls.
const RACE: &str = "
const order = [];
await Promise.all([1, 2, 3, 4, 5].map(async n => {
  order.push(await tools.remind({ order: n }));
  order.push(await tools.remind({ order: n * 100 }));
}));
return order";

#[tokio::test]
async fn the_order_of_calls_does_not_depend_on_their_durations() {
    const RUNS: u64 = 200;
    let seed = std::env::var("ORDER_SEED")
        .ok()
        .and_then(|seed| seed.parse().ok())
        .unwrap_or_else(|| fastrand::u64(..));
    println!("seed {seed}; ORDER_SEED={seed} repeats it");
    for run in 0..RUNS {
        let random = std::sync::Mutex::new(fastrand::Rng::with_seed(seed + run));
        let delay = move |_| Duration::from_micros(random.lock().expect("no panic").u64(0..2_000));
        let registry = registry(&Effects::default(), QuickJs, delay);
        let result = registry.call("run_code", json!({ "code": RACE })).await;
        let orders = [1, 2, 3, 4, 5, 100, 200, 300, 400, 500];
        assert_eq!(result.text(), json!(orders.map(|order| format!("reminded {order}"))).to_string());
    }
}

/// The threads of programs, and the child processes.
#[cfg(target_os = "linux")]
fn threads_and_children() -> usize {
    let tasks = std::fs::read_dir("/proc/self/task").expect("the threads of this process").flatten();
    let is_program = |task: &Path| {
        std::fs::read_to_string(task.join("comm")).is_ok_and(|name| name.trim() == "tool-program")
    };
    let children = |task: &Path| {
        let children = std::fs::read_to_string(task.join("children")).unwrap_or_default();
        children.split_whitespace().count()
    };
    tasks.map(|task| usize::from(is_program(&task.path())) + children(&task.path())).sum()
}

/// Waits until no program runs. Other tests of this process run programs, too.
#[cfg(target_os = "linux")]
async fn wait_for_end() {
    let started = Instant::now();
    while threads_and_children() > 0 {
        assert!(started.elapsed() < Duration::from_secs(60), "a thread or a process is left");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_cancelled_program_leaves_neither_a_thread_nor_a_process() {
    // The first program computes, and the second one waits for a call.
    for code in [
        "tools.remind({ order: 1 }); await tools.list_orders({ customer: 1 }); for (;;);",
        "await tools.remind({ order: 1 })",
    ] {
        for is_worker in [false, true] {
            let effects = Effects::default();
            let delay = |call: ReadyCall| Duration::from_secs(if call.tool() == "remind" { 600 } else { 0 });
            let registry = if is_worker {
                registry(&effects, worker(), delay)
            } else {
                registry(&effects, QuickJs, delay)
            };
            let token = CancellationToken::new();
            let cancel = token.clone();
            let context = RunContext::new().cancellation(token).on_event(move |event| {
                if event.outer_call.is_some() && matches!(event.status, CallStatus::Started { .. }) {
                    assert!(threads_and_children() > 0, "the program runs");
                    cancel.cancel();
                }
            });
            let mut session = Session::new().user("Go.");
            let end = Scripted::new(code).run(&mut session, &registry.with(&context)).await;
            assert_eq!(end, RunEnd::Cancelled);
            wait_for_end().await;
        }
    }
}

#[tokio::test]
async fn a_worker_that_cannot_start_or_does_not_answer_is_an_error() {
    let call = |worker: Worker| async move {
        let registry = registry(&Effects::default(), worker, |_| Duration::ZERO);
        registry.call("run_code", json!({ "code": "return 1" })).await.text().into_owned()
    };
    let text = call(Worker::new("/no/such/program")).await;
    assert!(text.contains("the program cannot start now"), "{text}");
    // This test prints a list, which is no message.
    let text = call(Worker::new(std::env::current_exe().expect("this test")).arg("--list")).await;
    assert!(text.contains("the engine has failed"), "{text}");
}

#[tokio::test]
async fn a_check_accepts_a_worker_and_no_other_executable() {
    let checked = worker().check().await;
    assert!(checked.is_ok(), "{checked:?}");
    let wrong = Worker::new(std::env::current_exe().expect("this test")).arg("--list").check().await;
    let error = wrong.expect_err("it is no worker").to_string();
    assert!(error.contains("Start an executable that calls `serve_worker`"), "{error}");
}

#[cfg(target_os = "linux")]
#[tokio::test(start_paused = true)]
async fn a_check_of_an_executable_that_does_not_answer_ends() {
    let checked = Worker::new("/bin/sleep").arg("600").check().await;
    let error = checked.expect_err("it is no worker").to_string();
    assert!(error.contains("it does not answer"), "{error}");
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_hostile_worker_is_an_error() {
    let call = |script: &'static str| async move {
        // It reads the program first.
        let worker = Worker::new("/bin/sh").arg("-c").arg(format!("read program; {script}"));
        let registry = registry(&Effects::default(), worker, |_| Duration::ZERO);
        registry.call("run_code", json!({ "code": "return 1" })).await.text().into_owned()
    };
    for (script, expected) in [
        (r#"echo '{"Calls":[]}'; exec sleep 600"#, "the engine waits, and no call is open"),
        (
            r#"echo '{"Calls":[{"tool":"other","arguments":"{}"}]}'; exec sleep 600"#,
            "the program computed for more than 2 s",
        ),
        ("exec sleep 600", "the program computed for more than 2 s"),
        (r#"echo '{"End":{"value":{"Ok":"["},"printed":""}}'"#, "["),
        ("exec yes", "the engine has failed"),
        ("exec cat /dev/zero", "the engine has failed"),
    ] {
        let text = call(script).await;
        assert!(text.contains(expected), "{script}: {text}");
    }
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn local_times_are_those_of_utc_in_each_time_zone() {
    const TIMES: &str = "
        const date = new Date(2026, 10, 27, 23, 30);
        return [date.toISOString(), date.getHours(), `${date}`, new Date('2026-11-27T23:30').getTime() === date.getTime(),
            date.toLocaleDateString(), date.getTimezoneOffset(), new Date(date.setHours(1)).toISOString()]";
    for zone in ["UTC", "Asia/Tokyo", "America/New_York"] {
        let worker = Worker::new("/usr/bin/env")
            .arg(format!("TZ={zone}"))
            .arg(env!("CARGO_BIN_EXE_tool-runtime-code-worker"));
        let registry = registry(&Effects::default(), worker, |_| Duration::ZERO);
        let result = registry.call("run_code", json!({ "code": TIMES })).await;
        let expected = json!([
            "2026-11-27T23:30:00.000Z",
            23,
            "Fri, 27 Nov 2026 23:30:00 GMT",
            true,
            "2026-11-27",
            0,
            "2026-11-27T01:30:00.000Z"
        ]);
        assert_eq!(result.text(), expected.to_string(), "{zone}");
    }
}

/// A language with one instruction: the lines of a program are calls of `remind`.
struct Lines;

impl Engine for Lines {
    fn run(&self, program: Program, mut host: Host) -> EngineFuture {
        Box::pin(async move {
            let mut printed = String::new();
            for line in program.code.lines() {
                let call =
                    ProgramCall::new("remind", json!({ "order": line.parse::<u32>().ok() }).to_string());
                let Some(answer) = host.next_answer(vec![call]).await else { break };
                printed.extend([format!("{answer:?}"), "\n".to_owned()]);
            }
            ProgramEnd::returned(None, printed)
        })
    }

    fn instructions(&self, _: &Limits) -> String {
        "Each line is the number of an order.".to_owned()
    }

    fn declaration(&self, tool: &Declaration<'_>) -> String {
        format!("{} {}", tool.name, tool.arguments)
    }

    fn search_instructions(&self) -> String {
        "There is no search.".to_owned()
    }
}

#[tokio::test]
async fn an_application_has_an_engine_of_its_own() {
    let effects = Effects::default();
    let registry = registry(&effects, Lines, |_| Duration::ZERO);
    let result = registry.call("run_code", json!({ "code": "1\n2" })).await;
    assert_eq!(result.text(), "Text(\"reminded 1\")\nText(\"reminded 2\")\n");
    let description = registry.tool("run_code").expect("the tool").schema.description().to_owned();
    assert!(description.starts_with("Each line is the number of an order."), "{description}");
    assert!(description.ends_with("remind {order: integer}"), "{description}");
}
