//! The order of verdicts, and tools that require approval.

use super::{Judge, rules};
use serde_json::json;
use tool_runtime_approval::{Rule, Rules};

const TEXT: &str = r#"{"text": "a"}"#;

#[tokio::test]
async fn deny_comes_before_ask_and_ask_before_allow_in_any_order() {
    let deny = |rules: Rules| rules.deny(Rule::tool("read_index").argument("text", "a"));
    let ask = |rules: Rules| rules.ask("read_index");
    let allow = |rules: Rules| rules.allow(String::from("read_*"));
    for (rules, expected) in [
        (allow(ask(deny(Rules::new()))), "denied"),
        (deny(ask(allow(Rules::new()))), "denied"),
        (ask(deny(allow(Rules::new()))), "denied"),
        (allow(deny(Rules::new())), "denied"),
        (allow(ask(Rules::new())), "asks"),
        (ask(allow(Rules::new())), "asks"),
        (allow(Rules::new()), "allowed"),
        (Rules::new(), "undecided"),
    ] {
        assert_eq!(Judge::new(rules).verdict("read_index", TEXT).await.0, expected);
    }
}

#[tokio::test]
async fn only_a_rule_with_the_name_allows_a_tool_that_requires_approval() {
    let path = |tool: &str| json!({"tool": tool, "arguments": {"path": "/tmp/*"}});
    for (allow, expected) in [
        (json!(["*"]), "undecided"),
        (json!(["delete_*"]), "undecided"),
        (json!(["delete_file"]), "allowed"),
        (json!(["*", "delete_file"]), "allowed"),
        (json!([path("*"), path("delete_f*")]), "undecided"),
        (json!([path("delete_file")]), "allowed"),
    ] {
        let judge = Judge::new(rules(json!({ "allow": allow })));
        assert_eq!(judge.verdict("delete_file", r#"{"path": "/tmp/a"}"#).await.0, expected, "{allow}");
    }
    let judge = Judge::new(rules(json!({ "deny": ["delete_*"], "allow": ["delete_file"] })));
    assert_eq!(judge.verdict("delete_file", r#"{"path": "/tmp/a"}"#).await.0, "denied");
}

#[tokio::test]
async fn merged_rules_are_those_of_both() {
    let user = Rules::new().command("run_command", "command").deny("delete_file").allow("read_*");
    let project = Rules::new().allow("delete_file").ask("read_index").allow("read_*").allow("run_command");
    let (mut first, mut second) = (user.clone(), project.clone());
    first.extend(project.clone());
    second.extend(user.clone());
    for rules in [first.clone(), second] {
        let judge = Judge::new(rules);
        assert_eq!(judge.verdict("delete_file", r#"{"path": "a"}"#).await.0, "denied");
        assert_eq!(judge.verdict("read_index", TEXT).await.0, "asks");
        assert_eq!(judge.verdict("read_files", r#"{"paths": []}"#).await.0, "allowed");
    }
    let again = first.clone();
    first.extend(project.clone());
    assert_eq!(first, again, "a rule is listed once");
    let mut careful = user;
    careful.extend(project.without_allowed());
    assert_eq!(Judge::new(careful).command("make").await, "undecided");
}
