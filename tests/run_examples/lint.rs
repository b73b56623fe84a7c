//! The lint example: its report, its repairs and its exit codes.

use crate::process::{self, stderr, stdout};
use serde_json::{Value, json};
use std::process::Output;

fn lint(arguments: &[&str], input: &str) -> Output {
    process::run("lint", arguments, input, &[])
}

/// An id that OpenAI rejects, since it is longer than 40 bytes.
const LONG: &str = "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb";

fn broken() -> Value {
    json!([
        {"role": "user", "content": "?"},
        {"role": "assistant", "content": null, "tool_calls": [
            {"id": "a", "type": "function", "function": {"name": "f", "arguments": "{\"x\""}},
            {"id": LONG, "type": "function", "function": {"name": "f", "arguments": "{}"}},
        ]},
        {"role": "user", "content": "Are you there?"},
        {"role": "tool", "tool_call_id": LONG, "content": "1"},
        {"role": "tool", "tool_call_id": "x", "content": "2"},
    ])
}

const REPORT: &str = "\
messages[1]: a tool call without a tool message (a)
    OpenAI error: An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following tool_call_ids did not have response messages: a
    repair: messages[1]: the call a had no tool message: added one that reports a lost result
messages[2]: another message between a call and its tool message (bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb)
    OpenAI error: An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following tool_call_ids did not have response messages: bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb
    repair: messages[3]: the tool message bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb was moved after its call in messages[1]
messages[4]: a tool message without tool calls before it (x)
    OpenAI error: Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'.
    repair: messages[4]: the tool message x had no open call: removed
warning: messages[1]: an id that is too long (bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb)
    OpenAI error: Invalid 'messages[1].tool_calls[1].id': string too long. Expected a string with maximum length 40, but got a string with length 41
    rejected by OpenAI, Azure
Violations: 3; warnings: 1; wire: chat_completions; messages: 5.
";

#[test]
fn each_violation_is_printed_with_the_error_of_a_provider_and_the_repair() {
    let output = lint(&[], &broken().to_string());
    assert_eq!(stdout(&output), REPORT);
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(stderr(&output), "");
}

#[test]
fn a_valid_history_has_no_violations() {
    let file = std::env::temp_dir().join(format!("lint-{}.json", std::process::id()));
    std::fs::write(&file, r#"[{"role":"user","content":"?"}]"#).expect("the file can be written");
    let output = lint(&[file.to_str().expect("the path is UTF-8")], "");
    std::fs::remove_file(&file).expect("the file exists");
    assert_eq!(stdout(&output), "No violations. Wire: chat_completions; messages: 1.\n");
    assert_eq!(output.status.code(), Some(0));
}

#[test]
fn a_complete_request_is_read_and_repaired_in_place() {
    let request = format!(
        "\u{feff}{{\"model\": \"m\", \"stop\": [],\n \"messages\": {}, \"temperature\": 1}}",
        broken()
    );
    let output = lint(&["--repair", "-"], &request);
    assert_eq!(output.status.code(), Some(1), "there were violations");
    assert_eq!(stderr(&output), REPORT);
    let repaired = stdout(&output);
    assert!(repaired.starts_with("{\"model\": \"m\", \"stop\": [],\n \"messages\": [{"), "{repaired}");
    assert!(repaired.ends_with("], \"temperature\": 1}\n"), "{repaired}");
    let request: Value = serde_json::from_str(&repaired).expect("the output is JSON");
    let roles: Vec<&str> = request["messages"]
        .as_array()
        .expect("an array")
        .iter()
        .filter_map(|message| message["role"].as_str())
        .collect();
    assert_eq!(roles, ["user", "assistant", "tool", "tool", "user"]);
    let again = lint(&[], &repaired);
    assert_eq!(again.status.code(), Some(0), "{}", stdout(&again));
    assert_eq!(
        stdout(&again),
        "No violations. Wire: chat_completions; messages: 5.\n",
        "the long id is replaced"
    );
}

#[test]
fn each_violation_has_its_own_repair() {
    let call = |id: &str| {
        json!({"role": "assistant", "content": null, "tool_calls": [
            {"id": id, "type": "function", "function": {"name": "f", "arguments": "{}"}},
        ]})
    };
    let answer = |id: &str| json!({"role": "tool", "tool_call_id": id, "content": ""});
    let user = json!({"role": "user", "content": "?"});
    let messages =
        json!([call("c"), user, answer("c"), call("c"), user, answer("c"), call("a"), answer("A"),]);
    let output = stdout(&lint(&[], &messages.to_string()));
    let lines: Vec<&str> = output.lines().filter(|line| !line.contains(" error: ")).collect();
    assert_eq!(
        lines,
        [
            "messages[1]: another message between a call and its tool message (c)",
            "    repair: messages[2]: the tool message c was moved after its call in messages[0]",
            "messages[4]: another message between a call and its tool message (c)",
            "    repair: messages[5]: the tool message c was moved after its call in messages[3]",
            "messages[6]: a tool call without a tool message (a)",
            "    repair: messages[7]: the tool message A had no call: set the id of the open call before it, a",
            "messages[7]: a tool message whose id is not among the calls before it (A)",
            "    repair: messages[7]: the tool message A had no call: set the id of the open call before it, a",
            "warning: messages[3]: an id that a call of an earlier reply also has (c)",
            "    rejected by Anthropic, DeepSeek",
            "Violations: 4; warnings: 1; wire: chat_completions; messages: 8.",
        ],
    );
}

#[test]
fn every_repair_is_printed_even_if_it_follows_from_another() {
    let call = json!({"id": "a", "type": "function", "function": {"name": "f", "arguments": "{}"}});
    let messages = json!([
        {"role": "assistant", "content": null, "tool_calls": [call, call]},
        {"role": "user", "content": "?"},
        {"role": "tool", "tool_call_id": "b", "content": ""},
    ]);
    let output = stdout(&lint(&[], &messages.to_string()));
    let repeated = "repair: messages[0]: two calls had the id a: set the new id";
    assert_eq!(output.matches(repeated).count(), 3);
    assert_eq!(
        output.lines().filter(|line| line.contains(repeated) && line.ends_with(" for a later one")).count(),
        3
    );
    assert_eq!(output.matches("repair: messages[0]: the call a had no tool message").count(), 3);
    assert_eq!(output.matches("added one that reports a lost result").count(), 4);
    assert_eq!(output.matches("the tool message b had no open call: removed").count(), 1);
}

#[test]
fn help_prints_the_usage() {
    let output = lint(&["--help"], "");
    assert_eq!(
        stdout(&output),
        "usage: lint [--repair] [--wire NAME] [FILE] (without FILE, or with -, standard input is read)\n"
    );
    assert_eq!(output.status.code(), Some(0));
}

#[test]
fn control_characters_of_ids_are_escaped() {
    let output = lint(&[], r#"[{"role":"tool","tool_call_id":"\u001b[31m\n","content":""}]"#);
    assert!(
        stdout(&output)
            .starts_with("messages[0]: a tool message without tool calls before it (\\u{1b}[31m\\n)\n")
    );
}
