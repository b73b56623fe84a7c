//! Results that are recorded and replayed.

use super::*;

/// The result of a tool that failed, as text.
async fn recorded_failure() -> String {
    let recorded = Arc::<Mutex<String>>::default();
    let record = Arc::clone(&recorded);
    let registry = built(builder(&Runs::default()).around_call(move |call| {
        let record = Arc::clone(&record);
        async move {
            let result = call.run().await;
            *record.lock().expect("no panic") = serde_json::to_string(&result).expect("it is JSON");
            result
        }
    }));
    content(&registry, "sleep", r#"{"seconds":9}"#).await;
    std::mem::take(&mut *recorded.lock().expect("no panic"))
}

/// Replays a result as the result of a call, and describes its message.
async fn replay(recorded: String) -> String {
    let registry = built(builder(&Runs::default()).around_call(move |_| {
        let result = serde_json::from_str(&recorded).expect("a tool result");
        async move { result }
    }));
    let message = registry.dispatch(&call("sleep", r#"{"seconds":9}"#)).await.remove(0);
    let error = message.outcome().and_then(Outcome::error).expect("it failed");
    format!("{}|{}|{}|{error}", message.content, message.error_kind().unwrap_or_default(), error.kind())
}

/// The variable with the recorded result, in the other process.
const RECORDED: &str = "RECORDED_RESULT";

#[tokio::test(start_paused = true)]
async fn a_recorded_failure_is_replayed_in_another_process() {
    if let Ok(recorded) = std::env::var(RECORDED) {
        println!("{}", replay(recorded).await);
        return;
    }
    let recorded = recorded_failure().await;
    let program = std::env::current_exe().expect("the path of this program");
    let test = "middleware::recorded_results::a_recorded_failure_is_replayed_in_another_process";
    let output = std::process::Command::new(program)
        .args(["--exact", test, "--nocapture"])
        .env(RECORDED, &recorded)
        .output()
        .expect("it runs");
    let output = String::from_utf8_lossy(&output.stdout).into_owned();
    let message = "the tool `sleep` did not finish within 1 s. It may have taken effect.";
    assert!(output.contains(&format!("Error: {message}|timeout|timeout|{message}")), "{recorded}\n{output}");
}

#[test]
fn a_result_is_recorded_without_loss() {
    let output = ToolOutput::new().with_text("a").with_json(json!({"b": 1})).with_image("image/png", [1]);
    for result in [
        ToolResult::ok("text"),
        ToolResult::ok(json!({"b": [1, 2]})),
        ToolResult::ok(output),
        ToolResult::ok(()),
        ToolResult::error("it failed"),
    ] {
        let recorded = serde_json::to_string(&result).expect("it is JSON");
        let replayed: ToolResult = serde_json::from_str(&recorded).expect(&recorded);
        assert_eq!(serde_json::to_string(&replayed).expect("it is JSON"), recorded);
        assert_eq!(replayed.text(), result.text());
        let content = |result: &ToolResult| result.output().map(|output| output.content().clone());
        assert_eq!(content(&replayed), content(&result));
        let is_json = |result: &ToolResult| result.output().is_some_and(|output| output.content().is_json());
        assert_eq!(is_json(&replayed), is_json(&result));
    }
    for invalid in ["{}", r#"{"error":{"kind":"x"}}"#, "[]", r#"{"output":{"parts":[{"type":"new"}]}}"#] {
        assert!(serde_json::from_str::<ToolResult>(invalid).is_err(), "{invalid}");
    }
}
