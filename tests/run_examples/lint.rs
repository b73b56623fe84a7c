//! The linter: what it finds, what it mends, and how it ends.

use crate::process::{self, stderr, stdout};
use serde_json::{Value, json};
use std::process::Output;

fn lint(arguments: &[&str], input: &str) -> Output {
    process::run("lint", arguments, input, &[])
}

fn broken() -> Value {
    json!([
        {"role": "user", "content": "?"},
        {"role": "assistant", "content": null, "tool_calls": [
            {"id": "a", "type": "function", "function": {"name": "f", "arguments": "{\"x\""}},
            {"id": "b", "type": "function", "function": {"name": "f", "arguments": "{}"}},
        ]},
        {"role": "user", "content": "Are you there?"},
        {"role": "tool", "tool_call_id": "b", "content": "1"},
        {"role": "tool", "tool_call_id": "x", "content": "2"},
    ])
}

const REPORT: &str = "\
messages[1]: a tool call without a tool message (a)
    OpenAI says: An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following tool_call_ids did not have response messages: a
    mend: messages[1]: the call a had no tool message: added one that reports a lost result
messages[2]: another message between a call and its tool message (b)
    OpenAI says: An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following tool_call_ids did not have response messages: b
    mend: messages[3]: the tool message b was moved after its call in messages[1]
messages[4]: a tool message without tool calls before it (x)
    OpenAI says: Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'.
    mend: messages[4]: the tool message x had no open call: removed
warning: messages[1]: arguments that are not a JSON object (a)
    Ollama says: invalid tool call arguments
    refused by Ollama, llama.cpp
HistoryError: 3; warnings: 1; messages: 5.
";

#[test]
fn each_violation_is_printed_with_its_place_the_words_of_a_provider_and_the_mend() {
    let output = lint(&[], &broken().to_string());
    assert_eq!(stdout(&output), REPORT);
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(stderr(&output), "");
}

#[test]
fn a_history_in_which_nothing_is_wrong_is_said_to_be_so() {
    let file = std::env::temp_dir().join(format!("lint-{}.json", std::process::id()));
    std::fs::write(&file, r#"[{"role":"user","content":"?"}]"#).expect("there is room");
    let output = lint(&[file.to_str().expect("it is text")], "");
    std::fs::remove_file(&file).expect("it is there");
    assert_eq!(stdout(&output), "Nothing is wrong. Messages: 1.\n");
    assert_eq!(output.status.code(), Some(0));
}

#[test]
fn a_whole_request_is_read_and_mended_in_its_place() {
    let request = format!(
        "\u{feff}{{\"model\": \"m\", \"stop\": [],\n \"messages\": {}, \"temperature\": 1}}",
        broken()
    );
    let output = lint(&["--repair", "-"], &request);
    assert_eq!(output.status.code(), Some(1), "something was wrong");
    assert_eq!(stderr(&output), REPORT);
    let mended = stdout(&output);
    assert!(mended.starts_with("{\"model\": \"m\", \"stop\": [],\n \"messages\": [\n"), "{mended}");
    assert!(mended.ends_with("], \"temperature\": 1}\n"), "{mended}");
    let request: Value = serde_json::from_str(&mended).expect("it is JSON");
    let roles: Vec<&str> = request["messages"]
        .as_array()
        .expect("a list")
        .iter()
        .filter_map(|message| message["role"].as_str())
        .collect();
    assert_eq!(roles, ["user", "assistant", "tool", "tool", "user"]);
    let again = lint(&[], &mended);
    assert_eq!(again.status.code(), Some(0), "{}", stdout(&again));
    assert!(stdout(&again).ends_with("HistoryError: 0; warnings: 1; messages: 5.\n"));
}

#[test]
fn what_is_no_history_ends_in_a_clear_error() {
    const EXPECTED: &str = "expected a `messages` array, or a request with one";
    for (input, error) in [
        ("", format!("standard input is empty; {EXPECTED}")),
        (" \n", format!("standard input is empty; {EXPECTED}")),
        ("hello", format!("this is not JSON: expected value at line 1 column 1; {EXPECTED}")),
        (
            "[{\"role\":",
            format!("this is not JSON: EOF while parsing a value at line 1 column 9; {EXPECTED}"),
        ),
        ("7", format!("this is JSON, but neither an array nor an object; {EXPECTED}")),
        ("{\"model\":\"m\"}", format!("this is an object without `messages`; {EXPECTED}")),
        ("{\"messages\":{}}", "`messages` is not an array".to_owned()),
        (
            "[{\"role\":\"user\",\"content\":\"?\"},7]",
            "messages[1] is no message: invalid type: integer `7`, expected a message at line 1 column 1"
                .to_owned(),
        ),
        ("[{\"content\":\"?\"}]", "messages[0] is no message: missing field `role`".to_owned()),
    ] {
        let output = lint(&[], input);
        assert_eq!(stderr(&output), format!("Error: {error}\n"));
        assert_eq!(stdout(&output), "");
        assert_eq!(output.status.code(), Some(2), "{input}");
    }
    let output = lint(&["there/is/no/such.json"], "");
    assert!(stderr(&output).starts_with("Error: cannot read there/is/no/such.json: "), "{}", stderr(&output));
    assert_eq!(output.status.code(), Some(2));
    let output = lint(&["--mend"], "");
    assert!(stderr(&output).starts_with("Error: unknown option --mend; usage: lint"), "{}", stderr(&output));
    assert_eq!(output.status.code(), Some(2));
}

#[test]
fn each_violation_has_the_mend_that_is_its_own() {
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
    let lines: Vec<&str> = output.lines().filter(|line| !line.contains(" says: ")).collect();
    assert_eq!(
        lines,
        [
            "messages[1]: another message between a call and its tool message (c)",
            "    mend: messages[2]: the tool message c was moved after its call in messages[0]",
            "messages[4]: another message between a call and its tool message (c)",
            "    mend: messages[5]: the tool message c was moved after its call in messages[3]",
            "messages[6]: a tool call without a tool message (a)",
            "    mend: messages[7]: the tool message A had no call: set the id of the open call before it, a",
            "messages[7]: a tool message whose id is not among the calls before it (A)",
            "    mend: messages[7]: the tool message A had no call: set the id of the open call before it, a",
            "warning: messages[3]: an id that a call of an earlier reply also has (c)",
            "    refused by DeepSeek",
            "HistoryError: 4; warnings: 1; messages: 8.",
        ],
    );
}

#[test]
fn every_mend_is_told_also_one_that_follows_from_another() {
    let call = json!({"id": "a", "type": "function", "function": {"name": "f", "arguments": "{}"}});
    let messages = json!([
        {"role": "assistant", "content": null, "tool_calls": [call, call]},
        {"role": "user", "content": "?"},
        {"role": "tool", "tool_call_id": "b", "content": ""},
    ]);
    let output = stdout(&lint(&[], &messages.to_string()));
    assert_eq!(
        output.matches("mend: messages[0]: two calls have the id a: the second gets its own").count(),
        3
    );
    assert_eq!(output.matches("mend: messages[0]: the call a has no answer").count(), 3);
    assert_eq!(output.matches("added one that reports a lost result").count(), 4);
    assert_eq!(output.matches("the tool message b had no open call: removed").count(), 1);
}

#[test]
fn it_says_how_it_is_used() {
    let output = lint(&["--help"], "");
    assert_eq!(
        stdout(&output),
        "usage: lint [--repair] [FILE] (without FILE, or with -, standard input is read)\n"
    );
    assert_eq!(output.status.code(), Some(0));
}

#[test]
fn what_somebody_wrote_does_not_move_the_cursor() {
    let output = lint(&[], r#"[{"role":"tool","tool_call_id":"\u001b[31m\n","content":""}]"#);
    assert!(
        stdout(&output)
            .starts_with("messages[0]: a tool message without tool calls before it (\\u{1b}[31m\\n)\n")
    );
}
