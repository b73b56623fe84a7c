//! The same calls, in the ways in which the servers of each wire state them, are read as the same calls and run once.

mod servers;

use crate::any_style::{Call, any_call};
use fastrand::Rng;
use futures_util::stream;
use serde_json::{Value, json};
use servers::wires;
use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use tool_runtime::stream::ReplyAssembler;
use tool_runtime::wire::Wire;
use tool_runtime::{Registry, tool, tools};

const REPLIES: usize = 200;

fn seed() -> u64 {
    let seed = std::env::var("STREAMS_SEED")
        .map_or_else(|_| fastrand::u64(..), |seed| seed.parse().expect("a number"));
    println!("STREAMS_SEED={seed}");
    seed
}

fn text(event: &Value) -> String {
    event.as_str().map_or_else(|| event.to_string(), str::to_owned)
}

#[test]
fn calls_are_equal_however_a_server_states_them() {
    // lobehub/lobehub#13506, icoretech/codex-pooler#193, cairn#127, mcp-use/mcp-use#2550, NousResearch/hermes-agent#35718,
    // vercel/ai#12052, openclaw/openclaw#127603
    let mut rng = Rng::with_seed(seed());
    for (name, wire, write) in wires() {
        let wire: Arc<dyn Wire> = wire.into();
        for _ in 0..REPLIES {
            let expected: Vec<Call> = (0..rng.usize(1..5)).map(|_| any_call(&mut rng)).collect();
            let events = write(&expected, &mut rng);
            let mut reply = ReplyAssembler::new().wire(Arc::clone(&wire));
            for event in &events {
                reply.push(text(event));
            }
            let reply = reply.into_reply().expect("the stream has no errors");
            let json = |text: &str| serde_json::from_str::<Value>(text).unwrap_or_else(|_| text.into());
            let called: Vec<_> =
                reply.tool_calls.iter().map(|call| (&*call.name, json(&call.arguments))).collect();
            let expected: Vec<_> =
                expected.iter().map(|(name, arguments)| (*name, json(arguments))).collect();
            assert_eq!(called, expected, "{name}: {}", json!(events));
        }
    }
}

/// The number of runs with each text.
#[derive(Clone, Default)]
struct Runs(Arc<Mutex<HashMap<String, usize>>>);

/// Deletes a file.
#[tool(destructive)]
fn delete(file: &str, #[state] runs: &Runs) {
    *runs.0.lock().expect("the lock is not poisoned").entry(file.to_owned()).or_default() += 1;
}

#[tokio::test]
async fn a_destructive_tool_runs_once_however_a_server_states_its_call() {
    // lobehub/lobehub#13506
    let mut rng = Rng::with_seed(seed());
    for (name, wire, write) in wires() {
        for early in [false, true] {
            let runs = Runs::default();
            let registry = Registry::builder().tools(tools![delete]).state(runs.clone());
            let registry = registry.start_all_while_streaming(early).build().expect("the tool is valid");
            for _ in 0..50 {
                let files = ["a", "b", "c"];
                let calls = files.map(|file| ("delete", json!({ "file": file }).to_string()));
                let chunks: Vec<_> =
                    write(&calls, &mut rng).iter().map(|event| wire.read_event(&text(event))).collect();
                let (reply, messages) =
                    registry.dispatch_stream(stream::iter(chunks)).await.expect("it is complete");
                assert_eq!((reply.tool_calls.len(), messages.len()), (3, 3), "{name}");
                let runs = std::mem::take(&mut *runs.0.lock().expect("the lock is not poisoned"));
                assert_eq!(runs, files.map(|file| (file.to_owned(), 1)).into(), "{name}");
            }
        }
    }
}
