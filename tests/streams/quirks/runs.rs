//! Which calls of a reply run.

use futures_util::stream;
use serde_json::{Value, json};
use std::sync::{Arc, Mutex};
use tool_runtime::stream::Chunk;
use tool_runtime::wire::Wire;
use tool_runtime::{AssistantMessage, DynamicTool, Registry};

type Runs = Arc<Mutex<Vec<String>>>;

/// The tools `f` and `g`, which record their calls.
fn registry(starts_early: bool, runs: &Runs) -> Registry {
    let tool = |name: &'static str| {
        let runs = Arc::clone(runs);
        DynamicTool::new(name, "", json!({ "type": "object" }), move |arguments| {
            let run = format!("{name} {}", Value::Object(arguments));
            runs.lock().expect("the lock is not poisoned").push(run);
            async { Ok::<_, String>("done") }
        })
    };
    let builder = Registry::builder().dynamic(tool("f")).dynamic(tool("g"));
    builder.start_all_while_streaming(starts_early).build().expect("the tools are valid")
}

/// The calls of a reply that run: the name and the arguments of each.
pub(super) async fn runs(reply: &AssistantMessage) -> Vec<String> {
    let runs = Runs::default();
    registry(false, &runs).dispatch(&reply.tool_calls).await;
    std::mem::take(&mut *runs.lock().expect("the lock is not poisoned"))
}

/// The calls of a streamed reply that run. They are the same if all tools start early.
pub(super) async fn streamed(wire: impl Wire + 'static, events: &[Value]) -> Vec<String> {
    let mut both = Vec::new();
    for starts_early in [false, true] {
        let runs = Runs::default();
        let chunks: Vec<Chunk> = events.iter().map(|event| wire.read_event(&event.to_string())).collect();
        let dispatched = registry(starts_early, &runs).dispatch_stream(stream::iter(chunks)).await;
        dispatched.expect("the stream is not interrupted");
        both.push(std::mem::take(&mut *runs.lock().expect("the lock is not poisoned")));
    }
    assert_eq!(both[0], both[1], "{events:?}");
    both.remove(0)
}
