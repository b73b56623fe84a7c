//! Servers in processes that are killed at random moments. `KILL_ROUNDS` sets the number of rounds, and `KILL_SEED` repeats them.

use crate::process::server;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process::Command as Process;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::process::Command;
use tool_runtime::{Registry, ToolCall};
use tool_runtime_mcp::Client;
use tool_runtime_mcp::rmcp::transport::TokioChildProcess;

/// The process that runs now.
type Running = Arc<Mutex<Option<u32>>>;

async fn registry_of_process(server: PathBuf, ledger: PathBuf) -> (Registry, Running) {
    let running = Running::default();
    let of_client = Arc::clone(&running);
    let client = Client::transport(move || {
        let mut command = Command::new(&server);
        command.env("LEDGER", &ledger);
        let process = TokioChildProcess::new(command);
        if let Ok(process) = &process {
            *of_client.lock().expect("not poisoned") = process.id();
        }
        async move { process }
    });
    let client = client.connect().await.expect("the server starts");
    (client.registry().await.expect("the server lists its tools"), running)
}

fn kill(running: &Running) {
    if let Some(id) = running.lock().expect("not poisoned").take() {
        Process::new("kill").args(["-KILL", &id.to_string()]).status().expect("kill runs");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_killed_server_leaves_no_call_without_a_result_and_no_effect_twice() {
    let server = server();
    let variable = |name: &str| std::env::var(name).ok().and_then(|value| value.parse().ok());
    let seed = variable("KILL_SEED").unwrap_or_else(|| fastrand::u64(..));
    let rounds = variable("KILL_ROUNDS").unwrap_or(20);
    println!("KILL_SEED={seed} KILL_ROUNDS={rounds}");
    let mut random = fastrand::Rng::with_seed(seed);
    let (mut finished, mut lost, mut repeated) = (0, 0, 0);
    for round in 0..rounds {
        let ledger = std::env::temp_dir().join(format!("tool-mcp-ledger-{}-{round}", std::process::id()));
        let (registry, running) = registry_of_process(server.clone(), ledger.clone()).await;
        let call = |index: usize, random: &mut fastrand::Rng| {
            let tool = ["append", "put"][random.usize(0..2)];
            let arguments = format!(r#"{{"line":"{tool} {index}","milliseconds":{}}}"#, random.u32(0..40));
            ToolCall::new(format!("call_{index}"), tool, arguments)
        };
        let calls: Vec<ToolCall> = (0..12).map(|index| call(index, &mut random)).collect();
        let kills = [random.u64(0..30), random.u64(0..60)];
        let (messages, ()) = tokio::join!(registry.dispatch(&calls), async {
            for after in kills {
                tokio::time::sleep(Duration::from_millis(after)).await;
                kill(&running);
            }
        });
        let effects = std::fs::read_to_string(&ledger).unwrap_or_default();
        let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
        effects.lines().for_each(|line| *counts.entry(line).or_default() += 1);
        assert_eq!(messages.len(), calls.len());
        for (index, (call, message)) in calls.iter().zip(&messages).enumerate() {
            let count = counts.get(&*format!("{} {index}", call.name)).copied().unwrap_or_default();
            let context = format!("round {round}, {call:?}: {message:?}, {count} effects");
            assert_eq!(message.tool_call_id, call.id, "{context}");
            match (call.name.as_str(), message.is_error()) {
                ("append", false) => assert_eq!(count, 1, "{context}"),
                ("append", true) => assert!(count <= 1, "{context}"),
                (_, false) => assert!(count >= 1, "{context}"),
                _ => {}
            }
            if message.is_error() {
                assert!(message.text().starts_with("Error: the connection was lost"), "{context}");
                lost += 1;
            } else {
                finished += 1;
                repeated += usize::from(count > 1);
            }
        }
        std::fs::remove_file(&ledger).ok();
    }
    println!(
        "{} calls: {finished} with a result, {lost} lost, {repeated} with an idempotent effect more than once",
        rounds * 12
    );
    assert!(lost > 0 && finished > 0, "the kills hit some calls");
}
