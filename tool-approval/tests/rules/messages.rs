//! The texts for the model, and those for a person.

use super::{Judge, rules};
use serde_json::json;

#[tokio::test]
async fn the_model_reads_which_rule_denies_its_call() {
    let judge = Judge::new(rules(json!({
        "commands": [{"tool": "run_command", "argument": "command"}],
        "deny": [
            {"tool": "run_command", "arguments": {"command": "rm *"}},
            {"tool": "run_*", "arguments": {"command": "make *", "folder": "/etc*"}},
            "delete_*",
        ],
    })));
    assert_eq!(
        judge.call("run_command", r#"{"command": "make; rm x"}"#).await,
        "Error: `run_command` with this `command` is denied by a rule: `rm *`. Do it another way, or ask the user."
    );
    assert_eq!(
        judge.call("run_command", r#"{"command": "make", "folder": "/etc"}"#).await,
        "Error: `run_command` with these arguments is denied by a rule: `command`: `make *`, `folder`: `/etc*`. Do it another \
         way, or ask the user."
    );
    assert_eq!(
        judge.call("delete_file", r#"{"path": "a"}"#).await,
        "Error: `delete_file` is denied by a rule. Do it another way, or ask the user."
    );
}

#[tokio::test]
async fn a_person_reads_why_a_call_runs_or_not() {
    let command = |pattern: &str| json!({"tool": "run_command", "arguments": {"command": pattern}});
    let judge = Judge::new(rules(json!({
        "commands": [{"tool": "run_command", "argument": "command"}],
        "deny": [command("rm *")],
        "ask": [command("git push *")],
        "allow": [command("git *"), "read_*"],
        "allow_calls": [{"tool": "run_command", "arguments": {"command": "make | \u{202e}tac"}}],
    })));
    for (command, text) in [
        ("rm x", "denied by the rule `run_command` with `command`: `rm *`"),
        ("git push", "a person decides by the rule `run_command` with `command`: `git push *`"),
        ("git log", "allowed by the rule `run_command` with `command`: `git *`"),
        (
            "make | \u{202e}tac",
            r#"allowed before: `run_command` with exactly {"command":"make | \u{202e}tac"}"#,
        ),
        (
            "git 'x",
            "a person decides, since the rule `run_command` with `command`: `rm *` may be about the call: a quote is not closed",
        ),
        ("make", "no rule is about the call"),
    ] {
        assert_eq!(judge.verdict("run_command", json!({ "command": command }).to_string()).await.1, text);
    }
    assert_eq!(judge.verdict("read_files", r#"{"paths": []}"#).await.1, "allowed by the rule `read_*`");
}
