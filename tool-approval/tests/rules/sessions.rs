//! Sessions whose registry asks by rules that change while it runs.

use super::rules;
use serde_json::json;
use std::sync::{Arc, PoisonError, RwLock};
use tool_runtime::dispatch::Decision;
use tool_runtime::session::RunEnd;
use tool_runtime::{AssistantMessage, Registry, Session, ToolCall, tool, tools};
use tool_runtime_approval::Rules;
use tool_runtime_testing::ScriptedModel;

/// Runs a command.
#[tool]
fn run_command(command: &str) -> String {
    format!("ran {command}")
}

/// Deletes a file.
#[tool(destructive, requires_approval)]
fn delete_file(path: &str) -> String {
    format!("deleted {path}")
}

fn registry(rules: Rules) -> (Registry, Arc<RwLock<Rules>>) {
    let rules = Arc::new(RwLock::new(rules));
    let shared = Arc::clone(&rules);
    let builder = Registry::builder().tools(tools![run_command, delete_file]).before_call(move |call| {
        let decision = shared.read().unwrap_or_else(PoisonError::into_inner).decide(&call);
        async move { decision }
    });
    (builder.build().expect("two tools"), rules)
}

fn call(id: &str, tool: &str, arguments: &serde_json::Value) -> AssistantMessage {
    AssistantMessage::from_tool_calls([ToolCall::new(id, tool, arguments.to_string())])
}

/// Runs a session with this reply, up to a decision or an answer.
async fn run(registry: &Registry, session: &mut Session, model: &ScriptedModel) -> RunEnd {
    session.run(registry).complete(|request| model.complete(request)).await.expect("the model replies")
}

/// The text of the last result.
fn last_result(session: &Session) -> String {
    let mut texts = session.messages().iter().filter_map(|message| match message {
        tool_runtime::message::Message::Tool(message) => Some(message.content.to_string()),
        _ => None,
    });
    texts.next_back().unwrap_or_default()
}

fn asking() -> Rules {
    rules(json!({
        "commands": [{"tool": "run_command", "argument": "command"}],
        "deny": [{"tool": "run_command", "arguments": {"command": "rm *"}}],
        "ask": ["run_command"],
    }))
}

#[tokio::test]
async fn a_call_that_is_allowed_once_runs_again_without_a_question() {
    let (registry, rules) = registry(asking());
    let pipe = || json!({ "command": "git log | head" });
    let model = ScriptedModel::new([
        call("1", "run_command", &pipe()),
        call("2", "run_command", &pipe()),
        call("3", "run_command", &json!({ "command": "git log | head; make" })),
        AssistantMessage::from_text("Done."),
    ]);
    let mut session = Session::new().user("Show the log.");
    assert_eq!(run(&registry, &mut session, &model).await, RunEnd::NeedsApproval);
    let [waiting] = &session.awaiting_approval()[..] else { panic!("one call waits") };
    assert!(rules.write().unwrap_or_else(PoisonError::into_inner).allow_like(waiting));
    session.approve(&waiting.id).expect("it waits");

    // The second call runs, and the third one is another command.
    assert_eq!(run(&registry, &mut session, &model).await, RunEnd::NeedsApproval);
    assert_eq!(last_result(&session), "ran git log | head");
    let [waiting] = &session.awaiting_approval()[..] else { panic!("one call waits") };
    assert_eq!(waiting.id, "3");
    session.deny(&waiting.id, "not now").expect("it waits");
    assert_eq!(run(&registry, &mut session, &model).await, RunEnd::Answered);
    assert_eq!(last_result(&session), "Error: not now");
}

#[tokio::test]
async fn an_approval_does_not_run_a_denied_call() {
    let (registry, rules) = registry(asking());
    let model = ScriptedModel::new([
        call("1", "run_command", &json!({ "command": "git gc" })),
        AssistantMessage::from_text("Done."),
    ]);
    let mut session = Session::new().user("Clean up.");
    assert_eq!(run(&registry, &mut session, &model).await, RunEnd::NeedsApproval);
    let waiting = session.awaiting_approval().remove(0);
    session.approve(&waiting.id).expect("it waits");
    let denied = json!({ "deny": [{"tool": "run_command", "arguments": {"command": "git gc *"}}] });
    {
        let mut rules = rules.write().unwrap_or_else(PoisonError::into_inner);
        assert!(rules.allow_like(&waiting));
        rules.extend(super::rules(denied));
    }
    assert_eq!(run(&registry, &mut session, &model).await, RunEnd::Answered);
    assert!(
        last_result(&session)
            .starts_with("Error: `run_command` with this `command` is denied by a rule: `git gc *`.")
    );
}

#[tokio::test]
async fn a_tool_that_requires_approval_asks_until_exactly_its_call_is_allowed() {
    let (registry, rules) = registry(Rules::new().allow("*"));
    let delete = |id: &str, path: &str| call(id, "delete_file", &json!({ "path": path }));
    let model = ScriptedModel::new([delete("1", "/tmp/*"), delete("2", "/tmp/*"), delete("3", "/tmp/a")]);
    let mut session = Session::new().user("Clean up.");
    assert_eq!(run(&registry, &mut session, &model).await, RunEnd::NeedsApproval);
    let waiting = session.awaiting_approval().remove(0);
    rules.write().unwrap_or_else(PoisonError::into_inner).allow_like(&waiting);
    // An allowed call also runs without the approval of the person.
    assert_eq!(run(&registry, &mut session, &model).await, RunEnd::NeedsApproval);
    assert_eq!(session.awaiting_approval()[0].id, "3", "the argument is no pattern");
}

#[tokio::test]
async fn the_hook_of_the_program_decides_what_the_rules_leave_open() {
    let rules = Rules::new().deny("delete_file");
    let registry = Registry::builder()
        .tools(tools![run_command, delete_file])
        .before_call(move |call| {
            let decision = rules.decide(&call);
            async move {
                match decision {
                    Decision::Undecided => Decision::Deny("the program denies it".into()),
                    decided => decided,
                }
            }
        })
        .build()
        .expect("two tools");
    let messages = registry
        .dispatch(&[
            ToolCall::new("1", "run_command", r#"{"command": "ls"}"#),
            ToolCall::new("2", "delete_file", r#"{"path": "a"}"#),
        ])
        .await;
    assert_eq!(messages[0].content, "Error: the program denies it");
    assert_eq!(
        messages[1].content,
        "Error: `delete_file` is denied by a rule. Do it another way, or ask the user."
    );
}
